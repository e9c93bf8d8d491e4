"""Proofs of every kind, and random changes of their files: wrong types, huge and negative numbers, parts that are
missing, too many, exchanged or nested."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any
from unittest.mock import patch

from noisy_claims import NOISY, NOISY_FALSE, NOISY_TRUE

from pfl.analysis.excess import excess
from pfl.driver import check_text
from pfl.engines.answer import Bound, Proved
from pfl.model.claims import Claim
from pfl.verify.certificates.certificate_format import digest_of
from pfl.verify.certificates.proof import proof_of, proof_text
from pfl.verify.verdict import ClaimResult

MODEL = """
import std.noise { truncated_geometric };
param w in (0, 1);
param v in (0, 1/2);
param x in (9/10, 1);
hmm Commute {
    states well, sick;
    init  well: 1/2, sick: 1/2;
    well -> well: 17/20, sick: 3/20;
    sick -> sick: 17/20, well: 3/20;
    well emits quiet: 3/4, cough: 1/4;
    sick emits quiet: 1/4, cough: 3/4;
}
check exhaustive: pufferfish Commute { secrets well vs sick; epsilon ln(7); length 2; }
check futures: pufferfish Commute { secrets well vs sick; epsilon ln(12); length any; }
check levels: pufferfish Commute { secrets well vs sick; epsilon ln(12); length 3; }
check too_small: pufferfish Commute { secrets well vs sick; epsilon ln(3/2); length 2; expect refuted; }
check too_small_for_ever: pufferfish Commute { secrets well vs sick; epsilon ln(2); length any; expect refuted; }
find values: w such that pufferfish Commute {
    between { well: w, sick: 1 - w } and { well: 1/2, sick: 1/2 };
    epsilon ln(6/5);
    length  1;
}
check free: pufferfish Commute { between { well: v, sick: 1 - v } and { well: 1/2, sick: 1/2 }; epsilon 1; length 1; }
find nothing: x such that pufferfish Commute {
    between { well: x, sick: 1 - x } and { well: 1/2, sick: 1/2 };
    epsilon ln(6/5);
    length  1;
    expect  none;
}
check free_for_ever: pufferfish Commute {
    between { well: v, sick: 1 - v } and { well: 1/2, sick: 1/2 };
    epsilon ln(12);
    length  any;
}
check too_free: pufferfish Commute {
    between { well: v, sick: 1 - v } and { well: 1/2, sick: 1/2 };
    epsilon ln(6/5);
    length  1;
    expect  refuted;
}
check slack: pufferfish Commute { secrets well vs sick; epsilon ln(2); delta 1/2; length 3; }
check no_slack: pufferfish Commute { secrets well vs sick; epsilon ln(2); delta 1/9; length 3; expect refuted; }
hmm Ends {
    states a, b, stop;
    init a: 1;
    a emits quiet: 2/3, cough: 1/3;
    b emits quiet: 1/3, cough: 2/3;
    stop emits halt: 1;
    a -> a: 1/2, stop: 1/2;
    b -> b: 1/2, stop: 1/2;
    stop -> stop: 1;
}
check ever: pufferfish Ends { between { a: 1 } and { b: 1 }; epsilon ln(2); delta 1/3; length any; }
check near: pufferfish Commute { secrets well@0 vs sick@0; epsilon ln(2); delta 3743/10000; length any; }
check not_near: pufferfish Commute { secrets well@0 vs sick@0; epsilon ln(2); delta 1/3; length any; expect refuted; }
check never: pufferfish Ends { between { a: 1 } and { b: 1 }; epsilon ln(2); delta 1/20; length any; expect refuted; }
compute number: epsilon Commute { secrets well vs sick; length 2; }
check likely: likelihood Commute { observations cough, _, quiet; at least 1/5; }
check unlikely: likelihood Commute { observations cough, _, quiet; at most 1/5; expect refuted; }
compute seen: likelihood Commute { observations cough; }
compute chance: probability Commute { reach sick; }

