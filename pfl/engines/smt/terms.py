"""A small language of solver-neutral terms: reals and Booleans, and scripts that assert things about them.

A term is a tree; sharing is by name: a script declares a symbol, asserts what it equals, and goes on with the symbol.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal, TypeAlias, assert_never

from pfl.base.struct import struct

Sort: TypeAlias = Literal["Bool", "Real"]
Logic: TypeAlias = Literal["QF_LRA", "QF_NRA"]


@struct(kw_only=False)
class Symbol:
    """A variable; its name is a simple symbol of SMT-LIB."""

    name: str
    sort: Sort


@struct(kw_only=False)
class Constant:
    """A rational number."""

    value: Fraction


@struct(kw_only=False)
class Sum:
    """The sum of some terms."""

    terms: tuple[Term, ...]


@struct(kw_only=False)
class Product:
    """The product of some terms."""

    factors: tuple[Term, ...]


@struct(kw_only=False)
class Select:
    """The value of the first case whose condition holds, else `otherwise`: nested if-then-else."""

    cases: tuple[tuple[Term, Term], ...]
    otherwise: Term


@struct(kw_only=False)
class Relation:
    """A comparison of two numbers."""

    operator: Literal["<", "<=", "=", ">"]
    left: Term
    right: Term


@struct(kw_only=False)
class Not:
    """The negation of a Boolean."""

    term: Term


@struct(kw_only=False)
class And:
    """True where all terms are."""

    terms: tuple[Term, ...]


@struct(kw_only=False)
class Or:
    """True where some term is."""

    terms: tuple[Term, ...]


@struct(kw_only=False)
class Implies:
    """True where the condition is false or the conclusion true."""

    condition: Term
    conclusion: Term


Term: TypeAlias = Symbol | Constant | Sum | Product | Select | Relation | Not | And | Or | Implies

ZERO = Constant(Fraction(0))


@struct(kw_only=False)
class Comment:
    """A line for readers of the script."""

    text: str


@struct(kw_only=False)
class Declare:
    """Introduces a variable."""

    symbol: Symbol


@struct(kw_only=False)
class Assert:
    """What every model must satisfy."""

    term: Term


Command: TypeAlias = Comment | Declare | Assert


@struct
class Script:
    """One question to a solver: is there an assignment that satisfies every assertion, and what is it on `values`?

    `header` are lines of comment that stand before everything else. `status` is the answer, where it is known.
    """

    logic: Logic
    header: tuple[str, ...] = ()
    status: Literal["sat", "unsat"] | None = None
    commands: tuple[Command, ...]
    values: tuple[Symbol, ...]


def logic_of(commands: Iterable[Command]) -> Logic:
    """The smallest logic that the assertions fit: linear unless two variables are multiplied somewhere."""
    linear = all(_is_linear(command.term) for command in commands if isinstance(command, Assert))
    return "QF_LRA" if linear else "QF_NRA"


def _is_linear(term: Term) -> bool:
    match term:
        case Symbol() | Constant():
            return True
        case Product(factors):
            return sum(not isinstance(factor, Constant) for factor in factors) <= 1 and all(map(_is_linear, factors))
        case Sum(terms) | And(terms) | Or(terms):
            return all(map(_is_linear, terms))
        case Select(cases, otherwise):
            return all(_is_linear(part) for case in cases for part in case) and _is_linear(otherwise)
        case Relation(_, left, right) | Implies(left, right):
            return _is_linear(left) and _is_linear(right)
        case Not(inner):
            return _is_linear(inner)
        case _:
            assert_never(term)


def add(terms: Iterable[Term]) -> Term:
    """The sum; constants are added up, and 0 is left out."""
    constant = Fraction(0)
    rest: list[Term] = []
    for term in terms:
        if isinstance(term, Constant):
            constant += term.value
        else:
            rest.append(term)
    if constant or not rest:
        rest.append(Constant(constant))
    return rest[0] if len(rest) == 1 else Sum(tuple(rest))


def multiply(*factors: Term) -> Term:
    """The product; constants are multiplied, 1 is left out, and 0 makes it 0."""
    constant = Fraction(1)
    rest: list[Term] = []
    for factor in factors:
        if isinstance(factor, Constant):
            constant *= factor.value
        else:
            rest.append(factor)
    if not constant or not rest:
        return Constant(constant)
    if constant != 1:
        rest.insert(0, Constant(constant))
    return rest[0] if len(rest) == 1 else Product(tuple(rest))


def conjunction(terms: Iterable[Term]) -> Term:
    """All of the terms; a single one stands for itself."""
    all_of = tuple(terms)
    return all_of[0] if len(all_of) == 1 else And(all_of)


def disjunction(terms: Iterable[Term]) -> Term:
    """One of the terms at least; a single one stands for itself."""
    any_of = tuple(terms)
    return any_of[0] if len(any_of) == 1 else Or(any_of)
