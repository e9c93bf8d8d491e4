"""Symbolic real parameters: each in one interval, with further constraints.

The values of one parameter x together with z = e^(-x/unit), which no engine may treat as two.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import lcm
from typing import Literal, TypeAlias

from pfl.base.exact_text import fraction_text
from pfl.base.exponential import ONE, Exponential
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct


@struct
class Parameter:
    """A real in the interval from `low` to `high`, each end open or closed."""

    name: str
    low: Fraction
    high: Fraction
    low_open: bool
    high_open: bool

    def contains(self, value: Fraction) -> bool:
        """Whether a value lies in the interval."""
        above = self.low < value if self.low_open else self.low <= value
        below = value < self.high if self.high_open else value <= self.high
        return above and below

    def __str__(self) -> str:
        """`p in (0, 1]`; of an exponential e^(-x/n) in (0, 1), what x ranges over."""
        held = Exponential.of(self.name)
        if held is not None and self.low == 0 and self.high == 1 and self.low_open:
            return f"{held.base} in {'(' if self.high_open else '['}0, inf)"
        left, right = "(" if self.low_open else "[", ")" if self.high_open else "]"
        return f"{self.name} in {left}{fraction_text(self.low)}, {fraction_text(self.high)}{right}"


@struct
class HalfLine:
    """A real from `low` on, without an upper end."""

    name: str
    low: Fraction
    low_open: bool

    def contains(self, value: Fraction) -> bool:
        """Whether a value is one of them."""
        return self.low < value if self.low_open else self.low <= value

    def __str__(self) -> str:
        return f"{self.name} in {'(' if self.low_open else '['}{fraction_text(self.low)}, inf)"


@struct
class Condition:
    """`polynomial relation 0`, for instance p - 9/10 <= 0. `text` is how the user wrote it, or what it is for."""

    polynomial: Number
    relation: Literal["<", "<=", "==", "!="]
    text: str

    def holds(self, value: Fraction) -> bool:
        """Whether a value of the polynomial satisfies the condition."""
        match self.relation:
            case "<":
                return value < 0
            case "<=":
                return value <= 0
            case "==":
                return value == 0
            case "!=":
                return value != 0


@struct
class ParameterSpace:
    """The values that parameters range over: a box cut by conditions. A disjunction is a tuple inside `assumptions`.

    `assumptions` is in conjunctive form: every inner tuple needs one condition that holds.
    """

    parameters: tuple[Parameter, ...] = ()
    assumptions: tuple[tuple[Condition, ...], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters, in order of declaration."""
        return tuple(parameter.name for parameter in self.parameters)

    def restricted(self, *conditions: Condition) -> ParameterSpace:
        """The values that also satisfy every one of the conditions."""
        return ParameterSpace(parameters=self.parameters, assumptions=(*self.assumptions, *((c,) for c in conditions)))

    def restricted_to_one_of(self, alternatives: tuple[Condition, ...]) -> ParameterSpace:
        """The values that also satisfy at least one of the conditions."""
        return ParameterSpace(parameters=self.parameters, assumptions=(*self.assumptions, alternatives))

    def relevant_to(self, names: frozenset[str]) -> ParameterSpace:
        """The part that says something of the named parameters: those, and all that assumptions tie to them."""
        kept = set(names)
        clauses = [
            (clause, frozenset(name for condition in clause for name in names_in(condition.polynomial)))
            for clause in self.assumptions
        ]
        grown = True
        while grown:
            grown = False
            for _, mentioned in clauses:
                if mentioned & kept and not mentioned <= kept:
                    kept |= mentioned
                    grown = True
        return ParameterSpace(
            parameters=tuple(parameter for parameter in self.parameters if parameter.name in kept),
            assumptions=tuple(clause for clause, mentioned in clauses if mentioned & kept),
        )


NO_PARAMETERS = ParameterSpace()
"""The space of a claim without parameters."""


def names_in(number: Number) -> tuple[str, ...]:
    """The parameters that a number depends on."""
    return () if isinstance(number, Fraction) else number.parameters


def names_of(numbers: Iterable[Number]) -> frozenset[str]:
    """The parameters that some of the numbers depend on."""
    return frozenset(name for number in numbers if not isinstance(number, Fraction) for name in number.parameters)


@struct
class ExponentialSpace:
    """x from `low` to `high`, None for no upper end; numbers are rational functions in x and z = e^(-x/unit).

    `base` is the name of x, or `ONE` where exponents are constants and x is 1. Numbers in x and z are equal as
    functions of x exactly if they are equal: z is transcendental over the rational functions in x, and at a rational
    x it is a transcendental number (Lindemann).
    """

    base: str
    low: Fraction
    high: Fraction | None
    low_open: bool
    high_open: bool
    unit: int

    @staticmethod
    def of_constants(unit: int) -> ExponentialSpace:
        """The space of numbers in e^(-1/unit), which has one point."""
        one = Fraction(1)
        return ExponentialSpace(base=ONE, low=one, high=one, low_open=False, high_open=False, unit=unit)

    @property
    def exponential(self) -> Exponential:
        """z."""
        return Exponential(base=self.base, unit=self.unit)

    @property
    def names(self) -> tuple[str, ...]:
        """What numbers may mention."""
        return (self.exponential.name,) if self.base == ONE else (self.base, self.exponential.name)

    @property
    def is_point(self) -> bool:
        """Whether x is a number."""
        return self.low == self.high

    def contains(self, value: Fraction) -> bool:
        """Whether x may have the value."""
        above = self.low < value if self.low_open else self.low <= value
        return above and (self.high is None or (value < self.high if self.high_open else value <= self.high))

    def at(self, value: Fraction) -> ExponentialSpace:
        """The space of the numbers at one value of x."""
        return ExponentialSpace.of_constants(self.unit * value.denominator)

    def restricted(self, *conditions: Condition) -> ExponentialSpace:
        """The same: nothing but the interval says what its values are."""
        assert not conditions, "conditions beside the interval are refused"
        return self

    def images(self, value: Fraction) -> dict[str, Number]:
        """What the names stand for at one value of x, in the space `at` it."""
        z = RationalFunction.parameter(self.at(value).exponential.name)
        return {self.base: value, self.exponential.name: z**value.numerator}

    def with_factor(self, held: Iterable[Exponential], value: Fraction) -> tuple[ExponentialSpace, dict[str, Number]]:
        """The space in which e^(-c*x/n) is a number at a value of c, and what names stand for in it: the exponentials
        of products c*x that are `held`, and z, where the unit is finer now."""
        exponents = {each.name: value / each.unit for each in held}
        unit = lcm(self.unit, *(exponent.denominator for exponent in exponents.values()))
        finer = ExponentialSpace(
            base=self.base,
            low=self.low,
            high=self.high,
            low_open=self.low_open,
            high_open=self.high_open,
            unit=unit,
        )
        z = RationalFunction.parameter(finer.exponential.name)
        images: dict[str, Number] = {name: z ** int(exponent * unit) for name, exponent in exponents.items()}
        if unit != self.unit:
            images[self.exponential.name] = z ** (unit // self.unit)
        return finer, images

    def __str__(self) -> str:
        """`eps in (0, inf)`; empty where x is 1."""
        if self.base == ONE:
            return ""
        left, right = "(" if self.low_open else "[", ")" if self.high_open or self.high is None else "]"
        high = "inf" if self.high is None else fraction_text(self.high)
        return f"{self.base} in {left}{fraction_text(self.low)}, {high}{right}"


Space: TypeAlias = ParameterSpace | ExponentialSpace
"""What a question may be about all values of."""