param bet in [0, 1/2];
hmm Walk(p: real) {
    state x: 0..3 = 1;
    step { if x > 0 and x < 3 { let up ~ bernoulli(p); x = if up then x + 1 else x - 1; } }
}
mechanism die() -> 0..2 {
    while true {
        let high ~ bernoulli(1/2);
        let low ~ bernoulli(1/2);
        if not (high and low) { return (if high then 2 else 0) + (if low then 1 else 0); }
    }
}
check wait: expected steps Commute { until sick; equals 10/3; }
check no_wait: expected steps Commute { until sick; at most 3; expect refuted; }
check soon: probability Commute { reach sick; within 2; equals 511/800; }
check too_soon: probability Commute { reach sick; within 2; equals 1; expect refuted; }
check lost: expected steps Walk(1/3) { until x == 3; at least 100; }
check not_lost: expected steps Walk(1/3) { until x == 3; at most 100; expect refuted; }
check fair: distribution die() equals uniform(0..2);
check unfair: distribution die() equals { 0: 1/2, 1: 1/4, 2: 1/4 } { expect refuted; }
check bets: probability Walk(bet) { reach x == 3; at most 1/3; }
check large_bets: probability Walk(bet) { reach x == 3; at most 1/4; expect refuted; }
check all_bets: expected steps Walk(w) { until x in {0, 3}; at most 3; }
check few_bets: expected steps Walk(w) { until x in {0, 3}; at most 2; expect refuted; }
check each: probability Walk(k/4) { for k in 1..3; from any; reach x in {0, 3}; equals 1; }

automaton counting {
    data d: {pt};
    query y: {go};
    state x: 0..1 = 0;
    on data d { x ~ {0: 1/3, 1: 2/3}; }
    on query y {
        let o ~ if x == 0 then {0: 3/8, 1: 3/8, 2: 1/8, 3: 1/8} else {0: 1/2, 2: 1/4, 3: 1/4};
        x = o mod 2;
        respond o div 2;
    }
}
check words: noninterference counting() { epsilon ln(4); }
check few_words: noninterference counting() { epsilon ln(4); length 3; }

