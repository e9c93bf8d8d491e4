"""What every engine for comparisons makes of a question: one obligation a direction, and results by length and value.

An obligation is Pr(w | above) <= e^eps Pr(w | below) for the words w of a system: one direction of one comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias, TypeVar

from pfl.analysis.parametric.obligation import Obligation
from pfl.analysis.polynomial.algebraic import ExactRoot
from pfl.analysis.polynomial.real_roots import Root
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.engines.answer import Bound, NamedValue, Violation
from pfl.model.compare import Direction, Lengths
from pfl.model.labelled_system import Vector

Bindings: TypeAlias = tuple[tuple[str, str], ...]
"""The values of the `for` variables, by name."""


@struct(eq=False)
class Directed:
    """What is about one direction of one comparison."""

    direction: Direction

    @property
    def epsilon(self) -> Epsilon | None:
        """The epsilon of the comparison; None where it is what is asked for."""
        return self.direction.comparison.epsilon

    @property
    def bindings(self) -> Bindings:
        """The values of the `for` variables under which it is made."""
        return self.direction.comparison.table.bindings

    def violation(
        self,
        *words: Sequence[int],
        at: Mapping[str, Fraction | Root] | None = None,
        out_of: int | Literal["inf"] | None = None,
    ) -> Violation:
        """The words on which this direction fails at values of parameters, or attains its largest ratio, for replay."""
        return Violation(
            comparison=self.direction.number,
            reversed=self.direction.is_reversed,
            words=tuple(map(tuple, words)),
            parameters={name: ExactRoot.of(name, value) for name, value in sorted((at or {}).items())},
            out_of=out_of,
        )


Task = TypeVar("Task", bound=Directed)


def by_bindings(tasks: Iterable[Task]) -> dict[Bindings, list[Task]]:
    """The obligations for each value of the `for` variables."""
    groups: dict[Bindings, list[Task]] = {}
    for task in tasks:
        groups.setdefault(task.bindings, []).append(task)
    return groups


def smallest_epsilon(
    tasks: Iterable[Task], lengths: Lengths, bound_of: Callable[[list[Task], int | None], Bound]
) -> tuple[Bound, tuple[NamedValue, ...]]:
    """The largest ratio at the longest length, which no shorter one exceeds; with several lengths also the ratio at
    each, with `for` variables the largest and the smallest by value. `bound_of` bounds some obligations at a length,
    None for every length."""
    groups = by_bindings(tasks)
    values: list[NamedValue] = []
    by_group: dict[Bindings, Bound] = {}
    for length in each_of(lengths):
        by_group = {bindings: bound_of(group, length) for bindings, group in groups.items()}
        ratio = max(by_group.values(), key=rank).ratio
        if ratio is not None and ratio != "unbounded" and len(lengths) > 1 and length is not None:
            values.append(NamedValue(name=f"length {length}", value=ratio))
    return max(by_group.values(), key=rank), (*values, *_extremes(by_group))


def each_of(lengths: Lengths) -> list[int | None]:
    """The lengths, shortest first; None stands for every length."""
    return [None] if lengths == "any" else list(sorted(set(lengths)))


def rank(bound: Bound) -> tuple[int, Fraction]:
    """Bounds by their ratio, or the least that it can be."""
    match bound.ratio:
        case "inf":
            return 2, Fraction(0)
        case "unbounded":
            return 1, Fraction(0)
        case _:
            return 0, bound.lower if isinstance(bound.lower, Fraction) else Fraction(0)


def _extremes(by_group: Mapping[Bindings, Bound]) -> list[NamedValue]:
    """`largest` and `smallest`, the ratios with the values of the `for` variables, where these have several."""
    if len(by_group) < 2:
        return []
    found = []
    for end, pick in (("largest", max), ("smallest", min)):
        bindings = pick(by_group, key=lambda bindings: rank(by_group[bindings]))
        ratio = by_group[bindings].ratio
        if ratio is not None and ratio != "unbounded":
            found.append(NamedValue(name=end, value=ratio, arguments=bindings))
    return found


def multiplied_out(direction: Direction) -> Obligation:
    """Pr(w | above) <= c Pr(w | below) as Pr(w, above) Pr(below) <= c Pr(w, below) Pr(above), which is true where a
    side has probability 0."""
    above, below = direction.above, direction.below
    return Obligation(
        system=direction.comparison.system,
        left=_times(above.vector, below.weight),
        right=_times(below.vector, above.weight),
    )


def _times(vector: Vector, weight: Number) -> Vector:
    return vector if weight == 1 else tuple(entry * weight for entry in vector)
