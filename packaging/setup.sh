#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by run.sh and test.sh: where the checkout is, and how its packages get installed.

kernscope_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Prints the names of packages.txt that are not installed.
missing_packages() {
    local name rest
    while read -r name rest; do
        case "$name" in ''|'#'*) continue ;; esac
        if [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" != installed ]; then
            printf '%s\n' "$name"
        fi
    done <"$kernscope_root/packaging/packages.txt"
}

# Installs what is missing; does nothing, and needs no network, where nothing is.
install_packages() {
    local missing as_root=()
    mapfile -t missing < <(missing_packages)
    [ "${#missing[@]}" -eq 0 ] && return 0
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "These packages are missing, and installing them needs root or sudo:" >&2
            printf '  %s\n' "${missing[@]}" >&2
            return 1
        fi
        as_root=(sudo)
    fi
    echo "Installing ${#missing[@]} Debian packages: ${missing[*]}" >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends "${missing[@]}" >&2
}

# Lets ccache store what is compiled with precompiled headers.
export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS:-pch_defines,time_macros}"

# configure_and_build PRESET [cmake option …] -- [target …]
configure_and_build() {
    local preset=$1 options=() targets=()
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1"); shift; done
    [ "${1-}" = -- ] && shift
    [ $# -gt 0 ] && targets=(--target "$@")
    (cd "$kernscope_root" && cmake --preset "$preset" "${options[@]}" >&2 \
        && cmake --build --preset "$preset" "${targets[@]}" >&2)
}
