"""Joint functions of several samples: what is drawn, compared, summed out and added up."""

from __future__ import annotations

import itertools
import time
from fractions import Fraction

import pytest

from pfl.analysis.noise.differences import Differences
from pfl.analysis.noise.exponential_sum import ExponentialSum
from pfl.analysis.noise.integer_function import IntegerFunction
from pfl.analysis.noise.joint import Joint
from pfl.analysis.noise.real_function import RealFunction
from pfl.analysis.noise.sample_function import SampleFunction
from pfl.analysis.noise.workspace import Noise
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.rational_function import RationalFunction

HALF = Fraction(1, 2)
P = RationalFunction.parameter("p")


def drawn(*functions: SampleFunction) -> Joint:
    joint = Joint.one()
    for name, function in enumerate(functions):
        joint = joint.with_sample(name, function)
    return joint


def two_reals() -> Joint:
    return drawn(RealFunction.laplace(0, 1), RealFunction.laplace(1, HALF))


def two_integers() -> Joint:
    return drawn(IntegerFunction.two_sided_geometric(HALF), IntegerFunction.geometric(Fraction(1, 3), -1))


def test_no_samples() -> None:
    assert Joint.one().total() == 1
    assert Joint.one().scaled(P).total() == P
    assert not Joint.one().scaled(0)
    assert Joint.one().scaled(0).total() == 0


@pytest.mark.parametrize("make", [two_reals, two_integers])
def test_comparisons_divide(make: object) -> None:
    joint = make()  # type: ignore[operator]
    for c in (0, 1, -2):
        assert (joint.where_less(0, 1, c) + joint.where_less(1, 0, -c, strict=False)).total() == 1
        assert (joint.where_equal(0, 1, c) + joint.where_different(0, 1, c)).total() == 1
        assert (joint.where_below(0, c) + joint.where_above(0, c, strict=False)).total() == 1
        assert (joint.where_at(0, c) + joint.where_not_at(0, c)).total() == 1


def test_a_copy_is_the_sample() -> None:
    joint = two_reals()
    assert not joint.where_less(0, 0)
    assert joint.where_less(0, 0, 0, strict=False) is joint
    assert joint.where_less(0, 0, HALF) is joint
    assert joint.where_equal(0, 0) is joint
    assert not joint.where_different(0, 0)


def test_distances_between_whole_numbers() -> None:
    joint = two_integers()
    assert joint.where_less(0, 1, HALF).total() == joint.where_less(0, 1, 0, strict=False).total()
    assert joint.where_below(0, HALF).total() == joint.where_below(0, 0, strict=False).total()
    assert joint.where_above(0, HALF).total() == joint.where_above(0, 1, strict=False).total()
    assert not joint.where_equal(0, 1, HALF)
    assert joint.where_not_at(0, HALF) is joint


def test_contradictions_are_no_terms() -> None:
    reals = drawn(*[RealFunction.laplace(0, 1)] * 3).where_less(0, 1).where_less(1, 2, -1)
    assert not reals.where_less(2, 0, 1)
    assert reals.where_less(2, 0, 2)
    integers = drawn(*[IntegerFunction.geometric(HALF)] * 3).where_less(0, 1).where_less(1, 2)
    assert not integers.where_less(2, 0, 2)
    assert not integers.where_less(2, 0, 1, strict=False)
    assert integers.where_less(2, 0, 2, strict=False)


def test_equal_integers() -> None:
    """Three geometric samples with alpha = 1/2 are equal with 1/7, whichever way that is said."""
    joint = drawn(*[IntegerFunction.geometric(HALF)] * 3)
    for (a, b), (c, d) in itertools.permutations([(0, 1), (1, 2), (2, 0)], 2):
        assert joint.where_equal(a, b).where_equal(d, c).total() == Fraction(1, 7)
    cycle = joint.where_less(0, 1, 0, False).where_less(1, 2, 0, False).where_less(2, 0, 0, False)
    assert cycle.total() == Fraction(1, 7)


def test_integers_tie_for_the_largest() -> None:
    """A sample below two others, and above two: ties are counted once."""
    joint = drawn(*(IntegerFunction.of_values(0, [Fraction(1, 3)] * 3) for _ in range(3)))
    below = joint.where_less(0, 1, 0, strict=False).where_less(0, 2, 0, strict=False)
    expected = Fraction(sum(x <= min(y, z) for x, y, z in itertools.product(range(3), repeat=3)), 27)
    assert below.without(0).total() == below.total() == expected
    above = joint.where_less(1, 0).where_less(2, 0, 1)
    expected = Fraction(sum(y < x and z < x + 1 for x, y, z in itertools.product(range(3), repeat=3)), 27)
    assert above.without(0).total() == above.total() == expected


