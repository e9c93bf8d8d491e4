"""How long `pflc check` of a small model takes over bare Python; by hand.

    python tests/bench/bench_start.py [--runs 20]

Every run is a process of its own, and the commands take turns, so that other work on the machine meets all of them
alike. Seconds are those of the processor. Every command runs once before, so that its bytecode is written. Prints a
Markdown table.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
COUNTED = (
    "import sys; from pfl.cli.main import run; run({arguments}); "
    "print(sum(name.partition('.')[0] == 'pfl' for name in sys.modules), file=sys.stderr)"
)
COMMANDS = {
    "bare Python": ("-c", "pass"),
    "click imported": ("-c", "import click"),
    "`pflc --version`": ("-m", "pfl", "--version"),
    "`pflc check examples/weather.pfl`": ("-m", "pfl", "check", "examples/weather.pfl"),
    "`pflc check examples/flu.pfl`": ("-m", "pfl", "check", "examples/flu.pfl"),
}
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    "PYTHONPATH": str(ROOT),
    "OPENBLAS_NUM_THREADS": "1",
}


def seconds(arguments: Sequence[str]) -> float:
    """The seconds of the processor that Python takes with these arguments, in the system as well."""
    running = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode == 0, arguments
    return used.ru_utime + used.ru_stime


def modules(arguments: Sequence[str]) -> str:
    """How many modules of pfl are loaded in the end; nothing for a command that is not pflc's."""
    if arguments[0] != "-m":
        return ""
    program = COUNTED.format(arguments=list(arguments[2:]))
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    return done.stderr.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    runs = parser.parse_args().runs
    counts = {name: modules(arguments) for name, arguments in COMMANDS.items()}
    for arguments in COMMANDS.values():
        _ = seconds(arguments)
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(runs):
        for name, arguments in COMMANDS.items():
            taken[name].append(seconds(arguments))
    bare = median(taken["bare Python"])
    print("| command | least s | median s | median over bare Python s | times bare Python | modules of pfl |")
    print("|---|---|---|---|---|---|")
    for name, times in taken.items():
        middle = median(times)
        figures = f"{min(times):.3f} | {middle:.3f} | {middle - bare:.3f} | {middle / bare:.1f}"
        print(f"| {name} | {figures} | {counts[name]} |")


if __name__ == "__main__":
    main()
