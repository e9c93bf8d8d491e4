"""Numbers of chains that hold exponentials: polynomials in x and z, with the signs that a certificate shows."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pfl.analysis.exponential.polynomial import ExponentialPolynomial
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.measure import Measure
from pfl.model.parameters import ExponentialSpace
from pfl.verify.certificates.certificate_format import Malformed, Unshown
from pfl.verify.certificates.exact.numbers import Domain
from pfl.verify.certificates.exact.one_parameter import is_never_positive, whole
from pfl.verify.certificates.exact.polynomials import Poly, Quotient, Terms
from pfl.verify.certificates.exact.region import Region
from pfl.verify.certificates.exponentials.claims import stated_unit
from pfl.verify.certificates.exponentials.signs import Signs, listed

MOST_SIGNS = 100_000


def domain_of(record: dict[str, Any], question: Measure, budget: Budget) -> Domain:
    """Where the numbers of a question are functions. Raises Malformed where a certificate is about another place, and
    LimitReached."""
    names = record.get("parameters")
    if question.exponents is not None:
        if not isinstance(names, list) or len(names) != 2 or names[0] != question.exponents.base:
            raise Malformed("`parameters` must be that of the claim, and its exponential")
        return ExponentialDomain.of(record, names[1], question.exponents, budget)
    if names != list(question.parameters.names):
        raise Malformed(f"`parameters` must be those of the claim: {', '.join(question.parameters.names) or 'none'}")
    return Region.of(question.parameters, budget)


@struct(eq=False)
class ExponentialDomain:
    """All x of a space, with z = e^(-x/unit); stated polynomials are in x and z^`step`.

    The functions in `shown` are negative for none of them. As for a region, an answer is yes, or nothing is said.
    """

    names: tuple[str, ...]
    signs: Signs
    step: Fraction
    shown: tuple[ExponentialPolynomial, ...]

    @staticmethod
    def of(record: dict[str, Any], exponential: Any, space: ExponentialSpace, budget: Budget) -> ExponentialDomain:
        """That of a certificate, its signs shown again. Raises Malformed, LimitReached."""
        unit = stated_unit(exponential, space)
        signs = Signs(space, unit)
        entries = listed(record.get("signs", []), "`signs`")
        if len(entries) > MOST_SIGNS:
            raise Malformed(f"`signs` holds more than {MOST_SIGNS:,}")
        shown = []
        for number, entry in enumerate(entries):
            budget.check(f"{number:,} signs were shown again")
            if not isinstance(entry, dict):
                raise Malformed("each of `signs` must be an object")
            stated = Signs.stated(entry)
            signs.prove(stated, entry)
            shown.append(stated)
        return ExponentialDomain(names=signs.names, signs=signs, step=Fraction(space.unit, unit), shown=tuple(shown))

    def read(self, number: Number) -> Quotient:
        """A number of the claim. Raises Unshown."""
        return self.signs.quotient(number)

    def reduced(self, polynomial: Poly) -> Poly:
        """A polynomial of a certificate, in the unit of the claim. Raises Malformed."""
        if self.step == 1:
            return polynomial
        found: Terms = {}
        for (x, z), value in polynomial.terms.items():
            power = z * self.step
            if power.denominator != 1:
                raise Malformed("a polynomial holds powers that the numbers of the claim do not have")
            found[x, int(power)] = value
        return Poly(found)

    def is_never_positive(self, polynomial: Poly) -> bool:
        """Whether it is shown that a polynomial is positive for no x."""
        if all(coefficient <= 0 for coefficient in polynomial.terms.values()):
            return True
        is_in_z = not polynomial.mentions(0)
        if is_in_z and is_never_positive(whole(polynomial.along(1)), Fraction(0), Fraction(1)):
            return True
        return any(self._is_shown(-polynomial, stated) for stated in self.shown)

    def _is_shown(self, polynomial: Poly, stated: ExponentialPolynomial) -> bool:
        try:
            return self.signs.is_multiple(polynomial, stated)
        except Unshown:
            return False

    def has_no_root(self, polynomial: Poly) -> bool:
        """Whether it is shown that a polynomial is 0 for no x."""
        return self.signs.is_nowhere_zero(polynomial)
