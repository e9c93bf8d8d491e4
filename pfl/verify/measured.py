"""The proof that rests on computed numbers: the solutions that these were read off are checked again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.rational_function import RationalFunction
from pfl.engines.answer import Computed, Proved, Unknown
from pfl.model.claims import Case, cases_over, space_of
from pfl.model.measure import Measure
from pfl.model.parameters import ExponentialSpace
from pfl.verify.certificates.certificate_format import Unproved
from pfl.verify.certificates.evidence import faults_of_cases


def with_solutions(
    proof: Proved, cases: Sequence[Case], computed: Sequence[Computed], budget: Budget
) -> Proved | Unknown:
    """The proof that every number is as required, with certificates and checked, where the engine can write them; a
    fault of the engine if they prove nothing."""
    solutions = dict.fromkeys(id(verdict.solution) for verdict in computed)
    certificates = []
    for solution in solutions:
        answers = [verdict for verdict in computed if id(verdict.solution) == solution]
        if answers[0].solution is None:
            return replace(proof, evidence=replace(proof.evidence, uncertified=_why_not(cases)))
        certificate = answers[0].solution.certificate(answers)
        if isinstance(certificate, str):
            return replace(proof, evidence=replace(proof.evidence, uncertified=certificate))
        certificates.append(_with_signs(certificate, cases, computed, solution, budget))
    space = cases[0].question.parameters.restricted(*proof.exceptional)
    try:
        faults = faults_of_cases(cases_over(cases, space), certificates, budget)
    except LimitReached:
        reason = "the time was over before its certificates were checked"
        return replace(proof, evidence=replace(proof.evidence, uncertified=reason))
    if not faults:
        return replace(proof, evidence=replace(proof.evidence, certificates=tuple(certificates)), checked=True)
    if all(isinstance(fault, Unproved) for fault in faults):
        return replace(proof, evidence=replace(proof.evidence, uncertified=str(faults[0])))
    reason = f"the engine's numbers do not stand up to the independent check: {faults[0]}"
    return Unknown(engine=proof.engine, reason=reason, is_internal=True)


def _why_not(cases: Sequence[Case]) -> str:
    """Why an engine gave no solution that a certificate could hold."""
    if any(isinstance(case.question, Measure) and case.question.left is not None for case in cases):
        return "its chain was explored in part, and what lies between two numbers has no certificate"
    return ""


def _with_signs(
    certificate: dict[str, Any], cases: Sequence[Case], computed: Sequence[Computed], solution: int, budget: Budget
) -> dict[str, Any]:
    """The certificate of a solution, with the signs that it needs where numbers hold exponentials."""
    space = space_of(cases[0].question)
    if not isinstance(space, ExponentialSpace):
        return certificate
    from pfl.engines.exponential.required import with_signs  # needed with exponentials only

    required = [
        (verdict.value, case.required)
        for case, verdict in zip(cases, computed)
        if id(verdict.solution) == solution and case.required is not None
        if isinstance(verdict.value, Fraction | RationalFunction)
    ]
    try:
        return with_signs(certificate, required, space, budget)
    except LimitReached:
        return certificate
