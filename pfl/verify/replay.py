"""Replay: what an engine says fails is run through the system itself, exactly, before anything is called refuted.

This is the only place that builds a `Refuted`. An engine that is wrong, or whose numbers were rounded, cannot
pass: the masses of the words are computed here, from the system and the parameter values alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from pfl.analysis.interleavings import seen_mass
from pfl.analysis.polynomial.algebraic import ExactRoot, Undecidable, approximation, sign_at
from pfl.analysis.polynomial.real_roots import Root
from pfl.analysis.word_mass import mass_of_words
from pfl.base.closed_form import is_closed, is_constant, sign
from pfl.base.enclosure import decimal_text
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.engines.answer import MORE_THAN_SEEN, Unknown, Violation
from pfl.engines.witness import Witness
from pfl.model.compare import Compare, Comparison, Side
from pfl.model.labelled_system import Exchange, LabelledSystem
from pfl.model.parameters import Condition, names_in
from pfl.passes.substitute import ImpossibleValues, substitute
from pfl.verify.verdict import Refuted


class ReplayFailed(Exception):
    """The engine's violation is none; the message says in which way."""


def refute(question: Compare, engine: str, violation: Violation) -> Refuted | Unknown:
    """`Refuted` where the violation replays exactly; else `Unknown`, as a fault of the engine.

    Source: docs/theory/replay.md.
    """
    try:
        at_values, comparison = _at_values(question, violation)
        witness = _witness(question, violation, comparison)
        epsilon, delta = comparison.epsilon, at_values.delta
        if epsilon is None or delta is None:
            raise ReplayFailed("nothing is claimed that could fail")
        mentioned = {*epsilon.parameters, *names_in(delta)}
        if unknown := {name for name in mentioned if not is_constant(name)} - _roots(violation).keys():
            raise ReplayFailed(f"it gives no value to {', '.join(sorted(unknown))}")
        if not witness.exceeds(epsilon, delta):
            if comparison.table.interleaved:
                return Unknown(engine=engine, reason=MORE_THAN_SEEN)
            raise ReplayFailed(
                f"its words have probability {witness.probability_left} against {witness.probability_right}, "
                f"which epsilon {epsilon} and delta {delta} allow"
            )
        return Refuted(engine=engine, witness=witness, epsilon=epsilon, delta=delta)
    except (ReplayFailed, Undecidable) as failure:
        return Unknown(
            engine=engine, reason=f"the engine's counterexample does not replay: {failure}", is_internal=True
        )


def replay(question: Compare, violation: Violation) -> Witness:
    """The exact probabilities of the violation's words on both sides; raises `ReplayFailed` where it is malformed.

    Malformed: words that are too long or of which one begins with another; parameter values outside their space. A
    word may be shorter than the claim's length: what it exceeds, some continuation of it exceeds too.
    """
    try:
        _, comparison = _at_values(question, violation)
        return _witness(question, violation, comparison)
    except Undecidable as undecidable:
        raise ReplayFailed(str(undecidable)) from undecidable


def _at_values(question: Compare, violation: Violation) -> tuple[Compare, Comparison]:
    """The one comparison that the violation is about, at its rational parameter values, alone in its question."""
    if not 0 <= violation.comparison < len(question.comparisons):
        raise ReplayFailed("it names no comparison of the claim")
    comparison = question.comparisons[violation.comparison]
    if violation.reversed and comparison.table.one_way:
        raise ReplayFailed("it is about the direction that is not claimed")
    alone = question.alone(comparison)
    if not violation.parameters:
        return alone, comparison
    try:
        rational = {name: value for name, value in violation.parameters.items() if isinstance(value, Fraction)}
        alone = substitute(alone, rational)
    except ImpossibleValues as impossible:
        raise ReplayFailed(f"its parameter values are impossible: {impossible}") from impossible
    _require_at_roots(alone, _roots(violation))
    return alone, alone.comparisons[0]


def _roots(violation: Violation) -> dict[str, Root]:
    roots = {name: value.root for name, value in violation.parameters.items() if isinstance(value, ExactRoot)}
    if len(roots) > 1:
        raise ReplayFailed(f"the values of {', '.join(roots)} are all irrational, which is not replayed")
    return roots


