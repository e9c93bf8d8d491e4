"""Claims with an additive delta, and the smallest delta at an epsilon, with constant numbers."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from pfl.analysis.ratio.excess import Excess
from pfl.analysis.ratio.integer_system import constant
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.engines.answer import Answer, Evidence, Fails, Holds, NamedValue, Undecided, Value, Violation
from pfl.engines.exact_obligations import weighted
from pfl.ir.claims import Comparison, Indistinguishability

NAME = "exact"
_BITS = (64, 256, 1024)
_DECIMALS = 18
"""Places to which both ends of a delta are written out that is not rational, as e^eps is not."""


def answer(question: Indistinguishability, budget: Budget) -> Answer:
    """Whether delta suffices for every comparison at its epsilon; or the largest delta that one needs.

    A spent budget makes it undecided.
    """
    try:
        return _computed(question, budget) if question.goal == "delta" else _checked(question, budget)
    except LimitReached as limit:
        return Undecided(engine=NAME, reason=limit.reason)


def _checked(question: Indistinguishability, budget: Budget) -> Answer:
    assert question.delta is not None
    delta = constant(question.delta)
    length = _longest(question)
    for index, comparison in enumerate(question.comparisons):
        for is_reversed in _directions(comparison):
            for bits in _BITS:
                low, high = _exponential(comparison, bits)
                if _excess(comparison, is_reversed, low, length, budget).delta <= delta:
                    break
                excess = _excess(comparison, is_reversed, high, length, budget)
                if excess.delta > delta:
                    violation = Violation(comparison=index, reversed=is_reversed, words=excess.words(delta))
                    return Fails(engine=NAME, violation=violation)
            else:
                return Undecided(engine=NAME, reason="delta is too near the excess to tell; try a slightly larger one")
    return Holds(
        engine=NAME, evidence=Evidence(kind="exhaustive", detail="the excess of every set of outcomes was summed up")
    )


def _computed(question: Indistinguishability, budget: Budget) -> Value:
    """One number where every e^eps is rational, else two ends between which it lies."""
    lengths = [None] if question.lengths == "any" else sorted(set(question.lengths))
    by_length: dict[int | None, tuple[Fraction, Fraction]] = {}
    by_group: dict[str, tuple[Fraction, Fraction]] = {}
    for length in lengths:
        by_group = {}
        for comparison in question.comparisons:
            name = ", ".join(f"{variable} = {value}" for variable, value in comparison.bindings)
            found = _between(comparison, length, budget)
            low, high = by_group.get(name, found)
            by_group[name] = max(low, found[0]), max(high, found[1])
        by_length[length] = max(low for low, _ in by_group.values()), max(high for _, high in by_group.values())
    values: list[NamedValue] = []
    if len(lengths) > 1:
        for length, ends in by_length.items():
            values += _named(f"length {length}", ends)
    if len(by_group) > 1:
        for word, pick in (("largest", max), ("smallest", min)):
            name = pick(by_group, key=lambda name: by_group[name])
            values += _named(f"{word} at {name}", by_group[name])
    low, high = by_length[lengths[-1]]
    if low == high:
        return Value(engine=NAME, value=high, values=tuple(values))
    return Value(engine=NAME, values=(*_named("", (low, high)), *values))


def _named(name: str, ends: tuple[Fraction, Fraction]) -> list[NamedValue]:
    low, high = ends
    if low == high:
        return [NamedValue(name=name, value=high)]
    unit = Fraction(1, 10**_DECIMALS)
    return [
        NamedValue(name=f"{name} at least".strip(), value=low // unit * unit),
        NamedValue(name=f"{name} at most".strip(), value=-(-high // unit) * unit),
    ]


def _between(comparison: Comparison, length: int | None, budget: Budget) -> tuple[Fraction, Fraction]:
    """The larger delta of both directions, from below and above; a larger e^eps needs a smaller delta."""
    low, high = _exponential(comparison, _BITS[0])
    below = max(_excess(comparison, r, high, length, budget).delta for r in _directions(comparison))
    if low == high:
        return below, below
    return below, max(_excess(comparison, r, low, length, budget).delta for r in _directions(comparison))


def _excess(comparison: Comparison, is_reversed: bool, bound: Fraction, length: int | None, budget: Budget) -> Excess:
    left, right = weighted(comparison)
    if is_reversed:
        left, right = right, left
    return Excess(comparison.system, left, right, bound, length, budget)


def _exponential(comparison: Comparison, bits: int) -> tuple[Fraction, Fraction]:
    """e^eps from below and above."""
    assert comparison.epsilon is not None
    exact = comparison.epsilon.exact_exponential()
    if isinstance(exact, Fraction):
        return exact, exact
    return comparison.epsilon.lower_bound(bits), comparison.epsilon.upper_bound(bits)


def _directions(comparison: Comparison) -> Iterable[bool]:
    return (False,) if comparison.one_way else (False, True)


def _longest(question: Indistinguishability) -> int | None:
    return None if question.lengths == "any" else max(question.lengths)
