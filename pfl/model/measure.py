"""What is measured: one number, or distribution, of the runs of a system from a start."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal, TypeAlias

from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.labelled_system import Hmm, LabelledSystem, SparseRow, Vector
from pfl.model.markov_chain import MarkovChain
from pfl.model.parameters import NO_PARAMETERS, ExponentialSpace, ParameterSpace, Space, names_of

Scope: TypeAlias = tuple[tuple[int, ...] | Literal["any"] | None, str]
"""The lengths that a question is about and what they count; None and an empty unit where it is about no words."""

MOVE = "move"
"""The unit of a question about what comes within so many moves."""
NEVER = "never"
"""The name of the outcome of a run that never ends."""


class _Quantity:
    """What most quantities say of themselves."""

    __slots__ = ()

    @property
    def target(self) -> object:
        """What questions share that differ in their start alone."""
        return self

    @property
    def ends(self) -> Iterable[int]:
        """The states of a chain that must be absorbing."""
        return ()

    @property
    def numbers(self) -> Iterable[Number]:
        """The numbers that are mentioned beside those of the system and the start."""
        return ()

    @property
    def scope(self) -> Scope:
        """The lengths that it is about and what they count."""
        return None, ""


@struct
class Reach(_Quantity):
    """The probability that a run of a chain comes to a state of `goal`, all of them absorbing.

    With `within`, at a cost of at most that; transitions then cost 0 or 1. `goal` is shared by identity between the
    questions that differ in their start alone.
    """

    goal: frozenset[int]
    within: int | None = None

    @property
    def ends(self) -> Iterable[int]:
        return self.goal

    @property
    def scope(self) -> Scope:
        return (None, "") if self.within is None else ((self.within,), MOVE)


@struct
class Cost(_Quantity):
    """The expected cost of a run of a chain until it comes to a state of `goal`, all of them absorbing; `inf` if it
    misses the goal with positive probability. `unit` is what the costs are."""

    goal: frozenset[int]
    unit: Literal["step", "cost"]

    @property
    def ends(self) -> Iterable[int]:
        return self.goal


@struct
class Results(_Quantity):
    """The probability of each outcome of a run of a chain.

    `outcomes` are the names of the results in the model's words, in order, with the absorbing states that stand for
    them, None for a value that is never returned; a run that comes to none of them never ends.

    `specified` is what a check says of them: a probability an outcome, and last that of never ending; `label` and
    `specification` are how the two that are compared are written.
    """

    outcomes: tuple[tuple[str, int | None], ...]
    specified: tuple[Number, ...] | None = None
    label: str = ""
    specification: str = ""

    @property
    def target(self) -> object:
        return self.outcomes

    @property
    def ends(self) -> Iterable[int]:
        return (state for _, state in self.outcomes if state is not None)

    @property
    def numbers(self) -> Iterable[Number]:
        return self.specified or ()


@struct
class HiddenMoves:
    """The hmm behind the letters of a system, where states can be silent, so that moments and letters are not the same.

    `start` is its start, |S| entries. `before[s]` is the state of the system in which state s of the hmm has not shown
    anything yet, None where the start does not lead to s; `shown_by[v]` is the state of the hmm that showed the last
    letter where the system is in v, None where there was none.
    """

    hmm: Hmm
    start: Vector
    before: tuple[int | None, ...]
    shown_by: tuple[int | None, ...]


@struct
class Observed(_Quantity):
    """The probability of a word of a labelled system, None in it for a missing observation.

    With `posterior`, also the distribution of the hidden state at each moment given the whole word, and, where states
    can be silent (`hidden` says how they move then), of the state that showed each letter. `variables` are the state
    variables of each state of the system, or of `hidden`, with their values, as they are written; none where its name
    is a predicate.
    """

    word: tuple[int | None, ...]
    posterior: bool
    variables: tuple[tuple[tuple[str, str], ...], ...] = ()
    hidden: HiddenMoves | None = None

    @property
    def scope(self) -> Scope:
        return (len(self.word),), "observation"


@struct
class Measure:
    """What `quantity` is of the runs of a system from `start`, states with their probabilities.

    The system is a chain, but for `Observed`, which is asked of a labelled system. It is shared by identity between
    the questions that differ in their start, or their quantity, alone. `exponents` as of `Compare`. `left` is the
    absorbing state of a chain that stands for those that were not explored: what a run does there is not known.
    """

    system: MarkovChain | LabelledSystem
    start: SparseRow
    quantity: Reach | Cost | Results | Observed
    parameters: ParameterSpace = NO_PARAMETERS
    exponents: ExponentialSpace | None = None
    left: int | None = None

    @property
    def space(self) -> Space:
        """The values that the question is about."""
        return self.exponents or self.parameters

    @property
    def systems(self) -> tuple[MarkovChain | LabelledSystem, ...]:
        """What the question is about."""
        return (self.system,)

    @property
    def own_mentioned(self) -> frozenset[str]:
        """The parameters that are mentioned beside the numbers of the system."""
        return names_of((*(weight for _, weight in self.start), *self.quantity.numbers))

    @property
    def scope(self) -> Scope:
        """That of the quantity."""
        return self.quantity.scope

    @property
    def chain(self) -> MarkovChain:
        """The system of a quantity of chains."""
        assert isinstance(self.system, MarkovChain)
        return self.system


@struct
class Requirement:
    """What a check says of a number."""

    relation: Literal["equals", "at least", "at most"]
    number: Number

    def __str__(self) -> str:
        return f"{self.relation} {self.number}"

    def holds(self, value: Fraction | Literal["inf"]) -> bool:
        """Whether a constant, or infinity, satisfies a requirement without parameters."""
        if value == "inf":
            return self.relation == "at least"
        assert isinstance(self.number, Fraction)
        match self.relation:
            case "equals":
                return value == self.number
            case "at least":
                return value >= self.number
            case "at most":
                return value <= self.number
