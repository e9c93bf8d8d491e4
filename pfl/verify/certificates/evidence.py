"""Checks the evidence of a proof again, certificate by certificate, without the code that found it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeGuard

from pfl.base.budget import Budget
from pfl.model.claims import Case, Question, mentioned_in_cases
from pfl.model.compare import Compare
from pfl.verify.certificates.certificate import verify_certificate
from pfl.verify.certificates.certificate_format import Uncertifiable
from pfl.verify.certificates.relation_family import verify_relation
from pfl.verify.certificates.unwinding_family import KIND, verify_family


def is_provable(question: Question) -> TypeGuard[Compare]:
    """Whether there are certificates for a question of this kind."""
    return isinstance(question, Compare) and question.goal == "check"


def faults_of_evidence(question: Question, certificates: Sequence[Any], budget: Budget) -> list[str]:
    """What is wrong with the certificates of one question; see `faults_of_cases`."""
    return faults_of_cases((Case(question=question),), certificates, budget)


def faults_of_cases(cases: Sequence[Case], certificates: Sequence[Any], budget: Budget) -> list[str]:
    """What is wrong with the certificates of all cases; empty where they are a proof. Raises LimitReached."""
    if not all(is_provable(case.question) for case in cases):
        return [Uncertifiable("there are no certificates for a claim of this kind")]
    if free := sorted(mentioned_in_cases(cases)):
        return [Uncertifiable(f"it is about all values of {', '.join(free)}, and certificates are about one")]
    if len(cases) == 1:
        return _faults_of(cases[0].question, certificates, budget)
    faults: list[str] = []
    rest = list(certificates)
    for case in cases:
        assert is_provable(case.question)
        count = 1 if case.question.family is not None else len(list(case.question.directions))
        own, rest = rest[:count], rest[count:]
        faults += _faults_of(case.question, own, budget)
    return [*faults, "there are more certificates than cases"] if rest else faults


def _faults_of(question: Question, certificates: Sequence[Any], budget: Budget) -> list[str]:
    assert is_provable(question)
    if question.family is None:
        return _faults_of_comparisons(question, certificates, budget)
    if len(certificates) != 1:
        return [f"there are {len(certificates)} certificates for one family"]
    return verify_relation(certificates[0], question, budget)


def _faults_of_comparisons(question: Compare, certificates: Sequence[Any], budget: Budget) -> list[str]:
    if question.delta != 0 or any(comparison.epsilon is None for comparison in question.comparisons):
        return [Uncertifiable("a certificate cannot show a claim that has a delta or no epsilon")]
    required = list(question.directions)
    if len(required) != len(certificates):
        return [f"there are {len(certificates)} certificates for {len(required)} obligations"]
    length: int | Literal["any"] = "any" if question.lengths == "any" else max(question.lengths)
    faults: list[str] = []
    for number, (direction, certificate) in enumerate(zip(required, certificates), 1):
        comparison = direction.comparison
        assert comparison.epsilon is not None
        budget.progress(f"checking the proof of obligation {number} of {len(required)}")
        budget.check(f"the proof of {number - 1} of {len(required)} obligations was checked")
        if comparison.table.unwindable is not None and _is_family(certificate):
            found = verify_family(
                certificate,
                comparison.table.unwindable,
                comparison.epsilon,
                is_reversed=direction.is_reversed,
                length=length,
                budget=budget,
            )
        else:
            found = verify_certificate(
                certificate,
                comparison.system,
                direction.above.vector,
                direction.below.vector,
                comparison.epsilon,
                length=length,
                budget=budget,
            )
        where = f"obligation {number}, `{direction.above.label}` against `{direction.below.label}`"
        faults += [type(fault)(f"{where}: {fault}") for fault in found]
    return faults


def _is_family(certificate: Any) -> bool:
    return isinstance(certificate, dict) and certificate.get("kind") == KIND
