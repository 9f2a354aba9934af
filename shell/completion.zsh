#compdef sessfzf
# Completion of sessfzf for zsh, to be loaded behind compinit, or kept as _sessfzf in $fpath.
#
#   source <(sessfzf completion zsh)

_sessfzf() {
  builtin local line text
  builtin local -a found shown
  builtin local -i longest=0 columns=COLUMNS-1
  # Words and descriptions stay text all the way: nothing here is evaluated.
  found=("${(@f)$(command sessfzf completion zsh -- \
    "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  found=("${(@)found:#}")
  for line in "${(@)found%%$'\t'*}"; do
    ((${#line} > longest)) && longest=${#line}
  done
  for line in "${found[@]}"; do
    text=${(r:longest:)${line%%$'\t'*}}
    [[ $line == *$'\t' ]] || text+="  -- ${line#*$'\t'}"
    # Cut by columns, not by characters.
    shown+=("${${(mr:columns:)text}%%[[:space:]]#}")
  done
  found=("${(@)found%%$'\t'*}")
  [[ $PREFIX == --*=* ]] && compset -P '*='
  # One a line where there are descriptions. -V: in our order, the newest session first.
  if [[ ${shown[1]-} == *'  -- '* ]]; then
    compadd -l -V 'sessfzf' -d shown -a found
  else
    compadd -V 'sessfzf' -a found
  fi
}

if [[ ${funcstack[1]-} == '_sessfzf' ]]; then
  _sessfzf "$@"
else
  compdef _sessfzf sessfzf
fi
