"""Verdicts of the exact engine and of the solver against brute force over all words."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.engines.answer import Computed, Proved
from pfl.model.compare import Compare, Side, Table
from pfl.model.labelled_system import LabelledSystem
from pfl.options import Options
from pfl.verify.conclude import verdict_on
from pfl.verify.verdict import Refuted


@st.composite
def distributions(draw: st.DrawFn, size: int) -> tuple[Fraction, ...]:
    weights = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size).filter(any))
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


@st.composite
def questions(draw: st.DrawFn) -> Compare:
    """Two comparisons in one random hidden Markov model, zeros included, at a length of at most 4."""
    size, letters = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    moves = [draw(distributions(size)) for _ in range(size)]
    sends = [draw(distributions(letters)) for _ in range(size)]
    system = LabelledSystem(
        states=tuple(f"s{s}" for s in range(size)),
        letters=tuple(f"a{a}" for a in range(letters)),
        matrices=tuple(
            tuple(
                tuple((t, sends[s][a] * moves[s][t]) for t in range(size) if sends[s][a] * moves[s][t])
                for s in range(size)
            )
            for a in range(letters)
        ),
    )
    epsilon = Epsilon.ln(draw(st.fractions(min_value=1, max_value=5, max_denominator=4)))
    tables = tuple(
        Table.of_pair(
            system,
            [
                Side(label="left", vector=draw(distributions(size))),
                Side(label="right", vector=draw(distributions(size))),
            ],
            epsilon=epsilon,
            one_way=draw(st.booleans()),
        )
        for _ in range(2)
    )
    return Compare(goal="check", tables=tables, lengths=(draw(st.integers(1, 4)),))


def largest_ratio(question: Compare) -> Fraction | str:
    """Over all words of the length, all comparisons and directions; `inf` for a positive mass over none."""
    best = Fraction(0)
    assert question.lengths != "any"
    for comparison in question.comparisons:
        for word in product(range(len(comparison.system.letters)), repeat=question.lengths[0]):
            left, right = (comparison.system.mass(side.vector, word) for side in (comparison.left, comparison.right))
            assert isinstance(left, Fraction)
            assert isinstance(right, Fraction)
            for above, below in ((left, right),) if comparison.table.one_way else ((left, right), (right, left)):
                if above and not below:
                    return "inf"
                best = max(best, above / below if below else Fraction(0))
    return best


def judged(question: Compare, engine: Any) -> Any:
    return verdict_on(question, Options(engine=engine), Budget())


@given(questions())
@settings(max_examples=60, deadline=None)
def test_checks_agree_with_brute_force(question: Compare) -> None:
    ratio = largest_ratio(question)
    epsilon = question.comparisons[0].epsilon
    assert epsilon is not None
    holds = isinstance(ratio, Fraction) and epsilon.compare(ratio) <= 0
    for engine in ("exact", "smt"):
        verdict = judged(question, engine)
        assert isinstance(verdict, Proved if holds else Refuted)
        if isinstance(verdict, Proved):
            assert verdict.checked


@given(questions())
@settings(max_examples=60, deadline=None)
def test_smallest_epsilons_agree_with_brute_force(question: Compare) -> None:
    tables = tuple(replace(table, epsilon=None) for table in question.tables)
    asked = replace(question, goal="epsilon", tables=tables)
    ratio = largest_ratio(asked)
    for engine in ("exact", "smt"):
        verdict = judged(asked, engine)
        assert isinstance(verdict, Computed)
        assert verdict.bound is not None
        assert verdict.bound.ratio == ratio
        assert verdict.witness is not None
        assert verdict.witness.ratio == ratio
