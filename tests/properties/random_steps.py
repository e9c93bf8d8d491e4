"""Random bodies of `step`, as text and as what they mean: every path through them, gone one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

SIZE = 3
"""Values of each variable."""

NAMES = ("a", "b", "old")
"""Two state variables, and one that is set when a step begins."""

State = tuple[int, ...]


@dataclass(frozen=True)
class Sum:
    """(variable + added) mod SIZE"""

    variable: int
    added: int

    def __str__(self) -> str:
        return f"({NAMES[self.variable]} + {self.added}) mod {SIZE}"

    def of(self, held: State) -> int:
        return (held[self.variable] + self.added) % SIZE


@dataclass(frozen=True)
class Assigned:
    """variable = value"""

    variable: int
    value: Sum


@dataclass(frozen=True)
class Drawn:
    """variable = one value with that weight, else the other; the weight is 1/5 where the variable `by` holds 0."""

    variable: int
    one: Sum
    other: Sum
    weight: Fraction
    by: int | None


@dataclass(frozen=True)
class Spent:
    """tick cost"""

    cost: int


@dataclass(frozen=True)
class Chosen:
    """if variable == value { .. } else { .. }"""

    variable: int
    value: int
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True)
class Repeated:
    """for i in 1..turns { .. }"""

    turns: int
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Retried:
    """while variable == value { .. }, for `most` turns at most"""

    variable: int
    value: int
    body: tuple[Statement, ...]
    most: int


Statement = Assigned | Drawn | Spent | Chosen | Repeated | Retried

_STATE, _ANY = st.integers(0, 1), st.integers(0, 2)
_SUMS = st.builds(Sum, _ANY, st.integers(0, SIZE - 1))
_WEIGHTS = st.sampled_from([Fraction(1, 2), Fraction(1, 3), Fraction(3, 4), Fraction(2, 7)])
_PLAIN = st.one_of(
    st.builds(Assigned, _STATE, _SUMS),
    st.builds(Drawn, _STATE, _SUMS, _SUMS, _WEIGHTS, st.one_of(st.none(), _ANY)),
    st.builds(Drawn, _STATE, _SUMS, _SUMS, _WEIGHTS, st.none()),
    st.builds(Spent, st.integers(-1, 3)),
)


def _nested(inner: st.SearchStrategy[Statement]) -> st.SearchStrategy[Statement]:
    several = st.lists(inner, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Chosen, _ANY, st.integers(0, SIZE - 1), several, several),
        st.builds(Repeated, st.integers(1, 2), several),
        st.builds(Retried, _STATE, st.integers(0, SIZE - 1), several, st.integers(1, 2)),
    )


def bodies() -> st.SearchStrategy[tuple[Statement, ...]]:
    """Up to five statements, some of which hold others; none goes round without end."""
    return st.lists(st.recursive(_PLAIN, _nested, max_leaves=5), min_size=1, max_size=5).map(tuple)


def text(body: Sequence[Statement], count: Iterator[int]) -> str:
    """As PFL writes it; `count` numbers the loops."""
    return " ".join(_text(statement, count) for statement in body)


def _text(statement: Statement, count: Iterator[int]) -> str:
    match statement:
        case Assigned(variable=variable, value=value):
            return f"{NAMES[variable]} = {value};"
        case Drawn(variable=variable, one=one, other=other, weight=weight, by=by):
            chance = str(weight) if by is None else f"if {NAMES[by]} == 0 then 1/5 else {weight}"
            coin = f"coin{next(count)}"
            return f"let {coin} ~ bernoulli({chance}); {NAMES[variable]} = if {coin} then {one} else {other};"
        case Spent(cost=cost):
            return f"tick {cost};"
        case Chosen(variable=variable, value=value, then=then, otherwise=otherwise):
            return f"if {NAMES[variable]} == {value} {{ {text(then, count)} }} else {{ {text(otherwise, count)} }}"
        case Repeated(turns=turns, body=body):
            return f"for i{next(count)} in 1..{turns} {{ {text(body, count)} }}"
        case Retried(variable=variable, value=value, body=body, most=most):
            left = f"left{next(count)}"
            return (
                f"var {left} = {most}; while {left} > 0 and {NAMES[variable]} == {value} "
                f"{{ {left} = {left} - 1; {text(body, count)} }}"
            )


Path = tuple[State, Fraction, int]
"""What is held at its end, its probability, and what it costs."""


def paths(body: Sequence[Statement], start: Path) -> Iterator[Path]:
    """Every path through some statements."""
    if not body:
        yield start
        return
    first, *rest = body
    for path in _through(first, start):
        yield from paths(rest, path)


def _through(statement: Statement, path: Path) -> Iterator[Path]:
    held, chance, cost = path
    match statement:
        case Assigned(variable=variable, value=value):
            yield _with(held, variable, value.of(held)), chance, cost
        case Drawn(variable=variable, one=one, other=other, weight=weight, by=by):
            weight = Fraction(1, 5) if by is not None and held[by] == 0 else weight
            yield _with(held, variable, one.of(held)), chance * weight, cost
            yield _with(held, variable, other.of(held)), chance * (1 - weight), cost
        case Spent(cost=more):
            yield held, chance, cost + more
        case Chosen(variable=variable, value=value, then=then, otherwise=otherwise):
            yield from paths(then if held[variable] == value else otherwise, path)
        case Repeated(turns=turns, body=body):
            yield from paths(body * turns, path)
        case Retried(variable=variable, value=value, body=body, most=most):
            ended = [path]
            for _ in range(most):
                ended = [
                    after
                    for before in ended
                    for after in (paths(body, before) if before[0][variable] == value else [before])
                ]
            yield from ended


def _with(held: State, variable: int, value: int) -> State:
    return (*held[:variable], value, *held[variable + 1 :])


STATES = list(product(range(SIZE), repeat=2))
"""The states between steps."""


def step_of(body: Sequence[Statement], state: State) -> tuple[dict[State, Fraction], Fraction]:
    """The distribution of the state after a step, and what the step costs on average."""
    after: dict[State, Fraction] = {}
    mean = Fraction(0)
    for held, chance, cost in paths(body, ((*state, state[0]), Fraction(1), 0)):
        after[held[:2]] = after.get(held[:2], Fraction(0)) + chance
        mean += chance * cost
    return after, mean
