"""Files of SMT-LIB: names, comments, and that real solvers give them the claim's answer."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from smt_samples import ANYONE, BOTH, COMMUTE, JOHN, NONE, NOT_JOHN, ONE, SURVEY, P, check, claim

from pfl.base.diagnostics import InputRejected
from pfl.base.epsilon import Epsilon
from pfl.emit.smtlib import emit_queries
from pfl.engines.smt.external_solver import find_program
from pfl.model.claims import Case, Search
from pfl.model.compare import Compare, Side
from pfl.model.labelled_system import LabelledSystem, sparse
from pfl.model.measure import Measure, Observed
from pfl.options import Encoding

F = Fraction
LN2 = Epsilon.ln(F(2))
ENCODINGS: list[Encoding] = ["linear", "pufferfish-check"]


def test_one_query_a_file_for_each_comparison_direction_and_length() -> None:
    question = check(NONE, BOTH, LN2, (1, 2))
    question = replace(question, tables=(*question.tables, *check(NONE, ONE, LN2).tables))
    assert [name for name, _ in emit_queries(claim(question, "pufferfish Survey#2"))] == [
        f"pufferfish-Survey-2-{comparison}-{direction}-{length}.smt2"
        for comparison in (1, 2)
        for direction in ("left-over-right", "right-over-left")
        for length in (1, 2)
    ]


def test_one_way_claims_have_one_direction() -> None:
    question = check(NONE, BOTH, LN2)
    question = replace(question, tables=(replace(question.tables[0], one_way=True),))
    assert len(emit_queries(claim(question))) == 1


def test_comments_say_what_is_asked() -> None:
    question = check(JOHN, NOT_JOHN, LN2)
    comparison = replace(question.tables[0], prior="independent(p)", bindings=(("a", "1"),))
    (_, text), (_, backwards) = emit_queries(claim(replace(question, tables=(comparison,))))
    header = text.partition("(set-option")[0].splitlines()
    assert header == [
        "; claim       contagious: check pufferfish Survey",
        "; for         a = 1",
        "; prior       independent(p)",
        "; secrets     john  against  not john",
        "; question    is some word of 1 observation more than c times as likely given the first?",
        "; parameter   p in (0, 1)",
        "; assumed     Pr(john) is not 0",
        "; assumed     Pr(not john) is not 0",
        "; c           2 = e^eps, eps = ln(2)",
        "; sat         yes, and the claim is refuted; the values name its observation and the parameters",
        "; unsat       no: at this length and in this direction the claim holds",
        "; encoding    linear: x = left - c right carried along the word; the question is whether it ends above 0",
        "; scale       equations hold up to a positive factor: vectors and moves are times a common denominator",
        "; query 1 of 2; the claim holds iff every one of them is unsatisfiable",
    ]
    assert "; secrets     not john  against  john\n" in backwards
    assert "; query 2 of 2;" in backwards


def test_only_files_with_parameters_speak_of_a_scale() -> None:
    assert all("; scale " not in text for _, text in emit_queries(claim(check(NONE, BOTH, LN2))))


def test_each_case_of_a_claim_that_ranges_over_something() -> None:
    cases = tuple(
        Case(arguments=(("a", str(value)),), question=check(NONE, BOTH, Epsilon.ln(F(value)))) for value in (2, 3)
    )
    emitted = emit_queries(replace(claim(check(NONE, BOTH, LN2)), cases=cases))
    assert [name for name, _ in emitted] == [
        f"contagious-case-{case}-1-{direction}-1.smt2"
        for case in (1, 2)
        for direction in ("left-over-right", "right-over-left")
    ]
    assert "; for         a = 3\n" in emitted[2][1]
    assert "; query 3 of 4;" in emitted[2][1]
    assert "; c           3 = e^eps" in emitted[2][1]


def test_an_irrational_bound_is_explained() -> None:
    (_, text), _ = emit_queries(claim(check(NONE, ONE, Epsilon.rational(F(1, 2)))))
    line = next(line for line in text.splitlines() if line.startswith("; c  "))
    c = Fraction(line.split()[2].rstrip(","))
    assert "a rational just below e^eps, eps = 1/2" in line
    assert Epsilon.rational(F(1, 2)).compare(c) == -1
    assert Epsilon.rational(F(1, 2)).compare(c * (1 + F(1, 2**39))) == 1
    assert "the claim is refuted if the ratio is above e^eps too" in text
    assert "the claim holds, for c <= e^eps" in text


def test_an_unknown_stands_for_an_irrational_function() -> None:
    (_, text), _ = emit_queries(claim(check(JOHN, NOT_JOHN, Epsilon.ln(2 + P) / 2)))
    assert "; c           the variable c: e^eps, eps = ln(2 + p)/2\n" in text
    assert "(assert (= (+ (* (- 1.0) param.p) (* c c) (- 2.0)) 0.0))" in text


def test_names_that_mean_something_to_solvers() -> None:
    letters = ("select", "assert", "let me | see\n")
    system = replace(SURVEY, letters=letters, states=("let", "ε", "a b"))
    question = check(NONE, BOTH, LN2, system=system)
    for encoding in ENCODINGS:
        for _, text in emit_queries(claim(question), encoding):
            assert all(line.startswith(";") or line.isascii() for line in text.splitlines())
            assert "stands for  let me | see" in text
            assert "; state.1  stands for  ε\n" in text
            for program in ("z3", "cvc5", "yices"):
                assert answer(program, text) == "sat"


def computed(left: Side, right: Side, system: LabelledSystem = SURVEY, lengths: tuple[int, ...] = (1,)) -> Compare:
    """`compute epsilon` of two sides."""
    question = check(left, right, LN2, lengths, system=system)
    return replace(question, goal="epsilon", tables=tuple(replace(table, epsilon=None) for table in question.tables))


WELL, SICK = Side(label="well", vector=(F(1), F(0))), Side(label="sick", vector=(F(0), F(1)))
APART = replace(COMMUTE, matrices=((((0, F(1)),), ()), ((), ((1, F(1)),))))


@pytest.mark.parametrize(
    ("question", "names"),
    [
        (
            computed(NONE, BOTH),
            ["left-over-right-1-value", "right-over-left-1-value", "right-over-left-1-below"],
        ),
        (
            computed(WELL, SICK, COMMUTE, (1, 2)),
            [
                "left-over-right-1-value",
                "left-over-right-2-value",
                "right-over-left-1-value",
                "right-over-left-2-value",
                "right-over-left-2-below",
            ],
        ),
        (computed(WELL, WELL, COMMUTE), ["left-over-right-1-value", "right-over-left-1-value"]),
    ],
)
def test_a_computed_epsilon_is_enough_and_a_smaller_one_is_not(question: Compare, names: list[str]) -> None:
    for encoding in ENCODINGS:
        emitted = emit_queries(claim(question), encoding)
        assert [name for name, _ in emitted] == [f"contagious-1-{name}.smt2" for name in names]
        for name, text in emitted:
            expected = "sat" if name.endswith("-below.smt2") else "unsat"
            assert f"(set-info :status {expected})\n" in text
            for program in ("z3", "cvc5", "yices"):
                assert answer(program, text) == expected


def test_comments_say_what_is_known_of_a_computed_epsilon() -> None:
    at_value, *_, below = (text.partition("(set-option")[0] for _, text in emit_queries(claim(computed(NONE, BOTH))))
    assert "; c           4, the largest ratio: the epsilon that was computed is ln(4)\n" in at_value
    assert "; query 1 of 3; every one must be answered as its status says\n" in at_value
    assert ", about a millionth below the largest ratio, 4\n" in below


def test_checks_are_not_judged_to_be_written() -> None:
    assert all(":status" not in text for _, text in emit_queries(claim(check(NONE, BOTH, LN2))))


def test_claims_about_nothing_have_no_queries() -> None:
    question = Compare(goal="check", tables=(), lengths=(1,), skipped=("john has probability 0",))
    assert emit_queries(claim(question)) == []


LIKELIHOOD = Measure(system=SURVEY, start=sparse(NONE.vector), quantity=Observed(word=(0,), posterior=False))


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (replace(check(NONE, BOTH, LN2), lengths="any"), "about one length"),
        (replace(check(NONE, BOTH, LN2), delta=F(1, 2)), "delta adds up several"),
        (replace(computed(NONE, BOTH), lengths="any"), "about one length"),
        (computed(JOHN, NOT_JOHN), "depends on parameters"),
        (computed(WELL, SICK, APART), "no epsilon holds"),
        (
            Measure(system=SURVEY, start=sparse(NONE.vector), quantity=Observed(word=(0,), posterior=False)),
            "compares no two sides",
        ),
        (Search(names=("p",), claim=check(JOHN, NOT_JOHN, LN2)), "looks for values"),
    ],
)
def test_claims_without_queries_say_so(question: Compare, reason: str) -> None:
    with pytest.raises(InputRejected) as raised:
        emit_queries(claim(question))
    (diagnostic,) = raised.value.diagnostics
    assert str(diagnostic.code) == "PFL0603"
    assert diagnostic.message.startswith("the claim `contagious` has no SMT query: ")
    assert reason in diagnostic.message


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        (check(NONE, ONE, LN2), ["unsat", "unsat"]),
        (check(NONE, BOTH, LN2), ["sat", "sat"]),
        (check(ANYONE, JOHN, LN2), ["unsat", "unsat"]),
        (check(JOHN, NOT_JOHN, LN2), ["unsat", "unsat"]),
        (check(ANYONE, JOHN, Epsilon.ln(F(3, 2))), ["sat", "sat"]),
        (check(WELL, SICK, Epsilon.ln(F(81, 13)), (1, 2, 3), COMMUTE), ["unsat", "unsat", "sat"] * 2),
    ],
)
def test_three_solvers_agree(question: Compare, answers: list[str]) -> None:
    for encoding in ENCODINGS:
        texts = [text for _, text in emit_queries(claim(question), encoding)]
        for program in ("z3", "cvc5", "yices"):
            assert [answer(program, text) for text in texts] == answers, (encoding, program)


def answer(program: str, text: str) -> str:
    """The first line that the program prints for the text, which it gets as any user would give it."""
    command = find_program(program).command
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "query.smt2")
        path.write_text(text, encoding="utf-8")
        run = subprocess.run([*command, path], capture_output=True, text=True, timeout=60, check=False)
    return run.stdout.splitlines()[0]