def test_names() -> None:
    joint = two_reals().where_less(0, 1)
    swapped = joint.renamed({0: 1, 1: 0})
    assert swapped.names == (1, 0)
    assert swapped.total() == joint.total()
    assert (swapped + two_reals().where_less(0, 1)).without(0).total() != joint.total()
    with pytest.raises(ValueError, match="one name"):
        joint.renamed({0: 1})
    with pytest.raises(ValueError, match="live already"):
        joint.with_sample(0, RealFunction.laplace(0, 1))
    with pytest.raises(ValueError, match="not the same"):
        joint + joint.without(0)
    for wrong in (lambda: joint.where_less(0, 7), lambda: joint.without(7), lambda: joint.where_below(7, 0)):
        with pytest.raises(KeyError):
            wrong()


def test_kinds_are_not_compared() -> None:
    joint = drawn(RealFunction.laplace(0, 1), IntegerFunction.geometric(HALF))
    with pytest.raises(ValueError, match="one is real"):
        joint.where_less(0, 1)
    assert joint.where_below(0, 0).where_at(1, 0).total() == Fraction(1, 4)


def test_parameters_stay_outside_real_functions() -> None:
    """With probability p the noise is less: weights that are no functions of the sample are kept apart."""
    joint = two_reals()
    mixed = joint.where_less(0, 1).scaled(P) + joint.where_less(1, 0).scaled(1 - P)
    less = ExponentialSum.of(joint.where_less(0, 1).total())
    assert mixed.without(0).total() == less * P + (1 - less) * (1 - P)


def test_alike_terms_are_added_up() -> None:
    joint = drawn(*(RealFunction.laplace(mean, 1) for mean in range(3)))
    parts = joint.where_below(0, 0) + joint.where_above(0, 0)
    assert parts.terms == 1
    either = joint.where_less(0, 1) + joint.where_less(1, 0)
    assert either.without(0).terms == 1


def test_time_is_over() -> None:
    noise = Noise(Budget(deadline=time.monotonic() - 1))
    joint = Joint.one(noise).with_sample("x", RealFunction.laplace(0, 1)).with_sample("y", RealFunction.laplace(0, 1))
    with pytest.raises(LimitReached, match="functions of samples"):
        joint.where_less("x", "y").total()


def test_differences_follow() -> None:
    system: Differences | None = Differences()
    for x, y, c in [("a", "b", 1), ("b", "c", 2), ("c", "d", -1)]:
        assert system is not None
        system = system.bounded(x, y, c, touching=True)
    assert system is not None
    assert system.bound("a", "d") == 2
    assert system.bound("d", "a") is None
    assert system.bounded("a", "c", 5, touching=True) is system
    assert system.bounded("d", "a", -3, touching=True) is None
    assert system.bounded("d", "a", -2, touching=True) is not None
    assert system.bounded("d", "a", -2, touching=False) is None
    assert system.upper("a", "abcd") == [("b", 1)]
    assert system.lower("d", "abcd") == [("c", 1)]
    assert system.without("b").upper("a", "acd") == [("c", 3)]


def test_of_equal_bounds_the_first_stays() -> None:
    equal: Differences | None = Differences()
    for x, y in [("a", "b"), ("b", "a"), ("a", "x"), ("b", "x")]:
        assert equal is not None
        equal = equal.bounded(x, y, 0, touching=True)
    assert equal is not None
    assert equal.lower("x", "abx") == [("a", 0)]
    assert equal.lower("x", "bax") == [("b", 0)]


@pytest.mark.parametrize("far", [8, 12])
def test_cut_noise_comes_near_to_noise_without_bounds(far: int) -> None:
    """What differs is e^(-d eps) with d that grows with the bounds, and powers of alpha."""
    joint = two_reals()
    cut = joint
    for name in (0, 1):
        cut = cut.where_above(name, -far).where_below(name, far)
    missing = ExponentialSum.of(joint.where_less(0, 1).total()) - cut.where_less(0, 1).total()
    assert missing
    assert min(d for _, d in missing.terms) == Fraction(far - 1, 2)
    near = two_integers()
    bounded = near
    for name in (0, 1):
        bounded = bounded.where_above(name, -far).where_below(name, far)
    difference = near.where_less(0, 1).total() - bounded.where_less(0, 1).total()
    assert 0 < difference < HALF ** (far - 2)
