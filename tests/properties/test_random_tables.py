"""Random automata in table form, from their text to the verdict, against the definition of noninterference.

A query may get no response, or several; hidden steps may go on for ever.
"""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import Table, largest_ratio, tables

from pfl.base.epsilon import Epsilon
from pfl.driver import check_text
from pfl.engines.answer import Computed, Proved, Unknown
from pfl.options import Options
from pfl.verify.verdict import ClaimResult, Refuted

MOST_SEEN = 7


def result(table: Table, claim: str) -> ClaimResult:
    findings = check_text(f"{table.text}\n{claim}\n", Options(timeout=10))
    assert not [d for d in findings.diagnostics if d.severity == "error"], findings.diagnostics
    return findings.results[0]


def pick(data: st.DataObject, *, answers_data: bool) -> tuple[Table, str, int]:
    table = data.draw(tables(answers_data=answers_data))
    adjacencies = ["insert", "replace"] if len(table.data) > 1 else ["insert"]
    return table, data.draw(st.sampled_from(adjacencies)), data.draw(st.integers(0, 3))


@settings(max_examples=120)
@given(data=st.data())
def test_smallest_epsilon_is_brute_force(data: st.DataObject) -> None:
    """Where data points are not answered, nothing is lost by telling where responses come."""
    table, adjacency, length = pick(data, answers_data=False)
    expected, is_all = largest_ratio(table, adjacency, length, MOST_SEEN)
    claim = f"compute epsilon Table {{ adjacent {adjacency}; length {length}; }}"
    verdict = result(table, claim).verdict
    if isinstance(verdict, Unknown):
        assert not is_all  # some query gets responses for ever
        return
    assert isinstance(verdict, Computed)
    assert verdict.bound is not None
    if is_all:
        assert verdict.bound.ratio == ("inf" if expected is None else expected)
    elif isinstance(verdict.bound.upper, Fraction):
        assert expected is not None
        assert expected <= verdict.bound.upper


@settings(max_examples=120)
@given(data=st.data())
def test_answered_data_points_are_bounded_from_both_sides(data: st.DataObject) -> None:
    table, adjacency, length = pick(data, answers_data=True)
    expected, is_all = largest_ratio(table, adjacency, length, MOST_SEEN)
    claim = f"compute epsilon Table {{ adjacent {adjacency}; length {length}; }}"
    verdict = result(table, claim).verdict
    if isinstance(verdict, Unknown):
        return
    assert isinstance(verdict, Computed)
    bound = verdict.bound
    assert bound is not None
    if isinstance(bound.upper, Fraction):
        assert expected is not None
        assert expected <= bound.upper
    if is_all and bound.ratio is not None:
        assert bound.ratio == ("inf" if expected is None else expected)
    if is_all and bound.lower == "inf":
        assert expected is None
    if is_all and isinstance(bound.lower, Fraction):
        assert expected is None or bound.lower <= expected


@settings(max_examples=120)
@given(data=st.data(), share=st.sampled_from([Fraction(1), Fraction(9, 10)]), is_long=st.booleans())
def test_verdicts_are_those_of_the_definition(data: st.DataObject, share: Fraction, is_long: bool) -> None:
    """With a length, or for any number of inputs: what is proved holds, what is refuted does not."""
    table, adjacency, length = pick(data, answers_data=data.draw(st.booleans()))
    expected, is_all = largest_ratio(table, adjacency, length, MOST_SEEN)
    claimed = max(Fraction(1), (expected or 10) * share)
    within = "" if is_long else f"length {length};"
    claim = f"check noninterference Table {{ adjacent {adjacency}; epsilon ln({claimed}); {within} }}"
    found = result(table, claim)
    match found.verdict:
        case Proved(checked=checked):
            assert checked
            assert expected is not None
            assert expected <= claimed
        case Refuted(witness=witness):
            assert witness.exceeds(Epsilon.ln(claimed), Fraction(0))
            if is_all and not is_long:
                assert expected is None or expected > claimed
        case Unknown(is_internal=is_internal):
            assert not is_internal


@settings(max_examples=60)
@given(table=tables(answers_data=True))
def test_unwinding_is_never_below(table: Table) -> None:
    expected, _ = largest_ratio(table, "insert", 3, MOST_SEEN)
    findings = check_text(f"{table.text}\ncompute epsilon Table;\n", Options(engine="unwinding", timeout=10))
    verdict = findings.results[0].verdict
    if isinstance(verdict, Computed) and verdict.bound is not None and isinstance(verdict.bound.upper, Fraction):
        assert expected is not None
        assert expected <= verdict.bound.upper
