# SPDX-License-Identifier: GPL-3.0-or-later
"""What peers.sh runs in its virtual environment: random changes by kernscope-cli, read by others.

    peers.py coreai CLI FOLDER EDITS ENCODINGS
    peers.py coreml CLI FOLDER ENCODINGS

coreai: of packages whose graph "main" has no inputs, the outputs are the weights: the runtime's
values are compared with those that `decode` writes of the same package. coreml: coremltools
loads each package and decompresses the weight that was encoded.
"""
import asyncio
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import numpy as np

FORMS = [
    ["--form", "dense"],
    ["--form", "affine"],
    ["--form", "affine", "--per-tensor", "--zero-point", "--type", "uint8"],
    *[["--form", "palette", "--bits", str(bits)] for bits in (1, 2, 3, 4, 6, 8)],
    ["--form", "palette", "--bits", "4", "--vector", "2"],
    ["--form", "palette", "--bits", "4", "--codebooks", "2"],
    ["--form", "palette", "--bits", "4", "--entries", "int8"],
    ["--form", "sparse", "--density", "0.4"],
    ["--form", "sparse", "--density", "0.4", "--survivors", "palette", "--bits", "4"],
    ["--form", "sparse", "--density", "0.4", "--survivors", "blockwise", "--block", "1"],
    *[["--form", "blockwise", "--type", t, "--block", b] for t in ("int4", "int8") for b in ("1", "2", "5")],
    ["--form", "blockwise", "--type", "uint4", "--zero-point", "--block", "2"],
]


class Cli:
    def __init__(self, path):
        self.path = path

    def run(self, *args):
        done = subprocess.run([self.path, *map(str, args)], capture_output=True, timeout=300)
        return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace").strip()

    def inspect(self, package):
        status, out, error = self.run("inspect", package, "--json")
        if status not in (0, 1):
            raise RuntimeError(error)
        return json.loads(out)

    def weights(self, package):
        return self.inspect(package)["weights"]

    def values(self, package, weight):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "w.npy")
            status, _, error = self.run("decode", package, weight, "--as", "fp32", "-o", path)
            if status != 0:
                raise RuntimeError(error)
            return np.load(path)


def equal(a, b):
    a, b = a.astype(np.float32).ravel(), b.astype(np.float32).ravel()
    return a.shape == b.shape and bool(np.all((a == b) | (np.isnan(a) & np.isnan(b))))


def runtime_outputs(package):
    """In a process of its own: the runtime ends the process where it dislikes a package."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.npz")
        done = subprocess.run([sys.executable, __file__, "run", package, path],
                              capture_output=True, timeout=300)
        if done.returncode != 0 or not os.path.exists(path):
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
            return None, lines[-1] if lines else f"status {done.returncode}"
        with np.load(path) as arrays:
            return {name: arrays[name] for name in arrays.files}, ""


def run_package(package, path):
    import coreai.authoring as authoring

    async def go():
        async with authoring.AIModelAsset.load(package).executable() as model:
            results = await model.load_function("main")({}, {})
            return {name: value.numpy() for name, value in results.items()}

    outputs = asyncio.run(go())
    np.savez(path, **{name: value.astype(np.float32) for name, value in outputs.items()
                      if value.dtype.kind in "fiub" or value.dtype.name in ("bfloat16",)})


class Subjects:
    """Packages with the output that shows each weight."""

    def __init__(self, cli, folder):
        self.all = []
        for package in sorted(glob.glob(os.path.join(folder, "*", "*.aimodel"))):
            expected = os.path.join(os.path.dirname(package), "expected.json")
            if not os.path.exists(expected) or os.path.getsize(package + "/main.mlirb") > 200_000:
                continue
            said = cli.inspect(package)
            main = [f for f in said.get("functions", []) if f["name"] == "main"]
            if not main or main[0]["inputs"]:
                continue
            outputs, _ = runtime_outputs(package)
            if not outputs:
                continue
            shown = {}
            for weight in said["weights"]:
                if weight["dtype"] not in ("fp16", "fp32"):
                    continue
                values = cli.values(package, weight["address"])
                same = [name for name, output in outputs.items() if equal(values, output)]
                if len(same) == 1:
                    shown[weight["address"]] = (weight, same[0])
            if shown:
                self.all.append((package, shown))

    def pick(self, rng):
        package, shown = rng.choice(self.all)
        address = rng.choice(sorted(shown))
        return package, address, *shown[address]


def random_edit(rng, weight, address):
    flat = rng.randrange(max(1, weight["elements"]))
    index = np.unravel_index(flat, weight["shape"]) if weight["shape"] else ()
    where = ",".join(map(str, index)) if index else "0"
    value = f"{rng.uniform(-2, 2):.3f}"
    choices = [["--set", f"{address}[{where}]={value}", "--tolerance", "1000"]]
    for part in weight["parts"]:
        count = int(np.prod(part["shape"])) if part["shape"] else 1
        if part["role"] == "scale" and part["dtype"].startswith("fp"):
            choices.append(["--scale", f"{address}[{rng.randrange(count)}]={rng.uniform(0.01, 1):.3f}",
                            "--tolerance", "1000"])
        if part["role"] == "lut" and weight["form"].startswith("lut"):
            choices.append(["--set-stored", f"{address}:lut[{rng.randrange(count)}]={rng.randrange(1, 64)}"])
        if part["role"] in ("indices", "data") and "int" in part["dtype"]:
            choices.append(["--set-stored", f"{address}:{part['role']}[{rng.randrange(count)}]={rng.randrange(2)}"])
    return rng.choice(choices)


def compare(cli, package, shown):
    """Differences between what the runtime computes and what Kernscope says."""
    outputs, why = runtime_outputs(package)
    if outputs is None:
        return [f"not run: {why}"]
    return [f"{address}: other values" for address, (_, output) in shown.items()
            if not equal(cli.values(package, address), outputs[output])]


def coreai(cli, folder, edits, encodings):
    rng = random.Random(34)
    subjects = Subjects(cli, folder)
    print(f"{len(subjects.all)} packages, {sum(len(s) for _, s in subjects.all)} weights that an output shows")
    wrong = 0
    for kind, wanted in (("edits", edits), ("encodings", encodings)):
        done = refused = different = 0
        reasons = {}
        while done < wanted and refused < 20 * wanted:
            package, address, weight, _ = subjects.pick(rng)
            shown = dict(subjects.all)[package]
            with tempfile.TemporaryDirectory() as scratch:
                made = os.path.join(scratch, "made.aimodel")
                if kind == "edits":
                    options = random_edit(rng, weight, address)
                    if rng.random() < 0.5:
                        shutil.copytree(package, made)
                        subprocess.run(["chmod", "-R", "u+w", made], check=True)
                        command = ["patch", made, *options, "--in-place"]
                    else:
                        command = ["patch", package, *options, "-o", made]
                else:
                    options = rng.choice(FORMS)
                    command = ["encode", package, address, *options, "-o", made]
                status, _, error = cli.run(*command)
                if status != 0:
                    refused += 1
                    first = error.splitlines()[0] if error else str(status)
                    reasons[first[-90:]] = reasons.get(first[-90:], 0) + 1
                    continue
                done += 1
                for difference in compare(cli, made, shown):
                    different += 1
                    print(f"  {os.path.basename(package)} {' '.join(options)}: {difference}")
        print(f"coreai: {done} {kind}, {different} differences ({refused} were refused)")
        for reason, count in sorted(reasons.items(), key=lambda each: -each[1])[:6]:
            print(f"    refused {count}: {reason}")
        wrong += different + (done < wanted)
    return wrong


def coremltools_values(package):
    """What coremltools' own loader and decompression make of each constant, by function/name."""
    from coremltools.converters.mil.frontend.milproto import load
    from coremltools.models.utils import load_spec

    spec = load_spec(package)
    program = load.load(spec, specification_version=spec.specificationVersion,
                        file_weights_dir=os.path.join(package, "Data/com.apple.CoreML/weights"))
    values = {}

    def walk(block, function):
        for operation in block.operations:
            for inner in operation.blocks:
                walk(inner, function)
            if operation.op_type.startswith("constexpr_"):
                made = operation.materialized_val_inference()
                made = made if isinstance(made, (tuple, list)) else [made]
            elif operation.op_type == "const":
                made = [operation.outputs[0].val]
            else:
                continue
            for output, value in zip(operation.outputs, made):
                if operation.op_type != "const":  # the next constexpr operation reads it there
                    output._sym_val = output.sym_type()
                    output._sym_val.val = value
                values[f"{function}/{output.name}"] = value

    for name, function in program.functions.items():
        walk(function, name)
    return values


