#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by run.sh, test.sh and others: where the checkout is, and how its packages get installed.

kernscope_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Tests that run at once: one more than there are processors, for many wait now and then.
kernscope_jobs=$(($(nproc) + 1))

# Prints the comment that a script begins with.
print_help() {
    sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0"
}

# missing_packages run|test|check: names of packages.txt that are not installed, "a|b" where either
# will do.
missing_packages() {
    local names who rest name found
    while read -r names who rest; do
        case "$names" in ''|'#'*) continue ;; esac
        case "$1 $who" in 'run test'|'run check'|'test check') continue ;; esac
        found=no
        for name in ${names//|/ }; do
            if [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ]; then
                found=yes
            fi
        done
        [ "$found" = yes ] || printf '%s\n' "$names"
    done <"$kernscope_root/packaging/packages.txt"
}

# Of "a|b" the first that this release has; where it has none the first, which apt-get then names.
chosen_package() {
    local name
    for name in ${1//|/ }; do
        case "$(LC_ALL=C apt-cache policy "$name")" in
        ''|*'Candidate: (none)'*) ;;
        *) printf '%s\n' "$name"; return ;;
        esac
    done
    printf '%s\n' "${1%%|*}"
}

# install_packages run|test|check: what is missing; does nothing, and needs no network, where
# nothing is.
install_packages() {
    local missing names chosen=() as_root=()
    mapfile -t missing < <(missing_packages "$1")
    [ "${#missing[@]}" -eq 0 ] && return 0
    if ! command -v apt-get >/dev/null; then
        echo "There is no apt-get here. Install these or what they stand for, then say --no-install:" >&2
        printf '  %s\n' "${missing[@]}" >&2
        return 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "These packages are missing, and installing them needs root or sudo:" >&2
            printf '  %s\n' "${missing[@]}" >&2
            return 1
        fi
        as_root=(sudo)
    fi
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q >&2
    for names in "${missing[@]}"; do chosen+=("$(chosen_package "$names")"); done
    echo "Installing ${#chosen[@]} Debian packages: ${chosen[*]}" >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends "${chosen[@]}" >&2
}

# Lets ccache store what is compiled with precompiled headers, and find it from any folder.
export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS:-pch_defines,time_macros}"
export CCACHE_BASEDIR="$kernscope_root" CCACHE_NOHASHDIR=1

# configure_and_build PRESET [cmake option …] -- [target …]
configure_and_build() {
    local preset=$1 options=() targets=()
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1"); shift; done
    [ "${1-}" = -- ] && shift
    [ $# -gt 0 ] && targets=(--target "$@")
    echo "Building ${*:-everything} into .build/$preset" >&2
    (cd "$kernscope_root" && cmake --preset "$preset" "${options[@]}" >&2 \
        && cmake --build --preset "$preset" "${targets[@]}" >&2)
}
