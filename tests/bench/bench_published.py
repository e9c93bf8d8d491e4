"""Mechanisms with noise without bounds that other tools were tried on, in models of our own; by hand.

    python tests/bench/bench_published.py [--only TEXT] [--limit 60]

Each row is a file of its own and a `pflc check` of its own, whose seconds are those of the processor, starting Python
included. The words behind a mechanism say what it draws and what is claimed. What a paper says of a row stands beside
it, as far as it is known; no figure is made up. Prints Markdown tables, and complains of a verdict that is another one
than that of the paper.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from published_mechanisms import Row
from published_rows import GROUPS

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a check said, and its seconds of the processor."""

    verdict: str
    seconds: float


def run(row: Row, limit: float) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        model, report = Path(folder, "model.pfl"), Path(folder, "report.json")
        model.write_text(row.text, encoding="utf-8")
        command = [sys.executable, "-m", "pfl", "check", "--format", "json", "--timeout", str(limit), *row.options]
        with report.open("w", encoding="utf-8") as out:
            running = subprocess.Popen([*command, str(model)], cwd=ROOT, env=ENVIRONMENT, stdout=out)
            _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        found = json.loads(report.read_text(encoding="utf-8"))
    return Run(verdict=verdict_of(found), seconds=used.ru_utime + used.ru_stime)


def verdict_of(report: dict[str, list[dict[str, object]]]) -> str:
    if not report["claims"]:
        return f"rejected: {report['diagnostics'][0]['code']}"
    (claim,) = report["claims"]
    match claim["verdict"]:
        case "proved":
            return "holds"
        case "refuted":
            return "fails"
        case "computed":
            bound = claim["bound"]
            assert isinstance(bound, dict)
            log = bound["log"] if bound["log"] is not None else bound["lower_log"]
            return "inf" if log is None else f"{log:.4f}"
        case _:
            return f"unknown: {claim['reason']}"


def times_faster(took: str | None, seconds: float) -> str:
    """How many times our seconds a published figure is; nothing for what is no single figure."""
    try:
        return f"{float((took or '').replace(',', '')) / seconds:,.0f}"
    except ValueError:
        return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=60.0)
    given = parser.parse_args()
    for group, rows_of in GROUPS.items():
        rows = [row for row in rows_of() if given.only in f"{group}: {row.mechanism}"]
        if not rows:
            continue
        print(f"\n{group}: {len(rows)} rows\n")
        print("| mechanism | claim | published | pflc | published s | pflc s | ratio |")
        print("|---|---|---|---|---|---|---|")
        runs = []
        for row in rows:
            done = run(row, given.limit)
            runs.append(done)
            ours = done.verdict
            if row.claim != "computed" and row.said not in (None, ours):
                ours = f"**{ours}**"
            figures = f"{row.took or ''} | {done.seconds:.2f} | {times_faster(row.took, done.seconds)}"
            print(f"| {row.mechanism} | {row.claim} | {row.said or ''} | {ours} | {figures} |", flush=True)
        seconds = [done.seconds for done in runs]
        print(f"\ntogether {sum(seconds):.1f} s, the slowest {max(seconds):.1f} s")


if __name__ == "__main__":
    main()
