"""Replay: what an engine says fails is run through the system itself, exactly, before anything is called refuted.

This is the only place that builds a `Refuted`. An engine that is wrong, or whose numbers were rounded, cannot
pass: the masses of the words are computed here, from the system and the parameter values alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from pfl.base.number import Number
from pfl.engines.answer import Violation
from pfl.ir.claims import Comparison, Indistinguishability, Side
from pfl.ir.labelled_system import LabelledSystem
from pfl.transform.substitute import ImpossibleValues, substitute
from pfl.verify.verdict import Refuted, Unknown, Witness


class ReplayFailed(Exception):
    """The engine's violation is none; the message says in which way."""


def refute(question: Indistinguishability, engine: str, violation: Violation) -> Refuted | Unknown:
    """`Refuted` where the violation replays exactly; else `Unknown`, as a fault of the engine."""
    try:
        at_values, comparison = _at_values(question, violation)
        witness = _witness(question, violation, comparison)
        if comparison.epsilon is None or at_values.delta is None:
            raise ReplayFailed("nothing is claimed that could fail")
        if comparison.epsilon.parameters:
            raise ReplayFailed(f"it gives no value to {', '.join(comparison.epsilon.parameters)}")
        delta = _constant(at_values.delta)
        if not witness.exceeds(comparison.epsilon, delta):
            raise ReplayFailed(
                f"its words have probability {witness.probability_left} against {witness.probability_right}, "
                f"which epsilon {comparison.epsilon} and delta {delta} allow"
            )
        return Refuted(engine=engine, witness=witness, epsilon=comparison.epsilon, delta=delta)
    except ReplayFailed as failure:
        return Unknown(
            engine=engine, reason=f"the engine's counterexample does not replay: {failure}", is_internal=True
        )


def replay(question: Indistinguishability, violation: Violation) -> Witness:
    """The exact probabilities of the violation's words on both sides; raises `ReplayFailed` where it is malformed.

    Malformed: words that are too long or of which one begins with another; parameter values outside their space. A
    word may be shorter than the claim's length: what it exceeds, some continuation of it exceeds too.
    """
    _, comparison = _at_values(question, violation)
    return _witness(question, violation, comparison)


def _at_values(question: Indistinguishability, violation: Violation) -> tuple[Indistinguishability, Comparison]:
    """The one comparison that the violation is about, at its parameter values, alone in its question."""
    if not 0 <= violation.comparison < len(question.comparisons):
        raise ReplayFailed("it names no comparison of the claim")
    comparison = question.comparisons[violation.comparison]
    if violation.reversed and comparison.one_way:
        raise ReplayFailed("it is about the direction that is not claimed")
    alone = replace(question, comparisons=(comparison,))
    if not violation.parameters:
        return alone, comparison
    try:
        alone = substitute(alone, _rational_values(violation))
    except ImpossibleValues as impossible:
        raise ReplayFailed(f"its parameter values are impossible: {impossible}") from impossible
    if alone.parameters.assumptions or alone.comparisons[0].nonzero:
        raise ReplayFailed("it gives no value to a parameter that an assumption names")
    return alone, alone.comparisons[0]


def _rational_values(violation: Violation) -> dict[str, Fraction]:
    values: dict[str, Fraction] = {}
    for name, value in violation.parameters.items():
        if not isinstance(value, Fraction):
            raise ReplayFailed(f"its value of {name} is not rational: {value.polynomial}")
        values[name] = value
    return values


def _witness(question: Indistinguishability, violation: Violation, comparison: Comparison) -> Witness:
    _require_words(question, comparison.system, violation.words)
    left, right = comparison.left, comparison.right
    if violation.reversed:
        left, right = right, left
    letters = comparison.system.letters
    return Witness(
        heading=comparison.heading,
        left=left.label,
        right=right.label,
        prior=comparison.prior,
        bindings=comparison.bindings,
        parameters=tuple(sorted(violation.parameters.items())),
        words=tuple(tuple(letters[letter] for letter in word) for word in violation.words),
        probability_left=_probability(comparison.system, left, violation.words),
        probability_right=_probability(comparison.system, right, violation.words),
    )


def _probability(system: LabelledSystem, side: Side, words: Sequence[Sequence[int]]) -> Fraction:
    """Pr(one of the words | side)."""
    weight = _constant(side.weight)
    if weight <= 0:
        raise ReplayFailed(f"`{side.label}` has probability {weight}")
    return sum((_constant(system.mass(side.start, word)) for word in words), Fraction(0)) / weight


def _constant(number: Number) -> Fraction:
    if isinstance(number, Fraction):
        return number
    raise ReplayFailed(f"it gives no value to {', '.join(number.parameters)}")


def _require_words(question: Indistinguishability, system: LabelledSystem, words: Sequence[Sequence[int]]) -> None:
    if not words:
        raise ReplayFailed("it has no word")
    if question.goal != "delta" and question.delta == 0 and len(words) != 1:
        raise ReplayFailed("it has several words though delta is 0")
    longest = None if question.lengths == "any" else max(question.lengths, default=0)
    for word in words:
        if longest is not None and len(word) > longest:
            raise ReplayFailed(f"a word has {len(word)} letters, the claim allows {longest}")
        if not all(0 <= letter < len(system.letters) for letter in word):
            raise ReplayFailed("a word has a letter that the system does not have")
    for first, second in pairwise(sorted(tuple(word) for word in words)):
        if second[: len(first)] == first:
            raise ReplayFailed("one of its words begins with another")
        parting = next(position for position, (a, b) in enumerate(zip(first, second)) if a != b)
        if system.inputs is not None and system.inputs[first[parting]] != system.inputs[second[parting]]:
            raise ReplayFailed("its words choose two inputs after one history, which no adversary can")
