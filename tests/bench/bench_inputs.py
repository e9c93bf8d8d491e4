"""How long many inputs take, with and without leaving out comparisons that ask the same. Run by hand."""

from __future__ import annotations

import time

from pfl.driver import check_text
from pfl.options import Options
from pfl.passes import alike

MODEL = """
{declared}
mechanism told(q: [{size}] of 0..2) emits bool -> bool {{
  for x in q {{ emit bernoulli(if x == 0 then {one} else if x == 1 then 1/2 else {other}); }}
  let seen = count(x for x in q if x > 0);
  return bernoulli((1 + seen)/{above});
}}
adjacency near(a: [{size}] of 0..2, b: [{size}] of 0..2) = count(i for i in 0..{last} if a[i] != b[i]) == 1;
compute c: epsilon told {{ adjacent near; }}
"""
KINDS = {"constants": ("", "1/3", "2/3"), "one parameter": ("param p in [1/4, 3/4];", "p", "1 - p")}
LIMIT = 100.0


def seconds(text: str, fewest: int) -> str:
    alike.FEWEST = fewest
    started = time.process_time()
    (result,) = check_text(text, Options(timeout=LIMIT)).results
    took = time.process_time() - started
    return f"{took:.1f} s" if took < LIMIT else f"none in {LIMIT:.0f} s ({type(result.verdict).__name__})"


def main() -> None:
    print("| numbers | inputs | compared alike once | each by itself |")
    print("|---|---|---|---|")
    for kind, (declared, one, other) in KINDS.items():
        for size in (4, 5, 6):
            text = MODEL.format(declared=declared, one=one, other=other, size=size, last=size - 1, above=size + 2)
            print(f"| {kind} | {3**size} | {seconds(text, 200)} | {seconds(text, 10**9)} |", flush=True)


if __name__ == "__main__":
    main()
