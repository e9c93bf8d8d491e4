"""What is found about enclosed probabilities, in words."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from pfl.base.enclosure import Enclosure
from pfl.engines.enclosed.judging import Pair, Word
from pfl.model.enclosed.enclosed_compare import EnclosedWord

_DIGITS = 6
"""Digits that are told of a number."""
_MOST_DIGITS = 40
_MOST_WORDS = 8


def pair_facts(pair: Pair) -> tuple[tuple[str, str], ...]:
    """Which sides are compared, and under which values of the variables of `for`."""
    bound = ", ".join(f"{name} = {value}" for name, value in pair.table.bindings)
    sides = (pair.table.heading, f"{pair.above.label}  against  {pair.below.label}")
    return ((("for", bound),) if bound else ()) + (sides,)


def words_text(pair: Pair, words: Sequence[EnclosedWord]) -> str:
    """A word, or the first of several and how many there are."""
    texts = [", ".join(pair.table.letters[letter] for letter in word) or "nothing" for word in words[:_MOST_WORDS]]
    if len(words) == 1:
        return texts[0]
    more = len(words) - len(texts)
    return f"any of {len(words)} words: {'; '.join(texts)}" + (f"; and {more} more" if more else "")


def enclosure_text(number: Enclosure) -> str:
    """Digits on which both ends agree, `0.308538`; both ends where they agree on none; `0` for 0 itself."""
    if number.low == number.high == 0:
        return "0"
    for digits in range(_DIGITS, 1, -1):
        low, high = _decimal(number.low, digits), _decimal(number.high, digits)
        if low == high:
            return low
    return f"{_decimal(number.low, 3)} to {_decimal(number.high, 3)}"


def difference_text(number: Enclosure) -> str:
    """`between -2.1e-155 and 3e-155`."""
    return f"between {_decimal(number.low, 2)} and {_decimal(number.high, 2)}"


def ratio_text(word: Word) -> str:
    """`1.94473  >  1.64872`, with as many digits as tell the numbers apart."""
    if not word.below.high:
        return f"infinite  >  {enclosure_text(word.factor)}"
    for digits in range(_DIGITS, _MOST_DIGITS):
        ratio, factor = _decimal(Fraction(word.least_ratio), digits), _decimal(word.factor.high, digits)
        if ratio != factor:
            return f"{ratio}  >  {factor}"
    return f"at least {ratio}, which is more than e^epsilon"


def _decimal(number: Fraction, digits: int) -> str:
    """So many significant digits, rounded; with an exponent where it is far from 1."""
    if not number:
        return "0"
    size = abs(number)
    exponent = len(str(size.numerator)) - len(str(size.denominator))
    if Fraction(10) ** exponent > size:
        exponent -= 1
    scaled = round(size / Fraction(10) ** (exponent - digits + 1))
    if scaled == 10**digits:
        scaled, exponent = scaled // 10, exponent + 1
    text = str(scaled)
    if -5 < exponent < 0:
        written = "0." + "0" * (-exponent - 1) + text
    elif 0 <= exponent < digits:
        written = text[: exponent + 1] + ("." + text[exponent + 1 :] if exponent + 1 < digits else "")
    else:
        written = f"{text[0]}.{text[1:]}".rstrip(".") + f"e{exponent}"
    return ("-" if number < 0 else "") + written
