"""Claims about chains with parameters, over ranges of arguments, and beyond limits."""

from __future__ import annotations

from fractions import Fraction

from chain_claims import codes, entries, verdicts

from pfl.base.rational_function import RationalFunction
from pfl.driver import check_text, compile_text
from pfl.engines.answer import Computed, Proved, Unknown
from pfl.model.measure import Measure
from pfl.options import Options
from pfl.verify.verdict import Contradicted

WALK = """
hmm Walk(n: int, up: real) {
    state x: 0..9;
    init  x = 1;
    step  x ~ if x == 0 or x == n then point(x) else { x + 1: up, x - 1: 1 - up };
}
"""
WEATHER = """
hmm Weather {
    states rainy, sunny, snow;
    init  rainy: 1/2, sunny: 1/2;
    rainy -> rainy: 1/2, sunny: 1/4, snow: 1/4;
    sunny -> rainy: 1/3, sunny: 2/3;
    snow -> snow;
    rainy emits wet;
    sunny emits dry;
    snow emits wet: 1/2, dry: 1/2;
}
"""


COIN = """
mechanism coin(truth: bool) -> bool {
    let keep ~ bernoulli(3/4);
    return if keep then truth else not truth;
}
"""


def test_values_are_expressions_and_checks_hold_for_all_parameters() -> None:
    model = """
        param p in (0, 1);
        mechanism retry(w: real) -> 0..1 {
            var done = false;
            while not done { done ~ bernoulli(w); }
            let x ~ bernoulli(w);
            return if x then 1 else 0;
        }
        compute expected steps retry(p);
        compute probability retry(p) { returns 1; }
        check always: probability retry(p) { terminates; equals 1; }
        check never_more: probability retry(p) { returns 1; at most p; }
        check half: probability retry(p) { returns 1; at most 1/2; expect refuted; }
        check spec: distribution retry(p) equals { 1: p, 0: 1 - p };
        check bad_spec: distribution retry(p) equals { 1: 1 - p, 0: p } { expect refuted; }
        """
    steps, chance, always, never_more, half, spec, bad_spec = verdicts(model)
    p = RationalFunction.parameter("p")
    assert isinstance(steps, Computed)
    assert steps.value == 1 / p
    assert isinstance(chance, Computed)
    assert chance.value == p
    assert all(isinstance(verdict, Proved) for verdict in (always, never_more, spec))
    for refuted in (half, bad_spec):
        assert isinstance(refuted, Contradicted)
        assert [name for name, _ in refuted.parameters] == ["p"]
        assert isinstance(refuted.value, Fraction)
        assert isinstance(refuted.required.number, Fraction)
        assert not refuted.required.holds(refuted.value)


def test_the_parameter_value_at_which_a_loop_is_never_left_is_not_left_out() -> None:
    (found,) = verdicts(
        """
        param p in [0, 1];
        mechanism retry(w: real) -> bool { var d = false; while not d { d ~ bernoulli(w); } return d; }
        check probability retry(p) { terminates; equals 1; }
        """
    )
    assert isinstance(found, Contradicted)
    assert (found.value, found.parameters) == (0, (("p", 0),))


def test_the_largest_case_is_found_for_all_parameters_or_all_are_listed() -> None:
    model = """
        param p in (0, RANGE);
        mechanism coin(w: real, b: bool) -> bool { let x ~ bernoulli(w); return x == b; }
        compute probability coin(p);
        """
    (ordered,) = verdicts(model.replace("RANGE", "1/2"))
    p = RationalFunction.parameter("p")
    assert entries(ordered) == [("largest", 1 - p, "b = false"), ("smallest", p, "b = true")]
    (crossing,) = verdicts(model.replace("RANGE", "1"))
    assert isinstance(crossing, Computed)
    assert crossing.value is None
    assert entries(crossing) == [("", 1 - p, "b = false"), ("", p, "b = true")]


# --- ranges ------------------------------------------------------------------


def test_for_ranges_over_every_compute() -> None:
    model = """
        enum Health { well, sick }
        hmm Commute(flip: real) {
            state x: Health;
            init  x ~ { well: 1/2, sick: 1/2 };
            emits { quiet, cough };
            emit  match x { well => { quiet: 3/4, cough: 1/4 }, sick => { quiet: 1/4, cough: 3/4 } };
            step  x ~ match x { well => { well: 1 - flip, sick: flip }, sick => { sick: 1 - flip, well: flip } };
        }
        compute epsilon Commute(k/20) { for k in 0..3; secrets x == well vs x == sick; length 2; }
        compute delta Commute(k/20) { for k in 0..3; secrets x == well vs x == sick; epsilon ln(2); length 2; }
        compute likelihood Commute(k/20) { for k in 0..3; observations cough, cough; }
        compute steps_apart: epsilon Commute(3/20) { for t in 0..2; secrets x@t == well vs x@t == sick; length t + 1; }
        check likelihood Commute(k/20) { for k in 0..3; observations cough, cough; at most 5/16; }
        """
    epsilon, delta, likelihood, apart, check = verdicts(model)
    assert isinstance(epsilon, Computed)
    assert epsilon.bound is not None
    assert epsilon.bound.ratio == 9
    assert entries(epsilon) == [("largest", 9, "k = 0"), ("smallest", Fraction(81, 13), "k = 3")]
    assert epsilon.witness is not None
    assert epsilon.witness.ratio == 9
    assert [place for _, _, place in entries(delta)] == ["k = 0", "k = 3"]
    assert entries(likelihood)[0] == ("largest", Fraction(5, 16), "k = 0")
    assert [name for name, _, _ in entries(apart)] == ["largest", "smallest"]
    assert isinstance(check, Proved)


