#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, builds, and runs every test without a display.
#   packaging/test.sh [--no-install] [ctest option …]
# KERNSCOPE_DATA names the folder of test data (default: ../shared/data beside the checkout).
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

if [ "${1-}" = --no-install ]; then
    shift
else
    install_packages
fi

strict=OFF
[ -n "${CI-}" ] && strict=ON

runtime_dir=$(mktemp -d)
chmod 700 "$runtime_dir"
trap 'rm -rf "$runtime_dir"' EXIT
export XDG_RUNTIME_DIR="$runtime_dir" XDG_CONFIG_HOME="$runtime_dir/config"
export QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8
export KERNSCOPE_DATA="${KERNSCOPE_DATA:-$kernscope_root/../shared/data}"

configure_and_build fuzz -DKERNSCOPE_WERROR=$strict
configure_and_build dev -DKERNSCOPE_WERROR=$strict

status=0
ctest --test-dir "$kernscope_root/.build/fuzz" --output-on-failure --no-tests=error \
    -j2 -L fuzz || status=$?
ctest --test-dir "$kernscope_root/.build/dev" --output-on-failure --no-tests=error \
    -j2 "$@" || status=$?
exit "$status"
