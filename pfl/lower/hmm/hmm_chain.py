"""The program form of a hidden Markov model as a program: show the state, emit, move, and again.

Exploring it finds the states with the path to any fault; closing its silent draws gives the rows.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pfl.base.budget import Budget
from pfl.base.diagnostics import InputRejected
from pfl.base.divided import Divided, Divisors
from pfl.evaluation.fragment import Fragment, name, run
from pfl.evaluation.variables import Variable
from pfl.explore.explore import explore
from pfl.lower.hmm.hmm_errors import lines_depend, updates_named
from pfl.lower.hmm.hmm_table import ReachedHmm, State, declared_letters, reached
from pfl.model.coincidence import coincidences
from pfl.model.distribution import DistributionValue, point
from pfl.model.program import Draw, Point, Program, Run, Show
from pfl.model.transition_graph import SILENT as SILENT_STEP
from pfl.model.transition_graph import TransitionGraph
from pfl.model.values import NEVER, SILENT, show
from pfl.passes.close_silent import close_silent
from pfl.programs.body_scope import BodyScope
from pfl.programs.inlining import reject_uncounted
from pfl.programs.placing import Place, assigned, check, place_of
from pfl.programs.statement_errors import may_not_end
from pfl.programs.statements import block
from pfl.syntax.tree.ast import Expr, FieldAccess, Index, Name
from pfl.syntax.tree.ast_declarations import EmitClause, HmmDecl, StateVariable
from pfl.syntax.tree.ast_statements import Assign, Stepwise
from pfl.typecheck.bindings import Local


def explored(declaration: HmmDecl, scope: BodyScope, starts: Sequence[State], budget: Budget) -> Divided[ReachedHmm]:
    """The states that some starts reach, their moves and what they emit.

    `scope` is a fresh one of the model, with a slot for every state variable. Raises InputRejected for a fault on a
    reachable state, with the path to it, and LimitReached.
    """
    variables = [scope.program.local(item.name) for item in declaration.items if isinstance(item, StateVariable)]
    slots = tuple(scope.names[local] for local in variables)
    program = _moves(declaration, scope, slots)
    graph = explore(program, [dict(zip(slots, start)) for start in starts], budget)
    # A state of the model is what a `move` shows; where that leads, variables that are not read again are forgotten.
    after = {label: graph.targets[edge] for edge, label in enumerate(graph.labels) if label != SILENT_STEP}
    sources = tuple(dict.fromkeys(after.values()))
    divisors = Divisors()
    closure = close_silent(graph, sources, budget).noting(divisors)
    if any(closure.never(position) for position in range(len(sources))):
        blocks = updates_named(declaration, "step")
        raise InputRejected([may_not_end(f"the `step` of `{declaration.name.text}`", blocks[0].span)])
    number = {label: position for position, label in enumerate(after)}
    moves = [{number[end.label]: weight for end, weight in row.items()} for row in closure.rows]
    position = {source: row for row, source in enumerate(sources)}
    states = tuple(_shown(graph, label) for label in after)
    found = reached(
        [", ".join(f"{local.name.text} = {show(value)}" for local, value in zip(variables, state)) for state in states],
        states,
        [moves[position[source]] for source in after.values()],
        _emissions(declaration, scope, variables, states),
        declared_letters(scope.compiler, declaration),
    )
    divisors.note(coincidences(found.letters))
    return divisors.of(found)


def _moves(declaration: HmmDecl, scope: BodyScope, slots: Sequence[str]) -> Program:
    """The program; its head shows the values of all variables, so that none is forgotten between moves."""
    builder = scope.builder
    head = builder.reserve()
    entry = one_move(declaration, scope, head)
    state = ast.Tuple([name(slot) for slot in slots], ast.Load())
    builder.put(head, Show(kind="move", value=state, next=entry))
    return builder.finish(head, inputs=slots, results=slots)


def one_move(declaration: HmmDecl, scope: BodyScope, following: Point) -> Point:
    """The point from which a state emits, then moves; what it emits is drawn and forgotten."""
    entry = _step(declaration, scope, following)
    for clause in _emit_clauses(declaration):
        # Drawn so that a fault in it is reported with its path; the letter is dead at once, so no state is added.
        letter = scope.builder.slot("observation", hidden=True)
        tree = scope.code(clause.value).distribution(clause.value)
        entry = scope.builder.add(Draw(slot=letter, distribution=tree, next=entry, origin=clause.value.span))
    return entry


def _step(declaration: HmmDecl, scope: BodyScope, following: Point) -> Point:
    updates = updates_named(declaration, "step")
    if updates and updates[0].is_block:
        scope.declare_all(updates[0].body)
        return run(block(scope, updates[0].body, following))
    lines = [line for update in updates for line in update.body if isinstance(line, Assign)]
    return _together(scope, lines, following)


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


def _emissions(
    declaration: HmmDecl, scope: BodyScope, variables: Sequence[Local], states: Sequence[State]
) -> list[DistributionValue]:
    """What each state emits; a model without `emit` is silent."""
    for clause in _emit_clauses(declaration):
        emitted = scope.compiler.distribution(clause.value, variables)
        emissions = [emitted(*state) for state in states]
        if any(emission.weight(NEVER) for emission in emissions):
            raise InputRejected([may_not_end(f"what `{declaration.name.text}` emits", clause.value.span)])
        return emissions
    return [point(SILENT) for _ in states]


def _emit_clauses(declaration: HmmDecl) -> list[EmitClause]:
    return [item for item in declaration.items if isinstance(item, EmitClause)]
