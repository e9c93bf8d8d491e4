"""The question of whether runs look alike: tables of where they start, and of the pairs of these that are compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from itertools import groupby
from typing import Any, Literal, TypeAlias, overload

from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.interactive import InteractiveSystem
from pfl.model.labelled_system import LabelledSystem, Vector, sparse
from pfl.model.measure import Scope
from pfl.model.parameters import NO_PARAMETERS, Condition, ExponentialSpace, ParameterSpace, Space, names_in, names_of
from pfl.model.two_runs import TwoRuns
from pfl.model.two_systems import TwoSystems


@struct
class Side:
    """One of the things that are compared: where a run starts, and how that is called.

    `vector` is a joint vector, |S| entries, and `weight` its total mass, both in the numbers of the system: the
    probability of a word w is mass(vector, w) / weight. With constant numbers `weight` is 1. With parameters it is the
    probability of the secret, multiplied out so that nothing is divided by a quantity that may be 0.
    `label` is in the model's own words: `john`, `(q = [1, 0])`, `0 sick`. Sides that start alike share one vector.
    `nonzero` are weights that are assumed not to be 0: parameter values where one vanishes are left out of every
    comparison with this side, and the report says so.
    """

    label: str
    vector: Vector
    weight: Number = Fraction(1)
    nonzero: tuple[Condition, ...] = ()


Compared: TypeAlias = LabelledSystem | TwoRuns | TwoSystems
"""A system, or what one is made of when something reads it."""


@struct(eq=False, cached=True)
class Table:
    """Sides that start in one system, and the pairs of them, by index, that must look alike.

    Both directions of Pr(w | left) <= e^eps Pr(w | right) are obligations, the one of left against right alone if it is
    `one_way`. `epsilon` is None for `compute epsilon`. `bindings` are the values of the claim's `for` variables.
    `heading` names the kind of label (`secrets`, `inputs`, `start`), `prior` is the prior as written or empty.

    `compared` is the system, or the two runs of an automaton, or the two automata, of which it is made when something
    reads it; the automata are compared by equality, with epsilon 0. `counts` are
    such runs where `compared` is not the system of these, but counts their inputs as well. If `interleaved`, words say
    more than the adversary sees: where a response came among inputs that he does not see. A ratio then bounds what he
    sees from above, and what he sees of a word is the sum over all such places.
    """

    compared: Compared
    sides: Sequence[Side]
    pairs: Sequence[tuple[int, int]]
    epsilon: Epsilon | None
    heading: str = "secrets"
    prior: str = ""
    bindings: tuple[tuple[str, str], ...] = ()
    one_way: bool = False
    counts: TwoRuns | None = None
    interleaved: bool = False

    @property
    def system(self) -> LabelledSystem:
        """The labelled system; made now, if nothing has read it yet."""
        return self.compared if isinstance(self.compared, LabelledSystem) else self.compared.side_by_side

    @property
    def systems(self) -> tuple[LabelledSystem | InteractiveSystem, ...]:
        """What is compared as the claim has it: two runs are about the system that they are runs of."""
        match self.compared:
            case TwoRuns(system=system):
                return (system,)
            case TwoSystems(systems=systems):
                return systems
            case system:
                return (system,)

    @property
    def size(self) -> int:
        """The number of states."""
        return 3 * self.compared.system.size if isinstance(self.compared, TwoRuns) else self.system.size

    @property
    def unwindable(self) -> TwoRuns | None:
        """The two runs that the system is exactly about."""
        return self.compared if isinstance(self.compared, TwoRuns) else None

    @property
    def runs(self) -> TwoRuns | None:
        """The two runs that the letters are about; None for other systems, and once parameters were fixed."""
        return self.unwindable or self.counts

    @classmethod
    def of_pair(
        cls,
        compared: Compared,
        sides: Sequence[Side],
        epsilon: Epsilon | None,
        **others: Any,
    ) -> Table:
        """A table of two sides that are compared with each other."""
        return cls(compared=compared, sides=tuple(sides), pairs=((0, 1),), epsilon=epsilon, **others)

    @classmethod
    def of_systems(cls, both: TwoSystems) -> Table:
        """The table of what one automaton is said to do as another does: no word is more likely in one of them."""
        sides = [Side(label=name, vector=start) for name, start in zip(both.names, both.starts)]
        return cls.of_pair(both, sides, Epsilon.rational(Fraction(0)), heading="systems")


def joined(tables: Iterable[Table]) -> tuple[Table, ...]:
    """The same pairs in the same order in fewer tables, where neighbours are about the same but for their pairs."""
    found: list[Table] = []
    for _, group in groupby(tables, _all_but_pairs):
        first, *others = group
        places: dict[tuple[str, int], int] = {}
        sides: list[Side] = []
        pairs: list[tuple[int, int]] = []
        for table in (first, *others):
            for side in table.sides:
                if (side.label, id(side.vector)) not in places:
                    places[side.label, id(side.vector)] = len(sides)
                    sides.append(side)
            at = [places[side.label, id(side.vector)] for side in table.sides]
            pairs += [(at[left], at[right]) for left, right in table.pairs]
        found.append(replace(first, sides=tuple(sides), pairs=tuple(pairs)) if others else first)
    return tuple(found)


def _all_but_pairs(table: Table) -> tuple[object, ...]:
    names = [field.name for field in fields(table) if field.name not in ("sides", "pairs")]
    return tuple(getattr(table, name) for name in names)


@struct(eq=False, kw_only=False)
class Comparison:
    """One pair of a table, with all that the table says of its pairs."""

    table: Table
    pair: tuple[int, int]

    @property
    def left(self) -> Side:
        """The side that the author put first."""
        return self.table.sides[self.pair[0]]

    @property
    def right(self) -> Side:
        """The other side."""
        return self.table.sides[self.pair[1]]

    @property
    def sides(self) -> tuple[Side, Side]:
        """Left and right."""
        return self.left, self.right

    @property
    def system(self) -> LabelledSystem:
        """The labelled system of both sides; made now, if nothing has read it yet."""
        return self.table.system

    @property
    def epsilon(self) -> Epsilon | None:
        """What the ratio may not exceed, as e^epsilon; None where it is asked for."""
        return self.table.epsilon

    @property
    def nonzero(self) -> tuple[Condition, ...]:
        """What is assumed not to be 0: parameter values where one vanishes are left out of the comparison."""
        return (*self.left.nonzero, *self.right.nonzero)

    @property
    def own_numbers(self) -> Iterator[Number]:
        """The numbers of its sides."""
        for side in self.sides:
            yield side.weight
            yield from (number for _, number in sparse(side.vector))

    @property
    def own_mentioned(self) -> frozenset[str]:
        """The names of the parameters on which its numbers depend, but for those of its system."""
        return names_of(self.own_numbers).union(() if self.epsilon is None else self.epsilon.parameters)


@struct(eq=False)
class Direction:
    """One obligation of a comparison, the `number`-th of its question: Pr(w | above) <= e^eps Pr(w | below) + delta."""

    number: int
    comparison: Comparison
    is_reversed: bool

    @property
    def above(self) -> Side:
        """The side that may not be too likely."""
        return self.comparison.right if self.is_reversed else self.comparison.left

    @property
    def below(self) -> Side:
        """The side that the other may not exceed."""
        return self.comparison.left if self.is_reversed else self.comparison.right


@struct(kw_only=False)
class Comparisons(Sequence[Comparison]):
    """The pairs of some tables, one after the other."""

    tables: tuple[Table, ...]

    def __len__(self) -> int:
        return sum(len(table.pairs) for table in self.tables)

    def __iter__(self) -> Iterator[Comparison]:
        return (Comparison(table, pair) for table in self.tables for pair in table.pairs)

    @overload
    def __getitem__(self, number: int) -> Comparison: ...

    @overload
    def __getitem__(self, number: slice) -> tuple[Comparison, ...]: ...

    def __getitem__(self, number: int | slice) -> Comparison | tuple[Comparison, ...]:
        if isinstance(number, slice):
            return tuple(self)[number]
        left = number
        for table in self.tables:
            if 0 <= left < len(table.pairs):
                return Comparison(table, table.pairs[left])
            left -= len(table.pairs)
        raise IndexError(number)


@struct(eq=False)
class Balance:
    """One relation of a family: what is left to give away, and the arguments that say which (`j = 2`)."""

    label: str
    epsilon: Epsilon


@struct(eq=False)
class Family:
    """A family of relations that an author wrote down.

    `balances` ascend. `related[left, right]` is the place of the smallest balance by which two states are related, of
    all pairs that runs can come to; equal states are related by balance 0 in any case. `left` is the run without the
    extra point, or with the second.
    """

    name: str
    balances: tuple[Balance, ...]
    related: Mapping[tuple[int, int], int]

    def epsilons(self, epsilon: Epsilon) -> tuple[Epsilon, ...]:
        """What can be given away: epsilon at the start, then the balances, and at last nothing, by equal states."""
        return (epsilon, *(balance.epsilon for balance in self.balances), Epsilon.rational(Fraction(0)))

    def place(self, left: int, right: int) -> int | None:
        """The place in `epsilons` of the smallest balance by which two states are related; None where they are not."""
        if left == right:
            return len(self.balances) + 1
        place = self.related.get((left, right))
        return None if place is None else place + 1


Lengths: TypeAlias = tuple[int, ...] | Literal["any"]
Unit: TypeAlias = Literal["observation", "input", "output", "run"]
"""What a length counts."""
WHOLE_RUN: Literal["run"] = "run"
"""The unit of whole runs in which letters are not all outputs, whatever their length."""


@struct
class Compare:
    """`check pufferfish|privacy|noninterference`, `compute epsilon|delta`: every comparison, at every length given.

    `delta` is the additive slack of a check, None for `compute delta`. `unit` is what a length counts. `stated` are
    the lengths that the claim states, where the systems count for themselves and `lengths` are those of words.
    `shorter` is the same question at each of them but the longest, shortest first, where several are asked of such
    systems. `skipped` are the comparisons left out because a secret has probability 0, in words. There may be no
    comparison only if `skipped` is not empty (the claim then holds vacuously). With a `family` the claim is that it
    is an unwinding family that covers the automaton of the only table, whatever is true of the runs themselves. With
    `exponents` the numbers are functions of a parameter and its exponential, and there are no other `parameters`.
    """

    goal: Literal["check", "epsilon", "delta"]
    tables: tuple[Table, ...]
    lengths: Lengths
    delta: Number | None = Fraction(0)
    parameters: ParameterSpace = NO_PARAMETERS
    exponents: ExponentialSpace | None = None
    unit: Unit = "observation"
    stated: Lengths | None = None
    shorter: tuple[Compare, ...] = ()
    skipped: tuple[str, ...] = ()
    family: Family | None = None

    @property
    def space(self) -> Space:
        """The values that the question is about."""
        return self.exponents or self.parameters

    @property
    def claimed_lengths(self) -> Lengths:
        """The lengths that the claim is about."""
        return self.lengths if self.stated is None else self.stated

    @property
    def systems(self) -> tuple[LabelledSystem | InteractiveSystem, ...]:
        """What the question is about; two runs are about the system that they are runs of."""
        return tuple(dict.fromkeys(system for table in self.tables for system in table.systems))

    @property
    def is_about_systems(self) -> bool:
        """Whether it is about automata as a whole: what a family covers, or what one does as another does."""
        return self.family is not None or self.implements is not None

    @property
    def implements(self) -> TwoSystems | None:
        """The two automata of which one is said to do what the other does."""
        compared = self.tables[0].compared if self.tables else None
        return compared if isinstance(compared, TwoSystems) else None

    @property
    def own_mentioned(self) -> frozenset[str]:
        """The parameters that are mentioned beside the numbers of the systems."""
        sides = [side for table in self.tables for side in table.sides]
        vectors = {id(side.vector): side.vector for side in sides}.values()  # many sides share one
        starts = (*(side.weight for side in sides), *(number for vector in vectors for _, number in sparse(vector)))
        epsilons = [table.epsilon for table in self.tables if table.epsilon is not None]
        epsilons += () if self.family is None else (balance.epsilon for balance in self.family.balances)
        of_delta = () if self.delta is None else names_in(self.delta)
        return names_of(starts).union(of_delta, *(epsilon.parameters for epsilon in epsilons))

    @property
    def scope(self) -> Scope:
        """The lengths that the claim states and what they count; none where whole systems are compared."""
        return (None, "") if self.implements is not None else (self.claimed_lengths, self.unit)

    @property
    def comparisons(self) -> Comparisons:
        """The pairs of all tables."""
        return Comparisons(self.tables)

    @property
    def directions(self) -> Iterator[Direction]:
        """Left against right of every comparison, each followed by right against left unless it is one way."""
        for number, comparison in enumerate(self.comparisons):
            for is_reversed in (False,) if comparison.table.one_way else (False, True):
                yield Direction(number=number, comparison=comparison, is_reversed=is_reversed)

    def alone(self, comparison: Comparison) -> Compare:
        """The question about one of its comparisons."""
        return replace(self, tables=(replace(comparison.table, sides=comparison.sides, pairs=((0, 1),)),))
