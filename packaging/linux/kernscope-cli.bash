# SPDX-License-Identifier: GPL-3.0-or-later
# Completion for bash: the program knows its words; where it has none, names of files.
_kernscope_cli() {
    local IFS=$'\n' i quote='' words=("${COMP_WORDS[@]:1:COMP_CWORD}")
    case "${words[-1]}" in
    [\"\']*) quote=yes words[-1]=${words[-1]:1} ;;
    *) words[-1]=${words[-1]//\\/} ;;
    esac
    mapfile -t COMPREPLY < <("$1" completion "${words[@]}" 2>/dev/null)
    if [ "${#COMPREPLY[@]}" -eq 0 ]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
    elif [ -z "$quote" ]; then # "M1 Max" is one word
        for i in "${!COMPREPLY[@]}"; do printf -v "COMPREPLY[i]" %q "${COMPREPLY[i]}"; done
    fi
}
complete -F _kernscope_cli kernscope-cli
