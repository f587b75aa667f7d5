# SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy

_Progress = Optional[Callable[[float], Any]]

class Search:
    what: str
    pattern: str
    width: int
    big_endian: bool
    tolerance: Optional[float]
    count: int
    weight: str
    limit: int

class SaveTarget:
    in_place: bool
    output: Any
    replace: bool
    backup: bool
    break_links: bool

class DiffWanted:
    values: bool
    forms: bool
    rules: str
    max_abs: Optional[float]
    min_cosine: Optional[float]
    min_snr: Optional[float]
    same_program: bool

class PlanWanted:
    chips: List[str]
    tolerance: float
    total_tolerance: Optional[float]
    max_bytes: Optional[int]
    minimise: str
    forms: List[str]
    forced: List[Tuple[str, str]]
    batch: int
    make: bool

class Weights:
    name: str
    path: Any
    kind: str
    modified: bool
    def diagnostics(self) -> List[Dict[str, Any]]: ...
    def names(self) -> List[str]: ...
    def index(self, name: str) -> int: ...
    def shape(self, weight: int) -> List[int]: ...
    def info(self, weight: int, figures: bool, progress: _Progress) -> str: ...
    def values(self, weight: int, progress: _Progress) -> "numpy.ndarray[Any, Any]": ...
    def stored(self, weight: int) -> List[Dict[str, Any]]: ...
    def picture(self, weight: int, progress: _Progress) -> bytes: ...
    def inspect(self, findings: bool, progress: _Progress) -> str: ...
    def coverage(self) -> List[Dict[str, Any]]: ...
    def find(self, search: Search, progress: _Progress) -> str: ...
    def check_unchanged(self) -> None: ...
    def save(self, target: SaveTarget, progress: _Progress) -> Dict[str, Any]: ...

def version() -> str: ...
def sample() -> Dict[str, Dict[str, bytes]]: ...
def open(path: Any, progress: _Progress) -> Weights: ...
def diff(a: Weights, b: Weights, wanted: DiffWanted, progress: _Progress) -> Tuple[str, bool]: ...
def assess(bundle: Weights, chip: str) -> str: ...
def plan(bundle: Weights, wanted: PlanWanted, progress: _Progress) -> Tuple[str, Optional[Weights]]: ...
def encode(bundle: Weights, patterns: List[str], form: str, progress: _Progress) -> Tuple[str, Weights]: ...
def patch(bundle: Weights, edits: str, tolerance: float, in_place: bool,
          progress: _Progress) -> Tuple[str, Weights]: ...