def test_one_chain_serves_all_starts_of_a_claim() -> None:
    (claim,) = compile_text(COIN + "compute probability coin { returns true; }").claims
    chains = {case.question.chain for case in claim.cases if isinstance(case.question, Measure)}
    assert len(chains) == 1


def test_goals_that_depend_on_the_binding_share_the_chain() -> None:
    found = verdicts(
        """
        fn total(db: bag[3] of 0..1): int = sum(x for x in db);
        mechanism noisy(db: bag[3] of 0..1) -> 0..3 {
            let up ~ bernoulli(1/4);
            return min(total(db) + (if up then 1 else 0), 3);
        }
        compute probability noisy(db) { for db in bag[3] of 0..1; returns r where r == total(db); }
        check probability noisy(db) {
            for db in bag[3] of 0..1;  returns r where r == total(db);
            at least 4/5;  expect refuted;
        }
        """
    )
    assert entries(found[0]) == [
        ("largest", 1, "db = bag {1, 1, 1}"),
        ("smallest", Fraction(3, 4), "db = bag {}"),
    ]
    assert isinstance(found[1], Contradicted)
    assert found[1].value == Fraction(3, 4)


def test_a_distribution_is_given_for_each_case() -> None:
    (found,) = verdicts(COIN + "compute distribution coin;")
    assert entries(found) == [
        ("false", Fraction(3, 4), "truth = false"),
        ("true", Fraction(1, 4), "truth = false"),
        ("false", Fraction(1, 4), "truth = true"),
        ("true", Fraction(3, 4), "truth = true"),
    ]


# --- faults and limits -------------------------------------------------------


def test_ranges_over_nothing_and_impossible_starts() -> None:
    assert codes(COIN + "compute probability coin(b) { for b in {x in {true} | not x}; returns true; }") == ["PFL0563"]
    assert codes(WALK + "compute probability Walk(4, 1/2) { from x > 9; reach x == 0; }") == ["PFL0561"]
    assert codes(WALK + "compute probability Walk(4, 1/2) { reach x == 0; within 1 - 2; }") == ["PFL0562"]


def test_limits_leave_a_claim_undecided() -> None:
    model = "hmm Big { state a: [12] of bool; step a[0] = a[1]; } compute probability Big { from any; reach a[0]; }"
    findings = check_text(model, Options(max_states=1000))
    assert findings.exit_code == 4
    assert [str(diagnostic.code) for diagnostic in findings.diagnostics] == ["PFL0720"]
    slow = """
        hmm Slow { state x: 0..60000; init x = 0; step x ~ if x == 60000 then point(x) else uniform({ x + 1, 0 }); }
        compute expected steps Slow { until x == 60000; }
        """
    findings = check_text(slow, Options(timeout=0.01))
    assert findings.exit_code == 4
    reasons = [result.verdict.reason for result in findings.results if isinstance(result.verdict, Unknown)]
    assert any("time limit" in text for text in (*reasons, *(found.message for found in findings.diagnostics)))


def test_starts_may_be_any_distribution() -> None:
    model = "hmm Walk { state x: 0..3; step x = min(3, x + 1); } dist late(n: int) = { n - 1: 1/2, n: 1/2 };"
    starts = {
        "uniform(0..2)": 2,
        "point(0)": 3,
        "binomial(2, 1/2)": 2,
        "late(2)": Fraction(3, 2),
        "if 1 < 2 then { 0: 1 } else { 1: 1 }": 3,
    }
    claims = " ".join(f"compute expected steps Walk {{ from {start}; until x == 3; }}" for start in starts)
    found = [result.verdict for result in check_text(model + claims).results]
    assert [verdict.value for verdict in found if isinstance(verdict, Computed)] == list(starts.values())
    assert codes(model + "compute expected steps Walk { from uniform(0..9); until x == 3; }") == ["PFL0340"]
    assert codes(model + "compute expected steps Walk { from x; until x == 3; }") == ["PFL0301"]
