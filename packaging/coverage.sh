#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds the core and its tests with gcov, runs them, and prints the lines covered of each file of
# core/, the least covered first.
#   packaging/coverage.sh [--no-install] [ctest option …]
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

if [ "${1-}" = --no-install ]; then
    shift
else
    install_packages test
fi
cd "$kernscope_root"
build=$kernscope_root/.build/coverage

cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DKERNSCOPE_GUI=OFF \
    -DKERNSCOPE_BENCH=OFF -DKERNSCOPE_PCH=OFF -DCMAKE_CXX_FLAGS="--coverage -O1" >&2
cmake --build "$build" >&2
find "$build" -name '*.gcda' -delete
export QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8
export KERNSCOPE_DATA="${KERNSCOPE_DATA:-$kernscope_root/../shared/data}"
ctest --test-dir "$build" --output-on-failure -j2 "$@" >&2 || echo "Some tests failed" >&2

# gcov names each source once for each object that it is part of; sources belong to one only.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
find "$build/core" -name '*.gcda' -print0 |
    xargs -0 -r gcov --no-output --relative-only --source-prefix "$kernscope_root" 2>/dev/null |
    awk '
        /^File / { name = $2; gsub("\047", "", name) }
        /^Lines executed:/ && name ~ /^core\/.*\.cpp$/ {
            split($0, figures, /[:% ]+/); share = figures[3]; lines = figures[5]
            if (!(name in best) || share > best[name]) { best[name] = share; count[name] = lines }
            name = ""
        }
        END {
            for (name in best) {
                printf "%6.1f %% %6d  %s\n", best[name], count[name], name
                all += count[name]; covered += best[name] * count[name] / 100
            }
            if (all > 0) printf "%6.1f %% %6d  all of core/\n", 100 * covered / all, all
        }' | sort -n
