"""What tests of claims about chains ask of a model given as text."""

from __future__ import annotations

from typing import Any

from pfl.driver import check_text
from pfl.engines.answer import Computed, Proved
from pfl.verify.verdict import Contradicted, Verdict


def verdicts(model: str) -> list[Verdict]:
    findings = check_text(model)
    assert findings.exit_code in (0, 1), [diagnostic.message for diagnostic in findings.diagnostics]
    return [result.verdict for result in findings.results]


def numbers(model: str) -> list[Any]:
    """The values of computes."""
    found = verdicts(model)
    assert all(isinstance(verdict, Computed) for verdict in found)
    return [verdict.value for verdict in found if isinstance(verdict, Computed)]


def entries(verdict: Verdict) -> list[tuple[str, Any, str]]:
    """(name, value, arguments) of the values of a verdict."""
    assert isinstance(verdict, Computed | Proved | Contradicted)
    return [
        (named.name, named.value, ", ".join(f"{name} = {value}" for name, value in named.arguments))
        for named in verdict.values
    ]


def codes(model: str) -> list[str]:
    return [str(diagnostic.code) for diagnostic in check_text(model).diagnostics]
