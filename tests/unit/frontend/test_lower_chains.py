"""Claims about chains from source text to their answers: hmms, mechanisms, costs, bounds, ranges, faults."""

from __future__ import annotations

from fractions import Fraction

import pytest
from chain_claims import codes, entries, numbers, verdicts

from pfl.engines.answer import Computed, Proved
from pfl.lower.claims import _LOWERINGS
from pfl.syntax.tree.vocabulary import FORMS
from pfl.verify.verdict import Contradicted

SYSTEMS = {"HmmDecl": "hmm", "MechanismDecl": "mechanism", "AutomatonDecl": "automaton"}


def test_every_form_of_a_claim_is_lowered() -> None:
    lowered = {(verb, kind, SYSTEMS[system]) for verb, kind, system in _LOWERINGS}
    known = {(form.verb, form.kind, form.system) for form in FORMS}
    assert {key for key in known - lowered if key[2] != "automaton"} == set()
    assert lowered <= known


# --- hmms --------------------------------------------------------------------

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


def test_reaching_from_where_the_model_starts() -> None:
    assert numbers(
        WALK
        + """
        compute probability Walk(4, 1/2) { reach x == 4; }
        compute probability Walk(4, 1/3) { reach x == 4; }
        compute probability Walk(4, 1/2) { reach x == 9; }
        compute probability Walk(4, 1/2) { reach x == 1; }
        """
    ) == [Fraction(1, 4), Fraction(1, 15), 0, 1]


def test_starts_are_given_in_four_ways() -> None:
    model = WALK + "compute probability Walk(4, 1/2) { reach x == 4; from FROM; }"
    (mixture,) = verdicts(model.replace("FROM", "{ 2: 1/2, 3: 1/2 }"))
    assert isinstance(mixture, Computed)
    assert (mixture.value, mixture.values) == (Fraction(5, 8), ())
    (some,) = verdicts(model.replace("FROM", "x in 1..3"))
    assert isinstance(some, Computed)
    assert some.value == Fraction(3, 4)
    assert entries(some) == [("largest", Fraction(3, 4), "x = 3"), ("smallest", Fraction(1, 4), "x = 1")]
    # `any` is any value of the type: from above 4 the walk may leave its type.
    assert codes(model.replace("FROM", "any")) == ["PFL0340"]
    (every,) = verdicts(model.replace("FROM", "any").replace("Walk(4", "Walk(9"))
    assert entries(every) == [("largest", 1, "x = 4"), ("smallest", 0, "x = 0")]


def test_bounded_reaching_counts_moves_of_all_kinds() -> None:
    """A move may draw several times, or loop until it has drawn enough: it is one move all the same."""
    assert numbers(
        WALK
        + """
        compute probability Walk(4, 1/2) { reach x == 0; within 0; }
        compute probability Walk(4, 1/2) { reach x == 0; within 1; }
        compute probability Walk(4, 1/2) { reach x == 0; within 3; }
        compute probability Walk(4, 1/2) { reach x == 1; within 0; }
        hmm Dice {
            state total: 0..20;
            init  total = 0;
            step  {
                let first ~ uniform(1..2);
                var again ~ bernoulli(1/2);
                while again { again ~ bernoulli(1/2); }
                total = min(total + first, 20);
            }
        }
        compute probability Dice { reach total == 3; within 2; }
        compute probability Dice { reach total >= 3; within 2; }
        compute expected steps Dice { until total >= 3; }
        """
    ) == [0, Fraction(1, 2), Fraction(5, 8), 1, Fraction(1, 2), Fraction(3, 4), Fraction(9, 4)]


def test_steps_are_moves_and_costs_are_ticks() -> None:
    assert numbers(
        """
        hmm Retry {
            state done: bool;
            init  done = false;
            step  { tick 3; var i = 0; while i < 2 { i = i + 1; tick 1/2; } done ~ bernoulli(1/4); }
        }
        compute expected steps Retry { until done; }
        compute expected cost Retry { until done; }
        compute expected steps Retry { from { true: 1 }; until done; }
        """
    ) == [4, 16, 0]


