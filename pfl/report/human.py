"""The report for people: diagnostics, then a line a claim with its details indented under it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pfl.ir.claims import underlying
from pfl.ir.interactive_questions import Implementation, RelationCheck
from pfl.report.details import GAP, details
from pfl.report.diagnostics import render_diagnostics
from pfl.report.statement import scope, statement
from pfl.report.styled import Piece, Style, StyledLine, cells, visible, wrap
from pfl.verify.verdict import ClaimResult, Findings, Proved, Refuted, Unknown, verdict_word

WORD_WIDTH = 10
KEY_WIDTH = 15
WIDEST_TITLE = 40


def render_findings(findings: Findings, width: int | None) -> list[StyledLine]:
    """The whole report as styled lines, `width` cells wide (None: as wide as it gets)."""
    lines = render_diagnostics(findings.diagnostics, width)
    for file in findings.without_claims:
        nothing = f"no claims in {visible(file)}: its names and types were checked, and nothing was judged"
        lines += [(Piece(text),) for text in wrap(nothing, width)]
    titles = [_title(result) for result in findings.results]
    columns = [min(max(map(cells, column), default=0), WIDEST_TITLE) for column in zip(*titles)] if titles else []
    for result, title, notes in zip(findings.results, titles, _notes(findings.results)):
        lines += _claim(result, title, columns, notes, width)
    surprises = [result for result in findings.results if not result.as_expected]
    if surprises and len(findings.results) > 1:
        lines.append(())
        lines.append((Piece(_summary(findings.results, surprises), "strong"),))
    return lines


def _title(result: ClaimResult) -> tuple[str, str]:
    """The claim's name, and what it is about where the name does not say it already."""
    claim = result.claim
    about, further = f"{claim.kind} {claim.subject}", ""
    match underlying(claim.question):
        case Implementation(names=(_, abstract)):
            further = f" of {abstract}"
        case RelationCheck(name=relation):
            further = f" by {relation}"
    if claim.name.startswith(about):
        return visible(claim.name + further), ""
    return visible(claim.name), visible(about + further)


def _notes(results: Sequence[ClaimResult]) -> Iterator[list[str]]:
    """The notes of each claim, and the remarks that no claim of its file above it has."""
    told: set[tuple[str, str]] = set()
    for result in results:
        remarks = {(result.claim.origin.file, remark): remark for remark in result.claim.remarks}
        yield [*result.claim.notes, *(remark for key, remark in remarks.items() if key not in told)]
        told |= remarks.keys()


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


def _summary(results: Sequence[ClaimResult], surprises: Sequence[ClaimResult]) -> str:
    undecided = sum(isinstance(result.verdict, Unknown) for result in surprises)
    counts = [(len(surprises) - undecided, "not as expected"), (undecided, "undecided")]
    return f"{len(results)} claims: " + ", ".join(f"{count} {what}" for count, what in counts if count)
