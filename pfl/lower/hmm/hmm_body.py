"""The form of a hidden Markov model with a body, as a program: show the state, emit, move, and again.

Exploring it finds the states with the path to any fault; closing its silent draws gives the rows.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod

from pfl.base.budget import Budget
from pfl.base.diagnostics import InputRejected, LimitReached
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number
from pfl.base.source import Span
from pfl.base.struct import struct
from pfl.evaluation.compiler import Compiler
from pfl.evaluation.fragment import Fragment, name, run
from pfl.evaluation.variables import Variable
from pfl.explore.explore import explore
from pfl.lower.hmm.hmm import HmmModel, ReachedHmm, Target, TargetChain, reached
from pfl.lower.hmm.hmm_errors import endless_states, lines_depend, too_many_starts
from pfl.lower.hmm.started import State
from pfl.model.cardinality import size
from pfl.model.coincidence import coincidences
from pfl.model.distribution import DistributionValue, point
from pfl.model.program import Branch, Costs, Draw, Point, Program, Run, Show, Step, Stop, Tick
from pfl.model.transition_graph import SILENT as SILENT_STEP
from pfl.model.transition_graph import TransitionGraph
from pfl.model.values import NEVER, SILENT, show
from pfl.passes.close_silent import close_silent, run_block
from pfl.passes.exploration import explored_in_part, limited
from pfl.passes.run_chain import run_chain
from pfl.programs.body_scope import BodyScope
from pfl.programs.inlining import reject_uncounted
from pfl.programs.placing import Place, assigned, check, place_of
from pfl.programs.program_builder import ProgramBuilder
from pfl.programs.statement_errors import may_not_end
from pfl.programs.statements import block
from pfl.syntax.tree.ast import Expr, FieldAccess, Index, Name
from pfl.syntax.tree.ast_declarations import EmitClause, Update
from pfl.syntax.tree.ast_statements import Assign, Statement, Stepwise, Var
from pfl.typecheck.bindings import Local


class _HiddenMoves(Exception):
    """Some state may show nothing: so many letters do not tell how many moves were made."""


@struct(eq=False, cached=True)
class HmmBody(HmmModel):
    """A model with state variables, which `init` and `step` set."""

    def variables_at(self, state: State) -> tuple[tuple[str, str], ...]:
        return tuple((local.name.text, show(value)) for local, value in zip(self.variables, state))

    def arguments(self, state: State) -> tuple[tuple[str, str], ...]:
        return self.variables_at(state)

    def every_state(self, place: Expr, budget: Budget) -> Sequence[State]:
        counts: list[int] = []
        for item in self.declared:
            count = size(self.compiler.domain(item.type)())
            if count is None:
                raise InputRejected([endless_states(place.span, item.name)])
            counts.append(count)
        if prod(counts) > budget.max_states:
            raise too_many_starts(place.span, self.name, prod(counts), budget.max_states)
        return list(product(*(self.compiler.elements(item.type)() for item in self.declared)))

    def initial(self, budget: Budget) -> Divided[Mapping[State, Number] | None]:
        """What is drawn before the first observation. Raises what exploring raises."""
        if not self._first_values:
            return Divided(None)
        builder = ProgramBuilder(f"{self.name}.init", self.compiler.namespace)
        scope = self.scope(builder)
        entry = self.initialise(scope, builder.add(Stop()))
        divisors = Divisors()
        (outcome,) = run_block(builder.finish(entry, results=self.slots(scope)), [{}], budget).noting(divisors)
        if outcome.never:
            raise InputRejected([may_not_end(f"the `init` of `{self.name}`", self.declaration.name.span)])
        return divisors.of(outcome.finals)

    def initialise(self, scope: BodyScope, following: Point) -> Point:
        scope.declare_all(self._first_values)
        return run(block(scope, self._first_values, following))

    def scope_of_moves(self) -> BodyScope:
        """A scope in which every state variable has a value, as an exploration starts with one for each."""
        scope = self.scope(ProgramBuilder(self.name, self.compiler.namespace))
        scope.late.clear()
        return scope

    def reach(self, starts: Iterable[State], budget: Budget, moments: int | None = None) -> Divided[ReachedHmm]:
        """The states that some starts reach, their moves and what they emit.

        Raises InputRejected for a fault on a reachable state, with the path to it, and LimitReached.
        """
        begun = list(dict.fromkeys(starts))
        if not moments:
            return self._reach(begun, budget, None)
        try:
            return self._reach(begun, limited(budget), None)
        except LimitReached:
            try:
                return self._reach(begun, budget, moments)
            except _HiddenMoves:
                return self._reach(begun, budget, None)

    def _reach(self, starts: Sequence[State], budget: Budget, moments: int | None) -> Divided[ReachedHmm]:
        scope = self.scope_of_moves()
        slots = self.slots(scope)
        graph = explore(self._moves(scope), [dict(zip(slots, start)) for start in starts], budget, shown=moments)
        # A state of the model is what a `move` shows; where that leads, what is not read again is forgotten.
        after = {label: graph.targets[edge] for edge, label in enumerate(graph.labels) if label != SILENT_STEP}
        # In a state where a run is left it stays, which nobody asks about.
        left = graph.size - 1 if graph.is_cut else None
        sources = tuple(source for source in dict.fromkeys(after.values()) if source != left)
        divisors = Divisors()
        closure = close_silent(graph, sources, budget).noting(divisors)
        if any(closure.never(position) for position in range(len(sources))):
            blocks = self._updates("step")
            raise InputRejected([may_not_end(f"the `step` of `{self.name}`", blocks[0].span)])
        number = {label: position for position, label in enumerate(after)}
        moves = [{number[end.label]: weight for end, weight in row.items()} for row in closure.rows]
        position = {source: row for row, source in enumerate(sources)}
        states = tuple(_shown(graph, label) for label in after)

        def moved(label: int, source: int) -> Mapping[int, Number]:
            return moves[position[source]] if source in position else {number[label]: Fraction(1)}

        found = reached(
            [", ".join(f"{local} = {value}" for local, value in self.variables_at(state)) for state in states],
            states,
            [moved(label, source) for label, source in after.items()],
            self._emissions(states),
            self.declared_letters(),
        )
        if graph.is_cut and any(found.hmm.silent):
            raise _HiddenMoves
        divisors.note(coincidences(found.letters))
        return divisors.of(found)

    def chain_to(
        self, compiler: Compiler, target: Target, starts: Sequence[State], costs: Costs | None, budget: Budget
    ) -> Divided[TargetChain]:
        """Moves until the target is reached. The condition is looked at before the first move and after each."""
        scope = self.scope_of_moves()
        scope.costs = costs
        builder, slots = scope.builder, self.slots(scope)
        names: dict[Variable, str | Fragment] = {local: scope.names[local] for local in self.variables}
        place, test = target.condition.span, compiler.code(names).test(target.condition)
        end = builder.add(Stop(origin=place))
        over = end
        if target.avoided is not None:
            lost = builder.add(Stop(origin=target.avoided.span))
            over = builder.add(Branch(condition=test, then=end, otherwise=lost, origin=place))
            test = ast.BoolOp(ast.Or(), [test, compiler.code(names).test(target.avoided)])
        moved = builder.reserve()
        begin = builder.add(Run(code=(), next=self.one_move(scope, moved)))  # to which nothing in the step leads back
        looks = Branch(condition=test, then=over, otherwise=begin, origin=place)
        builder.put(moved, Tick(cost=ast.Constant(1), counts="moves", next=builder.add(looks), origin=place))
        program = builder.finish(builder.add(looks), inputs=slots)
        values = [dict(zip(slots, start)) for start in starts]
        step = _step_of(program)
        if costs is None:
            graph = explored_in_part(program, values, budget, step)
        else:
            graph = explore(program, values, budget, costs, step=step)
        runs = run_chain(graph, apart=None if target.avoided is None else _stop_at(program, place))
        begun = dict(zip(starts, runs.starts))
        return Divided(
            TargetChain(
                chain=runs.chain,
                goal=runs.ends if target.avoided is None else runs.apart,
                starts=begun,
                program=program,
                left=runs.left,
            )
        )

    def _moves(self, scope: BodyScope) -> Program:
        """The program; its head shows the values of all variables, so that none is forgotten between moves."""
        builder, slots = scope.builder, self.slots(scope)
        head = builder.reserve()
        entry = self.one_move(scope, head)
        state = ast.Tuple([name(slot) for slot in slots], ast.Load())
        builder.put(head, Show(kind="move", value=state, next=entry))
        return builder.finish(head, inputs=slots, results=slots)

    def one_move(self, scope: BodyScope, following: Point) -> Point:
        """The point from which a state emits, then moves; what it emits is drawn and forgotten."""
        entry = self._step(scope, following)
        for clause in self._emit_clauses:
            # Drawn so that a fault in it is reported with its path; the letter is dead at once, so no state is added.
            letter = scope.builder.slot("observation", hidden=True)
            tree = scope.code(clause.value).distribution(clause.value)
            entry = scope.builder.add(Draw(slot=letter, distribution=tree, next=entry, origin=clause.value.span))
        return entry

    def _step(self, scope: BodyScope, following: Point) -> Point:
        updates = self._updates("step")
        if updates and updates[0].is_block:
            scope.declare_all(updates[0].body)
            return run(block(scope, updates[0].body, following))
        lines = [line for update in updates for line in update.body if isinstance(line, Assign)]
        return _together(scope, lines, following)

    def _emissions(self, states: Sequence[State]) -> list[DistributionValue]:
        """What each state emits; a model without `emit` is silent."""
        for clause in self._emit_clauses:
            emitted = self.compiler.distribution(clause.value, self.variables)
            emissions = [emitted(*state) for state in states]
            if any(emission.weight(NEVER) for emission in emissions):
                raise InputRejected([may_not_end(f"what `{self.name}` emits", clause.value.span)])
            return emissions
        return [point(SILENT) for _ in states]

    @property
    def _emit_clauses(self) -> list[EmitClause]:
        return [item for item in self.declaration.items if isinstance(item, EmitClause)]

    def _updates(self, when: str) -> Sequence[Update]:
        """The `init` or `step` lines or blocks."""
        return [item for item in self.declaration.items if isinstance(item, Update) and item.when == when]

    @cached_property
    def _first_values(self) -> tuple[Statement, ...]:
        """What is done before the first observation: `= e` of the state variables, then `init`."""
        given = [
            Var(name=item.name, type=item.type, value=item.initial, drawn=False, span=item.span)
            for item in self.declared
            if item.initial is not None
        ]
        return (*given, *(statement for update in self._updates("init") for statement in update.body))


def _stop_at(program: Program, place: Span) -> Point | None:
    """The end of runs that a part of the text is the reason for; None where none comes to it."""
    stops = (point for point, node in enumerate(program.nodes) if isinstance(node, Stop) and node.origin == place)
    return next(stops, None)


def _step_of(program: Program) -> Step | None:
    """The step in a program that looks for a target between moves; None where no run comes to its end."""
    looks = program.nodes[program.entry]
    assert isinstance(looks, Branch)
    for place, node in enumerate(program.nodes):
        if isinstance(node, Tick) and node.counts == "moves":
            return Step(begin=looks.otherwise, end=place)
    return None


def _together(scope: BodyScope, lines: Sequence[Assign], following: Point) -> Point:
    """Lines that all read the old state: every value, and where it goes, is found before the first is stored."""
    places = [place_of(scope, line) for line in lines]
    values = [scope.builder.slot(line.place.span.text, hidden=True) for line in lines]
    code: list[ast.stmt] = []
    new: dict[Local, str] = {}
    for place, value in zip(places, values):
        code += check(scope, value, place)
        root = place.locals[0]
        if place.part is None:
            new[root] = value
            continue
        if root in new and root in _read_by_indices(scope, place.part):
            first = next(other.span for other in places if other.locals[0] is root)
            raise InputRejected([lines_depend(first, place.span, root.name.text)])
        names: dict[Variable, str | Fragment] = {}
        names |= {local: slot for local, slot in scope.names.items()}
        names[root] = new.get(root, scope.names[root])
        new[root] = scope.builder.slot(root.name.text, hidden=True)
        code.append(assigned(new[root], scope.compiler.code(names).update(place.part, name(value))))
    code += [assigned(scope.names[root], name(slot)) for root, slot in new.items()]
    point_after = scope.builder.add(Run(code=tuple(code), next=following, origin=lines[0].span)) if code else following
    for line, place, value in reversed(list(zip(lines, places, values))):
        point_after = _value(scope, line, place, value, point_after)
    return point_after


def _value(scope: BodyScope, line: Assign, place: Place, slot: str, following: Point) -> Point:
    """Draws or computes the value of a line into a slot."""
    assert not isinstance(line.value, Stepwise), "the checker keeps `stepwise` out of an hmm"
    if line.drawn:
        reject_uncounted(scope, line.value)
        tree = scope.code(line.value).distribution(line.value)
        partial = scope.may_not_end(line.value)
        node = Draw(slot=slot, distribution=tree, next=following, partial=partial, origin=line.span)
        return scope.builder.add(node)
    computed = scope.code(line.value).fragment(line.value, place.type, place.what).tree
    return scope.builder.add(Run(code=(assigned(slot, computed),), next=following, origin=line.span))


def _read_by_indices(scope: BodyScope, place: Expr) -> set[Local]:
    """The variables that the indices in `a[i].f[j]` read."""
    found: set[Local] = set()
    while not isinstance(place, Name):
        match place:
            case Index(array=array, index=index):
                found.update(local for local in scope.compiler.reads(index) if isinstance(local, Local))
                place = array
            case FieldAccess(record=record):
                place = record
            case _:
                raise AssertionError("the checker lets nothing else be a place")
    return found


def _shown(graph: TransitionGraph, label: int) -> State:
    """The values of the state variables that a `move` shows."""
    shown = graph.label_table[label]
    assert shown is not None
    state: State = shown.value
    return state
