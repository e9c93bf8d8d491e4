"""Steps of chains that are taken at once: what a state is, what is left as it was, where faults are told."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pfl.driver import check_text, compile_text
from pfl.engines.answer import Computed
from pfl.explore import explore
from pfl.model.markov_chain import MarkovChain
from pfl.options import Options


def chain(model: str, claim: int = 0) -> MarkovChain:
    compiled = compile_text(model)
    assert not compiled.diagnostics, [diagnostic.message for diagnostic in compiled.diagnostics]
    found = compiled.claims[claim].cases[0].question.system
    assert isinstance(found, MarkovChain)
    return found


def value(model: str) -> object:
    (result,) = check_text(model).results
    assert isinstance(result.verdict, Computed)
    return result.verdict.value


def ring(size: int) -> str:
    return f"""
    hmm Ring {{
        state x: [{size}] of bool;
        step {{
            let old = x;
            for i in 0..{size - 1} {{
                let neighbour = old[(i + {size - 1}) mod {size}];
                if old[i] == neighbour {{ x[i] ~ bernoulli(1/2); }} else {{ x[i] = neighbour; }}
            }}
        }}
    }}
    compute expected steps Ring {{
        from any; until count(i for i in 0..{size - 1} if x[i] == x[(i + {size - 1}) mod {size}]) == 1;
    }}
    """


def test_states_are_those_between_steps() -> None:
    """Of 2^n states, n coins each, the 2n with one token are one."""
    found = chain(ring(5))
    assert found.size == 2**5 - 2 * 5 + 1
    assert sorted(set(found.names))[:2] == ["end", "x = [false, false, false, false, false]"]
    first = dict(found.transitions(0))
    assert len(first) == 2**5 - 2 * 5 + 1
    assert sum(first.values()) == 1


COUNTED = """
hmm Counted {
    state heads: 0..200;
    init  heads = 0;
    step {
        heads = 0;
        for i in 1..150 { let coin ~ bernoulli(1/3); if coin { heads = heads + 1; } }
    }
}
compute probability Counted { reach heads >= 60; within 1; }
"""


def test_runs_that_hold_the_same_are_one_within_a_step() -> None:
    """2^150 paths of a step, at most 151 frontiers of at most 151 runs."""
    found = chain(COUNTED)
    assert found.size == 2
    tail = sum((binomial(150, k) * Fraction(2 ** (150 - k), 3**150) for k in range(60, 151)), Fraction(0))
    assert value(COUNTED) == tail


def binomial(n: int, k: int) -> int:
    from math import comb

    return comb(n, k)


FORGETFUL = """
hmm Dice {
    state a: 1..6;
    state b: 1..6;
    init { a = 1; b = 1; }
    step { a ~ uniform(1..6); b ~ uniform(1..6); }
}
compute expected steps Dice { until a + b == 12; }
"""


def test_what_the_next_step_does_not_read_is_forgotten() -> None:
    found = chain(FORGETFUL)
    assert found.size == 2
    assert len(found.targets) == 2
    assert value(FORGETFUL) == 36


def retrying(body: str) -> str:
    return f"""
    hmm Retrying {{
        state x: 0..3;
        init  x = 0;
        step {{ var again ~ bernoulli(1/2); while again {{ {body} again ~ bernoulli(1/2); }} }}
    }}
    compute expected steps Retrying {{ until x == 3; }}
    """


def test_where_a_run_may_go_round_in_a_step_draws_are_states() -> None:
    model = retrying("x = (x + 1) mod 4;")
    assert chain(model).size > 4
    # From x, a step adds a geometric number of turns.
    assert value(model) == value_from_rows()


def value_from_rows() -> Fraction:
    """Expected steps until x == 3, x going up by k mod 4 with probability 2^-(k+1)."""
    up = [Fraction(1, 2 ** (k + 1)) / (1 - Fraction(1, 16)) for k in range(4)]
    values = [Fraction(0)] * 4
    rows = [[int(i == j) - (up[(j - i) % 4] if j != 3 else 0) for j in range(3)] + [1] for i in range(3)]
    for i in range(3):
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for other in range(3):
            if other != i:
                rows[other] = [a - rows[other][i] * b for a, b in zip(rows[other], rows[i])]
    values[:3] = [Fraction(row[3]) for row in rows]
    return values[0]


def test_a_loop_without_end_that_draws_nothing_is_left_as_it_was() -> None:
    model = """
    hmm Stuck {
        state x: 0..2;
        init  x = 0;
        step { while x == 1 { let y ~ bernoulli(1/2); } x = x + 1; if x == 3 { x = 0; } }
    }
    compute probability Stuck { reach x == 2; }
    """
    assert value(model) == 0


def test_a_long_loop_without_draws_on_its_way_is_left_as_it_was() -> None:
    model = """
    hmm Long {
        state x: 0..1;
        init  x = 0;
        step {
            for i in 1..20000 { if x == 1 { let c ~ bernoulli(1/2); x = if c then 1 else 0; } }
            x = 1;
        }
    }
    compute expected steps Long { until x == 1; }
    """
    assert value(model) == 1


def test_a_fault_in_a_step_keeps_its_path(monkeypatch: pytest.MonkeyPatch) -> None:
    model = """
    hmm Faulty {
        state x: 0..3;
        init  x = 0;
        step { let a ~ bernoulli(1/2); let b ~ bernoulli(1/2); if a and b { x = x + 1; } }
    }
    compute probability Faulty { reach x == 1 and x == 2; }
    """
    (fault,) = check_text(model).diagnostics
    monkeypatch.setattr(explore, "_explored_in_steps", lambda *_: None)
    assert check_text(model).diagnostics == (fault,)
    assert any("draws a = true" in note for note in fault.notes)


def test_a_fault_is_told_where_its_path_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    model = ring(5).replace("x[i] = neighbour;", "x[i] = neighbour; if i == 4 and x[3] { assert false; }")
    few = Options(max_states=40)
    (fault,) = check_text(model, few).diagnostics
    assert not fault.notes
    monkeypatch.setattr(explore, "_explored_in_steps", lambda *_: None)
    (limit,) = check_text(model, few).diagnostics
    assert str(limit.code) == "PFL0720"


def test_the_limit_counts_states_between_steps() -> None:
    with_room = Options(max_states=2**7)
    assert not check_text(ring(7), with_room).diagnostics
    (told,) = check_text(ring(7), Options(max_states=2**6)).diagnostics
    assert str(told.code) == "PFL0720"


def test_a_mean_cost_is_spent_by_every_transition() -> None:
    model = """
    hmm Costly {
        state x: 0..2;
        init  x = 0;
        step { let a ~ bernoulli(1/4); if a { tick 8; x = 1; } let b ~ bernoulli(1/3); if b { tick -3; x = 2; } }
    }
    compute expected cost Costly { until x == 2; }
    """
    found = chain(model)
    assert found.costs is not None
    assert {found.cost_table[cost] for cost in found.costs} == {Fraction(8, 4) - Fraction(3, 3)}
    assert value(model) == 3


def test_weights_with_parameters_and_powers_of_e() -> None:
    model = """
    param p in (0, 1);
    hmm Twice {
        state x: 0..2;
        init  x = 0;
        step { let a ~ bernoulli(p); let b ~ bernoulli(p); x = if a == b then 1 else 2; }
    }
    compute probability Twice { reach x == 1; within 1; }
    """
    assert str(value(model)) in ("2*p^2 - 2*p + 1", "1 - 2*p + 2*p^2")


def test_many_different_denominators() -> None:
    model = """
    hmm Odd {
        state x: 1..60;
        init  x = 1;
        step { for i in 1..4 { let up ~ bernoulli(1/(x + i)); if up and x < 60 { x = x + 1; } } }
    }
    compute expected steps Odd { until x == 12; }
    """
    at_once = value(model)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explore, "_explored_in_steps", lambda *_: None)
        assert value(model) == at_once
