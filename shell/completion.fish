# Completion of sessfzf for fish.
#
#   sessfzf completion fish | source

function __sessfzf_complete
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    command sessfzf completion fish -- $words[2..-1] (commandline --cut-at-cursor --current-token) 2>/dev/null
end

# In our order, the newest session first; never files.
complete --command sessfzf --no-files --keep-order --arguments '(__sessfzf_complete)'
