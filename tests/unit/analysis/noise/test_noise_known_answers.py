"""Probabilities of published mechanisms that were computed independently, by quadrature and by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest

from pfl.analysis.noise.exponential_sum import ExponentialSum
from pfl.analysis.noise.integer_function import IntegerFunction
from pfl.analysis.noise.joint import Joint
from pfl.analysis.noise.real_function import RealFunction
from pfl.base.enclosure import exp
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction, value_at

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
EPS, Z, A = (RationalFunction.parameter(name) for name in ("eps", "z", "a"))


def number(weight: object, unit: int) -> Number:
    """A probability about real samples with z = e^(-eps/unit)."""
    assert isinstance(weight, ExponentialSum)
    return weight.to_number(EPS, Z, unit)


def laplaces(*means_and_rates: tuple[int, Fraction]) -> Joint:
    joint = Joint.one()
    for name, (mean, rate) in enumerate(means_and_rates):
        joint = joint.with_sample(name, RealFunction.laplace(mean, rate))
    return joint


def test_threshold_and_one_answer() -> None:
    """laplace(0, 2/eps) <= laplace(1, 4/eps), z = e^(-eps/4)."""
    below = laplaces((0, HALF), (1, QUARTER)).where_less(0, 1, 0, strict=False)
    assert number(below.total(), 4) == 1 - Fraction(2, 3) * Z + Z**2 / 6


def test_equal_rates_resonate() -> None:
    """laplace(0, 1/eps) >= laplace(2, 1/eps): a power of eps, from rates that are equal."""
    above = laplaces((0, Fraction(1)), (2, Fraction(1))).where_less(1, 0)
    assert number(above.total(), 1) == (1 + EPS) * Z**2 / 2


def test_three_in_order() -> None:
    """Means 0, 1, 2, scale 1/eps: third <= second <= first."""
    ordered = laplaces(*((mean, Fraction(1)) for mean in range(3))).where_less(2, 1).where_less(1, 0)
    assert number(ordered.total(), 1) == Z**2 / 4 - Z**3 / 12


def above_threshold(answers: Sequence[int]) -> list[object]:
    """The threshold laplace(0, 2/eps), answers laplace(q, 4/eps): which is the first above, and that none is."""
    joint = Joint.one().with_sample("threshold", RealFunction.laplace(0, HALF))
    found: list[object] = []
    for answer in answers:
        joint = joint.with_sample("noisy", RealFunction.laplace(answer, QUARTER))
        found.append(joint.where_less("threshold", "noisy", 0, strict=False).total())
        joint = joint.where_less("noisy", "threshold").without("noisy")
    return [*found, joint.total()]


def test_above_threshold() -> None:
    words = [number(word, 4) for word in above_threshold([1, 0])]
    assert words == [
        1 - Fraction(2, 3) * Z + Z**2 / 6,
        Fraction(11, 48) * Z - Z**3 / 48,
        Fraction(7, 16) * Z - Z**2 / 6 + Z**3 / 48,
    ]
    assert sum(words, Fraction(0)) == 1
    known = ["0.58188792123783565844", "0.16863420960509247591", "0.24947786915707186566"]
    z = exp(Fraction(-1, 4), 90).low
    for word, digits in zip(words, known):
        assert abs(value_at(word, {"z": z}) - Fraction(digits)) < Fraction(1, 10**20)


def test_larger_of_two_laplace() -> None:
    """laplace(q, 2/eps), answers (1, -1): the second is the larger."""
    second = laplaces((1, HALF), (-1, HALF)).where_less(0, 1)
    assert number(second.total(), 2) == (EPS + 2) * Z**2 / 4


def test_larger_of_two_exponential() -> None:
    """exponential(2/eps) + q, answers (1, 0): the second is the larger."""
    joint = Joint.one()
    for name, answer in enumerate((1, 0)):
        joint = joint.with_sample(name, RealFunction.exponential(answer, HALF))
    assert number(joint.where_less(0, 1).total(), 2) == Z / 2


def geometrics(*alphas_and_means: tuple[Number, int]) -> Joint:
    joint = Joint.one()
    for name, (alpha, mean) in enumerate(alphas_and_means):
        joint = joint.with_sample(name, IntegerFunction.two_sided_geometric(alpha, mean))
    return joint


def test_integers_tie() -> None:
    joint = geometrics((A**2, 0), (A, 1))
    less, equal, more = joint.where_less(0, 1), joint.where_equal(0, 1), joint.where_less(1, 0)
    below = (A**2 + 1) * (A**2 + A + 1)
    assert less.total() == (A**3 + A**2 + 1) / below
    assert equal.total() == (A - A**3) / below
    assert more.total() == A**2 / (A**2 + 1)
    assert (less + equal + more).total() == 1
    at_half = geometrics((QUARTER, 0), (HALF, 1))
    assert at_half.where_less(0, 1).total() == Fraction(22, 35)
    assert at_half.where_equal(0, 1).total() == Fraction(6, 35)
    assert at_half.where_less(1, 0).total() == Fraction(1, 5)


@pytest.mark.parametrize(
    ("means", "above"), [((0, 0), 2 * A**2 + A + 1), ((0, 1), A**3 + A**2 + 2 * A)], ids=["equal", "apart"]
)
def test_larger_of_two_integers(means: tuple[int, int], above: Number) -> None:
    """q + two-sided geometric(a), the first wins ties."""
    joint = geometrics(*((A, mean) for mean in means))
    assert joint.where_less(1, 0, 0, strict=False).total() == above / (1 + A) ** 3


def test_cut_and_compared() -> None:
    """laplace(x, 1/(2 eps)) in [-1/2, 3/2] and above a threshold laplace(0, 1/eps), z = e^(-eps/2)."""
    found = []
    for mean in (1, 0):
        joint = laplaces((0, Fraction(1)), (mean, Fraction(2))).where_above(1, -HALF).where_below(1, 3 * HALF)
        found.append(number(joint.where_less(0, 1).total(), 2))
    assert found == [
        1 - Fraction(7, 6) * Z**2 + Z**4 / 6 + Z**5 / 6 - Z**7 / 6,
        HALF - Z**3 / 6 - Z**6 / 2 + Z**9 / 6,
    ]


@pytest.mark.parametrize(
    ("mean", "digits"), [(-1, "0.0012812282806775370401"), (0, "0.00074404761904761904762")], ids=["low", "high"]
)
def test_last_answer_is_told_as_a_sign(mean: int, digits: str) -> None:
    """Above Threshold with five equal answers: four are below, the fifth is above and told as <= 0; eps = 1/2."""
    joint = Joint.one().with_sample("threshold", RealFunction.laplace(0, HALF))
    noisy = RealFunction.laplace(mean, QUARTER)
    for _ in range(4):
        joint = joint.with_sample("noisy", noisy).where_less("noisy", "threshold").without("noisy")
    last = joint.with_sample("noisy", noisy).where_below("noisy", 0, strict=False).where_less("threshold", "noisy")
    values = {"eps": HALF, "z": exp(Fraction(-1, 8), 90).low}
    assert abs(value_at(number(last.total(), 4), values) - Fraction(digits)) < Fraction(1, 10**22)
    if mean == 0:
        assert last.total() == Fraction(1, 1344)
