"""The report for people: diagnostics, then a line a claim with its details indented under it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pfl.base.codes import Code
from pfl.ir.claims import Claim
from pfl.report.details import GAP, details
from pfl.report.diagnostics import render_diagnostics
from pfl.report.statement import scope, statement
from pfl.report.styled import Piece, Style, StyledLine, cells, visible, wrap
from pfl.verify.tally import Tally
from pfl.verify.verdict import ClaimResult, Findings, Proved, Refuted, Unknown, verdict_word

WORD_WIDTH = 10
KEY_WIDTH = 15
WIDEST_TITLE = 40


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
            lines += _claim(result, _title(result.claim), self._columns, self._notes(result), width)
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

    def _notes(self, result: ClaimResult) -> list[str]:
        """The notes of a claim, and the remarks that no claim of its file above it has."""
        remarks = {(result.claim.origin.file, remark): remark for remark in result.claim.remarks}
        new = [remark for key, remark in remarks.items() if key not in self._told]
        self._told |= remarks.keys()
        return [*result.claim.notes, *new]


def render_findings(findings: Findings, width: int | None) -> list[StyledLine]:
    """The whole report as styled lines, `width` cells wide (None: as wide as it gets)."""
    report = HumanReport([result.claim for result in findings.results])
    return report.part(findings, width) + report.end(Tally.of(findings), width)


def _title(claim: Claim) -> tuple[str, str]:
    """The claim's name, and what it is about where the name does not say it already."""
    about, further = f"{claim.kind} {claim.subject}", claim.relation and f" {claim.relation}"
    if claim.name.startswith(about):
        return visible(claim.name + further), ""
    return visible(claim.name), visible(about + further)


def _claim(
    result: ClaimResult, title: tuple[str, str], columns: Sequence[int], notes: Sequence[str], width: int | None
) -> list[StyledLine]:
    word = verdict_word(result.verdict)
    judged = scope(result.claim.question)
    text, about = visible(statement(result)), f"({judged})" if judged else ""
    head = "  ".join(part + " " * (column - cells(part)) for part, column in zip(title, columns) if column)
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
    lines: list[StyledLine] = [(Piece(word, _style(result)), Piece(texts[0][len(word) :]))]
    return lines + [(Piece(text),) for text in texts[1:]] + _facts(result, notes, width)


def _facts(result: ClaimResult, notes: Sequence[str], width: int | None) -> list[StyledLine]:
    """The details, keys in a column of their own."""
    facts = [(visible(key), visible(fact)) for key, fact in details(result, notes)]
    widest = max((cells(key) + 2 for key, fact in facts if fact), default=0)
    column = 2 + max(KEY_WIDTH, min(widest, WIDEST_TITLE))
    lines: list[StyledLine] = []
    for key, fact in facts:
        start, *rest = _fitted(fact, width, f"  {key}".ljust(column), " " * column)
        lines.append((Piece("  "), Piece(key, "faint"), Piece(start[2 + len(key) :])))
        lines += [(Piece(line),) for line in rest]
    return lines


def _fitted(fact: str, width: int | None, first: str, rest: str) -> list[str]:
    """The fact on one line, or its parts on lines of their own, each wrapped."""
    if width is None or cells(first + fact) <= width:
        return [first + fact]
    start, *more = fact.split(GAP)
    lines = wrap(start, width, first=first, rest=rest)
    return lines + [line for part in more for line in wrap(part, width, first=rest, rest=rest)]


def _style(result: ClaimResult) -> Style:
    if isinstance(result.verdict, Unknown):
        return "undecided"
    if not result.as_expected:
        return "refuted"
    if isinstance(result.verdict, Proved) and result.verdict.evidence.kind == "vacuous":
        return "warning"
    return "proved" if not isinstance(result.verdict, Refuted) else "strong"
