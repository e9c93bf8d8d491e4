"""Runs random cases and prints what disagrees: `python -m tests.fidelity.search --kind hmm --seed 0 --count 500`."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from .generate import KINDS, case_of
from .judge import Judge


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", choices=[*KINDS, "all"], default="all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--timeout", type=float, default=10.0, help="seconds a claim")
    parser.add_argument("--set-points", type=int, default=0, help="at how many points --set is asked; 0: all")
    parser.add_argument("--several", type=float, default=0.15, help="how many of the models have two parameters")
    parser.add_argument("--regular", action="store_true", help="no weight vanishes: what is wrong has other causes")
    parser.add_argument("--punctured", action="store_true", help="values at which a weight vanishes are left out")
    parser.add_argument("--keep", type=Path, help="a folder to which models that disagree are written")
    parser.add_argument("--show", action="store_true", help="print every model before it is judged")
    parser.add_argument("--sort", action="append", help="print only these sorts of disagreements")
    arguments = parser.parse_args()
    judge = Judge(timeout=arguments.timeout, set_points=arguments.set_points, answers={})
    sorts: Counter[str] = Counter()
    began = time.monotonic()
    kinds = list(KINDS) if arguments.kind == "all" else [arguments.kind]
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        for kind in kinds:
            settings = {name: getattr(arguments, name) for name in ("several", "regular", "punctured")}
            case = case_of(kind, seed, **settings)
            if arguments.show:
                print(f"// {kind} {seed}\n{case.text}", flush=True)
            try:
                found = list(judge.disagreements(case))
            except Exception:
                print(f"== fault: {kind} seed {seed}\n{case.text}\n{traceback.format_exc()}", flush=True)
                sorts[f"{kind}: fault"] += 1
                continue
            for disagreement in found:
                sorts[f"{kind}: {disagreement.sort}"] += 1
                if arguments.sort and disagreement.sort not in arguments.sort:
                    continue
                text = f"// {kind} seed {seed}, {disagreement.sort}: {disagreement.problem}\n{disagreement.text}"
                print(f"== {text}", flush=True)
                if arguments.keep:
                    arguments.keep.mkdir(parents=True, exist_ok=True)
                    name = disagreement.asked.name if disagreement.asked else "model"
                    (arguments.keep / f"{kind}_{seed}_{name}.pfl").write_text(text)
    seconds = round(time.monotonic() - began)
    print(f"{judge.judged} claims, {judge.unknown} unknown, {judge.refused} models refused, {seconds} s")
    print("answers:", judge.answers)
    print("disagreements:", dict(sorts) or "none")
    return 1 if sorts else 0


if __name__ == "__main__":
    sys.exit(main())
