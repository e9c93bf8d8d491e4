"""Tables in which queries go unanswered, runs end, or data points are answered."""

from __future__ import annotations

from pfl.base.diagnostics import Diagnostic
from pfl.driver import check_text
from pfl.engines.answer import Computed, Proved, Unknown
from pfl.verify.verdict import Findings, Refuted

ENDS = """
automaton ends {
    states s, t, u;  start s;
    data d;  query q;  output o;
    s -- d --> s;
    s -- q --> { t: 1/2, s: 1/2 };
    t -- o --> u;
}
"""

BELL = """
automaton bell {
    states on, low_next, high_next;  start on;
    data zero, one;  query ask;  output low, high;
    on -- zero --> { low_next: 2/3, high_next: 1/3 };
    on -- one --> { low_next: 1/3, high_next: 2/3 };
    on -- ask --> on;
    low_next -- low --> on;
    high_next -- high --> on;
}
"""


def judged(text: str) -> Findings:
    findings = check_text(text)
    assert not [d for d in findings.diagnostics if d.severity == "error"], findings.diagnostics
    return findings


def warnings(findings: Findings) -> dict[str, Diagnostic]:
    return {diagnostic.code.slug: diagnostic for diagnostic in findings.diagnostics}


def test_a_dead_end_is_told_and_is_no_hidden_loop() -> None:
    findings = judged(ENDS + "check noninterference ends { epsilon 0; }")
    assert isinstance(findings.results[0].verdict, Proved)
    found = warnings(findings)
    assert found.keys() == {"dead-end"}
    assert "`u`" in found["dead-end"].message


def test_a_delta_wants_one_response_a_query() -> None:
    claims = "check a: noninterference ends { epsilon 0; delta 1/2; length 2; } compute b: epsilon ends { length 2; }"
    findings = judged(ENDS + claims)
    first, second = (result.verdict for result in findings.results)
    assert isinstance(first, Unknown)
    assert "`s` waits for the next input" in first.reason
    assert not first.is_internal
    assert isinstance(second, Computed)
    assert warnings(findings)["response-missing"].labels[0].text == "reached by s -- q --> s"
    assert findings.exit_code == 4


def test_a_list_of_lengths_wants_one_response_a_query() -> None:
    findings = judged(BELL + "compute epsilon bell { length 1..3; }")
    assert isinstance(findings.results[0].verdict, Unknown)
    assert "response-unasked" in warnings(findings)


def test_runs_that_differ_in_an_answered_point() -> None:
    claims = """
    compute a: epsilon bell { adjacent replace; }
    check b: noninterference bell { adjacent replace; epsilon ln(2); length 3; }
    check c: noninterference bell { epsilon 100; expect refuted; }
    """
    replaced, bounded, left_out = (result.verdict for result in judged(BELL + claims).results)
    assert isinstance(replaced, Computed)
    assert replaced.bound is not None
    assert replaced.bound.ratio == 2
    assert isinstance(bounded, Proved)
    assert bounded.checked
    assert isinstance(left_out, Refuted)
    assert left_out.witness.inputs == (("extra zero",),)
    assert left_out.witness.observations == (("-> low",),)


def test_responses_among_points_are_summed_up() -> None:
    """The bell rings for the first of two points only, at once or later: who sees words could tell the points apart."""
    late = """
    automaton late {
        states start_, a, b, ring_now, done;  start start_;
        data zero, one;  query ask;  output ring;
        start_ -- zero --> { ring_now: 1/2, a: 1/2 };
        start_ -- one --> { ring_now: 1/4, a: 3/4 };
        start_ -- ask --> start_;
        a -- zero --> ring_now;  a -- one --> ring_now;  a -- ask --> a;
        ring_now -- ring --> done;
        done -- zero --> done;  done -- one --> done;  done -- ask --> done;
        b -- zero --> b;  b -- one --> b;  b -- ask --> b;
    }
    compute one_point: epsilon late { adjacent replace; length 1; }
    compute two_points: epsilon late { adjacent replace; length 2; }
    """
    one, two = (result.verdict for result in judged(late).results)
    assert isinstance(one, Computed)
    assert isinstance(two, Computed)
    assert one.bound is not None
    assert two.bound is not None
    # After two points the bell has rung in any case; `ask` between them tells as much as with one point.
    assert one.bound.ratio == 2
    assert two.bound.ratio == 2
