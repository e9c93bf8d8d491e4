"""Proofs as files: `DIR/<claim>.json` for every claim that was proved with certificates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import click

from pfl.options import Options
from pfl.report.styled import visible
from pfl.verify.proof import proof_of, proof_text, why_no_proof
from pfl.verify.verdict import ClaimResult


class CertificateFolder:
    """The folder that `options.certificates` names, made at once; None is no folder, and nothing is written.

    Raises OSError where the folder cannot be written, and so does `write`.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._folder = None if options.certificates is None else Path(options.certificates)
        self._taken: set[str] = set()
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)

    def write(self, results: Sequence[ClaimResult]) -> None:
        """Write the proofs, and say on standard error which proved claims have none."""
        if self._folder is None:
            return
        for result in results:
            if reason := why_no_proof(result):
                click.echo(f"no certificate for `{visible(result.claim.name)}`: {reason}", err=True)
            proof = proof_of(result, self._options)
            if proof is not None:
                name = _free_name(proof.claim, self._taken)
                (self._folder / f"{name}.json").write_text(proof_text(proof), encoding="ascii")


def _free_name(claim: str, taken: set[str]) -> str:
    """The claim's name in characters that every file system takes, different from those before."""
    base = re.sub(r"[^\w#.-]+", "_", claim).strip(".") or "claim"
    name, number = base, 2
    while name.lower() in taken:
        name, number = f"{base}_{number}", number + 1
    taken.add(name.lower())
    return name
