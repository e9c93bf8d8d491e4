"""A claim with those that it is where it is judged apart, so that a text can hold all of them."""

from __future__ import annotations

from dataclasses import replace

from pfl.analysis.polynomial.exceptional import Fixing
from pfl.base.budget import Budget
from pfl.model.claims import Claim
from pfl.model.text.apart import Apart
from pfl.verify.parameters.everywhere import apart, compiled_at


def told_apart(claim: Claim, budget: Budget) -> Claim:
    """The claim with the claims at its exceptional values, and at theirs, in place of what compiles them.

    Raises InputRejected and LimitReached, as compiling them does.
    """
    parts = [part for part in apart(claim, claim.exceptional, budget) if isinstance(part, Fixing)]
    there = ((part.equation, told_apart(compiled_at(claim, part, budget), budget)) for part in parts)
    return replace(claim, anew=Apart(claims=tuple(there)))
