#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares every pair of builds on several processes and writes one report in Markdown.

    python compare_builds.py --workers 8 --rules limits.toml -o pairs.md nightly/*.mlmodelc

Exit status 1 where a pair breaks the rules. What a worker gets (two paths and the rules) and gives
(a few numbers) are plain values that can be pickled, so that any pool does: replace the executor by
`dask.distributed.Client().get_executor()` or `ray.util.multiprocessing.Pool` to use many machines
that see the same files.
"""
import argparse
import itertools
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import kernscope


def compare(job):
    a, b, rules = job
    found = kernscope.diff(a, b, rules=rules)
    values = [row["values"] for row in found["weights"] if row.get("values")]
    cosines = [each["cosine"] for each in values if each.get("cosine") is not None]
    return {
        "a": Path(a).name,
        "b": Path(b).name,
        "holds": found.holds,
        "changed": sum(1 for each in values if each["changed"] + each["zeroed"] + each["revived"]),
        "weights": len(found["weights"]),
        "cosine": min(cosines, default=None),
    }


def report(rows):
    text = ["| a | b | rules | weights that differ | of | least cosine |", "|---|---|---|---|---|---|"]
    for row in rows:
        cosine = "" if row["cosine"] is None else f"{row['cosine']:.6f}"
        text.append(f"| {row['a']} | {row['b']} | {'kept' if row['holds'] else 'broken'} | {row['changed']} | "
                    f"{row['weights']} | {cosine} |")
    return "\n".join(text) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs="+")
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("--rules", default=None, help="file of limits, or its text")
    parser.add_argument("-o", "--output", type=Path, required=True)
    asked = parser.parse_args()
    jobs = [(a, b, asked.rules) for a, b in itertools.combinations(asked.builds, 2)]
    with ProcessPoolExecutor(asked.workers) as pool:
        rows = list(pool.map(compare, jobs))
    asked.output.write_text(report(rows), encoding="utf-8")
    return 0 if all(row["holds"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
