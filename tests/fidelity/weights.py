"""Numbers that depend on parameters, as text and as a function, and the space of parameter values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from random import Random

Point = Mapping[str, Fraction]
ROOTS = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 4), Fraction(2, 3), Fraction(3, 4), Fraction(0), Fraction(1))
_ENDS = (("0", "1"), ("0", "1"), ("0", "1"), ("0", "1/4"), ("1/3", "1/2"), ("0", "1/2"), ("1/2", "1"))
_POWER = re.compile(r"\w+\^2|\([^()]*\)\^2")
CONSTANTS = tuple(Fraction(text) for text in ("1/2", "1/3", "2/3", "1/4", "3/4", "1/10"))


@dataclass(frozen=True, eq=False)
class Weight:
    """A number as source text, with its value at any point."""

    text: str
    at: Callable[[Point], Fraction]
    of: Weight | None = None
    """What it is the complement of, if it was made so."""

    def __add__(self, other: Weight) -> Weight:
        return Weight(f"{self.text} + {other.text}", lambda point: self.at(point) + other.at(point))

    def __sub__(self, other: Weight) -> Weight:
        if other.text == "0":
            return self
        return Weight(f"{self.text} - {other._tight}", lambda point: self.at(point) - other.at(point))

    def __mul__(self, other: Weight) -> Weight:
        if self.text == "1":
            return other
        return Weight(f"{self._tight}*{other._tight}", lambda point: self.at(point) * other.at(point))

    def __truediv__(self, other: Weight) -> Weight:
        if other.text == "1":
            return self
        return Weight(f"{self._tight}/{other._tight}", lambda point: self.at(point) / other.at(point))

    def squared(self) -> Weight:
        return Weight(f"{self._tight}^2", lambda point: self.at(point) ** 2)

    @property
    def complement(self) -> Weight:
        if self.of is not None:
            return self.of
        if self.text.replace("/", "").isdigit():
            return constant(1 - Fraction(self.text))
        rest = constant(1) - self
        return Weight(rest.text, rest.at, of=self)

    @property
    def _tight(self) -> str:
        return self.text if self.text.isalnum() or _POWER.fullmatch(self.text) else f"({self.text})"


def constant(value: Fraction | int) -> Weight:
    """A number that depends on nothing."""
    fraction = Fraction(value)
    return Weight(str(fraction), lambda _: fraction)


def parameter(name: str) -> Weight:
    """The parameter itself."""
    return Weight(name, lambda point: point[name])


@dataclass(frozen=True)
class Interval:
    """What a `param` ranges over."""

    name: str
    low: Fraction
    high: Fraction
    low_open: bool
    high_open: bool

    def __contains__(self, value: Fraction) -> bool:
        above = self.low < value or (value == self.low and not self.low_open)
        return above and (value < self.high or (value == self.high and not self.high_open))

    def __str__(self) -> str:
        left, right = "(" if self.low_open else "[", ")" if self.high_open else "]"
        return f"param {self.name} in {left}{self.low}, {self.high}{right};"


@dataclass(frozen=True)
class Assumption:
    """A condition on the parameters as text, with what it says."""

    text: str
    holds: Callable[[Point], bool]


def _unequal(name: str, value: Fraction) -> Assumption:
    return Assumption(f"{name} < {value} or {name} > {value}", lambda point: point[name] != value)


@dataclass(frozen=True)
class Tie:
    """An equation between the parameters: what the second is for the first, and the first for the second."""

    assumption: Assumption
    second: Callable[[Fraction], Fraction]
    first: Callable[[Fraction], Fraction]


TIES = (
    Tie(Assumption("p + q == 1", lambda at: at["p"] + at["q"] == 1), lambda p: 1 - p, lambda q: 1 - q),
    Tie(Assumption("q == p", lambda at: at["p"] == at["q"]), lambda p: p, lambda q: q),
    Tie(Assumption("p == q/2", lambda at: at["p"] == at["q"] / 2), lambda p: 2 * p, lambda q: q / 2),
)
BETWEEN = (
    Assumption("p < q", lambda at: at["p"] < at["q"]),
    Assumption("p + q <= 1", lambda at: at["p"] + at["q"] <= 1),
    Assumption("p == 0 or q >= p", lambda at: at["p"] == 0 or at["q"] >= at["p"]),
)


@dataclass
class Space:
    """The values of the parameters; `roots` are those at which some weight may vanish.

    `low` and `high` bound what the assumptions leave of each parameter. `is_hard` is set where a weight has roots that
    no rational is, or that fix no parameter: there pflc may leave a claim open.
    """

    intervals: tuple[Interval, ...]
    assumptions: tuple[Assumption, ...]
    low: dict[str, Fraction]
    high: dict[str, Fraction]
    roots: dict[str, set[Fraction]] = field(default_factory=dict)
    is_hard: bool = False
    tie: Tie | None = None

    def completed(self, point: Point) -> dict[str, Fraction]:
        """A point with the value of the parameter that it does not name, where that is tied to the other."""
        if self.tie is None or len(point) != 1:
            return dict(point)
        if "p" in point:
            return {"p": point["p"], "q": self.tie.second(point["p"])}
        return {"p": self.tie.first(point["q"]), "q": point["q"]}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(interval.name for interval in self.intervals)

    @property
    def text(self) -> str:
        lines = [str(interval) for interval in self.intervals]
        return "\n".join([*lines, *(f"assume {assumption.text};" for assumption in self.assumptions)])

    def __contains__(self, point: Point) -> bool:
        inside = all(point[interval.name] in interval for interval in self.intervals)
        return inside and all(assumption.holds(point) for assumption in self.assumptions)

    def puncture(self) -> None:
        """Leaves out every root and end, so that no weight vanishes anywhere."""
        left_out = []
        for name in self.names:
            for value in sorted({*self.roots.get(name, ()), self.low[name], self.high[name]}):
                left_out.append(_unequal(name, value))
        self.assumptions += tuple(left_out)

    def points(self, random: Random, count: int) -> list[dict[str, Fraction]]:
        """Points of the space: every root and end that belongs to it, points close to them, and random ones."""
        values = {interval.name: list(self._values(interval, random)) for interval in self.intervals}
        if len(values) == 1:
            (name,) = values
            candidates = [{name: value} for value in values[name]]
        else:
            candidates = [dict(zip(values, chosen)) for chosen in product(*values.values())]
            random.shuffle(candidates)
            first, second = self.names
            shared = [{first: value, second: value} for value in values[first]]
            candidates = shared[:4] + candidates
        if self.tie is not None:
            tied = [self.completed({name: value}) for name, several in values.items() for value in several]
            candidates = tied + candidates
        inside = [point for point in candidates if point in self]
        unique = {tuple(point.items()): point for point in inside}
        return list(unique.values())[:count]

    def _values(self, interval: Interval, random: Random) -> Iterator[Fraction]:
        low, high = self.low[interval.name], self.high[interval.name]
        yield from sorted(self.roots.get(interval.name, ()))
        yield from (low, high, interval.low, interval.high)
        if low < high:
            yield low + (high - low) * Fraction(random.randint(1, 12), 13)
            yield low + (high - low) * Fraction(random.randint(1, 16), 17)
            yield low + (high - low) / 1000
            yield high - (high - low) / 1000


def random_space(random: Random, *, several: bool = False, regular: bool = False) -> Space:
    """One parameter, or two, and at times an assumption; `regular` are open intervals, without one."""
    intervals, assumptions, low, high = [], [], {}, {}
    for name in ("p", "q")[: 2 if several else 1]:
        bottom, top = (Fraction(end) for end in random.choice(_ENDS))
        is_open = [regular or random.random() < 0.4 for _ in range(2)]
        interval = Interval(name, bottom, top, *is_open)
        intervals.append(interval)
        low[name], high[name] = interval.low, interval.high
        if not regular and random.random() < 0.3:
            assumption = _random_assumption(random, interval, low, high)
            if assumption:
                assumptions.append(assumption)
    tie = random.choice(TIES) if several and not regular and random.random() < 0.3 else None
    if tie is not None:
        assumptions.append(tie.assumption)
    elif several and not regular and random.random() < 0.2:
        assumptions.append(random.choice(BETWEEN))
    space = Space(tuple(intervals), tuple(assumptions), low, high, is_hard=tie is not None, tie=tie)
    if len(intervals) == 2 and not space.points(Random(0), 1):  # they contradict each other
        ends = ({each.name: each.low for each in intervals}, {each.name: each.high for each in intervals})
        return Space(tuple(intervals), (), *ends)
    return space


def _random_assumption(
    random: Random, interval: Interval, low: dict[str, Fraction], high: dict[str, Fraction]
) -> Assumption | None:
    name, bottom, top = interval.name, interval.low, interval.high
    inner = random.choice([root for root in ROOTS if bottom < root < top] or [(bottom + top) / 2])
    match random.randrange(6):
        case 0 if not interval.high_open:  # only the upper end is left
            low[name] = top
            return Assumption(f"{name} >= {top}", lambda point: point[name] >= top)
        case 1 if not interval.low_open:
            high[name] = bottom
            return Assumption(f"{name} <= {bottom}", lambda point: point[name] <= bottom)
        case 2 if not interval.low_open:  # one end by itself, and an interval
            return Assumption(
                f"{name} <= {bottom} or {name} >= {inner}", lambda point: point[name] <= bottom or point[name] >= inner
            )
        case 3:
            return Assumption(f"{name} < {inner} or {name} > {inner}", lambda point: point[name] != inner)
        case 4:
            low[name] = high[name] = inner
            return Assumption(f"{name} == {inner}", lambda point: point[name] == inner)
        case 5:
            high[name] = inner
            return Assumption(f"{name} <= {inner}", lambda point: point[name] <= inner)
    return None


@dataclass
class Weights:
    """Draws weights that lie in [0, 1] everywhere on a space, and notes where they vanish."""

    space: Space
    random: Random
    irrational: float = 0.04
    """How often a weight has irrational roots."""
    regular: bool = False
    """Whether no weight may vanish within the space, so that nothing is an exception."""

    def unit(self) -> Weight:
        """A weight between 0 and 1; often 0 or 1 at some value."""
        chosen = self.random.random()
        if chosen < 0.25:
            return constant(self.random.choice(CONSTANTS))
        if chosen < 0.32:
            return self._simple() * self._simple()
        if chosen < 0.36:
            above = self._simple()
            return above / (constant(1) + above) if self.random.random() < 0.5 else above / (constant(2) - above)
        if len(self.space.names) == 2 and chosen < 0.5 and not self.regular:
            return self._mixed()
        return self._simple()

    def varying(self) -> Weight:
        """A weight that depends on a parameter."""
        return self._simple()

    def row(self, targets: list[object]) -> dict[object, Weight]:
        """A distribution over some of the targets: its weights sum to 1 and are not below 0 anywhere."""
        count = min(len(targets), self.random.choice([1, 2, 2, 2, 3]))
        chosen = self.random.sample(targets, count)
        if count == 1:
            return {chosen[0]: constant(1)}
        first = self.unit()
        if count == 2:
            return {chosen[0]: first, chosen[1]: first.complement}
        second = self.unit()
        return {chosen[0]: first * second, chosen[1]: first * second.complement, chosen[2]: first.complement}

    def _simple(self) -> Weight:
        name = self.random.choice(self.space.names)
        low, high, variable = self.space.low[name], self.space.high[name], parameter(name)
        chosen = self.random.random()
        if self.regular:
            chosen = 0.2
        if chosen < self.irrational:
            self.space.is_hard = True
            return (constant(2) * variable.squared() - constant(1)).squared()
        if chosen < 0.5 and low < high:
            weight = _scaled(variable, low, high)
            self._note(name, low, high)
            return weight if self.random.random() < 0.5 else weight.complement
        if chosen < 0.6:
            self._note(name, Fraction(0), Fraction(1))
            return self.random.choice([variable, variable.complement])
        root = self.random.choice([*ROOTS, low, high])
        self._note(name, root)
        reach = max(abs(low - root), abs(high - root), Fraction(1, 8))
        if reach.numerator == 1:
            square = (constant(1 / reach) * variable - constant(root / reach)).squared()
        else:
            square = (variable - constant(root)).squared() / constant(reach**2)
        return square if self.random.random() < 0.6 else square.complement

    def _mixed(self) -> Weight:
        first, second = (parameter(name) for name in self.space.names)
        self.space.is_hard = True
        weight = self.random.choice(
            [first * second, (first - second).squared(), first * second.complement, (first + second) / constant(2)]
        )
        return weight if self.random.random() < 0.5 else weight.complement

    def _note(self, name: str, *roots: Fraction) -> None:
        self.space.roots.setdefault(name, set()).update(roots)


def _scaled(variable: Weight, low: Fraction, high: Fraction) -> Weight:
    """From 0 at the low end to 1 at the high end."""
    shifted = variable if low == 0 else variable - constant(low)
    return shifted if high - low == 1 else constant(1 / (high - low)) * shifted
