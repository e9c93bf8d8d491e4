"""A find of which a part meets a limit while it is compiled anew."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pfl.base.budget import silent
from pfl.driver import compile_text
from pfl.engines.answer import Unknown
from pfl.model.claims import Claim, Limit
from pfl.model.parameters import Condition
from pfl.options import Options
from pfl.verify.judge import judge
from pfl.verify.verdict import Found

MODEL = """
param p in [0, 1];
hmm H { states s, t; init s: 1/2, t: 1/2; s -> s; t -> t; s emits a; t emits a: (1-2*p)^2, silent: 1-(1-2*p)^2; }
find f: p such that pufferfish H { secrets s@0 vs t@0; length 1; epsilon ln(11/10); minimise p; }
"""


@pytest.mark.parametrize("met", range(2))
def test_it_is_undecided_or_found_and_no_fault(met: int) -> None:
    (claim,) = compile_text(MODEL).claims
    asked = 0

    def limited(inner: Claim) -> Claim:
        def anew(name: str, equation: Condition, seconds: float | None) -> Claim:
            nonlocal asked
            asked += 1
            assert inner.anew is not None
            there = limited(inner.anew(name, equation, seconds))
            return replace(there, cases=(), limit=Limit(reason="the time is over")) if asked > met else there

        return replace(inner, anew=anew)

    verdict = judge(limited(claim), Options(debug=True), silent)
    assert asked > met
    assert isinstance(verdict, Unknown | Found), verdict
    assert isinstance(verdict, Found) or "the time is over" in verdict.reason
