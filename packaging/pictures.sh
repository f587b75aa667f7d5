#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Pictures of every workspace and every dock, without a display, to be looked at before a release:
# windows of 1280x800, 1400x900, 1920x1080 and 2560x1440, at scale 1, 1.5 and 2, light and dark.
#   packaging/pictures.sh [--no-install] [--program KERNSCOPE] FOLDER [PATH [PATH]]
# FOLDER/light-1.5/1280x800/window-inspect.png, FOLDER/light-1.5/dock-plan.png, …
# Two PATHs are compared; none shows the embedded sample. --program takes a program that is built.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

install=yes program=
while [ $# -gt 0 ]; do
    case "$1" in
    --no-install) install=no ;;
    --program) program=${2:?--program needs a file}; shift ;;
    *) break ;;
    esac
    shift
done
folder=${1:?a folder for the pictures}
shift
if [ -z "$program" ]; then
    [ "$install" = no ] || install_packages run
    configure_and_build release -DBUILD_TESTING=OFF -DKERNSCOPE_BENCH=OFF -- kernscope
    program=$kernscope_root/.build/release/app/kernscope
fi
for theme in light dark; do
    for scale in 1 1.5 2; do
        echo "$theme, scale $scale" >&2
        QT_SCALE_FACTOR=$scale "$program" --screenshots "$folder/$theme-$scale" --theme "$theme" \
            --size 1280x800,1400x900,1920x1080,2560x1440 "$@"
    done
done
