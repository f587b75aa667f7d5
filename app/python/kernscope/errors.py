# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes wrong, as exceptions that say where."""
from __future__ import annotations

from typing import NoReturn, Optional


class KernscopeError(Exception):
    """What went wrong, and where.

    code      dotted and stable, such as "blob.sentinel", "patch.weight", "io.changed"
    file      path within the bundle; "" where there is none
    offset    byte in that file, or None
    length    bytes that are meant from there on, or None
    field     name of the field or operand; "" where there is none
    expected  what should have been there
    found     what was there
    """

    def __init__(self, code: str, message: str, file: str = "", offset: Optional[int] = None,
                 length: Optional[int] = None, field: str = "", expected: str = "", found: str = "") -> None:
        super().__init__(code, message, file, offset, length, field, expected, found)
        self.code, self.message, self.file, self.offset = code, message, file, offset
        self.length, self.field, self.expected, self.found = length, field, expected, found

    def __str__(self) -> str:
        place = self.file + (f"+{self.offset:#x}" if self.offset is not None else "")
        details = [f"{name} {text}" for name, text in (("expected", self.expected), ("found", self.found)) if text]
        return (f"{place}: " if place else "") + (f"{self.field}: " if self.field else "") + self.message + (
            f" ({', '.join(details)})" if details else "") + f" [{self.code}]"


class FileError(KernscopeError, OSError):
    """A file could not be read or written: codes "io.…"."""

    def __init__(self, *arguments, **named) -> None:
        KernscopeError.__init__(self, *arguments, **named)

    __str__ = KernscopeError.__str__


class NameUnknown(KernscopeError, KeyError):
    """No weight, or no chip, has that name; `expected` has the nearest ones."""

    __str__ = KernscopeError.__str__


class KernscopeWarning(UserWarning):
    """Something about a file that was opened, such as a save that was interrupted."""


def raise_error(code: str, message: str, *more) -> NoReturn:
    """Called by the module for every error of the core."""
    for option, keyword in (("--force", "replace=True"), ("--break-links", "break_links=True")):
        message = message.replace(option, keyword)
    details = (message, *more)
    if code == "task.cancelled":
        raise KeyboardInterrupt(details[0])
    if code.startswith("io."):
        raise FileError(code, *details)
    if code in ("patch.weight", "target.name"):
        raise NameUnknown(code, *details)
    raise KernscopeError(code, *details)
