#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the README's commands in a chroot of Debian 13, where compiler, Qt and CMake are newer.
#   packaging/debian13.sh [--release trixie] [--root FOLDER] [--ccache FOLDER]
#                         [run | test [ctest option …]]
# run builds both programs with run.sh, takes the pictures of the embedded sample without a display
# and runs the selftest; test is test.sh; without either, first run, then test. For nights and before
# a release: it takes an hour or two on two cores.
# It needs root and debootstrap. FOLDER (default /var/tmp/kernscope-RELEASE) is made by debootstrap
# from the Debian mirror that apt-get uses here, and kept for the next time, as is the compiler's
# cache (default FOLDER.ccache); the commit that is checked out here is cloned into it anew. Test
# data (KERNSCOPE_DATA, by default ../shared/data beside the checkout, and samples beside the data)
# is mounted read only, for as long as the script runs. Nothing else outside of FOLDER is written.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$kernscope_root/packaging/bare.sh"

all=("$@") release=trixie root='' cache=''
while [ $# -gt 0 ]; do
    case "$1" in
    -h | --help) print_help; exit ;;
    --release) release=${2:?--release needs a name}; shift ;;
    --root) root=${2:?--root needs a folder}; shift ;;
    --ccache) cache=${2:?--ccache needs a folder}; shift ;;
    run | test) break ;;
    *) echo "Unknown option: $1" >&2; exit 2 ;;
    esac
    shift
done
command=${1-both}
[ $# -eq 0 ] || shift
root=$(realpath -m "${root:-/var/tmp/kernscope-$release}")
cache=$(realpath -m "${cache:-$root.ccache}")
data=${KERNSCOPE_DATA:-$kernscope_root/../shared/data}
say() { echo "== $*" >&2; }

if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
    echo "This needs root and the package debootstrap" >&2
    exit 1
fi
# Mounts and processes of its own: both end with the script.
if [ -z "${KERNSCOPE_IN_NAMESPACE-}" ]; then
    KERNSCOPE_IN_NAMESPACE=1 exec unshare --mount --pid --fork --kill-child \
        "$kernscope_root/packaging/debian13.sh" "${all[@]}"
fi

bare_root "$release" "$root"

source=$root/src/kernscope
say "Clone of $(git -C "$kernscope_root" log -1 --format='%h, %s')"
rm -rf "$source"
mkdir -p "$root/src" "$cache" "$root/ccache"
git clone -q "$kernscope_root" "$source"

mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$cache" "$root/ccache"
for folder in "$data" "$data/../samples"; do
    [ -d "$folder" ] || continue
    at=$root/src/shared/$(basename "$folder")
    mkdir -p "$at"
    mount --bind "$folder" "$at"
    mount -o remount,bind,ro "$at"
done

# in_clone COMMAND …
in_clone() {
    inside "$root" env CCACHE_DIR=/ccache ${CI:+CI="$CI"} \
        bash -c 'cd /src/kernscope && exec "$@"' bash "$@"
}

status=0
if [ "$command" != test ]; then
    in_clone packaging/run.sh --screenshots /src/pictures &&
        in_clone .build/release/app/cli/kernscope-cli selftest || status=$?
    say "run: exit status $status; pictures: $root/src/pictures"
fi
if [ "$command" != run ]; then
    tested=0
    in_clone packaging/test.sh "$@" || tested=$?
    say "test: exit status $tested"
    [ "$status" -ne 0 ] || status=$tested
fi
in_clone bash -c 'g++ --version | head -n 1; cmake --version | head -n 1
    dpkg-query -W qt6-base-dev libfmt-dev' >&2
exit "$status"
