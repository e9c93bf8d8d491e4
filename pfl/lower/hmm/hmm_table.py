"""The table form of a hidden Markov model, read off its rows."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property

from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostics, InputRejected
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number
from pfl.base.source import Span
from pfl.base.struct import struct
from pfl.evaluation.compiler import Compiler
from pfl.evaluation.faults import negative_weight, weights_not_one
from pfl.lower.hmm.hmm import HmmModel, ReachedHmm, Target, TargetChain, reached
from pfl.lower.hmm.hmm_errors import no_such_state
from pfl.lower.hmm.started import State
from pfl.model.coincidence import coincidences
from pfl.model.distribution import DistributionValue, NegativeWeight, TotalNotOne, point
from pfl.model.markov_chain import MarkovChain
from pfl.model.program import Costs, EvaluationFault
from pfl.model.values import SILENT, SymbolValue, Value, show, truth
from pfl.syntax.tree.ast import Expr, Name
from pfl.syntax.tree.ast_declarations import HmmDecl, Row, States
from pfl.typecheck.bindings import Local
from pfl.typecheck.types import SymbolType


@struct(eq=False, cached=True)
class HmmTable(HmmModel):
    """A model that lists its states, each a predicate in claims."""

    @cached_property
    def variables(self) -> tuple[Local, ...]:
        return (Local(kind="state", name=self.declaration.name, type=SymbolType()),)

    @cached_property
    def state_names(self) -> Mapping[Local, Value]:
        items = [item for item in self.declaration.items if isinstance(item, States)]
        locals_ = [self.program.local(identifier) for item in items for identifier in item.names]
        return {local: SymbolValue(local.name.text) for local in locals_}

    def variables_at(self, state: State) -> tuple[tuple[str, str], ...]:
        del state
        return ()

    def arguments(self, state: State) -> tuple[tuple[str, str], ...]:
        return (("state", show(state[0])),)

    def reading(self, local: Local) -> Callable[[State], Value]:
        named = (self.state_names[local],)
        return lambda state: truth(state == named)

    def every_state(self, place: Expr, budget: Budget) -> Sequence[State]:
        del place, budget
        return [(value,) for value in self.state_names.values()]

    def initial(self, budget: Budget) -> Divided[Mapping[State, Number] | None]:
        """The distribution of the `init` row."""
        del budget
        for row in _rows(self.declaration, "init"):
            weights = row_distribution(self.compiler, row)
            return Divided({(state,): weight for state, weight in weights.items()})
        return Divided(None)

    def require_known(self, starts: Iterable[State], place: Span) -> None:
        names = [local.name.text for local in self.state_names]
        for value, *_ in starts:
            if value not in self.state_names.values():
                raise InputRejected([no_such_state(place, show(value), self.name, names)])

    def reach(self, starts: Iterable[State], budget: Budget, moments: int | None = None) -> Divided[ReachedHmm]:
        """The model of all states that are listed. Raises InputRejected with every row that is at fault."""
        del starts, budget, moments
        found = Diagnostics()
        moves: dict[str, DistributionValue] = {}
        emissions: dict[str, DistributionValue] = {}
        for kind, rows in (("step", moves), ("emits", emissions)):
            for row in _rows(self.declaration, kind):
                assert row.source is not None
                try:
                    rows[row.source.text] = row_distribution(self.compiler, row)
                except InputRejected as rejected:
                    found.extend(rejected.diagnostics)
        if found.has_errors:
            raise InputRejected(found.sorted())
        names = [local.name.text for local in self.state_names]
        index = {state: number for number, state in enumerate(self.state_names.values())}
        model = reached(
            names,
            tuple((state,) for state in index),
            [{index[target]: weight for target, weight in _targets(moves, name)} for name in names],
            [emissions.get(name, point(SILENT)) for name in names],
            self.declared_letters(),
        )
        divisors = Divisors()
        divisors.note(coincidences(model.letters))
        return divisors.of(model)

    def chain_to(
        self, compiler: Compiler, target: Target, starts: Sequence[State], costs: Costs | None, budget: Budget
    ) -> Divided[TargetChain]:
        """Each transition of a row is a move; states of the target are absorbing."""
        is_goal = self.satisfies(compiler, target.condition)
        is_avoided = None if target.avoided is None else self.satisfies(compiler, target.avoided)
        return self.reach(starts, budget).then(lambda model: _chain_to(model, is_goal, is_avoided, costs))


def _chain_to(
    model: ReachedHmm,
    is_goal: Callable[[State], bool],
    is_avoided: Callable[[State], bool] | None,
    costs: Costs | None,
) -> TargetChain:
    offsets, targets, weights = array("q", [0]), array("i"), array("i")
    table: dict[Number, int] = {}
    goal = [number for number, state in enumerate(model.states) if is_goal(state)]
    for number, row in enumerate(model.hmm.transition):
        if number not in goal and not (is_avoided is not None and is_avoided(model.states[number])):
            targets.extend(column for column, _ in row)
            weights.extend(table.setdefault(weight, len(table)) for _, weight in row)
        offsets.append(len(targets))
    chain = MarkovChain(
        offsets=offsets,
        targets=targets,
        weights=weights,
        weight_table=tuple(table),
        costs=None if costs is None else array("i", bytes(targets.itemsize * len(targets))),
        cost_table=(Fraction(1 if costs == "moves" else 0),),
        names=model.hmm.states,
    )
    return TargetChain(chain=chain, goal=frozenset(goal), starts=model.index)


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
