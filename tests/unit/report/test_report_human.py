"""The report for people."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from textwrap import dedent
from typing import Any

import pytest
import report_samples as samples

from pfl.base.epsilon import Epsilon
from pfl.driver import check_text
from pfl.engines.answer import Bound, Computed, Evidence, NamedValue, Proved
from pfl.engines.witness import Witness
from pfl.model.claims import Case, Search
from pfl.model.compare import Compare
from pfl.model.parameters import Condition
from pfl.report.details import word_text
from pfl.report.human import render_findings
from pfl.report.record import scope
from pfl.report.statement import epsilon_and_delta, exponential, largest_ratio, smallest_epsilon, statement
from pfl.report.styled import cells, plain
from pfl.verify.verdict import ClaimResult, Findings, Found, Refuted

LARGE = Epsilon.ln(Fraction(3)) * 60


def shown(*results: ClaimResult, width: int | None = None) -> str:
    return plain(render_findings(Findings(results=results), width))


def test_the_look_of_a_verdict() -> None:
    assert shown(samples.proved_under_parameters(), samples.refuted_as_expected()) == dedent("""\
        proved    independent  pufferfish Survey  ln(2) holds for all p in (0, 1); largest ratio tends to 2 as p -> 0    (1 observation)
        refuted   contagious   pufferfish Survey  as expected    (1 observation)
          start          0 sick  against  2 sick
          observed       zero
          probability    2/3     against  1/6
          ratio          4  >  2 = e^(ln(2))             smallest epsilon that holds: ln(4) = 1.386294
          replayed exactly
        """)  # noqa: E501 - the line is as long as it gets


def test_a_narrow_terminal_gets_lines_that_fit() -> None:
    text = shown(*samples.all_results(), width=60)
    assert max(map(cells, text.splitlines())) <= 60
    assert "  ln(2) holds for all p in (0, 1); largest ratio tends to 2\n  as p -> 0" in text


def test_what_was_not_expected_is_said_and_counted() -> None:
    text = shown(samples.refuted_by_surprise(), samples.undecided(), samples.none_found())
    assert "ln(2) does not hold" in text
    assert "expected found: no such values" in text
    assert "could not be proved: the time limit was reached" in text
    assert text.endswith("\n3 claims: 2 not as expected, 1 undecided\n")


def test_computed_numbers_and_lists() -> None:
    assert shown(samples.computed_values()) == dedent("""\
        computed  likelihood Survey  3/8 = 0.375    (3 observations)
          sick@0 == 0    1/3 = 0.333333
          sick@0 == 1    2/3 = 0.666667
        """)
    assert shown(samples.computed_epsilon()) == dedent("""\
        computed  epsilon Survey  ln(4) = 1.386294    (1 observation)
          start          0 sick  against  2 sick
          observed       zero
          probability    2/3     against  1/6
          ratio          4
        """)


def test_ratios_at_several_lengths_are_shown_as_epsilons() -> None:
    values = (NamedValue(name="length 1", value=Fraction(3)), NamedValue(name="length 2", value="inf"))
    bound = Bound(ratio="inf", lower="inf", upper="inf")
    verdict = Computed(engine="exact", values=values, bound=bound)
    assert shown(replace(samples.computed_epsilon(), verdict=verdict)).splitlines()[1:] == [
        "  length 1       ln(3) = 1.098612",
        "  length 2       infinite",
    ]


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        (Bound(ratio="inf", lower="inf", upper="inf"), "infinite: no epsilon holds"),
        (Bound(ratio="unbounded", lower=Fraction(8), upper=None), "unbounded: no epsilon holds for every length"),
        (
            Bound(ratio=None, lower=Fraction(3), upper=Fraction(4)),
            "between ln(3) = 1.098612 and ln(4) = 1.386294",
        ),
        (Bound(ratio=None, lower=Fraction(3), upper=None), "at least ln(3) = 1.098612"),
        (Bound(ratio=Fraction(1), lower=Fraction(1), upper=Fraction(1)), "0"),
        (
            Bound(ratio=Fraction(2), lower=Fraction(2), upper=Fraction(2), attained=False, limit_at="p -> 0"),
            "ln(2) = 0.693147, not attained: the ratio tends to 2 as p -> 0",
        ),
    ],
)
def test_epsilons_that_are_computed(bound: Bound, text: str) -> None:
    result = samples.computed_epsilon()
    assert statement(replace(result, verdict=Computed(engine="exact", bound=bound))) == text


def test_a_proof_says_what_it_rests_on() -> None:
    result = samples.proved_under_parameters()
    solver = Proved(engine="smt", evidence=Evidence(kind="solver"), checked=False)
    assert statement(replace(result, verdict=solver)).endswith("; on the word of the solver alone")
    vacuous = Proved(engine="exact", evidence=Evidence(kind="vacuous", detail="john has probability 0"), checked=True)
    assert (
        statement(replace(result, verdict=vacuous))
        == "holds, since there is nothing to compare: john has probability 0"
    )


def test_a_proof_of_nothing_is_a_warning() -> None:
    vacuous = Proved(engine="exact", evidence=Evidence(kind="vacuous", detail="john has probability 0"), checked=True)
    (head, fact) = render_findings(
        Findings(results=(replace(samples.proved_under_parameters(), verdict=vacuous),)), None
    )
    assert head[0].style == "warning"
    assert plain([fact]) == "  warning        nothing was compared, so the claim would hold for any epsilon\n"


@pytest.mark.parametrize(
    ("lower", "upper", "said"),
    [
        (Fraction(3), Fraction(4), "ln(3) = 1.098612 and ln(4) = 1.386294"),
        (
            Fraction(3),
            3 + Fraction(1, 10**9),
            "ln(3) = 1.0986122887 and ln(3000000001/1000000000) = 1.0986122890",
        ),
        (
            Fraction(3),
            3 + Fraction(1, 10**12),
            "ln(3) = 1.0986122886681 and ln(3000000000001/1000000000000) = 1.0986122886684",
        ),
        (Fraction(1), Fraction(2), "0 and ln(2) = 0.693147"),
    ],
)
def test_the_ends_of_an_interval_are_told_apart(lower: Fraction, upper: Fraction, said: str) -> None:
    bound = Bound(ratio=None, lower=lower, upper=upper)
    assert smallest_epsilon(bound) == f"smallest epsilon between {said}"
    result = replace(samples.computed_epsilon(), verdict=Computed(engine="exact", bound=bound))
    assert statement(result) == f"between {said}"
    ratios = largest_ratio(bound).removeprefix("largest ratio between ").split(" and ")
    assert ratios[0] != ratios[1]


def test_a_delta_between_two_numbers_is_told_with_digits_that_differ() -> None:
    values = (
        NamedValue(name="at least", value=Fraction("0.1170929097")),
        NamedValue(name="at most", value=Fraction("0.1170929098")),
    )
    result = replace(samples.computed_values(), verdict=Computed(engine="exact", values=values))
    assert shown(result).endswith("between 0.1170929097 and 0.1170929098    (3 observations)\n")


def test_ratios_have_decimals() -> None:
    assert largest_ratio(Bound(ratio=Fraction(911, 550), lower=None, upper=None)) == (
        "largest ratio 911/550 = 1.656364"
    )
    assert exponential(Epsilon.ln(Fraction(3, 2))) == "3/2 = 1.5 = e^(ln(3/2))"


def test_conditions_and_notes_are_repeated() -> None:
    result = samples.proved_under_parameters()
    assert isinstance(result.claim.question, Compare)
    condition = Condition(polynomial=Fraction(1), relation="!=", text="john has positive probability")
    (table,) = result.claim.question.tables
    table = replace(table, sides=[replace(side, nonzero=(condition,)) for side in table.sides])
    asked = replace(result.claim.question, tables=(table, table))
    text = shown(
        replace(result, claim=replace(result.claim, cases=(Case(question=asked),), notes=("both orders were checked",)))
    )
    assert text.count("john has positive probability") == 1
    assert "  note           both orders were checked\n" in text


def test_a_violation_of_delta_shows_the_excess() -> None:
    witness = Witness(
        heading="inputs",
        left="(q = 1)",
        right="(q = 2)",
        prior="",
        bindings=(("a", "0"),),
        parameters=(("p", Fraction(1, 3)),),
        words=(("0",), ("1",)),
        probability_left=Fraction(1, 2),
        probability_right=Fraction(1, 8),
    )
    result = samples.refuted_by_surprise()
    verdict = Refuted(engine="exact", witness=witness, epsilon=Epsilon.ln(Fraction(2)), delta=Fraction(1, 8))
    assert shown(replace(result, verdict=verdict)) == dedent("""\
        refuted   contagious  pufferfish Survey  ln(2) with delta 1/8 does not hold    (1 observation)
          for            a = 0
          at             p = 1/3
          inputs         (q = 1)  against  (q = 2)
          observed       any of 2 words: 0; 1
          probability    1/2      against  1/8
          excess         1/2 - 2 * 1/8 = 1/4 = 0.25  >  1/8 = 0.125
          replayed exactly
        """)


def test_repetitions_are_told_once_and_no_product() -> None:
    assert word_text(("bot",) * 4 + ("top",)) == "bot (4 times), top"
    assert word_text(("3",) * 6) == "3 (6 times)"
    assert word_text(("red -> 5",) * 3 + ("red -> 4",)) == "red -> 5 (3 times), red -> 4"
    assert word_text(("Cell(row = 0, col = 0)",) * 3) == "Cell(row = 0, col = 0) (3 times)"
    assert word_text(("Cell(row = 0, col = 0)",) * 2) == "Cell(row = 0, col = 0), Cell(row = 0, col = 0)"
    assert word_text(("a", "a", "a", "b")) == "a, a, a, b", "no shorter"
    assert word_text(()) == "nothing"


def with_words(words: tuple[tuple[str, ...], ...], width: int | None, **further: Any) -> list[str]:
    """What is shown of a set of words."""
    result = samples.refuted_by_surprise()
    assert isinstance(result.verdict, Refuted)
    witness = replace(result.verdict.witness, words=words, **further)
    lines = shown(replace(result, verdict=replace(result.verdict, witness=witness)), width=width).splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("  observed"))
    end = next(place for place, line in enumerate(lines) if line.startswith("  probability"))
    return [line.strip() for line in lines[start:end]]


def test_large_sets_of_words_are_cut_and_counted() -> None:
    short = tuple((str(n),) for n in range(12))
    assert with_words(short, None) == ["observed       any of 12 words: 0; 1; 2; 3; 4; 5; 6; 7; and 4 more"]
    assert with_words(short[:9], None) == ["observed       any of 9 words: 0; 1; 2; 3; 4; 5; 6; 7; 8"]
    assert with_words(short[:2], None, out_of=70000) == ["observed       any of 2 words (out of 70,000): 0; 1"]
    assert with_words(short[:1], None, out_of="inf") == ["observed       any of 1 word (out of infinitely many): 0"]
    assert with_words(short[:2], None, inputs=(("x",), ("x",))) == [
        "observed       any of 2 words under one strategy: 0; 1"
    ]


def test_words_that_need_more_than_a_line_have_one_each() -> None:
    long = tuple(tuple(f"letter{n}{place}" for place in range(6)) for n in range(3))
    lines = with_words(long, None)
    assert lines[0] == "observed       any of 3 words:"
    assert lines[1:] == [", ".join(word) for word in long]
    narrow = with_words(long, 40)
    assert max(map(len, narrow)) <= 40
    assert narrow[0] == "observed       any of 3 words:"
    assert " ".join(narrow[1:]) == " ".join(", ".join(word) for word in long)


def test_sides_that_need_more_than_a_line_have_one_each() -> None:
    result = samples.refuted_by_surprise()
    assert isinstance(result.verdict, Refuted)
    witness = replace(result.verdict.witness, left="a" * 30, right="b" * 30)
    lines = shown(replace(result, verdict=replace(result.verdict, witness=witness)), width=60).splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith("  start"))
    assert lines[place : place + 2] == [f"  start          {'a' * 30}", f"                 against  {'b' * 30}"]


@pytest.mark.parametrize(
    ("lengths", "unit", "text"),
    [
        ((1,), "observation", "1 observation"),
        ((7,), "input", "7 inputs"),
        ((1, 2, 3), "output", "1 to 3 outputs"),
        ((1, 3), "output", "1, 3 outputs"),
        ("any", "observation", "any number of observations"),
        ("any", "run", "whole runs"),
        ((3, 1, 3), "output", "1, 3 outputs"),
    ],
)
def test_scopes(lengths: Any, unit: str, text: str) -> None:
    assert scope(samples.claim("c", replace(samples.question(0, 1), lengths=lengths, unit=unit))) == text


def test_the_scope_is_that_of_all_cases() -> None:
    """Also of those that are not the first, one of which may have the largest result."""
    cases = tuple(
        Case(arguments=(("n", str(n)),), question=replace(samples.question(0, 1), lengths=(n,))) for n in (1, 2, 3)
    )
    claim = samples.claim("c", samples.question(0, 1))
    assert scope(replace(claim, cases=cases)) == "1 to 3 observations"
    assert scope(replace(claim, cases=cases[::2])) == "1, 3 observations"
    assert scope(replace(claim, cases=cases[:1])) == "1 observation"


@pytest.mark.parametrize(
    ("best", "text"),
    [
        (Fraction(1, 2), "p0 = 1/2, p1 = 1/4; minimum 1/2 = 0.5"),
        (Fraction(2, 5), "p0 = 1/2, p1 = 1/4; reached 1/2 = 0.5, minimum no better than 2/5 = 0.4"),
        (None, "p0 = 1/2, p1 = 1/4; reached 1/2 = 0.5"),
    ],
)
def test_objectives_of_a_find(best: Fraction | None, text: str) -> None:
    result = samples.found()
    assert isinstance(result.verdict, Found)
    assert isinstance(result.claim.question, Search)
    asked = replace(result.claim.question, objective=Fraction(1, 2), direction="minimise")
    verdict = replace(result.verdict, objective=Fraction(1, 2), best_possible=best)
    assert (
        statement(replace(result, claim=replace(result.claim, cases=(Case(question=asked),)), verdict=verdict)) == text
    )


@pytest.mark.parametrize(
    ("epsilon", "text"),
    [
        (Epsilon.ln(Fraction(2)), "2 = e^(ln(2))"),
        (Epsilon.rational(Fraction(5, 2)), "e^(5/2) = 12.182494"),
        (Epsilon.ln(Fraction(2)) / 2, "e^(ln(2)/2) = 1.414214"),
        (Epsilon.rational(Fraction(10**9)), "e^(1000000000)"),
    ],
)
def test_what_a_ratio_is_compared_with(epsilon: Epsilon, text: str) -> None:
    assert exponential(epsilon) == text


def test_epsilons_that_are_plain_numbers_are_called_so() -> None:
    assert epsilon_and_delta(Epsilon.rational(Fraction(1)), Fraction(0)) == "epsilon 1"
    assert epsilon_and_delta(Epsilon.ln(Fraction(2)), Fraction(1, 8)) == "ln(2) with delta 1/8"


def test_long_probabilities_have_decimals_too() -> None:
    result = samples.refuted_as_expected()
    assert isinstance(result.verdict, Refuted)
    witness = replace(result.verdict.witness, probability_left=Fraction(1, 3**50))
    shown_lines = shown(replace(result, verdict=replace(result.verdict, witness=witness, epsilon=-LARGE))).splitlines()
    assert "  probability    1/717897987691852588770249 = 1.39296e-24  against  1/6" in shown_lines


def test_names_that_say_it_all_are_not_repeated() -> None:
    result = samples.refuted_by_surprise()
    first = shown(replace(result, claim=replace(result.claim, name="pufferfish Survey#2"))).splitlines()[0]
    assert first == "refuted   pufferfish Survey#2  ln(2) does not hold    (1 observation)"


def test_a_file_without_claims_is_named() -> None:
    findings = check_text("mechanism m(x: bool) -> bool { return x; }", name="m.pfl")
    assert findings.exit_code == 0
    assert plain(render_findings(findings, None)) == (
        "no claims in m.pfl: its names and types were checked, and nothing was judged\n"
    )
    assert not check_text("mechanism m(x: bool) -> bool { return y; }").without_claims
    assert not check_text("mechanism m() -> bool { return true; } check probability m() { at least 1; }").without_claims


COUNTERS = """\
automaton Counter(most: int) {
    data bit: 0..1;
    query ask: { count };
    state n: 0..most = 0;
    on data bit { n = min(most, n + bit); }
    on query ask { respond { n mod 2: 3/4, 1 - n mod 2: 1/4 }; }
}
check noninterference Counter(1) { epsilon ln(3); length 2; }
check swapped: noninterference Counter(1) { adjacent replace; epsilon ln(3); length 2; }
check again: noninterference Counter(1) { epsilon ln(3); length 1; }
check implements Counter(2) of Counter(1) { expect refuted; }
check same: implements Counter(1) of Counter(1);
"""


def test_a_verdict_says_its_adjacency_and_a_remark_stands_once_in_a_file() -> None:
    findings = check_text(COUNTERS)
    text = plain(render_findings(findings, None))
    assert text.count("adjacent insert: ") == 2
    assert text.count("adjacent replace: ") == 1
    assert text.count("cost n times as much") == 1
    elsewhere = tuple(
        replace(result, claim=replace(result.claim, origin=samples.origin(1, "other.pfl")))
        for result in findings.results
    )
    both = replace(findings, results=(*findings.results, *elsewhere))
    assert plain(render_findings(both, None)).count("cost n times as much") == 2


def test_several_points_cost_more_delta_than_one_each() -> None:
    counter = COUNTERS[: COUNTERS.index("check")]
    claims = "compute slack: delta Counter(1) { epsilon ln(2); length 2; }"
    also = "check loose: noninterference Counter(1) { epsilon ln(2); delta 1/2; length 2; }"
    for claim in (claims, also):
        text = plain(render_findings(check_text(counter + claim), None))
        assert "cost n times as much" not in text
        assert "1 + e^epsilon + ... + e^((n-1)*epsilon) times delta" in text


def test_an_implementation_is_told_with_what_it_implements() -> None:
    lines = plain(render_findings(check_text(COUNTERS), None)).splitlines()
    (unnamed,) = (line for line in lines if line.startswith("refuted"))
    assert "implements Counter(2) of Counter(1)  " in unnamed
    (named,) = (line for line in lines if line.startswith("proved    same"))
    assert "  implements Counter(1) of Counter(1)  " in named
