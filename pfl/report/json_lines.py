"""The report as JSON lines, an object a line as it is known; docs/reference/json.md and schema.json describe them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pfl.ir.claims import Claim
from pfl.report.json import SCHEMA, declared, json_report
from pfl.verify.tally import Tally
from pfl.verify.verdict import Findings
from pfl.version import __version__


def run_line(claims: Sequence[Claim]) -> str:
    """The first line: what writes, and which claims are to be judged."""
    return _line("run", {"schema": SCHEMA, "version": __version__, "claims": [declared(claim) for claim in claims]})


def part_lines(part: Findings) -> str:
    """A line a diagnostic and a result, with the very objects that the JSON report has for them."""
    report = json_report(part)
    return "".join(
        [_line("diagnostic", found) for found in report["diagnostics"]]
        + [_line("claim", judged) for judged in report["claims"]]
    )


def end_line(tally: Tally) -> str:
    """The last line: numbers of claims, those that are left, and how the run ends."""
    return _line(
        "end",
        {
            "claims": tally.count,
            "as_expected": tally.results - tally.surprises - tally.undecided,
            "not_as_expected": tally.surprises,
            "undecided": tally.undecided,
            "unjudged": [declared(claim) for claim in tally.unjudged],
            "interrupted": bool(tally.interruption),
            "exit_code": tally.exit_code,
        },
    )


def _line(kind: str, value: dict[str, Any]) -> str:
    return json.dumps({kind: value}) + "\n"
