"""How long a word the SMT queries and the exact engine decide within a time limit; run by hand.

    python tests/bench/bench_smt.py [--limit 60] [--slack 1/100] [--solvers z3,yices,cvc5]
        [--encodings linear,pufferfish-check] [--only NAME]

For each system and length the claim is 1 % above the largest ratio, so every query is unsatisfiable: the hard case.
Lengths grow until one takes longer than the limit. Prints a Markdown table of the last length decided in time, and its
seconds; the exact engine computes the largest ratio itself, which is more.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial

from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.epsilon import Epsilon
from pfl.engines.answer import Computed, Proved, Unknown
from pfl.engines.ratio import exact
from pfl.engines.smt import smt
from pfl.model.compare import Compare, Side, Table
from pfl.model.labelled_system import LabelledSystem
from pfl.options import Encoding, Options

LONGEST = 200
ENCODINGS: tuple[Encoding, ...] = ("linear", "pufferfish-check")


def distribution(chance: random.Random, size: int, entries: int | None = None) -> list[Fraction]:
    """Random weights that sum to 1, `entries` of them not 0."""
    chosen = chance.sample(range(size), entries or size)
    whole = [chance.randint(1, 10) if index in chosen else 0 for index in range(size)]
    return [Fraction(weight, sum(whole)) for weight in whole]


def hmm(moves: list[list[Fraction]], shows: list[list[Fraction]]) -> LabelledSystem:
    size, letters = len(moves), len(shows[0])
    return LabelledSystem(
        states=tuple(f"s{state}" for state in range(size)),
        letters=tuple(f"o{letter}" for letter in range(letters)),
        matrices=tuple(
            tuple(
                tuple((column, shows[state][letter] * weight) for column, weight in enumerate(row) if weight)
                for state, row in enumerate(moves)
            )
            for letter in range(letters)
        ),
    )


def dense(size: int, letters: int) -> Compare:
    chance = random.Random(size * 100 + letters)
    moves = [distribution(chance, size) for _ in range(size)]
    return question(hmm(moves, [distribution(chance, letters) for _ in range(size)]), chance)


def sparse(size: int, letters: int) -> Compare:
    chance = random.Random(size * 100 + letters)
    moves = [distribution(chance, size, 2) for _ in range(size)]
    return question(hmm(moves, [distribution(chance, letters) for _ in range(size)]), chance)


def sticky(size: int, letters: int) -> Compare:
    """Stays with 9/10; the observations say little."""
    chance = random.Random(size * 100 + letters)
    rest = Fraction(1, 10 * (size - 1))
    moves = [[Fraction(9, 10) if row == column else rest for column in range(size)] for row in range(size)]
    shows = []
    for _ in range(size):
        whole = [chance.randint(3, 6) for _ in range(letters)]
        shows.append([Fraction(weight, sum(whole)) for weight in whole])
    return question(hmm(moves, shows), chance)


def question(system: LabelledSystem, chance: random.Random) -> Compare:
    sides = [Side(label=label, vector=tuple(distribution(chance, system.size))) for label in ("left", "right")]
    comparison = Table.of_pair(system, [sides[0], sides[1]], epsilon=None, one_way=True)
    return Compare(goal="epsilon", tables=(comparison,), lengths=(1,))


SYSTEMS: dict[str, Callable[[], Compare]] = {
    "dense 3 states, 3 letters": lambda: dense(3, 3),
    "dense 4 states, 4 letters": lambda: dense(4, 4),
    "dense 16 states, 4 letters": lambda: dense(16, 4),
    "sparse 8 states, 3 letters": lambda: sparse(8, 3),
    "sparse 32 states, 3 letters": lambda: sparse(32, 3),
    "sticky 2 states, 2 letters": lambda: sticky(2, 2),
    "sticky 3 states, 3 letters": lambda: sticky(3, 3),
}


def lengths() -> Iterator[int]:
    length = 1
    while length <= LONGEST:
        yield length
        length += 1 if length < 12 else length // 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--slack", type=Fraction, default=Fraction(1, 100))
    parser.add_argument("--solvers", default="z3,yices,cvc5")
    parser.add_argument("--encodings", default=",".join(ENCODINGS))
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    solvers = given.solvers.split(",")
    encodings = [encoding for encoding in ENCODINGS if encoding in given.encodings.split(",")]
    columns = [f"{encoding}: {solver}" for encoding in encodings for solver in solvers]
    print("| system | exact engine | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 2) + "|")
    for name, build in SYSTEMS.items():
        if given.only not in name:
            continue
        ratios: dict[int, Fraction] = {}
        cells = [reach(partial(exactly, build(), ratios, given.limit), given.limit)]
        for encoding in encodings:
            for solver in solvers:
                options = Options(solver=solver, encoding=encoding)
                cells.append(reach(partial(asked, build(), ratios, given, options), given.limit))
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def reach(decides: Callable[[int], bool], limit: float) -> str:
    """The last length that is decided within the limit, and its seconds."""
    last = "none"
    for length in lengths():
        started = time.monotonic()
        if not decides(length) or time.monotonic() - started > limit:
            return last
        last = f"{length} ({time.monotonic() - started:.1f} s)"
    return last


def exactly(asked_for: Compare, ratios: dict[int, Fraction], limit: float, length: int) -> bool:
    """Whether the exact engine finds the largest ratio, which is kept for the queries."""
    try:
        answer = exact.answer(
            replace(asked_for, lengths=(length,)), Options(), Budget(deadline=time.monotonic() + limit)
        )
    except LimitReached:
        return False
    if not isinstance(answer, Computed) or answer.bound is None or not isinstance(answer.bound.ratio, Fraction):
        return False
    ratios[length] = answer.bound.ratio
    return True


def asked(
    asked_for: Compare,
    ratios: dict[int, Fraction],
    given: argparse.Namespace,
    options: Options,
    length: int,
) -> bool:
    """Whether the solver proves a bound a little above the largest ratio."""
    if length not in ratios:
        return False
    bound = (ratios[length] * (1 + given.slack)).limit_denominator(10**6)
    comparison = replace(asked_for.tables[0], epsilon=Epsilon.ln(bound))
    claim = replace(asked_for, goal="check", tables=(comparison,), lengths=(length,))
    try:
        answer = smt.answer(claim, options, Budget(deadline=time.monotonic() + given.limit))
    except LimitReached:
        return False
    if not isinstance(answer, Proved | Unknown):
        raise ValueError(f"a bound above the largest ratio is refuted: {answer}")
    return isinstance(answer, Proved)


if __name__ == "__main__":
    main()
