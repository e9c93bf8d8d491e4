"""The linear text of a query: one signed vector x = left - c right, carried along the word.

Source and soundness: docs/theory/smt-encoding.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.engines.bounded_obligation import BoundedObligation, Threshold
from pfl.engines.query import Choice, Prepared, Query, legend, prepare, successors, support
from pfl.engines.smtlib import symbol_names
from pfl.engines.terms import (
    ZERO,
    And,
    Assert,
    Command,
    Comment,
    Constant,
    Declare,
    Implies,
    Not,
    Or,
    Relation,
    Symbol,
    Term,
    add,
    conjunction,
    disjunction,
    multiply,
)
from pfl.ir.labelled_system import Matrix

_PAIRWISE = 8
"""Letters up to which "at most one" is said of every pair."""
_BITS = 24
"""Significant bits to which bounds are rounded, outwards: they stay short, and the text readable."""

Entries: TypeAlias = Mapping[int, Term]
"""The entries of a vector by state; those that are missing are 0."""
Bounds: TypeAlias = Mapping[int, tuple[Fraction, Fraction]]
"""The least and largest value of the entries of a vector by state; those that are missing are 0."""


def encode(obligation: BoundedObligation, threshold: Threshold, budget: Budget) -> Query:
    """The query: linear where all numbers are constants, else with polynomials of the parameters as coefficients."""
    prepared = prepare(obligation, threshold)
    states, letters = obligation.system.states, obligation.system.letters
    signed = [prepared.below * left - prepared.above * right for left, right in zip(prepared.left, prepared.right)]
    start: Entries = {state: prepared.term(signed[state]) for state in sorted(support(signed))}
    bounds = None if prepared.is_symbolic else _points(signed)
    commands: list[Command] = []
    current: Entries = start
    if prepared.is_symbolic:
        named = _variables("x0", start, states)
        commands += map(Declare, named.values())
        commands += (Assert(Relation("=", named[state], term)) for state, term in start.items())
        current = named
    choices: list[Choice] = []
    possible = support(prepared.left)
    for step in range(obligation.length):
        budget.check(f"{step} steps of an SMT query were written down")
        names = symbol_names(f"w{step}", "letter", letters)
        reached = {letter: successors(possible, matrix) for letter, matrix in enumerate(prepared.matrices)}
        shown = {letter: Symbol(names[letter], "Bool") for letter, reachable in reached.items() if reachable}
        images = {letter: _image(current, prepared, letter) for letter in shown}
        after = _variables(f"x{step + 1}", sorted(set().union(*images.values())), states)
        commands += _chosen(step, tuple(shown.values()))
        commands += _moved(step, shown, images, after)
        if bounds is not None:
            bounded = {letter: _bounded_image(bounds, prepared.matrices[letter]) for letter in shown}
            bounds = _hull(bounded.values(), after)
            commands += _bound_facts(step, shown, bounded, bounds, after)
        if step + 1 < obligation.length:
            commands.append(Assert(disjunction(Relation(">", entry, ZERO) for entry in after.values())))
        choices.append(tuple(shown.items()))
        possible = frozenset[int]().union(*reached.values())
        current = after
    commands.append(Comment("the word is more likely on the left than c times on the right"))
    commands.append(Assert(Relation(">", add(current.values()), ZERO)))
    return prepared.query(legend(obligation.system), commands, choices)


def _variables(prefix: str, entries: Iterable[int], states: Sequence[str]) -> dict[int, Symbol]:
    """A real variable for every entry."""
    names = symbol_names(prefix, "state", states)
    return {state: Symbol(names[state], "Real") for state in entries}


def _image(entries: Entries, prepared: Prepared, letter: int) -> Entries:
    """The entries of x M_a."""
    terms: dict[int, list[Term]] = {}
    for state, entry in entries.items():
        for column, weight in prepared.matrices[letter][state]:
            terms.setdefault(column, []).append(multiply(prepared.term(weight), entry))
    return {state: add(summands) for state, summands in terms.items()}


def _chosen(step: int, shown: Sequence[Symbol]) -> Iterator[Command]:
    """Exactly one of the letters is seen."""
    yield Comment(f"w{step}: exactly one letter is seen")
    yield from map(Declare, shown)
    yield Assert(disjunction(shown))
    if len(shown) <= _PAIRWISE:
        for first, second in combinations(shown, 2):
            yield Assert(Not(And((first, second))))
        return
    before: Symbol = shown[0]
    for position, letter in enumerate(shown[1:], start=1):
        yield Assert(Not(And((before, letter))))
        if position + 1 < len(shown):
            either = Symbol(f"w{step}.first.{position + 1}", "Bool")
            yield Declare(either)
            yield Assert(Implies(Or((before, letter)), either))
            before = either


def _moved(
    step: int, shown: Mapping[int, Symbol], images: Mapping[int, Entries], entries: Mapping[int, Symbol]
) -> Iterator[Command]:
    """x_(step+1) = x_step M_a for the letter a that is seen."""
    yield Comment(f"x{step + 1} = x{step} M_w{step}" + (", where x0 = left - c right" if step == 0 else ""))
    yield from map(Declare, entries.values())
    for letter, symbol in shown.items():
        equations = (Relation("=", entry, images[letter].get(state, ZERO)) for state, entry in entries.items())
        yield Assert(Implies(symbol, conjunction(equations)))


def _points(vector: Sequence[Number]) -> Bounds:
    """Bounds of a vector of constants."""
    return {state: (weight, weight) for state, weight in enumerate(vector) if isinstance(weight, Fraction) and weight}


def _bounded_image(bounds: Bounds, matrix: Matrix) -> Bounds:
    """Bounds of the entries of x M_a, which is monotone in x, rounded outwards."""
    low: dict[int, Fraction] = {}
    high: dict[int, Fraction] = {}
    for state, (least, largest) in bounds.items():
        for column, weight in matrix[state]:
            assert isinstance(weight, Fraction)
            low[column] = low.get(column, Fraction(0)) + weight * least
            high[column] = high.get(column, Fraction(0)) + weight * largest
    return {state: (-_rounded_up(-low[state]), _rounded_up(high[state])) for state in low}


def _hull(boxes: Iterable[Bounds], entries: Entries) -> Bounds:
    """Bounds that hold whatever letter is seen."""
    nothing = (Fraction(0), Fraction(0))
    found = {state: [box.get(state, nothing) for box in boxes] for state in entries}
    return {state: (min(low for low, _ in all_of), max(high for _, high in all_of)) for state, all_of in found.items()}


def _bound_facts(
    step: int, shown: Mapping[int, Symbol], bounded: Mapping[int, Bounds], bounds: Bounds, entries: Entries
) -> Iterator[Command]:
    """The bounds of x_(step+1), for each letter and for all."""
    yield Comment(f"facts about x{step + 1} that follow, for speed: bounds, and some entry is positive")
    for letter, symbol in shown.items() if step else ():
        yield Assert(Implies(symbol, _within(bounded[letter], entries)))
    yield Assert(_within(bounds, entries))


def _within(bounds: Bounds, entries: Entries) -> Term:
    relations = []
    for state, (low, high) in sorted(bounds.items()):
        relations.append(Relation("<=", Constant(low), entries[state]))
        relations.append(Relation("<=", entries[state], Constant(high)))
    return conjunction(relations)


def _rounded_up(value: Fraction) -> Fraction:
    """The value, or a little more, with few bits."""
    if max(abs(value.numerator), value.denominator).bit_length() <= _BITS:
        return value
    shift = abs(value.numerator).bit_length() - value.denominator.bit_length() - _BITS
    unit = Fraction(2) ** shift
    return -(-value // unit) * unit
