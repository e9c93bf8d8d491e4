"""Claims answered by queries: known answers, and what happens where a solver fails or lies."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from smt_samples import (
    ANYONE,
    BOTH,
    COMMUTE,
    JOHN,
    NONE,
    NOT_JOHN,
    ONE,
    SURVEY,
    UNIT,
    P,
    check,
)

from pfl.analysis.polynomial.algebraic import ExactRoot
from pfl.base.budget import Budget
from pfl.base.diagnostics import InputRejected
from pfl.base.epsilon import Epsilon
from pfl.engines.answer import Answer, Computed, Fails, NamedValue, Proved, Unknown
from pfl.engines.smt import smt
from pfl.model.compare import Compare, Side, Table
from pfl.model.labelled_system import LabelledSystem
from pfl.model.parameters import Condition
from pfl.options import Encoding, Options
from pfl.verify.replay import refute
from pfl.verify.verdict import Refuted

F = Fraction
LN2 = Epsilon.ln(F(2))
ENCODINGS: list[Encoding] = ["linear", "pufferfish-check"]


@pytest.fixture(params=ENCODINGS)
def options(request: pytest.FixtureRequest) -> Options:
    return Options(encoding=request.param)


def answer(question: Compare, options: Options) -> Answer:
    return smt.answer(question, options, Budget())


def refuted(question: Compare, options: Options) -> Refuted:
    found = answer(question, options)
    assert isinstance(found, Fails)
    verdict = refute(question, found.engine, found.violation)
    assert isinstance(verdict, Refuted)
    return verdict


@pytest.mark.parametrize("sides", [(NONE, ONE), (ONE, BOTH)])
def test_one_person_changes(sides: tuple[Side, Side], options: Options) -> None:
    assert isinstance(answer(check(*sides, LN2), options), Proved)
    assert refuted(check(*sides, Epsilon.ln(F(199, 100))), options).witness.ratio == 2


def test_contagious_disease(options: Options) -> None:
    verdict = refuted(check(NONE, BOTH, LN2), options)
    assert verdict.witness.ratio == 4
    assert verdict.witness.words in ((("zero",),), (("two",),))
    assert isinstance(answer(check(NONE, BOTH, 2 * LN2), options), Proved)


def test_independent_disease_for_all_p(options: Options) -> None:
    assert isinstance(answer(check(ANYONE, JOHN, LN2), options), Proved)
    below = refuted(check(ANYONE, JOHN, Epsilon.ln(F(19, 10))), options)
    assert below.witness.ratio != "inf"
    assert F(19, 10) < below.witness.ratio < 2


def test_john_sick_against_healthy_is_exactly_two(options: Options) -> None:
    assert isinstance(answer(check(JOHN, NOT_JOHN, LN2), options), Proved)
    verdict = refuted(check(JOHN, NOT_JOHN, Epsilon.ln(F(199, 100))), options)
    assert verdict.witness.ratio == 2
    assert dict(verdict.witness.parameters).keys() == {"p"}


def test_an_irrational_bound_that_equals_the_ratio(options: Options) -> None:
    assert isinstance(answer(check(NONE, ONE, Epsilon.ln(F(4)) / 2), options), Proved)
    assert isinstance(answer(check(JOHN, NOT_JOHN, Epsilon.ln(F(4)) / 2), options), Proved)


@pytest.mark.parametrize(
    ("numerator", "holds"), [(693147180559, False), (693147180560, True)], ids=["just below ln 2", "just above ln 2"]
)
def test_a_bound_very_near_the_ratio(numerator: int, holds: bool, options: Options) -> None:
    near = Epsilon.rational(F(numerator, 10**12))
    for sides in ((NONE, ONE), (JOHN, NOT_JOHN)):
        assert isinstance(answer(check(*sides, near), options), Proved if holds else Fails)


def test_a_ratio_between_the_first_rational_and_the_bound_is_no_violation(options: Options) -> None:
    # The first query is about a rational within 2^-24 of e^eps = sqrt(4 + 2^-40): the ratio 2 lies between.
    near = Epsilon.ln(F(4) + F(1, 2**40)) / 2
    assert isinstance(answer(check(NONE, ONE, near), options), Proved)


def test_an_epsilon_of_the_parameters(options: Options) -> None:
    assert isinstance(answer(check(ANYONE, JOHN, Epsilon.ln(2 - P)), options), Proved)
    assert isinstance(answer(check(JOHN, NOT_JOHN, Epsilon.ln(2 + P) / 2), options), Fails)


def test_an_impossible_word_is_infinitely_more_likely(options: Options) -> None:
    identity = tuple(tuple(((state, F(1)),) if state == letter else () for state in range(3)) for letter in range(3))
    telling = replace(SURVEY, matrices=identity)
    question = check(NONE, BOTH, Epsilon.rational(F(10)), (2,), telling)
    assert refuted(question, options).witness.ratio == "inf"
    found = answer(replace(question, goal="epsilon"), options)
    assert isinstance(found, Computed)
    assert found.bound is not None
    assert found.bound.ratio == "inf"


def test_largest_ratios_of_the_commute_chain(options: Options) -> None:
    well, sick = Side(label="well", vector=(F(1), F(0))), Side(label="sick", vector=(F(0), F(1)))
    found = answer(replace(check(well, sick, LN2, (1, 2, 3, 4), COMMUTE), goal="epsilon"), options)
    assert isinstance(found, Computed)
    ratios = [F(3), F(81, 13), F(531, 58), F(27603, 2579)]
    assert found.values == tuple(NamedValue(name=f"length {k}", value=r) for k, r in enumerate(ratios, start=1))
    assert found.bound is not None
    assert found.bound.ratio == ratios[-1]


def test_a_word_is_cut_to_the_first_claimed_length_at_which_it_fails(tmp_path: Path) -> None:
    values = " ".join(f"(w{step}.zero true)" for step in range(4))
    told = solver(tmp_path, f"echo sat; echo '({values})'")
    question = check(NONE, BOTH, Epsilon.ln(F(15)), (4,))
    assert refuted(question, told).witness.words == (("zero",) * 4,)
    assert refuted(replace(question, lengths=(3, 4)), told).witness.words == (("zero",) * 3,)
    assert refuted(replace(question, lengths=(1, 2, 3, 4)), told).witness.words == (("zero",) * 2,)


def test_mass_that_is_lost_is_looked_for_at_every_length(options: Options) -> None:
    """After `a` the left state accepts nothing more: the violation is seen at length 1 alone."""
    system = LabelledSystem(
        states=("left", "right", "end"),
        letters=("a", "b"),
        matrices=((((2, F(1)),), ((2, F(1, 4)),), ()), ((), ((1, F(3, 4)),), ())),
        stochastic=False,
    )
    left, right = Side(label="left", vector=(F(1), F(0), F(0))), Side(label="right", vector=(F(0), F(1), F(0)))
    question = check(left, right, LN2, (3,), system)
    question = replace(question, tables=(replace(question.tables[0], one_way=True),))
    assert refuted(question, options).witness.words == (("a",),)


def test_one_way_claims_are_asked_in_one_direction(options: Options) -> None:
    hidden = Side(label="hidden", vector=(F(1, 2), F(0), F(1, 2)))
    question = check(hidden, NONE, Epsilon.ln(F(5, 2)))
    one_way = replace(question, tables=(replace(question.tables[0], one_way=True),))
    assert isinstance(answer(one_way, options), Proved)
    swapped = check(NONE, hidden, Epsilon.ln(F(3, 2)))
    swapped = replace(swapped, tables=(replace(swapped.tables[0], one_way=True),))
    assert refuted(swapped, options).witness.left == "0 sick"


def test_length_zero(options: Options) -> None:
    assert isinstance(answer(check(NONE, BOTH, Epsilon(), (0,)), options), Proved)


def test_an_algebraic_parameter_value(options: Options) -> None:
    space = UNIT.restricted(Condition(polynomial=2 * P**2 - 1, relation="==", text="p^2 == 1/2"))
    question = check(JOHN, NOT_JOHN, Epsilon.ln(F(3, 2)), space=space)
    found = answer(question, options)
    assert isinstance(found, Fails)
    value = found.violation.parameters["p"]
    assert isinstance(value, ExactRoot)
    assert abs(value.value - 0.5**0.5) < 1e-12
    assert isinstance(refute(question, found.engine, found.violation), Refuted)
    assert isinstance(answer(check(JOHN, NOT_JOHN, LN2, space=space), options), Proved)


def test_poles_and_denominators_are_cleared(options: Options) -> None:
    """Pr(report) in terms of 1/(1 + p) and 1/(2p - 1), the latter with both signs on the box."""
    shares = (1 / (1 + P), P / (1 + P))
    odd = ((2 * P - 1) ** 2 / (2 * P - 1) ** 2, F(0))
    assert odd[0] == 1
    system = LabelledSystem(
        states=("s", "t"),
        letters=("a", "b"),
        matrices=((((0, shares[0]),), ((1, shares[1]),)), (((0, shares[1]),), ((1, shares[0]),))),
    )
    weight = 1 / (2 * P - 1) ** 2 / 4
    right = Side(label="right", vector=(F(0), weight), weight=weight)
    poles = (Condition(polynomial=2 * P - 1, relation="!=", text="2p - 1 is not 0"),)
    left = Side(label="left", vector=(weight, F(0)), weight=weight, nonzero=poles)
    table = Table.of_pair(system, [left, right], Epsilon.ln(F(7)))
    question = replace(check(right, right, Epsilon.ln(F(7))), tables=(table,), parameters=UNIT)
    ratio = refuted(question, options).witness.ratio
    assert ratio != "inf"
    assert ratio > 7
    narrow = UNIT.restricted(Condition(polynomial=F(1, 4) - P, relation="<=", text="p >= 1/4"))
    assert isinstance(answer(replace(question, parameters=narrow), options), Proved)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"lengths": "any"}, "an SMT query is about one length"),
        ({"delta": F(1, 10)}, "delta adds up several"),
        ({"goal": "delta", "delta": None}, "delta adds up several"),
    ],
)
def test_questions_that_no_query_asks(change: dict[str, object], reason: str) -> None:
    found = answer(replace(check(NONE, BOTH, LN2), **change), Options())  # type: ignore[arg-type]
    assert isinstance(found, Unknown)
    assert reason in found.reason
    assert "--engine exact" in found.reason


def test_a_largest_ratio_under_parameters_is_left_to_others() -> None:
    found = answer(replace(check(JOHN, NOT_JOHN, LN2), goal="epsilon"), Options())
    assert isinstance(found, Unknown)


def solver(directory: Path, body: str) -> Options:
    path = directory / "solver"
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return Options(solver=str(path))


LIES = {
    "a word that is no violation": "echo sat; echo '((w0.zero false) (w0.one true) (w0.two false))'",
    "no letter": "echo sat; echo '((w0.zero false) (w0.one false) (w0.two false))'",
    "no values": "echo sat",
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_counterexample_that_does_not_replay_is_no_refutation(lie: str, tmp_path: Path) -> None:
    for question in (check(NONE, ONE, LN2), check(JOHN, NOT_JOHN, LN2)):
        found = answer(question, solver(tmp_path, lie))
        assert isinstance(found, Unknown)
        assert "does not replay" in found.reason


def test_rounded_parameter_values_are_mended(tmp_path: Path) -> None:
    """A solver that names the word, but a value of p outside its interval."""
    found = answer(
        check(JOHN, NOT_JOHN, Epsilon.ln(F(3, 2))),
        solver(tmp_path, "echo sat; echo '((w0.zero false) (w0.one false) (w0.two true) (param.p 1.000001))'"),
    )
    assert isinstance(found, Fails)
    assert UNIT.parameters[0].contains(found.violation.parameters["p"])  # type: ignore[arg-type]


def test_a_solver_that_gives_up(tmp_path: Path) -> None:
    found = answer(check(NONE, BOTH, LN2), solver(tmp_path, "echo unknown"))
    assert isinstance(found, Unknown)
    assert "answered `unknown`" in found.reason
    assert "try another --solver" in found.reason


def test_a_later_query_may_still_refute(tmp_path: Path) -> None:
    """The first direction stays open, the second one fails."""
    body = f"""if [ -e {tmp_path}/second ]; then echo sat; echo '((w0.two true))'; else
        touch {tmp_path}/second; echo unknown; fi"""
    assert isinstance(answer(check(NONE, BOTH, LN2), solver(tmp_path, body)), Fails)


def test_time_that_runs_out_says_what_to_try(tmp_path: Path) -> None:
    budget = Budget(deadline=time.monotonic() + 0.3)
    found = smt.answer(check(NONE, BOTH, LN2), solver(tmp_path, "sleep 600"), budget)
    assert isinstance(found, Unknown)
    assert "ran out of time; try a larger --timeout" in found.reason


def test_a_missing_solver_is_rejected_input() -> None:
    with pytest.raises(InputRejected):
        answer(check(NONE, BOTH, LN2), Options(solver="no-such-solver"))


def test_progress_and_evidence() -> None:
    said: list[str] = []
    found = smt.answer(check(NONE, ONE, LN2), Options(), Budget(progress=said.append))
    assert isinstance(found, Proved)
    assert found.evidence.kind == "solver"
    assert found.evidence.detail == "z3 finds 2 queries unsatisfiable"
    assert [text for text in said if text.startswith("query")] == ["query 1 of 2, length 1", "query 2 of 2, length 1"]
