"""Numbers as certificates hold them: texts of rationals, and lists of coefficients with their powers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from pfl.base.exact_text import fraction_text
from pfl.base.number import Number


def written(number: Number, names: Sequence[str]) -> Any:
    """A constant or a polynomial in some of the parameters of these names, as docs/reference/certificates.md says."""
    if isinstance(number, Fraction):
        return fraction_text(number)
    scale = dict(number.denominator.terms)[()]
    return [
        [fraction_text(coefficient / scale), [dict(monomial).get(name, 0) for name in names]]
        for monomial, coefficient in number.numerator.terms
    ]
