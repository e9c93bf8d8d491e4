"""Z3 in process: answers, algebraic values, and the time limit."""

from __future__ import annotations

import os
import signal
import threading
import time
from fractions import Fraction

import pytest

from pfl.engines.smt import z3
from pfl.engines.smt.solver_outcome import OUT_OF_TIME, Near, Satisfiable, Unsatisfiable
from pfl.engines.smt.terms import ZERO, Assert, Constant, Declare, Product, Relation, Script, Sum, Symbol, Term

X, Y = Symbol("x", "Real"), Symbol("y", "Real")


def real(value: int | Fraction) -> Constant:
    return Constant(Fraction(value))


def script(*terms: Term, values: tuple[Symbol, ...] = (X,)) -> Script:
    return Script(logic="QF_NRA", commands=(Declare(X), Declare(Y), *map(Assert, terms)), values=values)


def hard() -> Script:
    """Sums of cubes of many reals that no search of a second decides."""
    variables = [Symbol(f"v{index}", "Real") for index in range(12)]
    cubes = Sum(tuple(Product((variable,) * 5) for variable in variables))
    mixed = Sum(tuple(Product((a, a, b, c)) for a, b, c in zip(variables, variables[1:], variables[2:])))
    return Script(
        logic="QF_NRA",
        commands=(
            *map(Declare, variables),
            Assert(Relation("=", cubes, real(33))),
            Assert(Relation("=", mixed, real(-7))),
            Assert(Relation("=", Sum((Product((variables[0], variables[5])), Product((variables[3],) * 4))), real(5))),
            Assert(Relation("=", Sum(tuple(Product((v, v)) for v in variables)), real(9))),
        ),
        values=(),
    )


def test_an_algebraic_value_is_an_interval() -> None:
    outcome = z3.solve(script(Relation("=", Product((X, X)), real(2)), Relation("<", X, ZERO)), 30)
    assert isinstance(outcome, Satisfiable)
    value = outcome.model["x"]
    assert isinstance(value, Near)
    assert value.high**2 < 2 < value.low**2


def test_a_symbol_that_does_not_matter_has_a_value() -> None:
    outcome = z3.solve(script(Relation("=", X, real(2)), values=(X, Y)), None)
    assert isinstance(outcome, Satisfiable)
    assert outcome.model["x"] == 2
    assert isinstance(outcome.model["y"], Fraction)


def test_unsatisfiable() -> None:
    assert z3.solve(script(Relation("<", Product((X, X)), ZERO)), 30) == Unsatisfiable()


def test_the_time_limit() -> None:
    started = time.monotonic()
    assert z3.solve(hard(), 0.2) == OUT_OF_TIME
    assert time.monotonic() - started < 60
    assert z3.solve(hard(), 0) == OUT_OF_TIME


def test_an_interrupt_of_the_user_ends_the_search() -> None:
    sender = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    sender.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            z3.solve(hard(), 60)
    finally:
        sender.cancel()
        sender.join()
