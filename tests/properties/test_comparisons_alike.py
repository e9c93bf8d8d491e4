"""Leaving out comparisons that ask the same changes nothing that is said of all of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from random import Random
from typing import Any

import pytest

from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.base.rational_function import RationalFunction
from pfl.driver import compile_text
from pfl.engines.answer import Attains
from pfl.engines.parametric import by_words, parametric
from pfl.engines.ratio import exact
from pfl.model.compare import Compare, Comparison, Side, Table
from pfl.model.labelled_system import LabelledSystem
from pfl.model.parameters import Parameter, ParameterSpace
from pfl.options import Options
from pfl.passes import alike
from pfl.passes.alike import in_proportion, without_repetitions


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alike, "FEWEST", 20)
    monkeypatch.setattr(by_words, "FEWEST", 1_000_000)  # which tells no largest ratio


P = RationalFunction.parameter("p")
HALF = Fraction(1, 2)


def random_question(random: Random, goal: Any, weights: list[Any]) -> Compare:
    """All pairs of the states of a random system, few weights in it, so that many pairs are alike."""
    size, letters = random.choice([7, 8]), random.choice([1, 2, 3])
    rows = []
    for _ in range(size):
        share = random.choice(weights)
        one, other = ((random.randrange(letters), random.randrange(size)) for _ in range(2))
        found: dict[tuple[int, int], Any] = {}
        for place, weight in ((one, share), (other, 1 - share)):
            if weight:
                found[place] = found[place] + weight if place in found else weight
        rows.append(found)
    matrices = tuple(
        tuple(
            tuple(sorted((target, weight) for (shown, target), weight in row.items() if shown == letter))
            for row in rows
        )
        for letter in range(letters)
    )
    system = LabelledSystem(
        states=tuple(f"s{state}" for state in range(size)),
        letters=tuple(f"a{letter}" for letter in range(letters)),
        matrices=matrices,
    )
    starts = [system.vector([(state, Fraction(1))]) for state in range(size)]
    one_way = random.random() < 0.3
    epsilon = None if goal == "epsilon" else Epsilon.ln(random.choice([Fraction(1), Fraction(3, 2), Fraction(2)]))
    table = Table(
        compared=system,
        sides=[Side(label=f"s{i}", vector=start) for i, start in enumerate(starts)],
        pairs=list(combinations(range(size), 2)),
        epsilon=epsilon,
        one_way=one_way,
    )
    return Compare(
        goal=goal,
        tables=(table,),
        lengths=random.choice([(1,), (2,), (3,), (1, 2)]),
        delta={"delta": None}.get(goal, Fraction(0)),
        parameters=ParameterSpace(
            parameters=(Parameter(name="p", low=Fraction(1, 4), high=Fraction(3, 4), low_open=False, high_open=False),)
        ),
    )


def said(question: Compare, engine: Any) -> object:
    """What an engine says of all comparisons together."""
    answer = engine.answer(question, Options(), Budget())
    answer = answer.computed if isinstance(answer, Attains) else answer
    bound = getattr(answer, "bound", None)
    values = [(v.name, v.value) for v in getattr(answer, "values", ())]
    return type(answer), bound and (bound.ratio, bound.attained), getattr(answer, "value", None), values


@pytest.mark.parametrize("goal", ["check", "epsilon", "delta"])
def test_nothing_changes(goal: str) -> None:
    left_out = 0
    for seed in range(60):
        question = random_question(Random(seed), goal, [HALF, Fraction(1), Fraction(1, 3), Fraction(2, 3)])
        fewer = without_repetitions(question, Budget())
        left_out += len(question.comparisons) - len(fewer.comparisons)
        assert said(fewer, exact) == said(question, exact), seed
    assert left_out > 500


@pytest.mark.parametrize("goal", ["check", "epsilon"])
def test_nothing_changes_with_a_parameter(goal: str) -> None:
    left_out = 0
    for seed in range(12):
        question = random_question(Random(seed), goal, [HALF, P, 1 - P])
        fewer = without_repetitions(question, Budget())
        left_out += len(question.comparisons) - len(fewer.comparisons)
        assert said(fewer, parametric) == said(question, parametric), seed
    assert left_out > 50


def test_what_differs_is_kept() -> None:
    """Every ratio of some comparison is one of a comparison that is kept, and each of these has one of its own."""
    for seed in range(40):
        question = random_question(Random(seed), "check", [HALF, Fraction(1), Fraction(1, 3)])
        fewer = without_repetitions(question, Budget())
        found: set[object] = set()
        for comparison in fewer.comparisons:
            ratios = _ratios(comparison, question)
            assert not ratios <= found
            found |= ratios
        assert set().union(*(_ratios(comparison, question) for comparison in question.comparisons)) == found


def _ratios(comparison: Comparison, question: Compare) -> set[object]:
    """By brute force: the ratios of all words of each length, both ways round."""
    assert question.lengths != "any"
    found: set[object] = set()
    for length in question.lengths:
        for word in product(range(len(comparison.system.letters)), repeat=length):
            left, right = (comparison.system.mass(side.vector, word) for side in comparison.sides)
            if left or right:
                found.add((length, in_proportion(left, right)))
                found |= set() if comparison.table.one_way else {(length, in_proportion(right, left))}
    return found


def test_a_shared_function_is_no_constant() -> None:
    assert in_proportion(P, 1 - P) == in_proportion(P / 2, (1 - P) / 2)
    assert in_proportion(P, 2 * P) != in_proportion(Fraction(1), Fraction(2))
    assert in_proportion(1 - P, P) != in_proportion(P - 1, P)
    assert in_proportion(Fraction(0), Fraction(3)) == in_proportion(Fraction(0), Fraction(1, 5))


def test_few_comparisons_stay() -> None:
    question = random_question(Random(1), "check", [HALF])
    few = replace(question, tables=(replace(question.tables[0], pairs=question.tables[0].pairs[:19]),))
    assert without_repetitions(few, Budget()) is not None
    assert without_repetitions(few, Budget()).comparisons == few.comparisons


LOCAL_NOISE = """
mechanism told(q: [6] of 0..2) emits bool -> bool {{
  for x in q {{ emit bernoulli(if x == 0 then {one} else if x == 1 then 1/2 else {other}); }}
  let seen = count(x for x in q if x > 0);
  return bernoulli((1 + seen)/8);
}}
adjacency near(a: [6] of 0..2, b: [6] of 0..2) = count(i for i in 0..5 if a[i] != b[i]) == 1;
check c: privacy told {{ adjacent near; epsilon ln(5); }}
"""


@pytest.mark.parametrize(
    ("declared", "one", "other", "most"), [("", "1/3", "2/3", 10), ("param p in (0, 1);", "p", "1 - p", 70)]
)
def test_of_many_inputs_few_are_compared(declared: str, one: str, other: str, most: int) -> None:
    """729 inputs have 4,374 pairs of neighbours; what is decided is counted here, and timed in tests/bench."""
    compiled = compile_text(declared + LOCAL_NOISE.format(one=one, other=other))
    question = compiled.claims[0].question
    assert isinstance(question, Compare)
    assert len(question.comparisons) <= most
