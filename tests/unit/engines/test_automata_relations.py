"""Relations that an author wrote down, refinement, tables, and runs at random."""

from __future__ import annotations

from random import Random

import pytest

from pfl.driver import check_text, compile_text
from pfl.engines.answer import Disproved, Proved, Unknown
from pfl.engines.chain.simulation import simulate
from pfl.verify.verdict import Refuted, Verdict

LAST_BIT = """
automaton last() {
    data d: 0..1;  query ask: { go };  output 0..1;
    state x: 0..1 = 0;
    on data d { x = d; }
    on query ask { respond if x == 0 then { 0: 2/3, 1: 1/3 } else { 0: 1/3, 1: 2/3 }; x = 0; }
}
"""


def verdict(text: str) -> Verdict:
    findings = check_text(text)
    assert not [d for d in findings.diagnostics if d.severity == "error"], findings.diagnostics
    return findings.results[0].verdict


def test_a_family_that_covers_and_pays() -> None:
    relation = "relation near(j: 0..1) for last() { balance j*ln(2); holds j == 1 or left.x == right.x; }"
    found = verdict(LAST_BIT + relation + "check unwinding last() by near { epsilon ln(2); }")
    assert isinstance(found, Proved)
    assert ("largest balance", "ln(2)") in found.evidence.facts


def test_a_family_that_does_not_cover() -> None:
    relation = "relation same() for last() { balance 0; holds left.x == right.x; }"
    found = verdict(LAST_BIT + relation + "check unwinding last() by same { epsilon ln(2); expect refuted; }")
    assert isinstance(found, Disproved)
    assert "not every run is covered" in found.problem
    assert ("path", "[extra 1]") in found.facts


def test_a_family_within_less_than_its_balance_does_not_cover() -> None:
    relation = "relation near(j: 0..1) for last() { balance j*ln(2); holds j == 1; }"
    found = verdict(LAST_BIT + relation + "check unwinding last() by near { epsilon 1/2; expect refuted; }")
    assert isinstance(found, Disproved)


@pytest.mark.parametrize("balance", ["j*ln(3/2)", "j/2"])
def test_a_family_that_does_not_pay(balance: str) -> None:
    """Twice as likely costs ln(2), which is more than ln(3/2) and than 1/2."""
    relation = f"relation near(j: 0..1) for last() {{ balance {balance}; holds j == 1; }}"
    found = verdict(LAST_BIT + relation + "check unwinding last() by near { epsilon 1; expect refuted; }")
    assert isinstance(found, Disproved)
    assert "does not pay for go" in found.problem
    assert {key for key, _ in found.facts} == {"path", "pair", "left", "right"}


def by_steps(heads: str) -> str:
    return f"""
mechanism steps(x: 0..1) -> 0..1 {{
    var going = true;
    var y = 0;
    while going {{ y ~ {{ 0: 1/3, 1: 2/3 }}; going ~ bernoulli(1/2); }}
    let stays ~ bernoulli({heads});
    return if stays then x else 1 - x;
}}
automaton inlined() {{
    data d: 0..1;  query ask: {{ go }};  output 0..1;
    state x: 0..1 = 0;
    on data d {{ x = d; }}
    on query ask {{ respond stepwise steps(x); x = 0; }}
}}
check implements inlined() of last() {{ expect EXPECTED; }}
"""


def test_hidden_steps_implement_what_is_said_in_one() -> None:
    assert isinstance(verdict(LAST_BIT + by_steps("2/3").replace("EXPECTED", "proved")), Proved)


def test_the_first_action_that_differs_is_shown() -> None:
    found = verdict(LAST_BIT + by_steps("3/5").replace("EXPECTED", "refuted"))
    assert isinstance(found, Disproved)
    facts = dict(found.facts)
    assert facts["action"] == "go"
    assert facts["inlined()"] == "0: 3/5, 1: 2/5"
    assert facts["last()"] == "0: 2/3, 1: 1/3"


DOOR = """
automaton Door {
    states idle, asked, answering;  start idle;
    query ask;  data knock;  output yes;  hidden wait, loop;
    idle -- ask --> TARGET;
    asked -- wait --> { asked: 1/2, answering: 1/2 };
    answering -- yes --> idle;
    idle -- knock --> idle;
}
check noninterference Door { epsilon 0; }
"""


def test_a_table_whose_hidden_steps_end() -> None:
    assert isinstance(verdict(DOOR.replace("TARGET", "{ asked: 1/3, answering: 2/3 }")), Proved)


def test_silence_that_depends_on_a_point_is_seen() -> None:
    """After the point the query is never answered; only that it was not answered yet can be seen of that."""
    table = """
automaton Trap {
    states calm, upset, asked, stuck;  start calm;
    query ask;  data knock;  output yes;  hidden wait;
    calm -- ask --> asked;
    asked -- yes --> calm;
    calm -- knock --> upset;
    upset -- knock --> upset;
    upset -- ask --> stuck;
    stuck -- wait --> stuck;
}
check noninterference Trap { epsilon ln(100); expect refuted; }
"""
    found = verdict(table)
    assert isinstance(found, Refuted)
    assert found.witness.ratio == "inf"
    assert "ask -> yes" in found.witness.words[0]


