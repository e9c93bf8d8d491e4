"""Values: equality, order, and how they are written."""

import itertools
import pickle
from fractions import Fraction

import pytest

from pfl.base.rational_function import RationalFunction
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
    in_order,
    show,
    sort_key,
    truth,
)

HEALTH = Enumeration("Health", ("well", "sick"))
WELL, SICK = HEALTH.values
VISIT = RecordShape("Visit", ("who", "long"))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (TRUE, "true"),
        (FALSE, "false"),
        (-1, "-1"),
        (Fraction(3, 4), "3/4"),
        (Fraction(-6, 3), "-2"),
        (1 - RationalFunction.parameter("p"), "1 - p"),
        (SymbolValue("bot"), "bot"),
        (SICK, "sick"),
        ((), "[]"),
        ((1, 0), "[1, 0]"),
        (TupleValue((1, TRUE)), "(1, true)"),
        (RecordValue(VISIT, (1, TRUE)), "Visit(who = 1, long = true)"),
        (frozenset(), "{}"),
        (frozenset((3, 1, 2)), "{1, 2, 3}"),
        (Bag(), "bag {}"),
        (Bag.of((1, 0, 1)), "bag {0, 1, 1}"),
        ((Bag.of((SICK, WELL)), frozenset((TRUE,))), "[bag {well, sick}, {true}]"),
        (MechanismValue("noisy", 1, None), "noisy"),
    ],
)
def test_a_value_is_shown_as_in_the_source(value: Value, written: str) -> None:
    assert show(value) == written


def test_numbers_beyond_the_limit_of_python_are_shown() -> None:
    digits = "123456789" * 1000
    number = 0
    for digit in digits:
        number = number * 10 + int(digit)
    assert show(number) == digits
    assert show(Fraction(1, 10**5000)) == "1/1" + "0" * 5000


def test_a_bool_is_no_number_and_one_number_has_one_key() -> None:
    assert TRUE != 1
    assert len({TRUE: "bool", 1: "int", Fraction(1): "real"}) == 2
    assert len({(TRUE,), (1,), (Fraction(1),)}) == 2
    assert truth(1 < 2) is TRUE
    assert truth([]) is FALSE
    assert bool(TRUE)
    assert not bool(FALSE)


def test_bools_survive_being_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps((TRUE, FALSE))) == (TRUE, FALSE)
    assert pickle.loads(pickle.dumps(TRUE)) is TRUE


def test_arrays_and_tuples_differ_and_so_do_equally_named_enums() -> None:
    assert TupleValue((1, 2)) != (1, 2)
    assert Enumeration("Health", ("well", "sick")).values[0] != WELL
    assert SymbolValue("well") != WELL


def test_the_order_is_total_over_all_kinds() -> None:
    ordered: list[Value] = [
        FALSE,
        TRUE,
        -1,
        Fraction(1, 2),
        1,
        RationalFunction.parameter("p"),
        SymbolValue("bot"),
        SymbolValue("top"),
        WELL,
        SICK,
        TupleValue((0, 1)),
        TupleValue((0, 2)),
        RecordValue(VISIT, (0, FALSE)),
        RecordValue(VISIT, (0, TRUE)),
        (),
        (0,),
        (0, 0),
        frozenset(),
        frozenset((1,)),
        frozenset((0, 1)),
        Bag(),
        Bag.of((1,)),
        Bag.of((0, 1)),
        Bag.of((1, 1)),
    ]
    assert in_order(reversed(ordered)) == ordered
    keys = [sort_key(value) for value in ordered]
    assert all(low < high for low, high in itertools.pairwise(keys))


def test_bags_count() -> None:
    bag = Bag.of((SICK, WELL, SICK))
    assert (bag.size, bag.count(SICK), bag.count(WELL)) == (3, 2, 1)
    assert SICK in bag
    assert bag.add(WELL).remove(SICK) == Bag.of((WELL, WELL, SICK))
    assert bag.remove(SICK).remove(SICK) == Bag.of((WELL,))
    assert Bag.of((WELL,)).remove(SICK) == Bag.of((WELL,))
    assert bag.union(Bag.of((WELL,))) == Bag.of((SICK, SICK, WELL, WELL))
    assert list(bag) == [WELL, SICK, SICK]
    assert hash(Bag.of((1, 0))) == hash(Bag.of((0, 1)))


def test_records_are_read_and_changed_by_name() -> None:
    visit = RecordValue(VISIT, (1, FALSE))
    assert visit.get("who") == 1
    assert visit.replace("long", TRUE) == RecordValue(VISIT, (1, TRUE))
    assert visit != RecordValue(RecordShape("Visit", ("who", "long")), (1, FALSE))
