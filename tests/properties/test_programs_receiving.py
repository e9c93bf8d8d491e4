"""Mechanisms whose inputs an adversary chooses while he sees outputs, against a game that is played out in the test.

The game knows nothing of the compiler: a program is a tree of draws, outputs, questions and ends; two copies of it run
with the two secrets; a player who sees outputs and questions chooses what both are given, until he has seen the outputs
that the length allows, or that no more will come.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

import pytest

from pfl.base.enclosure import Enclosure
from pfl.driver import check_text
from pfl.engines.answer import Computed

Tree = tuple[Any, ...]
"""("draw", ((weight, tree), ..)), ("emit", value, tree), ("ask", channel, ((value, tree), ..)), ("end",)."""
Belief = tuple[tuple[Fraction, Tree], ...]

MOST_WORDS = 4000
"""A game with more ways to go is left out: the test plays all of them."""
DOMAINS = {"0..1": (0, 1), "0..2": (0, 1, 2)}
BOUNDS = {"0": Fraction(1), "ln(2)": Fraction(2), "ln(5/2)": Fraction(5, 2)}


# --- programs, in text and as trees --------------------------------------------


@dataclass(frozen=True)
class Emit:
    """`emit v;` where v is a variable or a number."""

    what: str


@dataclass(frozen=True)
class EmitCoin:
    """Emits 1 with a probability that depends on the secret, else 0."""

    if_secret: Fraction
    otherwise: Fraction


@dataclass(frozen=True)
class Receive:
    name: str
    domain: str


@dataclass(frozen=True)
class Coin:
    """`if` on a coin that depends on the secret."""

    if_secret: Fraction
    otherwise: Fraction
    then: tuple[Statement, ...]
    other: tuple[Statement, ...]


@dataclass(frozen=True)
class If:
    """`if v == value`, of a variable that was received, or the secret."""

    name: str
    value: int
    then: tuple[Statement, ...]
    other: tuple[Statement, ...]


@dataclass(frozen=True)
class Stop:
    """`return;`"""


Statement = Emit | EmitCoin | Receive | Coin | If | Stop


class Text:
    """Bodies as they are written; every coin has a name of its own."""

    def __init__(self) -> None:
        self.coins = 0

    def body(self, body: tuple[Statement, ...]) -> str:
        return " ".join(self.line(statement) for statement in body)

    def line(self, statement: Statement) -> str:
        match statement:
            case Emit(what=what):
                return f"emit {what};"
            case EmitCoin(if_secret=one, otherwise=other):
                return f"emit if x == 1 then {{ 1: {one}, 0: {1 - one} }} else {{ 1: {other}, 0: {1 - other} }};"
            case Receive(name=name, domain=domain):
                return f"receive {name}: {domain};"
            case Coin(if_secret=one, otherwise=other, then=then, other=rest):
                self.coins += 1
                coin = f"c{self.coins}"
                drawn = f"let {coin} ~ bernoulli(if x == 1 then {one} else {other});"
                return f"{drawn} if {coin} {{ {self.body(then)} }} else {{ {self.body(rest)} }}"
            case If(name=name, value=value, then=then, other=rest):
                return f"if {name} == {value} {{ {self.body(then)} }} else {{ {self.body(rest)} }}"
            case Stop():
                return "return;"


def tree(body: tuple[Statement, ...], values: dict[str, int]) -> Tree:
    """What runs of a body look like from outside, with the values of its variables."""
    if not body:
        return ("end",)
    first, rest = body[0], body[1:]
    match first:
        case Emit(what=what):
            return ("emit", int(what) if what.isdigit() else values[what], tree(rest, values))
        case EmitCoin(if_secret=one, otherwise=other):
            weight = one if values["x"] else other
            return draw(weight, ("emit", 1, tree(rest, values)), ("emit", 0, tree(rest, values)))
        case Receive(name=name, domain=domain):
            given = tuple((value, tree(rest, {**values, name: value})) for value in DOMAINS[domain])
            return ("ask", domain, given)
        case Coin(if_secret=one, otherwise=other, then=then, other=rest_of_if):
            weight = one if values["x"] else other
            return draw(weight, tree((*then, *rest), values), tree((*rest_of_if, *rest), values))
        case If(name=name, value=value, then=then, other=rest_of_if):
            return tree((*(then if values[name] == value else rest_of_if), *rest), values)
        case Stop():
            return ("end",)


def draw(weight: Fraction, one: Tree, other: Tree) -> Tree:
    return ("draw", tuple((w, t) for w, t in ((weight, one), (1 - weight, other)) if w))


# --- the game --------------------------------------------------------------------


def seen(belief: Belief) -> dict[tuple[Any, ...], Belief]:
    """What is seen next, with what is then believed: draws are not seen."""
    found: dict[tuple[Any, ...], list[tuple[Fraction, Tree]]] = {}
    pending = list(belief)
    while pending:
        weight, at = pending.pop()
        if at[0] == "draw":
            pending += [(weight * share, following) for share, following in at[1]]
        elif at[0] == "emit":
            found.setdefault(("emit", at[1]), []).append((weight, at[2]))
        elif at[0] == "ask":
            found.setdefault(("ask", at[1]), []).append((weight, at))
        else:
            found.setdefault(("end",), []).append((weight, at))
    return {event: tuple(after) for event, after in found.items()}


def given(belief: Belief, value: int) -> Belief:
    return tuple((weight, dict(at[2])[value]) for weight, at in belief)


@dataclass(frozen=True)
class Game:
    """`related(a, b)` says which pairs may be given, at most `limit` of them being unequal where there is a limit."""

    related: Any
    limit: int | None

    def choices(self, channel: str, memory: int) -> Iterator[tuple[int, int, int]]:
        for a in DOMAINS[channel]:
            for b in DOMAINS[channel]:
                allowed = self.related(a, b) or (self.limit is not None and a == b)
                if allowed and (self.limit is None or memory + (a != b) <= self.limit):
                    yield a, b, memory + (a != b)

    def words(self, left: Belief, right: Belief, outputs: int, memory: int = 0) -> Iterator[tuple[Fraction, Fraction]]:
        """The probabilities of all that can be seen of the two runs, under every way to choose inputs."""
        if outputs == 0:
            yield mass(left), mass(right)
            return
        one, other = seen(left), seen(right)
        for event in {**one, **other}:
            after = one.get(event, ()), other.get(event, ())
            if event[0] == "end":
                yield mass(after[0]), mass(after[1])
            elif event[0] == "emit":
                yield from self.words(*after, outputs - 1, memory)
            else:
                for a, b, following in self.choices(event[1], memory):
                    yield from self.words(given(after[0], a), given(after[1], b), outputs, following)

    def excess(self, left: Belief, right: Belief, bound: Fraction, outputs: int, memory: int = 0) -> Fraction:
        """The most by which the left run can be seen too often, the player choosing inputs by what he has seen."""
        if outputs == 0:
            return max(Fraction(0), mass(left) - bound * mass(right))
        one, other, total = seen(left), seen(right), Fraction(0)
        for event in {**one, **other}:
            after = one.get(event, ()), other.get(event, ())
            if event[0] == "end":
                total += max(Fraction(0), mass(after[0]) - bound * mass(after[1]))
            elif event[0] == "emit":
                total += self.excess(*after, bound, outputs - 1, memory)
            else:
                total += max(
                    self.excess(given(after[0], a), given(after[1], b), bound, outputs, following)
                    for a, b, following in self.choices(event[1], memory)
                )
        return total


def mass(belief: Belief) -> Fraction:
    return sum((weight for weight, _ in belief), Fraction(0))


def largest(pairs: Iterator[tuple[Fraction, Fraction]]) -> Fraction | str:
    best: Fraction | str = Fraction(0)
    for over, under in pairs:
        if over and not under:
            return "inf"
        if over:
            assert isinstance(best, Fraction)
            best = max(best, over / under)
    return best


# --- random programs -------------------------------------------------------------


class Writer:
    """Random bodies: few statements, at most three questions in a row."""

    def __init__(self, source: random.Random, domains: tuple[str, ...]) -> None:
        self.source = source
        self.domains = domains
        self.count = 0

    def body(self, depth: int, names: tuple[str, ...]) -> tuple[Statement, ...]:
        found: list[Statement] = []
        for _ in range(self.source.randint(1, 3)):
            kind = self.source.choices(["receive", "emit", "coin", "if", "noisy", "stop"], [4, 2, 2, 3, 2, 0.4])[0]
            if kind == "receive" and self.count < 3:
                self.count += 1
                name = f"v{self.count}"
                found.append(Receive(name, self.source.choice(self.domains)))
                names = (*names, name)
            elif kind == "emit":
                found.append(Emit(self.source.choice([*[name for name in names if name != "x"], "0", "5"])))
            elif kind == "coin" and depth:
                found.append(Coin(self.share(), self.share(), self.body(depth - 1, names), self.body(depth - 1, names)))
            elif kind == "if" and depth and len(names) > 1:
                name = self.source.choice(names)
                found.append(If(name, 1, self.body(depth - 1, names), self.body(depth - 1, names)))
            elif kind == "stop" and depth == 0:
                found.append(Stop())
                break
            else:
                found.append(EmitCoin(self.share(), self.share()))
        return tuple(found)

    def share(self) -> Fraction:
        return Fraction(self.source.randint(1, 3), 4)


RELATIONS = {
    "a == b": lambda a, b: a == b,
    "a <= 2 and b <= 2": lambda a, b: a <= 2 and b <= 2,
    "abs(a - b) <= 1": lambda a, b: abs(a - b) <= 1,
}


def model(body: tuple[Statement, ...], relation: str, domains: tuple[str, ...]) -> str:
    widest = domains[-1]
    return (
        f"mechanism tested(x: 0..1) {{ {Text().body(body)} }}\n"
        "adjacency either(a: 0..1, b: 0..1) = a != b;\n"
        f"adjacency pairs(a: {widest}, b: {widest}) = {relation};\n"
    )


@pytest.mark.parametrize("batch", [*range(8), 61])
def test_lengths_count_outputs(batch: int) -> None:
    for seed in range(batch * 5, batch * 5 + 5):
        source = random.Random(seed)
        domains = ("0..1",) if seed % 3 else ("0..1", "0..2")
        body = Writer(source, domains).body(2, ("x",))
        relation = source.choice(list(RELATIONS))
        limit = source.choice([None, None, 1])
        given_clauses = f"adjacent either; received pairs{'' if limit is None else f' at most {limit}'};"
        if not any(isinstance(s, Receive) for s in all_statements(body)):
            given_clauses = "adjacent either;"
        game = Game(RELATIONS[relation], limit)
        sides = [((Fraction(1), tree(body, {"x": secret})),) for secret in (0, 1)]
        if sum(1 for _ in islice(game.words(*sides, 99), MOST_WORDS)) == MOST_WORDS:
            continue
        source_text = model(body, relation, domains)
        claims, expected = [], {}
        for length in (0, 1, 2, None):
            clause = "" if length is None else f"length {length};"
            outputs = 99 if length is None else length
            claims.append(f"compute e{length}: epsilon tested {{ {given_clauses} {clause} }}")
            words = [pair for a, b in (sides, sides[::-1]) for pair in game.words(a, b, outputs)]
            expected[f"e{length}"] = largest(iter(words))
            for name, bound in BOUNDS.items():
                label = f"d{length} {name}"
                claims.append(f"compute {_label(label)}: delta tested {{ {given_clauses} epsilon {name}; {clause} }}")
                expected[label] = max(game.excess(a, b, bound, outputs) for a, b in (sides, sides[::-1]))
        claims.append(f"compute listed: epsilon tested {{ {given_clauses} length 1..2; }}")
        claims.append(f"compute slack: delta tested {{ {given_clauses} epsilon ln(2); length 1..2; }}")
        results = check_text(source_text + "\n" + "\n".join(claims)).results
        assert len(results) == len(claims), (seed, source_text)
        for result in results:
            verdict, name = result.verdict, result.claim.name
            assert isinstance(verdict, Computed), (seed, verdict, source_text)
            if name in ("listed", "slack"):
                values = {value.name: value.value for value in verdict.values}
                for length in (1, 2):
                    wanted = expected[f"e{length}" if name == "listed" else f"d{length} ln(2)"]
                    assert values[f"length {length}"] == wanted, (seed, source_text)
                continue
            name = {_label(label): label for label in expected}[name]
            found = verdict.bound.ratio if verdict.bound is not None and name.startswith("e") else verdict.value
            assert found == expected[name], (seed, name, found, expected[name], source_text)


def _label(text: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in text)


def all_statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    for statement in body:
        yield statement
        if isinstance(statement, Coin | If):
            yield from all_statements(statement.then)
            yield from all_statements(statement.other)


STREAMS = """
mechanism asked(x: bool) {
    forever { receive v: 0..1;  if v == 1 { emit if x then { 0: 1/3, 1: 2/3 } else { 0: 1/2, 1: 1/2 }; } }
}
mechanism silent_rounds(x: bool) {
    forever { receive v: 0..1;  let shown ~ bernoulli(if x then 1/2 else 1/4);  if shown { emit v; } }
}
mechanism once() { receive v: 0..1; receive u: 0..1; emit v; }
adjacency either(a: bool, b: bool) = a != b;
adjacency any_two(a: 0..1, b: 0..1) = true;
compute one:    epsilon asked { adjacent either; length 1; }
compute two:    epsilon asked { adjacent either; length 2; }
compute slack:  delta asked { adjacent either; epsilon 0; length 1; }
compute pauses: epsilon silent_rounds { adjacent either; length 1; }
compute paused: delta silent_rounds { adjacent either; epsilon ln(2); length 1; }
compute early:  epsilon once { received any_two; length 1; }
compute sure:   delta once { received any_two; epsilon 5; length 1; }
compute none:   epsilon once { received any_two; length 0; }
"""


def test_rounds_that_emit_nothing_do_not_count() -> None:
    """Streams: however many rounds go by, the first output is the first. Unanswered questions are seen all the same:
    two in a row have probability (3/4)^2 against (1/2)^2, and n of them (3/2)^n."""
    found = {}
    for result in check_text(STREAMS).results:
        assert isinstance(result.verdict, Computed), result
        bound = result.verdict.bound
        found[result.claim.name] = result.verdict.value if bound is None else bound.ratio
    assert found["one"] == Fraction(3, 2)
    assert found["two"] == Fraction(9, 4)
    assert found["slack"] == Fraction(1, 6)
    assert found["pauses"] == "unbounded"
    # (3/4)^n - 2 (1/2)^n for n silent rounds is largest for 4; whatever comes then, and nothing before, exceeds.
    assert isinstance(found["paused"], Enclosure)
    assert found["paused"].low == Fraction(49, 256) > found["paused"].high - Fraction(1, 10**17)
    assert found["early"] == "inf"
    assert found["sure"] == 1
    assert found["none"] == 1
