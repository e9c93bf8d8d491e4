"""How long the slot system takes: built, proved at its tight value, and the value computed. Run by hand."""

from __future__ import annotations

import time

from pfl.driver import check_text
from pfl.verify.verdict import Computed, Proved

MODEL = """
import std.automata {{ slots }};
import std.noise {{ truncated_geometric }};
mechanism counted(all: bag[{room}] of {low}..1) -> int {{ return truncated_geometric(1/2, size(all), 0, {room}); }}
mechanism summed(all: bag[{room}] of {low}..1) -> int {{
    return truncated_geometric(1/2, sum(all), {low}*{room}, {room});
}}
"""
SYSTEMS = [(2, 2, 0), (2, 2, -1), (3, 2, 0), (3, 2, -1), (3, 3, 0), (4, 2, 0)]


def seconds(text: str, wanted: type) -> tuple[float, object]:
    started = time.perf_counter()
    (result,) = check_text(text).results
    assert isinstance(result.verdict, wanted), result.verdict
    return time.perf_counter() - started, result.verdict


def main() -> None:
    print("| t, v, points | tight ratio | proved, and checked again | computed |")
    print("|---|---|---|---|")
    for t, v, low in SYSTEMS:
        model = MODEL.format(room=t * v, low=low)
        system = f"slots({t}, {v}, {low}, 1, 2, [counted, summed])"
        computed, verdict = seconds(f"{model} compute epsilon {system};", Computed)
        assert isinstance(verdict, Computed)
        assert verdict.bound is not None
        ratio = verdict.bound.ratio
        proved, _ = seconds(f"{model} check noninterference {system} {{ epsilon ln({ratio}); }}", Proved)
        print(f"| {t}, {v}, {low}..1 | {ratio} | {proved:.1f} s | {computed:.1f} s |", flush=True)


if __name__ == "__main__":
    main()
