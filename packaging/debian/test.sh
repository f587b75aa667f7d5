#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the Debian package, with the tools of dpkg-dev and as it is made without them, and looks
# into it.
#   test.sh BUILD_FOLDER CPACK
set -euo pipefail
build=$1 cpack=$2
[ -x "$build/app/cli/kernscope-cli" ] || { echo "skipped: the programs are not built"; exit 0; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILS: $*" >&2; exit 1; }

# make NAME [cpack option …]: prints the path of the package
make() {
    local place=$work/$1
    shift
    "$cpack" -G DEB --config "$build/CPackConfig.cmake" -B "$place" \
        -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip "$@" >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        fail "cpack"
    }
    find "$place" -maxdepth 1 -name '*.deb'
}

look_at() {
    local package=$1 depends list
    depends=$(dpkg-deb -f "$package" Depends)
    for name in libc6 libstdc++6 libfmt; do
        case "$depends" in *"$name"*) ;; *) fail "$name is not among the dependencies: $depends" ;; esac
    done
    if [ -x "$build/app/kernscope" ]; then
        case "$depends" in *libqt6widgets6*) ;; *) fail "no Qt in: $depends" ;; esac
    fi
    [ "$(dpkg-deb -f "$package" Description | wc -l)" -gt 3 ] || fail "no extended description"
    list=$(dpkg-deb -c "$package")
    for path in usr/bin/kernscope-cli usr/share/doc/kernscope/copyright \
        usr/share/doc/kernscope/changelog.gz usr/share/man/man1/kernscope-cli.1.gz; do
        grep -q "/$path\$" <<<"$list" || fail "$path is missing"
    done
    ! grep -q 'man1/.*\.1$' <<<"$list" || fail "a man page is not compressed"
}

# As after run.sh, which makes the programs and no other target.
rm -f "$build"/packaging/*.gz
with_tools=yes
if command -v dpkg-shlibdeps >/dev/null && command -v file >/dev/null; then
    package=$(make tools)
    look_at "$package"
else
    with_tools=no
fi
package=$(make lookup -D KERNSCOPE_DEB_LOOKUP=ON)
look_at "$package"

dpkg-deb -x "$package" "$work/files"
"$work/files/usr/bin/kernscope-cli" selftest --quiet || fail "selftest"
# unpacked PATH PATTERN: whether a line of the packed file matches. It is unpacked to a file: in a
# pipe grep -q leaves at its first match, and gzip, which still writes, then counts as failed.
unpacked() { gzip -cd "$work/files/$1" >"$work/unpacked" && grep -q "$2" "$work/unpacked"; }

unpacked usr/share/man/man1/kernscope-cli.1.gz '^\.TH' || fail "man page"
unpacked usr/share/doc/kernscope/changelog.gz '^kernscope (' || fail "changelog"
desktop=$work/files/usr/share/applications/kernscope.desktop
if [ -e "$desktop" ]; then
    ! grep -q 'inode/directory' "$desktop" || fail "the desktop entry takes folders over"
    if command -v desktop-file-validate >/dev/null; then
        desktop-file-validate "$desktop" || fail "the desktop entry is not valid"
    fi
fi
echo "The package holds (with dpkg-shlibdeps: $with_tools)"
