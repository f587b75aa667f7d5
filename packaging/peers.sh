#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Lets the platform's own tools read what Kernscope wrote: the loader and the runtime of coreai-core
# random edits and random encodings of Core AI packages, coremltools the cases and packages of
# ../shared/peers/coremltools9 and random encodings for Core ML. Prints counts and every difference.
# By hand and nightly: it needs Python 3.11, the packages of PyPI and some minutes.
#   packaging/peers.sh CLI [EDITS [ENCODINGS [COREML_ENCODINGS]]]
# The virtual environment is made outside of the tree (KERNSCOPE_PEERS_VENV, else below TMPDIR); the
# peers lie beside the data folder (KERNSCOPE_DATA, else ../shared/data).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cli=$(realpath "${1:?usage: packaging/peers.sh CLI [EDITS [ENCODINGS [COREML_ENCODINGS]]]}")
venv=${KERNSCOPE_PEERS_VENV:-${TMPDIR:-/tmp}/kernscope-peers-venv}
peers=$(realpath "${KERNSCOPE_DATA:-$here/../../shared/data}/../peers")
[ -x "$venv/bin/python" ] || python3.11 -m venv "$venv"
"$venv/bin/python" -c 'import coreai, numpy' 2>/dev/null ||
    "$venv/bin/pip" install --quiet coreai-core numpy
status=0
"$venv/bin/python" "$here/peers.py" coreai "$cli" "$peers/coreai" "${2:-200}" "${3:-60}" || status=1
if "$venv/bin/python" -c 'import coremltools' 2>/dev/null ||
    "$venv/bin/pip" install --quiet 'coremltools==9.0'; then
    "$venv/bin/python" "$peers/coremltools9/check.py" "$cli" | tail -n 1 || status=1
    "$venv/bin/python" "$here/peers.py" coreml "$cli" "$peers/coremltools9/passing" "${4:-500}" || status=1
else
    echo "coremltools cannot be had: its half is left out"
fi
exit $status
