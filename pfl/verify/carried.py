"""What a proved refinement carries over: the proved claims about the system that is implemented.

Source: docs/theory/refinement.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pfl.ir.claims import Cases, Indistinguishability, Question
from pfl.ir.interactive_questions import Implementation
from pfl.verify.verdict import ClaimResult, Proved


def with_carried(results: Sequence[ClaimResult]) -> tuple[ClaimResult, ...]:
    """The results, in which proofs of refinement name the claims that then hold of the implementing system, too."""
    proved = [result for result in results if isinstance(result.verdict, Proved)]
    return tuple(_carrying(result, proved) for result in results)


def _carrying(result: ClaimResult, proved: Sequence[ClaimResult]) -> ClaimResult:
    if not isinstance(result.verdict, Proved):
        return result
    evidence = result.verdict.evidence
    carried = tuple(
        ("carries over", f"`{other.claim.name}` of {question.names[1]}")
        for question in _implementations(result.claim.question)
        for other in proved
        if _is_about(other.claim.question, question)
    )
    facts = tuple(dict.fromkeys((*evidence.facts, *carried)))
    return replace(result, verdict=replace(result.verdict, evidence=replace(evidence, facts=facts)))


def _implementations(question: Question) -> Iterator[Implementation]:
    match question:
        case Implementation():
            yield question
        case Cases(cases=cases):
            yield from (case.question for case in cases if isinstance(case.question, Implementation))


def _is_about(question: Question, implementation: Implementation) -> bool:
    """Whether a question compares two runs of the very system that is implemented."""
    return isinstance(question, Indistinguishability) and all(
        comparison.runs is not None and comparison.runs.system is implementation.abstract
        for comparison in question.comparisons
    )
