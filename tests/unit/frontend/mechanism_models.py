"""Mechanisms given as text, their systems, and largest ratios by looking at every word."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from evaluation import checked

from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostic, InputRejected
from pfl.base.divided import Divisors
from pfl.evaluation.globals.global_values import elaborate_globals
from pfl.lower.mechanism.adjacency import AppliedAdjacency
from pfl.lower.mechanism.mechanism import Mechanisms
from pfl.lower.mechanism.mechanism_system import (
    EQUAL_VALUES,
    MechanismSystem,
    MechanismSystems,
    OutputTable,
    ReceivedPairs,
)
from pfl.lower.privacy import compare_inputs
from pfl.model.compare import Comparisons, Side
from pfl.model.distribution import DistributionValue
from pfl.model.labelled_system import LabelledSystem
from pfl.model.program import describe
from pfl.options import Options
from pfl.syntax.tree.ast_declarations import AdjacencyDecl, MechanismDecl

INFINITE = "inf"


class Models:
    """The mechanisms and adjacencies of a source."""

    def __init__(self, text: str, max_states: int = 2_000_000) -> None:
        self.program = checked(text)
        values, diagnostics = elaborate_globals(self.program, Options())
        assert not diagnostics, diagnostics
        self.mechanisms = Mechanisms(self.program, values, Budget(max_states=max_states))
        self.systems = MechanismSystems(self.mechanisms)
        self.divisors = Divisors()
        self._declared = self.program.globals["model.pfl"]

    def distribution(self, name: str, *arguments: Any) -> DistributionValue:
        """What a mechanism returns."""
        return self.mechanisms.distribution(self._mechanism(name), arguments)

    def text(self, name: str) -> str:
        """The program of a mechanism without given parameters, as text."""
        return describe(self.mechanisms.program_of(self._mechanism(name), ()).program)

    def system(self, name: str, given: Sequence[Any] = (), received: ReceivedPairs = EQUAL_VALUES) -> MechanismSystem:
        return self.systems.system_of(self._mechanism(name), given, received).noting(self.divisors)

    def compare(
        self,
        name: str,
        *adjacencies: str,
        given: Sequence[Any] = (),
        received: str | None = None,
        limit: int | None = None,
        one_way: bool = False,
    ) -> OutputTable:
        """The comparisons of a mechanism under adjacencies, those of received values included."""
        pairs = ReceivedPairs(adjacency=None if received is None else self.adjacency(received), limit=limit)
        built = self.system(name, given, pairs)
        related = [self.adjacency(text) for text in adjacencies]
        return compare_inputs(self.mechanisms, built, related, epsilon=None, one_way=one_way)

    def adjacency(self, name: str) -> AppliedAdjacency:
        declaration = self._declared[name]
        assert isinstance(declaration, AdjacencyDecl)
        return AppliedAdjacency(declaration=declaration, given=(), place=declaration.name.span)

    def _mechanism(self, name: str) -> MechanismDecl:
        declaration = self._declared[name]
        assert isinstance(declaration, MechanismDecl)
        return declaration


def faults(models: Models, name: str) -> list[Diagnostic]:
    """What is wrong with a mechanism on its reachable states."""
    try:
        models.system(name)
    except InputRejected as rejected:
        return list(rejected.diagnostics)
    return []


Sparse = dict[int, Fraction]


def largest_ratio(compared: OutputTable, length: int) -> tuple[Fraction | str, list[str]]:
    """The largest ratio over all words of a length and both directions, and a word that has it."""
    best: Fraction | str = Fraction(0)
    witness: list[str] = []
    for comparison in Comparisons((compared.table,)):
        level: list[tuple[tuple[int, ...], Sparse, Sparse]] = [
            ((), _sparse(comparison.left), _sparse(comparison.right))
        ]
        for _ in range(length):
            level = [
                ((*word, letter), *after)
                for word, *before in level
                for letter in range(len(comparison.system.letters))
                if any(after := [_step(comparison.system, vector, letter) for vector in before])
            ]
        for word, left, right in level:
            masses = sum(left.values(), Fraction(0)), sum(right.values(), Fraction(0))
            for over, under in (masses,) if comparison.table.one_way else (masses, masses[::-1]):
                ratio: Fraction | str = over / under if under else INFINITE
                if best != INFINITE and over and (ratio == INFINITE or ratio > best):
                    best, witness = ratio, [comparison.system.letters[letter] for letter in word]
    return best, witness


def _sparse(side: Side) -> Sparse:
    return {state: Fraction(weight) for state, weight in enumerate(side.vector) if weight}


def _step(system: LabelledSystem, vector: Sparse, letter: int) -> Sparse:
    after: Sparse = {}
    for state, weight in vector.items():
        for target, entry in system.matrices[letter][state]:
            after[target] = after.get(target, Fraction(0)) + weight * Fraction(entry)
    return after