def test_runs_at_random_are_the_same_for_one_seed() -> None:
    claim = compile_text(LAST_BIT + "compute epsilon last();").claims[0]
    first, second, other = (simulate(claim, steps=30, source=Random(seed)) for seed in (1, 1, 2))
    assert first == second != other
    assert all(line.startswith(("  [0]", "  [1]", "  go -> ")) for line in first[1:])


TABLES = """
automaton A {
    states idle, one, two;  start idle;  query ask;  data knock;  output yes, no;
    idle -- ask --> { one: 1/2, two: 1/2 };  one -- yes --> idle;  two -- no --> idle;  idle -- knock --> idle;
}
automaton B {
    states idle, one, two;  start idle;  query ask;  data knock;  output yes, no;
    idle -- ask --> { one: 1/2, two: 1/4, idle: 1/4 };  one -- yes --> idle;  two -- no --> idle;
    idle -- knock --> idle;
}
automaton C {
    query y: { ask };  data d: { knock };  output { yes, no };  state z: 0..0 = 0;
    on data d { }
    on query y { respond { yes: 1/2, no: 1/2 }; }
}
"""


def test_tables_implement_handlers() -> None:
    assert isinstance(verdict(TABLES + "check implements A of C;"), Proved)
    assert isinstance(verdict(TABLES + "check implements C of A;"), Proved)


def test_an_unanswered_query_is_told_from_one_that_is_answered() -> None:
    found = verdict(TABLES + "check implements A of B { expect refuted; }")
    assert isinstance(found, Disproved)
    assert dict(found.facts) == {
        "after": "ask",
        "action": "ask",
        "A": "takes it with probability 0",
        "B": "takes it with probability 1/4",
    }


def test_relations_name_the_states_of_tables() -> None:
    table = """
    automaton Door {
        states idle, knocked, yes_next, no_next, yes_now, no_now;  start idle;
        query ask;  data knock;  output yes, no;  hidden wait;
        idle -- ask --> { yes_next: 1/3, no_next: 2/3 };
        knocked -- ask --> { yes_now: 2/3, no_now: 1/3 };
        yes_next -- wait --> yes_now;  no_next -- wait --> no_now;
        yes_now -- yes --> idle;  no_now -- no --> idle;
        idle -- knock --> knocked;  knocked -- knock --> knocked;
    }
    relation near() for Door { balance ln(2); holds left.idle and right.knocked; }
    check unwinding Door by near { epsilon ln(2); }
    """
    assert isinstance(verdict(table), Proved)
    assert isinstance(verdict(table.replace("left.idle", "left.knocked")), Disproved)


def test_refinement_and_relations_range_over_for() -> None:
    model = """
    automaton A(k: int) {
        data d: 0..1; query y: {ask}; output 0..1; state n: 0..1 = 0;
        on data d { n = d; }
        on query y { respond {0: 1/2, 1: 1/2}; }
    }
    automaton B(k: int) {
        data d: 0..1; query y: {ask}; output 0..1; state n: 0..1 = 0;
        on data d { n = d; }
        on query y { respond {0: 1/(k+1), 1: k/(k+1)}; }
    }
    relation same(j: 0..1) for A(1) { balance j*ln(2); holds left.n == right.n or true; }
    check implements A(k) of A(1) { for k in 1..2; }
    check implements A(k) of B(k) { for k in 1..2; expect refuted; }
    check unwinding A(1) by same { epsilon ln(2); for z in 0..1; }
    """
    findings = check_text(model)
    assert [result.as_expected for result in findings.results] == [True, True, True]
    assert findings.exit_code == 0


def test_a_symbolic_balance_leaves_the_claim_unknown() -> None:
    relation = "param a in (0, 1); relation near(j: 0..1) for last() { balance j*ln(1/a); holds j == 1; }"
    found = verdict(relation + LAST_BIT + "check unwinding last() by near { epsilon ln(1/a); }")
    assert isinstance(found, Unknown)
    assert "given values of the parameters" in found.reason
    assert not found.is_internal


def test_only_what_was_proved_carries_over() -> None:
    claims = """
    check yes: noninterference last() { epsilon ln(2); }
    check no: noninterference last() { epsilon ln(3/2); }
    check same: implements last() of last();
    """
    results = {result.claim.name: result.verdict for result in check_text(LAST_BIT + claims).results}
    assert isinstance(results["no"], Refuted)
    same = results["same"]
    assert isinstance(same, Proved)
    assert [value for key, value in same.evidence.facts if key == "carries over"] == ["`yes` of last()"]


def test_what_carries_over_is_told_by_the_later_of_claim_and_refinement() -> None:
    claims = """
    check same: implements last() of last();
    check no: noninterference last() { epsilon ln(3/2); expect refuted; }
    check yes: noninterference last() { epsilon ln(2); }
    check again: implements last() of last();
    """
    results = {result.claim.name: result.verdict for result in check_text(LAST_BIT + claims).results}
    told = {
        name: [value for key, value in verdict.evidence.facts if key == "carries over"]
        for name, verdict in results.items()
        if isinstance(verdict, Proved)
    }
    assert told == {"same": [], "yes": ["to last(), by `same`"], "again": ["`yes` of last()"]}
