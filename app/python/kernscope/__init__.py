# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernscope: what compiled neural-network weights hold, how they are stored, what changed.

    >>> import kernscope
    >>> bundle = kernscope.open("sample-palette.mlmodelc")
    >>> weight = bundle.weights[0]
    >>> weight.values().dtype, weight.values().shape == weight.shape
    (dtype('float32'), True)
    >>> kernscope.diff("sample-dense.mlmodelc", "sample-sparse.mlmodelc").holds
    False

The bundles of the examples are those that `write_sample` makes. Answers are plain dictionaries, the
documents of `kernscope-cli COMMAND --json`. Long work takes `progress`, a function that is called
with 0.0 to 1.0; Ctrl-C stops it, and nothing is written then.

    >>> bar = tqdm.tqdm(total=1)  # doctest: +SKIP
    >>> found = bundle.findings(progress=lambda share: bar.update(share - bar.n))  # doctest: +SKIP
"""
from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import (Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, SupportsIndex, Tuple,
                    Union)

import numpy

from . import _core
from .documents import Comparison, Decisions, Document, Hits, PlanDocument, frame, table
from .errors import FileError, KernscopeError, KernscopeWarning, NameUnknown

__all__ = ["Bundle", "Comparison", "Decisions", "Document", "FileError", "Hits", "KernscopeError",
           "KernscopeWarning", "NameUnknown", "PlanDocument", "Weight", "assess", "convert", "diff", "encode",
           "open", "patch", "plan", "write_sample"]
__version__: str = _core.version()

Progress = Optional[Callable[[float], Any]]
BundleOrPath = Union["Bundle", str, "os.PathLike[str]"]


class Weight:
    """One weight of a bundle.

        >>> weight = open("sample-palette.mlmodelc").weights[0]
        >>> weight.info()["form"]
        'lut'
        >>> sorted(weight.stored())
        ['indices', 'lut']
    """

    def __init__(self, bundle: "Bundle", index: int, name: str) -> None:
        self.bundle, self.index, self.name = bundle, index, name

    @property
    def shape(self) -> Tuple[int, ...]:
        """Extents, outermost first; () of a scalar."""
        return tuple(self.bundle._core.shape(self.index))

    def values(self, progress: Progress = None) -> "numpy.ndarray[Any, Any]":
        """The decoded elements as a float32 array of its own, in the weight's shape.

            >>> weight = open("sample-dense.mlmodelc").weights[0]
            >>> bool((weight.values().astype("float16") == weight.stored()["data"]).all())
            True
        """
        return self.bundle._core.values(self.index, progress)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> "numpy.ndarray[Any, Any]":
        values = self.values()
        return values if dtype is None else values.astype(dtype)

    def stored(self) -> Dict[str, Any]:
        """The stored parts by role ("data", "indices", "lut", "mask", "nonzero_data", "scale", …):
        read-only views of the mapped file, without a copy. Elements that NumPy has no type for
        (4-bit indices, bf16, fp8) are bytes, packed with the first element in the lowest bits;
        `info()["parts"]` says what they are. What a container has in pieces is a tuple of views,
        and a second part of the same role is called "scale_2".

            >>> codes = open("sample-palette.mlmodelc").weights[0].stored()["indices"]
            >>> codes.flags.writeable, codes.dtype
            (False, dtype('uint8'))
        """
        parts: Dict[str, Any] = {}
        for part in self.bundle._core.stored(self.index):
            role, number = part["role"], 2
            while role in parts:
                role, number = f"{part['role']}_{number}", number + 1
            parts[role] = part["views"][0] if len(part["views"]) == 1 else tuple(part["views"])
        return parts

    def info(self, figures: bool = False, progress: Progress = None) -> Dict[str, Any]:
        """Name, form, shape, parts with their places, consumers: as `inspect --json` has it. With
        `figures` also share of zeros, least, largest and mean value."""
        return json.loads(self.bundle._core.info(self.index, figures, progress))

    def picture(self, progress: Progress = None) -> bytes:
        """The values as a PNG file, from blue (low) to orange (high)."""
        return self.bundle._core.picture(self.index, progress)

    def __repr__(self) -> str:
        return f"<kernscope.Weight {self.name} {list(self.shape)}>"

    def _repr_html_(self) -> str:
        import base64

        facts = {key: value for key, value in self.info(figures=True).items() if not isinstance(value, (list, dict))}
        facts["shape"] = list(self.shape)
        try:
            image = base64.b64encode(self.picture()).decode()
        except KernscopeError:  # one that cannot be drawn
            image = ""
        drawn = f'<img alt="values" src="data:image/png;base64,{image}">' if image else ""
        return table([{"": key, self.name: value} for key, value in facts.items()], ["", self.name]) + drawn


class Weights(Mapping[str, Weight]):
    """The weights of a bundle: by name, or by number in the bundle's order.

        >>> weights = open("sample-dense.mlmodelc").weights
        >>> weights[list(weights)[0]].name == weights[0].name
        True
    """

    def __init__(self, bundle: "Bundle") -> None:
        self._bundle = bundle
        self._names: List[str] = bundle._core.names()

    def __getitem__(self, name: Union[str, SupportsIndex]) -> Weight:
        index = self._bundle._core.index(name) if isinstance(name, str) else range(len(self._names))[name]
        return Weight(self._bundle, index, self._names[index])

    def __contains__(self, name: object) -> bool:
        try:
            self[name]  # type: ignore[index]
        except (LookupError, TypeError):
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Bundle:
    """A Core ML or Core AI bundle, a program, weight file, hardware container or checkpoint, as
    `open` or `patch`, `encode` and `plan` give it. It is immutable; those make new ones. A bundle
    without unsaved changes can be pickled, as its path."""

    def __init__(self, core: Any, document: Optional[Document] = None) -> None:
        self._core, self._absolute = core, os.path.abspath(core.path)
        self.weights = Weights(self)
        self.document = document
        """What `patch` or `encode` answered; None of a bundle that was opened."""

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def path(self) -> Path:
        return Path(self._core.path)

    @property
    def kind(self) -> str:
        """"mlmodelc", "mlpackage", "aimodel", "hwx", "safetensors", …"""
        return self._core.kind

    @property
    def modified(self) -> bool:
        """It holds changes that were not saved."""
        return self._core.modified

    @property
    def diagnostics(self) -> List[Dict[str, Any]]:
        """What is wrong with the files: severity, code, file, offset, expected, found, message."""
        return self._core.diagnostics()

    def inspect(self, progress: Progress = None) -> Document:
        """Everything of `inspect --json`: sections, weights, functions, totals.

            >>> open("sample-sparse.mlmodelc").inspect()["kind"]
            'mlmodelc'
        """
        return Document.of(self._core.inspect(False, progress))

    def findings(self, progress: Progress = None) -> List[Dict[str, Any]]:
        """What is worth a look: values that are not finite, constant channels, unused records, … All
        values are read."""
        return json.loads(self._core.inspect(True, progress))["findings"]

    def coverage(self) -> List[Dict[str, Any]]:
        """What was compressed: of each weight its form, elements, stored bytes and stored bits of an
        element; None where a part cannot be read.

            >>> [row["bits"] for row in open("sample-dense.mlmodelc").coverage()][:2]
            [16.0, 16.0]
        """
        return self._core.coverage()

    def find(self, what: str, pattern: Union[str, float, int] = "", *, weight: str = "", count: int = 1,
             tolerance: Optional[float] = None, width: int = 4, big_endian: bool = False,
             limit: int = 10_000, progress: Progress = None) -> Hits:
        """Places that hold something, as `find --json` has them. `what`: "bytes" ("ef be ?? de"),
        "text", "integer" (of `width` bytes), "value" (within `tolerance`), "nan", "infinite", "zeros"
        and "zero-bytes" (runs of at least `count`), "largest" (`count` of them), "out-of-range".

            >>> len(open("sample-dense.mlmodelc").find("largest", count=3)["hits"])
            3
        """
        search = _core.Search()
        search.what, search.pattern, search.weight, search.count = what, str(pattern), weight, count
        search.tolerance, search.width, search.big_endian, search.limit = tolerance, width, big_endian, limit
        return Hits.of(self._core.find(search, progress))  # type: ignore[return-value]

    def save(self, output: Union[None, str, "os.PathLike[str]"] = None, *, in_place: bool = False,
             replace: bool = False, backup: bool = False, break_links: bool = False,
             progress: Progress = None) -> Dict[str, Any]:
        """Writes a copy to `output`, or the changed bytes into the files themselves, and reads them
        back. A copy is whole or not there, and replaces a file only with `replace`; in place, exactly
        the changed bytes are written, behind a journal. Says which ranges were written."""
        target = _core.SaveTarget()
        target.in_place, target.replace, target.backup, target.break_links = in_place, replace, backup, break_links
        if output is not None:
            target.output = os.fspath(output)
        return self._core.save(target, progress)

    def frame(self) -> Any:
        """The weights as a pandas.DataFrame. ImportError where pandas is not installed."""
        return frame(self.inspect()["weights"])

    def __repr__(self) -> str:
        return f"<kernscope.Bundle {self.name} ({self.kind}), {len(self.weights)} weights>"

    def _repr_html_(self) -> str:
        columns = ["name", "form", "shape", "dtype", "stored_bytes", "ratio"]
        return f"<p>{self!r}</p>".replace("<kern", "&lt;kern").replace("ts></p>", "ts&gt;</p>") + table(
            self.inspect()["weights"], columns)

    def __reduce__(self) -> Any:
        if self.modified:
            raise TypeError("a bundle with unsaved changes cannot be pickled: save it first")
        return open, (self._absolute,)


def open(path: Union[str, "os.PathLike[str]"], progress: Progress = None) -> Bundle:  # noqa: A001
    """Opens a bundle by its content: tables are read, values are not. A damaged one opens as well,
    with `diagnostics`. A save that was interrupted is a KernscopeWarning.

        >>> open("sample-dense.mlmodelc")
        <kernscope.Bundle sample-dense.mlmodelc (mlmodelc), ...
    """
    bundle = Bundle(_core.open(os.fspath(path), progress))
    for row in bundle.diagnostics:
        if row["code"].startswith("journal."):
            warnings.warn(f"{row['message']} [{row['code']}]", KernscopeWarning, stacklevel=2)
    return bundle


def _opened(bundle: BundleOrPath) -> Bundle:
    return bundle if isinstance(bundle, Bundle) else open(bundle)


def diff(a: BundleOrPath, b: BundleOrPath, *, values: bool = True, forms: bool = False,
         rules: Union[None, str, "os.PathLike[str]"] = None, max_abs: Optional[float] = None,
         min_cosine: Optional[float] = None, min_snr: Optional[float] = None, same_program: bool = False,
         progress: Progress = None) -> Comparison:
    """Pairs the weights of two builds and compares program, stored bytes and values. `rules`: a file
    of limits, or its text (TOML); `.holds` says whether all are kept.

        >>> found = diff("sample-dense.mlmodelc", "sample-palette.mlmodelc", rules="min-cosine = 0.9")
        >>> found.holds, found["identical"]
        (True, False)
    """
    wanted = _core.DiffWanted()
    wanted.values, wanted.forms, wanted.same_program = values, forms, same_program
    wanted.max_abs, wanted.min_cosine, wanted.min_snr = max_abs, min_cosine, min_snr
    if rules is not None:
        text = os.fspath(rules)
        if isinstance(rules, str) and "=" in text and ("\n" in text or not os.path.isfile(text)):
            wanted.rules = text
        else:
            try:
                wanted.rules = Path(text).read_text(encoding="utf-8")
            except OSError as error:
                raise FileError("io.open", f"{error.strerror}.", text) from error
    document, holds = _core.diff(_opened(a)._core, _opened(b)._core, wanted, progress)
    found = Comparison(json.loads(document))
    found.holds = holds
    return found


def assess(bundle: BundleOrPath, chip: str = "") -> Decisions:
    """What a chip does with each weight, and why; `chip` under any of its names ("H13", "M1"), without
    one the default.

        >>> decisions = assess("sample-palette.mlmodelc", "M1")["decisions"]
        >>> decisions[0]["outcome"] in ("streams", "folds", "dense", "rejected", "unknown")
        True
    """
    return Decisions.of(_core.assess(_opened(bundle)._core, chip))  # type: ignore[return-value]


def plan(bundle: BundleOrPath, chips: Union[str, Sequence[str]] = (), *, tolerance: float = 0.01,
         total_tolerance: Optional[float] = None, max_bytes: Optional[int] = None, minimise: str = "",
         forms: Iterable[str] = (), forced: Iterable[Tuple[str, str]] = (), batch: int = 1, make: bool = False,
         progress: Progress = None) -> Tuple[PlanDocument, Optional[Bundle]]:
    """The best form of every weight within an error budget, and with `make` the bundle in these forms.

        >>> document, made = plan("sample-dense.mlmodelc", "M1", forms=["palette*"], tolerance=0.2)
        >>> made is None, len(document["plan"]) == len(open("sample-dense.mlmodelc").weights)
        (True, True)
    """
    wanted = _core.PlanWanted()
    wanted.chips = [chips] if isinstance(chips, str) else list(chips)
    wanted.tolerance, wanted.total_tolerance, wanted.max_bytes = tolerance, total_tolerance, max_bytes
    wanted.minimise, wanted.forms, wanted.forced = minimise, list(forms), list(forced)
    wanted.batch, wanted.make = batch, make
    text, core = _core.plan(_opened(bundle)._core, wanted, progress)
    document = PlanDocument(json.loads(text))
    return document, None if core is None else Bundle(core, document)


def convert(bundle: BundleOrPath, progress: Progress = None) -> Bundle:
    """A bundle in memory whose programs of fp32 calculate in fp16, with casts at inputs and outputs.
    `.document` says what changed: weights, operations, constants.
    """
    text, core = _core.convert(_opened(bundle)._core, progress)
    return Bundle(core, Document(json.loads(text)))


def encode(bundle: BundleOrPath, weights: Union[str, Sequence[str]], form: str,
           progress: Progress = None) -> Bundle:
    """A bundle in memory with the weights that match the names or patterns in another form: "dense",
    "int8", "palette4", "palette4-g8", "blockwise-int4-32", "sparse-0.5", "sparse-2:4".

        >>> small = encode("sample-dense.mlmodelc", "conv*_weight", "palette4")
        >>> small.weights["conv1_weight"].info()["form"]
        'lut'
    """
    patterns = [weights] if isinstance(weights, str) else list(weights)
    text, core = _core.encode(_opened(bundle)._core, patterns, form, progress)
    return Bundle(core, PlanDocument(json.loads(text)))


def patch(bundle: BundleOrPath, edits: Union[str, Iterable[str]], *, tolerance: float = 0.0,
          in_place: bool = False, progress: Progress = None) -> Bundle:
    """A bundle with edits laid over it, to be saved; the one that was given stays as it is. Edits are
    written as in a script of `patch`: "set W[3,0,1,1]=0.5", "codebook W[0][7]=-1.25", "fill W[0:4,:]=0",
    "scale W[4]=0.01". All of them can be made, or none is. `in_place`: it will be saved in place.
    `.document` says what each edit asked for, what is stored, and which bytes change.

        >>> name = list(open("sample-dense.mlmodelc").weights)[0]
        >>> changed = patch("sample-dense.mlmodelc", f"set {name}[0]=0.5")
        >>> changed.modified, float(changed.weights[name].values().flat[0])
        (True, 0.5)
    """
    script = edits if isinstance(edits, str) else "\n".join(edits)
    text, core = _core.patch(_opened(bundle)._core, script, tolerance, in_place, progress)
    return Bundle(core, Document(json.loads(text)))


def write_sample(folder: Union[str, "os.PathLike[str]"] = ".") -> List[Path]:
    """Writes the sample, one small network in three builds, into a folder, to try things on."""
    paths = []
    for name, files in _core.sample().items():
        paths.append(Path(folder) / name)
        for inner, content in files.items():
            target = paths[-1] / inner
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    return paths
