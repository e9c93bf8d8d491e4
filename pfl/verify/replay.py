"""Replay: what an engine says fails is run through the system itself, exactly, before anything is called refuted.

This is the only place that builds a `Refuted`. An engine that is wrong, or whose numbers were rounded, cannot
pass: the masses of the words are computed here, from the system and the parameter values alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.engines.answer import Violation
from pfl.ir.claims import Comparison, Indistinguishability, Side
from pfl.ir.labelled_system import LabelledSystem
from pfl.ir.parameters import ParameterSpace
from pfl.verify.verdict import Refuted, Unknown, Witness

Values = Mapping[str, Fraction]


class ReplayFailed(Exception):
    """The engine's violation is none; the message says in which way."""


def refute(question: Indistinguishability, engine: str, violation: Violation) -> Refuted | Unknown:
    """`Refuted` where the violation replays exactly; else `Unknown`, as a fault of the engine."""
    try:
        witness = replay(question, violation)
        comparison = question.comparisons[violation.comparison]
        if comparison.epsilon is None or question.delta is None:
            raise ReplayFailed("nothing is claimed that could fail")
        values = _rational_values(violation)
        epsilon = _epsilon_at(comparison.epsilon, values)
        delta = _constant(question.delta, values)
        if not witness.exceeds(epsilon, delta):
            raise ReplayFailed(
                f"its words have probability {witness.probability_left} against {witness.probability_right}, "
                f"which epsilon {epsilon} and delta {delta} allow"
            )
        if delta == 0 and len(witness.words) != 1:
            raise ReplayFailed("it has several words though delta is 0")
    except ReplayFailed as failure:
        return Unknown(
            engine=engine, reason=f"the engine's counterexample does not replay: {failure}", is_internal=True
        )
    return Refuted(engine=engine, witness=witness, epsilon=epsilon, delta=delta)


def replay(question: Indistinguishability, violation: Violation) -> Witness:
    """The exact probabilities of the violation's words on both sides; raises `ReplayFailed` where it is malformed.

    Malformed: a word that is empty, too long, or begins with another; parameter values outside their space. A word
    may be shorter than the claim's length: what it exceeds, some continuation of it exceeds too.
    """
    if not 0 <= violation.comparison < len(question.comparisons):
        raise ReplayFailed("it names no comparison of the claim")
    comparison = question.comparisons[violation.comparison]
    if violation.reversed and comparison.one_way:
        raise ReplayFailed("it is about the direction that is not claimed")
    values = _rational_values(violation)
    _require_in_space(question.parameters, comparison, values)
    _require_words(question, comparison.system, violation.words)
    left, right = comparison.left, comparison.right
    if violation.reversed:
        left, right = right, left
    system = _System(comparison.system, values)
    return Witness(
        heading=comparison.heading,
        left=left.label,
        right=right.label,
        prior=comparison.prior,
        bindings=comparison.bindings,
        parameters=tuple(sorted(values.items())),
        words=tuple(tuple(comparison.system.letters[letter] for letter in word) for word in violation.words),
        probability_left=system.probability(left, violation.words),
        probability_right=system.probability(right, violation.words),
    )


@dataclass(frozen=True, slots=True)
class _System:
    """A labelled system at given parameter values."""

    system: LabelledSystem
    values: Values

    def probability(self, side: Side, words: Sequence[Sequence[int]]) -> Fraction:
        """Pr(one of the words | side)."""
        weight = _constant(side.weight, self.values)
        if weight <= 0:
            raise ReplayFailed(f"the parameter values give `{side.label}` probability {weight}")
        start = [_constant(entry, self.values) for entry in side.start]
        return sum((self._mass(start, word) for word in words), Fraction(0)) / weight

    def _mass(self, start: list[Fraction], word: Sequence[int]) -> Fraction:
        current = start
        for letter in word:
            following = [Fraction(0)] * len(current)
            for weight, row in zip(current, self.system.matrices[letter]):
                if weight:
                    for column, entry in row:
                        following[column] += weight * _constant(entry, self.values)
            current = following
        return sum(current, Fraction(0))


def _constant(number: Number, values: Values) -> Fraction:
    if isinstance(number, Fraction):
        return number
    try:
        result = number.evaluate(values)
    except ZeroDivisionError as error:
        raise ReplayFailed(f"at its parameter values {error}") from error
    if isinstance(result, RationalFunction):
        raise ReplayFailed(f"it gives no value to {', '.join(result.parameters)}")
    return result


def _epsilon_at(epsilon: Epsilon, values: Values) -> Epsilon:
    result = Epsilon.rational(epsilon.constant)
    for coefficient, argument in epsilon.logarithms:
        value = _constant(argument, values)
        if value <= 0:
            raise ReplayFailed(f"at its parameter values ln({argument}) is no real number")
        result = result + Epsilon.ln(value) * coefficient
    return result


def _rational_values(violation: Violation) -> dict[str, Fraction]:
    values: dict[str, Fraction] = {}
    for name, value in violation.parameters.items():
        if not isinstance(value, Fraction):
            raise ReplayFailed(f"its value of {name} is not rational: {value.polynomial}")
        values[name] = value
    return values


def _require_in_space(space: ParameterSpace, comparison: Comparison, values: Values) -> None:
    for parameter in space.parameters:
        if parameter.name in values and not parameter.contains(values[parameter.name]):
            raise ReplayFailed(f"{parameter.name} = {values[parameter.name]} lies outside {parameter}")
    for alternatives in space.assumptions:
        if not any(condition.holds(_constant(condition.polynomial, values)) for condition in alternatives):
            raise ReplayFailed(f"an assumption does not hold: {' or '.join(c.text for c in alternatives)}")
    for condition in comparison.nonzero:
        if not condition.holds(_constant(condition.polynomial, values)):
            raise ReplayFailed(f"at its parameter values the claim says nothing: {condition.text}")


def _require_words(question: Indistinguishability, system: LabelledSystem, words: Sequence[Sequence[int]]) -> None:
    if not words:
        raise ReplayFailed("it has no word")
    longest = None if question.lengths == "any" else max(question.lengths, default=0)
    for word in words:
        if longest is not None and len(word) > longest:
            raise ReplayFailed(f"a word has {len(word)} letters, the claim allows {longest}")
        if not all(0 <= letter < len(system.letters) for letter in word):
            raise ReplayFailed("a word has a letter that the system does not have")
    ordered = sorted(tuple(word) for word in words)
    for first, second in pairwise(ordered):
        if second[: len(first)] == first:
            raise ReplayFailed("one of its words begins with another")
