"""The irreducible factors of a polynomial in x and y = e^x."""

from __future__ import annotations

from fractions import Fraction

from pfl.analysis.exponential.normal_form import NormalForm
from pfl.analysis.exponential.polynomial import ExponentialPolynomial
from pfl.base.struct import struct


@struct(kw_only=False)
class Factor:
    """An irreducible factor in Q[t, y] with integer coefficients, and how often it divides."""

    polynomial: ExponentialPolynomial
    multiplicity: int

    def written(self) -> list[list[int | str]]:
        """Its terms as JSON: power of t, exponent of y, coefficient."""
        return [[power, rate, str(value)] for (power, rate), value in sorted(self.polynomial.terms.items())]


def factors_of(normal: NormalForm) -> tuple[Fraction, list[Factor]]:
    """A constant and factors, of which the polynomial is the product.

    Over Q, since flint's sorting of factors over Z overflows where their coefficients are large (python-flint 0.9).
    """
    from flint import Ordering, fmpq_mpoly_ctx

    context = fmpq_mpoly_ctx.get(("t", "y"), Ordering.lex)
    leading, found = context.from_dict(normal.terms).factor()
    constant, factors = Fraction(int(leading.p), int(leading.q)), []
    for factor, multiplicity in found:
        terms = {
            (int(power), int(rate)): Fraction(int(value.p), int(value.q))
            for (power, rate), value in factor.to_dict().items()
        }
        polynomial = ExponentialPolynomial.of(terms)
        constant /= polynomial.denominator ** int(multiplicity)
        factors.append(Factor(ExponentialPolynomial(polynomial.terms), int(multiplicity)))
    return constant, factors
