"""The text of the algorithm PufferfishCheck: both sides carried along the word by Select, Product, Dot, Sum and Gt.

Source: Liu, Wang and Zhang, Verifying Pufferfish Privacy in Hidden Markov Models; docs/theory/smt-encoding.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TypeAlias

from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.engines.ratio.bounded_obligation import BoundedObligation, Threshold
from pfl.engines.smt.query import Choice, Prepared, Query, legend, prepare
from pfl.engines.smt.smtlib import symbol_names
from pfl.engines.smt.terms import (
    ZERO,
    Assert,
    Command,
    Comment,
    Constant,
    Declare,
    Relation,
    Select,
    Symbol,
    Term,
    add,
    disjunction,
    multiply,
)
from pfl.model.labelled_system import LabelledSystem, Matrix, Vector

Entries: TypeAlias = Mapping[int, Term]
"""The entries of a vector by state; those that are missing are 0."""


@struct
class Emission:
    """A system whose states emit and then move: M_a = diag(o(., a)) P, o and P without denominators.

    `observes` has o(s, .) for every state s.
    """

    observes: tuple[Vector, ...]
    moves: Matrix


def encode(obligation: BoundedObligation, threshold: Threshold, budget: Budget) -> Query:
    """The query as the algorithm writes it, with a variable for every state, step and side.

    A Product with a Select is multiplied into its cases, so that with constants the text is linear. Where the system
    is no hidden Markov model (`emission_form`), each step is a Select among the Dots with the columns of the M_a.
    """
    prepared = prepare(obligation, threshold)
    system = obligation.system
    words = [Symbol(f"w{step}", "Real") for step in range(obligation.length)]
    choices = [_omega(word, len(system.letters)) for word in words]
    commands: list[Command] = []
    for word, choice in zip(words, choices):
        commands += [Declare(word), Assert(disjunction(condition for _, condition in choice))]
    emission = emission_form(system)
    sums = []
    for name, start in (("alpha", prepared.left), ("beta", prepared.right)):
        entries: Entries = {state: prepared.term(weight) for state, weight in enumerate(start) if weight}
        for step, choice in enumerate(choices):
            budget.check(f"{step} steps of an SMT query were written down")
            commands.append(Comment(f"{name}{step}"))
            if emission is None:
                moved = _selected_dots(entries, prepared, choice)
            else:
                if step:
                    dots = _dots(entries, emission.moves, prepared)
                    entries = _define(f"{name}{step}.before", dots, system, commands)
                moved = _observed(entries, emission, prepared, choice)
            entries = _define(f"{name}{step}", moved, system, commands)
        sums.append(prepared.total(entries))
    commands.append(Comment("Gt"))
    above, below = prepared.term(prepared.above), prepared.term(prepared.below)
    commands.append(Assert(Relation(">", multiply(below, sums[0]), multiply(above, sums[1]))))
    return prepared.query((*_numbering(system), *legend(system)), commands, choices)


def emission_form(system: LabelledSystem) -> Emission | None:
    """o and P with M_a = diag(o(., a)) P, where there are such, of polynomials, and rows sum to 1; else None."""
    if not system.stochastic or system.final is not None:
        return None
    observes, moves = [], []
    for state in range(system.size):
        rows = [matrix[state] for matrix in system.matrices]
        row: dict[int, Number] = {}
        for column, weight in (entry for letter_row in rows for entry in letter_row):
            row[column] = row.get(column, Fraction(0)) + weight
        sums = tuple(sum((weight for _, weight in letter_row), Fraction(0)) for letter_row in rows)
        for observed, letter_row in zip(sums, rows):
            if dict(letter_row) != {column: product for column, p in row.items() if (product := observed * p)}:
                return None
        observes.append(sums)
        moves.append(tuple(sorted(row.items())))
    numbers = [number for vector in observes for number in vector] + [p for row in moves for _, p in row]
    if any(isinstance(number, RationalFunction) and not number.is_polynomial for number in numbers):
        return None
    return Emission(observes=tuple(observes), moves=tuple(moves))


def _omega(word: Symbol, size: int) -> Choice:
    """w = 0, w = 1, ...: the letters by their numbers."""
    return tuple((letter, Relation("=", word, Constant(Fraction(letter)))) for letter in range(size))


def _numbering(system: LabelledSystem) -> Iterator[str]:
    for number, letter in enumerate(system.letters):
        yield f"{number}.0  stands for  {letter}"


def _select(choice: Choice, values: Mapping[int, Term]) -> Term:
    """Select(w, Omega, values); letters without a value fall to the innermost else, which is 0."""
    cases = tuple((condition, values[letter]) for letter, condition in choice if letter in values)
    return Select(cases, ZERO) if cases else ZERO


def _observed(entries: Entries, emission: Emission, prepared: Prepared, choice: Choice) -> Entries:
    """Product(entry, Select(w, Omega, o(s, .))), multiplied into the cases, for every state s."""
    return {
        state: _select(
            choice,
            {
                letter: multiply(prepared.term(weight), entry)
                for letter, weight in enumerate(emission.observes[state])
                if weight
            },
        )
        for state, entry in entries.items()
    }


def _dots(entries: Entries, matrix: Matrix, prepared: Prepared) -> dict[int, Term]:
    """Dot(entries, matrix(., s')) for every state s' where it is not 0."""
    summands: dict[int, list[Term]] = {}
    for state, entry in entries.items():
        for column, weight in matrix[state]:
            summands.setdefault(column, []).append(multiply(prepared.term(weight), entry))
    return {column: add(summands[column]) for column in sorted(summands)}


def _selected_dots(entries: Entries, prepared: Prepared, choice: Choice) -> Entries:
    """Select(w, Omega, a -> Dot(entries, M_a(., s'))) for every state s'."""
    dots = [_dots(entries, matrix, prepared) for matrix in prepared.matrices]
    return {
        column: _select(choice, {letter: dot[column] for letter, dot in enumerate(dots) if column in dot})
        for column in sorted(set().union(*dots))
    }


def _define(prefix: str, terms: Entries, system: LabelledSystem, commands: list[Command]) -> Entries:
    """Variables that equal the terms."""
    names = symbol_names(prefix, "state", system.states)
    variables: dict[int, Term] = {}
    for state, term in terms.items():
        variable = Symbol(names[state], "Real")
        commands += [Declare(variable), Assert(Relation("=", variable, term))]
        variables[state] = variable
    return variables
