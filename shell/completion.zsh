#compdef sessfzf
# Completion of sessfzf for zsh, to be loaded behind compinit, or kept as _sessfzf in $fpath.
#
#   source <(sessfzf completion zsh)

_sessfzf() {
  builtin local line
  builtin local -a told
  # Words and descriptions stay text all the way: nothing here is evaluated.
  for line in "${(@f)$(command sessfzf completion zsh -- \
    "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
    [[ -n $line ]] && told+=("${${line%$'\t'}/$'\t'/:}")
  done
  [[ $PREFIX == --*=* ]] && compset -P '*='
  # In our order, the newest session first.
  _describe -V 'sessfzf' told
}

if [[ ${funcstack[1]-} == '_sessfzf' ]]; then
  _sessfzf "$@"
else
  compdef _sessfzf sessfzf
fi
