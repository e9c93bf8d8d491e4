"""The table form of a hidden Markov model, read off its rows.

The states of an hmm, as values and as numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from pfl.base.diagnostics import Diagnostics, InputRejected
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number
from pfl.evaluation.compiler import Compiler
from pfl.evaluation.faults import negative_weight, weights_not_one
from pfl.model.coincidence import coincidences
from pfl.model.distribution import DistributionValue, NegativeWeight, TotalNotOne, point
from pfl.model.labelled_system import Hmm, SparseRow, Vector
from pfl.model.program import EvaluationFault
from pfl.model.values import SILENT, SymbolValue, Value, show
from pfl.syntax.tree.ast import Name
from pfl.syntax.tree.ast_declarations import HmmDecl, Letters, Row, States

State: TypeAlias = tuple[Value, ...]
"""The values of the state variables in order; of a table, the name of the state alone."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ReachedHmm:
    """The part of a model that some starts reach: `states[i]` are the values of state i of `hmm`, `letters[a]` is the
    value of letter a."""

    hmm: Hmm
    states: tuple[State, ...]
    letters: tuple[Value, ...]

    @cached_property
    def index(self) -> Mapping[State, int]:
        """The number of each state."""
        return {state: position for position, state in enumerate(self.states)}

    def vector(self, weights: Mapping[State, Number]) -> Vector:
        """A distribution over states as a vector of |S| entries."""
        return tuple(weights.get(state, Fraction(0)) for state in self.states)


def reached(
    names: Iterable[str],
    states: tuple[State, ...],
    moves: Iterable[Mapping[int, Number]],
    emissions: Iterable[DistributionValue],
    declared: Iterable[Value],
) -> ReachedHmm:
    """The hmm of states, their rows and what they emit; letters that are declared come first, in their order."""
    letters: dict[Value, int] = {}
    for letter in declared:
        letters.setdefault(letter, len(letters))
    rows: list[SparseRow] = []
    silent: list[Number] = []
    for emission in emissions:
        row = {letters.setdefault(value, len(letters)): p for value, p in emission.items() if value is not SILENT}
        rows.append(tuple(sorted(row.items())))
        silent.append(emission.weight(SILENT))
    hmm = Hmm(
        states=tuple(names),
        letters=tuple(map(show, letters)),
        start=None,
        transition=tuple(tuple(sorted(row.items())) for row in moves),
        emission=tuple(rows),
        silent=tuple(silent),
    )
    return ReachedHmm(hmm=hmm, states=states, letters=tuple(letters))


def start_row(compiler: Compiler, declaration: HmmDecl) -> Mapping[State, Number] | None:
    """The distribution of the `init` row, None where there is none. Raises InputRejected."""
    for row in _rows(declaration, "init"):
        weights = row_distribution(compiler, row)
        return {(state,): weight for state, weight in weights.items()}
    return None


def read_table(compiler: Compiler, declaration: HmmDecl) -> Divided[ReachedHmm]:
    """The model of all states that are listed. Raises InputRejected with every row that is at fault."""
    found = Diagnostics()
    moves: dict[str, DistributionValue] = {}
    emissions: dict[str, DistributionValue] = {}
    for kind, rows in (("step", moves), ("emits", emissions)):
        for row in _rows(declaration, kind):
            assert row.source is not None
            try:
                rows[row.source.text] = row_distribution(compiler, row)
            except InputRejected as rejected:
                found.extend(rejected.diagnostics)
    if found.has_errors:
        raise InputRejected(found.sorted())
    names = [identifier.text for item in declaration.items if isinstance(item, States) for identifier in item.names]
    index = {SymbolValue(name): number for number, name in enumerate(names)}
    model = reached(
        names,
        tuple((state,) for state in index),
        [{index[target]: weight for target, weight in _targets(moves, name)} for name in names],
        [emissions.get(name, point(SILENT)) for name in names],
        declared_letters(compiler, declaration),
    )
    divisors = Divisors()
    divisors.note(coincidences(model.letters))
    return divisors.of(model)


def declared_letters(compiler: Compiler, declaration: HmmDecl) -> Sequence[Value]:
    """The letters that `emits` lists, in order; none where it is left out."""
    for item in declaration.items:
        if isinstance(item, Letters):
            return compiler.elements(item.type)()
    return ()


def _targets(moves: Mapping[str, DistributionValue], name: str) -> Iterator[tuple[SymbolValue, Number]]:
    """Where a state moves; one without a row stays."""
    for value, weight in moves.get(name, point(SymbolValue(name))).items():
        assert isinstance(value, SymbolValue)
        yield value, weight


def _rows(declaration: HmmDecl, kind: str) -> Iterator[Row]:
    return (item for item in declaration.items if isinstance(item, Row) and item.kind == kind)


def row_distribution(compiler: Compiler, row: Row) -> DistributionValue:
    """The distribution of a row; the fault of one names its state, the place and the sum."""
    weighted: list[tuple[Value, Number]] = []
    for entry in row.entries:
        is_state = row.kind != "emits" and isinstance(entry.key, Name)
        key = SymbolValue(entry.key.span.text) if is_state else compiler.expression(entry.key)()
        weight = Fraction(1) if entry.weight is None else compiler.number(entry.weight)()
        weighted.append((key, weight))
    entries = row.entries[0].span.to(row.entries[-1].span)
    try:
        distribution = DistributionValue(weighted)
    except TotalNotOne as fault:
        raise _rejected(weights_not_one(entries, fault.total, weighted, _subject(row))) from None
    except NegativeWeight as fault:
        raise _rejected(negative_weight(entries, fault.value, fault.weight)) from None
    compiler.note_weights(distribution, entries)
    return distribution


def _subject(row: Row) -> str:
    if row.source is None:
        return "the probabilities of the `init` row"
    kind = "outgoing" if row.kind == "step" else "emission"
    return f"{kind} probabilities of state `{row.source.text}`"


def _rejected(fault: EvaluationFault) -> InputRejected:
    return InputRejected([fault.diagnostic])
