"""Checks models given as text: a faulty line ends with `//~ PFL0301`, once for each report on it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from pfl.base.diagnostics import Diagnostic
from pfl.base.source import SourceFile
from pfl.syntax.modules import load_program
from pfl.typecheck.bindings import CheckedProgram
from pfl.typecheck.program import check_program

_MARK = re.compile(r"//~ (?P<codes>[^/\n]*)$", re.MULTILINE)


def check(
    text: str, files: Mapping[str, str] | None = None, name: str = "model.pfl"
) -> tuple[CheckedProgram | None, tuple[Diagnostic, ...]]:
    """The checked program, and what was found; `files` are those that it can import."""
    known = files or {}

    def read(path: str) -> SourceFile:
        if path not in known:
            raise FileNotFoundError(2, "No such file or directory", path)
        return SourceFile(name=path, text=known[path])

    return check_program(load_program(SourceFile(name=name, text=text), read))


def accepted(text: str, files: Mapping[str, str] | None = None) -> CheckedProgram:
    """The checked program of a model in which nothing is found."""
    program, found = check(text, files)
    assert program is not None, [(str(d.code), d.message) for d in found]
    assert not found, [(str(d.code), d.message) for d in found]
    return program


def assert_reports(text: str, files: Mapping[str, str] | None = None) -> tuple[Diagnostic, ...]:
    """Asserts that exactly the marked lines are reported, with the marked codes; returns the reports."""
    wanted: Counter[tuple[str, int, str]] = Counter()
    for name, content in (("model.pfl", text), *(files or {}).items()):
        for match in _MARK.finditer(content):
            line = content.count("\n", 0, match.start()) + 1
            wanted.update((name, line, code) for code in match["codes"].split())
    program, found = check(text, files)
    reported = Counter((_file(d), _line(d), str(d.code)) for d in found)
    assert reported == wanted, "\n".join(f"{_file(d)}:{_line(d)}: {d.code} {d.message}" for d in found)
    assert (program is None) == any(d.severity == "error" for d in found)
    return found


def message(text: str, files: Mapping[str, str] | None = None) -> tuple[str, str | None]:
    """The headline and the help of the only report."""
    _, found = check(text, files)
    (only,) = found
    return only.message, only.help


def _file(diagnostic: Diagnostic) -> str:
    return diagnostic.file_name or ""


def _line(diagnostic: Diagnostic) -> int:
    assert diagnostic.primary is not None
    return diagnostic.primary.span.line
