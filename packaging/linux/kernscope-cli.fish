# SPDX-License-Identifier: GPL-3.0-or-later
# Completion for fish: the program knows its words; where it has none, names of files.
function __kernscope_cli
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] completion $words[2..-1] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c kernscope-cli -f -a '(__kernscope_cli)'
