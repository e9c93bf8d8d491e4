"""The numbers of a model in the arithmetic of a check: rationals, or polynomials over one common denominator."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.measure import Requirement
from pfl.verify.certificates.certificate_format import Malformed, exact_rational
from pfl.verify.certificates.exact.polynomials import Poly, Quotient, common_multiple, read_poly

Exact: TypeAlias = Any
"""A `Fraction`, or in the presence of parameters a `Poly`."""


class Domain(Protocol):
    """Where numbers are functions, and what can be shown of them there; as `Region` says of its own."""

    @property
    def names(self) -> tuple[str, ...]: ...

    def read(self, number: Number) -> Quotient: ...

    def reduced(self, polynomial: Poly) -> Poly: ...

    def is_never_positive(self, polynomial: Poly) -> bool: ...

    def has_no_root(self, polynomial: Poly) -> bool: ...


@struct(eq=False)
class ExactNumbers:
    """How the numbers of a question and of its certificate are read; polynomials only where `with_parameters`."""

    region: Domain
    with_parameters: bool

    @property
    def one(self) -> Exact:
        """The number 1."""
        return self.constant(Fraction(1))

    @property
    def zero(self) -> Exact:
        """The number 0."""
        return self.constant(Fraction(0))

    def constant(self, number: Fraction) -> Exact:
        """A constant."""
        return Poly.constant(number, len(self.region.names)) if self.with_parameters else number

    def scaled(self, numbers: Sequence[Number]) -> tuple[list[Exact], Exact]:
        """The numbers, times one factor that makes all of them polynomials, and that factor."""
        if not self.with_parameters:
            return [_constant(number) for number in numbers], Fraction(1)
        quotients = [self.region.read(number) for number in numbers]
        factor = self.one
        divisors = {tuple(sorted(quotient.below.terms.items())): quotient.below for quotient in quotients}
        for divisor in divisors.values():
            factor = common_multiple(factor, divisor)
        shares = {key: factor.over(divisor) for key, divisor in divisors.items()}
        found = []
        for quotient in quotients:
            share = shares[tuple(sorted(quotient.below.terms.items()))]
            assert share is not None, "a common multiple is a multiple"
            found.append(quotient.above * share)
        return found, factor

    def stated(self, entry: Any, where: str) -> Exact:
        """A number of the certificate, constants as texts. Raises Malformed."""
        if not self.with_parameters:
            return exact_rational(entry, where)
        if isinstance(entry, str):
            return self.constant(exact_rational(entry, where))
        return self.region.reduced(read_poly(entry, len(self.region.names), where))

    def is_sure(self, number: Exact) -> bool:
        """Whether a number is shown to be 0 nowhere."""
        return self.region.has_no_root(number) if self.with_parameters else bool(number)

    def meets(self, above: Exact, below: Exact, required: Requirement) -> bool:
        """Whether above / below is shown to be as required, for all values of the parameters; below is 0 nowhere."""
        number = required.number
        if not self.with_parameters:
            assert isinstance(number, Fraction)
            value = above / below
            match required.relation:
                case "equals":
                    return bool(value == number)
                case "at least":
                    return bool(value >= number)
                case "at most":
                    return bool(value <= number)
        difference = Quotient(above=above, below=below).minus(self.region.read(number))
        match required.relation:
            case "equals":
                return difference.above.is_zero
            case "at least":
                return self.region.is_never_positive(-difference.product)
            case "at most":
                return self.region.is_never_positive(difference.product)


def same(left: Exact, right: Exact) -> bool:
    """Whether two numbers are one, as functions of the parameters."""
    return left.equals(right) if isinstance(left, Poly) else bool(left == right)


def _constant(number: Number) -> Fraction:
    if not isinstance(number, Fraction):
        raise Malformed(f"{number} depends on parameters, and the certificate is about constants")
    return number
