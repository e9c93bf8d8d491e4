"""Every format, and results in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from xml.etree import ElementTree

from pfl.report.details import render_concise
from pfl.report.human import render_findings
from pfl.report.json import render_json
from pfl.report.junit import render_junit
from pfl.report.sarif import render_sarif
from pfl.report.styled import plain
from pfl.verify.verdict import ClaimResult, Findings

FORMATS: dict[str, Callable[[Findings], str]] = {
    "human": lambda findings: plain(render_findings(findings, None)),
    "concise": render_concise,
    "json": render_json,
    "sarif": render_sarif,
    "junit": render_junit,
}


def rendered(output_format: str, result: ClaimResult) -> str:
    text = FORMATS[output_format](Findings(results=(result,)))
    if output_format in ("json", "sarif"):
        json.loads(text)
    elif output_format == "junit":
        ElementTree.fromstring(text)
    return text
