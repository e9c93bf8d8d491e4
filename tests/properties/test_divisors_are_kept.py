"""Whatever is divided by is kept: a place where divisors are noted that is made to forget them makes a difference.

The places are found by running the models.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import pytest

import pfl
from pfl.base.divided import Divided, Divisors
from pfl.base.rational_function import RationalFunction
from pfl.driver import check_text
from pfl.options import Options

Place = tuple[str, str, int]
"""A file under pfl/, the function in it, and the line."""

PACKAGE = Path(pfl.__file__).parent

LOOP = "var w = true; while w { w ~ bernoulli(1 - (1-2*p)^2); }"
TABLE = """
automaton A { states i, j, k, o; start i; data d; query q; output r; hidden h;
  i -- d --> j; i -- q --> o; j -- d --> j; j -- q --> k; o -- r --> i;
  k -- h --> { k: 4*p*(1-p), o: (1-2*p)^2 }; }
"""
NO_TURNS = TABLE.replace("i -- q --> o", "i -- q --> i")
HANDLERS = f"""
automaton A {{ state z: bool = false; data d: 0..0; query q: 0..0; output 0..0;
  on data d {{ z = true; }} on query q {{ if z {{ {LOOP} }} respond 0; }} }}
automaton B {{ state z: bool = false; data d: 0..0; query q: 0..0; output 0..0;
  on data d {{ z = true; }} on query q {{ respond 0; }} }}
relation near(j: 1..1) for A() {{ balance j*ln(2); holds true; }}
"""
QUIET = """
hmm H { states x, y; init x: 1/2, y: 1/2; x -> x; y -> y; x emits a; y emits a: (1-2*p)^2, silent: 1-(1-2*p)^2; }
"""
RARE = QUIET.replace("x emits a;", "x emits a: (1-2*p)^2, b: 1-(1-2*p)^2;").replace("silent:", "b:")
MECHANISM = f"mechanism m(t: bool) -> bool {{ if t {{ {LOOP} }} return bernoulli(1/2); }}\n"
OTHER = "adjacency other(a: bool, b: bool) = a != b;\n"
ARRAYS = f"""
mechanism m(q: [7] of bool) -> bool {{
  var n = 0; for x in q {{ if x {{ n = 1; }} }}
  if n == 1 {{ {LOOP} }} return bernoulli(1/2); }}
adjacency near(a: [7] of bool, b: [7] of bool) = count(i for i in 0..6 if a[i] != b[i]) == 1;
"""
ONE_BY_ONE = f"""
mechanism m(q: [7] of bool) emits bool {{ for x in q {{ if x {{ {LOOP} }} emit bernoulli(1/2); }} }}
adjacency near(a: [7] of bool, b: [7] of bool) = count(i for i in 0..6 if a[i] != b[i]) == 1;
"""
DRAWN = f"mechanism h() -> bool {{ {LOOP} return true; }}\n"
CHAIN = "hmm C { states s, t; init s; s -> s: 1-(1-2*p)^2, t: (1-2*p)^2; t -> t; }\n"
TRAP = "hmm C { states s, t, u; init s; s -> t: 1-(1-2*p)^2, u: (1-2*p)^2; t -> t; u -> u; }\n"
CONDITIONED = """
hmm S { states s, t; init s: 1/2, t: 1/2; s -> s: 1-(1-2*p)^2, t: (1-2*p)^2; t -> t: 1-(1-2*p)^2, s: (1-2*p)^2;
  s emits x: 3/4, y: 1/4; t emits x: 1/4, y: 3/4; }
"""
PRIOR = f"prior W for H {{ {LOOP} start x = 0; }}"
PROGRAM = "hmm H { state x: 0..1 = 0; emit x; %s }\n"
SHOWN = "mechanism m(t: bool) -> real { return if t then p else 1/2; }\n"
RESPONDED = """
automaton A { state z: bool = false; data d: 0..0; query q: 0..0;
  on data d { z = true; } on query q { respond if z then p else 1/2; } }
