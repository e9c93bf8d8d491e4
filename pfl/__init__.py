"""PFL: a modelling language for privacy, and its compiler `pflc`.

The public interface is what `__all__` lists; everything else may change without notice.

    from pfl import Options, check_file

    findings = check_file("flu.pfl", Options(timeout=60))
    for result in findings.results:
        print(result.claim.name, result.verdict, result.as_expected)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pfl.version import __version__

if TYPE_CHECKING:
    from pfl.base.diagnostics import Diagnostic
    from pfl.driver import Compiled, check_file, check_stream, check_text, compile_file, compile_text
    from pfl.engines.answer import Apart, Computed, Disproved, NoneFound, Proved, Unknown
    from pfl.engines.witness import Witness
    from pfl.model.claims import Claim
    from pfl.options import Options
    from pfl.verify.verdict import ClaimResult, Contradicted, Findings, Found, Refuted, Verdict

__all__ = [
    "Apart",
    "Claim",
    "ClaimResult",
    "Compiled",
    "Computed",
    "Contradicted",
    "Diagnostic",
    "Disproved",
    "Findings",
    "Found",
    "NoneFound",
    "Options",
    "Proved",
    "Refuted",
    "Unknown",
    "Verdict",
    "Witness",
    "__version__",
    "check_file",
    "check_stream",
    "check_text",
    "compile_file",
    "compile_text",
]

_HOMES = {
    "pfl.base.diagnostics": ("Diagnostic",),
    "pfl.driver": ("Compiled", "check_file", "check_stream", "check_text", "compile_file", "compile_text"),
    "pfl.engines.answer": ("Apart", "Computed", "Disproved", "NoneFound", "Proved", "Unknown"),
    "pfl.engines.witness": ("Witness",),
    "pfl.model.claims": ("Claim",),
    "pfl.options": ("Options",),
    "pfl.verify.verdict": ("ClaimResult", "Contradicted", "Findings", "Found", "Refuted", "Verdict"),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `pflc --help` need not load the compiler."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module `pfl` has no attribute `{name}`")
