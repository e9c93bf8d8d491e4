"""Probabilities of comparisons among random samples: against cells and sums, and against each other."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from noise_programs import System, compared, exact, exact_as_a_program, joint_of, otherwise, systems, value

from pfl.analysis.noise.exponential_sum import ExponentialSum
from pfl.analysis.noise.integer_function import IntegerFunction
from pfl.analysis.noise.joint import Joint
from pfl.analysis.noise.plain import probability
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction, value_at

EXAMPLES = 15
DIGITS = Fraction(1, 10**20)


def agrees(system: System, eps: Fraction) -> None:
    """Both routes, to 20 digits."""
    plainly = probability(system.samples, system.comparisons, eps)
    assert abs(value(exact(system), eps) - plainly) < DIGITS


@settings(max_examples=EXAMPLES)
@given(system=systems(is_real=True, most=2), eps=st.sampled_from([Fraction(1), Fraction(2), Fraction(7, 3)]))
def test_real_samples_by_cells(system: System, eps: Fraction) -> None:
    agrees(system, eps)


@settings(max_examples=EXAMPLES)
@given(system=systems(is_real=True, most=4, cut=True), eps=st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(3)]))
def test_real_samples_on_intervals_by_cells(system: System, eps: Fraction) -> None:
    agrees(system, eps)


@settings(max_examples=EXAMPLES)
@given(system=systems(is_real=False, most=2))
def test_integers_by_long_sums(system: System) -> None:
    agrees(system, Fraction(1))


@settings(max_examples=EXAMPLES)
@given(system=systems(is_real=False, most=4, cut=True))
def test_integers_on_intervals_by_sums(system: System) -> None:
    agrees(system, Fraction(1))


@pytest.mark.parametrize("is_real", [True, False])
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_probabilities_of_all_outcomes_add_up(is_real: bool, data: st.DataObject) -> None:
    """Identically: to the probability before the comparisons, whatever order samples are summed out in."""
    system = data.draw(systems(is_real=is_real, most=4))
    joints = [joint_of(system)]
    before = joints[0].total()
    for comparison in system.comparisons[:4]:
        joints = [way for joint in joints for way in (compared(joint, comparison), otherwise(joint, comparison))]
    total = joints[0].without(*system.order).total()
    for joint in joints[1:]:
        total = joint.total() + total
    assert total == before
    added = joints[0]
    for joint in joints[1:]:
        added = added + joint
    for name in system.order:
        added = added.without(name)
    assert added.total() == before


@pytest.mark.parametrize("is_real", [True, False])
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_samples_may_be_drawn_late_and_summed_out_early(is_real: bool, data: st.DataObject) -> None:
    system = data.draw(systems(is_real=is_real, most=5))
    assert exact_as_a_program(system) == exact(system)


@settings(max_examples=EXAMPLES)
@given(system=systems(is_real=False, most=3), alpha=st.sampled_from([Fraction(1, 2), Fraction(2, 7)]))
def test_alphas_may_be_parameters(system: System, alpha: Fraction) -> None:
    """Powers of one alpha, for all its values and at one."""

    def total(base: Number) -> Number:
        joint = Joint.one()
        for name, sample in enumerate(system.samples):
            power = base ** (1 + sample.spread.denominator % 3)
            one_sided = sample.kind == "geometric"
            make = IntegerFunction.geometric if one_sided else IntegerFunction.two_sided_geometric
            joint = joint.with_sample(name, make(power, int(sample.mean)).restricted(sample.low, sample.high))
        for comparison in system.comparisons:
            joint = compared(joint, comparison)
        weight = joint.total()
        assert not isinstance(weight, ExponentialSum)
        return weight

    assert value_at(total(RationalFunction.parameter("a")), {"a": alpha}) == total(alpha)
