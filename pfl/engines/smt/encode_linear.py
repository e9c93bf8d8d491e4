"""The linear text of a query: one signed vector x = left - c right, carried along the word.

Source and soundness: docs/theory/smt-encoding.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

from pfl.base.budget import Budget
from pfl.engines.ratio.bounded_obligation import BoundedObligation, Threshold
from pfl.engines.smt.entry_bounds import Bounds, Word, by_last_letter, extended, hull, letters_remembered, points
from pfl.engines.smt.query import Choice, Prepared, Query, legend, prepare, successors, support
from pfl.engines.smt.smtlib import symbol_names
from pfl.engines.smt.terms import (
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

_PAIRWISE = 8
"""Letters up to which "at most one" is said of every pair."""

Entries: TypeAlias = Mapping[int, Term]
"""The entries of a vector by state; those that are missing are 0."""


def encode(obligation: BoundedObligation, threshold: Threshold, budget: Budget) -> Query:
    """The query: linear where all numbers are constants, else with polynomials of the parameters as coefficients."""
    prepared = prepare(obligation, threshold)
    states, letters = obligation.system.states, obligation.system.letters
    signed = [prepared.below * left - prepared.above * right for left, right in zip(prepared.left, prepared.right)]
    start: Entries = {state: prepared.term(signed[state]) for state in sorted(support(signed))}
    known: Mapping[Word, Bounds] = {(): points(signed)}
    remembered = letters_remembered(obligation.system)
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
        is_last = step + 1 == obligation.length
        if not prepared.is_symbolic:
            known = extended(known, {a: prepared.matrices[a] for a in shown}, remembered, is_last=is_last)
            commands += _bound_facts(step, shown, by_last_letter(known), after)
        if not is_last:
            commands.append(Assert(disjunction(Relation(">", entry, ZERO) for entry in after.values())))
        choices.append(tuple(shown.items()))
        possible = frozenset[int]().union(*reached.values())
        current = after
    commands.append(Comment("the word is more likely on the left than c times on the right"))
    commands.append(Assert(Relation(">", prepared.total(current), ZERO)))
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


def _bound_facts(
    step: int, shown: Mapping[int, Symbol], by_letter: Mapping[int, Bounds], entries: Entries
) -> Iterator[Command]:
    """The bounds of x_(step+1) for each letter and for all, and which letters leave no entry positive."""
    yield Comment(f"facts, for speed: what x{step + 1} is like after a word that may still violate the claim")
    for letter, symbol in shown.items():
        if letter not in by_letter:
            yield Assert(Not(symbol))
        elif step:
            yield Assert(Implies(symbol, _within(by_letter[letter], entries)))
    if by_letter:
        yield Assert(_within(hull(by_letter.values()), entries))


def _within(bounds: Bounds, entries: Entries) -> Term:
    relations = []
    for state, (low, high) in sorted(bounds.items()):
        relations.append(Relation("<=", Constant(low), entries[state]))
        relations.append(Relation("<=", entries[state], Constant(high)))
    return conjunction(relations)
