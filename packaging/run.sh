#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, builds, and opens the window.
#   packaging/run.sh [--no-install] [PATH…]
# One PATH is inspected, two are compared; none opens the embedded sample.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

if [ "${1-}" = --no-install ]; then
    shift
else
    install_packages
fi
configure_and_build release -DBUILD_TESTING=OFF -DKERNSCOPE_BENCH=OFF -- kernscope kernscope-cli
exec "$kernscope_root/.build/release/app/kernscope" "$@"
