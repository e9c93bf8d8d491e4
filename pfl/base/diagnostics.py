"""Diagnostics as data: what is wrong, where, and what would mend it.

A diagnostic is made by the phase that finds it, where it says much by a named
constructor beside it, and turned into text only in `report`. The headline is lower case, without a full
stop, and true on its own in one line; a label says what a place is; only
`help` proposes a cure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pfl.base.codes import Code, Severity
from pfl.base.source import Span
from pfl.base.struct import struct


@struct(kw_only=False)
class Label:
    """A place in the source with a few words on what it is."""

    span: Span
    text: str = ""


@struct
class Diagnostic:
    """One fault or warning.

    `labels[0]` is the primary place; a diagnostic about a whole run (a file that
    cannot be read) has none and names the file in `file`. `notes` are further
    facts, one line each, such as the path that leads to a failing state.
    """

    code: Code
    message: str
    labels: tuple[Label, ...] = ()
    help: str | None = None
    notes: tuple[str, ...] = ()
    file: str | None = None

    @classmethod
    def at(
        cls, code: Code, span: Span, message: str, *others: Label, help: str | None = None, label: str = ""
    ) -> Diagnostic:
        """A diagnostic about a place, which `label` says a few words on; `others` are further places."""
        return cls(code=code, message=message, labels=(Label(span, label), *others), help=help)

    @property
    def severity(self) -> Severity:
        return self.code.severity

    @property
    def primary(self) -> Label | None:
        return self.labels[0] if self.labels else None

    @property
    def file_name(self) -> str | None:
        return self.labels[0].span.file.name if self.labels else self.file


class Diagnostics:
    """Collects what a phase finds; a fault found twice is kept once."""

    def __init__(self, found: Iterable[Diagnostic] = ()) -> None:
        self._found: dict[tuple[object, ...], Diagnostic] = {}
        self._taken = 0
        self.extend(found)

    def add(self, diagnostic: Diagnostic) -> None:
        primary = diagnostic.primary
        place = (primary.span.file.name, primary.span.start, primary.span.end) if primary else (diagnostic.file,)
        self._found.setdefault((diagnostic.code.number, diagnostic.message, *place), diagnostic)

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        for diagnostic in diagnostics:
            self.add(diagnostic)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._found.values())

    @property
    def has_errors(self) -> bool:
        return any(diagnostic.severity == "error" for diagnostic in self._found.values())

    def sorted(self) -> tuple[Diagnostic, ...]:
        """All that was found, by file (in order of first mention) and place."""
        return _by_place(list(self._found.values()))

    def taken(self) -> tuple[Diagnostic, ...]:
        """What was found since this was last asked, in the same order."""
        fresh = list(self._found.values())[self._taken :]
        self._taken = len(self._found)
        return _by_place(fresh)


def _by_place(found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    files = {name: order for order, name in enumerate(dict.fromkeys(d.file_name for d in found))}

    def place(diagnostic: Diagnostic) -> tuple[int, int, int]:
        primary = diagnostic.primary
        return files[diagnostic.file_name], primary.span.start if primary else -1, diagnostic.code.number

    return tuple(sorted(found, key=place))


class InputRejected(Exception):
    """The input cannot be judged; carries every diagnostic found so far."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("; ".join(diagnostic.message for diagnostic in self.diagnostics))


class LimitReached(Exception):
    """A limit was met (states, time, nesting): the claim is undecided, exit 4.

    `reason` is a sentence that names what grew, how far it came and what to try.
    """

    def __init__(self, reason: str, diagnostic: Diagnostic | None = None) -> None:
        self.reason = reason
        self.diagnostic = diagnostic
        super().__init__(reason)
