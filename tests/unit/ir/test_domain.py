"""Domains: membership, size, order, text."""

from fractions import Fraction

import pytest

from pfl.base.diagnostics import LimitReached
from pfl.base.rational_function import RationalFunction
from pfl.model.cardinality import count_text, enumerate_domain, first, intersection, is_empty, is_finite, size
from pfl.model.domain import (
    ArrayDomain,
    BagDomain,
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    ListedDomain,
    MechanismDomain,
    RangeDomain,
    RealDomain,
    RecordDomain,
    SetDomain,
    TupleDomain,
    UnionDomain,
    union_of,
)
from pfl.model.values import (
    FALSE,
    TRUE,
    Bag,
    Enumeration,
    MechanismValue,
    RecordShape,
    RecordValue,
    SymbolValue,
    TupleValue,
    Value,
    show,
)

BOOL, INT, REAL = BoolDomain(), IntDomain(), RealDomain()
HEALTH = Enumeration("Health", ("well", "sick"))
VISIT = RecordDomain(RecordShape("Visit", ("who", "long")), (RangeDomain(0, 1), BOOL))
BOT, TOP = SymbolValue("bot"), SymbolValue("top")
ANSWER = ListedDomain((BOT, TOP))


@pytest.mark.parametrize(
    ("domain", "written", "values"),
    [
        (BOOL, "bool", "false true"),
        (RangeDomain(-1, 1), "-1..1", "-1 0 1"),
        (RangeDomain(1, 0), "1..0", ""),
        (EnumDomain(HEALTH), "Health", "well sick"),
        (ANSWER, "{bot, top}", "bot top"),
        (ListedDomain((3, 1, 3)), "{3, 1}", "3 1"),
        (UnionDomain((ANSWER, RangeDomain(0, 1))), "{bot, top} | 0..1", "bot top 0 1"),
        (UnionDomain((RangeDomain(0, 2), RangeDomain(1, 3))), "0..2 | 1..3", "0 1 2 3"),
        (ArrayDomain(2, BOOL), "[2] of bool", "[false, false] [false, true] [true, false] [true, true]"),
        (ArrayDomain(1, UnionDomain((BOOL, RangeDomain(0, 0)))), "[1] of (bool | 0..0)", "[false] [true] [0]"),
        (ArrayDomain(0, INT), "[0] of int", "[]"),
        (TupleDomain((BOOL, RangeDomain(0, 0))), "(bool, 0..0)", "(false, 0) (true, 0)"),
        (
            VISIT,
            "Visit",
            "Visit(who = 0, long = false) Visit(who = 0, long = true) "
            "Visit(who = 1, long = false) Visit(who = 1, long = true)",
        ),
        (SetDomain(RangeDomain(0, 1)), "set of 0..1", "{} {0} {1} {0, 1}"),
        (BagDomain(2, RangeDomain(0, 1)), "bag[2] of 0..1", "bag {} bag {0} bag {1} bag {0, 0} bag {0, 1} bag {1, 1}"),
        (BagDomain(3, RangeDomain(1, 0)), "bag[3] of 1..0", "bag {}"),
        (BagDomain(0, INT), "bag[0] of int", "bag {}"),
    ],
)
def test_a_finite_domain_lists_its_values_in_order(domain: Domain, written: str, values: str) -> None:
    listed = enumerate_domain(domain, 100)
    assert str(domain) == written
    assert " ".join(map(show, listed)) == values
    assert size(domain) == len(listed) == len(set(listed))
    assert all(map(domain.contains, listed))
    assert is_finite(domain)
    if listed:
        assert first(domain) == listed[0]


