"""What is asked of a Markov chain: a probability, an expectation, or the distribution of results."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from pfl.base.number import Number
from pfl.model.labelled_system import SparseRow
from pfl.model.markov_chain import MarkovChain
from pfl.model.parameters import NO_PARAMETERS, ParameterSpace


@dataclass(frozen=True, slots=True, kw_only=True)
class Probability:
    """The probability that a run from `start`, states with their probabilities, comes to a state of `goal`.

    With `within`, at a cost of at most that; transitions then cost 0 or 1. Goals are absorbing. `chain` and `goal` are
    shared by identity between the questions that differ in their start alone.
    """

    chain: MarkovChain
    start: SparseRow
    goal: frozenset[int]
    within: int | None = None
    parameters: ParameterSpace = NO_PARAMETERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """The expected cost of a run from `start` until it comes to a state of `goal`; `inf` if it misses the goal with
    positive probability. `unit` is what the costs are."""

    chain: MarkovChain
    start: SparseRow
    goal: frozenset[int]
    unit: Literal["step", "cost"]
    parameters: ParameterSpace = NO_PARAMETERS


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultDistribution:
    """The probability of each outcome of a run from `start`.

    `outcomes` are the names of the results in the model's words, in order, with the absorbing states that stand for
    them, None for a value that is never returned; a run that comes to none of them never ends.

    `specified` is what a check says of them: a probability an outcome, and last that of never ending; `label` and
    `specification` are how the two that are compared are written.
    """

    chain: MarkovChain
    start: SparseRow
    outcomes: tuple[tuple[str, int | None], ...]
    specified: tuple[Number, ...] | None = None
    label: str = ""
    specification: str = ""
    parameters: ParameterSpace = NO_PARAMETERS


ChainQuestion: TypeAlias = Probability | Expectation | ResultDistribution

NEVER = "never"
"""The name of the outcome of a run that never ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
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
