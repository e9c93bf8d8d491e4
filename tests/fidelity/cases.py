"""What a generator yields: a model as text, and for each of its claims what is right at a point."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Literal, TypeVar

from .weights import Point, Space, Weight, Weights, constant

Extended = Fraction | Literal["inf"]
"""A number, or infinity."""


_NUMBER = re.compile(r"length \d+;")


class Unsure(Exception):
    """The oracle does not know what is right at this point: `--set` alone is asked."""


Truth = Callable[[Point], object]
"""What is right at a point. None where the claim says nothing there: a secret has probability 0."""


@dataclass(frozen=True)
class Asked:
    """One claim: its text without verb and name, and what is right.

    `form` says what `truth` gives: of a `check` and a `find` whether it holds (bool), of a `number` its value, of a
    `ratio` or a `delta` the least that holds at the point (the compute is then a supremum), of `named` values all that
    are not 0, by name. `names` are what a find looks for.
    """

    name: str
    form: Literal["check", "number", "ratio", "delta", "named", "find"]
    text: str
    truth: Truth
    names: tuple[str, ...] = ()
    objective: tuple[Literal["minimise", "maximise"], str] | None = None

    @property
    def line(self) -> str:
        verb = {"check": "check", "find": "find"}.get(self.form, "compute")
        body = f"{', '.join(self.names)} such that {self.text}" if self.form == "find" else self.text
        return f"{verb} {self.name}: {body}"


@dataclass
class Case:
    """A model with its claims."""

    kind: str
    seed: int
    space: Space
    systems: str
    claims: list[Asked]
    points: list[dict[str, Fraction]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.text_of(self.claims)

    def text_of(self, claims: list[Asked], *, finds: bool = True) -> str:
        lines = [asked.line for asked in claims if finds or asked.form != "find"]
        return "\n".join([self.space.text, self.systems.strip(), *lines]) + "\n"


@dataclass
class Setting:
    """What generators share: a source of randomness, the space, and its weights."""

    random: Random
    space: Space
    weights: Weights
    seed: int

    def points(self) -> list[dict[str, Fraction]]:
        """Every special point that is known so far, and random ones, always the same."""
        return self.space.points(Random(self.seed), 9)

    def target(self, truth: Truth) -> Fraction | None:
        """A number that a claim may be about: what is right at some point, exactly or nearly; or None."""
        values = []
        for point in self.points():
            try:
                value = truth(point)
            except Unsure:
                continue
            if isinstance(value, Fraction):
                values.append(value)
        if not values:
            return None
        value = self.random.choice([*values, max(values), min(values)])
        return value * self.random.choice([Fraction(1), Fraction(1), Fraction(1), Fraction(9, 10), Fraction(11, 10)])


def compared(left: Mapping[object, Fraction], right: Mapping[object, Fraction]) -> Extended:
    """The largest ratio of two distributions, in both directions."""
    largest: Extended = Fraction(1)
    for one, two in ((left, right), (right, left)):
        for outcome, weight in one.items():
            below = two.get(outcome, Fraction(0))
            if weight and not below:
                return "inf"
            if weight and largest != "inf":
                largest = max(largest, weight / below)
    return largest


def excess(left: Mapping[object, Fraction], right: Mapping[object, Fraction], factor: Fraction) -> Fraction:
    """The smallest delta with which neither is more than `factor` times the other, and delta."""
    sums = []
    for one, two in ((left, right), (right, left)):
        terms = (weight - factor * two.get(outcome, Fraction(0)) for outcome, weight in one.items())
        sums.append(sum((term for term in terms if term > 0), Fraction(0)))
    return max(sums)


def enough(left: Mapping[object, Fraction], right: Mapping[object, Fraction], slack: Fraction) -> Extended:
    """The smallest factor, at least 1, with which `slack` suffices, in both directions.

    The excess at a factor is the largest of lines in it, one for each set of outcomes: each step goes to where the line
    that is too high comes down to `slack`.
    """
    factor = Fraction(1)
    for one, two in ((left, right), (right, left)):
        while True:
            above = [o for o, weight in one.items() if weight > factor * two.get(o, Fraction(0))]
            mass = sum((one[o] for o in above), Fraction(0))
            other = sum((two.get(o, Fraction(0)) for o in above), Fraction(0))
            if mass - factor * other <= slack:
                break
            if not other:
                return "inf"
            factor = (mass - slack) / other
    return factor


Result = TypeVar("Result")


def remembered(function: Callable[[Point], Result]) -> Callable[[Point], Result]:
    """The function, that works out each point once."""
    known: dict[tuple[tuple[str, Fraction], ...], Result] = {}

    def look_up(point: Point) -> Result:
        key = tuple(point.items())
        if key not in known:
            known[key] = function(point)
        return known[key]

    return look_up


def maximum(values: list[Extended]) -> Extended:
    """The largest of some numbers and infinities."""
    finite = [value for value in values if value != "inf"]
    return "inf" if len(finite) < len(values) else max(finite)


Ratio = Callable[[Point], "Extended | None"]
Delta = Callable[[Point, Fraction], "Fraction | None"]


def privacy_claims(
    setting: Setting,
    kind: str,
    subject: str,
    clauses: str,
    ratio: Ratio,
    delta: Delta,
    counts: Callable[[Point], bool] = lambda _: True,
    with_slack: Callable[[Point, Fraction], Extended | None] | None = None,
) -> list[Asked]:
    """Claims of all forms about one comparison: `ratio` at a point, and the least `delta` at a point and a factor.

    `counts` says at which points a `find` may look: not where any secret has probability 0. `with_slack` is the ratio
    that a delta leaves.
    """
    random = setting.random
    bound = setting.target(ratio) or Fraction(random.randint(1, 4))
    bound = max(bound, Fraction(1))
    factor = random.choice([Fraction(1), Fraction(2), bound])
    slack = min(setting.target(lambda point: delta(point, factor)) or Fraction(1, 4), Fraction(1))
    power = random.choice([1, 1, 1, 2])
    epsilon = f"ln({bound**power})/{power}" if power > 1 else f"ln({bound})"

    def holds(point: Point) -> bool | None:
        value = ratio(point)
        return None if value is None else value != "inf" and value <= bound

    def holds_with(point: Point) -> bool | None:
        value = delta(point, factor)
        return None if value is None else value <= slack

    def holds_longer(point: Point) -> bool | None:
        if holds(point):
            raise Unsure  # what is longer may tell more
        return holds(point)

    def found_at(point: Point) -> bool | None:
        return holds(point) if counts(point) else None

    def found_with(point: Point) -> bool | None:
        return holds_with(point) if counts(point) else None

    head = f"{subject} {{ {clauses}"
    found = [
        Asked("c", "check", f"{kind} {head} epsilon {epsilon}; }}", holds),
        Asked("e", "ratio", f"epsilon {head} }}", ratio),
        Asked("d", "delta", f"delta {head} epsilon ln({factor}); }}", lambda point: delta(point, factor)),
        Asked("cd", "check", f"{kind} {head} epsilon ln({factor}); delta {slack}; }}", holds_with),
        Asked("fd", "find", f"{kind} {head} epsilon ln({factor}); delta {slack}; }}", found_with, setting.space.names),
        Asked("f", "find", f"{kind} {head} epsilon {epsilon}; }}", found_at, setting.space.names),
    ]
    if setting.space.tie is not None:  # of one, the other goes with it
        one = random.choice(setting.space.names)
        found.append(Asked("f1", "find", f"{kind} {head} epsilon {epsilon}; }}", found_at, (one,)))
    if random.random() < 0.3:
        name, goal = random.choice(setting.space.names), random.choice(["minimise", "maximise"])
        found.append(
            Asked(
                "fo",
                "find",
                f"{kind} {head} epsilon {epsilon}; {goal} {name}; }}",
                found_at,
                setting.space.names,
                (goal, name),
            )
        )
    if with_slack is not None and random.random() < 0.2:
        given = min(slack, Fraction(9, 10))
        found.append(Asked("ed", "ratio", f"epsilon {head} delta {given}; }}", lambda point: with_slack(point, given)))
    if "length" in clauses and random.random() < 0.2:
        head = f"{subject} {{ {_NUMBER.sub('length any;', clauses)}"
        found.append(Asked("ca", "check", f"{kind} {head} epsilon {epsilon}; }}", holds_longer))
    return random.sample(found, random.choice([2, 3, 3]))


def number_claims(setting: Setting, name: str, text: str, truth: Truth) -> list[Asked]:
    """A compute of a number, and a check of it; `text` has `%` where further clauses go."""
    random = setting.random
    target = setting.target(truth)
    if target is None:
        target = Fraction(random.choice([0, 1, 5]))
    weight: Weight = constant(target)
    if random.random() < 0.2:
        weight = setting.weights.unit()
    relation = random.choice(["equals", "at least", "at most"])

    def holds(point: Point) -> bool | None:
        value, wanted = truth(point), weight.at(point)
        if value is None:
            return None
        if value == "inf":
            return relation == "at least"
        assert isinstance(value, Fraction)
        return {"equals": value == wanted, "at least": value >= wanted, "at most": value <= wanted}[relation]

    found = [
        Asked(f"n{name}", "number", text.replace("%", ""), truth),
        Asked(f"k{name}", "check", text.replace("%", f"{relation} {weight.text};"), holds),
    ]
    return random.sample(found, random.choice([1, 2]))
