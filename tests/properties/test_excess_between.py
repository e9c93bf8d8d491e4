"""Bounds on a delta of every length enclose what words of a few letters show, and what directions one by one do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction

import pytest
from ratio_systems import Case, random_case
from test_ratio_excess import brute_force, with_inputs

from pfl.analysis.excess import between as between_module
from pfl.analysis.excess import directions as directions_module
from pfl.analysis.excess import excess as excess_module
from pfl.analysis.excess.between import Between, excess_between
from pfl.analysis.excess.certificate import excess_certificate
from pfl.analysis.excess.excess import Excess
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.epsilon import Epsilon
from pfl.model.compare import Comparison, Direction, Side, Table
from pfl.verify.certificates.excess_above import verify_excess_above

WIDTH = Fraction(1, 10**6)


@pytest.fixture(autouse=True)
def few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds must hold however early the search ends."""
    monkeypatch.setattr(between_module, "_MOST_POINTS", 400)


def bounds(case: Case, bound: Fraction, doubt: Fraction | None = None) -> Iterator[Between]:
    yield from excess_between(case.system, case.left, case.right, bound, doubt=doubt, width=WIDTH, budget=Budget())


def nearest(case: Case, bound: Fraction) -> Between | None:
    found = None
    for found in bounds(case, bound):
        assert found.lower <= found.upper
        if found.upper - found.lower <= WIDTH:
            break
    return found


def case_of(seed: int) -> Case:
    case = random_case(seed, most_states=4)
    return with_inputs(case, seed) if seed % 3 == 0 else case


@pytest.mark.parametrize("batch", range(12))
def test_encloses_what_words_show(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From below by words of five letters, from above by directions that are looked at one by one."""
    monkeypatch.setattr(directions_module, "_MOST_NODES", 400)
    monkeypatch.setattr(excess_module, "MANY", 10**9)
    for seed in range(batch * 8, batch * 8 + 8):
        case, bound = case_of(seed), Fraction(seed % 5 + 3, 4)
        start = tuple(a - bound * b for a, b in zip(case.left, case.right))
        if all(entry >= 0 for entry in start) or all(entry <= 0 for entry in start):
            continue
        found = nearest(case, bound)
        assert found is not None
        assert brute_force(case, start, 5) <= found.upper, seed
        one_by_one = Excess(case.system, case.left, case.right, bound, None, Budget())
        with suppress(LimitReached):
            one_by_one.settle(None)
        assert found.lower <= one_by_one.at_most, seed
        assert one_by_one.delta <= found.upper, seed


def test_most_random_systems_are_settled() -> None:
    widths = []
    for seed in range(60):
        case = random_case(seed, most_states=3)
        found = nearest(case, Fraction(6, 5)) if len(case.system.states) <= 3 else None
        if found is not None:
            widths.append(found.upper - found.lower)
    assert sum(width <= WIDTH for width in widths) >= 0.7 * len(widths) > 15


@pytest.mark.parametrize("seed", range(40))
def test_the_certificate_shows_the_upper_bound_and_nothing_less(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excess_module, "MANY", 1)
    monkeypatch.setattr(excess_module, "_FIRST_LOOK", 1)
    monkeypatch.setattr(directions_module, "_MOST_NODES", 400)
    case, bound = case_of(seed), Fraction(seed % 5 + 3, 4)
    excess = Excess(case.system, case.left, case.right, bound, None, Budget())
    with suppress(LimitReached):
        excess.settle(None)
    if excess.between is None:
        return
    record = excess_certificate(excess, bound)
    assert record is not None
    direction = direction_of(case, bound)
    assert verify_excess_above(json.loads(json.dumps(record)), direction, excess.at_most, Budget()) == []
    if excess.at_least:
        assert verify_excess_above(record, direction, excess.at_least - Fraction(1, 10**12), Budget())


def direction_of(case: Case, bound: Fraction) -> Direction:
    sides = [Side(label=name, vector=vector) for name, vector in (("left", case.left), ("right", case.right))]
    table = Table.of_pair(case.system, sides, Epsilon.ln(bound))
    return Direction(number=0, comparison=Comparison(table, (0, 1)), is_reversed=False)


@pytest.mark.parametrize("seed", range(20))
def test_bounds_lie_on_one_side_of_a_doubt(seed: int) -> None:
    case, bound = case_of(seed), Fraction(5, 4)
    whole = nearest(case, bound)
    if whole is None:
        return
    for doubt in (whole.lower - Fraction(1, 1000), whole.upper + Fraction(1, 1000)):
        last = None
        for last in excess_between(
            case.system, case.left, case.right, bound, doubt=doubt, width=WIDTH, budget=Budget()
        ):
            if last.lower > doubt or last.upper <= doubt:
                break
        assert last is not None
        assert (last.lower > doubt) == (doubt < whole.lower)
