"""A find of one parameter where an assumption ties the other to it: `none` is contradicted by no value of a grid."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from pfl.driver import check_text
from pfl.engines.answer import NoneFound, Proved
from pfl.options import Options
from pfl.verify.verdict import Found

ASSUMED = ("q <= p", "p <= q", "p + q <= 1", "q <= 1 - p", "p < q or p == 0")
WEIGHTS = ("p", "q", "1 - p", "1 - q", "p*q", "(p + q)/2", "1/2", "1/3")
GRID = ("0", "1", "1/2", "1/3", "3/4")


def proves(model: str, claim: str, name: str, value: Fraction) -> bool:
    findings = check_text(f"{model}check c: {claim}", Options(settings={name: value}))
    return findings.exit_code == 0 and any(isinstance(result.verdict, Proved) for result in findings.results)


@pytest.mark.parametrize("seed", range(24))
def test_what_is_found_holds_and_none_is_none(seed: int) -> None:
    random = Random(seed)
    one, other = random.choice(WEIGHTS), random.choice(WEIGHTS)
    left = random.choice(["p", "q", "(p + q)/2", "p*q"])
    loop = f"var go = true; while go {{ go ~ bernoulli(1 - ({left})); }}" if random.random() < 0.5 else ""
    model = f"""
        param p in [0, 1]; param q in [0, 1]; assume {random.choice(ASSUMED)};
        mechanism m(x: 0..1) -> bool {{ {loop} return bernoulli(if x == 0 then {one} else {other}); }}
        adjacency differ(a: 0..1, b: 0..1) = a != b;
    """
    claim = f"privacy m {{ adjacent differ; epsilon {random.choice(['0', 'ln(2)', 'ln(3)'])}; }}"
    name = random.choice("pq")
    (result,) = check_text(f"{model}find f: {name} such that {claim}").results
    match result.verdict:
        case Found(values=((_, value),)):
            assert proves(model, claim, name, value)
        case NoneFound():
            assert not any(proves(model, claim, name, Fraction(value)) for value in GRID)
        case verdict:
            pytest.fail(str(verdict))
