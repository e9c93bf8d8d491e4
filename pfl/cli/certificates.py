"""Proofs as files: `DIR/<claim>.json` for every claim that was proved with certificates."""

from __future__ import annotations

import re
from pathlib import Path

import click

from pfl.options import Options
from pfl.report.styled import visible
from pfl.verify.proof import proof_of, proof_text, why_no_proof
from pfl.verify.verdict import Findings


def write_certificates(findings: Findings, directory: str, options: Options) -> None:
    """Write the proofs, and say on standard error which proved claims have none; raises OSError where the directory
    cannot be written."""
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    taken: set[str] = set()
    for result in findings.results:
        if reason := why_no_proof(result):
            click.echo(f"no certificate for `{visible(result.claim.name)}`: {reason}", err=True)
        proof = proof_of(result, options)
        if proof is not None:
            name = _free_name(proof.claim, taken)
            (folder / f"{name}.json").write_text(proof_text(proof), encoding="ascii")


def _free_name(claim: str, taken: set[str]) -> str:
    """The claim's name in characters that every file system takes, different from those before."""
    base = re.sub(r"[^\w#.-]+", "_", claim).strip(".") or "claim"
    name, number = base, 2
    while name.lower() in taken:
        name, number = f"{base}_{number}", number + 1
    taken.add(name.lower())
    return name
