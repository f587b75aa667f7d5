# SPDX-License-Identifier: GPL-3.0-or-later
import doctest
import io
import pickle
import shutil
import struct
import zlib
from pathlib import Path

import numpy
import pytest

import kernscope


def bundles(folder):
    return sorted(folder.glob("bundles/*.mlmodelc")) + sorted(folder.glob("real/silero-vad/*.mlmodelc"))[:3]


def test_examples_of_the_documentation(sample):
    result = doctest.testmod(kernscope, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0 and result.attempted > 20


def test_the_example_with_tqdm(sample, capsys):
    tqdm = pytest.importorskip("tqdm")
    text = kernscope.__doc__.replace("# doctest: +SKIP", "")
    example = doctest.DocTestParser().get_doctest(text + "\n    >>> bar.n\n    1.0\n", {"tqdm": tqdm}, "tqdm", None, 0)
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example)
    assert result.failed == 0, capsys.readouterr().out


def test_values_are_those_of_the_command_line(sample, cli, tmp_path):
    for path in kernscope.write_sample(tmp_path / "other"):
        bundle = kernscope.open(path)
        assert len(bundle.weights) > 0
        for name, weight in bundle.weights.items():
            status, npy = cli("decode", path, name, "--as", "fp32", "--format", "npy", "-o", "-", document=False)
            assert status == 0
            assert numpy.array_equal(weight.values(), numpy.load(io.BytesIO(npy)))


def test_data_values_and_info_are_those_of_the_command_line(data, cli):
    tried = 0
    for path in bundles(data):
        bundle = kernscope.open(path)
        _, document = cli("inspect", path)
        assert bundle.inspect()["weights"] == document["weights"]
        for name, row in zip(bundle.weights, document["weights"]):
            assert bundle.weights[name].info() == row
        name, weight = next(iter(bundle.weights.items()))
        _, npy = cli("decode", path, name, "--as", "fp32", "--format", "npy", "-o", "-", document=False)
        assert numpy.array_equal(weight.values(), numpy.load(io.BytesIO(npy)))
        tried += 1
    assert tried >= 5


def test_containers_of_other_kinds(data, cli, sample):
    """Names, values and stored parts of a package, a container, a Core AI asset and a checkpoint."""
    status, _ = cli("decode", "sample-dense.mlmodelc", "--all", "-o", "sample.safetensors")
    assert status == 0
    coreai = sorted((data / "../peers/coreai/lut4-group8").glob("*.aimodel"))
    for path in [data / "real/basic-pitch/nmp.mlpackage", sample / "sample.safetensors",
                 data / "real/hwx/conv-ebc7f8305c.hwx", *coreai]:
        bundle = kernscope.open(path)
        assert bundle.kind == path.suffix[1:] and len(bundle.weights) > 0
        weight = bundle.weights[0]
        _, npy = cli("decode", path, weight.name, "--as", "fp32", "--format", "npy", "-o", "-", document=False)
        assert numpy.array_equal(weight.values(), numpy.load(io.BytesIO(npy))), path
        assert weight.stored() and all(not view.flags.writeable for part in weight.stored().values()
                                       for view in (part if isinstance(part, tuple) else (part,)))


def test_stored_parts_are_views_of_the_file(sample):
    file = (sample / "sample-palette.mlmodelc/weights/weight.bin").read_bytes()
    weight = kernscope.open("sample-palette.mlmodelc").weights["conv1_weight"]
    parts = {part["role"]: part for part in weight.info()["parts"]}
    stored = weight.stored()
    assert set(stored) == {"indices", "lut"}
    for role, view in stored.items():
        assert not view.flags.owndata and not view.flags.writeable
        with pytest.raises(ValueError):
            view.flat[0] = 1
        at = parts[role]["data_offset"]
        assert view.tobytes() == file[at:at + view.nbytes]
    codes = stored["indices"]
    nibbles = numpy.stack([codes & 15, codes >> 4], axis=1).reshape(weight.shape)
    assert numpy.array_equal(stored["lut"].reshape(-1)[nibbles].astype("float32"), weight.values())


def test_a_view_outlives_its_bundle(sample):
    view = kernscope.open("sample-dense.mlmodelc").weights["conv1_weight"].stored()["data"]
    assert view.dtype == numpy.float16 and numpy.isfinite(view).all()


def test_a_sparse_weight_is_its_mask_and_its_values(sample):
    weight = kernscope.open("sample-sparse.mlmodelc").weights["conv2_weight"]
    stored = weight.stored()
    mask = numpy.unpackbits(stored["mask"].reshape(-1).view(numpy.uint8), bitorder="little")
    mask = mask[:numpy.prod(weight.shape)].reshape(weight.shape).astype(bool)
    made = numpy.zeros(weight.shape, "float32")
    made[mask] = stored["nonzero_data"].reshape(-1)
    assert numpy.array_equal(made, weight.values())


def test_names(sample):
    weights = kernscope.open("sample-dense.mlmodelc").weights
    assert weights["conv1_weight"].name == weights["main/conv1_weight"].name == weights[0].name
    assert "conv1_weight" in weights and "conv9_weight" not in weights
    with pytest.raises(kernscope.NameUnknown) as failure:
        weights["conv1_wieght"]
    assert failure.value.code == "patch.weight" and "conv1_weight" in failure.value.expected
    assert weights[numpy.int64(1)].name == weights[1].name and len(weights) not in weights
    with pytest.raises(IndexError):
        weights[len(weights)]


