"""The table of engines: reports call an engine by the one word that the table has for it."""

from __future__ import annotations

from importlib import import_module

import pytest

from pfl.base.budget import silent
from pfl.driver import compile_text
from pfl.engines.answer import Unknown
from pfl.engines.registry import ENGINES, Engine
from pfl.model.claims import Claim
from pfl.options import Options
from pfl.verify.conclude import plan
from pfl.verify.judge import judge

MODEL = """
hmm Coin { state n: 0..1; init n ~ uniform(0..1); emit n; step n ~ uniform(0..1); }
automaton last(k: 0..2) {
    data d: 0..1;  query ask: { go };  output 0..1;
    state x: 0..1 = 0;
    on data d { x = d; }
    on query ask { respond if x == 0 then { 0: 2/3, 1: 1/3 } else { 0: 1/3, 1: 2/3 }; x = 0; }
}
relation near(j: 0..1) for last(0) { balance j*ln(2); holds j == 1 or left.x == right.x; }
param p in (0, 1);
param eps in (0, inf);
mechanism told(x: bool) -> bool {
    let noisy ~ laplace(if x then 1 else 0, 1/eps);
    return noisy > 1/2;
}
mechanism told_by_gaussian(x: bool) -> bool {
    let noisy ~ gaussian(if x then 1 else 0, 2);
    return noisy > 1/2;
}
adjacency other(a: bool, b: bool) = a != b;
check gaussian_noise: privacy told_by_gaussian { adjacent other; epsilon 1; }
check noise: privacy told { adjacent other; epsilon eps; }
compute likelihood Coin { observations 0, 1; }
compute probability Coin { reach n == 1; }
check close: unwinding last(0) by near { epsilon ln(2); }
check same: implements last(0) of last(1);
check quiet: noninterference last(0) { epsilon ln(2); }
check guess: pufferfish Coin { between { 0: p, 1: 1 - p } and { 0: 1 }; epsilon ln(4); length 1; expect refuted; }
find p such that pufferfish Coin { between { 0: p, 1: 1 - p } and { 0: 1/2, 1: 1/2 }; epsilon ln(4); length 1; }
"""
CLAIMS = compile_text(MODEL).claims


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: f"{engine.name}-{engine.module.rpartition('.')[2]}")
def test_an_engine_is_called_as_its_answers_call_it(engine: Engine) -> None:
    module = import_module(engine.module)
    assert engine.name == module.NAME
    assert callable(module.answers if engine.together else module.answer)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
def test_the_engine_is_the_same_where_it_answers_and_where_no_time_is_left(claim: Claim) -> None:
    late = judge(claim, Options(timeout=1e-9), silent)
    assert isinstance(late, Unknown), "nothing is decided without time"
    assert late.engine == judge(claim, Options(), silent).engine == plan(claim.question, Options()).engine.name


def test_every_kind_of_question_is_among_them() -> None:
    asked = {plan(claim.question, Options()).engine.module for claim in CLAIMS}
    assert asked == {engine.module for engine in ENGINES if not engine.by_request}
