# SPDX-License-Identifier: GPL-3.0-or-later
# Completion for bash: the program knows its words; where it has none, names of files.
_kernscope_cli() {
    local IFS=$'\n'
    mapfile -t COMPREPLY < <("$1" completion "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    [ "${#COMPREPLY[@]}" -gt 0 ] && return
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
}
complete -F _kernscope_cli kernscope-cli
