"""How long the slot system takes: built, proved at its tight value, and the value computed. Run by hand."""

from __future__ import annotations

import time

from pfl.driver import check_text
from pfl.engines.answer import Computed, Proved

MODEL = """
import std.noise {{ truncated_geometric }};
mechanism counted(all: bag[{room}] of {points}) -> int {{ return truncated_geometric(1/2, size(all), 0, {room}); }}
mechanism summed(all: bag[{room}] of {points}) -> int {{
    return truncated_geometric(1/2, sum(all), {low}*{room}, {room});
}}
automaton slots(t: int, v: int) {{
    data d: {points};
    query y: {{ count, sum }};
    state bags: [t] of bag[v] of {points} = empty;
    state cur: 0..t - 1 = 0;
    on data d {{ if size(bags[cur]) < v {{ bags[cur] = add(bags[cur], d); }} }}
    on query y {{
        respond match y {{ count => counted(union(bags)), sum => summed(union(bags)) }};
        cur = (cur + 1) mod t;
        bags[cur] = empty;
    }}
}}
"""
BITS, SIGNS, SMALL = ("0..1", 0), ("{-1, 1}", -1), ("-1..1", -1)
SYSTEMS = [
    *((2, 2, points) for points in (BITS, SIGNS, SMALL)),
    *((3, 2, points) for points in (BITS, SIGNS, SMALL)),
    *((3, 3, points) for points in (BITS, SIGNS)),
    *((4, 2, points) for points in (BITS, SIGNS)),
    *((5, 2, points) for points in (BITS, SIGNS)),
]


def seconds(text: str, wanted: type) -> tuple[float, object]:
    started = time.perf_counter()
    (result,) = check_text(text).results
    assert isinstance(result.verdict, wanted), result.verdict
    return time.perf_counter() - started, result.verdict


def main() -> None:
    print("| t, v, points | tight ratio | proved, and checked again | computed |")
    print("|---|---|---|---|")
    for t, v, (points, low) in SYSTEMS:
        model = MODEL.format(room=t * v, points=points, low=low)
        system = f"slots({t}, {v})"
        computed, verdict = seconds(f"{model} compute epsilon {system};", Computed)
        assert isinstance(verdict, Computed)
        assert verdict.bound is not None
        ratio = verdict.bound.ratio
        proved, _ = seconds(f"{model} check noninterference {system} {{ epsilon ln({ratio}); }}", Proved)
        print(f"| {t}, {v}, {points} | {ratio} | {proved:.1f} s | {computed:.1f} s |", flush=True)


if __name__ == "__main__":
    main()
