"""Altered and forged certificates of signs: none is accepted for a false claim, and none raises."""

from __future__ import annotations

import copy
import random
from fractions import Fraction
from typing import Any

import pytest
from exponential_polynomials import ONE, X, Y, cases, power
from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.analysis.exponential.certificate import faults
from pfl.analysis.exponential.decide import NegativeAt, NonNegative, decide
from pfl.analysis.exponential.polynomial import POSITIVE, ExponentialPolynomial, Interval

Claim = tuple[ExponentialPolynomial, Interval]

TRUE: list[Claim] = [
    (Y - ONE - X, POSITIVE),
    (Y - X * Fraction(2718281828, 10**9), POSITIVE),
    (power(X * Y - ONE, 2) * (Y - X), POSITIVE),
    (Y * Y - power(X, 20), Interval(high=Fraction(11, 10))),
    (Y * Y - power(X, 20), Interval(low=Fraction(36))),
    ((X - ONE) * (ONE * 2 - X) * (Y - X), Interval(low=Fraction(1), high=Fraction(2))),
    (Y - power(X, 3), Interval(low=Fraction(5))),
    *((g, interval) for g, interval, _ in map(cases, range(60))),
]
CERTIFICATES = [
    decision.certificate for g, interval in TRUE if isinstance(decision := decide(g, interval), NonNegative)
]


def false_claims(chance: random.Random) -> Claim:
    """A claim that fails somewhere: the true ones made a little stronger, or random ones."""
    while True:
        g, interval = chance.choice(TRUE)
        match chance.randrange(5):
            case 0:
                g = g - ONE * Fraction(1, 10 ** chance.randint(0, 12))
            case 1:
                g = g - X * Fraction(1, 10 ** chance.randint(0, 12))
            case 2:
                g = g - Y * Fraction(1, 10 ** chance.randint(0, 12))
            case 3:
                interval = Interval(low=interval.low / 2)
            case _:
                g = -g
        if isinstance(decide(g, interval), NegativeAt):
            return g, interval


def altered(chance: random.Random, value: Any) -> Any:
    """The same with one thing changed, somewhere in it."""
    if isinstance(value, dict) and value:
        key = chance.choice(list(value))
        changed = dict(value)
        if chance.random() < 0.1:
            del changed[key]
        else:
            changed[key] = altered(chance, value[key])
        return changed
    if isinstance(value, list) and value:
        place = chance.randrange(len(value))
        shorter = value[:place] + value[place + 1 :]
        return (
            shorter if chance.random() < 0.1 else [*value[:place], altered(chance, value[place]), *value[place + 1 :]]
        )
    if isinstance(value, bool | float) or value is None:
        return 1
    if isinstance(value, int):
        return chance.choice([value + 1, value - 1, -value, 2 * value, 0, 10**30, str(value), None])
    if isinstance(value, str) and value[:1] in "-0123456789" and value:
        number = Fraction(value)
        return str(chance.choice([number + 1, number / 2, -number, number * 2, Fraction(0), 1 / (number or 1)]))
    return chance.choice(["coefficients", "taylor", "stretches", "factors", "zero", "point", 7, [], {}])


def forged(chance: random.Random) -> Any:
    """A certificate of something, perhaps altered."""
    certificate = copy.deepcopy(chance.choice(CERTIFICATES))
    for _ in range(chance.randrange(4)):
        certificate = altered(chance, certificate)
    return certificate


def none_is_accepted(seeds: range) -> int:
    """Try one forged certificate for a false claim a seed, and those of true claims, as they are and altered."""
    for seed in seeds:
        chance = random.Random(seed)
        g, interval = false_claims(chance)
        assert faults(g, interval, forged(chance)) != []
        for certificate in CERTIFICATES[:7]:
            assert faults(g, interval, certificate) != []
            assert faults(g, interval, altered(chance, certificate)) != []
    return len(seeds)


@pytest.mark.parametrize("batch", range(4))
def test_no_false_claim_is_proved(batch: int) -> None:
    """With 15 certificates each; 19,500 when it was run widely."""
    assert none_is_accepted(range(batch * 30, batch * 30 + 30)) == 30


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.fractions().map(str) | st.just("1/0"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
PARTS = [
    "from",
    "base",
    "shift",
    "index",
    "power",
    "start",
    "to",
    "terms",
    "cells",
    "tail",
    "constant",
    "factors",
    "sign",
]
RULES = ["zero", "point", "coefficients", "taylor", "stretches", "factors"]


@settings(max_examples=150)
@given(st.sampled_from(RULES), st.dictionaries(st.sampled_from([*PARTS, "proof"]), JSON), JSON)
def test_no_certificate_raises(rule: str, parts: dict[str, Any], anything: Any) -> None:
    for g, interval in TRUE[:7]:
        assert faults(-g, interval, {"rule": rule, **parts}) != []
        assert faults(-g, interval, anything) != []
