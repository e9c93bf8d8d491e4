"""The report for people: diagnostics, then a line a claim with its details indented under it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pfl.base.codes import Code
from pfl.model.claims import Claim
from pfl.report.details import Fact, details
from pfl.report.diagnostics import PIPED_WIDTH, render_diagnostics
from pfl.report.record import Record, record_of, scope_text
from pfl.report.styled import Piece, Style, StyledLine, cells, visible, wrap
from pfl.verify.verdict import Findings, Tally

WORD_WIDTH = 10
KEY_WIDTH = 15
WIDEST_TITLE = 40
GAP = " " * 13
"""Between two texts of one fact, which a narrow terminal gets on two lines."""
WIDEST_LEFT = 32
"""Cells up to which the left sides of comparisons are aligned."""
WIDEST_LIST = 100
"""Cells up to which a list stands on one line."""


class HumanReport:
    """The report in parts, as they come to be known; `claims` are all that may come: the columns have room for them."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        titles = [_title(claim) for claim in claims]
        self._columns = [min(max(map(cells, column)), WIDEST_TITLE) for column in zip(*titles)]
        self._explained: set[Code] = set()
        self._told: set[tuple[str, str]] = set()
        self._last: Literal["nothing", "diagnostic", "result"] = "nothing"

    def part(self, findings: Findings, width: int | None) -> list[StyledLine]:
        """Diagnostics, files without claims and results, `width` cells wide (None: as wide as it gets)."""
        lines: list[StyledLine] = []
        if findings.diagnostics:
            lines += [()] if self._last == "result" else []
            self._last = "diagnostic"
        lines += render_diagnostics(findings.diagnostics, width, self._explained)
        for file in findings.without_claims:
            nothing = f"no claims in {visible(file)}: its names and types were checked, and nothing was judged"
            lines += [(Piece(text),) for text in wrap(nothing, width)]
        for result in findings.results:
            record = record_of(result)
            lines += _claim(record, _title(record), self._columns, self._notes(record), width)
            self._last = "result"
        return lines

    def end(self, tally: Tally, width: int | None) -> list[StyledLine]:
        """How many claims came out otherwise than expected or were not judged, where results do not say it plainly."""
        counts = [
            (tally.surprises, "not as expected"),
            (tally.undecided, "undecided"),
            (len(tally.unjudged), "not judged"),
        ]
        told = ", ".join(f"{count} {what}" for count, what in counts if count)
        claims = "1 claim" if tally.count == 1 else f"{tally.count} claims"
        text = f"{claims}: {told}" if told else ""
        if tally.interruption:
            text = f"interrupted; {text}" if text else "interrupted"
        elif not told or not tally.results or tally.count == 1:
            return []
        lines: list[StyledLine] = [(Piece(line, "strong"),) for line in wrap(text, width)]
        return [(), *lines] if self._last == "result" else lines

    def _notes(self, record: Record) -> list[str]:
        """The notes of a claim, and the remarks that no claim of its file above it has."""
        remarks = {(record.origin.file, remark): remark for remark in record.remarks}
        new = [remark for key, remark in remarks.items() if key not in self._told]
        self._told |= remarks.keys()
        return [*record.notes, *new]


def render_findings(findings: Findings, width: int | None) -> list[StyledLine]:
    """The whole report as styled lines, `width` cells wide (None: as wide as it gets)."""
    report = HumanReport([result.claim for result in findings.results])
    return report.part(findings, width) + report.end(Tally.of(findings), width)


def claim_lines(record: Record, width: int | None) -> list[StyledLine]:
    """One claim with all of its notes and remarks, aligned with no other."""
    return _claim(record, _title(record), (), [*record.notes, *record.remarks], width)


def _title(claim: Claim | Record) -> tuple[str, str]:
    """The claim's name, and what it is about where the name does not say it already."""
    about, further = f"{claim.kind} {claim.subject}", claim.relation and f" {claim.relation}"
    if claim.name.startswith(about):
        return visible(claim.name + further), ""
    return visible(claim.name), visible(about + further)


def _claim(
    record: Record, title: tuple[str, str], columns: Sequence[int], notes: Sequence[str], width: int | None
) -> list[StyledLine]:
    word = record.judgement.verdict
    judged = scope_text(record.lengths, record.unit)
    text, about = visible(record.judgement.statement), f"({judged})" if judged else ""
    head = "  ".join(part + " " * (column - cells(part)) for part, column in zip(title, columns) if column)
    head = head or "  ".join(part for part in title if part)
    line = f"{word:<{WORD_WIDTH}}{head}  {text}" + (f"    {about}" if about else "")
    if width is None or cells(line) <= width:
        texts = [line]
    else:
        texts = wrap(
            "  ".join(part for part in title if part), width, first=f"{word:<{WORD_WIDTH}}", rest=" " * WORD_WIDTH
        )
        texts += wrap(text, width, first="  ", rest="  ")
        if about:
            *texts, last = texts
            texts += [f"{last}  {about}"] if cells(last) + 2 + cells(about) <= width else [last, f"  {about}"]
    lines: list[StyledLine] = [(Piece(word, _style(record)), Piece(texts[0][len(word) :]))]
    return lines + [(Piece(text),) for text in texts[1:]] + _facts(record, notes, width)


def _facts(record: Record, notes: Sequence[str], width: int | None) -> list[StyledLine]:
    """The details, keys in a column of their own, the left sides of comparisons in another."""
    facts = list(details(record, notes))
    widest = max((cells(visible(fact.key)) + 2 for fact in facts if fact.line), default=0)
    column = 2 + max(KEY_WIDTH, min(widest, WIDEST_TITLE))
    left = min(max((cells(visible(f.text)) for f in facts if f.against is not None), default=0), WIDEST_LEFT)
    lines: list[StyledLine] = []
    for fact in facts:
        key = visible(fact.key)
        start, *rest = _fitted(fact, left, width, f"  {key}".ljust(column), " " * column)
        lines.append((Piece("  "), Piece(key, "faint"), Piece(start[2 + len(key) :])))
        lines += [(Piece(line),) for line in rest]
    return lines


def _fitted(fact: Fact, left: int, width: int | None, first: str, rest: str) -> list[str]:
    """The fact on one line, or its parts on lines of their own, each wrapped."""
    parts = [visible(text) for text in (fact.text, *fact.further) if text]
    if fact.is_list:
        line = visible(fact.line)
        room: int | None = min(cells(first) + WIDEST_LIST, width or PIPED_WIDTH)
        parts = [f"{parts[0]}:", *parts[1:]] if fact.text else parts
    elif fact.against is not None:
        padding = " " * (left - cells(parts[0])) if parts else ""
        against = f"against  {visible(fact.against)}"
        line, room, parts = f"{parts[0] if parts else ''}{padding}  {against}", width, [*parts, against]
    else:
        line, room = GAP.join(parts), width
    if room is None or cells(first + line) <= room:
        return [first + line]
    hanging = f"{rest}  " if fact.is_list else rest
    start, *more = parts or [""]
    lines = wrap(start, width, first=first, rest=hanging)
    return lines + [line for part in more for line in wrap(part, width, first=rest, rest=hanging)]


def _style(record: Record) -> Style:
    if record.judgement.verdict == "unknown":
        return "undecided"
    if not record.as_expected:
        return "refuted"
    if record.judgement.verdict == "proved" and record.judgement.is_vacuous:
        return "warning"
    return "strong" if record.judgement.verdict == "refuted" else "proved"
