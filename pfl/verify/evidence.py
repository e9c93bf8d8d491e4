"""Checks the evidence of a proof again, certificate by certificate, without the code that found it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pfl.base.budget import Budget
from pfl.engines.answer import Evidence
from pfl.ir.claims import Comparison, Indistinguishability, Side
from pfl.verify.certificate import verify_certificate
from pfl.verify.unwinding_family import KIND, verify_family


def obligations(question: Indistinguishability) -> Iterator[tuple[Comparison, Side, Side]]:
    """What has to be shown, in the order of the certificates: left against right, then back unless it is one way."""
    for comparison in question.comparisons:
        yield comparison, comparison.left, comparison.right
        if not comparison.one_way:
            yield comparison, comparison.right, comparison.left


def faults_of_evidence(question: Indistinguishability, evidence: Evidence, budget: Budget) -> list[str]:
    """What is wrong with the certificates of a check; empty where they are a proof, and where there are none.

    Raises LimitReached between two obligations.
    """
    if not evidence.certificates:
        return []
    required = list(obligations(question))
    if len(required) != len(evidence.certificates):
        return [f"there are {len(evidence.certificates)} certificates for {len(required)} obligations"]
    length: int | Literal["any"] = "any" if question.lengths == "any" else max(question.lengths)
    faults: list[str] = []
    for number, ((comparison, left, right), certificate) in enumerate(zip(required, evidence.certificates), 1):
        if comparison.epsilon is None or question.delta != 0:
            faults.append("a certificate cannot show a claim that has a delta or no epsilon")
            continue
        where = f"checking the proof of obligation {number} of {len(required)}"
        budget.progress(where)
        budget.check(where)
        if comparison.runs is not None and _is_family(certificate):
            is_reversed = left is comparison.right
            found = verify_family(
                certificate, comparison.runs, comparison.epsilon, is_reversed=is_reversed, length=length
            )
        else:
            found = verify_certificate(
                certificate, comparison.system, left.start, right.start, comparison.epsilon, length=length
            )
        faults += [f"obligation {number}, `{left.label}` against `{right.label}`: {fault}" for fault in found]
    return faults


def _is_family(certificate: Any) -> bool:
    return isinstance(certificate, dict) and certificate.get("kind") == KIND
