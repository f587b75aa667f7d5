#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs libkernscope into a folder, and builds and runs the example against it, in folders of
# their own: by the CMake package, and by pkg-config.
#   test.sh BUILD_FOLDER CMAKE COMPILER
set -euo pipefail
build=$1 cmake=$2 compiler=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
compgen -G "$build/packaging/library/libkernscope.a" >/dev/null || { echo "skipped: libkernscope is not built"; exit 0; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILS: $*" >&2; exit 1; }

DESTDIR='' "$cmake" --install "$build" --prefix "$work/prefix" --component development >/dev/null
mv "$work/prefix" "$work/moved" # nothing in it may know where it was
cp -r "$here/example" "$work/example"
! grep -rqF -e "$build" -e "$(cd "$here/../.." && pwd)" "$work/moved/lib" --include='*.cmake' --include='*.pc' ||
    fail "the installed files name the source tree"

"$cmake" -S "$work/example" -B "$work/build" -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_PREFIX_PATH="$work/moved" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "configure"; }
"$cmake" --build "$work/build" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "build"; }

# A weight of four values: 1, 0, 0, 0.
{
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }"
    printf '\x00\x00\x80\x3f\0\0\0\0\0\0\0\0\0\0\0\0'
} >"$work/ramp.npy"
expected='ramp dense-fp32 32.00 1'
said=$("$work/build/stored_bits" "$work/ramp.npy")
[ "$said" = "$expected" ] || fail "by CMake it says: $said"
status=0
"$work/build/stored_bits" "$work/none.npy" 2>"$work/log" || status=$?
[ "$status" = 4 ] && grep -q 'none.npy' "$work/log" || fail "a missing file: $status, $(cat "$work/log")"

pc=$(dirname "$(find "$work/moved" -name kernscope.pc)")
export PKG_CONFIG_PATH=$pc
# shellcheck disable=SC2046
"$compiler" "$work/example/stored_bits.cpp" $(pkg-config --cflags --libs kernscope) -o "$work/stored_bits" ||
    fail "pkg-config"
said=$("$work/stored_bits" "$work/ramp.npy")
[ "$said" = "$expected" ] || fail "by pkg-config it says: $said"
echo "libkernscope holds"
