"""A value in a branch is the distribution that is always that value: against it written out, and by hand."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.driver import check_text
from pfl.engines.answer import Computed

LARGEST = 3


@dataclass(frozen=True)
class Value:
    """The value `x + offset`, modulo 4."""

    offset: int


@dataclass(frozen=True)
class Uniform:
    """`uniform(0..last)`."""

    last: int


@dataclass(frozen=True)
class Either:
    """`if x < bound then first else second`."""

    bound: int
    first: Tree
    second: Tree


@dataclass(frozen=True)
class Cases:
    """A `match x` with an arm for each of 0..3, perhaps cut up into many arms."""

    arms: tuple[Tree, ...]


Tree: TypeAlias = Value | Uniform | Either | Cases

leaves: st.SearchStrategy[Tree] = st.builds(Value, st.integers(0, LARGEST)) | st.builds(
    Uniform, st.integers(0, LARGEST)
)
trees: st.SearchStrategy[Tree] = st.recursive(
    leaves,
    lambda inner: (
        st.builds(Either, st.integers(0, 4), inner, inner) | st.builds(Cases, st.tuples(inner, inner, inner, inner))
    ),
    max_leaves=8,
)


def is_drawn(tree: Tree) -> bool:
    """Whether a tree is a distribution."""
    match tree:
        case Either(first=first, second=second):
            return is_drawn(first) or is_drawn(second)
        case Cases(arms=arms):
            return any(map(is_drawn, arms))
        case _:
            return isinstance(tree, Uniform)


def written(tree: Tree, *, out: bool) -> str:
    """The tree in PFL; `out` writes certain distributions out."""
    match tree:
        case Value(offset=offset):
            return f"point((x + {offset}) mod 4)" if out else f"(x + {offset}) mod 4"
        case Uniform(last=last):
            return f"uniform(0..{last})"
        case Either(bound=bound, first=first, second=second):
            return f"(if x < {bound} then {written(first, out=out)} else {written(second, out=out)})"
        case Cases(arms=arms):
            listed = ", ".join(f"{number} => {written(arm, out=out)}" for number, arm in enumerate(arms))
            others = ", ".join(f"{number} => {written(arms[0], out=out)}" for number in range(4, 12))
            return f"match x {{ {listed}, {others}, _ => {written(arms[3], out=out)} }}"


def distribution(tree: Tree, x: int) -> dict[int, Fraction]:
    match tree:
        case Value(offset=offset):
            return {(x + offset) % 4: Fraction(1)}
        case Uniform(last=last):
            return {value: Fraction(1, last + 1) for value in range(last + 1)}
        case Either(bound=bound, first=first, second=second):
            return distribution(first if x < bound else second, x)
        case Cases(arms=arms):
            return distribution(arms[x], x)


def model(tree: Tree, *, out: bool) -> str:
    shown = written(tree, out=out)
    drawn = shown if is_drawn(tree) else "d(x)"
    claims = (
        f"compute {name}{x}: distribution {name}({x});" for name in ("named", "drawn", "returned") for x in range(4)
    )
    return f"""
dist d(x: 0..3) over 0..3 = {shown};
mechanism named(x: int) -> 0..3 {{ let y ~ d(x); return y; }}
mechanism drawn(x: int) -> 0..3 {{ let y ~ {drawn}; return y; }}
mechanism returned(x: int) -> 0..3 {{ return {shown}; }}
hmm H {{ state x: 0..3; init x ~ uniform(0..3); emit {shown}; step x ~ if x == 0 then 1 else {drawn}; }}
{" ".join(claims)}
compute told: epsilon H {{ secrets x == 0 vs x == 3; length 2; }}
"""


def answers(text: str) -> list[object]:
    findings = check_text(text)
    assert not findings.diagnostics, (text, findings.diagnostics)
    verdicts = [result.verdict for result in findings.results]
    assert all(isinstance(verdict, Computed) for verdict in verdicts), text
    return list(verdicts)


@settings(max_examples=40)
@given(trees)
def test_a_value_is_the_certain_distribution(tree: Tree) -> None:
    found = answers(model(tree, out=False))
    assert found == answers(model(tree, out=True))
    for position, verdict in enumerate(found[:12]):
        assert isinstance(verdict, Computed)
        weights = {int(named.name): named.value for named in verdict.values}
        assert weights == distribution(tree, position % 4)
