"""Numbers for reports: exact text, the same abbreviated for people, and decimals that are right in every digit."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor
from typing import Literal, TypeVar

from pfl.analysis.polynomial.algebraic import ParameterValue
from pfl.base.closed_form import enclosure, is_closed
from pfl.base.diagnostics import LimitReached
from pfl.base.enclosure import Enclosure, decimal_text, ln
from pfl.base.epsilon import Epsilon
from pfl.base.exact_text import fraction_text, integer_text
from pfl.base.exponential import Exponential
from pfl.base.number import Number
from pfl.engines.answer import Quantity, Ratio

Compared = TypeVar("Compared", Fraction, Number)

DIGITS = 6
"""Digits after the point, or significant ones where a number is small or large."""
MOST_PLACES = 60
"""Places that are shown at most to tell two numbers apart."""
_WIDE = Fraction(1, 1000)
"""The share of its middle that an interval is wide from which on its ends are told."""
_MOST_OF_INTERVAL = 12
"""Digits that are shown of an interval at most."""
LONGEST_INTEGER = 30
LONGEST_EXPRESSION = 160


def json_quantity(quantity: Quantity, multiplied: str | None = None) -> dict[str, str | float | None]:
    """`{"exact": "3/8", "value": 0.375}`; of an interval the middle, and its ends as `low` and `high`. Of a multiple of
    the parameter `multiplied` it is an interval of what that is multiplied with."""
    if not isinstance(quantity, Enclosure):
        return {"exact": exact_text(quantity), "value": json_value(quantity)}
    ends = {"low": fraction_text(quantity.low), "high": fraction_text(quantity.high)}
    of = {} if multiplied is None else {"multiple_of": multiplied}
    return {"exact": None, "value": json_value(_middle(quantity)), **ends, **of}


def multiples_between(low: Fraction, high: Fraction, base: str) -> str:
    """`between 0.3362000*eps and 0.3362004*eps`."""
    places = places_apart(low, high, decimal)
    return f"between {' and '.join(f'{decimal(end, places)}*{base}' for end in (low, high))}"


def _middle(interval: Enclosure) -> Fraction:
    return (interval.low + interval.high) / 2


def exact_text(number: Number | Ratio) -> str:
    """The whole number, `inf`, `unbounded`, or the expression in the parameters."""
    return fraction_text(number) if isinstance(number, Fraction) else str(number)


def short_text(number: Number | Ratio | Epsilon) -> str:
    """The same, or an epsilon, for people: long integers keep their first and last eight digits and say how many."""
    if isinstance(number, Epsilon) and not number.logarithms:
        number = number.constant
    if not isinstance(number, Fraction):
        text = str(number)
        return text if len(text) <= LONGEST_EXPRESSION else f"{text[:LONGEST_EXPRESSION]}... ({len(text)} characters)"
    above, below = integer_text(number.numerator), integer_text(number.denominator)
    if max(len(above), len(below)) <= LONGEST_INTEGER:
        return fraction_text(number)
    if number.denominator == 1:
        return f"{_shortened(above)} ({len(above)} digits)"
    return f"{_shortened(above)}/{_shortened(below)} ({len(above)} and {len(below)} digits)"


def _shortened(digits: str) -> str:
    return digits if len(digits) <= LONGEST_INTEGER else f"{digits[:8]}...{digits[-8:]}"


def decimal(number: Fraction, places: int = DIGITS) -> str:
    """The number rounded to six decimals, or to six significant digits below 1/10; with an exponent below 1/10000 and
    from 10^12 on. `places` are more than six where six do not tell two numbers apart."""
    if number == 0 or Fraction(1, 10) <= abs(number) < 10**12:
        return decimal_text(number, places)
    exponent = _decimal_exponent(abs(number))
    if -4 <= exponent < 0:
        return decimal_text(number, places - 1 - exponent)
    digits = str(_scaled(abs(number), places - 1 - exponent))
    if len(digits) > places:
        exponent += 1
    mantissa = f"{digits[0]}.{digits[1:places]}".rstrip("0").rstrip(".")
    return f"{'-' if number < 0 else ''}{mantissa}e{exponent}"


def ends_text(low: Fraction, high: Fraction) -> tuple[str, str]:
    """Decimals of the ends of an interval that is not negative, enough of them to tell them apart; rounded outward, so
    that the interval that is shown holds the other."""
    places = places_apart(low, high, decimal)

    def outward(end: Fraction, sign: int) -> str:
        if end == 0:
            return "0"
        exponent = 0 if Fraction(1, 10) <= end < 10**12 else _decimal_exponent(end) + 1
        unit = Fraction(10) ** (exponent - places)
        return decimal(sign * (sign * end // unit) * unit, places)

    return outward(low, 1), outward(high, -1)


def _scaled(number: Fraction, exponent: int) -> int:
    """number * 10^exponent rounded, half to even; on integers, since a fraction of long ones is slow to reduce."""
    above: int = number.numerator * 10 ** max(exponent, 0)
    below: int = number.denominator * 10 ** max(-exponent, 0)
    whole, rest = divmod(above, below)
    return whole + (2 * rest > below or (2 * rest == below and whole % 2 == 1))


def _decimal_exponent(number: Fraction) -> int:
    """The e with 10^e <= number < 10^(e+1), for a positive number."""
    bits = number.numerator.bit_length() - number.denominator.bit_length()
    exponent = math.floor((bits - 1) * math.log10(2))
    while Fraction(10) ** (exponent + 1) <= number:
        exponent += 1
    return exponent


def log_decimal(ratio: Fraction, places: int = DIGITS) -> str:
    """ln(ratio) for a positive ratio, rounded like `decimal`, every digit right.

    It ends because the logarithm of a rational other than 1 is irrational (Lindemann), so never halfway.
    """
    if ratio == 1:
        return decimal(Fraction(0), places)
    bits = 64
    while True:
        enclosure = ln(ratio, bits)
        low, high = decimal(enclosure.low, places), decimal(enclosure.high, places)
        if enclosure.low * enclosure.high > 0 and low == high:
            return low
        bits *= 2


def places_apart(low: Compared, high: Compared, text: Callable[[Compared, int], str]) -> int:
    """How many places, at least six, tell two different numbers apart, or as many as are shown at most."""
    places = DIGITS
    while places < MOST_PLACES and text(low, places) == text(high, places):
        places += 1
    return places


def json_value(number: Number | Literal["inf", "unbounded"]) -> float | None:
    """The decimal as a float; None for what has none: expressions, infinity, and numbers beyond the range of floats."""
    if is_closed(number):
        return _finite(closed_decimal(number))  # type: ignore[arg-type]
    return _finite(decimal(number)) if isinstance(number, Fraction) else None


def json_log(ratio: Number | Ratio) -> float | None:
    """ln(ratio) as a float of six decimals; None where the ratio is 0, infinite or an expression."""
    return _finite(log_decimal(ratio)) if isinstance(ratio, Fraction) and ratio > 0 else None


def exponential_decimal(epsilon: Epsilon, places: int = DIGITS) -> str | None:
    """e^eps rounded like `decimal`, every digit right; None where it is too large, or halfway between two decimals."""
    for bits in (64, 128, 256, 512):
        try:
            low, high = epsilon.lower_bound(bits), epsilon.upper_bound(bits)
        except LimitReached:
            return None
        if decimal(low, places) == decimal(high, places):
            return decimal(low, places)
    return None


def epsilon_decimal(epsilon: Epsilon) -> str | None:
    """The value of an epsilon rounded to six decimals; None where it depends on parameters."""
    return None if epsilon.parameters else epsilon.decimal(DIGITS)


def json_epsilon(epsilon: Epsilon) -> dict[str, str | float | None]:
    """The contract's `{"exact": "ln(2)", "value": 0.693147}`."""
    text = epsilon_decimal(epsilon)
    return {"exact": str(epsilon), "value": None if text is None else _finite(text)}


