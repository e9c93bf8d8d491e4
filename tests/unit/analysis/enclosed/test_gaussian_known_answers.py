"""Gaussian noise: probabilities that error functions and theta sums give, and claims that hold with equality."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from scipy.integrate import quad
from scipy.stats import norm

from pfl.analysis.enclosed.evaluation import Evaluation
from pfl.analysis.enclosed.formula_table import FormulaTable
from pfl.analysis.enclosed.gaussian_function import ContinuousGaussian, DiscreteGaussian
from pfl.analysis.noise.joint import Joint
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.enclosure import Enclosure
from pfl.driver import check_text
from pfl.engines.answer import Computed, Disproved, Proved, Unknown
from pfl.verify.certificates.enclosed.steps import _ROOT_ABOVE, _ROOT_BELOW, Steps
from pfl.verify.verdict import Verdict

UNLIMITED = Budget(deadline=None, max_states=1_000_000)


def total(table: FormulaTable, joint: Joint, bits: int, draws: int = 3) -> Enclosure:
    number = joint.total()
    return Evaluation(table.nodes, draws, bits, UNLIMITED).probability(number)  # type: ignore[arg-type]


def real(table: FormulaTable, mean: object, deviation: object) -> ContinuousGaussian:
    return ContinuousGaussian.of(table, Fraction(mean), Fraction(deviation))  # type: ignore[arg-type]


@pytest.mark.parametrize("bits", [16, 64, 200])
def test_a_sample_above_a_number(bits: int) -> None:
    table = FormulaTable()
    found = total(table, Joint.one().with_sample("x", real(table, 0, 2)).where_above("x", Fraction(1)), bits)
    assert float(found.low) - 1e-12 <= norm.sf(0.5) <= float(found.high) + 1e-12
    assert found.high - found.low <= Fraction(1, 2**bits)


def test_one_sample_below_another_is_an_error_function() -> None:
    table = FormulaTable()
    joint = Joint.one().with_sample("x", real(table, 0, 2)).with_sample("y", real(table, 1, Fraction(3, 2)))
    found = total(table, joint.where_less("x", "y", Fraction(1, 3)), 64)
    assert float(found.low) == pytest.approx(norm.cdf((4 / 3) / 2.5), abs=1e-14)


def test_the_largest_of_three() -> None:
    table = FormulaTable()
    joint = Joint.one()
    for name, mean in zip("xyz", (0, 1, 2)):
        joint = joint.with_sample(name, real(table, mean, 2))
    found = total(table, joint.where_less("x", "y").where_less("z", "y"), 64)
    expected, _ = quad(lambda t: norm.pdf(t, 1, 2) * norm.cdf(t, 0, 2) * norm.cdf(t, 2, 2), -30, 30)
    assert float(found.low) == pytest.approx(expected, abs=1e-8)


def test_a_discrete_gaussian_is_a_theta_sum() -> None:
    table = FormulaTable()
    sample = DiscreteGaussian.of(table, Fraction(1), Fraction(4, 3))
    found = total(table, Joint.one().with_sample("k", sample).where_at("k", 3), 100)
    weights = {k: math.exp(-((k - 1) ** 2) * 9 / 32) for k in range(-40, 43)}
    assert float(found.low) == pytest.approx(weights[3] / sum(weights.values()), abs=1e-15)


def test_what_differs_by_a_translation_has_the_same_integral() -> None:
    table = FormulaTable()
    totals = set()
    for mean in (0, 1, Fraction(7, 3)):
        joint = Joint.one().with_sample("x", real(table, mean, 1)).with_sample("y", real(table, mean + 1, 2))
        totals.add(joint.where_less("x", "y").where_below("x", mean + 2).total())
    assert len(totals) == 1


@pytest.mark.parametrize("bits", [8, 32, 128, 256])
def test_enclosures_of_complements_hold_one_together(bits: int) -> None:
    table = FormulaTable()
    joint = Joint.one().with_sample("x", real(table, 0, Fraction(1, 2))).with_sample("y", real(table, 3, 5))
    parts = [joint.where_less("x", "y", Fraction(1, 3)), joint.where_less("y", "x", Fraction(-1, 3))]
    ends = [total(table, part, bits, draws=2) for part in parts]
    assert sum(end.low for end in ends) <= 1 <= sum(end.high for end in ends)
    assert sum(end.high - end.low for end in ends) < Fraction(1, 2 ** (bits - 4))


def test_deviations_that_lie_far_apart_are_a_limit() -> None:
    table = FormulaTable()
    sample = DiscreteGaussian.of(table, Fraction(0), Fraction(10**6))
    with pytest.raises(LimitReached, match="more than 100,000 integers"):
        total(table, Joint.one().with_sample("k", sample).where_below("k", 0), 64)


def test_steps_know_the_root_of_two_pi() -> None:
    assert Fraction(math.sqrt(2 * math.pi)) + Fraction(1, 10**15) >= _ROOT_BELOW
    assert Fraction(1, 10**15) > _ROOT_ABOVE - _ROOT_BELOW
    assert float(_ROOT_BELOW) == pytest.approx(math.sqrt(2 * math.pi), abs=1e-15)


@pytest.mark.parametrize("discrete", [False, True])
def test_steps_hold_what_narrow_enclosures_do(discrete: bool) -> None:
    table = FormulaTable()
    kind = DiscreteGaussian if discrete else ContinuousGaussian
    joint = Joint.one()
    for name, mean in zip("xyz", (0, 1, 2)):
        joint = joint.with_sample(name, kind.of(table, Fraction(mean), Fraction(3, 2)))
    number = joint.where_less("x", "y").where_less("y", "z").where_above("x", -1).total()
    narrow = Evaluation(table.nodes, 3, 64, UNLIMITED).probability(number)  # type: ignore[arg-type]
    low, high = Steps(table.nodes, 3, 32, UNLIMITED).probability(number)  # type: ignore[arg-type]
    assert low <= narrow.low <= narrow.high <= high
    assert high - low < Fraction(1, 10)


# --- claims ------------------------------------------------------------------

MODEL = """
mechanism told(q: 0..1) -> bool {{ let noisy ~ gaussian(q, 1); return noisy > 1/2; }}
mechanism alike(q: 0..1) -> bool {{ let noisy ~ gaussian(q, 1); return noisy > q + 1/3; }}
mechanism sure(q: 0..1) -> bool {{ let noisy ~ gaussian(q, 1); return q == 1 and noisy > 0; }}
mechanism mirrored(q: 0..1) -> bool {{
    let noisy ~ gaussian(0, 1);
    return if q == 0 then noisy > 1 else noisy < -1;
}}
adjacency any_two(a: 0..1, b: 0..1) = true;
{claim}
"""


def verdict(claim: str) -> Verdict:
    (result,) = check_text(MODEL.format(claim=claim)).results
    return result.verdict


def test_two_bins_of_the_gaussian_mechanism() -> None:
    ratio = norm.cdf(0.5) / norm.cdf(-0.5)
    found = verdict("compute epsilon told { adjacent any_two; }")
    assert isinstance(found, Computed)
    assert found.bound is not None
    assert isinstance(found.bound.lower, Fraction)
    assert isinstance(found.bound.upper, Fraction)
    assert float(found.bound.lower) <= ratio + 1e-8
    assert ratio - 1e-8 <= float(found.bound.upper)
    found = verdict("compute delta told { adjacent any_two; epsilon 1/2; }")
    assert isinstance(found, Computed)
    assert isinstance(found.value, Enclosure)
    assert float(found.value.low) == pytest.approx(norm.cdf(0.5) - math.exp(0.5) * norm.cdf(-0.5), abs=1e-14)


def test_a_claim_with_a_margin_is_checked_again() -> None:
    found = verdict("check privacy told { adjacent any_two; epsilon 2; }")
    assert isinstance(found, Proved)
    assert found.checked


def test_a_proof_without_a_margin_is_said_not_to_be_checked() -> None:
    epsilon = Fraction(math.log(norm.cdf(0.5) / norm.cdf(-0.5))) + Fraction(1, 10**6)
    found = verdict(f"check privacy told {{ adjacent any_two; epsilon {epsilon}; }}")
    assert isinstance(found, Proved)
    assert not found.checked
    assert "not checked" in dict(found.evidence.facts)


def test_probabilities_that_are_the_same_integrals_are_equal() -> None:
    assert isinstance(verdict("check privacy alike { adjacent any_two; epsilon 0; }"), Proved)


def test_equal_probabilities_that_are_other_integrals_stay_open() -> None:
    found = verdict("check privacy mirrored { adjacent any_two; epsilon 0; }")
    assert isinstance(found, Unknown)
    assert "may be 0" in found.reason
    assert isinstance(verdict("check privacy mirrored { adjacent any_two; epsilon 1/1000000; }"), Proved)


def test_what_only_one_side_shows_is_refuted_whatever_epsilon_is() -> None:
    assert isinstance(verdict("check privacy sure { adjacent any_two; epsilon 100; }"), Disproved)
    found = verdict("compute epsilon sure { adjacent any_two; }")
    assert isinstance(found, Computed)
    assert found.bound is not None
    assert found.bound.ratio == "inf"
    assert isinstance(verdict("check privacy sure { adjacent any_two; epsilon 1/10; delta 9/10; }"), Proved)
