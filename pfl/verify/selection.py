"""Names of claims that were asked for and that no model declares."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic


def unknown_claims(asked: Sequence[str], declared: Sequence[str]) -> tuple[Diagnostic, ...]:
    """A fault for each name that is not declared."""
    return tuple(unknown_claim(name, declared) for name in dict.fromkeys(asked) if name not in declared)


def unknown_claim(name: str, declared: Sequence[str]) -> Diagnostic:
    close = get_close_matches(name, declared, n=1)
    if close:
        cure = f"did you mean `{close[0]}`?"
    elif declared:
        cure = f"the claims are {', '.join(f'`{other}`' for other in dict.fromkeys(declared))}"
    else:
        cure = "the model declares no claim"
    return Diagnostic(code=codes.UNKNOWN_CLAIM, message=f"there is no claim named `{name}`", help=cure)
