"""The numerical search agrees with looking at every word, and its proofs are accepted."""

from __future__ import annotations

from fractions import Fraction

import pytest
from ratio_systems import Case, largest_ratio, mass, random_case

from pfl.analysis.ratio.bounded import BoundedSearch
from pfl.analysis.ratio.every_length import EveryLength
from pfl.analysis.ratio.obligation import Exceeded, Settled, Unbounded, Unsettled, Witness
from pfl.analysis.ratio.prepared import Prepared
from pfl.base.budget import Budget
from pfl.verify.certificates.certificate import verify_certificate


def require_exact(case: Case, witness: Witness) -> None:
    """The witness must have the ratio that it states."""
    left, right = (mass(case, start, witness.word) for start in (case.left, case.right))
    if witness.ratio is None:
        assert left > 0 == right
    else:
        assert left == witness.ratio * right


@pytest.mark.parametrize("batch", range(20))
def test_largest_ratio_agrees_with_brute_force(batch: int) -> None:
    for seed in range(batch * 20, batch * 20 + 20):
        case, length = random_case(seed), seed % 5
        expected = largest_ratio(case, length)
        prepared = Prepared()
        task = prepared.obligation(case.system, case.left, case.right)
        search = BoundedSearch(
            task,
            prepared.tools(task.part),
            length=length,
            bound=Fraction(0),
            is_too_large=None,
            budget=Budget(),
        )
        outcome = search.settle(None)
        match outcome:
            case Exceeded(witness=witness):
                assert expected is None
                require_exact(case, witness)
            case Settled(bound=bound, best=best, proof=proof):
                assert bound == expected, seed
                assert best is not None
                assert best.ratio == bound
                require_exact(case, best)
                sides, below = (case.system, case.left, case.right), bound - Fraction(1, 1000)
                assert verify_certificate(proof.certificate(), *sides, bound, length=length, budget=Budget()) == []
                assert verify_certificate(proof.certificate(), *sides, below, length=length, budget=Budget()) != []
            case Unsettled():
                pytest.fail("nothing limited the search")


@pytest.mark.parametrize("batch", range(20))
def test_checks_agree_with_brute_force(batch: int) -> None:
    for seed in range(batch * 20, batch * 20 + 20):
        case, length = random_case(seed + 1000), seed % 4
        expected = largest_ratio(case, length)
        prepared = Prepared()
        task = prepared.obligation(case.system, case.left, case.right)
        for bound in (Fraction(1), Fraction(3, 2), expected or Fraction(4), (expected or 4) * Fraction(99, 100)):
            search = BoundedSearch(
                task,
                prepared.tools(task.part),
                length=length,
                bound=bound,
                is_too_large=lambda ratio, bound=bound: ratio > bound,
                budget=Budget(),
            )
            outcome = search.settle(None)
            assert isinstance(outcome, Settled) == (expected is not None and expected <= bound), seed
            if isinstance(outcome, Exceeded):
                require_exact(case, outcome.witness)
                assert outcome.witness.exceeds(bound)


@pytest.mark.parametrize("batch", range(10))
def test_every_length_brackets_the_ratios_of_short_words(batch: int) -> None:
    for seed in range(batch * 6, batch * 6 + 6):
        case = random_case(seed + 5000)
        prepared = Prepared()
        task = prepared.obligation(case.system, case.left, case.right)
        outcome = EveryLength(task, prepared.tools(task.part), bound=Fraction(0), budget=Budget()).interval()
        shown = largest_ratio(case, 3)
        match outcome:
            case Exceeded(witness=witness):
                require_exact(case, witness)
            case Settled(bound=bound, best=best, proof=proof):
                assert shown is not None
                assert best is not None
                assert best.ratio is not None
                assert shown <= bound, seed
                assert best.ratio <= bound
                require_exact(case, best)
                sides = (case.system, case.left, case.right)
                assert verify_certificate(proof.certificate(), *sides, bound, length="any", budget=Budget()) == []
            case Unbounded(witness=witness):
                require_exact(case, witness)
            case Unsettled(best=best):
                assert best is not None
                require_exact(case, best)