def told(name: str, value: ParameterValue) -> tuple[str, ParameterValue | Epsilon]:
    """A parameter and its value; of z = e^(-x/n), x and n ln(1/z)."""
    held = Exponential.of(name)
    if held is None or not isinstance(value, Fraction):
        return name, value
    return held.base, Epsilon.ln(1 / value) * held.unit


def _rounded_up(radius: Fraction) -> str:
    """A positive number with two significant digits, not rounded down: `1.3e-15`."""
    if radius == 0:
        return "0"
    exponent = _decimal_exponent(radius)
    digits = -(-radius // Fraction(10) ** (exponent - 1))
    if digits == 100:
        digits, exponent = 10, exponent + 1
    return f"{digits // 10}.{digits % 10}e{exponent:+03d}"


def _finite(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


def with_decimal(number: Quantity | Ratio, places: int = DIGITS) -> str:
    """`3/8 = 0.375`; whole numbers, and what has no decimal, alone; of an interval the middle and the radius."""
    if isinstance(number, Enclosure):
        return _with_error(number)
    if is_closed(number):
        return f"{short_text(number)} = {closed_decimal(number, places)}"  # type: ignore[arg-type]
    if not isinstance(number, Fraction) or (number.denominator == 1 and abs(number) < 10**12):
        return short_text(number)
    return f"{short_text(number)} = {approximate(number, places)}"


def _with_error(interval: Enclosure) -> str:
    """A decimal near the middle, and how far it is at most from any number of the interval; of a wide one its ends,
    rounded outwards."""
    middle, radius = _middle(interval), (interval.high - interval.low) / 2
    if radius > _WIDE * abs(middle):
        low, high = _outwards(interval.low, floor), _outwards(interval.high, ceil)
        return f"between {approximate(low)} and {approximate(high)}"
    for places in range(DIGITS, _MOST_OF_INTERVAL + 1):
        text = decimal(middle, places)
        if abs(Fraction(text) - middle) <= radius / 10:
            break
    error = max(abs(Fraction(text) - end) for end in (interval.low, interval.high))
    return f"{text} (error at most {_rounded_up(error)})"


def _outwards(end: Fraction, rounded: Callable[[Fraction], int]) -> Fraction:
    """An end of an interval with as many digits as are shown, rounded by `floor` or `ceil`."""
    if not end:
        return end
    unit = Fraction(10) ** (_decimal_exponent(abs(end)) - DIGITS + 1)
    return rounded(end / unit) * unit


def any_decimal(number: Number | Ratio, places: int = DIGITS) -> str:
    """The decimals of a rational, or of a number in powers of e."""
    assert not isinstance(number, str), "infinity has no decimals"
    return decimal(number, places) if isinstance(number, Fraction) else closed_decimal(number, places)


def closed_decimal(number: Number, places: int = DIGITS) -> str:
    """A number in powers of e rounded like `decimal`, every digit right."""
    bits = 64
    while True:
        found = enclosure(number, bits)
        low, high = decimal(found.low, places), decimal(found.high, places)
        if low == high:
            return low
        bits *= 2


def approximate(number: Fraction, places: int = DIGITS) -> str:
    """The number as `decimal`, without zeros at the end where that is exact; `2 - 1e-9` rather than what is rounded to
    a whole number."""
    text = decimal(number, places)
    if "e" in text:
        return text
    if Fraction(text) == number:
        return text.rstrip("0").rstrip(".")
    whole = Fraction(text)
    return text if whole.denominator > 1 else f"{whole} {'-' if number < whole else '+'} {decimal(abs(number - whole))}"


def beside(number: Quantity, other: Quantity) -> str:
    """`with_decimal`, with as many decimals as tell the number from another one that it is compared with."""
    if not (_has_decimals(number) and _has_decimals(other)) or number == other:
        return with_decimal(number)
    return with_decimal(number, places_beside(number, other))  # type: ignore[arg-type]  # neither is an interval


def _has_decimals(number: Quantity) -> bool:
    return isinstance(number, Fraction) or is_closed(number)


def places_beside(number: Number, other: Number) -> int:
    """How many places tell apart what `with_decimal` says of two different numbers without parameters."""

    def told(which: Number, places: int) -> str:
        if not isinstance(which, Fraction):
            return closed_decimal(which, places)
        # What is whole but for little is told apart by that; of others the same number of digits is compared.
        text = approximate(which, places)
        return text if " " in text else decimal(which, places)

    return places_apart(number, other, told)
