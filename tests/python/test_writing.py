# SPDX-License-Identifier: GPL-3.0-or-later
import pickle
import signal
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy
import pytest

import kernscope

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_patch_changes_what_it_announced(sample):
    path = sample / "sample-dense.mlmodelc"
    before = files(path)
    bundle = kernscope.open(path)
    changed = kernscope.patch(bundle, ["set conv1_weight[3,0,1,1]=0.5", "fill conv2_weight[0:1,:,:,:]=0"],
                              in_place=True)
    assert files(path) == before and not bundle.modified and changed.modified
    assert bundle.weights["conv1_weight"].values()[3, 0, 1, 1] != 0.5
    assert changed.weights["conv1_weight"].values()[3, 0, 1, 1] == 0.5
    with pytest.raises(TypeError):
        pickle.dumps(changed)
    saved = changed.save(in_place=True)
    assert saved["verified"] and saved["bytes_written"] > 0
    after = files(path)
    assert set(after) == set(before)
    announced = {(row["file"], row["offset"] + i) for row in saved["ranges"] for i in range(row["bytes"])}
    different = {(name, i) for name in before for i, (x, y) in enumerate(zip(before[name], after[name])) if x != y}
    assert different and different <= announced
    values = kernscope.open(path).weights
    assert values["conv1_weight"].values()[3, 0, 1, 1] == 0.5 and not values["conv2_weight"].values()[0].any()


def test_all_edits_or_none(sample):
    with pytest.raises(kernscope.KernscopeError) as failure:
        kernscope.patch("sample-palette.mlmodelc", ["set conv1_weight[0]=1e9"])
    assert failure.value.code.startswith("patch.")
    with pytest.raises(kernscope.KernscopeError) as failure:
        kernscope.patch("sample-dense.mlmodelc", "set conv1_weight[0]")
    assert failure.value.code == "patch.syntax"


def test_a_patch_is_the_document_of_the_command_line(sample, cli):
    _, document = cli("patch", "sample-palette.mlmodelc", "--codebook", "conv1_weight[0][3]=0.25", "--dry-run")
    made = kernscope.patch("sample-palette.mlmodelc", "codebook conv1_weight[0][3]=0.25").document
    assert made["edits"] == document["edits"]


def test_a_copy_is_whole_and_replaces_nothing(sample):
    changed = kernscope.patch("sample-dense.mlmodelc", "set conv1_weight[0]=0.5")
    with pytest.raises(kernscope.FileError) as failure:
        changed.save("sample-sparse.mlmodelc")
    assert failure.value.code == "io.exists" and "replace=True" in str(failure.value)
    with pytest.raises(kernscope.KernscopeError):
        changed.save()
    with pytest.raises(kernscope.FileError) as failure:
        changed.save("sample-dense.mlmodelc", replace=True)
    assert failure.value.code == "io.input"
    changed.save("copy.mlmodelc")
    found = kernscope.diff("sample-dense.mlmodelc", "copy.mlmodelc")
    assert [row["values"]["changed"] for row in found["weights"] if row["values"]["changed"]] == [1]


