"""The report for people: diagnostics, then a line a claim with its details indented under it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pfl.report.details import Fact, details
from pfl.report.diagnostics import PIPED_WIDTH, render_diagnostics
from pfl.report.record import Record, record_of
from pfl.report.scope import scope_text
from pfl.report.styled import Piece, Style, StyledLine, cells, visible, wrap
from pfl.verify.verdict import Findings

WORD_WIDTH = 10
KEY_WIDTH = 15
WIDEST_TITLE = 40
GAP = " " * 13
"""Between two texts of one fact, which a narrow terminal gets on two lines."""
WIDEST_LEFT = 32
"""Cells up to which the left sides of comparisons are aligned."""
WIDEST_LIST = 100
"""Cells up to which a list stands on one line."""


def render_findings(findings: Findings, width: int | None) -> list[StyledLine]:
    """The whole report as styled lines, `width` cells wide (None: as wide as it gets)."""
    lines = render_diagnostics(findings.diagnostics, width)
    for file in findings.without_claims:
        nothing = f"no claims in {visible(file)}: its names and types were checked, and nothing was judged"
        lines += [(Piece(text),) for text in wrap(nothing, width)]
    records = [record_of(result) for result in findings.results]
    titles = [_title(record) for record in records]
    columns = [min(max(map(cells, column), default=0), WIDEST_TITLE) for column in zip(*titles)] if titles else []
    for record, title, notes in zip(records, titles, _notes(records)):
        lines += _claim(record, title, columns, notes, width)
    surprises = [record for record in records if not record.as_expected]
    if surprises and len(records) > 1:
        lines.append(())
        lines.append((Piece(_summary(records, surprises), "strong"),))
    return lines


def claim_lines(record: Record, width: int | None) -> list[StyledLine]:
    """One claim with all of its notes and remarks, aligned with no other."""
    return _claim(record, _title(record), (), [*record.notes, *record.remarks], width)


def _title(record: Record) -> tuple[str, str]:
    """The claim's name, and what it is about where the name does not say it already."""
    about = f"{record.kind} {record.subject}"
    further = f" {record.relation}" if record.relation else ""
    if record.name.startswith(about):
        return visible(record.name + further), ""
    return visible(record.name), visible(about + further)


def _notes(records: Sequence[Record]) -> Iterator[list[str]]:
    """The notes of each claim, and the remarks that no claim of its file above it has."""
    told: set[tuple[str, str]] = set()
    for record in records:
        remarks = {(record.origin.file, remark): remark for remark in record.remarks}
        yield [*record.notes, *(remark for key, remark in remarks.items() if key not in told)]
        told |= remarks.keys()


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


def _summary(records: Sequence[Record], surprises: Sequence[Record]) -> str:
    undecided = sum(record.judgement.verdict == "unknown" for record in surprises)
    counts = [(len(surprises) - undecided, "not as expected"), (undecided, "undecided")]
    return f"{len(records)} claims: " + ", ".join(f"{count} {what}" for count, what in counts if count)
