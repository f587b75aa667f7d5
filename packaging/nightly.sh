#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What takes longer than CI may: run by hand, at night or before a release.
#   packaging/nightly.sh [STEP…]
# Steps, all by default: clang (both programs built by clang++), sanitizers (the core's tests with all
# checks, more than in CI), tidy (clang-tidy over what changed),
# simulate (simulate.sh for KERNSCOPE_SIMULATE_SECONDS, 600 by default), fuzz (each target for
# KERNSCOPE_FUZZ_SECONDS, 120 by default), races (ThreadSanitizer over what the core and a window
# without a display do on several threads), debian13 (both commands of the README in a chroot of Debian
# 13: needs root and debootstrap), old-cmake (the tests with /usr/bin/cmake, Debian 12's 3.25), macos
# (core, command line and Python module compiled, not linked, by clang 16 with the library of macOS:
# needs clang-16 and libc++-16-dev), peers (peers.sh: needs PyPI), wheel (wheel.sh: PyPI, root),
# packages (package.sh: root; twice, to hold the same bytes), autopkgtest (packaging/debian/tests in
# that chroot), container (Containerfile, with podman or docker, else its steps in two chroots of
# Debian 12: root and debootstrap), archives (archive.sh: root).
# Where autopkgtest is missing that step says so.
# Each step's exit status is printed at the end.
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

case "${1-}" in -h | --help) print_help; exit ;; esac
[ $# -gt 0 ] || set -- clang sanitizers tidy simulate fuzz races debian13 old-cmake macos peers wheel packages autopkgtest container archives
cd "$kernscope_root" || exit 1
install_packages check || exit 1

fuzz() {
    configure_and_build fuzz "-DKERNSCOPE_FUZZ_SECONDS=${KERNSCOPE_FUZZ_SECONDS:-120}" &&
        ctest --test-dir .build/fuzz --output-on-failure --no-tests=error -j2 -L fuzz
}

# Load, compare, plan, tiles, edits and save; without tests that fork, or that measure memory.
races() {
    local programs=(test_core_{base,codec,compare,plan} test_widgets_{chips,compare,weight} test_app)
    configure_and_build tsan -- "${programs[@]}" kernscope-window-simulator &&
        ctest --test-dir .build/tsan --output-on-failure --no-tests=error -j2 \
            -L "^($(IFS='|' && echo "${programs[*]}"))\$" -E 'tst_(sandbox|overlaid_file)' &&
        ctest --test-dir .build/tsan --output-on-failure --no-tests=error -R window_simulator
}

old_cmake() {
    /usr/bin/cmake --version | sed -n 1p >&2
    PATH=/usr/bin:/bin packaging/test.sh --no-install
}

# Debian's libraries are made with another standard library: there is nothing to link with, and no
# generator to make the sample.
macos() {
    local objects sample=.build/macos/no_sample.cpp
    mkdir -p .build/macos && : >"$sample" &&
        cmake -S . -B .build/macos -G Ninja -DCMAKE_CXX_COMPILER=clang++-16 \
            -DCMAKE_CXX_FLAGS=-stdlib=libc++ -DCMAKE_BUILD_TYPE=Debug -DKERNSCOPE_WERROR=ON \
            -DBUILD_TESTING=OFF -DKERNSCOPE_BENCH=OFF -DKERNSCOPE_GUI=OFF -DKERNSCOPE_PYTHON=ON \
            -DKERNSCOPE_SAMPLE="$PWD/$sample" &&
        mapfile -t objects < <(ninja -C .build/macos -t targets all |
            sed -n 's/^\(\(core\|app\)[^ ]*\.o\): CXX_COMPILER.*/\1/p') &&
        ninja -C .build/macos "${objects[@]}"
}

peers() {
    configure_and_build release -DBUILD_TESTING=OFF -DKERNSCOPE_BENCH=OFF -- kernscope-cli &&
        packaging/peers.sh .build/release/app/cli/kernscope-cli
}

bookworm=/var/tmp/kernscope-bookworm

# The second time from another folder.
packages() {
    local again=/var/tmp/kernscope-packages-again package status=0
    packaging/package.sh --root "$bookworm" && rm -rf "$again" && packaging/package.sh --output "$again" || return
    for package in .build/packages/*.deb; do
        cmp "$package" "$again/${package##*/}" || status=1
    done
    rm -rf "$again"
    return "$status"
}

package_tests() {
    if ! command -v autopkgtest >/dev/null; then
        echo "autopkgtest is not installed: nothing ran packaging/debian/tests" >&2
        return 0
    fi
    autopkgtest --no-built-binaries .build/packages/*.deb .build/packages/kernscope-*/ -- \
        chroot "$bookworm"
}

# The instructions of Containerfile, each stage in a chroot of its own.
container_in_chroots() {
    local root='' first='' workdir=/ word rest paths
    . packaging/bare.sh
    while read -r word rest; do
        echo "== $word $rest" >&2
        case "$word" in
        FROM)
            root=/var/tmp/kernscope-container${first:+-run} workdir=/
            rm -rf "$root" && bare_root bookworm "$root" </dev/null || return
            : "${first:=$root}"
            ;;
        WORKDIR) workdir=$rest && mkdir -p "$root$workdir" ;;
        RUN) inside "$root" sh -ec "cd $workdir; $rest" </dev/null || return ;;
        COPY)
            read -ra paths <<<"$rest"
            mkdir -p "$root${paths[-1]%/*}"
            case "$rest" in
            --from=*) cp -r $(printf "$first%s\n" "${paths[@]:1:${#paths[@]}-2}") "$root${paths[-1]}" ;;
            *) cp -r "${paths[@]:0:${#paths[@]}-1}" "$root${paths[-1]}" ;;
            esac || return
            ;;
        esac
    done < <(sed -e ':a' -e '/\\$/{N;s/\\\n//;ba' -e '}' packaging/Containerfile | grep -v '^#')
    inside "$root" kernscope-cli selftest
}

container() {
    local program
    if ! program=$(command -v podman || command -v docker) || ! "$program" info >/dev/null 2>&1; then
        container_in_chroots
    else
        "$program" build -f packaging/Containerfile -t kernscope . &&
            "$program" run --rm kernscope selftest
    fi
}

results=()
failed=0
for step in "$@"; do
    case "$step" in
    clang | sanitizers | tidy) packaging/check.sh --no-install --only "$step" ;;
    simulate) packaging/simulate.sh "${KERNSCOPE_SIMULATE_SECONDS:-600}" ;;
    fuzz) fuzz ;;
    races) races ;;
    debian13) packaging/debian13.sh ;;
    old-cmake) old_cmake ;;
    macos) macos ;;
    peers) peers ;;
    wheel) packaging/wheel.sh --root "$bookworm" ;;
    packages) packages ;;
    autopkgtest) package_tests ;;
    container) container ;;
    archives) packaging/archive.sh --root /var/tmp/kernscope-bare-trixie ;;
    *) echo "Unknown step: $step" >&2; exit 2 ;;
    esac
    status=$?
    results+=("$step: exit status $status")
    [ "$status" -eq 0 ] || failed=1
done
printf '%s\n' "${results[@]}" >&2
exit "$failed"
