"""`coincidence` of two values is 0 at every point at which they are equal once the parameters are put in."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pfl.base.rational_function import RationalFunction
from pfl.model.coincidence import coincidence, coincidences
from pfl.model.values import Bag, TupleValue

P = RationalFunction.parameter("p")
POINTS = [Fraction(n, 4) for n in range(-4, 9)]

Shape = tuple[Any, ...]
"""A value as it is written: ("number", a, b) is a + b*p; the others hold shapes."""

numbers = st.tuples(st.just("number"), st.sampled_from(POINTS), st.sampled_from([0, 0, 1, -1, 2]))
shapes = st.recursive(
    numbers,
    lambda inner: st.tuples(st.sampled_from(["tuple", "array", "set", "bag"]), st.lists(inner, min_size=1, max_size=3)),
    max_leaves=6,
)


def value_of(shape: Shape, p: Any) -> Any:
    """The value with something put in for p."""
    if shape[0] == "number":
        return shape[1] + shape[2] * p if shape[2] else shape[1]
    parts = tuple(value_of(part, p) for part in shape[1])
    makers: dict[str, Any] = {"tuple": TupleValue, "array": tuple, "set": frozenset, "bag": Bag.of}
    return makers[shape[0]](parts)


@given(shapes, shapes)
def test_it_vanishes_where_they_are_equal(left: Shape, right: Shape) -> None:
    found = coincidence(value_of(left, P), value_of(right, P))
    for point in POINTS:
        if value_of(left, point) == value_of(right, point):
            at = found.evaluate({"p": point}) if isinstance(found, RationalFunction) else found
            assert at == 0, (left, right, point)


@given(st.lists(shapes, min_size=2, max_size=5))
def test_one_vanishes_where_some_are_equal(several: list[Shape]) -> None:
    values = dict.fromkeys(value_of(shape, P) for shape in several)
    found = list(coincidences(values))
    for point in POINTS:
        distinct = {value_of(shape, point) for shape in several}
        assert len(distinct) == len(values) or any(number.evaluate({"p": point}) == 0 for number in found), point