def loaded(cli, made):
    """How many weights of a package coremltools reads as Kernscope does, and what it reads otherwise."""
    compared, faults = 0, []
    try:
        theirs = coremltools_values(made)
        for each in cli.weights(made):
            value = theirs.get(each["address"])
            if value is None:
                continue
            compared += 1
            if not equal(cli.values(made, each["address"]), np.asarray(value)):
                faults.append(f"{each['address']}: other values")
    except Exception as fault:  # whatever its loader says
        faults.append(str(fault))
    return compared, faults


def coreml(cli, folder, encodings):
    rng = random.Random(34)
    packages = sorted(glob.glob(os.path.join(folder, "*.mlpackage")))
    done = refused = different = compared = converted = 0

    def judge(made, what):
        nonlocal compared, different
        some, faults = loaded(cli, made)
        compared += some
        if faults:
            different += 1
            print(f"  {what}: {faults[0]}")

    for package in packages:
        with tempfile.TemporaryDirectory() as scratch:
            made = os.path.join(scratch, "made.mlpackage")
            if cli.run("convert", package, "--to", "fp16", "-o", made)[0] == 0:
                converted += 1
                judge(made, f"{os.path.basename(package)} convert")
    while packages and done < encodings and refused < 20 * encodings:
        package = rng.choice(packages)
        weight = rng.choice(cli.weights(package))
        with tempfile.TemporaryDirectory() as scratch:
            made = os.path.join(scratch, "made.mlpackage")
            options = rng.choice(FORMS)
            status, _, error = cli.run("encode", package, weight["address"], *options, "-o", made)
            if status != 0 or "encode.operand" in error:  # said: coremltools cannot load that one
                refused += 1
                continue
            done += 1
            judge(made, f"{os.path.basename(package)} {weight['address']} {' '.join(options)}")
    print(f"coreml: {converted} conversions, {done} encodings, {compared} weights compared, {different} differences "
          f"({refused} were refused)")
    return different + (compared == 0)


def main():
    if sys.argv[1] == "run":
        run_package(sys.argv[2], sys.argv[3])
        return 0
    cli = Cli(sys.argv[2])
    if sys.argv[1] == "coreai":
        return 1 if coreai(cli, sys.argv[3], int(sys.argv[4]), int(sys.argv[5])) else 0
    return 1 if coreml(cli, sys.argv[3], int(sys.argv[4])) else 0


sys.exit(main())
