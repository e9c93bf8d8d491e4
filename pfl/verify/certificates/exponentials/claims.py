"""Which certificates must show a comparison of numbers that hold exponentials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

from pfl.base.budget import Budget
from pfl.base.exponential import ONE, Exponential
from pfl.model.claims import mentioned_parameters
from pfl.model.compare import Compare
from pfl.model.parameters import ExponentialSpace, Parameter, ParameterSpace
from pfl.verify.certificates.certificate_format import (
    PARAMETRIC,
    Damage,
    Malformed,
    Uncertifiable,
    digest_of,
    intact,
)
from pfl.verify.certificates.exact.polynomials import read_poly

Check: TypeAlias = Callable[[Compare, Sequence[Any], Budget], list[str]]

LONGEST_NAME = 200
"""Characters of the name of an exponential in a certificate."""


def faults_of_exponentials(
    questions: Sequence[Compare], certificates: Sequence[Any], budget: Budget, of_parameters: Check
) -> list[str]:
    """What is wrong with the certificates of some comparisons over exponentials; empty where they are a proof.

    `of_parameters` checks those of a comparison over parameters. Raises LimitReached.
    """
    faults: list[str] = []
    rest = list(certificates)
    for question in questions:
        if question.is_about_systems or question.exponents is None:
            return [Uncertifiable("there are no certificates for a claim of this kind where numbers hold exponentials")]
        if any(table.epsilon is None for table in question.tables):
            return [Uncertifiable("a certificate cannot show a claim that has no epsilon")]
        if not question.comparisons:
            continue
        first = rest[0] if rest else None
        if isinstance(first, dict) and first.get("kind") == PARAMETRIC:
            count = len(list(question.directions))
            own, rest = rest[:count], rest[count:]
            if not is_about_exponential_alone(question):
                return ["a proof for every value of the exponential says nothing where the parameter stands elsewhere"]
            try:
                own = [in_unit(certificate, question.exponents) for certificate in own]
            except Malformed as malformed:
                return [Damage(malformed)]
            faults += of_parameters(over_exponential(question, question.exponents), own, budget)
            continue
        own, rest = rest[:1], rest[1:]
        if not own:
            return ["there are fewer certificates than cases"]
        if question.delta:
            from pfl.verify.certificates.exponentials.excesses import verify_excesses  # needed for a delta only

            faults += verify_excesses(own[0], question, budget)
        else:
            from pfl.verify.certificates.exponentials.ratios import verify_ratios  # not needed for a delta

            faults += verify_ratios(own[0], question, budget)
    return [*faults, "there are more certificates than cases"] if rest else faults


def is_about_exponential_alone(question: Compare) -> bool:
    """Whether a claim without delta holds x in z = e^(-x/unit) alone, and z goes through (0, 1) as x does through all
    of its values."""
    space = question.exponents
    if space is None or question.delta or space.base == ONE:
        return False
    is_whole = space.low == 0 and space.low_open and space.high is None
    return is_whole and mentioned_parameters(question) <= {space.exponential.name}


def over_exponential(question: Compare, space: ExponentialSpace) -> Compare:
    """The claim as one about a parameter z in (0, 1)."""
    name, zero, one = space.exponential.name, Fraction(0), Fraction(1)
    z = Parameter(name=name, low=zero, high=one, low_open=True, high_open=True)
    return replace(question, exponents=None, parameters=ParameterSpace(parameters=(z,)))


def in_unit(certificate: Any, space: ExponentialSpace) -> dict[str, Any]:
    """A certificate about some root of e^-x as one about that of a space, if it is about powers of this. Raises
    Malformed."""
    record, _ = intact(certificate)
    names = record.get("parameters")
    unit = stated_unit(names[0] if isinstance(names, list) and len(names) == 1 else None, space)
    bound = record.get("bound")
    for number in bound if isinstance(bound, list) else []:
        read_poly(number if isinstance(number, list) else [], 1, "`bound`")
    if isinstance(bound, list) and unit != space.unit:
        bound = [_scaled(number, Fraction(space.unit, unit)) for number in bound]
    found = {**record, "parameters": [space.exponential.name], "bound": bound}
    return {**found, "digest": digest_of(found)}


def stated_unit(name: Any, space: ExponentialSpace) -> int:
    """The root of e^-x that a certificate names. Raises Malformed."""
    held = Exponential.of(name) if isinstance(name, str) and len(name) < LONGEST_NAME else None
    if held is None or held.base != space.base:
        raise Malformed(f"`parameters` must be a power of {space.exponential.name}")
    return held.unit


def _scaled(number: Any, factor: Fraction) -> Any:
    if not isinstance(number, list):
        return number
    powers = [power * factor for _, (power,) in number]
    if any(power.denominator != 1 for power in powers):
        raise Malformed("`bound` holds powers that the numbers of the claim do not have")
    return [[coefficient, [int(power)]] for (coefficient, _), power in zip(number, powers)]
