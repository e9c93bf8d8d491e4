"""One line a diagnostic and a claim, for editors and for `grep`."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.base.diagnostics import Diagnostic
from pfl.ir.claims import Claim
from pfl.report.statement import statement
from pfl.report.styled import visible
from pfl.verify.verdict import ClaimResult, Findings, verdict_word


def render_concise(findings: Findings) -> str:
    """`file:line:column: error[CODE]: message` and `file:line:column: refuted name: ...`, each ended by a newline."""
    lines = [diagnostic_line(diagnostic) for diagnostic in findings.diagnostics]
    lines += [_claim_line(result) for result in findings.results]
    return "".join(f"{visible(line)}\n" for line in lines)


def render_unjudged(claims: Sequence[Claim]) -> str:
    """`file:line:column: interrupted name: not judged`, each ended by a newline."""
    return "".join(f"{visible(f'{_place(claim)}: interrupted {claim.name}: not judged')}\n" for claim in claims)


def diagnostic_line(diagnostic: Diagnostic) -> str:
    """The diagnostic on one line: the headline stands alone."""
    primary = diagnostic.primary
    place = str(primary.span) if primary is not None else diagnostic.file
    head = f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"
    return head if place is None else f"{place}: {head}"


def _claim_line(result: ClaimResult) -> str:
    return f"{_place(result.claim)}: {verdict_word(result.verdict)} {result.claim.name}: {statement(result)}"


def _place(claim: Claim) -> str:
    return f"{claim.origin.file}:{claim.origin.line}:{claim.origin.column}"
