"""Functions of one integer sample without bounds, and their exact sums. Source: docs/theory/noise.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, TypeAlias, final

from pfl.analysis.noise.exponential_sum import ExponentialSum, Weight
from pfl.analysis.noise.sample_function import SampleFunction
from pfl.base.number import Number, summed

Tail: TypeAlias = Mapping[Number, Number]
"""From bases to coefficients: the sum of coefficient * base^k."""


@final
class IntegerFunction(SampleFunction):
    """Values at low .. low + n - 1 one by one; left and right of them a sum of coefficient * base^k.

    Bases are positive. What decays has bases > 1 on the left and < 1 on the right; distribution functions have the
    base 1 too. In normal form, with as few single values as possible: equal functions are equal objects.
    """

    __slots__ = ("_hash", "_left", "_low", "_right", "_values")
    is_real: ClassVar[bool] = False

    def __init__(self, low: int, values: Sequence[Number], left: Tail, right: Tail) -> None:
        self._left = {base: q for base, q in left.items() if q}
        self._right = {base: q for base, q in right.items() if q}
        self._low, self._values = self._shortest(low, list(values))
        self._hash: int | None = None

    @staticmethod
    def two_sided_geometric(alpha: Number, mean: int = 0) -> IntegerFunction:
        """(1-alpha)/(1+alpha) alpha^|k - mean|; raises ValueError for a rational alpha outside (0, 1)."""
        height = (1 - _base(alpha)) / (1 + alpha)
        return IntegerFunction(mean, [height], {1 / alpha: height * alpha**mean}, {alpha: height * alpha ** (-mean)})

    @staticmethod
    def geometric(alpha: Number, start: int = 0) -> IntegerFunction:
        """(1-alpha) alpha^(k - start) on k >= start; raises ValueError for a rational alpha outside (0, 1)."""
        return IntegerFunction(start, [], {}, {alpha: (1 - _base(alpha)) * alpha ** (-start)})

    @staticmethod
    def everywhere(weight: Number | int) -> IntegerFunction:
        """The function that is this number everywhere."""
        number = Fraction(weight) if isinstance(weight, int) else weight
        return IntegerFunction(0, [], {_ONE: number}, {_ONE: number})

    @staticmethod
    def of_values(low: int, values: Sequence[Number]) -> IntegerFunction:
        """These values at low, low + 1, .., and 0 elsewhere."""
        return IntegerFunction(low, values, {}, {})

    @property
    def low(self) -> int:
        """The first place that is not on the left tail."""
        return self._low

    @property
    def values(self) -> tuple[Number, ...]:
        """The values at low, low + 1, .., up to the right tail."""
        return self._values

    @property
    def left(self) -> Tail:
        """From bases to coefficients, left of `low`."""
        return dict(self._left)

    @property
    def right(self) -> Tail:
        """From bases to coefficients, right of the values."""
        return dict(self._right)

    def at(self, k: int) -> Number:
        """The value at k."""
        return next(self._from(k))

    def __mul__(self, other: IntegerFunction) -> IntegerFunction:
        low, count = self._joint_stretch(other)
        values = [p * q for p, q, _ in zip(self._from(low), other._from(low), range(count))]
        return IntegerFunction(
            low, values, _tail_product(self._left, other._left), _tail_product(self._right, other._right)
        )

    def __add__(self, other: IntegerFunction) -> IntegerFunction:
        low, count = self._joint_stretch(other)
        values = [p + q for p, q, _ in zip(self._from(low), other._from(low), range(count))]
        left, right = (
            summed([*mine.items(), *others.items()])
            for mine, others in ((self._left, other._left), (self._right, other._right))
        )
        return IntegerFunction(low, values, left, right)

    def __bool__(self) -> bool:
        return bool(self._left or self._right or any(self._values))

    def accepts(self, weight: Weight) -> bool:
        """Numbers, also with parameters."""
        return not isinstance(weight, ExponentialSum)

    def constant(self, weight: Weight) -> IntegerFunction:
        return IntegerFunction.everywhere(_number(weight))

    def scaled(self, weight: Weight | int) -> IntegerFunction:
        number = _number(weight)
        left, right = ({base: q * number for base, q in tail.items()} for tail in (self._left, self._right))
        return IntegerFunction(self._low, [value * number for value in self._values], left, right)

    def shifted(self, by: Fraction | int) -> IntegerFunction:
        """f(k - by); raises ValueError unless `by` is whole."""
        whole = _whole(by)
        left, right = ({base: q * base ** (-whole) for base, q in tail.items()} for tail in (self._left, self._right))
        return IntegerFunction(self._low + whole, self._values, left, right)

    def restricted(self, low: Fraction | int | None, high: Fraction | int | None) -> IntegerFunction:
        """The function on low..high, both included, and 0 elsewhere; raises ValueError for ends that are not whole."""
        first = self._low if low is None else _whole(low)
        last = self._low + len(self._values) - 1 if high is None else _whole(high)
        if low is not None and high is not None and first > last:
            return IntegerFunction.everywhere(0)
        if low is None:
            first = min(first, last + 1)
        if high is None:
            last = max(last, first - 1)
        values = [value for value, _ in zip(self._from(first), range(last - first + 1))]
        return IntegerFunction(first, values, self._left if low is None else {}, self._right if high is None else {})

    def just_before(self) -> IntegerFunction:
        return self.shifted(1)

    def integrated(self) -> tuple[IntegerFunction, Number | None]:
        if any(isinstance(base, Fraction) and base <= 1 for base in self._left):
            raise ValueError("the function has no sum from the left: it does not decay there")
        left = {base: q * base / (base - 1) for base, q in self._left.items()}
        reached = _tail_value(left, self._low - 1)
        values: list[Number] = []
        for value in self._values:
            reached = reached + value
            values.append(reached)
        if _ONE in self._right:
            raise ValueError("the function has no sum here: a constant right tail adds up to powers of k")
        right = {base: q * base / (base - 1) for base, q in self._right.items()}
        constant = reached - _tail_value(right, self._low + len(values) - 1)
        right[_ONE] = constant
        decays = not any(isinstance(base, Fraction) and base > 1 for base in self._right)
        return IntegerFunction(self._low, values, left, right), constant if decays else None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return self._key() == other._key() if isinstance(other, IntegerFunction) else NotImplemented

    def __hash__(self) -> int:
        if self._hash is None:
            tails = (frozenset(tail.items()) for tail in (self._left, self._right))
            self._hash = hash((self._low, self._values, *tails))
        return self._hash

    def __repr__(self) -> str:
        return f"IntegerFunction({self._low}, {self._values}, {self._left}, {self._right})"

    def _key(self) -> tuple[object, ...]:
        return self._low, self._values, self._left, self._right

    def _shortest(self, low: int, values: list[Number]) -> tuple[int, tuple[Number, ...]]:
        """The one stretch of single values that cannot be shortened, first from the right, then from the left."""
        if self._left == self._right and all(value == each for value, each in zip(values, _tail_from(self._left, low))):
            return 0, ()
        while True:
            following = _tail_value(self._right, low + len(values) - 1)
            if values and values[-1] == following:
                values.pop()
            elif not values and _tail_value(self._left, low - 1) == following:
                low -= 1
            else:
                break
        kept = 0
        while kept < len(values) and values[kept] == _tail_value(self._left, low + kept):
            kept += 1
        return low + kept, tuple(values[kept:])

    def _from(self, first: int) -> Iterator[Number]:
        """The values at first, first + 1, .., without end."""
        for value, _ in zip(_tail_from(self._left, first), range(self._low - first)):
            yield value
        yield from self._values[max(first - self._low, 0) :]
        yield from _tail_from(self._right, max(first, self._low + len(self._values)))

    def _joint_stretch(self, other: IntegerFunction) -> tuple[int, int]:
        """The first place and the number of places of a stretch that holds both."""
        low = min(self._low, other._low)
        end = max(self._low + len(self._values), other._low + len(other._values))
        return low, end - low


_ONE = Fraction(1)


def _base(alpha: Number) -> Number:
    if isinstance(alpha, Fraction) and not 0 < alpha < 1:
        raise ValueError(f"alpha = {alpha} of a geometric sample is not between 0 and 1")
    return alpha


def _whole(number: Fraction | int) -> int:
    if number.denominator != 1:
        raise ValueError(f"{number} is not whole, as values of integer samples are")
    return int(number)


def _number(weight: Weight | int) -> Number:
    if isinstance(weight, ExponentialSum):
        raise ValueError(f"a function of an integer sample is not multiplied by {weight}")
    return Fraction(weight) if isinstance(weight, int) else weight


def _tail_value(tail: Tail, k: int) -> Number:
    return sum((q * base**k for base, q in tail.items()), Fraction(0))


def _tail_from(tail: Tail, first: int) -> Iterator[Number]:
    """The values of the tail at first, first + 1, .., without end."""
    terms = [(base, q * base**first) for base, q in tail.items()]
    while True:
        yield sum((term for _, term in terms), Fraction(0))
        terms = [(base, term * base) for base, term in terms]


def _tail_product(left: Tail, right: Tail) -> dict[Number, Number]:
    return summed((b * c, p * q) for b, p in left.items() for c, q in right.items())
