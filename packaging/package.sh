#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the Debian packages kernscope, kernscope-cli, libkernscope-dev and python3-kernscope from what
# is committed, looks at them with lintian, and installs them in a bare Debian.
#   packaging/package.sh [--no-gui] [--output FOLDER] [--root FOLDER] [--only-source | --only-try]
# The packages go to FOLDER (default .build/packages). --no-gui leaves out the window, which needs Qt.
# --only-source stops when the source is there, ready for dpkg-buildpackage; --only-try looks at and
# tries packages that were made before. --root FOLDER (as root) is a chroot of Debian 12, made by
# debootstrap from the mirror that apt-get uses here; without it nothing is installed. DEBFULLNAME
# and DEBEMAIL name the maintainer. The build needs the packages of packaging/debian/control.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$kernscope_root/packaging/bare.sh"

output=$kernscope_root/.build/packages root='' profiles='' only=''
while [ $# -gt 0 ]; do
    case "$1" in
    -h | --help) print_help; exit ;;
    --no-gui) profiles=pkg.kernscope.nogui ;;
    --output) output=${2:?--output needs a folder}; shift ;;
    --root) root=${2:?--root needs a folder}; shift ;;
    --only-source | --only-try) only=$1 ;;
    *) echo "Unknown option: $1" >&2; exit 2 ;;
    esac
    shift
done
mkdir -p "$output"
output=$(realpath "$output")
version=$(sed -n 's/^project(kernscope VERSION \([0-9.]*\).*/\1/p' "$kernscope_root/CMakeLists.txt")
source=$output/kernscope-$version

make_source() {
    rm -rf "$source"
    mkdir -p "$source"
    git -C "$kernscope_root" archive HEAD | tar -x -C "$source"
    cp -r "$source/packaging/debian" "$source/debian"
    rm -f "$source/debian/test.sh"
    local maintainer="${DEBFULLNAME:-Kernscope developers} <${DEBEMAIL:-developers@kernscope.invalid}>"
    sed -i "s/@KERNSCOPE_MAINTAINER@/$maintainer/; s/@PROJECT_VERSION@/$version/" \
        "$source/debian/control" "$source/debian/changelog.in"
    mv "$source/debian/changelog.in" "$source/debian/changelog"
}

build() {
    rm -f "$output"/*.deb
    # debhelper gives the build a home of its own, in which ccache would find nothing.
    # Without debugging data, which takes long to make and to pack, and which differs between folders
    # and with a compiler cache, and with it the build id that programs keep: packages are the same
    # wherever they are made.
    export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-noautodbgsym}" DEB_CXXFLAGS_STRIP=-g
    export CCACHE_BASEDIR=$source CCACHE_DIR
    CCACHE_DIR=$(ccache -k cache_dir 2>/dev/null || true)
    (cd "$source" && DEB_BUILD_PROFILES=$profiles dpkg-buildpackage -b -us -uc >&2)
}

# What each installed package must do, alone.
try() {
    local place=$root/packages
    rm -rf "$place"
    mkdir -p "$place"
    cp "$output"/*.deb "$place"
    rm -f "$place"/*-dbgsym_*
    inside "$root" apt-get update -q >&2
    inside "$root" bash -ec '
        cd /packages
        apt-get purge -y -q "?name(kernscope)" libgvc6 >/dev/null
        apt-get autoremove -y -q --purge >/dev/null
        before=$(dpkg-query -W | wc -l)
        apt-get install -y -q --no-install-recommends ./kernscope-cli_*.deb
        brought=$(($(dpkg-query -W | wc -l) - before))
        echo "kernscope-cli: $brought packages"
        [ "$brought" -le 8 ]
        kernscope-cli selftest
        kernscope-cli help inspect >/dev/null
        apt-get install -y -q --no-install-recommends ./python3-kernscope_*.deb
        cd "$(mktemp -d)"
        python3 -c "import kernscope
a, b, c = kernscope.write_sample()
assert not kernscope.diff(a, b).holds and kernscope.open(a).weights[0].values().any()"
        status=0
        kernscope-cli graph sample-dense.mlmodelc --svg graph.svg || status=$?
        [ "$status" = 3 ] && [ ! -e graph.svg ]
        apt-get install -y -q --no-install-recommends libgvc6
        kernscope-cli graph sample-dense.mlmodelc --svg graph.svg
        apt-get install -y -q --no-install-recommends /packages/libkernscope-dev_*.deb g++ pkgconf
        echo "#include <kernscope/facade.h>
int main() { return kernscope::facade::version().empty(); }" >a.cpp
        g++ a.cpp $(pkg-config --cflags --libs kernscope) -o a && ./a
        for window in /packages/kernscope_*.deb; do
            [ -e "$window" ] || continue
            apt-get install -y -q --no-install-recommends "$window" fonts-dejavu-core
            QT_QPA_PLATFORM=offscreen kernscope --screenshots pictures
        done
        echo "The packages hold"' >&2
}

[ "$only" = --only-try ] || make_source
[ "$only" != --only-source ] || exit 0
[ "$only" = --only-try ] || build
if command -v lintian >/dev/null; then
    lintian --fail-on error,warning "$output"/*.changes >&2
else
    echo "lintian is not installed: nothing looked at the packages" >&2
fi
[ -z "$root" ] || { bare_root bookworm "$root"; try; }
ls "$output"/*.deb
