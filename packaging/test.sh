#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, builds, and runs every test without a display.
#   packaging/test.sh [--no-install] [--fuzz] [--without-core] [ctest option …]
# What is missing of the Debian packages that packaging/packages.txt names is installed with
# apt-get, as root or by sudo; --no-install builds with what is there. Everything is built into
# .build/test. --fuzz also builds the libFuzzer targets with clang and gives each a short run.
# --without-core leaves out the core's tests, for CI, where check.sh has run them under sanitizers.
# KERNSCOPE_DATA names the folder of test data (default: ../shared/data beside the checkout).
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

install=yes fuzz=no who=test core=ON
while [ $# -gt 0 ]; do
    case "$1" in
    -h | --help) print_help; exit ;;
    --no-install) install=no ;;
    --fuzz) fuzz=yes who=check ;;
    --without-core) core=OFF ;;
    *) break ;;
    esac
    shift
done
[ "$install" = no ] || install_packages "$who"

strict=OFF
[ -n "${CI-}" ] && strict=ON

runtime_dir=$(mktemp -d)
chmod 700 "$runtime_dir"
trap 'rm -rf "$runtime_dir"' EXIT
export XDG_RUNTIME_DIR="$runtime_dir" XDG_CONFIG_HOME="$runtime_dir/config"
export QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8
export KERNSCOPE_DATA="${KERNSCOPE_DATA:-$kernscope_root/../shared/data}"

status=0
if [ "$fuzz" = yes ]; then
    configure_and_build fuzz
    ctest --test-dir "$kernscope_root/.build/fuzz" --output-on-failure --no-tests=error \
        -j "$kernscope_jobs" -L fuzz || status=$?
fi
options=(-DKERNSCOPE_WERROR=$strict -DKERNSCOPE_CORE_TESTS=$core)
# Nothing here measures or tests the kernels: what counts is how soon they are built.
[ "$core" = ON ] || options+=(-DKERNSCOPE_BENCH=OFF
    "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -D_GLIBCXX_ASSERTIONS")
configure_and_build test "${options[@]}"
ctest --test-dir "$kernscope_root/.build/test" --output-on-failure --no-tests=error \
    -j "$kernscope_jobs" "$@" || status=$?
exit "$status"
