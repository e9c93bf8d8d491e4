"""What a number is: an exact rational, or a quotient of polynomials in the parameters."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from pfl.base.rational_function import RationalFunction

Number: TypeAlias = Fraction | RationalFunction
"""A constant is always a `Fraction`: arithmetic on rational functions gives a `Fraction` back when the result is constant."""
