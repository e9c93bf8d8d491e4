"""Drawings of systems, and runs at random: what each is of, where it starts, and where it stops."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pfl.base.diagnostics import InputRejected
from pfl.cli.main import run
from pfl.driver import compile_text
from pfl.emit.chain import emit_chains
from pfl.emit.dot import emit_drawings
from pfl.emit.smtlib import emit_queries
from pfl.engines.chain.simulation import simulate
from pfl.model.claims import Claim

SERVERS = """
automaton Server(doubt: real) {
    states idle, yes_next, no_next;
    start { idle: 3/4, no_next: 1/4 };
    query ask;
    data knock;
    output yes, no;
    idle -- ask --> { yes_next: doubt, no_next: 1 - doubt };
    yes_next -- yes --> idle;
    no_next -- no --> idle;
    idle -- knock --> idle;
}
"""

VOTES = """
mechanism votes(xs: [2] of bool) -> bool {
    let any ~ { xs[0] or xs[1]: 3/4, not (xs[0] or xs[1]): 1/4 };
    return any;
}
adjacency one(a: [2] of bool, b: [2] of bool) = count(i for i in 0..1 if a[i] != b[i]) == 1;
check privacy votes { adjacent one; epsilon ln(3); }
"""

WALK = """
hmm Walk(low: int) {
    state x: 0..3;
    init  x = low;
    step  x = min(3, x + 1);
}
compute steps: expected steps Walk(a) { for a in 0..2; until x == 3; }
"""

SURVEY = """
param w in (0, 1);
hmm Survey { state sick: 0..2; emit { y: (1 + sick) / 4, n: (3 - sick) / 4 }; }
prior drawn(w: real) for Survey {
    john ~ bernoulli(w);
    mary ~ bernoulli(1/3);
    start sick = count(s for s in [john, mary] if s);
}
check pufferfish Survey { prior drawn(1/2); prior drawn(1/4); secrets john vs not john; epsilon ln(3); length 2; }
"""


def claim(text: str) -> Claim:
    compiled = compile_text(text)
    assert not compiled.diagnostics, compiled.diagnostics
    return compiled.claims[0]


def drawings(text: str) -> list[str]:
    return [drawing for _, drawing in emit_drawings(claim(text))]


def test_both_automata_of_an_implementation_have_their_names() -> None:
    concrete, abstract = drawings(SERVERS + "check implements Server(1/2) of Server(1/3);")
    assert concrete.startswith('digraph "Server(1/2)" {\n  label="Server(1/2)"; labelloc=t;')
    assert abstract.startswith('digraph "Server(1/3)" {')


def test_a_claim_with_a_name_of_its_own_is_told_apart_by_it() -> None:
    (drawing,) = drawings(VOTES.replace("check privacy", "check quarter: privacy"))
    assert '\ndigraph "quarter: check privacy votes" {' in drawing


def test_the_start_of_an_automaton_is_an_arrow_from_a_point() -> None:
    (drawing,) = drawings("automaton A { data d: 0..1; query q: {s}; state n: 0..1 = 1; on data d { n = d; }"
                          " on query q { respond n; } } check noninterference A { epsilon 1; }")  # fmt: skip
    assert "  start0 [shape=point];\n  start0 -> s0;\n" in drawing
    assert '  s0 [label="n = 1"];' in drawing


def test_inputs_that_look_alike_are_one_start_and_the_file_says_so() -> None:
    (drawing,) = drawings(VOTES)
    assert drawing.startswith("// States that no run tells apart are drawn as one")
    assert '[shape=point, xlabel="xs = [false, false]"];' in drawing
    assert drawing.count("shape=point") == 2


def test_a_start_with_several_states_has_its_probabilities() -> None:
    first, second = drawings(SURVEY)
    assert first.startswith('digraph "check pufferfish Survey, prior drawn(1/2)" {')
    assert second.startswith('digraph "check pufferfish Survey, prior drawn(1/4)" {')
    assert 'xlabel="not john"];\n  start1 -> s0 [label="2/3"];\n  start1 -> s1 [label="1/3"];' in first


def test_starts_of_one_system_under_several_bindings_are_told_apart() -> None:
    asked = "check privacy votes { for k in 1..2; adjacent one; epsilon k*ln(3); }"
    (drawing,) = drawings(VOTES.replace("check privacy votes { adjacent one; epsilon ln(3); }", asked))
    assert 'xlabel="k = 1, xs = [false, false]\\nk = 2, xs = [false, false]"' in drawing


def test_each_value_that_a_claim_ranges_over_is_a_start_of_its_chain() -> None:
    texts = drawings(WALK)
    starts = [start for text in texts for start in re.findall(r'xlabel="(.*?)"', text)]
    assert starts == ["a = 0", "a = 1", "a = 2"]


def test_systems_of_a_claim_are_told_apart_by_what_it_ranges_over() -> None:
    text = "mechanism coin(n: int) -> bool { return { true: 1/n, false: 1 - 1/n }; }"
    titles = [drawing.splitlines()[0] for drawing in drawings(text + "compute distribution coin(n) { for n in 2..3; }")]
    assert titles == [f'digraph "compute distribution coin(n), n = {n}" {{' for n in (2, 3)]


def test_a_run_stops_where_it_has_ended() -> None:
    first, *seen = simulate(claim(VOTES), steps=10, source=Random(1))
    assert first == "from xs = [false, false]    (start 1 of 2)"
    assert seen[0] in ("  true", "  false")
    assert seen[1:] == ["  halt"]


def test_what_an_hmm_shows_for_ever_goes_on() -> None:
    text = "hmm H { states a; a emits halt: 1; a -> a: 1; init a: 1; } check pufferfish H { between { a: 1 } and"
    lines = simulate(claim(text + " { a: 1 }; epsilon 0; length 5; }"), steps=5, source=Random(1))
    assert lines[1:] == ["  halt"] * 5


def test_each_start_can_be_run_from() -> None:
    asked = claim(VOTES)
    said = [simulate(asked, steps=1, source=Random(1), start=number)[0] for number in (1, 2)]
    assert said[1] == "from xs = [false, true]    (start 2 of 2)"
    with pytest.raises(IndexError):
        simulate(asked, steps=1, source=Random(1), start=3)


def test_parameters_without_values_are_named() -> None:
    about_john = "prior drawn(1/2); prior drawn(1/4); secrets john vs not john"
    asked = claim(SURVEY.replace(about_john, "prior drawn(w); secrets mary vs not mary"))
    with pytest.raises(InputRejected) as rejected:
        simulate(asked, steps=1, source=Random(1))
    assert [d.help for d in rejected.value.diagnostics] == ["give them values, for instance `--set w=1/3`"]


def test_the_command_line_chooses_a_start_that_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("votes.pfl").write_text(VOTES, encoding="utf-8")
    assert run(["simulate", "votes.pfl", "--start", "2"]) == 0
    assert "(start 2 of 2)" in capsys.readouterr().out
    assert run(["simulate", "votes.pfl", "--start", "3"]) == 2
    assert "`privacy votes` has 2 starts" in capsys.readouterr().err


NOISY = """
param eps in (0, inf);
mechanism above(q: 0..1) -> bool {
    let noisy ~ laplace(q, 1/eps);
    return noisy > 1/2;
}
mechanism constant(q: 0..1) -> bool {
    let noisy ~ laplace(q, 1/2);
    return noisy > 1/2;
}
adjacency other(a: 0..1, b: 0..1) = a != b;
check told: privacy above { adjacent other; epsilon eps; }
compute seen: distribution above(1);
compute fixed: distribution constant(1);
"""


def noisy(name: str) -> Claim:
    return next(claim for claim in compile_text(NOISY).claims if claim.name == name)


def test_drawings_write_exponentials_as_they_are() -> None:
    ((_, text),) = emit_drawings(noisy("told"))
    assert "false: (2 - exp(-eps/2))/2" in text


def test_chains_have_a_parameter_for_an_exponential_and_say_what_it_is() -> None:
    ((_, prism),) = emit_chains(noisy("seen"), "prism")
    assert "const double exp_minus_eps_over_2; // e^(-eps/2), eps in (0, inf)" in prism
    assert "(2 - exp_minus_eps_over_2)/(2) : (state'=" in prism
    ((_, drn),) = emit_chains(noisy("fixed"), "drn")
    assert "// exp_minus_1 is e^(-1)\n@type: DTMC\n@parameters\nexp_minus_1\n" in drn


@pytest.mark.parametrize("name", ["told", "seen"])
def test_no_solver_is_asked_about_exponentials(name: str) -> None:
    with pytest.raises(InputRejected) as rejected:
        emit_queries(noisy(name))
    assert [str(each.code) for each in rejected.value.diagnostics] == ["PFL0603"]


def test_runs_with_powers_of_e_are_rounded_and_say_so() -> None:
    lines = [tuple(simulate(noisy("fixed"), steps=3, source=Random(seed))) for seed in range(40)]
    assert {line[0] for line in lines} == {"powers of e in its probabilities are rounded, to 64 bits"}
    assert {line[-1].strip() for line in lines} == {"returned true", "returned false"}


def test_a_parameter_without_a_value_is_named() -> None:
    with pytest.raises(InputRejected) as rejected:
        simulate(noisy("told"), steps=3, source=Random(0))
    assert "`--set eps=1/3`" in (rejected.value.diagnostics[0].help or "")


def test_enclosed_probabilities_are_neither_drawn_nor_run() -> None:
    (claim,) = compile_text(
        "mechanism told(q: 0..1) -> bool { let noisy ~ gaussian(q, 2); return noisy > 1; }\n"
        "adjacency by_one(a: 0..1, b: 0..1) = true;\n"
        "check privacy told { adjacent by_one; epsilon 1; }"
    ).claims
    for made in (lambda: emit_drawings(claim), lambda: simulate(claim, steps=1, source=Random(0))):
        with pytest.raises(InputRejected) as rejected:
            made()
        assert [str(found.code) for found in rejected.value.diagnostics] == ["PFL0487"]
