"""The polynomials of certificates against products multiplied out term by term."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from pfl.verify.certificates.exact.polynomials import Poly, common_multiple

COUNT = 400


def polynomial(source: Random, size: int, most_terms: int = 6, degree: int = 3) -> Poly:
    coefficients = [Fraction(source.choice((-1, 1)) * source.randint(1, 9), source.randint(1, 6)) for _ in range(6)]
    powers = [tuple(source.randint(0, degree) for _ in range(size)) for _ in range(source.randint(1, most_terms))]
    return Poly(dict(zip(powers, coefficients)))


def term_by_term(left: Poly, right: Poly) -> dict[tuple[int, ...], Fraction]:
    found: dict[tuple[int, ...], Fraction] = {}
    for one, coefficient in left.terms.items():
        for other, factor in right.terms.items():
            powers = tuple(map(int.__add__, one, other))
            found[powers] = found.get(powers, Fraction(0)) + coefficient * factor
    return {powers: value for powers, value in found.items() if value}


def test_products_and_quotients_are_those_of_the_terms() -> None:
    source = Random(20)
    for _ in range(COUNT):
        size = source.randint(0, 3)
        left, right = polynomial(source, size), polynomial(source, size)
        product = left * right
        assert product.terms == term_by_term(left, right)
        quotient = product.over(right)
        assert quotient is not None
        assert quotient.equals(left)
        nearly = product + polynomial(source, size, most_terms=2, degree=5)
        other = None if nearly.is_zero else nearly.over(right)
        assert other is None or term_by_term(other, right) == nearly.terms


def test_a_common_multiple_is_one_of_both_and_the_least_in_one_parameter() -> None:
    source = Random(21)
    for _ in range(COUNT // 4):
        size = source.randint(0, 2)
        one, other, shared = (polynomial(source, size, most_terms=3) for _ in range(3))
        multiple = common_multiple(one * shared, other * shared)
        assert multiple.over(one * shared) is not None
        assert multiple.over(other * shared) is not None
        if size == 1:
            assert multiple.degree(0) <= one.degree(0) + other.degree(0) + shared.degree(0)
