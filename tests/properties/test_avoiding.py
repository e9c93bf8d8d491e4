"""Reaching a target while states are avoided, against a sum over moves that shares no code with pfl."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from pfl.driver import check_text
from pfl.engines.answer import Computed

STATES = "abcd"
MOVES = 5


def rows_of(source: random.Random) -> dict[str, dict[str, Fraction]]:
    """Where each state moves."""
    rows = {}
    for state in STATES:
        weights = {other: source.choice((0, 0, 1, 2)) for other in STATES}
        if not any(weights.values()):
            weights[state] = 1
        total = sum(weights.values())
        rows[state] = {other: Fraction(weight, total) for other, weight in weights.items() if weight}
    return rows


def by_moves(rows: dict[str, dict[str, Fraction]], target: set[str], avoided: set[str], moves: int) -> Fraction:
    """The probability from `a` of the target within so many moves."""
    mass, reached = {"a": Fraction(1)}, Fraction(0)
    for move in range(moves + 1):
        reached += sum((weight for state, weight in mass.items() if state in target), Fraction(0))
        after: dict[str, Fraction] = {}
        for state, weight in mass.items():
            if state not in target and state not in avoided:
                for other, share in rows[state].items():
                    after[other] = after.get(other, Fraction(0)) + weight * share
        mass = after if move < moves else {}
    return reached


def numbers(model: str) -> list[Fraction]:
    found = []
    for result in check_text(model).results:
        assert isinstance(result.verdict, Computed), result.verdict
        assert isinstance(result.verdict.value, Fraction)
        found.append(result.verdict.value)
    return found


@pytest.mark.parametrize("batch", range(10))
def test_tables_and_bodies_agree_with_a_sum_over_moves(batch: int) -> None:
    for seed in range(batch * 10, batch * 10 + 10):
        source = random.Random(seed)
        rows = rows_of(source)
        target = set(source.sample(STATES, source.randint(1, 2)))
        avoided = set(source.sample(STATES, source.randint(0, 2)))
        table = "".join(f"{s} -> {', '.join(f'{t}: {w}' for t, w in row.items())}; " for s, row in rows.items())
        cases = ", ".join(f"{s} => {{ {', '.join(f'{t}: {w}' for t, w in row.items())} }}" for s, row in rows.items())

        def clauses(variable: str, target: set[str] = target, avoided: set[str] = avoided) -> str:
            return f"reach {either(variable, target)}; avoiding {either(variable, avoided)};"

        model = (
            "enum S { a, b, c, d }"
            f"hmm Body {{ state x: S = a; step x ~ match x {{ {cases} }}; }}"
            f"compute probability Body {{ {clauses('x')} }}"
            f"compute probability Body {{ {clauses('x')} within {MOVES}; }}"
        )
        plain = (
            f"hmm Table {{ states a, b, c, d; init a: 1; {table} }}"
            f"compute probability Table {{ {clauses('')} }}"
            f"compute probability Table {{ {clauses('')} within {MOVES}; }}"
        )
        (ever, soon), (also_ever, also_soon) = numbers(model), numbers(plain)
        assert soon == also_soon == by_moves(rows, target, avoided, MOVES), seed
        assert ever == also_ever
        late = by_moves(rows, target, avoided, 200)
        assert late <= ever <= late + Fraction(1, 10**6), seed


def either(variable: str, states: set[str]) -> str:
    if not states:
        return "false"
    return " or ".join(f"{variable} == {state}" if variable else state for state in sorted(states))


DRAWS = (
    "x = if {coin} then (x + {far}) mod 4 else x;",
    "y = y or {coin};",
    "if y {{ x = (x + {far}) mod 4; }} else {{ y = {coin}; }}",
    "if {coin} {{ x = 3 - x; y = not y; }}",
)
"""What a step does with a coin."""
CONDITIONS = ("x == 3", "x == 0 and y", "y", "not y and x == 2", "x > 1")


@pytest.mark.parametrize("batch", range(6))
def test_steps_of_several_coins_agree_with_a_variable_that_remembers(batch: int) -> None:
    """`avoiding` against the same model in which a variable says that what is to be avoided has been."""
    for seed in range(batch * 10, batch * 10 + 10):
        source = random.Random(seed)
        step = ""
        for number in range(source.randint(1, 3)):
            chance = source.choice(("p", "1/3", "3/4", "1 - p"))
            does = source.choice(DRAWS).format(coin=f"coin{number}", far=source.randint(1, 3))
            step += f"let coin{number} ~ bernoulli({chance}); {does} "
        target, avoided = source.sample(CONDITIONS, 2)
        begins = f"param p in (0, 1); hmm M {{ state x: 0..3 = {source.randint(0, 3)}; state y: bool = false;"
        lost = f"({avoided}) and not ({target})"
        plain = f"{begins} step {{ {step} }} }} compute probability M {{ reach {target}; avoiding {avoided}; }}"
        # The first move of the model with a memory draws nothing: it looks at the start.
        remembers = (
            f"{begins} state lost: bool = false; state looked: bool = false;"
            f"step {{ if looked {{ {step} }} looked = true; lost = lost or ({lost}); }} }}"
            f"compute probability M {{ reach ({target}) and not lost; }}"
        )
        verdicts = [check_text(model).results[0].verdict for model in (plain, remembers)]
        values = [str(verdict.value) for verdict in verdicts if isinstance(verdict, Computed)]
        assert len(values) == 2
        assert values[0] == values[1], seed
