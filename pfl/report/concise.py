"""One line a diagnostic and a claim, for editors and for `grep`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pfl.base.diagnostics import Diagnostic
from pfl.ir.claims import Claim, Origin
from pfl.report.details import details
from pfl.report.record import Record, record_of
from pfl.report.scope import scope_text
from pfl.report.styled import visible
from pfl.verify.verdict import Findings


def render_concise(findings: Findings) -> str:
    """`file:line:column: error[CODE]: message` and `file:line:column: refuted name: ...`, each ended by a newline."""
    lines = [diagnostic_line(diagnostic) for diagnostic in findings.diagnostics]
    lines += [claim_line(record_of(result)) for result in findings.results]
    return "".join(f"{visible(line)}\n" for line in lines)


def render_unjudged(claims: Sequence[Claim]) -> str:
    """`file:line:column: interrupted name: not judged`, each ended by a newline."""
    return "".join(f"{visible(f'{_place(claim.origin)}: interrupted {claim.name}: not judged')}\n" for claim in claims)


def diagnostic_line(diagnostic: Diagnostic) -> str:
    """The diagnostic on one line: the headline stands alone."""
    primary = diagnostic.primary
    place = str(primary.span) if primary is not None else diagnostic.file
    head = f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"
    return head if place is None else f"{place}: {head}"


def claim_line(record: Record) -> str:
    """The claim on one line: the verdict, then whatever else there is to say, between bars."""
    judgement = record.judgement
    scope = scope_text(record.lengths, record.unit)
    head = f"{judgement.verdict} {record.name}: {judgement.statement}" + (f" ({scope})" if scope else "")
    return f"{_place(record.origin)}: {' | '.join((head, *_further(record)))}"


def _place(origin: Origin) -> str:
    return f"{origin.file}:{origin.line}:{origin.column}"


def _further(record: Record) -> Iterator[str]:
    yield " ".join(part for part in (record.verb, record.kind, record.subject, record.relation) if part)
    for fact in details(record, (*record.notes, *record.remarks)):
        yield f"{fact.key}: {fact.line}" if fact.line else fact.key
    judgement = record.judgement
    yield f"engine: {judgement.engine}"
    if judgement.evidence is not None:
        by = "" if judgement.evidence_by == judgement.engine else f" by {judgement.evidence_by}"
        checked = ", checked" if judgement.is_checked else ""
        detail = f": {judgement.evidence.detail}" if judgement.evidence.detail else ""
        yield f"evidence: {judgement.evidence.kind}{by}{checked}{detail}"
