"""An independent check of a certificate that an exponential polynomial is non-negative, by rational arithmetic alone.

Shares no code with the search that found it, and believes nothing in it. What each rule proves, and why:
docs/theory/exponential-signs.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from pfl.analysis.exponential.certificate_bounds import exponential_bounds
from pfl.analysis.exponential.certificate_reading import TooLarge, Wrong, entries, mapping, rational, whole
from pfl.analysis.exponential.certificate_rules import Claim, Terms, coefficients, stretches, taylor
from pfl.analysis.exponential.polynomial import ExponentialPolynomial, Interval

_MOST_PRODUCTS = 20_000_000
"""Products of terms when factors are multiplied out."""

_MOST_BITS = 1 << 12
"""Of an enclosure of the value at one point."""


def faults(g: ExponentialPolynomial, interval: Interval, certificate: object) -> list[str]:
    """What keeps a certificate from proving g >= 0 on the interval; empty if it is a proof.

    `certificate` is an object as `json.load` gives it, of any shape. The work is bounded by its size and that of g.
    """
    try:
        _check(dict(g.terms), interval, mapping(certificate))
    except TooLarge as large:
        return [Unchecked(large)]
    except Wrong as wrong:
        return [str(wrong)]
    return []


class Unchecked(str):
    """Why a certificate is not checked: that it is too large, which is no fault of what it says."""

    __slots__ = ()


def _check(terms: Terms, interval: Interval, certificate: Mapping[str, Any]) -> None:
    rule = certificate.get("rule")
    if rule == "zero":
        if terms:
            raise Wrong("the polynomial is not 0")
        return
    if not terms:
        return
    if rule == "point":
        if interval.low != interval.high:
            raise Wrong("the interval is more than one point")
        _check_point(terms, interval.low)
        return
    if interval.low == interval.high:
        raise Wrong("at a single point the rule is `point`")
    claim = Claim.of(terms, interval.low, interval.high)
    if rule == "factors":
        _check_factors(claim, certificate)
    else:
        _check_rule(claim, certificate)


def _check_rule(claim: Claim, certificate: Mapping[str, Any]) -> None:
    match certificate.get("rule"):
        case "coefficients":
            coefficients(claim, certificate)
        case "taylor":
            taylor(claim, certificate)
        case "stretches":
            stretches(claim, certificate)
        case _:
            raise Wrong("there is no such rule")


def _check_point(terms: Terms, x: Fraction) -> None:
    """g(x) >= 0, exactly where x = 0 or every coefficient of a power of e^x vanishes, else by enclosures."""
    if not x:
        if sum(value for (power, _), value in terms.items() if not power) < 0:
            raise Wrong("the value at 0 is negative")
        return
    degree = max(power for power, _ in terms)
    if degree * (x.numerator.bit_length() + x.denominator.bit_length()) > 1 << 20:
        raise TooLarge("the exponents are too large to check")
    columns: dict[int, int] = {}
    for (power, rate), value in terms.items():
        summand = value * x.numerator**power * x.denominator ** (degree - power)
        columns[rate] = columns.get(rate, 0) + summand
    if max(abs(rate) for rate in columns) * x > 1 << 16:
        raise TooLarge("the exponents are too large to check")
    bits = 64
    while any(columns.values()):
        if bits > _MOST_BITS:
            raise Wrong("the sign of the value is not seen")
        bounds = [(value, *exponential_bounds(rate * x, bits)) for rate, value in columns.items()]
        if sum(value * (low if value > 0 else high) for value, low, high in bounds) >= 0:
            return
        if sum(value * (high if value > 0 else low) for value, low, high in bounds) < 0:
            raise Wrong("the value is negative")
        bits *= 2


def _check_factors(claim: Claim, certificate: Mapping[str, Any]) -> None:
    """g is a constant times powers of factors; those with odd powers have the signs that they should have."""
    constant = rational(certificate.get("constant"))
    factors = [mapping(each) for each in entries(certificate.get("factors"))]
    read = [(_terms(each.get("terms")), whole(each.get("power"), 1, 1 << 20)) for each in factors]
    product: dict[tuple[int, int], Fraction | int] = {(0, 0): constant}
    for place in (0, 1):
        most = sum(count * max(exponents[place] for exponents in terms) for terms, count in read)
        if most != (claim.degree, claim.rate)[place]:
            raise Wrong("the degrees of the factors do not add up to that of the polynomial")
    if sum(count for _, count in read) > claim.degree + claim.rate:
        raise Wrong("there are more factors than degrees")
    # Gelfond: the heights of factors multiply to at most e^degrees times that of their product
    digits = sum(count * (_height(terms) - 1) for terms, count in read)
    if digits > _height(claim.terms) + constant.denominator.bit_length() + 2 * (claim.degree + claim.rate) + 64:
        raise Wrong("the coefficients of the factors are larger than those of factors can be")
    steps = 0
    for terms, count in read:
        for _ in range(count):
            steps += len(terms) * len(product)
            if steps > _MOST_PRODUCTS:
                raise Wrong("the factors are too many to be multiplied out")
            product = _product(product, terms)
    if {exponents: value for exponents, value in product.items() if value} != claim.terms:
        raise Wrong("the product of the factors is not the polynomial")
    sign = 1 if constant > 0 else -1
    for each, (terms, count) in zip(factors, read):
        if count % 2:
            own = whole(each.get("sign"), -1, 1)
            if not own:
                raise Wrong("a factor of odd multiplicity has no sign")
            sign *= own
            signed = {exponents: own * value for exponents, value in terms.items()}
            _check_rule(Claim.of(signed, claim.low, claim.high), mapping(each.get("proof")))
    if sign < 0:
        raise Wrong("the signs of the factors make the product negative")


def _height(terms: Terms) -> int:
    """Binary digits of the largest coefficient."""
    return max(value.bit_length() for value in terms.values())


def _terms(written: object) -> Terms:
    """The terms of a factor: exponents that are not negative, and integers that are not 0."""
    found: Terms = {}
    for each in entries(written):
        term = entries(each)
        if len(term) != 3:
            raise Wrong("a term is not two exponents and a coefficient")
        value = rational(term[2])
        exponents = (whole(term[0], 0, 1 << 20), whole(term[1], 0, 1 << 20))
        if value.denominator != 1 or not value or exponents in found:
            raise Wrong("a coefficient is 0 or not whole, or exponents stand there twice")
        found[exponents] = value.numerator
    if not found:
        raise Wrong("a factor has no terms")
    return found


def _product(
    first: Mapping[tuple[int, int], Fraction | int], second: Mapping[tuple[int, int], int]
) -> dict[tuple[int, int], Fraction | int]:
    total: dict[tuple[int, int], Fraction | int] = {}
    for (power, rate), value in first.items():
        for (other_power, other_rate), factor in second.items():
            exponents = (power + other_power, rate + other_rate)
            total[exponents] = total.get(exponents, 0) + value * factor
    return total
