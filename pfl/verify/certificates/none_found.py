"""An independent check that a `find` has no answer: counterexamples no values of the names can meet together.

Shares no code with the search. The format, and why it proves what it claims: docs/reference/certificates.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from pfl.base.budget import Budget
from pfl.base.struct import struct
from pfl.model.claims import Search
from pfl.model.compare import Direction
from pfl.model.parameters import Condition, Parameter, ParameterSpace, names_of
from pfl.verify.certificates.certificate_format import LONGEST_WORD, Damage, Malformed, Unproved, exact_rational, intact
from pfl.verify.certificates.exact.polynomials import Poly
from pfl.verify.certificates.exact.region import Region
from pfl.verify.certificates.parametric_vectors import ParametricVectors

KIND = "none"


@struct
class _Counterexample:
    """A word that is too likely at values of the parameters that are not looked for; `bound` is at least e^epsilon."""

    direction: Direction
    word: tuple[int, ...]
    at: Mapping[str, Fraction]
    bound: Fraction | None


def verify_none(certificate: Any, question: Search, budget: Budget) -> list[str]:
    """What is wrong with a certificate that no values of the names satisfy the claim; empty if it is a proof.

    Raises LimitReached.
    """
    claim, names = question.claim, frozenset(question.names)
    if claim.exponents is not None:
        return [Unproved("factors of the parameter of exponents are not looked at")]
    if claim.delta != 0 or any(table.interleaved for table in claim.tables):
        return [Unproved("a delta, or words that say more than an adversary sees, are not looked at")]
    mentioned = [names_of(c.polynomial for c in clause) for clause in claim.parameters.assumptions]
    if any(found & names and not found <= names for found in mentioned):
        return [Unproved("assumptions about both the names and other parameters are not looked at")]
    try:
        examples = _read(certificate, question)
        conditions = [_condition(example, claim.parameters, names, budget) for example in examples]
    except Malformed as malformed:
        return [Damage(malformed)]
    if any(condition is None for condition in conditions):
        return [Unproved("it is not shown that a counterexample excludes what it is said to exclude")]
    clauses = tuple(clause for clause, found in zip(claim.parameters.assumptions, mentioned) if found <= names)
    weights = tuple(
        (Condition(polynomial=-side.weight, relation="<", text=side.label),)
        for comparison in claim.comparisons
        for side in comparison.sides
        if names_of([side.weight]) <= names
    )
    own = replace(claim.parameters, assumptions=(*clauses, *weights))
    region = Region.of(own, budget)
    if region.is_empty_under([condition for condition in conditions if condition is not None]):
        return []
    return [Unproved("it is not shown that no values of the names meet all counterexamples")]


def _read(certificate: Any, question: Search) -> list[_Counterexample]:
    record, kind = intact(certificate)
    if kind != KIND:
        raise Malformed(f"a certificate of the kind `{kind}` does not show that there are no values")
    entries = record.get("counterexamples")
    directions = {(each.number, each.is_reversed): each for each in question.claim.directions}
    found = []
    for entry in entries if isinstance(entries, list) else [None]:
        if not isinstance(entry, dict):
            raise Malformed("`counterexamples` must be a list of objects")
        number, is_reversed, word = entry.get("comparison"), entry.get("reversed"), entry.get("word")
        if type(number) is not int or type(is_reversed) is not bool or (number, is_reversed) not in directions:
            raise Malformed("a counterexample must name a comparison of the claim, and whether it is `reversed`")
        direction = directions[number, is_reversed]
        letters = len(direction.comparison.system.letters)
        if not isinstance(word, list) or len(word) > LONGEST_WORD:
            raise Malformed("`word` must be a list of letters")
        if not all(type(letter) is int and 0 <= letter < letters for letter in word):
            raise Malformed("a word names a letter that the system does not have")
        lengths = question.claim.lengths
        if lengths != "any" and len(word) > max(lengths):
            raise Malformed("a word is longer than the claim's")
        values = entry.get("at")
        if not isinstance(values, dict):
            raise Malformed("`at` must hold values of the parameters that are not looked for")
        bound = entry.get("bound")
        found.append(
            _Counterexample(
                direction=direction,
                word=tuple(word),
                at={name: exact_rational(value, f"the value of {name}") for name, value in values.items()},
                bound=None if bound is None else exact_rational(bound, "`bound`"),
            )
        )
    return found


def _condition(example: _Counterexample, space: ParameterSpace, names: frozenset[str], budget: Budget) -> Poly | None:
    """A polynomial in the names that is at most 0 wherever the claim holds; None where that is not shown."""
    others = [parameter for parameter in space.parameters if parameter.name not in names]
    if example.at.keys() - {parameter.name for parameter in others}:
        raise Malformed("`at` gives a value to a name that is looked for, or to none of the parameters")
    if not all(parameter.contains(example.at[parameter.name]) for parameter in others if parameter.name in example.at):
        raise Malformed("`at` gives a value that is not in the interval of its parameter")
    fixed = tuple(
        _fixed(parameter, example.at[parameter.name]) if parameter.name in example.at else parameter
        for parameter in space.parameters
    )
    region = Region.of(ParameterSpace(parameters=fixed), budget)
    for clause in space.assumptions:
        mentioned = names_of(condition.polynomial for condition in clause)
        if mentioned <= names:
            continue
        if not mentioned <= example.at.keys() or not any(_holds(condition, region) for condition in clause):
            return None
    bound = _bound(example, region)
    if bound is None:
        return None
    vectors = ParametricVectors(example.direction, region, *bound, budget)
    vector = vectors.start()
    for letter in example.word:
        vector = vectors.after(vector, letter)
    mass = vectors.mass(vector)
    places = [place for place, parameter in enumerate(space.parameters) if parameter.name not in names]
    return None if any(mass.mentions(place) for place in places) else mass


def _fixed(parameter: Parameter, value: Fraction) -> Parameter:
    return Parameter(name=parameter.name, low=value, high=value, low_open=False, high_open=False)


def _holds(condition: Condition, region: Region) -> bool:
    quotient = region.read(condition.polynomial)
    above, below = quotient.above.value, quotient.below.value
    return above is not None and bool(below) and below is not None and condition.holds(above / below)


def _bound(example: _Counterexample, region: Region) -> tuple[Poly, Poly] | None:
    """A number that is at least e^epsilon, as a quotient."""
    epsilon = example.direction.comparison.epsilon
    assert epsilon is not None
    if example.bound is not None:
        if epsilon.parameters or epsilon.compare(example.bound) < 0:
            return None
        size = len(region.names)
        return Poly.constant(example.bound, size), Poly.constant(1, size)
    exact = epsilon.exact_exponential()
    if exact is None:
        return None
    quotient = region.read(exact)
    return quotient.above, quotient.below