def test_the_lines_of_the_readme(sample):
    lines = (PACKAGING.parent / "README.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    for build in ("dense", "palette"):
        (sample / f"sample-{build}.mlmodelc").rename(sample / f"{build}.mlmodelc")
    (sample / "limits.toml").write_text("min-cosine = 0.9")
    exec(lines, {})  # noqa: S102
    assert not kernscope.diff("palette.mlmodelc", "changed.mlmodelc")["identical"]


def test_encode_and_plan_make_bundles(sample):
    small = kernscope.encode("sample-dense.mlmodelc", ["conv1_weight", "conv2_weight"], "palette4")
    forms = {row["name"].split("_weight")[0]: row["form"] for row in small.coverage() if "weight" in row["name"]}
    assert forms["conv1"] == forms["conv2"] == "lut" and forms["conv3"] == "dense-fp16"
    with pytest.raises(kernscope.KernscopeError):
        small.save(in_place=True)
    small.save("small.mlmodelc")
    dense, lossy = (kernscope.open(name).weights["conv1_weight"].values()
                    for name in ("sample-dense.mlmodelc", "small.mlmodelc"))
    assert numpy.unique(lossy).size <= 16 and numpy.abs(dense - lossy).max() < 0.2 * numpy.abs(dense).max()
    with pytest.raises(kernscope.KernscopeError) as failure:
        kernscope.encode("sample-dense.mlmodelc", "*", "palette5")
    assert failure.value.code == "plan.form" and "the nearest is palette4" in str(failure.value)
    with pytest.raises(kernscope.NameUnknown) as failure:
        kernscope.encode("sample-dense.mlmodelc", ["conv1_weigth"], "palette4")
    assert "conv1_weight" in failure.value.expected
    document, made = kernscope.plan("sample-dense.mlmodelc", ["M1"], tolerance=0.2, minimise="stored", make=True)
    assert sum(row["stored_bytes"] for row in made.coverage()) < sum(
        row["stored_bytes"] for row in kernscope.open("sample-dense.mlmodelc").coverage())
    assert {row["weight"] for row in document["plan"]} == set(kernscope.open("sample-dense.mlmodelc").weights)


def test_convert_refuses_a_program_of_fp16(sample):
    with pytest.raises(kernscope.KernscopeError) as failure:
        kernscope.convert("sample-dense.mlmodelc")
    assert failure.value.code == "convert.program"


def test_convert_stops_and_tells_how_far_it_is(sample):
    """One weight of 16 million numbers takes seconds; Ctrl-C is answered at once."""
    model = sample / "long.mlmodelc"
    (model / "weights").mkdir(parents=True)
    record = struct.pack("<IIQQQQ24x", 0xdeadbeef, 2, 4 << 24, 128, 0, 0)
    with open(model / "weights/weight.bin", "wb") as file:
        file.write(struct.pack("<II56x", 1, 2) + record)
        file.truncate(128 + (4 << 24))
    (model / "model.mil").write_text("""program(1.3)
{
    func main<ios16>(tensor<fp32, [1, 4096]> x) {
            tensor<fp32, [4096, 4096]> w = const()[name = string("w"), val = tensor<fp32, [4096, 4096]>(\
BLOBFILE(path = string("@model_path/weights/weight.bin"), offset = uint64(64)))];
            tensor<fp32, [1, 4096]> y = matmul(x = x, y = w)[name = string("y")];
        } -> (y);
}
""")
    bundle = kernscope.open(model)
    assert not bundle.diagnostics and bundle.weights["w"].shape == (4096, 4096)
    seen = []

    def interrupt(step):
        seen.append(step)
        signal.raise_signal(signal.SIGINT)

    start = time.monotonic()
    made = kernscope.convert(bundle)
    whole = time.monotonic() - start
    assert made.weights["w"].info()["dtype"] == "fp16"
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        kernscope.convert(bundle, progress=interrupt)
    assert seen and seen[0] < 1 and time.monotonic() - start < 0.5 * whole


def test_progress_rises_to_one_and_its_exception_stops_the_work(sample):
    seen = []
    kernscope.plan("sample-dense.mlmodelc", "M1", progress=seen.append)
    assert seen[-1] == 1.0 and all(0 <= step <= 1 for step in seen)

    class Enough(Exception):
        pass

    def stop(step):
        raise Enough

    with pytest.raises(Enough):
        kernscope.plan("sample-dense.mlmodelc", "M1", progress=stop)


def test_other_threads_run_meanwhile(sample):
    """The interpreter's lock is free while a plan is made: the longest pause of this thread is a small part of it."""
    done = threading.Event()
    spent = []

    def work():
        start = time.monotonic()
        kernscope.plan("sample-dense.mlmodelc", ["M1", "M4"], make=True)
        spent.append(time.monotonic() - start)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    turns = [time.monotonic()]
    while not done.wait(0.001):
        turns.append(time.monotonic())
    thread.join()
    longest = max((b - a for a, b in zip(turns, turns[1:])), default=spent[0])
    assert longest < 0.5 * spent[0], (longest, spent)


def test_ctrl_c_stops_and_writes_nothing(sample):
    program = """
import os, signal, sys, kernscope
first = True
def progress(step):
    global first
    if first:
        first = False
        os.kill(os.getpid(), signal.SIGINT)
try:
    kernscope.plan("sample-dense.mlmodelc", "M1", make=True, progress=progress)[1].save("made.mlmodelc")
except KeyboardInterrupt:
    sys.exit(7)
"""
    assert subprocess.run([sys.executable, "-c", program], cwd=sample, check=False).returncode == 7
    assert not (sample / "made.mlmodelc").exists()
    assert signal.getsignal(signal.SIGINT) is not None


def test_many_builds_in_two_processes(sample):
    """The documented example: all pairs, two workers, one report."""
    script = PACKAGING / "python/examples/compare_builds.py"
    done = subprocess.run([sys.executable, str(script), "--workers", "2", "--rules", "min-cosine = 0.93", "-o",
                           "pairs.md", *sorted(str(path) for path in sample.glob("*.mlmodelc"))],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    lines = (sample / "pairs.md").read_text().splitlines()
    pairs = [line for line in lines if line.startswith("| sample-")]
    assert len(pairs) == 3
    verdicts = {tuple(line.split(" | ")[:2]): line for line in pairs}
    assert " | kept | 3 | 10 | " in verdicts[("| sample-dense.mlmodelc", "sample-sparse.mlmodelc")]
    assert " | broken | 5 | 10 | " in verdicts[("| sample-dense.mlmodelc", "sample-palette.mlmodelc")]
