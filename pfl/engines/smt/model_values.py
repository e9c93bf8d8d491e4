"""Reads the values that solvers print: rationals, truths, and algebraic numbers in the spellings of Z3 and cvc5."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TypeAlias

from pfl.analysis.polynomial.real_roots import Root, roots_between, univariate
from pfl.base.exact_text import integer_value
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.engines.smt.solver_outcome import Near, Value

Expression: TypeAlias = "str | list[Expression]"

_TOKEN = re.compile(r'"(?:[^"]|"")*"|<(?=[-\d(])[^<>]*>|[()]|\|[^|]*\||[^\s()"|]+')
_ALGEBRAIC = re.compile(r"<[^,]*,\s*\(\s*(-?\d+(?:/\d+)?)\s*,\s*(-?\d+(?:/\d+)?)\s*\)\s*>")
_CLOSE = Fraction(1, 2**40)
"""Width of the interval in which an algebraic number is reported."""


class Unreadable(Exception):
    """The text is no value that is known here."""


def read_expressions(text: str) -> list[Expression]:
    """The s-expressions of a text, as far as their brackets are closed."""
    stack: list[list[Expression]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "(":
            stack.append([])
        elif token == ")" and len(stack) > 1:
            done = stack.pop()
            stack[-1].append(done)
        elif token != ")":
            stack[-1].append(token)
    return stack[0]


def read_model(pairs: Expression) -> dict[str, Value]:
    """The values of an answer to `get-value`, a list of (symbol value); those that cannot be read are left out."""
    values: dict[str, Value] = {}
    for pair in pairs if isinstance(pairs, list) else []:
        match pair:
            case [str() as name, value]:
                try:
                    values[name.strip("|")] = read_value(value)
                except Unreadable:
                    continue
    return values


def read_value(inner: Expression) -> Value:
    """A truth, a rational, or an interval around an algebraic number; raises `Unreadable`."""
    match inner:
        case "true" | "false":
            return inner == "true"
        case ["root-obj", polynomial, str() as index]:
            return _root(polynomial, index)
        case ["_", "real_algebraic_number", str() as description]:
            return _described_root(description)
        case _:
            value = _number(inner)
            if isinstance(value, Fraction):
                return value
            raise Unreadable


def _number(inner: Expression) -> Number:
    """Arithmetic on numerals, decimals and the x of a `root-obj`."""
    match inner:
        case "x":
            return RationalFunction.parameter("x")
        case str():
            return _decimal(inner)
        case ["+", *terms]:
            return sum((_number(term) for term in terms), Fraction(0))
        case ["-", term]:
            return -_number(term)
        case ["-", term, other]:
            return _number(term) - _number(other)
        case ["*", *factors]:
            product: Number = Fraction(1)
            for factor in factors:
                product = product * _number(factor)
            return product
        case ["/", above, below] if divisor := _number(below):
            return _number(above) / divisor
        case ["^", base, str() as power]:
            return _number(base) ** int(_decimal(power))
        case _:
            raise Unreadable


def _decimal(text: str) -> Fraction:
    """`7`, `1.0`, `0.25`, and `2/3` as some solvers print; a decimal that was cut short (`0.3?`) is unreadable."""
    match = re.fullmatch(r"(-?\d+)(?:\.(\d+)|/(\d+))?", text, re.ASCII)
    if match is None:
        raise Unreadable
    whole, places, below = match.groups()
    if below is not None and not integer_value(below):
        raise Unreadable
    if below is not None:
        return Fraction(integer_value(whole), integer_value(below))
    if places is not None:
        return Fraction(integer_value(whole + places), 10 ** len(places))
    return Fraction(integer_value(whole))


def _root(polynomial: Expression, index: str) -> Near | Fraction:
    """Z3's `root-obj`: the i-th real root, counted from 1 in ascending order, of a polynomial in x."""
    number = _number(polynomial)
    if not isinstance(number, RationalFunction) or not number.is_polynomial:
        raise Unreadable
    function = univariate(number)
    # Cauchy: every root is smaller in size than 1 + (largest coefficient)/(leading coefficient).
    sizes = [abs(int(coefficient)) for coefficient in function.coeffs()]
    bound = Fraction(max(sizes), sizes[-1]) + 1
    roots = roots_between([function], -bound, bound)
    position = int(_decimal(index)) - 1
    if not 0 <= position < len(roots):
        raise Unreadable
    root = roots[position]
    return root if isinstance(root, Fraction) else _near(root)


def _near(root: Root) -> Near:
    close = root.within(_CLOSE)
    return Near(close.low, close.high)


def _described_root(description: str) -> Near:
    """cvc5's `<polynomial, (low, high)>`."""
    match = _ALGEBRAIC.fullmatch(description)
    if match is None:
        raise Unreadable
    low, high = (_decimal(end) for end in match.groups())
    return Near(low, high)