"""
LETTERS = "hmm H { state x: 0..1; init x ~ {0: 1/2, 1: 1/2}; emit if x == 0 then p else 1/2; }\n"
TABLE_LETTERS = "hmm H { states x, y; init x: 1/2, y: 1/2; x -> x; y -> y; x emits p: 1; y emits 1/2: 1; }\n"
NUMBERS = "hmm H { state x: real; init { let b ~ bernoulli(1/3); x = if b then p else 1/2; } emit 0; }\n"

MODELS = [
    SHOWN + OTHER + "find f: p such that privacy m { adjacent other; epsilon 0; }",
    SHOWN + "compute c: probability m(true) { returns 1/2; }",
    "mechanism m() -> real { let b ~ bernoulli(1/2); return if b then p else 1/2; } compute c: distribution m();",
    RESPONDED + "find f: p such that noninterference A { epsilon 0; length 2; }",
    RESPONDED.replace("1/2", "p")
    + RESPONDED.replace("automaton A", "automaton B").replace("p else 1/2", "1/3 else 1/3")
    + "check c: implements A of B;",
    LETTERS + "find f: p such that pufferfish H { secrets x@0 == 0 vs x@0 == 1; epsilon 0; length 1; }",
    TABLE_LETTERS + "find f: p such that pufferfish H { secrets x@0 vs y@0; epsilon 0; length 1; }",
    LETTERS + "compute c: likelihood H { observations 1/2; }",
    TABLE_LETTERS + "compute c: likelihood H { observations 1/2; }",
    LETTERS + "compute c: likelihood H { observations 1/3; }",
    NUMBERS + "compute c: likelihood H { observations 0; posterior; }",
    *(TABLE + claim for claim in ("check c: noninterference A { epsilon 5; length 2; }", "compute c: epsilon A;")),
    NO_TURNS + "check c: noninterference A { epsilon 5; length 2; }",
    HANDLERS + "check c: noninterference A { epsilon 5; length 2; }",
    HANDLERS + "check c: implements A of B;",
    HANDLERS + "check c: implements B of A;",
    HANDLERS + "check c: unwinding A() by near { epsilon ln(2); }",
    QUIET + "compute c: likelihood H { observations a; }",
    QUIET + "compute c: likelihood H { observations a; posterior; }",
    QUIET + "check c: pufferfish H { secrets x@0 vs y@0; epsilon 0; length 1; }",
    RARE + "compute c: likelihood H { observations a; posterior; }",
    RARE.replace("b: 1", "silent: 1") + "compute c: likelihood H { observations a; posterior; }",
    MECHANISM + OTHER + "check c: privacy m { adjacent other; epsilon ln(2); }",
    MECHANISM + "check c: pufferfish m { between true and false; epsilon ln(2); }",
    MECHANISM + "compute c: distribution m(true);",
    MECHANISM + "compute c: probability m(true) { terminates; }",
    ARRAYS + "check c: privacy m { adjacent near; epsilon ln(2); }",
    ONE_BY_ONE + "check c: privacy m { adjacent near; epsilon ln(2); }",
    DRAWN
    + "mechanism m(t: bool) -> bool { let x = t; if t { let y ~ h(); } return bernoulli(1/2); }\n"
    + OTHER
    + "check c: privacy m { adjacent other; epsilon ln(2); }",
    CHAIN + "check c: probability C { reach t; equals 1; }",
    CHAIN + "check c: expected steps C { until t; at least 1; }",
    CHAIN + "compute c: probability C { reach t; within 3; }",
    TRAP + "compute c: expected steps C { until t; }",
    CONDITIONED + "compute c: epsilon S { secrets s@1 vs t@1; length 1; }",
    PROGRAM % "" + PRIOR + "check c: pufferfish H { prior W; secrets w vs not w; epsilon 0; length 1; }",
    PROGRAM % f"init {{ {LOOP} }}" + "check c: likelihood H { observations 0; equals 1; }",
    PROGRAM % f"step {{ {LOOP} x = 0; }}" + "check c: likelihood H { observations 0; equals 1; }",
    PROGRAM % f"step {{ {LOOP} x = 1; }}" + "compute c: probability H { reach x == 1; within 3; }",
    PROGRAM % f"step {{ {LOOP} x = 1; }}" + "compute c: expected steps H { until x == 1; }",
    PROGRAM % f"step {{ {LOOP} x = 0; }}"
    + "check c: pufferfish H { between { 0: 1/4, 1: 3/4 } and { 0: 1/2, 1: 1/2 }; epsilon 5; length 1; }",
    PROGRAM % f"init {{ {LOOP} }}" + "check c: probability H { reach x == 0; equals 1; }",
    PROGRAM % f"init {{ {LOOP} }}" + "check c: pufferfish H { secrets x == 0 vs true; epsilon 0; length 1; }",
    MECHANISM
    + "prior W for m { let a = true; start t = a; }"
    + "check c: pufferfish m { prior W; secrets a vs true; epsilon 0; }",
    MECHANISM
    + f"prior W for m {{ {LOOP} start t = w; }} check c: pufferfish m {{ prior W; secrets w vs true; epsilon 0; }}",
    "".join((MECHANISM, "compute c: probability m(true) { terminates; } compute d: probability m(true);")),
    CHAIN + "compute c: probability C { for n in 1..2; reach if n == 1 then s else t; }",
]


def outcome(model: str) -> object:
    """What is said of a model: its verdicts, or what is wrong with it."""
    findings = check_text("param p in (0, 1);\n" + model, Options(timeout=20))
    return tuple(result.verdict for result in findings.results), tuple(d.message for d in findings.diagnostics)


def _caller() -> Place:
    """Where the function was called that calls this one."""
    frame = sys._getframe(2)
    name = frame.f_code.co_qualname.removesuffix(".<locals>.<listcomp>")
    return Path(frame.f_code.co_filename).relative_to(PACKAGE).as_posix(), name, frame.f_lineno


class Watch:
    """Knows at which places divisors were noted, and makes one of them forget what it is given."""

    def __init__(self) -> None:
        self.seen: set[Place] = set()
        self.forgetful: set[Place] = set()

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        noting, note = Divided.noting, Divisors.note

        def watched(result: Divided[object], divisors: Divisors) -> object:
            place = _caller()
            if result.divisors:
                self.seen.add(place)
            return noting(result, Divisors() if place in self.forgetful else divisors)

        def watched_note(divisors: Divisors, numbers: Iterable[Fraction | RationalFunction]) -> None:
            place = _caller()
            if place[0] == "base/divided.py":
                note(divisors, numbers)
                return
            noted = list(numbers)
            if any(isinstance(number, RationalFunction) for number in noted):
                self.seen.add(place)
            if place not in self.forgetful:
                note(divisors, noted)

        monkeypatch.setattr(Divided, "noting", watched)
        monkeypatch.setattr(Divisors, "note", watched_note)


SAID_TWICE = {
    "warn_of_silence": "the claim itself takes the same system",
    "AutomatonTable.may_hide_for_ever": "whether to warn is asked of almost all values",
}
"""Functions that may forget, and why that changes nothing."""


def test_no_place_may_forget(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch()
    watch.install(monkeypatch)
    right: dict[str, object] = {}
    users: dict[Place, list[str]] = {}
    for model in MODELS:
        watch.seen = set()
        right[model] = outcome(model)
        for place in watch.seen:
            users.setdefault(place, []).append(model)

    def is_noticed(places: set[Place]) -> bool:
        watch.forgetful = places
        return any(outcome(model) != right[model] for place in places for model in users[place])

    unnoticed = {place for place in users if not is_noticed({place})}
    # Two places of one file may both note what is divided by once: together they may not forget it.
    for file in {file for file, _, _ in unnoticed}:
        together = {place for place in unnoticed if place[0] == file}
        if is_noticed(together):
            unnoticed -= together
    assert {function for _, function, _ in unnoticed} <= SAID_TWICE.keys(), unnoticed
    assert len(users) > 25, "the models come to most of the places"
