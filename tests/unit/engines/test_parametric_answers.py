"""Claims for all parameter values: known answers, and what each kind of epsilon and of space needs."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import pytest
from parametric_models import (
    FIRST,
    JOHN,
    NOT_JOHN,
    ONE,
    PRIOR,
    SECOND,
    ZERO,
    P,
    Q,
    claim,
    condition,
    flipping,
    hmm,
    interval,
    ln,
    survey,
)

from pfl.analysis.polynomial.algebraic import ExactRoot
from pfl.base.budget import Budget
from pfl.base.diagnostics import InputRejected, LimitReached
from pfl.base.enclosure import Enclosure
from pfl.base.epsilon import Epsilon
from pfl.engines.answer import Answer, Bound, Computed, Fails, Proved
from pfl.engines.parametric import parametric
from pfl.model.compare import Compare, Side
from pfl.model.parameters import ParameterSpace
from pfl.options import Options
from pfl.verify.replay import refute
from pfl.verify.verdict import Refuted

AROUND = (interval("p", Fraction(1, 10), Fraction(1, 5)),)


def answer(question: Compare) -> Answer:
    return parametric.answer(question, Options(), Budget())


def holds(question: Compare) -> Proved:
    result = answer(question)
    assert isinstance(result, Proved), result
    return result


def fails(question: Compare) -> Refuted:
    result = answer(question)
    assert isinstance(result, Fails), result
    verdict = refute(question, "parametric", result.violation)
    assert isinstance(verdict, Refuted), verdict
    return verdict


def least_epsilon(question: Compare) -> Bound:
    result = answer(question)
    assert isinstance(result, Computed), result
    assert result.bound is not None
    return result.bound


def one_way(question: Compare) -> Compare:
    return replace(question, tables=tuple(replace(c, one_way=True) for c in question.tables))


def test_the_independent_disease_holds_for_all_p() -> None:
    bound = holds(claim(survey(), PRIOR, JOHN, ln(2))).bound
    assert bound is not None
    assert (bound.ratio, bound.attained, bound.limit_at) == (2, False, "p -> 0")
    assert least_epsilon(claim(survey(), PRIOR, JOHN, None)).ratio == 2
    witness = fails(claim(survey(), PRIOR, JOHN, ln(Fraction(199, 100)))).witness
    assert witness.ratio != "inf"
    assert Fraction(199, 100) < witness.ratio < 2


def test_john_against_not_john_is_exactly_two_everywhere() -> None:
    bound = holds(claim(survey(), JOHN, NOT_JOHN, ln(2))).bound
    assert bound is not None
    assert (bound.ratio, bound.attained, bound.limit_at) == (2, True, "")
    for smaller in (ln(Fraction(199, 100)), ln(3) / 2, Epsilon.rational(Fraction(69, 100))):
        assert fails(claim(survey(), JOHN, NOT_JOHN, smaller)).witness.ratio == 2
    for larger in (ln(4) / 2, ln(5) / 2, Epsilon.rational(Fraction(7, 10))):
        holds(claim(survey(), JOHN, NOT_JOHN, larger))


def test_an_epsilon_may_depend_on_the_parameter() -> None:
    lie = hmm([[ONE, ZERO], [ZERO, ONE]], [[1 / (1 + P), P / (1 + P)], [P / (1 + P), 1 / (1 + P)]])
    holds(claim(lie, FIRST, SECOND, ln(1 / P)))
    holds(claim(lie, FIRST, SECOND, ln(1 / P) + Epsilon.rational(Fraction(1, 10**18))))
    holds(claim(lie, FIRST, SECOND, ln(1 / P**2) / 2))
    fails(claim(lie, FIRST, SECOND, ln(1 / P) / 2))
    fails(claim(lie, FIRST, SECOND, ln(1 / P) - Epsilon.rational(Fraction(1, 1000))))


def test_a_chain_attains_its_largest_ratio_at_a_closed_end_only() -> None:
    system = flipping(P)
    open_bound = least_epsilon(claim(system, FIRST, SECOND, None, 3, AROUND))
    assert (open_bound.ratio, open_bound.attained, open_bound.limit_at) == (12, False, "p -> 1/10")
    closed = (interval("p", Fraction(1, 10), Fraction(1, 5), is_open=False),)
    closed_bound = least_epsilon(claim(system, FIRST, SECOND, None, 3, closed))
    assert (closed_bound.ratio, closed_bound.attained) == (12, True)
    assert closed_bound.best is not None
    assert closed_bound.best.parameters == {"p": Fraction(1, 10)}


def test_an_end_may_attain_what_the_inside_has_too() -> None:
    """At p = 0 nothing shows; inside, the ratio is 3 everywhere, and only the inside attains it."""
    system = hmm([[ONE, ZERO], [ZERO, ONE]], [[3 * P / 4, 1 - 3 * P / 4], [P / 4, 1 - P / 4]])
    only_end = (interval("p", 0, 0, is_open=False),)
    assert least_epsilon(claim(system, FIRST, SECOND, None, 1, only_end)).ratio == 1
    whole = least_epsilon(claim(system, FIRST, SECOND, None, 1, (interval("p", 0, 1, is_open=False),)))
    assert (whole.ratio, whole.attained) == (3, True)


def test_every_length_is_proved_by_closure() -> None:
    holds(claim(flipping(P), FIRST, SECOND, ln(Fraction(182, 10)), "any", AROUND))
    refuted = fails(claim(flipping(P), FIRST, SECOND, ln(12), "any", AROUND))
    assert len(refuted.witness.words[0]) == 4
    bound = least_epsilon(claim(flipping(P), FIRST, SECOND, None, "any", AROUND))
    assert isinstance(bound.lower, Fraction)
    assert isinstance(bound.upper, Fraction)
    assert Fraction(1816, 100) < bound.lower < bound.upper < Fraction(182, 10)


def test_a_ratio_without_bound_is_infinite() -> None:
    impossible = hmm([[ONE, ZERO], [ZERO, ONE]], [[ONE, ZERO], [1 - P, P]])
    bound = least_epsilon(claim(impossible, FIRST, SECOND, None))
    assert (bound.ratio, bound.attained) == ("inf", True)
    vanishing = hmm([[ONE, ZERO], [ZERO, ONE]], [[1 - P, P], [Fraction(1, 2), Fraction(1, 2)]])
    bound = least_epsilon(claim(vanishing, FIRST, SECOND, None, parameters=(interval("p", 0, Fraction(1, 2)),)))
    assert (bound.ratio, bound.attained, bound.limit_at) == ("inf", False, "p -> 0")


def test_an_irrational_supremum_is_enclosed() -> None:
    system = hmm([[ONE, ZERO], [ZERO, ONE]], [[P * (1 - P**2), 1 - P * (1 - P**2)], [Fraction(1, 8), Fraction(7, 8)]])
    bound = least_epsilon(one_way(claim(system, FIRST, SECOND, None)))
    assert bound.ratio is None
    assert isinstance(bound.lower, Fraction)
    assert isinstance(bound.upper, Fraction)
    assert 0 < bound.upper - bound.lower <= Fraction(1, 10**11)
    assert bound.lower**2 < Fraction(256, 27) < bound.upper**2  # 8 * 2 / (3 sqrt 3)


def test_a_violation_at_one_irrational_value_is_found() -> None:
    system = hmm([[ONE, ZERO], [ZERO, ONE]], [[P, 1 - P], [Fraction(1, 2), Fraction(1, 2)]])
    question = claim(system, FIRST, SECOND, ln(Fraction(11, 10)), assumptions=[condition(2 * P**2 - 1, "==")])
    result = answer(question)
    assert isinstance(result, Fails)
    value = result.violation.parameters["p"]
    assert isinstance(value, ExactRoot)
    assert value.polynomial == "-1 + 2*p^2"
    assert abs(value.value**2 - 0.5) < 1e-12


def test_assumptions_and_exclusions_cut_the_values() -> None:
    question = claim(flipping(P), FIRST, SECOND, ln(12), 3, (interval("p", 0, Fraction(1, 2)),))
    fails(question)
    holds(replace(question, parameters=question.parameters.restricted(condition(Fraction(1, 10) - P, "<="))))
    either = ParameterSpace(
        parameters=(interval("p", 0, Fraction(1, 2)),),
        assumptions=((condition(Fraction(1, 10) - P, "<="), condition(P - Fraction(1, 10**6), "<=")),),
    )
    assert dict(fails(replace(question, parameters=either)).witness.parameters)["p"] <= Fraction(1, 10**6)  # type: ignore[operator]


def test_values_that_make_a_secret_impossible_are_left_out() -> None:
    closed = (interval(is_open=False),)
    question = claim(survey(), JOHN, NOT_JOHN, ln(2), parameters=closed)
    holds(question)
    apart = [condition(P, "!=", "john has positive probability"), condition(1 - P, "!=")]
    holds(claim(survey(), JOHN, NOT_JOHN, ln(2), parameters=closed, nonzero=apart))
    never = claim(survey(), JOHN, NOT_JOHN, ln(2), parameters=(interval("p", 0, 0, is_open=False),), nonzero=apart)
    assert holds(never).evidence.kind == "vacuous"


def test_two_parameters() -> None:
    system = flipping(P, Q)
    names = (interval("p", Fraction(1, 10), Fraction(1, 5)), interval("q", Fraction(1, 4), Fraction(3, 4)))
    holds(claim(system, FIRST, SECOND, ln(12), 3, names))
    witness = fails(claim(system, FIRST, SECOND, ln(11), 3, names)).witness
    assert witness.ratio != "inf"
    assert 11 < witness.ratio < 12
    bound = least_epsilon(claim(system, FIRST, SECOND, None, 3, names))
    assert (bound.ratio, bound.attained) == (12, False)
    assert bound.limit_at in ("p -> 1/10, q -> 3/4", "p -> 1/10, q -> 1/4")


def test_a_bound_that_several_parameters_touch_inside_needs_the_solver() -> None:
    touching = 1 - (P - Q) ** 2
    system = hmm([[ONE, ZERO], [ZERO, ONE]], [[touching / 2, 1 - touching / 2], [Fraction(1, 4), Fraction(3, 4)]])
    question = claim(system, FIRST, SECOND, ln(2), 1, (interval("p"), interval("q")))
    result = holds(one_way(question))
    assert result.evidence.kind in ("solver", "exhaustive")


def test_unrelated_parameters_get_values_too() -> None:
    other = interval("other", 3, 4)
    question = claim(survey(), PRIOR, JOHN, ln(Fraction(3, 2)), parameters=(other, interval()))
    assert 3 < dict(fails(question).witness.parameters)["other"] < 4  # type: ignore[operator]


def test_linear_equations_eliminate_parameters() -> None:
    share = [condition(P + Q - 1, "==")]
    start = Side(label="mixed", vector=(P, Q), weight=P + Q)
    question = claim(flipping(P), start, FIRST, None, 2, (interval("p"), interval("q")), share)
    bound = least_epsilon(question)
    assert bound.ratio is not None
    assert bound.best is not None
    values = bound.best.parameters
    assert values["p"] + values["q"] == 1  # type: ignore[operator]


def test_improper_numbers_are_refused() -> None:
    negative = flipping(2 * P)
    with pytest.raises(InputRejected, match=r"the probability \(3 - 6\*p\)/4 is negative at p = 2/3"):
        answer(claim(negative, FIRST, SECOND, ln(2)))
    pole = flipping(P / (1 + P))
    with pytest.raises(InputRejected, match=r"the denominator of .* is 0 at p = -1"):
        answer(claim(pole, FIRST, SECOND, ln(2), parameters=(interval("p", -1, 0, is_open=False),)))
    with pytest.raises(InputRejected, match="no values of the parameters satisfy the assumptions"):
        answer(claim(flipping(P), FIRST, SECOND, ln(2), assumptions=[condition(P + 1)]))
    with pytest.raises(InputRejected, match=r"the argument of ln\(.*\) is not positive"):
        answer(claim(flipping(P), FIRST, SECOND, ln(1 - 2 * P)))


def test_limits_are_kept() -> None:
    with pytest.raises(LimitReached, match="--timeout"):
        parametric.answer(claim(flipping(P), FIRST, SECOND, ln(9), 12), Options(), Budget(deadline=0.0))


def test_delta_is_a_supremum_over_sets_of_words() -> None:
    computed = answer(claim(survey(), PRIOR, JOHN, ln(Fraction(3, 2)), goal="delta", delta=None))
    assert isinstance(computed, Computed)
    assert computed.value == Fraction(1, 6)
    assert computed.bound is not None
    assert (computed.bound.attained, computed.bound.limit_at) == (False, "p -> 0")
    holds(claim(survey(), PRIOR, JOHN, ln(Fraction(3, 2)), delta=Fraction(1, 6)))
    fails(claim(survey(), PRIOR, JOHN, ln(Fraction(3, 2)), delta=Fraction(15, 100)))
    irrational = answer(claim(survey(), JOHN, NOT_JOHN, Epsilon.rational(Fraction(1, 2)), goal="delta", delta=None))
    assert isinstance(irrational, Computed)
    assert isinstance(irrational.value, Enclosure)
    low, high = (entry.value for entry in irrational.values)
    assert low < high < low + Fraction(1, 10**9)  # type: ignore[operator]


def test_several_lengths_give_several_values() -> None:
    question = replace(claim(flipping(P), FIRST, SECOND, None, 1, AROUND), lengths=(1, 2, 3))
    result = answer(question)
    assert isinstance(result, Computed)
    assert [entry.value for entry in result.values] == [3, 7, 12]


def test_one_parameter_needs_no_solver() -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]);"
        "from parametric_models import *;"
        "from pfl.base.budget import Budget; from pfl.engines.parametric import parametric;"
        "from pfl.options import Options;"
        "print(parametric.answer(claim(survey(), PRIOR, JOHN, ln(2)), Options(), Budget()).engine);"
        "print(sorted({'z3', 'numpy', 'scipy', 'highspy'} & set(sys.modules)))"
    )
    folder = str(__file__).rpartition("/")[0]
    run = subprocess.run([sys.executable, "-c", script, folder], capture_output=True, text=True, check=True)
    assert run.stdout.split("\n")[:2] == ["parametric", "[]"]


def test_values_of_for_variables_are_told_apart() -> None:
    question = claim(flipping(P), FIRST, SECOND, None, 2, AROUND)
    (first,) = question.tables
    same = replace(first, bindings=(("x", "0"),), pairs=((0, 0),))
    apart = replace(first, bindings=(("x", "1"),))
    result = answer(replace(question, tables=(same, apart)))
    assert isinstance(result, Computed)
    largest, smallest = result.values
    assert (largest.name, largest.value, largest.arguments) == ("largest", 7, (("x", "1"),))
    assert (smallest.name, smallest.value, smallest.arguments) == ("smallest", 1, (("x", "0"),))
    assert result.bound is not None
    assert result.bound.ratio == 7


def test_deltas_by_length_and_by_for_variables() -> None:
    question = claim(flipping(P), FIRST, SECOND, ln(5), 1, AROUND, goal="delta", delta=None)
    (first,) = question.tables
    same = replace(first, bindings=(("x", "0"),), pairs=((0, 0),))
    apart = replace(first, bindings=(("x", "1"),))
    result = answer(replace(question, tables=(same, apart), lengths=(1, 2)))
    assert isinstance(result, Computed)
    names = ["length 1", "length 2", "largest", "smallest"]
    assert [entry.name for entry in result.values] == names
    by_name = {entry.name: entry.value for entry in result.values}
    assert by_name["length 1"] == by_name["smallest"] == 0
    assert result.value == by_name["length 2"] == by_name["largest"]
    assert result.value == Fraction(3, 20)