automaton last(k: 0..2) {
    data d: 0..1;  query ask: { go };  output 0..1;
    state x: 0..1 = 0;
    on data d { x = d; }
    on query ask { respond if x == 0 then { 0: 2/3, 1: 1/3 } else { 0: 1/3, 1: 2/3 }; x = 0; }
}
relation near(j: 0..1) for last(0) { balance j*ln(2); holds j == 1 or left.x == right.x; }
check relation: unwinding last(0) by near { epsilon ln(2); }
check unpaid: unwinding last(0) by near { epsilon ln(3/2); expect refuted; }
check refinement: implements last(0) of last(1);
check refinements: implements last(k) of last(0) { for k in 0..2; }
check family: noninterference last(0) { epsilon ln(2); }
check short_family: noninterference last(0) { epsilon ln(2); length 4; }
check no_family: noninterference last(0) { epsilon ln(3/2); length 4; expect refuted; }
automaton other {
    data d: 0..1;  query ask: { go };  output 0..1;
    state x: 0..0 = 0;
    on data d { x = 0; }
    on query ask { respond 0; }
}
check no_refinement: implements last(0) of other { expect refuted; }
"""
MODEL += NOISY

TRUE = frozenset(
    (
        *("exhaustive", "futures", "levels", "values", "words", "few_words"),
        *("relation", "refinement", "refinements", "family", "short_family"),
        *("free", "free_for_ever", "slack", "ever", "near", "likely", "nothing"),
        *("wait", "soon", "lost", "fair", "bets", "all_bets", "each"),
        *NOISY_TRUE,
    )
)
"""The claims that certificates can prove; all others are false, or of a kind that has none."""

NAMES = (
    *TRUE,
    *NOISY_FALSE,
    *("too_small", "too_small_for_ever", "unpaid", "no_family", "no_refinement"),
    *("no_wait", "too_soon", "not_lost", "unfair", "large_bets", "few_bets"),
    *("too_free", "no_slack", "not_near", "never", "unlikely", "number", "seen", "chance", "none"),
)
"""Claims of the model, and one that it does not have."""

LONG = "9" * 5_000
DEEP: Any = []
for _ in range(5_000):
    DEEP = [DEEP]

WRONG: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 7, 15, 40, 1_000, 100_000, 10**9, 10**30, -(10**30)),
    *(0.5, float("inf"), float("nan"), "", "x", "0", "1", "-1", "2", "1/3", "-1/3", "1/0", "1.5", " 1", "1e9"),
    *("any", "\ud800", LONG, f"1/{LONG}", "9" * 120_000, "exhaustive", "closure", "unwinding", "relation"),
    *(
        "parametric",
        "excess",
        "excess-above",
        "hitting",
        "visits",
        "moves",
        "word",
        ["bet"],
        [["1", [0]]],
        [["1", [1]]],
    ),
    *([["1", [10**9]]], [["1", []]], [["0", [1]]]),
    *([[["1", [1]]]], [[["1", [0]], ["-2", [1]]]]),
    *("pfl-certificate-1", [], [[]], [0], [[0, "1"]], [[0, 0]], [[0, 1, "2"]], [None], [0] * 3_000),
    *([[0, "1/7"]] * 300, DEEP, {}, {"a": 1}, {"of": [[0, "1"]]}, {"futures": 3}, {"futures": 100_000}),
    *({"tested": True}, {"word": []}, {"word": [0] * 3_000}, {"entries": [[0, "-1"]]}, {"entries": [[10**9, "1"]]}),
    *({"w": "1/2"}, {"w": "3"}),
    *("exponential", "exponential-excess", "1/10", [[0, 0, "1"]], [[0, 0, "0"]], [[0, 10**30, "1"]], [[9, 9, "-7"]]),
    *([[0, 0, "1"], [0, 0, LONG]], {"rule": "zero"}, {"rule": "coefficients", "from": "0", "base": "1"}),
    *({"rule": "taylor", "shift": 9, "index": 40, "power": 0}, {"rule": "point"}, {"rule": "factors"}),
    *(["y", "exp(-y/12)"], ["exp(-y)"], ["1", "exp(-1/6)"], "inf", {"low": "1", "high": "2"}),
)
"""What a field may hold by mistake or by malice."""


@dataclass(frozen=True, slots=True)
class Original:
    """A claim that was judged, and the record of its proof."""

    claim: Claim
    record: dict[str, Any]
    ratio: Fraction | None
    """The largest ratio, or a ratio that is attained, where the claim bounds ratios."""


@cache
def originals() -> dict[str, Original]:
    """The proofs of the model by the names of their claims; that of `levels` has all that a closure may have."""
    found = {}
    # So few directions settle the small chain that nearby ones would never be asked.
    with patch.object(excess, "MANY", 1), patch.object(excess, "_FIRST_LOOK", 1):
        results = check_text(MODEL).results
    for result in results:
        proof = proof_of(result)
        if proof is not None:
            found[result.claim.name] = Original(result.claim, json.loads(proof_text(proof)), _largest_ratio(result))
    for certificate in found["levels"].record["certificates"]:
        del certificate["vectors"]
        certificate.update(CLOSURE)
    seal(found["levels"].record)
    return found


CLOSURE: dict[str, Any] = {
    "kind": "closure",
    "vectors": [{"word": [], "level": 0}, {"word": [0], "level": 1}, {"word": [1], "level": 1}],
    "start": {"of": [[0, "1"]]},
    "steps": [
        [{"of": [[1, "1"]], "futures": 1}, {"of": [[2, "1"]]}],
        [{"tested": True}, {"tested": True}],
        [{"tested": True}, {"tested": True}],
    ],
}
"""What shows a bound on all words of the chain of few letters, by looking at them."""


@cache
def claims() -> tuple[Claim, ...]:
    return tuple(result.claim for result in check_text(MODEL).results)


def _largest_ratio(result: ClaimResult) -> Fraction | None:
    match result.verdict:
        case Proved(bound=Bound(ratio=Fraction() as ratio)):
            return ratio
        case Proved(bound=Bound(lower=Fraction() as attained)):
            return attained
        case _:
            return None


def changed(source: Random) -> dict[str, Any]:
    """The record of a proof in which one to three things were changed; digests fit again, most of the time."""
    name = source.choice(sorted(originals()))
    record = copy.deepcopy(originals()[name].record)
    for _ in range(source.choice((1, 1, 1, 2, 3))):
        _change(record, source)
    if source.random() < 0.85:
        seal(record)
    return record


def seal(record: dict[str, Any]) -> None:
    """Give every certificate the digest that fits it."""
    certificates = record.get("certificates")
    for certificate in certificates if isinstance(certificates, list) else ():
        if isinstance(certificate, dict):
            try:
                certificate["digest"] = digest_of(certificate)
            except (RecursionError, TypeError, ValueError):
                certificate["digest"] = "0" * 64


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all parts of a record, few of each long list."""
    if len(path) > 8:
        return
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        yield (*path, key)
        yield from _places(part, (*path, key))


