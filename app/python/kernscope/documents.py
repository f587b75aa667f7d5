# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers: plain dictionaries that can be pickled, sent to other machines, and shown in a notebook."""
from __future__ import annotations

import html
import json
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence


def frame(rows: Iterable[Mapping[str, Any]]) -> Any:
    """A pandas.DataFrame of rows. ImportError where pandas is not installed."""
    import pandas

    return pandas.DataFrame(list(rows))


def table(rows: Sequence[Mapping[str, Any]], columns: Optional[Sequence[str]] = None, most: int = 200) -> str:
    """An HTML table of rows, the first `most` of them. Lists and objects are left out unless named."""
    rows = list(rows)
    if columns is None:
        columns = [key for key, value in (rows[0].items() if rows else ()) if not isinstance(value, (list, dict))]
    def cell(value: Any) -> str:
        return "" if value is None else html.escape(f"{value:.6g}" if isinstance(value, float) else str(value))

    head = "".join(f"<th>{html.escape(key)}</th>" for key in columns)
    body = "".join("<tr>" + "".join(f"<td>{cell(row.get(key))}</td>" for key in columns) + "</tr>"
                   for row in rows[:most])
    more = f"<p>and {len(rows) - most} more</p>" if len(rows) > most else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


class Document(Dict[str, Any]):
    """A document of the command line (`--json`) as a dictionary; `rows` names its main list."""

    rows = ""

    @classmethod
    def of(cls, text: str) -> "Document":
        return cls(json.loads(text))

    @property
    def diagnostics(self) -> List[Dict[str, Any]]:
        """What was found wrong on the way; none of it stopped the answer."""
        return self.get("diagnostics", [])

    def frame(self, key: Optional[str] = None) -> Any:
        """The main list, or that under `key`, as a pandas.DataFrame."""
        return frame(self[key or self.rows])

    def _repr_html_(self) -> str:
        facts = {key: value for key, value in self.items() if not isinstance(value, (list, dict))}
        return table([facts]) + (table(self[self.rows]) if self.rows in self else "")


class Comparison(Document):
    """What `diff` found: `weights`, `only_a`, `only_b`, `files`, `program`, `verdict`."""

    rows = "weights"
    holds: bool = False
    """Whether every limit is kept; without limits, whether the two are identical."""

    def __reduce__(self) -> Any:
        return _comparison, (dict(self), self.holds)


def _comparison(values: Dict[str, Any], holds: bool) -> Comparison:
    made = Comparison(values)
    made.holds = holds
    return made


class Decisions(Document):
    """What a chip does with each weight, and why."""

    rows = "decisions"


class PlanDocument(Document):
    """What each weight becomes, before and after on each chip, the front of error against bytes."""

    rows = "plan"


class Hits(Document):
    """Places that `find` found."""

    rows = "hits"
