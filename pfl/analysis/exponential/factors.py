"""The irreducible factors of a polynomial in x and y = e^x."""

from __future__ import annotations

from pfl.analysis.exponential.normal_form import NormalForm
from pfl.analysis.exponential.polynomial import ExponentialPolynomial
from pfl.base.struct import struct


@struct(kw_only=False)
class Factor:
    """An irreducible factor in Q[t, y], and how often it divides."""

    polynomial: ExponentialPolynomial
    multiplicity: int

    def written(self) -> list[list[int | str]]:
        """Its terms as JSON: power of t, exponent of y, coefficient."""
        return [[power, rate, str(value)] for (power, rate), value in sorted(self.polynomial.terms.items())]


def factors_of(normal: NormalForm) -> tuple[int, list[Factor]]:
    """A constant and factors, of which the polynomial is the product."""
    from flint import Ordering, fmpz_mpoly_ctx

    context = fmpz_mpoly_ctx.get(("t", "y"), Ordering.lex)
    constant, found = context.from_dict(normal.terms).factor()
    return int(constant), [
        Factor(
            ExponentialPolynomial({(int(i), int(k)): int(value) for (i, k), value in factor.to_dict().items()}),
            int(multiplicity),
        )
        for factor, multiplicity in found
    ]