def test_tables_are_chains_too() -> None:
    model = (
        WEATHER
        + """
        compute probability Weather { reach snow; within 2; }
        compute expected steps Weather { until snow; }
        compute expected steps Weather { until rainy; }
        compute expected steps Weather { from any; until snow or sunny; }
        compute probability Weather { from { sunny: 1 }; reach snow; within 2; }
        """
    )
    within, steps, missed, every, sunny = verdicts(model)
    assert isinstance(within, Computed)
    assert within.value == Fraction(1, 2) * (Fraction(1, 4) + Fraction(1, 2) * Fraction(1, 4)) + Fraction(1, 24)
    assert isinstance(steps, Computed)
    assert steps.value == Fraction(1, 2) * (7 + 10)
    assert isinstance(missed, Computed)
    assert missed.value == Fraction(1, 2) * 3
    assert entries(every) == [("largest", 2, "state = rainy"), ("smallest", 0, "state = sunny")]
    assert isinstance(sunny, Computed)
    assert sunny.value == Fraction(1, 12)


def test_infinite_where_the_target_may_be_missed() -> None:
    missed, at_least, at_most = verdicts(
        WALK
        + """
        compute expected steps Walk(4, 1/2) { until x == 4; }
        check expected steps Walk(4, 1/2) { until x == 4; at least 10^6; }
        check expected steps Walk(4, 1/2) { until x == 4; at most 10^6; expect refuted; }
        """
    )
    assert isinstance(missed, Computed)
    assert missed.value == "inf"
    assert isinstance(at_least, Proved)
    assert isinstance(at_most, Contradicted)


def test_a_chain_that_emits_is_one_all_the_same() -> None:
    """What is emitted does not matter; but a fault in it is found, with the path."""
    model = """
        hmm Told {
            state x: 0..3;
            init  x = 0;
            emit  { low: WEIGHT, high: 1/2 };
            step  x ~ if x == 3 then point(3) else { x: 1/2, x + 1: 1/2 };
        }
        compute expected steps Told { until x == 3; }
        """
    assert numbers(model.replace("WEIGHT", "1/2")) == [6]
    assert codes(model.replace("WEIGHT", "if x == 2 then 1/3 else 1/2")) == ["PFL0401"]


def test_faults_after_the_target_are_not_looked_for() -> None:
    """Runs end where the target is reached, so a value outside its type there is not reached."""
    model = "hmm Up { state x: 0..5; init x = 0; step x = x + 1; } compute expected steps Up { until x == TARGET; }"
    assert numbers(model.replace("TARGET", "5")) == [5]
    assert codes(model.replace("TARGET", "-1")) == ["PFL0340"]


# --- mechanisms --------------------------------------------------------------

COIN = """
mechanism coin(truth: bool) -> bool {
    let keep ~ bernoulli(3/4);
    return if keep then truth else not truth;
}
"""


def test_probabilities_of_results() -> None:
    assert numbers(
        COIN
        + """
        compute probability coin(true);
        compute probability coin(true) { returns false; }
        compute probability coin(true) { terminates; }
        mechanism noisy_sum(db: bag[3] of 0..2) -> 0..9 {
            let noise ~ uniform(0..3);
            return sum(x for x in db) + noise;
        }
        compute probability noisy_sum(bag {1, 2}) { returns 4; }
        compute probability noisy_sum(bag {1, 2}) { returns r where r > 4; }
        compute probability noisy_sum(bag {1, 2}) { returns 9; }
        """
    ) == [Fraction(3, 4), Fraction(1, 4), 1, Fraction(1, 4), Fraction(1, 2), 0]


def test_symbols_are_results() -> None:
    assert numbers(
        """
        mechanism answer() -> {yes, no, perhaps} {
            let x ~ uniform(0..2);
            return match x { 0 => yes, 1 => no, _ => perhaps };
        }
        compute probability answer() { returns perhaps; }
        compute probability answer() { returns r where r in {yes, no}; }
        """
    ) == [Fraction(1, 3), Fraction(2, 3)]


def test_without_arguments_all_inputs_are_gone_through() -> None:
    (found,) = verdicts(COIN + "compute probability coin { returns true; }")
    quarter = Fraction(1, 4)
    assert entries(found) == [("largest", 3 * quarter, "truth = true"), ("smallest", quarter, "truth = false")]
    claim = "check probability coin(b) { for b in {false, true}; returns r where r == b; at least 3/4; }"
    (accuracy,) = verdicts(COIN + claim)
    assert isinstance(accuracy, Proved)


def test_what_is_emitted_on_the_way_does_not_matter() -> None:
    assert numbers(
        """
        mechanism stream() emits bool -> 0..3 {
            var count = 0;
            for i in 1..3 { let b ~ bernoulli(1/2); emit b; if b { count = count + 1; } }
            return count;
        }
        compute probability stream() { returns 3; }
        """
    ) == [Fraction(1, 8)]


