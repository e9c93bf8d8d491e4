"""The exact engine as a whole against brute force: checks, smallest epsilon, several comparisons and lengths."""

from __future__ import annotations

from fractions import Fraction

import pytest
from ratio_systems import Case, largest_ratio, random_case

from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.engines.answer import Computed, Fails, Proved
from pfl.engines.ratio import exact
from pfl.model.compare import Compare, Side, Table
from pfl.options import Options
from pfl.verify.certificates.evidence import faults_of_evidence
from pfl.verify.replay import refute
from pfl.verify.verdict import Refuted


def table(case: Case, epsilon: Epsilon | None, *, one_way: bool) -> Table:
    return Table.of_pair(
        case.system,
        [Side(label="left", vector=case.left), Side(label="right", vector=case.right)],
        epsilon=epsilon,
        one_way=one_way,
    )


def both_ways(case: Case, length: int, *, one_way: bool) -> Fraction | None:
    there = largest_ratio(case, length)
    back = Fraction(0) if one_way else largest_ratio(Case(system=case.system, left=case.right, right=case.left), length)
    return None if there is None or back is None else max(there, back)


@pytest.mark.parametrize("batch", range(10))
def test_checks_and_epsilons_agree_with_brute_force(batch: int) -> None:
    for seed in range(batch * 20, batch * 20 + 20):
        case, other, length = random_case(seed), random_case(seed + 1), seed % 4
        one_way = seed % 5 == 0
        ratios = [both_ways(each, length, one_way=one_way) for each in (case, other)]
        largest = None if None in ratios else max(ratio for ratio in ratios if ratio is not None)
        computed = exact.answer(question((case, other), "epsilon", None, length, one_way), Options(), Budget())
        assert isinstance(computed, Computed)
        assert computed.bound is not None
        assert computed.bound.ratio == ("inf" if largest is None else largest), seed
        for claimed in (Fraction(3, 2), Fraction(4), largest or Fraction(9)):
            asked = question((case, other), "check", Epsilon.ln(claimed), length, one_way)
            answer = exact.answer(asked, Options(), Budget())
            if largest is None or largest > claimed:
                assert isinstance(answer, Fails), seed
                verdict = refute(asked, "exact", answer.violation)
                assert isinstance(verdict, Refuted)
                assert answer.bound is not None
                assert answer.bound.ratio in ("inf", largest)
            else:
                assert isinstance(answer, Proved), seed
                assert len(answer.evidence.certificates) == (2 if one_way else 4)
                assert faults_of_evidence(asked, answer.evidence.certificates, Budget()) == []
                assert answer.bound is not None
                assert answer.bound.ratio == largest


def question(cases: tuple[Case, ...], goal: str, epsilon: Epsilon | None, length: int, one_way: bool) -> Compare:
    return Compare(
        goal="check" if goal == "check" else "epsilon",
        tables=tuple(table(case, epsilon, one_way=one_way) for case in cases),
        lengths=(length,),
    )
