# Completion of sessfzf for bash.
#
#   eval "$(sessfzf completion bash)"

_sessfzf() {
  builtin local line
  COMPREPLY=()
  # bash shows no descriptions: of each line only the word is taken, and none is split or globbed.
  while IFS= builtin read -r line; do
    COMPREPLY+=("${line%%$'\t'*}")
  done < <(command sessfzf completion bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}

# In our order, the newest session first: bash 4.4 and later.
complete -o nosort -F _sessfzf sessfzf 2>/dev/null || complete -F _sessfzf sessfzf
