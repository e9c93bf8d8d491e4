"""Random models with parameters: what pflc says of all values against what is right at each."""

from __future__ import annotations

import ast
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from .cases import enough, excess
from .generate import KINDS, case_of
from .hidden import NEVER, SILENT, Hidden
from .judge import Judge
from .linear import expected, reaching
from .weights import Weights, random_space

COUNTS = {
    "chain": 72,
    "hmm": 16,
    "silent": 20,
    "moments": 16,
    "silent_moments": 4,
    "prior": 12,
    "start": 8,
    "mechanism": 12,
    "table": 28,
    "handler": 20,
    "output": 16,
    "letter": 12,
    "state": 12,
    "response": 12,
}
"""How many models of a kind are tried; those of hmms take longest."""
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_said_of_all_values_is_right_at_each(kind: str, part: int) -> None:
    judge = Judge(timeout=5, set_points=1)
    found = []
    for seed in range(part, COUNTS[kind], PARTS):
        for wrong in judge.disagreements(case_of(kind, seed, several=0.05)):
            if wrong.sort != "time":  # a busy machine
                found.append(f"{kind} seed {seed}, {wrong.sort}: {wrong.problem}\n{wrong.text}")
    assert not found, "\n\n".join(found)


def test_every_kind_is_tried() -> None:
    assert set(COUNTS) == set(KINDS)


def test_the_oracle_shares_no_code_with_pfl() -> None:
    for path in Path(__file__).parent.glob("*.py"):
        modules = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                modules.add(node.module or "")
        uses_pfl = any(module.split(".")[0] == "pfl" for module in modules)
        assert uses_pfl == (path.name == "reading.py"), path.name


def test_every_row_is_a_distribution_at_every_point() -> None:
    for seed in range(300):
        random = Random(seed)
        space = random_space(random, several=seed % 3 == 0)
        weights = Weights(space, random)
        rows = [weights.row(["a", "b", "c"]) for _ in range(4)]
        points = space.points(random, 9)
        assert points
        for row in rows:
            for point in points:
                values = [weight.at(point) for weight in row.values()]
                assert sum(values) == 1
                assert min(values) >= 0


def test_the_oracle_on_a_chain_by_hand() -> None:
    half = Fraction(1, 2)
    moves = {"s": [(half, "s"), (half, "t")], "t": [(Fraction(1), "t")], "u": [(Fraction(1), "u")]}
    cost = {"s": Fraction(1), "t": Fraction(1), "u": Fraction(1)}
    assert reaching(moves, {"t"}, {"s": half, "u": half}) == half
    assert expected(moves, {"t"}, {"s": Fraction(1)}, cost) == 2
    assert expected(moves, {"t"}, {"s": half, "u": half}, cost) == "inf"
    assert expected(moves, {"t"}, {"t": Fraction(1), "u": Fraction(0)}, cost) == 0


def test_the_oracle_on_silence_by_hand() -> None:
    one = Fraction(1)
    silent = Hidden(
        {("", "x"): one / 2, ("", "y"): one / 2},
        {"x": {"a": one}, "y": {SILENT: one}},
        {"x": {"x": one}, "y": {"y": one}},
    )
    assert silent.words(lambda _w, _p: True, 2, 0)[1] == {("a", "a"): one / 2, (NEVER, NEVER): one / 2}
    assert silent.words(lambda _w, path: path[1] == "y", 1, 1) == (one / 2, {(NEVER,): one})


def test_the_factor_that_a_slack_leaves() -> None:
    left, right = {"a": Fraction(3, 4), "b": Fraction(1, 4)}, {"a": Fraction(1, 4), "b": Fraction(3, 4)}
    for slack in (Fraction(0), Fraction(1, 10), Fraction(1, 2)):
        factor = enough(left, right, slack)
        assert factor != "inf"
        assert excess(left, right, factor) == slack
    assert enough({"a": Fraction(1)}, {"b": Fraction(1)}, Fraction(1, 2)) == "inf"
