#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, builds, and opens the window.
#   packaging/run.sh [--no-install] [PATH…]
# One PATH is inspected, two are compared; none opens the embedded sample (File, Open Sample has
# others, a Core AI package among them). What is missing of the
# Debian packages that packaging/packages.txt names is installed with apt-get, as root or by sudo;
# --no-install builds with what is there. The programs are built into .build/release: the first
# time takes six minutes on two cores, later ones seconds. Other options are the window's:
# --screenshots FOLDER ends without a display.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

case "${1-}" in
-h | --help) print_help; exit ;;
--no-install) shift ;;
*) install_packages run ;;
esac
configure_and_build release -DBUILD_TESTING=OFF -DKERNSCOPE_BENCH=OFF -- kernscope kernscope-cli
exec "$kernscope_root/.build/release/app/kernscope" "$@"
