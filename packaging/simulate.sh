#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Saves, copies and recoveries on a disk that fails, then, for half of that time, edits in windows
# whose disk fails and that are killed: tests/simulator, drawn from a seed.
#   packaging/simulate.sh SECONDS [--seed N] [--trace] [--all]
# With 0 seconds one run, that of the seed: what a failure prints to be seen again. Without --seed
# the time of day is the seed. --trace prints each step, --all goes on after a failure.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

case "${1--h}" in -h | --help) print_help; exit ;; esac
seconds=$1
shift
options=(--seed "$(date +%s)") # a later --seed counts
configure_and_build test -- kernscope-simulator kernscope-window-simulator
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm # the disk is simulated: memory will do
programs=$kernscope_root/.build/test/tests/simulator
"$programs/kernscope-simulator" "${options[@]}" --seconds "$seconds" "$@"
QT_QPA_PLATFORM=offscreen "$programs/kernscope-window-simulator" "${options[@]}" \
    --seconds "$((seconds / 2))" "$@"
