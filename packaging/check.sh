#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks that need no test data: formatting, words, names, clang-tidy, the core under sanitizers.
#   packaging/check.sh [--no-install] [--fast] [--only CHECK] [--no-tidy] [--base COMMIT]
# --fast leaves out clang-tidy and the sanitizers (it builds nothing).
# --only runs one of format, words, names, tidy, sanitizers, clang; --no-tidy all but tidy, as CI
#   does.
#   clang builds both programs with clang++, without tests: before a release, for it takes long.
# --base names the commit that clang-tidy compares with; by default where this branch left
#   origin's, else the commit before. Without git, clang-tidy is left out.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

install=yes base= checks=(format words names tidy sanitizers)
while [ $# -gt 0 ]; do
    case "$1" in
    -h | --help) print_help; exit ;;
    --no-install) install=no ;;
    --fast) checks=(format words names) ;;
    --no-tidy) checks=(format words names sanitizers) ;;
    --only) checks=("${2:?--only needs a check}"); shift ;;
    --base) base=${2:?--base needs a commit}; shift ;;
    *) echo "Unknown option: $1" >&2; exit 2 ;;
    esac
    shift
done
[ "$install" = no ] || install_packages check
cd "$kernscope_root"

failed=()
tidy_seconds=${KERNSCOPE_TIDY_SECONDS:-420} # for all files together

# The files of the tree, one a line: those that git knows, or all but builds where there is no git.
files() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files -- "$@"
    else
        local patterns=() pattern
        for pattern in "$@"; do patterns+=(-o -path "./${pattern#./}"); done
        find . -path ./.build -prune -o -type f \( "${patterns[@]:1}" \) -print | sed 's|^\./||'
    fi
}

check_format() {
    files '*.cpp' '*.h' | tr '\n' '\0' | xargs -0 -n 100 -P "$(nproc)" clang-format --dry-run -Werror
}

check_words() {
    local word instead lines found=0
    while IFS=$'\t' read -r word instead; do
        case "$word" in ''|'#'*) continue ;; esac
        # By what is printed: xargs fails as soon as one of several calls of grep finds nothing.
        lines=$(files '*.cpp' '*.h' '*.md' '*.txt' '*.csv' '*.cmake' '*.sh' '*.1' |
            grep -vxF packaging/words.txt | tr '\n' '\0' |
            xargs -0 grep -niwF -- "$word" /dev/null || true)
        if [ -n "$lines" ]; then
            echo "$lines"
            echo "  \"$word\": write \"$instead\"" >&2
            found=1
        fi
    done <packaging/words.txt
    return "$found"
}

check_names() {
    packaging/names.sh
}

# Sources of the core and the command line that differ from the base commit.
changed_sources() {
    local from=$base remote
    if [ -n "$from" ]; then
        git rev-parse -q --verify "$from^{commit}" >/dev/null || {
            echo "No such commit: $from" >&2
            return 1
        }
    else
        remote=$(git symbolic-ref -q --short refs/remotes/origin/HEAD || echo origin/main)
        from=$(git merge-base HEAD "$remote" 2>/dev/null || true)
        if [ -z "$from" ] || [ "$from" = "$(git rev-parse HEAD)" ]; then
            from=$(git rev-parse -q --verify HEAD~1 || true)
        fi
    fi
    [ -n "$from" ] || return 0
    git diff --name-only --diff-filter=d "$from" -- 'core/*.cpp' 'app/cli/*.cpp'
}

check_tidy() {
    if ! git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        echo "No git checkout: clang-tidy is left out" >&2
        return 0
    fi
    local sources status=0 changed
    changed=$(changed_sources) || return 1
    mapfile -t sources < <(printf '%s' "${changed:+$changed$'\n'}")
    if [ "${#sources[@]}" -eq 0 ]; then
        echo "No source of the core or the command line differs" >&2
        return 0
    fi
    # Only configured: clang cannot read g++'s precompiled headers, nor single files out of unity.
    cmake -S . -B .build/tidy -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DKERNSCOPE_PCH=OFF \
        -DKERNSCOPE_UNITY=OFF -DKERNSCOPE_GUI=OFF -DKERNSCOPE_BENCH=OFF >/dev/null
    printf '%s\0' "${sources[@]}" |
        timeout "$tidy_seconds" xargs -0 -n 4 -P 2 clang-tidy -p .build/tidy --quiet \
            --warnings-as-errors='clang-analyzer-*,modernize-use-override,misc-unused-*' || status=$?
    if [ "$status" -eq 124 ]; then
        echo "clang-tidy: stopped after $tidy_seconds s; not every file was looked at" >&2
        status=0
    fi
    return "$status"
}

check_sanitizers() {
    local options=(-DKERNSCOPE_GUI=OFF)
    # A quarter of the compiler's time: by hand a failure names lines as well, and what is used
    # behind its scope is found.
    [ -z "${CI-}" ] ||
        options+=("-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -fno-sanitize-address-use-after-scope")
    configure_and_build dev-asan "${options[@]}" -- core_tests
    QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8 \
        KERNSCOPE_DATA="${KERNSCOPE_DATA:-$kernscope_root/../shared/data}" \
        ctest --test-dir .build/dev-asan --output-on-failure --no-tests=error -j "$kernscope_jobs" -L core
}

check_clang() {
    cmake -S . -B .build/clang -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_CXX_FLAGS=-g0 -DBUILD_TESTING=OFF -DKERNSCOPE_BENCH=OFF -DKERNSCOPE_WERROR=ON \
        >/dev/null
    cmake --build .build/clang --target kernscope kernscope-cli
}

run() {
    local start=$SECONDS
    echo "== $1" >&2
    if "check_$1"; then
        echo "   $1: holds ($((SECONDS - start)) s)" >&2
    else
        echo "   $1: FAILS ($((SECONDS - start)) s)" >&2
        failed+=("$1")
    fi
}

for check in "${checks[@]}"; do
    case "$check" in
    format | words | names | tidy | sanitizers | clang) run "$check" ;;
    *) echo "Unknown check: $check" >&2; exit 2 ;;
    esac
done
if [ "${#failed[@]}" -gt 0 ]; then
    echo "Failed: ${failed[*]}" >&2
    exit 1
fi
