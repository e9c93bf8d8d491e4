"""Reading parts of a certificate of any shape; whatever is not as it should be raises `Wrong`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from pfl.base.exact_text import fraction_value

_MOST_DIGITS = 20_000


class Wrong(Exception):
    """What is wrong with a certificate."""


class TooLarge(Wrong):
    """A certificate, or what it is about, is too large to be checked."""


def mapping(value: object) -> Mapping[str, Any]:
    """An object of JSON."""
    if not isinstance(value, dict):
        raise Wrong("an object is missing")
    return value


def entries(value: object) -> Sequence[Any]:
    """A list."""
    if not isinstance(value, list | tuple):
        raise Wrong("a list is missing")
    return value


def whole(value: object, least: int, most: int) -> int:
    """A whole number from `least` to `most`."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise Wrong(f"a whole number from {least} to {most} is missing")
    return value


def rational(value: object, most_digits: int = _MOST_DIGITS) -> Fraction:
    """A rational, as text."""
    if not isinstance(value, str) or len(value) > most_digits:
        raise Wrong("a rational number is missing, or too long")
    try:
        return fraction_value(value)
    except ValueError as error:
        raise Wrong("a text is no rational number") from error
