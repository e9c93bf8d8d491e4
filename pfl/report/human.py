"""The report for people: diagnostics, then a line a claim with its details indented under it."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.report.details import details
from pfl.report.diagnostics import render_diagnostics
from pfl.report.statement import scope, statement
from pfl.report.styled import Piece, Style, StyledLine, cells, visible, wrap
from pfl.verify.verdict import ClaimResult, Findings, Refuted, Unknown, verdict_word

WORD_WIDTH = 10
KEY_WIDTH = 15
WIDEST_TITLE = 40


def render_findings(findings: Findings, width: int | None) -> list[StyledLine]:
    """The whole report as styled lines, `width` cells wide (None: as wide as it gets)."""
    lines = render_diagnostics(findings.diagnostics, width)
    titles = [_title(result) for result in findings.results]
    columns = [min(max(map(cells, column), default=0), WIDEST_TITLE) for column in zip(*titles)] if titles else []
    for result, title in zip(findings.results, titles):
        lines += _claim(result, title, columns, width)
    surprises = [result for result in findings.results if not result.as_expected]
    if surprises and len(findings.results) > 1:
        lines.append(())
        lines.append((Piece(_summary(findings.results, surprises), "strong"),))
    return lines


def _title(result: ClaimResult) -> tuple[str, str]:
    """The claim's name, and what it is about where the name does not say it already."""
    claim = result.claim
    about = f"{claim.kind} {claim.subject}"
    return visible(claim.name), "" if claim.name.startswith(about) else visible(about)


def _claim(result: ClaimResult, title: tuple[str, str], columns: Sequence[int], width: int | None) -> list[StyledLine]:
    word = verdict_word(result.verdict)
    style = _style(result)
    judged = scope(result.claim.question)
    text = visible(statement(result)) + (f"    ({judged})" if judged else "")
    head = "  ".join(part + " " * (column - cells(part)) for part, column in zip(title, columns) if column)
    first = f"{word:<{WORD_WIDTH}}{head}  "
    if width is None or cells(first) + cells(text) <= width:
        lines: list[StyledLine] = [_painted(word, style, f"{first}{text}")]
    else:
        together = "  ".join(part for part in title if part)
        start, *rest = wrap(together, width, first=f"{word:<{WORD_WIDTH}}", rest=" " * WORD_WIDTH)
        lines = [_painted(word, style, start), *((Piece(line),) for line in rest)]
        lines += [(Piece(line),) for line in wrap(text, width, first="  ", rest="  ")]
    facts = [(visible(key), visible(fact)) for key, fact in details(result)]
    keys = max((cells(key) + 2 for key, fact in facts if fact), default=0)
    column = 2 + max(KEY_WIDTH, min(keys, WIDEST_TITLE))
    for key, fact in facts:
        start, *rest = wrap(fact, width, first="  " + key.ljust(column - 2) if fact else "  " + key, rest=" " * column)
        lines.append((Piece("  "), Piece(start[2 : 2 + len(key)], "faint"), Piece(start[2 + len(key) :])))
        lines += [(Piece(line),) for line in rest]
    return lines


def _painted(word: str, style: Style, line: str) -> StyledLine:
    return Piece(word, style), Piece(line[len(word) :])


def _style(result: ClaimResult) -> Style:
    if isinstance(result.verdict, Unknown):
        return "undecided"
    if not result.as_expected:
        return "refuted"
    return "proved" if not isinstance(result.verdict, Refuted) else "strong"


def _summary(results: Sequence[ClaimResult], surprises: Sequence[ClaimResult]) -> str:
    undecided = sum(isinstance(result.verdict, Unknown) for result in surprises)
    counts = [(len(surprises) - undecided, "not as expected"), (undecided, "undecided")]
    return f"{len(results)} claims: " + ", ".join(f"{count} {what}" for count, what in counts if count)
