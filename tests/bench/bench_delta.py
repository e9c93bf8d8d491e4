"""The delta of every length, by nearby directions and by directions one by one; by hand.

    OPENBLAS_NUM_THREADS=1 python tests/bench/bench_delta.py [--limit 20]

Random hidden Markov models, the systems of `bench_ratio.py`, compared from two states. Seconds are those of the
processor. Prints a Markdown table: how wide the interval is after which time, in both ways.
"""

from __future__ import annotations

import argparse
import time
from fractions import Fraction

from bench_ratio import Instance, dense, sparse, sticky, unit

from pfl.analysis.excess import excess as excess_module
from pfl.analysis.excess.excess import Excess
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached

BOUND = Fraction(6, 5)
FAMILIES = (
    *(
        (f"dense {size} states, 3 letters, seed {seed}", dense(seed, size, 3, None))
        for size in (3, 5)
        for seed in (0, 1)
    ),
    *(
        (f"sparse {size} states, 3 letters, seed {seed}", sparse(seed, size, 3, None))
        for size in (3, 5)
        for seed in (0, 1)
    ),
    *(
        (f"sticky {size} states, 3 letters, seed {seed}", sticky(seed, size, 3, None))
        for size in (2, 3)
        for seed in (0, 1)
    ),
)


def measured(instance: Instance, many: int, limit: float) -> str:
    size = len(instance.system.states)
    excess_module.MANY = many
    started = time.process_time()
    excess = Excess(
        instance.system, unit(size, 0), unit(size, 1), BOUND, None, Budget(deadline=time.monotonic() + limit)
    )
    try:
        excess.settle(None)
        said = ""
    except LimitReached:
        said = ", not ended"
    return f"{float(excess.at_most - excess.at_least):.0e} ({time.process_time() - started:.1f} s{said})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=20.0)
    limit = parser.parse_args().limit
    print("| system | one by one | nearby |")
    print("|---|---|---|")
    for name, instance in FAMILIES:
        print(f"| {name} | {measured(instance, 10**9, limit)} | {measured(instance, 4096, limit)} |", flush=True)


if __name__ == "__main__":
    main()