def _require_at_roots(question: Compare, roots: Mapping[str, Root]) -> None:
    """What is left of the space and the conditions, once rational values are in, must hold at the irrational one."""
    for parameter in question.parameters.parameters:
        root = roots.get(parameter.name)
        if root is not None:
            variable = RationalFunction.parameter(parameter.name)
            if sign_at(variable - parameter.low, root) < 0 or sign_at(parameter.high - variable, root) < 0:
                near = decimal_text(approximation(variable, root), 6)
                raise ReplayFailed(f"{parameter.name} near {near} lies outside {parameter}")
    conditions = [*question.parameters.assumptions, *((c,) for c in question.comparisons[0].nonzero)]
    for alternatives in conditions:
        if not any(_holds(condition, roots) for condition in alternatives):
            raise ReplayFailed(f"`{' or '.join(c.text for c in alternatives)}` does not hold at its parameter values")


def _holds(condition: Condition, roots: Mapping[str, Root]) -> bool:
    (root,) = roots.values() or (None,)
    if root is None or set(names_in(condition.polynomial)) - roots.keys():
        raise ReplayFailed("it gives no value to a parameter that an assumption names")
    return condition.holds(Fraction(sign_at(condition.polynomial, root)))


def _witness(question: Compare, violation: Violation, comparison: Comparison) -> Witness:
    _require_words(question, comparison.system, violation.words)
    left, right = comparison.left, comparison.right
    if violation.reversed:
        left, right = right, left
    first, second = _labels(comparison, violation.words)
    if violation.reversed:
        first, second = second, first
    letters, exchanges = comparison.system.letters, comparison.system.exchanges
    roots = _roots(violation)
    return Witness(
        heading=comparison.table.heading,
        left=first,
        right=second,
        prior=comparison.table.prior,
        bindings=comparison.table.bindings,
        parameters=tuple(sorted(violation.parameters.items())),
        words=tuple(tuple(letters[letter] for letter in word) for word in violation.words),
        inputs=() if exchanges is None else tuple(_given(exchanges, word) for word in violation.words),
        observations=() if exchanges is None else tuple(_seen(exchanges, word) for word in violation.words),
        probability_left=_probability(comparison, left, violation.words, roots),
        probability_right=_probability(comparison, right, violation.words, roots),
        epsilon=comparison.epsilon,
        out_of=violation.out_of,
    )


def _labels(comparison: Comparison, words: Sequence[Sequence[int]]) -> tuple[str, str]:
    """What the sides are called; of two runs with an exchanged point, which point each of them has got."""
    runs = comparison.table.runs
    if runs is not None and runs.adjacency == "replace" and not runs.goes_both_ways:
        for extra, points in enumerate(runs.extras):
            if any(runs.extra_letter(extra) in word for word in words):
                one, other = (runs.system.data[point] for point in points if point is not None)
                return f"with {one}", f"with {other}"
    return comparison.left.label, comparison.right.label


def _given(exchanges: Sequence[Exchange], word: Sequence[int]) -> tuple[str, ...]:
    return tuple(given for letter in word if (given := exchanges[letter].given) is not None)


def _seen(exchanges: Sequence[Exchange], word: Sequence[int]) -> tuple[str, ...]:
    return tuple(seen for letter in word if (seen := exchanges[letter].seen) is not None)


def _probability(
    comparison: Comparison, side: Side, words: Sequence[Sequence[int]], roots: Mapping[str, Root]
) -> Number:
    """Pr(one of the words | side), a function of the irrational parameter if there is one."""
    if _sign(side.weight, roots) <= 0:
        raise ReplayFailed(f"`{side.label}` has probability {side.weight}")
    if comparison.table.interleaved:
        mass = sum((seen_mass(comparison.system, side.vector, word) for word in words), Fraction(0))
    else:
        mass = mass_of_words(comparison.system, side.vector, words)
    return mass / side.weight if _sign(mass, roots) else Fraction(0)


def _sign(number: Number, roots: Mapping[str, Root]) -> int:
    """The sign at the irrational value; raises ReplayFailed where the number depends on a parameter without value."""
    if isinstance(number, Fraction):
        return (number > 0) - (number < 0)
    if is_closed(number):
        return sign(number)
    if missing := set(names_in(number)) - roots.keys():
        raise ReplayFailed(f"it gives no value to {', '.join(sorted(missing))}")
    (root,) = roots.values()
    return sign_at(number, root)


def _require_words(question: Compare, system: LabelledSystem, words: Sequence[Sequence[int]]) -> None:
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
    if system.inputs is not None:
        chosen: dict[tuple[tuple[int, ...], int], int] = {}
        for word in words:
            for position, letter in enumerate(word):
                asked, channel = system.inputs[letter], 0 if system.channels is None else system.channels[letter]
                if asked >= 0 and chosen.setdefault((tuple(word[:position]), channel), asked) != asked:
                    raise ReplayFailed("its words choose two inputs after one history, which no adversary can")
