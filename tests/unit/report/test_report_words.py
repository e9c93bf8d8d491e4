"""The report speaks in the words of the model."""

from __future__ import annotations

from pfl.driver import check_text
from pfl.report.human import render_findings
from pfl.report.styled import plain


def facts(model: str) -> list[str]:
    """The lines of the report with single blanks."""
    findings = check_text(model)
    assert not findings.diagnostics, [found.message for found in findings.diagnostics]
    return [" ".join(line.split()) for line in plain(render_findings(findings, None)).splitlines()]


def test_the_hidden_state_is_named_as_in_the_source() -> None:
    program = """
        enum Health { well, sick }
        hmm H {
            state x: Health;
            state b: bool;
            init x ~ { well: 1/2, sick: 1/2 };
            init b = false;
            step b = true;
            emit match x { well => quiet, sick => cough };
        }
        compute likelihood H { observations quiet, quiet; posterior; }
    """
    assert facts(program)[1:] == ["x@0 == well and not b@0 1", "x@1 == well and b@1 1"]
    table = """
        hmm W { states rainy, sunny; init rainy: 1; rainy -> sunny; sunny -> sunny; rainy emits u; sunny emits u; }
        compute likelihood W { observations u, u; posterior; }
    """
    assert facts(table)[1:] == ["rainy@0 1", "sunny@1 1"]


RECEIVING = """
    import std.noise { truncated_geometric };
    adjacency close(a: 0..2, b: 0..2) = abs(a - b) <= 1;
    mechanism answer() emits 0..2 {
        for round in 1..2 { receive count: 0..2; emit truncated_geometric(1/2, count, 0, 2); }
    }
"""


def test_a_claim_about_received_values_says_how_they_are_related() -> None:
    shown = facts(RECEIVING + "check privacy answer { received close at most 1; epsilon ln(2); }")
    assert shown[1:] == ["note received close at most 1"]
    shown = facts(RECEIVING + "check privacy answer { epsilon 0; }")
    assert shown[1:] == ["note received values are equal in both runs"]


def test_a_witness_says_which_received_values_are_whose() -> None:
    shown = facts(RECEIVING + "check privacy answer { received close; epsilon ln(2); expect refuted; }")
    assert shown[1:3] == [
        "inputs a of each [a | b] against b of each [a | b]",
        "seen [0 | 1] 0, [0 | 1] 0",
    ]


def test_a_refuted_refinement_says_for_which_values() -> None:
    model = """
        automaton fair(n: 0..3) { query q: {ask}; state s: bool = true; on query q { respond { a: 1/2, b: 1/2 }; } }
        automaton slanted(n: 0..3) {
            query q: {ask};
            state s: bool = true;
            on query q { respond { a: 1/(2 + n), b: 1 - 1/(2 + n) }; }
        }
        check implements fair(k) of slanted(k) { for k in 0..3; expect refuted; }
    """
    assert facts(model)[1:3] == ["problem they differ on ask", "for k = 1"]