def test_errors_say_where(sample):
    with pytest.raises(kernscope.FileError) as failure:
        kernscope.open("nothing.mlmodelc")
    assert isinstance(failure.value, OSError) and failure.value.code == "io.open"
    path = sample / "sample-dense.mlmodelc/weights/weight.bin"
    content = bytearray(path.read_bytes())
    content[64:68] = b"\0\0\0\0"  # the first record's sentinel
    path.write_bytes(content)
    bundle = kernscope.open("sample-dense.mlmodelc")
    row = next(row for row in bundle.diagnostics if row["severity"] == "error")
    assert (row["file"], row["offset"]) == ("weights/weight.bin", 64) and row["expected"] and row["found"]
    with pytest.raises(kernscope.KernscopeError) as failure:
        bundle.weights[0].values()
    error = pickle.loads(pickle.dumps(failure.value))
    assert (error.code, error.file, error.offset) == (row["code"], "weights/weight.bin", 64)


def test_a_file_that_changes_is_noticed(sample):
    bundle = kernscope.open("sample-dense.mlmodelc")
    with open(sample / "sample-dense.mlmodelc/weights/weight.bin", "r+b") as file:
        file.seek(128)
        file.write(b"\x01\x02")
    with pytest.raises(kernscope.FileError) as failure:
        bundle.weights[0].values()
    assert failure.value.code == "io.changed"


def test_find_findings_coverage(sample, cli):
    bundle = kernscope.open("sample-dense.mlmodelc")
    for what, pattern, more, options in (
            ("largest", "", {"count": 5}, ["--largest", "5"]),
            ("value", 0.25, {"tolerance": 0.01}, ["--value", "0.25", "--tolerance", "0.01"]),
            ("bytes", "ef be ?? de", {}, ["--bytes", "ef be ?? de"]),
            ("integer", "0xdeadbeef", {}, ["--integer", "0xdeadbeef"]),
            ("zeros", "", {"count": 2}, ["--zeros", "2"])):
        _, document = cli("find", "sample-dense.mlmodelc", *options)
        found = bundle.find(what, pattern, **more)
        found["path"] = document.get("path", found.get("path"))
        assert dict(found) == document, what
    with pytest.raises(kernscope.KernscopeError) as failure:
        bundle.find("zeroes")
    assert failure.value.code == "search.pattern" and "zeros" in failure.value.expected
    assert bundle.findings() == cli("inspect", "sample-dense.mlmodelc", "--findings")[1]["findings"]
    rows = {row["name"]: row for row in kernscope.open("sample-palette.mlmodelc").coverage()}
    row = rows["conv1_weight_palettized"]
    assert row["bits"] == 8 * row["stored_bytes"] / row["elements"] and 4 < row["bits"] < 5


def test_notebooks(sample):
    bundle = kernscope.open("sample-dense.mlmodelc")
    picture = bundle.weights[0].picture()
    width, height = struct.unpack(">II", picture[16:24])
    assert picture[:8] == b"\x89PNG\r\n\x1a\n" and width > 1 and height > 1
    assert zlib.crc32(picture[12:29]) == struct.unpack(">I", picture[29:33])[0]
    assert "data:image/png;base64," in bundle.weights[0]._repr_html_()
    assert bundle._repr_html_().count("<tr>") == len(bundle.weights) + 1
    page = kernscope.documents.table([{"<b>": "<script>"}])
    assert "&lt;script&gt;" in page and "<script>" not in page


def test_pandas(sample):
    pandas = pytest.importorskip("pandas")
    bundle = kernscope.open("sample-dense.mlmodelc")
    assert isinstance(bundle.frame(), pandas.DataFrame) and len(bundle.frame()) == len(bundle.weights)


def test_a_bundle_pickles_as_its_path(sample, tmp_path_factory, monkeypatch):
    pickled = pickle.dumps(kernscope.open("sample-dense.mlmodelc"))
    monkeypatch.chdir(tmp_path_factory.mktemp("of another worker"))
    bundle = pickle.loads(pickled)
    assert bundle.weights["conv1_weight"].values().any()


def test_assess_and_diff_are_the_documents_of_the_command_line(sample, cli):
    a, b = "sample-dense.mlmodelc", "sample-palette.mlmodelc"
    _, document = cli("decide", b, "--target", "M1")
    assert dict(kernscope.assess(b, "M1")) == document
    with pytest.raises(kernscope.NameUnknown):
        kernscope.assess(b, "M99")
    status, document = cli("diff", a, b, "--values")
    found = kernscope.diff(a, b)
    assert dict(found) == document and (status, found.holds) == (1, False)
    assert kernscope.diff(a, a).holds
    rules = "[[weight]]\nmatch = \"*\"\nmin-cosine = 0.5\n"
    assert kernscope.diff(a, b, rules=rules).holds
    (sample / "rules.toml").write_text(rules.replace("0.5", "0.9999999"))
    assert not kernscope.diff(a, b, rules=sample / "rules.toml").holds
    with pytest.raises(kernscope.KernscopeError) as failure:
        kernscope.diff(a, b, rules="min-cosin = 1")
    assert failure.value.code == "diff.rules"
    (sample / "lr=0.1").mkdir()
    shutil.copy("rules.toml", "lr=0.1/limits.toml")
    assert not kernscope.diff(a, b, rules=Path("lr=0.1/limits.toml")).holds
    assert not kernscope.diff(a, b, rules="lr=0.1/limits.toml").holds
    for missing in ("none.toml", Path("x=1.toml")):
        with pytest.raises(kernscope.FileError) as failure:
            kernscope.diff(a, b, rules=missing)
        assert (failure.value.code, failure.value.file) == ("io.open", str(missing))
    again = pickle.loads(pickle.dumps(found))
    assert again == found and type(again) is kernscope.Comparison and again.holds is False
