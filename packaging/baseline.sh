#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""packaging/baseline.sh FOLDER [CLI]

Runs every reading command of kernscope-cli over the bundles in $KERNSCOPE_DATA (default
../shared/data) and in the folders samples and peers beside it, in every notation, and writes what each says,
with its exit status, into FOLDER: one file a run, named by input, command and notation. `diff -r`
of the folders of two builds shows what changed between them.

The inputs are only read. What commands write (reports, drawings, decoded values) goes to a
temporary folder; texts are kept in FOLDER, of binary files the SHA-256. plan and choose, which
encode every weight, run on bundles of at most 64 KiB and, with few forms, on one of silero-vad.
Takes a few minutes on two cores. CLI defaults to .build/test/app/cli/kernscope-cli.
"""
import hashlib, json, os, re, shutil, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

if len(sys.argv) not in (2, 3) or sys.argv[1] in ("-h", "--help"):
    print(__doc__)
    sys.exit(0 if "--help" in sys.argv or "-h" in sys.argv else 2)
ROOT = Path(__file__).resolve().parent.parent
OUT = Path(sys.argv[1]).resolve()
CLI = str(Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / ".build/test/app/cli/kernscope-cli").resolve())
DATA = Path(os.environ.get("KERNSCOPE_DATA", ROOT.parent / "shared/data")).resolve()
SMALL, JOBS, SECONDS = 64 * 1024, 2, 120
TEXTS = (".html", ".md", ".json", ".csv", ".svg", ".dot", ".xml", ".txt", ".kpatch")

if not DATA.is_dir():
    sys.exit(f"{DATA}: no such folder (KERNSCOPE_DATA)")
if OUT.exists() and any(OUT.iterdir()):
    sys.exit(f"{OUT} is not empty")
OUT.mkdir(parents=True, exist_ok=True)
work = Path(tempfile.mkdtemp(prefix="kernscope-baseline-"))
for link, folder in (("data", DATA), ("samples", DATA.parent / "samples"), ("peers", DATA.parent / "peers")):
    if folder.is_dir():
        (work / link).symlink_to(folder)
environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(work), "TZ": "UTC"}


def call(arguments):
    done = subprocess.run([CLI, *arguments], cwd=work, env=environment, timeout=SECONDS,
                          stdin=subprocess.DEVNULL, capture_output=True)
    return done.returncode, done.stdout, done.stderr


def run(job):
    name, arguments, outputs = job
    try:
        status, said, complained = call(arguments)
    except subprocess.TimeoutExpired:
        status, said, complained = "none", b"", f"not done within {SECONDS} s\n".encode()
    with open(OUT / name, "wb") as file:
        file.write(f"$ {' '.join(arguments)}\nexit {status}\n".encode() + said)
        if complained:
            file.write(b"--- standard error\n" + complained)
        for output in outputs:
            path = work / output
            if not path.exists():
                continue
            file.write(f"--- {output}\n".encode())
            if path.is_dir():
                for each in sorted(p for p in path.rglob("*") if p.is_file()):
                    digest = hashlib.sha256(each.read_bytes().replace(str(work).encode(), b"")).hexdigest()
                    file.write(f"{digest} {each.relative_to(path)}\n".encode())
            elif path.suffix in TEXTS:
                file.write(path.read_bytes())
            else:
                file.write((hashlib.sha256(path.read_bytes()).hexdigest() + "\n").encode())


jobs, names = [], set()


def add(input_name, command, *arguments, outputs=()):
    name = re.sub(r"[^A-Za-z0-9._+=-]+", "_", f"{input_name}--{command}")
    assert name not in names, name
    names.add(name)
    jobs.append((name, [str(each) for each in arguments], list(outputs)))


def both(input_name, command, *arguments):
    add(input_name, command + ".txt", *arguments)
    add(input_name, command + ".json", *arguments, "--json")


def produced(input_name, command, suffix, option, *arguments):
    """A command that writes a file of that suffix by that option."""
    made = re.sub(r"[^A-Za-z0-9._+=-]+", "_", f"{input_name}--{command}{suffix}")
    add(input_name, command + suffix, *arguments, option, made, outputs=[made])


def inputs():
    suffixes = {".mlmodelc", ".mlpackage", ".mlmodel", ".aimodel", ".aimodelx", ".safetensors", ".npz", ".mil"}
    found = []
    for top in ("data", "samples"):
        for folder, folders, files in os.walk(work / top, followlinks=True):
            here = Path(folder).relative_to(work)
            found += [here / each for each in folders + files if Path(each).suffix in suffixes]
            folders[:] = sorted(each for each in folders if Path(each).suffix not in suffixes)
    return sorted(found)


def size(path):
    whole = work / path
    if whole.is_file():
        return whole.stat().st_size
    return sum(each.stat().st_size for each in whole.rglob("*") if each.is_file())


def label(path):
    return re.sub(r"^(data/real|data/bundles|samples/cases|samples)/", "", str(path))


def weights(path):
    """At most four weights of a bundle, each of another form: address, and the slice of all of it."""
    try:
        document = json.loads(call(["inspect", str(path), "--json"])[1])
    except (ValueError, subprocess.TimeoutExpired):
        return []
    by_form = {}
    for weight in document.get("weights", []):
        whole = ",".join(":" for _ in weight.get("shape", []))
        by_form.setdefault(weight.get("form"), (weight["address"], whole))
    return list(by_form.values())[:4]


def of_bundle(path):
    name = label(path)
    both(name, "inspect", "inspect", path)
    both(name, "inspect-stats", "inspect", path, "--stats", "--hash", "--sections")
    both(name, "findings", "inspect", path, "--findings")
    both(name, "where", "inspect", path, "--where", "bytes>1000 folds:M1")
    produced(name, "inspect", ".html", "-o", "inspect", path)
    both(name, "bytes", "bytes", path, "0x40", "--count", "4")
    for target in ("M1", "H17"):
        both(name, f"decide-{target}", "decide", path, "--target", target)
    both(name, "decide-all", "decide", path, "--all-targets")
    both(name, "geometry", "geometry", path)
    both(name, "roofline", "roofline", path)
    both(name, "roofline-M4", "roofline", path, "--target", "M4", "--batch", "4")
    both(name, "graph", "graph", path)
    produced(name, "graph", ".svg", "--svg", "graph", path)
    produced(name, "graph", ".dot", "--dot", "graph", path)
    both(name, "calibrate", "calibrate", path)
    produced(name, "decode", ".safetensors", "-o", "decode", path, "--all")
    both(name, "find-zeros", "find", path, "--zeros", "4", "--limit", "40")
    both(name, "find-largest", "find", path, "--largest", "5")
    both(name, "find-range", "find", path, "--out-of-range")
    both(name, "find-text", "find", path, "--text", "conv", "--limit", "20")
    for number, (weight, whole) in enumerate(weights(path)):
        both(name, f"weight{number}", "weight", path, weight)
        both(name, f"weight{number}-bytes", "bytes", path, weight, "--count", "3")
        for table in ("parts", "histogram", "codebook", "scales", "density"):
            add(name, f"weight{number}-{table}.csv", "weight", path, weight, "--csv", table)
        both(name, f"graph{number}", "graph", path, weight, "--hops", "1")
        produced(name, f"decode{number}", ".csv", "-o", "decode", path, weight, "--rows", "0:1")
        produced(name, f"decode-json{number}", ".npy", "-o", "decode", path, weight, "--json")
        both(name, f"patch{number}", "patch", path, "--drop", f"{weight}[0]", "--dry-run")
        both(name, f"set{number}", "patch", path, "--fill", f"{weight}[{whole}]=0", "--tolerance", "10",
             "--dry-run")
    if size(path) <= SMALL:
        both(name, "choose", "choose", path, "--tolerance", "0.05")
        of_plan(path, "plan", "--target", "M1", "--target", "M4", "--tolerance", "0.05")
        for form in (["palette", "--bits", "4"], ["affine", "--zero-point"], ["sparse", "--density", "0.5"]):
            produced(name, f"encode-{form[0]}", ".mlpackage", "-o", "encode", path, "--all", "--skip-refused",
                     "--json", "--form", *form)
        produced(name, "encode", ".mlpackage", "-o", "encode", path, "--all", "--skip-refused", "--form", "affine")
        produced(name, "convert", ".mlpackage", "-o", "convert", path, "--to", "fp16")
        produced(name, "convert-json", ".mlpackage", "-o", "convert", path, "--to", "fp16", "--json")
        produced(name, "decode-json", ".safetensors", "-o", "decode", path, "--all", "--json")
        for form in ("stored", "palette"):
            produced(name, f"section-{form}", ".ksec", "-o", "section", "build", path, "--form", form)
            produced(name, f"section-json-{form}", ".ksec", "-o", "section", "build", path, "--form", form, "--json")


def of_plan(path, command, *options):
    name = label(path)
    both(name, command, "plan", path, *options)
    add(name, command + ".csv", "plan", path, *options, "--format", "csv")
    add(name, command + "-candidates.json", "plan", path, *options, "--candidates", "--json")
    for suffix in (".html", ".md", ".json", ".csv"):
        produced(name, command + "-report", suffix, "--report", "plan", path, *options)


def of_pair(a, b, *more):
    name = f"{label(a)}+{label(b)}" + "".join("+" + label(each) for each in more)
    paths = [a, b, *more]
    both(name, "diff", "diff", *paths)
    everything = ["--values", "--check-forms", "--worst", "5", "--channels", "--histograms", "--ranges", "--codebooks"]
    both(name, "diff-everything", "diff", *paths, *everything)
    for form in ("junit", "markdown", "html", "csv", "changes"):
        add(name, f"diff.{form}", "diff", *paths, "--values", "--format", form)
    for form in ("markdown", "html", "csv"):
        add(name, f"diff-everything.{form}", "diff", *paths, *everything, "--format", form)
    limits = ["--max-abs", "0.01", "--min-cosine", "0.999", "--min-snr", "30"]
    both(name, "diff-limits", "diff", *paths, *limits)
    for form in ("junit", "markdown", "html", "csv"):
        add(name, f"diff-limits.{form}", "diff", *paths, *limits, "--format", form)
    both(name, "diff-order", "diff", *paths, "--same-program", "--order", "a")


def of_containers():
    containers = sorted(each.relative_to(work) for each in (work / "data/real/hwx").glob("*.hwx"))
    for path in containers:
        name = label(path)
        for command, options in (("hwx", []), ("hwx-short", ["--no-registers"]), ("hwx-load", ["--load-at", "0x10000"])):
            both(name, command, "hwx", path, *options)
        both(name, "inspect", "inspect", path, "--sections", "--findings")
        produced(name, "inspect", ".html", "-o", "inspect", path)
        both(name, "bytes", "bytes", path, "0x4000", "--count", "3")
        both(name, "activation", "activation", path, "--input", "0.5", "--input", "-3")
        add(name, "descriptor.json", "descriptor", "--image", path, "--json")
        both(name, "calibrate", "calibrate", path)
        both(name, "decide", "decide", path)
        both(name, "find", "find", path, "--integer", "64", "--limit", "20")
    for a, b in zip(containers, containers[1:]):
        both(f"{label(a)}+{label(b)}", "hwx-diff", "hwx", a, "--diff", b)
        of_pair(a, b)
    if containers:
        both("hwx", "survey", "hwx", containers[0], "--survey", containers[0].parent)


def of_chips():
    for target in ("H13", "H14", "H15", "H16", "H17", "H18"):
        both(target, "targets", "targets", "--target", target)
        both(target, "targets-bytes", "targets", "--target", target, "--bytes")
        both(target, "formats", "formats", "--target", target)
        both(target, "descriptor", "descriptor", "--target", target)
        both(target, "descriptor-formats", "descriptor", "--target", target, "--formats", "fp16,fp16,fp16")
        both(target, "descriptor-word", "descriptor", "--target", target, "--word", "0x21")
        both(target, "calibrate", "calibrate", "--target", target)
        both(target, "geometry", "geometry", "--target", target, "--channels", "64:128", "--kernel", "3x3",
             "--output-size", "56x56", "--weight-bits", "4")
    both("chips", "facts", "formats", "--facts", "all")
    for command in ("targets", "formats", "calibrate", "descriptor"):
        both("chips", f"{command}-all", command)
    both("chips", "reduce", "reduce", "4096", "1*1024", "0.1*40")
    both("chips", "reduce-e4m3", "reduce", "4096", "1*1024", "--to", "e4m3")
    both("chips", "collective", "collective")
    both("chips", "collective-mesh", "collective", "--mesh", "2x4", "--die-axis", "1", "--engines", "4", "--device",
         "1,2", "--index", "3", "--members", "1,2", "--tensor", "8x16", "--shard", "0:1")
    both("chips", "collective-reduction", "collective", "--reduction-type", "1", "--data-type", "2")
    for record in sorted((work / "data/vectors/activation").glob("*.bin")):
        path = record.relative_to(work)
        both(record.name, "activation", "activation", path, "--at", "0", "--input", "0.25", "--layout", "device")
    both("program", "selftest", "selftest")
    both("program", "recover", "recover", "data", "--dry-run")
    commands = ("inspect weight bytes decode diff graph find patch recover encode convert quantize relayout dequantize hwx "
                "decide geometry roofline choose plan reduce calibrate targets formats collective descriptor "
                "activation section selftest").split()
    for command in commands:
        add("program", f"help-{command}.txt", command, "--help")
        add("program", f"wrong-{command}.json", command, "no-such-file", "--json")
        add("program", f"wrong-{command}.txt", command, "--no-such-option")
    for command in ("build", "list", "relocate", "strip"):
        add("program", f"help-section-{command}.txt", "section", command, "--help")
    add("program", "help.txt", "--help")
    add("program", "version.txt", "--version")


def of_made_files():
    """After the first round: sections and arrays that it wrote."""
    for path in sorted(work.glob("*.ksec")):
        if "section-json" in path.name:
            continue
        both(path.name, "list", "section", "list", path.name)
        both(path.name, "inspect", "inspect", path.name, "--sections")
        both(path.name, "decide", "decide", path.name)
        produced(path.name, "relocate", ".bin", "-o", "section", "relocate", path.name, "--base", "0x100000",
                 "--input-tile", "0x1000", "--output-tile", "0x2000", "--json")
    arrays = sorted((work / "samples/cases").rglob("*.npy"))
    for path in (each.relative_to(work) for each in arrays):
        for form in ("mxfp8", "int8"):
            both_made = f"{label(path)}-{form}"
            produced(both_made, "quantize", ".q", "-o", "quantize", path, "--format", form, "--json")
            produced(both_made, "quantize-text", ".q", "-o", "quantize", path, "--format", form)


def of_made_folders():
    """After the second round. Each notation has a folder of its own, for both write into it."""
    for path in sorted(work.glob("*--quantize-text.q")):
        add(path.name, "dequantize.txt", "dequantize", path.name)
    for path in sorted(work.glob("*--quantize.q")):
        add(path.name, "dequantize.json", "dequantize", path.name, "--json")
        produced(path.name, "relayout", ".q", "-o", "relayout", path.name, "--layout", "nz", "--json")


def of_peers():
    """Packages of other tools: Core AI, compiled programs, and packages beside their checkpoints."""
    peers = work / "peers"
    for path in sorted(peers.glob("coreai/*/*.aimodel")):
        here = path.relative_to(work)
        name = label(here)
        both(name, "inspect", "inspect", here, "--stats", "--sections")
        both(name, "findings", "inspect", here, "--findings", "--coverage", "--expect", "*=palette4")
        both(name, "decide", "decide", here)
        both(name, "roofline", "roofline", here)
        for number, (weight, _) in enumerate(weights(here)):
            both(name, f"weight{number}", "weight", here, weight)
    for path in sorted(peers.glob("odix/*/*.aimodelx")):
        both(label(path.relative_to(work)), "odix", "odix", path.relative_to(work))
        both(label(path.relative_to(work)), "survey", "survey", path.relative_to(work))
    checkpoints = [each.relative_to(work) for each in sorted(peers.glob("audit/checkpoints/*.safetensors"))]
    for path in sorted(peers.glob("audit/*/*.*")):
        if path.suffix in (".aimodel", ".mlpackage"):
            for checkpoint in checkpoints:
                both(label(path.relative_to(work)), f"audit-{checkpoint.stem}", "audit", path.relative_to(work),
                     "--against", checkpoint)


def all_jobs(fill):
    jobs.clear()
    fill()
    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(run, jobs))


def first_round():
    bundles = inputs()
    for path in bundles:
        of_bundle(path)
    folders = {}
    for path in bundles:
        folders.setdefault(path.parent, []).append(path)
    for beside in folders.values():
        for a, b in zip(beside, beside[1:]):
            of_pair(a, b)
        if len(beside) > 2:
            of_pair(*beside[:3])
    for path in bundles:
        if path.name == "unified_int8.mlmodelc":
            of_plan(path, "plan-few", "--target", "M1", "--forms", "keep", "--forms", "dense", "--forms", "int8")
    of_containers()
    of_chips()
    of_peers()


try:
    all_jobs(first_round)
    all_jobs(of_made_files)
    all_jobs(of_made_folders)
finally:
    shutil.rmtree(work, ignore_errors=True)
print(f"{len(names)} runs in {OUT}")
