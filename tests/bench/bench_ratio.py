"""The ratio engine on families of random systems, by hand:
`OPENBLAS_NUM_THREADS=1 python tests/bench/bench_ratio.py [NAME...]` (as `pflc` sets it). A name is that of a
system, or of a family of six seeds, such as "sticky 8, 50"; families are not measured unless they are named.

Prints the processor time of the exact largest ratio with its proof, and of the independent check of that proof.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from pfl.analysis.ratio.certificate import FrontProof
from pfl.analysis.ratio.obligation import Settled
from pfl.analysis.ratio.question import Ratios
from pfl.base.budget import Budget
from pfl.model.labelled_system import LabelledSystem, Vector
from pfl.verify.certificates.certificate import verify_certificate


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A system, two starts, and a length, None for every length."""

    system: LabelledSystem
    left: Vector
    right: Vector
    length: int | None


def distribution(source: random.Random, size: int, most: int = 9) -> Vector:
    weights = [source.randint(1, most) for _ in range(size)]
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


def hidden_markov(moves: list[Vector], shows: list[Vector]) -> LabelledSystem:
    """The letters are the observations; the state emits, then moves."""
    return LabelledSystem(
        states=tuple(f"s{state}" for state in range(len(moves))),
        letters=tuple(f"a{letter}" for letter in range(len(shows[0]))),
        matrices=tuple(
            tuple(
                tuple((target, show[letter] * weight) for target, weight in enumerate(row) if weight)
                for row, show in zip(moves, shows)
            )
            for letter in range(len(shows[0]))
        ),
    )


def unit(size: int, state: int) -> Vector:
    return tuple(Fraction(int(place == state)) for place in range(size))


def dense(seed: int, size: int, letters: int, length: int | None) -> Instance:
    source = random.Random(seed)
    moves = [distribution(source, size) for _ in range(size)]
    system = hidden_markov(moves, [distribution(source, letters) for _ in range(size)])
    return Instance(system=system, left=distribution(source, size), right=distribution(source, size), length=length)


def sparse(seed: int, size: int, letters: int, length: int | None) -> Instance:
    """Two successors a state, compared from two states."""
    source = random.Random(seed)
    moves = []
    for _ in range(size):
        row = [Fraction(0)] * size
        for target, weight in zip(source.sample(range(size), 2), distribution(source, 2)):
            row[target] = weight
        moves.append(tuple(row))
    system = hidden_markov(moves, [distribution(source, letters) for _ in range(size)])
    return Instance(system=system, left=unit(size, 0), right=unit(size, 1), length=length)


def sticky(seed: int, size: int, letters: int, length: int | None) -> Instance:
    """States that are left with probability 1/20 and are only weakly told apart."""
    source = random.Random(seed)
    stay = Fraction(19, 20)
    moves = []
    for state in range(size):
        row = [weight * (1 - stay) for weight in distribution(source, size - 1)]
        moves.append((*row[:state], stay, *row[state:]))
    shows = [
        tuple((Fraction(1, letters) + weight) / 2 for weight in distribution(source, letters, 3)) for _ in range(size)
    ]
    return Instance(
        system=hidden_markov(moves, shows),
        left=distribution(source, size),
        right=distribution(source, size),
        length=length,
    )


def two_states(length: int | None) -> Instance:
    flip, wrong = Fraction(3, 20), Fraction(1, 4)
    system = hidden_markov([(1 - flip, flip), (flip, 1 - flip)], [(1 - wrong, wrong), (wrong, 1 - wrong)])
    return Instance(system=system, left=unit(2, 0), right=unit(2, 1), length=length)


INSTANCES: dict[str, Callable[[], Instance]] = {
    "two states, any": lambda: two_states(None),
    "dense 3, any": lambda: dense(0, 3, 3, None),
    "dense 3, 5": lambda: dense(0, 3, 3, 5),
    "dense 16, 20": lambda: dense(0, 16, 4, 20),
    "dense 16, 100": lambda: dense(0, 16, 4, 100),
    "dense 16, 200": lambda: dense(0, 16, 4, 200),
    "sparse 32, 30": lambda: sparse(2, 32, 3, 30),
    "sparse 32, 100": lambda: sparse(2, 32, 3, 100),
    "sparse 32x4, 40": lambda: sparse(3, 32, 4, 40),
    "sparse 32x4, 100": lambda: sparse(1, 32, 4, 100),
    "sticky 4, 20": lambda: sticky(0, 4, 3, 20),
    "sticky 8, 20": lambda: sticky(1, 8, 3, 20),
}

SEEDS = range(6)
FAMILIES: dict[str, Callable[[int], Instance]] = {
    "sparse 64, 50": lambda seed: sparse(seed, 64, 3, 50),
    "sticky 8, 50": lambda seed: sticky(seed, 8, 3, 50),
    "sticky 16, 20": lambda seed: sticky(seed, 16, 3, 20),
}
"""Systems that differ a lot by their seed, measured only where they are named; some take many minutes."""


def measure(name: str, instance: Instance) -> None:
    started = time.process_time()
    ratios = Ratios(budget=Budget())
    task = ratios.obligation(instance.system, instance.left, instance.right)
    if instance.length is None:
        outcome = ratios.largest_of_every_length(task, Fraction(0))
    else:
        outcome = ratios.largest(task, instance.length, Fraction(0))
    searched = time.process_time() - started
    if not isinstance(outcome, Settled):
        print(f"{name:<22} {searched:9.3f}  {type(outcome).__name__}", flush=True)
        return
    proof = outcome.proof
    levels = Counter(kept.level for kept in proof.kept) if isinstance(proof, FrontProof) else Counter[int]()
    certificate = proof.certificate()
    started = time.process_time()
    faults = verify_certificate(
        certificate,
        instance.system,
        instance.left,
        instance.right,
        outcome.bound,
        length="any" if instance.length is None else instance.length,
        budget=Budget(),
    )
    checked = time.process_time() - started
    widest = max(levels.values(), default=0)
    print(
        f"{name:<22} {searched:9.3f} {checked:9.3f} {len(levels):7} {levels.total():7} {widest:7}  "
        f"{float(outcome.bound):.9f}  {'; '.join(faults)}",
        flush=True,
    )


def main(names: list[str]) -> None:
    print(f"{'system':<22} {'search s':>9} {'check s':>9} {'levels':>7} {'kept':>7} {'widest':>7}  ratio")
    for name, build in INSTANCES.items():
        if not names or name in names:
            measure(name, build())
    for family, of_seed in FAMILIES.items():
        for seed in SEEDS:
            name = f"{family}, seed {seed}"
            if family in names or name in names:
                measure(name, of_seed(seed))


if __name__ == "__main__":
    main(sys.argv[1:])
