"""The fault of a model that shows only when something is evaluated, as an exception that carries its diagnostic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pfl.base.diagnostics import Diagnostic


class EvaluationFault(Exception):
    """An expression has no value: its diagnostic says where and why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message)

    def with_path(self, notes: Sequence[str]) -> Diagnostic:
        """The diagnostic with what led there, one line each."""
        return replace(self.diagnostic, notes=(*self.diagnostic.notes, *notes))
