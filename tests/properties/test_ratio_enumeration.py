"""Looking at every direction agrees with looking at every word, and its proofs are accepted."""

from __future__ import annotations

from fractions import Fraction

import pytest
from ratio_systems import largest_ratio, mass, random_case

from pfl.analysis.ratio.enumeration import Allowance, enumerate_ratios
from pfl.analysis.ratio.obligation import Exceeded, Settled, obligation
from pfl.base.budget import Budget
from pfl.verify.certificates.certificate import verify_certificate


@pytest.mark.parametrize("batch", range(10))
def test_agrees_with_brute_force(batch: int) -> None:
    for seed in range(batch * 40, batch * 40 + 40):
        case, length = random_case(seed), seed % 5
        expected = largest_ratio(case, length)
        task = obligation(case.system, case.left, case.right)
        outcome = enumerate_ratios(task, length, Fraction(0), Allowance(left=10**6), Budget())
        match outcome:
            case Exceeded(witness=witness):
                assert expected is None
                assert mass(case, case.left, witness.word) > 0 == mass(case, case.right, witness.word)
            case Settled(bound=bound, best=best, certificate=certificate):
                assert bound == expected
                if best is not None:
                    assert mass(case, case.left, best.word) == bound * mass(case, case.right, best.word)
                sides, below = (case.system, case.left, case.right), bound - Fraction(1, 1000)
                assert verify_certificate(certificate, *sides, bound, length=length, budget=Budget()) == []
                assert verify_certificate(certificate, *sides, below, length=length, budget=Budget()) != []
                assert verify_certificate(certificate, *sides, bound, length=length + 1, budget=Budget()) != []
            case None:
                pytest.fail("the allowance was spent")
