#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes archives that are unpacked anywhere and run: kernscope-cli-VERSION-linux-ARCH.tar.gz (command
# line) and kernscope-VERSION-linux-ARCH.tar.gz (window and command line), with the libraries that they
# need, but for those of C. The command line holds its C++ library; Highway beside it takes four old
# functions of the host's. Made on Debian 12 it starts with glibc 2.34 or later (Ubuntu 22.04, Debian
# 12), the window also needs the C++ library of g++ 12, X11 or Wayland, OpenGL (libgl1, libegl1,
# libopengl0) and a font.
#   packaging/archive.sh [--no-gui] [--output FOLDER] [--root FOLDER]
# The archives go to FOLDER (default .build/archives). --root (as root) tries them in a bare Debian 13,
# made there by debootstrap from the mirror that apt-get uses here.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$kernscope_root/packaging/bare.sh"

output=$kernscope_root/.build/archives root='' gui=ON
while [ $# -gt 0 ]; do
    case "$1" in
    -h | --help) print_help; exit ;;
    --no-gui) gui=OFF ;;
    --output) output=${2:?--output needs a folder}; shift ;;
    --root) root=${2:?--root needs a folder}; shift ;;
    *) echo "Unknown option: $1" >&2; exit 2 ;;
    esac
    shift
done
install_packages check
mkdir -p "$output"
version=$(sed -n 's/^project(kernscope VERSION \([0-9.]*\).*/\1/p' "$kernscope_root/CMakeLists.txt")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The host's own: the libraries of C and C++, of which those of Debian 12 (and its Expat) want glibc 2.36
# for random numbers that nothing here takes, and what talks to its graphics driver and its display.
host='^(ld-linux|libc|libm|libdl|libpthread|librt|libresolv|libstdc\+\+|libgcc_s|libGL|libEGL|libGLX|libGLdispatch|libOpenGL|libdrm|libgbm|libX11|libxcb|libwayland-[a-z]*|libfontconfig|libexpat)[-.]'

# libraries FILE…: the paths of what these load that is not the host's.
libraries() {
    ldd "$@" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | sort -u | while read -r path; do
        [[ $(basename "$path") =~ $host ]] || printf '%s\n' "$path"
    done
}

# pack NAME [cmake option …] -- PROGRAM…: the folder and its archive.
pack() {
    local name=$1-$version-linux-$(uname -m) build=$kernscope_root/.build/archive-$1 options=() plugins file
    local place=$work/$name
    shift
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    echo "Building $* into $build" >&2
    cmake -S "$kernscope_root" --preset release -B "$build" -DBUILD_TESTING=OFF -DKERNSCOPE_BENCH=OFF "${options[@]}" >&2
    cmake --build "$build" --target "$@" >&2
    rm -rf "$work/installed"
    cmake --install "$build" --prefix "$work/installed" --strip >&2
    mkdir -p "$place/bin" "$place/lib" "$place/share/doc"
    cp -r "$work/installed/share/kernscope" "$work/installed/share/man" "$place/share/"
    cp "$kernscope_root/LICENSE" "$place/share/doc/"
    for file in "$@"; do cp "$work/installed/bin/$file" "$place/bin/"; done
    if [ -e "$place/bin/kernscope" ]; then
        cp -r "$work/installed/share/applications" "$work/installed/share/icons" "$place/share/"
        plugins=$(qmake6 -query QT_INSTALL_PLUGINS)
        mkdir -p "$place/plugins"
        for file in platforms imageformats printsupport xcbglintegrations platforminputcontexts; do
            cp -r "$plugins/$file" "$place/plugins/"
        done
        printf '[Paths]\nPrefix=..\nPlugins=plugins\n' >"$place/bin/qt.conf"
    fi
    # Plugins whose libraries are not here stay away: the program starts without them.
    for file in "$place"/plugins/*/*.so; do
        [ -e "$file" ] && ldd "$file" | grep 'not found' >/dev/null && rm "$file"
    done
    mapfile -t files < <(find "$place/bin" "$place/plugins" -type f \( -perm -100 -o -name '*.so' \) 2>/dev/null)
    libraries "${files[@]}" | xargs -I{} cp -L {} "$place/lib/"
    for file in "$place"/bin/kernscope*; do patchelf --force-rpath --set-rpath '$ORIGIN/../lib' "$file"; done
    for file in "$place"/lib/*.so*; do patchelf --force-rpath --set-rpath '$ORIGIN' "$file"; done
    find "$place/plugins" -name '*.so' -exec patchelf --force-rpath --set-rpath '$ORIGIN/../../lib' {} + 2>/dev/null || true
    tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git -C "$kernscope_root" log -1 --format=%ct)" \
        -czf "$output/$name.tar.gz" "$name"
    echo "$output/$name.tar.gz"
}

pack kernscope-cli -DKERNSCOPE_GUI=OFF -DKERNSCOPE_STATIC_CXX=ON -- kernscope-cli
[ $gui = OFF ] || pack kernscope -- kernscope kernscope-cli

# Unpacked below a name with a space, in an environment with nothing of this machine.
try() {
    "$@" bash -ec '
        for archive in *.tar.gz; do
            rm -rf "a place"; mkdir "a place"
            tar -xzf "$archive" -C "a place"
            cd "a place"/*
            bin/kernscope-cli selftest --quiet
            [ ! -e bin/kernscope ] || QT_QPA_PLATFORM=offscreen bin/kernscope --screenshots pictures
            cd ../..
        done
        echo "The archives hold"' >&2
}
if [ -n "$root" ]; then
    bare_root trixie "$root"
    inside "$root" apt-get install -y -q --no-install-recommends fontconfig fonts-dejavu-core libgl1 libegl1 libopengl0 \
        libx11-6 libxcb1 >&2
    rm -rf "$root/archives"
    mkdir "$root/archives"
    cp "$output"/*.tar.gz "$root/archives/"
    try inside "$root" env -C /archives
else
    cp "$output"/*.tar.gz "$work/"
    try env -i -C "$work" PATH=/usr/bin:/bin HOME="$work" LANG=C.UTF-8
fi