@pytest.mark.parametrize(
    ("domain", "value"),
    [
        (BOOL, 1),
        (INT, TRUE),
        (INT, Fraction(1, 2)),
        (REAL, TRUE),
        (RangeDomain(0, 2), 3),
        (RangeDomain(0, 2), Fraction(1, 2)),
        (RangeDomain(0, 2), TRUE),
        (EnumDomain(HEALTH), Enumeration("Health", ("well", "sick")).values[0]),
        (EnumDomain(HEALTH), SymbolValue("well")),
        (ANSWER, SymbolValue("mid")),
        (ArrayDomain(2, BOOL), (TRUE,)),
        (ArrayDomain(2, BOOL), (TRUE, 0)),
        (ArrayDomain(2, BOOL), TupleValue((TRUE, TRUE))),
        (TupleDomain((BOOL, BOOL)), (TRUE, TRUE)),
        (TupleDomain((BOOL, BOOL)), TupleValue((TRUE,))),
        (VISIT, RecordValue(VISIT.shape, (2, TRUE))),
        (VISIT, RecordValue(RecordShape("Visit", ("who", "long")), (1, TRUE))),
        (SetDomain(BOOL), frozenset((1,))),
        (BagDomain(1, RangeDomain(0, 1)), Bag.of((0, 0))),
        (BagDomain(1, RangeDomain(0, 1)), Bag.of((2,))),
        (MechanismDomain("mechanism(int) -> int"), 1),
    ],
)
def test_what_lies_outside(domain: Domain, value: Value) -> None:
    assert not domain.contains(value)


def test_whole_reals_are_ints() -> None:
    assert INT.contains(Fraction(4, 2))
    assert RangeDomain(0, 2).contains(Fraction(2))
    assert REAL.contains(RationalFunction.parameter("p"))
    assert MechanismDomain("mechanism(int) -> int").contains(MechanismValue("f", 1, None))


def test_sizes_are_exact_without_listing() -> None:
    assert size(ArrayDomain(64, RangeDomain(0, 9))) == 10**64
    assert size(SetDomain(RangeDomain(1, 500))) == 2**500
    assert size(BagDomain(100, RangeDomain(1, 100))) == 90548514656103281165404177077484163874504589675413336841320
    assert size(RangeDomain(0, 10**30)) == 10**30 + 1
    assert size(TupleDomain((INT, RangeDomain(1, 0)))) == 0
    assert size(ArrayDomain(10**12, BOOL)) is None
    assert count_text(ArrayDomain(10**12, BOOL)) == "astronomically many"
    assert count_text(SetDomain(INT)) == "infinitely many"
    assert count_text(ArrayDomain(64, RangeDomain(0, 9))) == "more than 10^63"


def test_the_size_of_a_union_counts_shared_values_once() -> None:
    pairs = UnionDomain(
        (ArrayDomain(2, RangeDomain(0, 2)), ArrayDomain(2, RangeDomain(1, 3)), ArrayDomain(2, RangeDomain(2, 2)))
    )
    assert size(pairs) == len(set(pairs)) == 9 + 9 - 4
    bags = UnionDomain((BagDomain(2, RangeDomain(0, 1)), BagDomain(1, RangeDomain(0, 5)), BagDomain(0, INT)))
    assert size(bags) == len(set(bags))
    assert size(UnionDomain((INT, RangeDomain(0, 1)))) is None


def test_intersections_of_different_kinds_are_empty() -> None:
    assert is_empty(intersection(BOOL, RangeDomain(0, 1)))
    assert intersection(REAL, RangeDomain(0, 1)) == RangeDomain(0, 1)
    assert intersection(INT, REAL) == INT
    assert intersection(ListedDomain((0, 5, TRUE)), RangeDomain(0, 3)) == ListedDomain((0,))


def test_unions_are_flat() -> None:
    assert union_of((ANSWER, union_of((BOOL, ANSWER)))) == UnionDomain((ANSWER, BOOL))
    assert union_of((BOOL, BOOL)) == BOOL


def test_too_large_a_domain_is_a_limit_that_names_it_and_its_size() -> None:
    with pytest.raises(LimitReached, match=r"`\[4\] of 0\.\.9` has 10000 values; at most 5000 can be gone through"):
        enumerate_domain(ArrayDomain(4, RangeDomain(0, 9)), 5000)
    with pytest.raises(LimitReached, match="`int` has infinitely many values"):
        enumerate_domain(INT, 5000)


def test_the_first_value_needs_no_listing() -> None:
    assert first(ArrayDomain(3, RangeDomain(5, 10**12))) == (5, 5, 5)
    assert first(SetDomain(RangeDomain(0, 10**12))) == frozenset()
    assert first(BagDomain(2, INT)) == Bag()
    assert first(UnionDomain((RangeDomain(1, 0), BOOL))) == FALSE
    assert first(TupleDomain((INT, REAL))) == TupleValue((0, Fraction(0)))
    assert first(VISIT) == RecordValue(VISIT.shape, (0, FALSE))
    with pytest.raises(ValueError, match=r"`2\.\.1` has no values"):
        first(RangeDomain(2, 1))
