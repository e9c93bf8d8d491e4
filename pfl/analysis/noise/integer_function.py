"""Functions of one integer sample without bounds, and their exact sums. Source: docs/theory/noise.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, TypeAlias, final

from pfl.analysis.noise.exponential_sum import ExponentialSum, Weight
from pfl.analysis.noise.sample_function import SampleFunction
from pfl.base.number import Number, summed
from pfl.model.enclosed.formulas import IntegralSum

Tail: TypeAlias = Mapping[Number, Number]
"""From bases to coefficients: the sum of coefficient * base^j, j counted from the end of the tail."""


@final
class IntegerFunction(SampleFunction):
    """Values at low .. end - 1 one by one; at k < low the sum of coefficient * base^(k - low) over the left tail, at
    k >= end that of coefficient * base^(k - end) over the right one.

    Bases are positive. What decays has bases > 1 on the left and < 1 on the right; distribution functions have the
    base 1 too. In normal form, with as few single values as possible: equal functions are equal objects.
    """

    __slots__ = ("_hash", "_left", "_low", "_right", "_values")
    is_real: ClassVar[bool] = False

    def __init__(self, low: int, values: Sequence[Number], left: Tail, right: Tail) -> None:
        tails = ({base: q for base, q in tail.items() if q} for tail in (left, right))
        self._low, self._values, self._left, self._right = _shortest(low, values, *tails)
        self._hash: int | None = None

    @staticmethod
    def two_sided_geometric(alpha: Number, mean: int = 0) -> IntegerFunction:
        """(1-alpha)/(1+alpha) alpha^|k - mean|; raises ValueError for a rational alpha outside (0, 1)."""
        height = (1 - _base(alpha)) / (1 + alpha)
        return IntegerFunction(mean, [], {1 / alpha: height}, {alpha: height})

    @staticmethod
    def geometric(alpha: Number, start: int = 0) -> IntegerFunction:
        """(1-alpha) alpha^(k - start) on k >= start; raises ValueError for a rational alpha outside (0, 1)."""
        return IntegerFunction(start, [], {}, {alpha: 1 - _base(alpha)})

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
    def end(self) -> int:
        """The first place on the right tail."""
        return self._low + len(self._values)

    @property
    def left(self) -> Tail:
        """The tail at k < low, j = k - low."""
        return dict(self._left)

    @property
    def right(self) -> Tail:
        """The tail at k >= end, j = k - end."""
        return dict(self._right)

    def at(self, k: int) -> Number:
        """The value at k."""
        return next(self._from(k))

    def __mul__(self, other: IntegerFunction) -> IntegerFunction:
        low, end = min(self._low, other._low), max(self.end, other.end)
        values = [p * q for p, q, _ in zip(self._from(low), other._from(low), range(end - low))]
        left, right = (
            summed((b * c, p * q) for b, p in mine.items() for c, q in others.items())
            for mine, others in zip(self._tails_from(low, end), other._tails_from(low, end))
        )
        return IntegerFunction(low, values, left, right)

    def __add__(self, other: IntegerFunction) -> IntegerFunction:
        low, end = min(self._low, other._low), max(self.end, other.end)
        values = [p + q for p, q, _ in zip(self._from(low), other._from(low), range(end - low))]
        left, right = (
            summed([*mine.items(), *others.items()])
            for mine, others in zip(self._tails_from(low, end), other._tails_from(low, end))
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
        if not number:
            return IntegerFunction.everywhere(0)
        left, right = ({base: q * number for base, q in tail.items()} for tail in (self._left, self._right))
        return _in_normal_form(self._low, [value * number for value in self._values], left, right)

    def shifted(self, by: Fraction | int) -> IntegerFunction:
        """f(k - by); raises ValueError unless `by` is whole."""
        if not self._values and self._left.keys() == self._right.keys():  # one sum everywhere, or 0
            return IntegerFunction(self._low + _whole(by), (), self._left, self._right)
        return _in_normal_form(self._low + _whole(by), self._values, self._left, self._right)

    def restricted(self, low: Fraction | int | None, high: Fraction | int | None) -> IntegerFunction:
        """The function on low..high, both included, and 0 elsewhere; raises ValueError for ends that are not whole."""
        if low is not None and high is not None and low > high:
            return IntegerFunction.everywhere(0)
        first = self._low if low is None else _whole(low)
        end = self.end if high is None else _whole(high) + 1
        if low is None:
            first = min(first, end)
        if high is None:
            end = max(end, first)
        values = [value for value, _ in zip(self._from(first), range(end - first))]
        left, right = self._tails_from(first, end)
        return IntegerFunction(first, values, left if low is None else {}, right if high is None else {})

    def just_before(self) -> IntegerFunction:
        return self.shifted(1)

    def integrated(self) -> tuple[IntegerFunction, Number | None]:
        if any(isinstance(base, Fraction) and base <= 1 for base in self._left):
            raise ValueError("the function has no sum from the left: it does not decay there")
        if _ONE in self._right:
            raise ValueError("the function has no sum here: a constant right tail adds up to powers of k")
        if not self:
            return self, Fraction(0)
        # The sum over j <= n of base^j is base^n * base/(base - 1), that over 0..n is (base^n * base - 1)/(base - 1).
        before = {base: q / (base - 1) for base, q in self._left.items()}
        after = {base: q / (base - 1) for base, q in self._right.items()}
        reached = _sum(before.values())
        values: list[Number] = []
        for value in self._values:
            reached = reached + value
            values.append(reached)
        constant = reached - _sum(after.values())
        right = {base: q for base, q in {_ONE: constant, **after}.items() if q}
        decays = not any(isinstance(base, Fraction) and base > 1 for base in self._right)
        # The right tail is that of the sums from one place further left on, and no place more: before that it would
        # take the function to be its right tail where it is not.
        if values:
            left = {base: q * base for base, q in before.items()}
            made = _in_normal_form(self._low, values[:-1], left, right)
        else:
            made = _in_normal_form(self._low - 1, [], before, right)
        return made, constant if decays else None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return self._key() == other._key() if isinstance(other, IntegerFunction) else NotImplemented

    def __hash__(self) -> int:
        if self._hash is None:
            tails = (frozenset(tail.items()) for tail in (self._left, self._right))
            self._hash = hash((self._low, self._values, *tails))
        return self._hash

    def __reduce__(self) -> tuple[type[IntegerFunction], tuple[object, ...]]:
        return IntegerFunction, self._key()  # without the hash, which differs from process to process

    def __repr__(self) -> str:
        return f"IntegerFunction({self._low}, {self._values}, {self._left}, {self._right})"

    def _key(self) -> tuple[object, ...]:
        return self._low, self._values, self._left, self._right

    def _tails_from(self, low: int, end: int) -> tuple[Tail, Tail]:
        """The tails with j counted from these ends."""
        return _moved(self._left, low - self._low), _moved(self._right, end - self.end)

    def _from(self, first: int) -> Iterator[Number]:
        """The values at first, first + 1, .., without end."""
        for value, _ in zip(_tail_from(self._left, first - self._low), range(self._low - first)):
            yield value
        yield from self._values[max(first - self._low, 0) :]
        yield from _tail_from(self._right, max(first - self.end, 0))


_ONE = Fraction(1)


def _in_normal_form(low: int, values: Sequence[Number], left: Tail, right: Tail) -> IntegerFunction:
    """The function of parts that are in normal form already."""
    made = IntegerFunction.__new__(IntegerFunction)
    made._low, made._values, made._left, made._right, made._hash = low, tuple(values), left, right, None
    return made


def _base(alpha: Number) -> Number:
    if isinstance(alpha, Fraction) and not 0 < alpha < 1:
        raise ValueError(f"alpha = {alpha} of a geometric sample is not between 0 and 1")
    return alpha


def _whole(number: Fraction | int) -> int:
    if number.denominator != 1:
        raise ValueError(f"{number} is not whole, as values of integer samples are")
    return int(number)


def _number(weight: Weight | int) -> Number:
    if isinstance(weight, ExponentialSum | IntegralSum):
        raise ValueError(f"a function of an integer sample is not multiplied by {weight}")
    return Fraction(weight) if isinstance(weight, int) else weight


def _sum(numbers: Iterable[Number]) -> Number:
    return sum(numbers, Fraction(0))


def _moved(tail: Tail, by: int) -> Tail:
    """The tail with j counted from an end that lies so much further to the right."""
    return {base: q * base**by for base, q in tail.items()} if by else tail


def _tail_from(tail: Tail, first: int) -> Iterator[Number]:
    """The values of the tail at j = first, first + 1, .., without end."""
    terms = list(_moved(tail, first).items())
    while True:
        yield _sum(term for _, term in terms)
        terms = [(base, term * base) for base, term in terms]


def _shortest(
    low: int, values: Sequence[Number], left: Tail, right: Tail
) -> tuple[int, tuple[Number, ...], Tail, Tail]:
    """With as few single values as possible, first from the right, then from the left: the one normal form."""
    kept = list(values)
    if left.keys() == right.keys():  # perhaps one sum everywhere, which any place may divide
        through = zip(_tail_from(left, 0), values)
        if left == _moved(right, -len(values)) and all(value == each for value, each in through):
            return 0, (), _moved(left, -low), _moved(right, -low - len(values))
    while True:
        before = _moved(right, -1)
        value = kept[-1] if kept else _sum(q / base for base, q in left.items())
        if value != _sum(before.values()):
            break
        right = before
        if kept:
            kept.pop()
        else:
            low, left = low - 1, _moved(left, -1)
    first = 0
    while first < len(kept) and kept[first] == _sum(left.values()):
        first, left = first + 1, _moved(left, 1)
    return low + first, tuple(kept[first:]), left, right
