"""Which claims are judged: those whose names were asked for."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic
from pfl.ir.claims import Claim


def select_claims(
    models: Sequence[Sequence[Claim]], names: Sequence[str]
) -> tuple[tuple[Claim, ...], tuple[Diagnostic, ...]]:
    """The claims of all models that bear one of the names (all, if there are no names), and a fault for each name
    that no claim bears; with a fault nothing is selected."""
    claims = tuple(claim for model in models for claim in model)
    if not names:
        return claims, ()
    known = list(dict.fromkeys(claim.name for claim in claims))
    unknown = tuple(unknown_claim(name, known) for name in dict.fromkeys(names) if name not in known)
    return () if unknown else tuple(claim for claim in claims if claim.name in names), unknown


def unknown_claim(name: str, known: Sequence[str]) -> Diagnostic:
    close = get_close_matches(name, known, n=1)
    if close:
        cure = f"did you mean `{close[0]}`?"
    elif known:
        cure = f"the claims are {', '.join(f'`{other}`' for other in known)}"
    else:
        cure = "the model declares no claim"
    return Diagnostic(code=codes.UNKNOWN_CLAIM, message=f"there is no claim named `{name}`", help=cure)
