"""Proofs as files: one JSON object a proved claim, `DIR/<claim>.json`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from pfl.verify.verdict import ClaimResult, Findings, Found, Proved

SCHEMA = 1


def write_certificates(findings: Findings, directory: str) -> None:
    """Write the proof of every claim that has one; raises OSError where the directory cannot be written."""
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    taken: set[str] = set()
    for result in findings.results:
        certificates = _certificates(result)
        if certificates:
            name = _free_name(result.claim.name, taken)
            text = json.dumps(_proof(result, certificates), indent=1)
            (folder / f"{name}.json").write_text(text + "\n", encoding="ascii")


def _certificates(result: ClaimResult) -> tuple[dict[str, Any], ...]:
    match result.verdict:
        case Proved(evidence=evidence) | Found(proof=Proved(evidence=evidence)):
            return evidence.certificates
        case _:
            return ()


def _proof(result: ClaimResult, certificates: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    values = dict(result.verdict.values) if isinstance(result.verdict, Found) else {}
    return {
        "schema": SCHEMA,
        "claim": result.claim.name,
        "file": result.claim.origin.file,
        "values": {name: str(value) for name, value in values.items()},
        "certificates": list(certificates),
    }


def _free_name(claim: str, taken: set[str]) -> str:
    """The claim's name in letters that every file system takes, different from those before."""
    base = re.sub(r"[^\w#.-]+", "_", claim) or "claim"
    name, number = base, 2
    while name.lower() in taken:
        name, number = f"{base}_{number}", number + 1
    taken.add(name.lower())
    return name
