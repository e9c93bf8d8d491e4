"""How long the phases of a text take as a file grows: reading, names and types, the first claim, layout. By hand.

    python tests/bench/bench_text.py [--lines 2250 4500 9000] [--profile PHASE]

The file is made of parts that hold declarations of every kind, each with names of its own. Its claims are cheap, and
one is judged. Seconds are those of the processor, the least of some runs, within one process, after the modules are
loaded; the last two columns are whole commands. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import os
import pstats
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pfl.base.source import SourceFile
from pfl.driver import check_text
from pfl.options import Options
from pfl.syntax.modules import load_program
from pfl.syntax.parse.scanner import scan
from pfl.syntax.printing.printer import format_source
from pfl.typecheck.program import check_program

ROOT = Path(__file__).parents[2]
PART = """
/// How likely it is that somebody of group @ is ill.
param ill@ in (0, 1/2);
const most@ = @ mod 3 + 2;
enum Health@ { well@, unwell@, sick@ }
record Visit@ { age: 0..2, health: Health@ }
type Count@ = 0..2;
assume ill@ < 1/2;

fn clamped@(x: int, low: int, high: int): int = if x < low then low else if x > high then high else x;
fn worse@(a: Health@, b: Health@): bool = (a == well@ and b != well@) or (a == unwell@ and b == sick@);

// Noise that is told exactly: half of the time the count itself.
dist noisy@(x: int) over 0..2 = {
    clamped@(x + d, 0, 2): if d == 0 then 1/2 else 1/4 for d in -1..1
};

hmm Ward@ {
    states calm@, busy@;
    init  calm@: 3/5, busy@: 2/5;
    calm@ -> calm@: 7/10, busy@: 3/10;
    busy@ -> calm@: 2/5, busy@: 3/5;
    calm@ emits none: 1/10, few: 2/5, many: 1/2;
    busy@ emits none: 3/5, few: 3/10, many: 1/10;
}

hmm Survey@ {
    state count: Count@;
    emit  noisy@(count);
}

prior independent@(w: real) for Survey@ {
    john ~ bernoulli(w);
    mary ~ bernoulli(w);
    start count = count(s for s in [john, mary] if s);
}

mechanism told@(visits: [2] of bool, const keep: int) emits bool -> 0..2 {
    var seen = 0;
    for v in visits {
        let shown ~ bernoulli(if v then keep / 4 else 1 - keep / 4);
        emit shown;
        if shown and seen < most@ { seen = seen + 1; }
    }
    return seen;
}
adjacency near@(a: [2] of bool, b: [2] of bool) = count(i for i in 0..1 if a[i] != b[i]) == 1;

check ward@: pufferfish Ward@ { secrets calm@ vs busy@; epsilon ln(6); length 1; }
check survey@: pufferfish Survey@ {
    prior    independent@(ill@);
    secrets  john vs not john;
    epsilon  ln(4);
    length   1;
}
compute told_epsilon@: epsilon told@(3) { adjacent near@; }   // what one answer costs
"""
RUNS = 3


def text_of(lines: int) -> str:
    """A model of about so many lines."""
    size = PART.count("\n")
    return "".join(PART.replace("@", str(number)) for number in range(max(1, lines // size)))


def phases(text: str) -> dict[str, Callable[[], object]]:
    """What is measured, each by itself."""
    file = SourceFile(name="large.pfl", text=text)
    loaded = load_program(file, _nothing)
    return {
        "tokens": lambda: scan(file),
        "tree": lambda: load_program(file, _nothing),
        "names and types": lambda: check_program(loaded),
        "one claim in all": lambda: check_text(text, Options(claims=("ward0",))),
        "layout in all": lambda: format_source(file),
    }


def _nothing(location: str) -> SourceFile:
    raise FileNotFoundError(location)


def seconds(work: Callable[[], object]) -> float:
    """The least seconds of the processor of some runs; what one run leaves behind is no part of the next."""
    found = []
    for _ in range(RUNS):
        gc.collect()
        started = time.process_time()
        _ = work()
        found.append(time.process_time() - started)
    return min(found)


def command_seconds(text: str, *arguments: str) -> float:
    """The least seconds of the processor of some runs of `pflc` on a file of this text."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.pfl")
        path.write_text(text, encoding="utf-8")
        for _ in range(RUNS):
            command = [sys.executable, "-m", "pfl", *arguments, str(path)]
            running = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(status)
            assert running.returncode in (0, 1), arguments
            found.append(used.ru_utime + used.ru_stime)
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, nargs="+", default=[2250, 4500, 9000])
    parser.add_argument("--profile", help="tell what this phase spends its time in, for the last size")
    arguments = parser.parse_args()
    if arguments.profile:
        profile = cProfile.Profile()
        profile.runcall(phases(text_of(arguments.lines[-1]))[arguments.profile])
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)
        return
    for row, lines in enumerate(arguments.lines):
        text = text_of(lines)
        figures = {name: seconds(work) for name, work in phases(text).items()}
        figures["`check --claim`"] = command_seconds(text, "check", "--claim", "ward0")
        figures["`fmt --check`"] = command_seconds(text, "fmt", "--check")
        if not row:
            print(f"| lines | {' | '.join(figures)} |\n|{'---|' * (len(figures) + 1)}")
        print(
            f"| {text.count(chr(10)):,} | {' | '.join(f'{figure:.2f} s' for figure in figures.values())} |", flush=True
        )


if __name__ == "__main__":
    main()
