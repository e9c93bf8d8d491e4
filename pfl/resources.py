"""Finds the grammar, the standard library and the error pages: in a wheel, an editable install, a checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pfl.base.source import SourceFile

_PACKAGE = Path(__file__).parent
_FOLDERS = {"grammar": "grammar", "stdlib": "stdlib", "errors": "docs/errors"}
"""Name inside `pfl/_resources` of a wheel, and folder of a checkout."""


def grammar_text() -> str:
    """The grammar of PFL, in Lark's notation."""
    return _read(_folder("grammar") / "pfl.lark")


def stdlib_names() -> tuple[str, ...]:
    """The modules of the standard library, `std.noise` and so on, in alphabetical order."""
    return tuple(sorted(f"std.{path.stem}" for path in _folder("stdlib").glob("*.pfl")))


def stdlib_module(name: str) -> SourceFile | None:
    """The module `std.noise`, or None if the standard library has none of that name."""
    if name not in stdlib_names():
        return None
    file_name = f"{name.removeprefix('std.')}.pfl"
    return SourceFile(name=f"std/{file_name}", text=_read(_folder("stdlib") / file_name))


def error_page(code: str) -> str | None:
    """The page on a diagnostic code such as `PFL0401`, in Markdown, or None if there is none."""
    path = _folder("errors") / f"{code}.md"
    return _read(path) if code.isalnum() and path.is_file() else None


@cache
def _folder(name: str) -> Path:
    """The folder of a kind of resource: inside the package in a wheel, beside it in a checkout."""
    in_wheel = _PACKAGE / "_resources" / name
    return in_wheel if in_wheel.is_dir() else _PACKAGE.parent / _FOLDERS[name]


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
