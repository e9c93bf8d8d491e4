"""Hidden Markov models from source to labelled systems, against hand computation."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from itertools import product

import pytest

from pfl.driver import compile_text
from pfl.model.claims import Search
from pfl.model.compare import Compare, Comparison
from pfl.model.labelled_system import LabelledSystem, Vector
from pfl.model.measure import Measure, Observed
from pfl.options import Options

SURVEY = """
import std.noise;
hmm Survey { state sick: 0..2;  emit truncated_geometric(1/2, sick, 0, 2); }
"""


def observed(text: str) -> tuple[LabelledSystem, Vector, tuple[int | None, ...]]:
    """The system of a likelihood, its start and its word."""
    question = compile_text(text).claims[0].question
    assert isinstance(question, Measure)
    assert isinstance(question.system, LabelledSystem)
    assert isinstance(question.quantity, Observed)
    return question.system, question.system.vector(question.start), question.quantity.word


def question(text: str, options: Options | None = None) -> Compare:
    compiled = compile_text(text, options or Options())
    assert [str(d.code) for d in compiled.diagnostics if d.severity == "error"] == []
    found = compiled.claims[0].question
    assert isinstance(found, Compare)
    return found


def codes(text: str) -> list[str]:
    return [str(diagnostic.code) for diagnostic in compile_text(text).diagnostics]


def masses(system: LabelledSystem, start: Vector, length: int) -> dict[tuple[str, ...], object]:
    """Probabilities of all words of a length that have any, by the names of their letters."""
    found = {
        tuple(system.letters[letter] for letter in word): system.mass(start, word)
        for word in product(range(len(system.letters)), repeat=length)
    }
    return {word: mass for word, mass in found.items() if mass}


def sides(comparison: Comparison, length: int) -> tuple[dict[tuple[str, ...], object], ...]:
    return tuple(masses(comparison.system, side.vector, length) for side in (comparison.left, comparison.right))


def test_two_starts_are_the_rows_of_the_noise() -> None:
    claim = "check pufferfish Survey { between {0: 1} and {2: 1}; epsilon ln(2); length 1; }"
    left, right = sides(question(SURVEY + claim).comparisons[0], 1)
    assert left == {("0",): Fraction(2, 3), ("1",): Fraction(1, 6), ("2",): Fraction(1, 6)}
    assert right == {("0",): Fraction(1, 6), ("1",): Fraction(1, 6), ("2",): Fraction(2, 3)}


def test_a_prior_gives_the_joint_start_and_the_probability_of_the_secret() -> None:
    text = (
        SURVEY
        + """
    prior independent(w: real) for Survey {
        john ~ bernoulli(w);  mary ~ bernoulli(w);
        start sick = count(s for s in [john, mary] if s);
    }
    check pufferfish Survey { prior independent(1/3); secrets john vs not john; epsilon ln(2); length 1; }
    """
    )
    comparison = question(text).comparisons[0]
    assert comparison.table.prior == "independent(1/3)"
    assert (comparison.left.vector, comparison.left.weight) == ((0, Fraction(2, 3), Fraction(1, 3)), 1)
    assert (comparison.right.vector, comparison.right.weight) == ((Fraction(2, 3), Fraction(1, 3), 0), 1)


def test_with_a_parameter_nothing_is_divided() -> None:
    text = (
        SURVEY
        + """
    param p in (0, 1);
    prior independent(w: real) for Survey {
        john ~ bernoulli(w);  mary ~ bernoulli(w);
        start sick = count(s for s in [john, mary] if s);
    }
    check pufferfish Survey { prior independent(p); secrets true vs john; epsilon ln(2); length 1; }
    """
    )
    comparison = question(text).comparisons[0]
    system = comparison.system
    left = [str(system.mass(comparison.left.vector, (letter,)) * 6) for letter in range(3)]
    assert left == ["4 - 4*p + p^2", "1 + 2*p - 2*p^2", "1 + 2*p + p^2"]
    assert str(comparison.right.weight) == "p"


def test_step_lines_read_the_old_state_and_blocks_run_in_order() -> None:
    lines = """
    hmm Swap { state a: 0..1 = 0; state b: 0..1 = 1; emit [a, b]; step a = b; step b = a; }
    check pufferfish Swap { between {(0, 1): 1} and {(1, 0): 1}; epsilon 1; length 3; }
    """
    left, right = sides(question(lines).comparisons[0], 3)
    assert left == {("[0, 1]", "[1, 0]", "[0, 1]"): 1}
    assert right == {("[1, 0]", "[0, 1]", "[1, 0]"): 1}
    in_order = lines.replace("step a = b; step b = a;", "step { a = b; b = a; }")
    left, _ = sides(question(in_order).comparisons[0], 3)
    assert left == {("[0, 1]", "[1, 1]", "[1, 1]"): 1}


def test_parts_of_one_variable_are_set_together() -> None:
    text = """
    hmm Rotate { state x: [3] of 0..2 = [0, 1, 2]; emit x; step x[0] = x[1]; step x[1] = x[2]; step x[2] = x[0]; }
    compute likelihood Rotate { observations [0, 1, 2], [1, 2, 0], [2, 0, 1]; }
    """
    system, start, word = observed(text)
    assert system.mass(start, [letter for letter in word if letter is not None]) == 1


def test_a_loop_in_a_step_is_solved_and_not_unrolled() -> None:
    text = """
    hmm Wait {
        state n: 0..2 = 0;
        emit n;
        step { var again = true; while again { n ~ uniform(0..2); again = n == 0; } }
    }
    compute likelihood Wait { observations 0, 1; }
    """
    system, start, word = observed(text)
    assert system.mass(start, (0, word[1] or 0)) == Fraction(1, 2)


def test_a_step_that_may_not_end_is_refused() -> None:
    text = """
    hmm Stuck { state n: 0..1 = 0; emit n; step { while n == 1 { n = 1; } n ~ uniform(0..1); } }
    compute likelihood Stuck { observations 0; }
    """
    assert codes(text) == ["PFL0443"]


def test_a_fault_on_a_reachable_state_tells_the_path() -> None:
    text = """
    hmm Up { state n: 0..2 = 0; emit n; step n = n + 1; }
    compute likelihood Up { observations 0; }
    """
    diagnostic = compile_text(text).diagnostics[0]
    assert str(diagnostic.code) == "PFL0340"
    assert any("n = 2" in note for note in diagnostic.notes)


def test_a_secret_about_a_moment_conditions_the_chain() -> None:
    text = """
    enum Health { well, sick }
    hmm Commute(flip: real) {
        state x: Health;
        init x ~ { well: 1/2, sick: 1/2 };
        emit match x { well => { quiet: 3/4, cough: 1/4 }, sick => { quiet: 1/4, cough: 3/4 } };
        step x ~ match x { well => { well: 1 - flip, sick: flip }, sick => { sick: 1 - flip, well: flip } };
    }
    check pufferfish Commute(3/20) { secrets x@1 == sick vs x@1 == well; epsilon 5/2; length 2; }
    """
    left, right = sides(question(text).comparisons[0], 2)
    early = Fraction(17, 20) * Fraction(3, 4) + Fraction(3, 20) * Fraction(1, 4)
    assert left[("cough", "cough")] == early * Fraction(3, 4)
    assert right[("quiet", "quiet")] == early * Fraction(3, 4)
    assert sum(left.values()) == sum(right.values()) == 1


def test_bindings_of_for_make_a_comparison_each() -> None:
    claim = """
    check pufferfish Survey {
        for a in 0..2; for b in 0..2;
        between {a: 1} and {b: 1}; epsilon 2*abs(a - b)*ln(2); length 1;
    }
    """
    found = question(SURVEY + claim).comparisons
    assert [comparison.table.bindings for comparison in found[:2]] == [
        (("a", "0"), ("b", "0")),
        (("a", "0"), ("b", "1")),
    ]
    assert len(found) == 9
    assert str(found[2].epsilon) == "4*ln(2)"
    reached = {comparison.system for comparison in found}
    assert max(system.size for system in reached) <= 3


def test_every_prior_is_judged_by_itself() -> None:
    text = """
    hmm Weather {
        states rainy, sunny;
        rainy -> rainy: 7/10, sunny: 3/10;
        sunny -> rainy: 2/5, sunny: 3/5;
        rainy emits walk: 1/10, shop: 9/10;
        sunny emits walk: 3/5, shop: 2/5;
    }
    prior even for Weather { start ~ { rainy: 1/2, sunny: 1/2 }; }
    prior wet for Weather { start ~ { rainy: 9/10, sunny: 1/10 }; }
    check pufferfish Weather { prior even; prior wet; secrets rainy@1 vs sunny@1; epsilon 3; length 2; }
    """
    assert [comparison.table.prior for comparison in question(text).comparisons] == ["even", "wet"]


def test_secrets_of_probability_zero_are_skipped_with_a_warning() -> None:
    claim = """
    prior sure for Survey { let john = true; start sick = 1; }
    check pufferfish Survey { prior sure; secrets john vs not john; epsilon ln(2); length 1; }
    """
    compiled = compile_text(SURVEY + claim)
    assert [str(diagnostic.code) for diagnostic in compiled.diagnostics] == ["PFL0551"]
    found = compiled.claims[0].question
    assert isinstance(found, Compare)
    assert found.tables == ()
    assert len(found.skipped) == 1


def test_an_assumed_equation_makes_weights_a_distribution() -> None:
    text = (
        SURVEY
        + """
    param p in (0, 1); param q in (0, 1); param r in (0, 1);
    assume p + q + r == 1;
    find p, q, r such that pufferfish Survey {
        between {0: p, 1: q, 2: r} and {1: q / (q + r), 2: r / (q + r)}; epsilon ln(2); length 1;
    }
    """
    )
    compiled = compile_text(text)
    assert compiled.diagnostics == ()
    found = compiled.claims[0].question
    assert isinstance(found, Search)
    assert found.names == ("p", "q", "r")


def test_a_claim_speaks_of_the_parameters_it_depends_on() -> None:
    text = "param p in (0, 1); param q in (0, 1); assume q <= 1/2;" + SURVEY
    claim = "check pufferfish Survey { between {0: p, 1: 1 - p} and {1: 1}; epsilon 1; length 1; }"
    assert question(text + claim).parameters.names == ("p",)


def test_contradictory_assumptions_are_an_error_even_where_no_claim_reads_them() -> None:
    text = "param q in (0, 1); assume q <= 1/3; assume q >= 1/2;" + SURVEY
    claim = "check pufferfish Survey { between {0: 1} and {1: 1}; epsilon 1; length 1; }"
    assert codes(text + claim) == ["PFL0472"]


def test_length_on_the_command_line_wins() -> None:
    claim = "check pufferfish Survey { between {0: 1} and {1: 1}; epsilon 1; length any; }"
    assert question(SURVEY + claim, Options(length=4)).lengths == (4,)


@pytest.mark.parametrize(
    ("clause", "code"),
    [
        ("epsilon ln(1/2); length 1;", "PFL0554"),
        ("epsilon 1; delta 2; length 1;", "PFL0555"),
        ("epsilon 1; length 0 - 3;", "PFL0553"),
    ],
)
def test_numbers_that_make_no_sense(clause: str, code: str) -> None:
    assert codes(SURVEY + f"check pufferfish Survey {{ between {{0: 1}} and {{1: 1}}; {clause} }}") == [code]


def test_silence_takes_no_length() -> None:
    text = """
    hmm Quiet { state n: 0..1 = 0; emit if n == 0 then silent else loud; step n ~ bernoulli_bit(1/3); }
    dist bernoulli_bit(p: real) over 0..1 = { 1: p, 0: 1 - p };
    compute likelihood Quiet { observations loud, loud; }
    """
    system, start, _ = observed(text)
    assert system.mass(start, (0, 0)) == 1


def test_parameters_of_a_library_that_the_model_does_not_use_are_left_alone() -> None:
    script = (
        "import sys; from pfl import check_text;"
        f"text = {SURVEY!r} + 'check pufferfish Survey {{ between {{0: 1}} and {{1: 1}}; epsilon ln(2); length 1; }}';"
        "print([str(r.verdict.__class__.__name__) for r in check_text(text).results]);"
        "print(sorted({'flint', 'z3', 'numpy', 'scipy', 'highspy', 'lark', 'rich'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split("\n")[:2] == ["['Proved']", "[]"]


def test_silence_may_stand_beside_a_distribution() -> None:
    text = """
    hmm Meter {
        state off: bool;
        init off ~ bernoulli(1/2);
        emits { low, high };
        emit if off then silent else { low: 1/3, high: 2/3 };
        step off ~ bernoulli(1/2);
    }
    compute likelihood Meter { observations high; }
    """
    system, start, word = observed(text)
    assert system.mass(start, word[:1]) == Fraction(2, 3)  # type: ignore[arg-type]


def test_a_prior_keeps_the_first_values_that_it_does_not_overrule() -> None:
    text = """
    hmm Two { state a: bool; state b: 0..1 = 1; emit if a then b else 2; }
    prior half for Two { let d ~ bernoulli(1/2); start a = d; }
    check pufferfish Two { prior half; secrets a vs not a; epsilon ln(3); length 1; }
    """
    left, _ = sides(question(text).comparisons[0], 1)
    assert left == {("1",): 1}
