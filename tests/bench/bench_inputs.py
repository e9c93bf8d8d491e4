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


CHOSEN = """
param z in (0, 1);
mechanism by_ballots(votes: [{voters}] of 0..4) -> 0..4 {{
  let won: [5] of 0..{voters} = [count(x for x in votes if x == c) for c in 0..4];
  let total = sum(z^({voters} - won[c]) for c in 0..4);
  return {{ c: z^({voters} - won[c])/total for c in 0..4 }};
}}
mechanism by_scores(scores: [5] of 0..4) -> 0..4 {{
  let total = sum(z^(4 - scores[c]) for c in 0..4);
  return {{ c: z^(4 - scores[c])/total for c in 0..4 }};
}}
adjacency one_vote(a: [{voters}] of 0..4, b: [{voters}] of 0..4) = count(i for i in 0..{last} if a[i] != b[i]) <= 1;
adjacency by_one(a: [5] of 0..4, b: [5] of 0..4) = forall i in 0..4: abs(a[i] - b[i]) <= 1;
check c: privacy {mechanism} {{ adjacent {adjacency}; epsilon 2*ln(1/z); }}
"""
"""The exponential mechanism: by ballots, of which one changes, and by scores, each of which moves by at most one."""
ROWS = (("by_ballots", "one_vote", 5), ("by_ballots", "one_vote", 6), ("by_scores", "by_one", 5))


def main() -> None:
    print("| exponential mechanism, all z | inputs | one check |")
    print("|---|---|---|")
    for mechanism, adjacency, voters in ROWS:
        text = CHOSEN.format(mechanism=mechanism, adjacency=adjacency, voters=voters, last=voters - 1)
        print(f"| {mechanism} | {5**voters:,} | {seconds(text, alike.FEWEST)} |", flush=True)
    print("| numbers | inputs | compared alike once | each by itself |")
    print("|---|---|---|---|")
    for kind, (declared, one, other) in KINDS.items():
        for size in (4, 5, 6):
            text = MODEL.format(declared=declared, one=one, other=other, size=size, last=size - 1, above=size + 2)
            print(f"| {kind} | {3**size} | {seconds(text, 200)} | {seconds(text, 10**9)} |", flush=True)


if __name__ == "__main__":
    main()