def test_runs_without_a_result_halt() -> None:
    model = "mechanism walk(n: 0..3) { var i = n; while i > 0 { i = i - 1; if i == 2 { return; } } }"
    (found,) = verdicts(model + "compute distribution walk;")
    assert entries(found) == [("halt", 1, f"n = {n}") for n in range(4)]


def test_a_run_that_never_ends_is_an_outcome() -> None:
    model = """
        mechanism risky() -> 0..1 { let x ~ uniform(0..2); while x == 2 { } return x; }
        compute distribution risky();
        check distribution risky() equals uniform(0..1) { expect refuted; }
        mechanism same() -> 0..1 { let x ~ uniform(0..2); while x == 2 { } return 1 - x; }
        check distribution risky() equals same();
        compute expected steps risky();
        check probability risky() { terminates; equals 2/3; }
        """
    assert set(codes(model)) == {"PFL0451"}
    computed, refuted, proved, steps, terminates = verdicts(model)
    assert entries(computed) == [("0", Fraction(1, 3), ""), ("1", Fraction(1, 3), ""), ("never", Fraction(1, 3), "")]
    assert isinstance(refuted, Contradicted)
    assert refuted.witness is not None
    assert (refuted.witness.words, refuted.witness.probability_left) == ((("0",),), Fraction(1, 3))
    assert isinstance(proved, Proved)
    assert isinstance(steps, Computed)
    assert steps.value == "inf"
    assert isinstance(terminates, Proved)


def test_the_first_result_that_differs_may_be_never() -> None:
    (found,) = verdicts(
        "mechanism stuck() -> 0..1 { while true { } } check distribution stuck() equals stuck_too() { expect proved; }"
        "mechanism stuck_too() -> 0..1 { let x ~ bernoulli(1/2); while x { } while true { } }"
    )
    assert isinstance(found, Proved)


def test_a_result_that_is_never_specified_or_never_returned_differs() -> None:
    model = COIN + "check distribution coin(true) equals SPECIFIED { expect refuted; }"
    (extra,) = verdicts(model.replace("SPECIFIED", "point(true)"))
    assert isinstance(extra, Contradicted)
    assert extra.witness is not None
    assert extra.witness.words == (("false",),)
    assert (extra.value, extra.required.number) == (Fraction(1, 4), 0)


def test_turns_of_loops_and_ticks() -> None:
    assert numbers(
        """
        mechanism two_loops() -> 0..9 {
            var n = 0;
            while n < 3 { n = n + 1; tick n; }
            var heads = false;
            while not heads { heads ~ bernoulli(1/5); tick -1; }
            return n;
        }
        compute expected steps two_loops();
        compute expected cost two_loops();
        mechanism no_loop() -> bool { return true; }
        compute expected steps no_loop();
        compute expected cost no_loop();
        """
    ) == [8, 1, 0, 0]


def test_costs_of_mechanisms_that_are_called_count() -> None:
    model = """
        mechanism wait(p: real) -> bool {
            var done = false;
            while not done { tick 2; done ~ bernoulli(p); }
            return done;
        }
        mechanism twice() -> bool { let a ~ wait(1/2); wait(1/3); return wait(1/4); }
        compute expected steps twice();
        compute expected cost twice();
        mechanism through(K: mechanism(real) -> bool) -> bool { let a ~ K(1/2); return a; }
        compute expected cost through(wait);
        hmm Slow { state n: 0..2; init n = 0; step { let b ~ wait(1/2); n = min(n + 1, 2); } }
        compute expected cost Slow { until n == 2; }
        compute expected steps Slow { until n == 2; }
        """
    assert numbers(model) == [9, 18, 4, 8, 2]


@pytest.mark.parametrize("value", ["if true then wait() else wait()", "mixed()"])
def test_costs_hidden_in_an_expression_are_a_fault(value: str) -> None:
    model = f"""
        mechanism wait() -> bool {{
            var done = false;
            while not done {{ tick 1; done ~ bernoulli(1/2); }}
            return done;
        }}
        dist mixed() = wait();
        mechanism hidden() -> bool {{ let b ~ {value}; return b; }}
        compute expected cost hidden();
        """
    assert codes(model) == ["PFL0447"]
    assert codes(model.replace("expected cost", "distribution")) == []


def test_inputs_that_an_adversary_chooses_have_no_probability() -> None:
    assert codes("mechanism f() -> bool { receive y: bool; return y; } compute probability f();") == ["PFL0514"]


# --- parameters --------------------------------------------------------------
