"""Checks the evidence of a proof again, certificate by certificate, without the code that found it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, TypeGuard

from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.model.claims import Case, Question, Search, mentioned_in_cases
from pfl.model.compare import Compare
from pfl.model.measure import Measure, Observed
from pfl.model.parameters import Condition, ParameterSpace
from pfl.verify.certificates.certificate import verify_certificate
from pfl.verify.certificates.certificate_format import EXCESS_ABOVE, PARAMETRIC, WORDS, Malformed, Uncertifiable
from pfl.verify.certificates.relation_family import verify_relation
from pfl.verify.certificates.unwinding_family import KIND, verify_family


def is_provable(case: Case) -> bool:
    """Whether there are certificates for a case of this kind."""
    return _compares(case.question) or _measures(case)


def _compares(question: Question) -> TypeGuard[Compare]:
    return isinstance(question, Compare) and question.goal == "check"


def _measures(case: Case) -> bool:
    """Whether a case says what a number, or a distribution, must be."""
    is_required = case.required is not None or (case.results is not None and case.results.specified is not None)
    return is_required and isinstance(case.question, Measure)


def faults_of_evidence(question: Question, certificates: Sequence[Any], budget: Budget) -> list[str]:
    """What is wrong with the certificates of one question; see `faults_of_cases`."""
    return faults_of_cases((Case(question=question),), certificates, budget)


def faults_of_cases(cases: Sequence[Case], certificates: Sequence[Any], budget: Budget) -> list[str]:
    """What is wrong with the certificates of all cases; empty where they are a proof. Raises LimitReached."""
    if not all(map(is_provable, cases)):
        return [Uncertifiable("there are no certificates for a claim of this kind")]
    if all(map(_measures, cases)):
        return _faults_of_numbers(cases, certificates, budget)
    if any(case.question.exponents is not None for case in cases if not isinstance(case.question, Search)):
        from pfl.verify.certificates.exponentials.claims import faults_of_exponentials  # needed with exponentials only

        compared = [case.question for case in cases if _compares(case.question)]
        assert len(compared) == len(cases), "the cases of a claim are of one kind"
        return faults_of_exponentials(compared, certificates, budget, _faults_of_comparisons)
    free = sorted(mentioned_in_cases(cases))
    if free and not all(is_of_kind(each, PARAMETRIC) or is_of_kind(each, WORDS) for each in certificates):
        return [Uncertifiable(f"it is about all values of {', '.join(free)}, and certificates are about one")]
    if len(cases) == 1:
        return _faults_of(cases[0].question, certificates, budget)
    faults: list[str] = []
    rest = list(certificates)
    for case in cases:
        assert _compares(case.question)
        is_one = case.question.family is not None or is_of_kind(next(iter(rest), None), WORDS)
        count = 1 if is_one else len(list(case.question.directions))
        own, rest = rest[:count], rest[count:]
        faults += _faults_of(case.question, own, budget)
    return [*faults, "there are more certificates than cases"] if rest else faults


def _faults_of_numbers(cases: Sequence[Case], certificates: Sequence[Any], budget: Budget) -> list[str]:
    from pfl.verify.certificates.chains.solution import groups_of, verify_chain  # not needed of comparisons
    from pfl.verify.certificates.chains.word import verify_word

    groups = groups_of(cases)
    if len(groups) != len(certificates):
        return [f"there are {len(certificates)} certificates for {len(groups)} solutions"]
    faults: list[str] = []
    for number, (group, certificate) in enumerate(zip(groups, certificates), 1):
        budget.progress(f"checking solution {number} of {len(groups)}")
        budget.check(f"{number - 1} of {len(groups)} solutions were checked")
        question = group[0].question
        if isinstance(question, Measure) and isinstance(question.quantity, Observed):
            faults += verify_word(certificate, group[0], budget)
        else:
            faults += verify_chain(certificate, group, budget)
    return faults


def nonzero_in(certificates: Sequence[Any], space: ParameterSpace) -> tuple[Condition, ...]:
    """What the certificates need not to be 0, beside what the claim says: where it is, they show nothing, and the claim
    must be shown apart. Raises Malformed."""
    found: dict[Number, None] = {}
    for certificate in certificates:
        entries = certificate.get("nonzero", []) if isinstance(certificate, dict) else []
        if not isinstance(entries, list):
            raise Malformed("`nonzero` must be a list of polynomials")
        for entry in entries:
            from pfl.verify.certificates.exact.polynomials import read_poly  # needed with parameters only

            number = read_poly(entry, len(space.names), "`nonzero`").to_number(space.names)
            if isinstance(number, Fraction):
                raise Malformed("a constant in `nonzero` says nothing")
            found[number] = None
    return tuple(Condition(polynomial=number, relation="!=", text=f"{number} != 0") for number in found)


def _faults_of(question: Question, certificates: Sequence[Any], budget: Budget) -> list[str]:
    assert _compares(question)
    if question.family is None:
        return _faults_of_comparisons(question, certificates, budget)
    if len(certificates) != 1:
        return [f"there are {len(certificates)} certificates for one family"]
    return verify_relation(certificates[0], question, budget)


def _faults_of_comparisons(question: Compare, certificates: Sequence[Any], budget: Budget) -> list[str]:
    if any(comparison.epsilon is None for comparison in question.comparisons):
        return [Uncertifiable("a certificate cannot show a claim that has no epsilon")]
    delta = question.delta
    if not isinstance(delta, Fraction):
        return [Uncertifiable("a certificate cannot show a claim that has a delta with parameters")]
    if certificates and is_of_kind(certificates[0], WORDS) and not delta:
        from pfl.verify.certificates.parametric_pairs import verify_words  # needed with parameters only

        if len(certificates) != 1:
            return [f"there are {len(certificates)} certificates for what one shows"]
        return verify_words(certificates[0], question, budget)
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
        if delta:
            if is_of_kind(certificate, EXCESS_ABOVE):
                from pfl.verify.certificates.excess_above import verify_excess_above  # needed for a delta only

                found = verify_excess_above(certificate, direction, delta, budget)
            else:
                from pfl.verify.certificates.excess_sum import verify_excess  # needed for a delta only

                found = verify_excess(certificate, direction, delta, length, budget)
        elif is_of_kind(certificate, PARAMETRIC):
            from pfl.verify.certificates.parametric_words import verify_parametric  # needed with parameters only

            found = verify_parametric(certificate, direction, question.parameters, length, budget)
        elif comparison.table.unwindable is not None and is_of_kind(certificate, KIND):
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


def is_of_kind(certificate: Any, kind: str) -> bool:
    """Whether a certificate says that it is of a kind."""
    return isinstance(certificate, dict) and certificate.get("kind") == kind
