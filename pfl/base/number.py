"""What a number is: an exact rational, or a quotient of polynomials in the parameters."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from pfl.base.rational_function import RationalFunction

Number: TypeAlias = Fraction | RationalFunction
"""A constant is always a `Fraction`: rational functions give one back where their result is constant."""
