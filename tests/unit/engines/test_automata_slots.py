"""The slot system: exact epsilons and unwinding balances that were computed independently."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pfl.analysis.ratio.obligation import Settled
from pfl.analysis.unwinding.moves import reached_states, single_moves
from pfl.analysis.unwinding.run_pairs import RunPairs
from pfl.base.budget import Budget
from pfl.driver import check_text, compile_text
from pfl.engines.answer import Bound, Computed, Proved
from pfl.model.compare import Compare
from pfl.model.two_runs import TwoRuns
from pfl.options import Options
from pfl.verify.verdict import Refuted

MODEL = """
import std.noise {{ truncated_geometric }};
mechanism size_of(n: int, all: bag[8] of -1..1) -> int {{ return truncated_geometric(1/2, size(all), 0, n); }}
mechanism sum_of(n: int, m: int, all: bag[8] of -1..1) -> int {{ return truncated_geometric(1/2, sum(all), m, n); }}
automaton slots(t: int, v: int) {{
    data   d: {data};
    query  y: {queries};
    state  bags: [t] of bag[v] of -1..1 = empty;
    state  cur: 0..t-1 = 0;
    on data d {{ if size(bags[cur]) < v {{ bags[cur] = add(bags[cur], d); }} }}
    on query y {{
        let all = union(bags);
        {answer}
        cur = (cur + 1) mod t;
        bags[cur] = empty;
    }}
}}
"""
COUNT, SUM = "respond size_of(t*v, all);", "respond sum_of(t*v, {low}, all);"
BITS, SIGNED = "{0, 1}", "{-1, 1}"


def model(data: str, *, asks: str) -> str:
    low = "0" if data == BITS else "0 - t*v"
    summed = SUM.format(low=low)
    both = f"if y == 0 {{ {COUNT} }} else {{ {summed} }}"
    answer = {"count": COUNT, "sum": summed, "both": both}[asks]
    return MODEL.format(data=data, queries="0..1" if asks == "both" else "0..0", answer=answer)


def epsilon(text: str, claim: str, options: Options = Options()) -> Bound:  # noqa: B008 - frozen
    (result,) = check_text(text + claim, options).results
    assert isinstance(result.verdict, Computed)
    assert result.verdict.bound is not None
    return result.verdict.bound


@pytest.mark.parametrize("v", [1, 2])
@pytest.mark.parametrize(
    ("t", "data", "asks", "ratio"),
    [
        (1, BITS, "count", 2),
        (1, BITS, "sum", 2),
        (1, SIGNED, "sum", 4),
        (2, BITS, "both", 4),
        (2, SIGNED, "sum", 16),
    ],
)
def test_smallest_epsilon_and_unwinding(t: int, v: int, data: str, asks: str, ratio: int) -> None:
    claim = f"compute epsilon slots({t}, {v});"
    text = model(data, asks=asks)
    exact = epsilon(text, claim)
    assert exact.ratio == ratio
    unwound = epsilon(text, claim, Options(engine="unwinding"))
    assert unwound.ratio is None
    assert unwound.upper == ratio


def test_four_inputs_suffice_to_refute_t_epsilon() -> None:
    """The extra point of a replacement that costs 2 eps a query: 16 in four inputs."""
    claim = "check noninterference slots(2, 1) { epsilon 2*ln(2); length 4; expect refuted; }"
    (result,) = check_text(model(SIGNED, asks="sum") + claim).results
    assert isinstance(result.verdict, Refuted)
    assert result.verdict.witness.ratio == 16
    (word,) = result.verdict.witness.words
    assert word[0].startswith("[extra ")
    assert len(word) == 4


def test_no_point_is_pushed_out_of_unbounded_memory() -> None:
    """With a slot for every input, t = 2 costs 4 for signed sums, too."""
    claim = "compute epsilon slots(2, 3) { length 4; }"
    assert epsilon(model(SIGNED, asks="sum"), claim).ratio == 4


@pytest.mark.parametrize(
    ("t", "v", "data", "asks", "states", "all_states", "pairs", "all_pairs", "balance"),
    [
        (1, 1, SIGNED, "sum", 3, 15, 4, 20, 4),
        (2, 2, SIGNED, "sum", 72, 792, 240, 2640, 16),
        (2, 2, BITS, "both", 72, 936, 240, 3120, 4),
    ],
)
def test_states_pairs_and_balance_of_bijections(
    t: int, v: int, data: str, asks: str, states: int, all_states: int, pairs: int, all_pairs: int, balance: int
) -> None:
    """Also counted with the states in which a query is computed, and those in which a response is given."""
    claim = f"compute epsilon slots({t}, {v});"
    (compiled,) = compile_text(model(data, asks=asks) + claim).claims
    assert isinstance(compiled.question, Compare)
    runs = compiled.question.tables[0].runs
    assert isinstance(runs, TwoRuns)
    moves = single_moves(runs.system)
    assert moves is not None
    assert len(reached_states(moves)) == states
    per_state = 1 + sum(1 + len(answers) for answers in runs.system.answers)
    assert states * per_state == all_states
    problem = RunPairs(runs, moves, is_reversed=True, budget=Budget(), by_bijections=True)
    outcome = problem.largest_of_every_length(Fraction(1))
    assert isinstance(outcome, Settled)
    assert outcome.bound == balance
    assert len(problem.graph.pairs) == pairs
    assert pairs * per_state == all_pairs


def test_the_proof_is_checked_again() -> None:
    claim = "check noninterference slots(2, 2) { epsilon 4*ln(2); }"
    (result,) = check_text(model(SIGNED, asks="sum") + claim).results
    assert isinstance(result.verdict, Proved)
    assert result.verdict.checked
    assert result.verdict.evidence.kind == "unwinding"


@pytest.mark.parametrize("adjacent", ["insert", "replace"])
@pytest.mark.parametrize("length", [0, 1, 2, 4])
@pytest.mark.parametrize(
    "claim", ["compute epsilon slots(2, 1) {{ {} }}", "compute delta slots(2, 1) {{ epsilon ln(2); {} }}"]
)
def test_a_part_of_a_system_says_the_same_of_bounded_runs(
    monkeypatch: pytest.MonkeyPatch, claim: str, length: int, adjacent: str
) -> None:
    """A system that is too large is explored only as far as so many inputs lead."""
    text = model(SIGNED, asks="sum") + claim.format(f"length {length}; adjacent {adjacent};")
    (whole,) = check_text(text).results
    monkeypatch.setattr("pfl.lower.automaton.automata.SMALL", 1)
    (part,) = check_text(text).results
    assert isinstance(whole.verdict, Computed)
    assert isinstance(part.verdict, Computed)
    assert part.verdict.value == whole.verdict.value
    if whole.verdict.bound is not None:
        assert part.verdict.bound is not None
        assert part.verdict.bound.ratio == whole.verdict.bound.ratio


def test_a_counter_without_end_is_judged_for_bounded_runs() -> None:
    counter = """
    automaton counting {
        data d: 0..1;  query y: { go };  state n: int = 0;
        on data d { n = n + d; }
        on query y { respond if n mod 2 == 0 then { even: 2/3, odd: 1/3 } else { even: 1/3, odd: 2/3 }; n = n + 1; }
    }
    compute epsilon counting { length 3; }
    """
    findings = check_text(counter)
    verdict = findings.results[0].verdict
    assert isinstance(verdict, Computed)
    assert verdict.bound is not None
    assert verdict.bound.ratio == 4
    assert not findings.diagnostics
