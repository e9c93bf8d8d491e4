"""Sums of exponentials, and functions of one sample: normal forms, integrals, what is refused."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest

from pfl.analysis.noise.exponential_sum import ExponentialSum
from pfl.analysis.noise.integer_function import IntegerFunction
from pfl.analysis.noise.real_function import RealFunction
from pfl.analysis.noise.sample_function import SampleFunction
from pfl.base.rational_function import RationalFunction

HALF = Fraction(1, 2)
A, B, P = (RationalFunction.parameter(name) for name in "abp")

DECAY = ExponentialSum({(0, Fraction(1, 2)): Fraction(3), (1, Fraction(1, 3)): Fraction(-1)})


class TestExponentialSums:
    """Sums of q * eps^i * e^(-d eps)."""

    def test_is_a_ring(self) -> None:
        assert DECAY - DECAY == 0
        assert not DECAY - DECAY
        assert (DECAY + 1) * (DECAY - 1) == DECAY * DECAY - 1
        assert 1 - DECAY == -(DECAY - 1)
        assert hash(2 * DECAY) == hash(DECAY + DECAY)

    def test_becomes_a_number(self) -> None:
        eps, z = RationalFunction.parameter("eps"), RationalFunction.parameter("z")
        assert DECAY.unit_denominator == 6
        assert DECAY.to_number(eps, z, 6) == 3 * z**3 - eps * z**2
        assert DECAY.to_number(Fraction(2), HALF, 6) == Fraction(3, 8) - HALF
        assert DECAY.to_number(A, A * B, 12) == 3 * (A * B) ** 6 - A * (A * B) ** 4
        with pytest.raises(ValueError, match="no whole power"):
            DECAY.to_number(eps, z, 3)

    def test_may_grow(self) -> None:
        assert ExponentialSum({(0, Fraction(-2)): Fraction(1)}).to_number(A, B, 1) == 1 / B**2
        assert ExponentialSum({}).to_number(A, B, 1) == 0

    def test_holds_other_parameters(self) -> None:
        mixed = DECAY * P + (1 - P)
        assert mixed.to_number(Fraction(0), Fraction(1), 6) == 2 * P + 1

    def test_reads_well(self) -> None:
        assert str(DECAY) == "-1*eps*e^(-1/3*eps) + 3*e^(-1/2*eps)"
        assert str(ExponentialSum()) == "0"


class TestRealFunctions:
    """Densities of real samples and what is made of them."""

    def test_densities_have_total_one(self) -> None:
        for function in (RealFunction.laplace(Fraction(2, 3), Fraction(3, 4)), RealFunction.exponential(-1, 2)):
            assert function.total() == 1

    def test_laplace_by_hand(self) -> None:
        density = RealFunction.laplace(2, 3)
        assert density.breakpoints == (2,)
        three, six = Fraction(3), Fraction(6)
        assert density.pieces == ({(0, three, 0, six): three / 2}, {(0, -three, 0, -six): three / 2})
        assert density.primitive().pieces[0] == {(0, three, 0, six): HALF}

    def test_one_normal_form(self) -> None:
        density = RealFunction.laplace(HALF, Fraction(2, 3))
        assert density.shifted(Fraction(1, 3)).shifted(Fraction(-1, 3)) == density
        assert density.shifted(2) == RealFunction.laplace(Fraction(5, 2), Fraction(2, 3))
        parts = density.restricted(None, 1) + density.restricted(1, None)
        assert parts == density
        assert hash(parts) == hash(density)
        assert density + density == density.scaled(2)
        assert not density + density.scaled(-1)

    def test_shifts_move_powers(self) -> None:
        convolved = RealFunction.laplace(0, 1) * RealFunction.laplace(1, 1).primitive()
        powers = convolved.restricted(0, 1).primitive()
        assert powers.shifted(3).restricted(3, 4).total() == powers.restricted(0, 1).total()

    def test_rate_zero_gives_powers(self) -> None:
        """The integral of e^(-s) e^s from 0 to eps is eps."""
        rising = RealFunction.laplace(5, 1).restricted(0, 1).scaled(2)
        falling = RealFunction.laplace(0, 1).restricted(0, 1).scaled(2)
        assert (rising * falling).total() == ExponentialSum({(1, Fraction(5)): Fraction(1)})

    def test_empty_interval(self) -> None:
        assert not RealFunction.laplace(0, 1).restricted(1, 1)
        assert not RealFunction.exponential(0, 1).restricted(None, 0)

    def test_scaled_by_sums(self) -> None:
        density = RealFunction.laplace(0, 1)
        assert density.scaled(DECAY).total() == DECAY
        assert density.accepts(DECAY)
        assert not density.accepts(P)
        with pytest.raises(ValueError, match="rational coefficients"):
            density.scaled(P)

    def test_refuses(self) -> None:
        with pytest.raises(ValueError, match="not positive"):
            RealFunction.laplace(0, 0)
        with pytest.raises(ValueError, match="decay"):
            RealFunction.laplace(0, 1).primitive().total()
        with pytest.raises(ValueError, match="decay"):
            RealFunction.everywhere(1).primitive()


class TestIntegerFunctions:
    """Mass functions of integer samples and what is made of them."""

    @pytest.mark.parametrize("alpha", [HALF, A, A**2 * B], ids=str)
    def test_mass_functions(self, alpha: Fraction | RationalFunction) -> None:
        two_sided, one_sided = IntegerFunction.two_sided_geometric(alpha, 3), IntegerFunction.geometric(alpha, -1)
        assert two_sided.total() == one_sided.total() == 1
        assert two_sided.at(1) == two_sided.at(5) == (1 - alpha) / (1 + alpha) * alpha**2
        assert one_sided.at(-2) == 0
        assert one_sided.at(1) == (1 - alpha) * alpha**2
        assert two_sided.primitive().at(4) == 1 - alpha**2 / (1 + alpha)

    def test_values_are_those_of_the_operations(self) -> None:
        f, g = IntegerFunction.two_sided_geometric(HALF, 1), IntegerFunction.geometric(Fraction(1, 3), -2)
        h = IntegerFunction.of_values(-1, [Fraction(2), Fraction(0), Fraction(5)])
        up_to = f.primitive()
        for k in range(-6, 8):
            assert (f * g).at(k) == f.at(k) * g.at(k)
            assert (f + h).at(k) == f.at(k) + h.at(k)
            assert (g * h).at(k) == g.at(k) * h.at(k)
            assert f.shifted(2).at(k) == f.at(k - 2)
            assert f.restricted(-1, 2).at(k) == (f.at(k) if -1 <= k <= 2 else 0)
            assert f.restricted(4, None).at(k) == (f.at(k) if k >= 4 else 0)
            assert f.restricted(None, -3).at(k) == (f.at(k) if k <= -3 else 0)
            assert up_to.at(k) - up_to.at(k - 1) == f.at(k)
            assert up_to.just_before().at(k) == up_to.at(k - 1)
        assert h.primitive().at(9) == h.total() == 7

    def test_one_normal_form(self) -> None:
        f = IntegerFunction.two_sided_geometric(A, 2)
        assert f.restricted(None, 7) + f.restricted(8, None) == f
        assert hash(f.restricted(None, -7) + f.restricted(-6, None)) == hash(f)
        assert f.shifted(3).shifted(-3) == f
        assert f.scaled(2) + f.scaled(-1) == f
        assert not f + f.scaled(-1)
        below = f.primitive()
        assert below + (IntegerFunction.everywhere(1) + below.scaled(-1)) == IntegerFunction.everywhere(1)

    def test_one_sum_everywhere(self) -> None:
        rising = IntegerFunction(0, [], {A: Fraction(1)}, {A: Fraction(1)})
        assert IntegerFunction(2, [A**2, A**3], {A: A**2}, {A: A**4}) == rising
        assert rising.shifted(3) == rising.scaled(1 / A**3)
        assert IntegerFunction.everywhere(HALF).shifted(5) == IntegerFunction.everywhere(HALF)

    @pytest.mark.parametrize("low", [-2, 0, 3])
    def test_sums_are_in_normal_form(self, low: int) -> None:
        f = IntegerFunction.two_sided_geometric(A, 1)
        cut = f.restricted(low, 4) + f.restricted(6, None)
        for function in (f, cut, f.restricted(None, low), f * f.primitive(), IntegerFunction.geometric(HALF, low)):
            sums = function.primitive()
            assert sums == IntegerFunction(sums.low, sums.values, sums.left, sums.right)

    def test_different_bases_meet(self) -> None:
        f, g = IntegerFunction.geometric(A), IntegerFunction.geometric(B)
        assert (f * g).total() == (1 - A) * (1 - B) / (1 - A * B)
        assert f.accepts(P)
        assert f.scaled(P).total() == P

    def test_refuses(self) -> None:
        f = IntegerFunction.geometric(HALF)
        for alpha in (Fraction(0), Fraction(1), Fraction(3, 2)):
            with pytest.raises(ValueError, match="between 0 and 1"):
                IntegerFunction.two_sided_geometric(alpha)
        with pytest.raises(ValueError, match="not whole"):
            f.shifted(HALF)
        with pytest.raises(ValueError, match="not multiplied"):
            f.scaled(DECAY)
        with pytest.raises(ValueError, match="constant right tail"):
            f.primitive().primitive()
        with pytest.raises(ValueError, match="from the left"):
            IntegerFunction.everywhere(1).primitive()


def test_totals_of_both_kinds_have_types() -> None:
    functions: list[SampleFunction] = [RealFunction.laplace(0, 1), IntegerFunction.geometric(HALF)]
    assert [isinstance(function.total(), ExponentialSum) for function in functions] == [True, False]


def test_pickles() -> None:
    for thing in (DECAY, RealFunction.laplace(1, 2).primitive(), IntegerFunction.geometric(A).primitive()):
        assert pickle.loads(pickle.dumps(thing)) == thing
