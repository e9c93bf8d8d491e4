"""Distributions sum to exactly 1, or are not built."""

from fractions import Fraction

import pytest

from pfl.base.rational_function import RationalFunction
from pfl.model.distribution import DistributionValue, NegativeWeight, TotalNotOne, bernoulli, binomial, point, uniform
from pfl.model.values import FALSE, TRUE, Value, truth

P = RationalFunction.parameter("p")


def test_equal_values_add_and_zero_weights_are_left_out() -> None:
    built = DistributionValue([(1, Fraction(1, 4)), (2, 0), (Fraction(1), Fraction(3, 4))])
    assert dict(built.items()) == {1: Fraction(1)}
    assert built.weight(2) == 0
    assert built == point(1)


def test_true_and_one_are_different_values() -> None:
    assert len(DistributionValue([(TRUE, Fraction(1, 2)), (1, Fraction(1, 2))])) == 2


@pytest.mark.parametrize("total", [Fraction(2, 3), Fraction(2), Fraction(11, 10)])
def test_a_sum_that_is_off_is_refused_with_the_sum(total: Fraction) -> None:
    with pytest.raises(TotalNotOne) as refused:
        DistributionValue([(0, total - Fraction(1, 2)), (1, Fraction(1, 2))])
    assert refused.value.total == total
    assert refused.value.weights == ((0, total - Fraction(1, 2)), (1, Fraction(1, 2)))


def test_negative_weights_are_refused_even_if_the_sum_is_1() -> None:
    with pytest.raises(NegativeWeight) as refused:
        DistributionValue([(0, Fraction(3, 2)), (1, Fraction(-1, 2))])
    assert (refused.value.value, refused.value.weight) == (1, Fraction(-1, 2))


def test_with_parameters_the_sum_is_an_identity() -> None:
    built = DistributionValue([(0, P * P), (1, 2 * P * (1 - P)), (2, (1 - P) ** 2)])
    assert len(built) == 3
    assert [str(c.polynomial) for c in built.conditions] == ["-p^2", "-2*p + 2*p^2", "-1 + 2*p - p^2"]
    assert {c.relation for c in built.conditions} == {"<="}
    with pytest.raises(TotalNotOne) as refused:
        DistributionValue([(0, P), (1, P)])
    assert str(refused.value.total) == "2*p"
    assert DistributionValue([(0, P - P), (1, Fraction(1))]) == point(1)


def test_quotients_of_parameters_become_polynomial_conditions() -> None:
    built = DistributionValue([(0, P / (1 + P)), (1, 1 / (1 + P))])
    assert [str(c.polynomial) for c in built.conditions] == ["-p - p^2", "-1 - p"]


def test_built_in_distributions() -> None:
    assert dict(uniform([3, 1, 3]).items()) == {3: Fraction(2, 3), 1: Fraction(1, 3)}
    assert dict(bernoulli(Fraction(1, 3)).items()) == {TRUE: Fraction(1, 3), FALSE: Fraction(2, 3)}
    assert bernoulli(1) == point(TRUE)
    assert dict(binomial(2, Fraction(1, 3)).items()) == {0: Fraction(4, 9), 1: Fraction(4, 9), 2: Fraction(1, 9)}
    assert binomial(3, 0) == point(0)
    assert binomial(0, Fraction(1, 2)) == point(0)
    assert len(binomial(3, P).conditions) == 2
    with pytest.raises(NegativeWeight):
        bernoulli(Fraction(3, 2))
    with pytest.raises(ValueError, match="empty set"):
        uniform([])


def test_map_and_bind() -> None:
    def noisy(value: Value) -> DistributionValue:
        return point(value) if value == 0 else bernoulli(P).map(lambda b: 1 if b is TRUE else 0)

    mixed = uniform([0, 1]).bind(noisy)
    assert mixed.weight(1) == P / 2
    assert mixed.weight(0) == 1 - P / 2
    assert len(mixed.conditions) == 2
    assert uniform(range(4)).map(lambda n: truth(isinstance(n, int) and n > 0)).weight(TRUE) == Fraction(3, 4)
    assert str(uniform([0, 1])) == "{ 0: 1/2, 1: 1/2 }"
