"""A query: the script of one bounded obligation, and how an assignment is read as a word and parameter values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from pfl.analysis.polynomial.box import Chart
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.engines.ratio.bounded_obligation import THE_RATIO, BoundedObligation, Threshold
from pfl.engines.smt.encode_parameters import (
    Symbols,
    condition_term,
    parameter_symbols,
    polynomial_term,
    space_commands,
    without_denominators,
)
from pfl.engines.smt.smtlib import renamed
from pfl.engines.smt.solver_outcome import Model, Near
from pfl.engines.smt.terms import (
    Assert,
    Command,
    Comment,
    Constant,
    Declare,
    Relation,
    Script,
    Symbol,
    Term,
    add,
    logic_of,
    multiply,
)
from pfl.model.labelled_system import LabelledSystem, Matrix, Vector
from pfl.model.parameters import Condition, ParameterSpace

LARGEST = 2_000_000
"""Coefficients up to which a query is written down; its text then has about 100 MB."""

Choice: TypeAlias = tuple[tuple[int, Term], ...]
"""The letters that one step may show, each with the condition under which it does."""


@struct
class Query:
    """`script` can be satisfied iff some word, at some parameter values, has left mass > c * right mass."""

    script: Script
    choices: tuple[Choice, ...]
    parameters: Symbols

    def word(self, model: Model) -> tuple[int, ...] | None:
        """The word that an assignment stands for; None if it gives no letter to some step."""
        letters = [
            next((letter for letter, condition in choice if _holds(condition, model)), None) for choice in self.choices
        ]
        return None if None in letters else tuple(letter for letter in letters if letter is not None)

    def parameter_values(self, model: Model) -> dict[str, Fraction]:
        """Rational values at or near those of the assignment; parameters whose values could not be read are missing."""
        values = {}
        for name, symbol in self.parameters.items():
            value = model.get(symbol.name)
            if isinstance(value, Near):
                values[name] = (value.low + value.high) / 2
            elif isinstance(value, Fraction):
                values[name] = value
        return values


Encode: TypeAlias = Callable[[BoundedObligation, Threshold, Budget], Query]


def _holds(condition: Term, model: Model) -> bool:
    match condition:
        case Symbol(name, "Bool"):
            return model.get(name) is True
        case Relation("=", Symbol(name, _), Constant(value)):
            return model.get(name) == value
        case _:
            raise ValueError("a letter is shown by a Boolean, or by a variable that equals its number")


@struct
class Prepared:
    """An obligation in polynomials: each matrix, the final weights, and both start vectors together, multiplied by a
    positive function.

    c = above/below with below > 0. `commands` introduce the parameters; `symbols` are theirs, and that of c where it is
    an unknown.
    """

    matrices: tuple[Matrix, ...]
    left: Vector
    right: Vector
    final: Vector | None
    above: Number
    below: Number
    commands: tuple[Command, ...]
    parameters: Symbols
    symbols: Symbols

    @property
    def is_symbolic(self) -> bool:
        """Whether some number is not a constant."""
        return bool(self.commands)

    def term(self, number: Number) -> Term:
        """A polynomial number as a term in the symbols."""
        return polynomial_term(number, self.symbols)

    def total(self, entries: Mapping[int, Term]) -> Term:
        """The mass of a vector, given by its entries that are not 0."""
        if self.final is None:
            return add(entries.values())
        return add(multiply(self.term(self.final[state]), entry) for state, entry in entries.items())

    def query(self, header: Iterable[str], commands: Sequence[Command], choices: Sequence[Choice]) -> Query:
        """The query whose script has these commands after those that introduce the parameters."""
        script = (*self.commands, *commands)
        shown = dict.fromkeys(_symbol(condition) for choice in choices for _, condition in choice)
        return Query(
            script=Script(
                logic=logic_of(script),
                header=tuple(header),
                commands=script,
                values=(*shown, *self.parameters.values()),
            ),
            choices=tuple(choices),
            parameters=self.parameters,
        )


def prepare(obligation: BoundedObligation, threshold: Threshold) -> Prepared:
    """Clear the denominators; where one could be 0, the space is cut to where it is not.

    Raises LimitReached for a query of more than `LARGEST` coefficients.
    """
    coefficients = obligation.length * sum(len(row) for matrix in obligation.system.matrices for row in matrix)
    if coefficients > LARGEST:
        raise LimitReached(
            f"an SMT query of length {obligation.length} would have {coefficients} coefficients, more than {LARGEST}; "
            "try a shorter length, or --engine exact"
        )
    space = obligation.space
    chart = Chart.of(space.parameters)
    parameters = parameter_symbols(space)
    symbols: Mapping[str, Symbol] = {**parameters, THE_RATIO: Symbol("c", "Real")}
    start = without_denominators((*obligation.left, *obligation.right), chart)
    ratio = without_denominators((threshold.c,), chart)
    matrices, nonzero = _matrices(obligation.system, chart)
    final = without_denominators(obligation.system.final or (), chart)
    space = space.restricted(*start.nonzero, *ratio.nonzero, *nonzero, *final.nonzero)
    size = obligation.system.size
    return Prepared(
        matrices=matrices,
        left=start.numbers[:size],
        right=start.numbers[size:],
        final=final.numbers or None,
        above=ratio.numbers[0],
        below=ratio.factor,
        commands=tuple(_introduction(space, threshold, symbols)),
        parameters=parameters,
        symbols=symbols,
    )


def support(vector: Sequence[Number]) -> frozenset[int]:
    """The states where a vector is not 0."""
    return frozenset(state for state, weight in enumerate(vector) if weight)


def successors(states: frozenset[int], matrix: Matrix) -> frozenset[int]:
    """The states that the states reach in one step of a matrix."""
    return frozenset(column for state in states for column, _ in matrix[state])


def legend(system: LabelledSystem) -> Iterator[str]:
    """What the symbols stand for that have no names of their own."""
    yield from renamed("letter", system.letters)
    yield from renamed("state", system.states)


def _symbol(condition: Term) -> Symbol:
    shown = condition.left if isinstance(condition, Relation) else condition
    assert isinstance(shown, Symbol)
    return shown


def _matrices(system: LabelledSystem, chart: Chart) -> tuple[tuple[Matrix, ...], tuple[Condition, ...]]:
    if not chart.box:
        return system.matrices, ()
    matrices: list[Matrix] = []
    nonzero: list[Condition] = []
    for matrix in system.matrices:
        cleared = without_denominators((weight for row in matrix for _, weight in row), chart)
        weights = iter(cleared.numbers)
        matrices.append(tuple(tuple((column, next(weights)) for column, _ in row) for row in matrix))
        nonzero += cleared.nonzero
    return tuple(matrices), tuple(nonzero)


def _introduction(space: ParameterSpace, threshold: Threshold, symbols: Symbols) -> Iterator[Command]:
    yield from space_commands(space, symbols)
    if threshold.conditions:
        yield Comment("the number c that stands for e^eps")
        yield Declare(symbols[THE_RATIO])
        for condition in threshold.conditions:
            yield Assert(condition_term(condition, symbols))
