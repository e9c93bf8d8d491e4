"""Names for e^(-x/n), x a parameter or 1, and their powers as text: numbers that hold exponentials are rational
functions in such names.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TypeAlias

from pfl.base.exact_text import integer_text
from pfl.base.struct import struct

Powers: TypeAlias = tuple[tuple[str, int], ...]
Terms: TypeAlias = tuple[tuple[Powers, Fraction], ...]

ONE = "1"
"""What stands in place of a parameter where exponents are constants."""

_NAME = re.compile(r"exp\(-(?P<base>[^/()]+)(?:/(?P<unit>[1-9][0-9]*))?\)")


@struct
class Exponential:
    """e^(-base/unit): `base` is the name of a parameter, or `ONE`, or `c*x`, the product of a name that a `find` looks
    for and of a parameter; `unit` is a whole number from 1."""

    base: str
    unit: int

    @property
    def name(self) -> str:
        """What a rational function calls it: `exp(-eps/4)`."""
        return f"exp(-{self.base})" if self.unit == 1 else f"exp(-{self.base}/{integer_text(self.unit)})"

    @property
    def factors(self) -> tuple[str, str] | None:
        """c and x, where the base is the product c*x; else None."""
        multiple, times, parameter = self.base.partition("*")
        return (multiple, parameter) if times else None

    @staticmethod
    def of_product(multiple: str, parameter: str, unit: int = 1) -> Exponential:
        """e^(-multiple*parameter/unit), of two names."""
        return Exponential(base=f"{multiple}*{parameter}", unit=unit)

    @staticmethod
    def of(name: str) -> Exponential | None:
        """The exponential of that name; None for the name of a parameter."""
        found = _NAME.fullmatch(name) if is_exponential(name) else None
        return found and Exponential(base=found["base"], unit=int(found["unit"] or 1))


def is_exponential(name: str) -> bool:
    """Whether a rational function calls an exponential so, not a parameter."""
    return name.startswith("exp(")


def bare(name: str) -> str:
    """The parameter whose exponential a name is; of a parameter, itself."""
    held = Exponential.of(name)
    return name if held is None else held.base


def approach_text(name: str, value: str) -> str:
    """`p -> 0`; where e^(-x/n) tends to 0 or 1, what x tends to."""
    held = Exponential.of(name)
    if held is not None and value in ("0", "1"):
        return f"{held.base} -> {'inf' if value == '0' else '0'}"
    return f"{name} -> {value}"


def power_text(name: str, power: int) -> str:
    """A power of a parameter, or of an exponential, as source: `p^2`, `exp(-3*eps/4)`; a power of e may be negative."""
    held = Exponential.of(name)
    if held is not None:
        return exponential_text(held.base, Fraction(-power, held.unit))
    return name if power == 1 else f"{name}^{power}"


def exponentials_above(terms: Terms, divisor: Powers) -> tuple[Terms, Powers]:
    """Terms, powers by name with a coefficient, divided by the exponentials in a divisor, whose powers are then
    negative; and what is left of the divisor. Terms of small powers come first."""
    moved = {name: power for name, power in divisor if is_exponential(name)}
    if not moved:
        return terms, divisor
    found = []
    for term, coefficient in terms:
        powers = dict(term)
        powers.update((name, powers.get(name, 0) - power) for name, power in moved.items())
        found.append((tuple((name, power) for name, power in sorted(powers.items()) if power), coefficient))
    found.sort(key=lambda term: sum(abs(power) for _, power in term[0]))
    return tuple(found), tuple((name, power) for name, power in divisor if name not in moved)


class FinerUnit(Exception):
    """An exponent of `base` is no multiple of 1/unit as it was; numbers have to be made anew with the finer one."""

    def __init__(self, base: str, unit: int) -> None:
        self.base, self.unit = base, unit
        super().__init__(f"exponents of {base} are multiples of 1/{unit}")


def exponential_text(base: str, coefficient: Fraction) -> str:
    """e^(coefficient * base) as source: `exp(-3*eps/4)`, `exp(1/2)`."""
    return f"exp({multiple_text(base, coefficient)})"


def multiple_text(base: str, coefficient: Fraction) -> str:
    """coefficient * base as source: `-3*eps/4`, and `1/2` where the base is `ONE`."""
    sign = "-" if coefficient < 0 else ""
    above, below = integer_text(abs(coefficient.numerator)), coefficient.denominator
    divisor = "" if below == 1 else f"/{integer_text(below)}"
    if base == ONE:
        return f"{sign}{above}{divisor}"
    factor = "" if above == "1" else f"{above}*"
    return f"{sign}{factor}{base}{divisor}"
