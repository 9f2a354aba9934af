# Completion of sessfzf for fish.
#
#   sessfzf completion fish | source

function __sessfzf_complete
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    set -l current (commandline --cut-at-cursor --current-token)
    # What may follow --name= has to be told with it.
    set -l name (string match --regex -- '^--[^=]*=' $current)
    for line in (command sessfzf completion fish -- $words[2..-1] "$current" 2>/dev/null)
        printf '%s%s\n' "$name" $line
    end
end

# In our order, the newest session first; never files.
complete --command sessfzf --no-files --keep-order --arguments '(__sessfzf_complete)'
