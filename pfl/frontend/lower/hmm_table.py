"""The table form of a hidden Markov model, read off its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from pfl.base.diagnostics import Diagnostics, InputRejected
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number
from pfl.frontend.ast import Name
from pfl.frontend.ast_systems import HmmDecl, Letters, Row, States
from pfl.frontend.compile.compiler import Compiler
from pfl.frontend.compile.faults import negative_weight, weights_not_one
from pfl.frontend.lower.hmm_reached import ReachedHmm, State, reached
from pfl.ir.coincidence import coincidences
from pfl.ir.distribution import DistributionValue, NegativeWeight, TotalNotOne, point
from pfl.ir.fault import EvaluationFault
from pfl.ir.values import SILENT, SymbolValue, Value


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
