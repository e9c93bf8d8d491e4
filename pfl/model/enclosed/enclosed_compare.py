"""The question of whether runs look alike where their probabilities are known by enclosures alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.compare import WHOLE_RUN
from pfl.model.enclosed.formulas import IntegralSum, Node
from pfl.model.measure import Scope
from pfl.model.parameters import NO_PARAMETERS, ParameterSpace

EnclosedWord: TypeAlias = tuple[int, ...]
"""Letters by number."""


@struct(eq=False)
class EnclosedSide:
    """One of the things that are compared: the probability of each word that it can show, and how it is called.

    A word that is not among `words` has probability 0, and the others have not.
    """

    label: str
    words: Mapping[EnclosedWord, IntegralSum]


@struct(eq=False)
class EnclosedTable:
    """Sides, and the pairs of them, by index, that must look alike; as `Table`, with enclosed probabilities.

    `nodes` are the formulas of all numbers, and `draws` is how many Gaussian samples a run draws at most.
    """

    letters: tuple[str, ...]
    nodes: tuple[Node, ...]
    draws: int
    sides: tuple[EnclosedSide, ...]
    pairs: tuple[tuple[int, int], ...]
    epsilon: Epsilon | None
    heading: str = "inputs"
    bindings: tuple[tuple[str, str], ...] = ()
    one_way: bool = False


@struct(eq=False)
class EnclosedCompare:
    """`check privacy`, `compute epsilon|delta` of mechanisms with Gaussian noise: every comparison, on all words.

    `delta` is the additive slack, None where it is asked for. `outputs` is how many letters words are cut to, None for
    whole runs. There are no parameters.
    """

    goal: Literal["check", "epsilon", "delta"]
    tables: tuple[EnclosedTable, ...]
    delta: Number | None
    outputs: int | None = None

    @property
    def parameters(self) -> ParameterSpace:
        """None: what is enclosed depends on no parameter."""
        return NO_PARAMETERS

    @property
    def space(self) -> ParameterSpace:
        """The values that the question is about."""
        return NO_PARAMETERS

    @property
    def exponents(self) -> None:
        """None: its numbers are no functions of a parameter."""
        return None

    @property
    def systems(self) -> tuple[()]:
        """None that an exact engine could read."""
        return ()

    @property
    def own_mentioned(self) -> frozenset[str]:
        """The parameters that are mentioned: none."""
        return frozenset()

    @property
    def scope(self) -> Scope:
        """How many outputs of runs are looked at."""
        return (None, WHOLE_RUN) if self.outputs is None else ((self.outputs,), "output")