def _change(record: dict[str, Any], source: Random) -> None:
    by_depth: dict[int, list[tuple[Any, ...]]] = {}
    for path in _places(record):
        by_depth.setdefault(len(path), []).append(path)
    if not by_depth:
        return
    *above, last = source.choice(by_depth[source.choice(sorted(by_depth))])
    holder: Any = record
    for key in above:
        holder = holder[key]
    source.choice(CHANGES)(holder, last, source)


def _wrong(source: Random) -> Any:
    chosen = source.choice(WRONG)
    return [chosen] if chosen is DEEP else copy.deepcopy(chosen)  # what is nested so deeply cannot be copied


def _replace(holder: Any, key: Any, source: Random) -> None:
    holder[key] = _wrong(source)


def _remove(holder: Any, key: Any, _source: Random) -> None:
    del holder[key]


def _add(holder: Any, key: Any, source: Random) -> None:
    extra = _wrong(source)
    if isinstance(holder, dict):
        names = ("word", "entries", "level", "of", "futures", "tested", "vectors", "more", "nonzero", "denominator")
        names += ("function", "proof", "signs", "sums", "never", "always", "mixed", "sets", "root", "unit", "start")
        holder[source.choice(names)] = extra
    else:
        holder.insert(key, extra)


def _repeat(holder: Any, key: Any, source: Random) -> None:
    if isinstance(holder, list):
        holder.insert(source.randrange(len(holder) + 1), holder[key])
    else:
        holder[key] = [holder[key]] * 2


def _exchange(holder: Any, key: Any, source: Random) -> None:
    other = source.choice(sorted(holder)) if isinstance(holder, dict) else source.randrange(len(holder))
    holder[key], holder[other] = holder[other], holder[key]


def _nudge(holder: Any, key: Any, source: Random) -> None:
    """A number that is a little different, or a claim of another name."""
    value = holder[key]
    if isinstance(value, bool):
        holder[key] = not value
    elif isinstance(value, int):
        holder[key] = value + source.choice((-1, 1, 2))
    elif isinstance(value, str) and value in NAMES:
        holder[key] = source.choice(NAMES)
    elif isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,1000}(/[1-9][0-9]{0,1000})?", value):
        factor = source.choice((Fraction(1, 2), Fraction(99, 100), Fraction(101, 100), Fraction(2), Fraction(-1)))
        holder[key] = str(Fraction(value) * factor)
    elif isinstance(value, list):
        holder[key] = value[: source.randrange(len(value) + 1)]
    elif isinstance(value, dict):
        holder[key] = {name: part for name, part in value.items() if source.random() < 0.7}


def _deepen(holder: Any, key: Any, source: Random) -> None:
    for _ in range(source.choice((1, 2, 5_000))):
        holder[key] = [holder[key]]


def _rename(holder: Any, key: Any, source: Random) -> None:
    if isinstance(holder, dict):
        holder[source.choice((f"{key}s", key.upper() if isinstance(key, str) else "x", ""))] = holder.pop(key)


CHANGES: tuple[Callable[[Any, Any, Random], None], ...] = (
    *(_replace, _replace, _replace, _remove, _add, _repeat, _exchange, _nudge, _nudge, _nudge, _deepen, _rename),
)
