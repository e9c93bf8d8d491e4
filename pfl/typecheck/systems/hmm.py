"""Hidden Markov models in program form; the choice between the two forms.

Hidden Markov models in table form.
"""

from __future__ import annotations

from collections.abc import Sequence

from pfl.syntax.tree.ast import Expr, Identifier, Name, Node
from pfl.syntax.tree.ast_declarations import (
    DistributionEntryRow,
    EmitClause,
    HmmDecl,
    Letters,
    Row,
    States,
    StateVariable,
    Update,
)
from pfl.syntax.tree.ast_statements import Assign
from pfl.syntax.tree.tree_walk import all_statements
from pfl.typecheck import type_errors
from pfl.typecheck.bindings import Local
from pfl.typecheck.checker import Checker, Want
from pfl.typecheck.expressions.places import root_of
from pfl.typecheck.facts import Body, SystemFacts
from pfl.typecheck.fitting import BOOL, ERROR, NEVER, REAL, SYMBOL, assignable, union_of
from pfl.typecheck.names import name_errors
from pfl.typecheck.names.scope import ModuleNames, Owner, Scope
from pfl.typecheck.systems import system_errors
from pfl.typecheck.systems.definitions import settle_symbols
from pfl.typecheck.systems.statements import check_block
from pfl.typecheck.types import DistributionType, TupleType, Type
from pfl.typecheck.written_types import declare_parameters, shown_type, written_type


def check_table(checker: Checker, node: HmmDecl, facts: SystemFacts, scope: Scope) -> None:
    """`states ..;` and the rows `init`, `a -> ..`, `a emits ..`."""
    states = declare_states(checker, [item for item in node.items if isinstance(item, States)], scope)
    rows = [item for item in node.items if isinstance(item, Row)]
    if not states:
        facts.complete = False
        checker.found.add(system_errors.no_state(node))
    facts.is_table = True
    facts.state = states
    facts.start = SYMBOL
    facts.has_start = any(row.kind == "init" for row in rows)
    for row in rows:
        _check_row(checker, row, node.name.text, facts, scope)
    _report_rows(checker, rows, states)


def declare_states(checker: Checker, items: Sequence[States], scope: Scope) -> dict[str, Local]:
    """The states of a table by name, as the predicates that they are for claims.

    The rows name states only as states, so they are not made known to the expressions in them.
    """
    names = scope.inner()
    states: dict[str, Local] = {}
    for name in (name for item in items for name in item.names):
        if name.text in states:
            checker.found.add(name_errors.listed_twice(name, states[name.text].name.span, "the states"))
        else:
            states[name.text] = checker.declare(names, "table-state", name, BOOL)
    return states


def state_reference(checker: Checker, name: Identifier, system: str, states: dict[str, Local]) -> Local | None:
    """The state that a row is about; None, and a report, where there is none of that name."""
    state = states.get(name.text)
    if state is None:
        checker.found.add(name_errors.unknown_state(name, system, states))
    else:
        checker.bind(name, state)
    return state


def state_key(checker: Checker, key: Expr, system: str, states: dict[str, Local]) -> None:
    """Checks the key of a row of moves, which names a state."""
    if not isinstance(key, Name):
        checker.found.add(name_errors.not_a_state(key, system, states))
    elif key.text not in states:
        checker.found.add(name_errors.unknown_state(key, system, states))
    else:
        checker.bind(key, states[key.text])
        checker.types[id(key)] = SYMBOL


def _check_row(checker: Checker, row: Row, system: str, facts: SystemFacts, scope: Scope) -> None:
    if row.source is not None:
        state_reference(checker, row.source, system, facts.state)
    seen: dict[str, Node] = {}
    for entry in row.entries:
        if row.kind == "emits":
            _check_letter(checker, entry, id(row), facts, scope)
        else:
            state_key(checker, entry.key, system, facts.state)
        text = entry.key.span.text
        if text in seen:
            checker.found.add(system_errors.entry_twice(entry.key, seen[text]))
        seen.setdefault(text, entry.key)
        if entry.weight is not None:
            checker.fitting(entry.weight, scope, REAL, "a probability")
        elif len(row.entries) > 1:
            checker.found.add(system_errors.probability_missing(entry.key))


def _check_letter(checker: Checker, entry: DistributionEntryRow, group: int, facts: SystemFacts, scope: Scope) -> None:
    declares = scope.owner.declares_outputs
    want = Want(
        type=facts.output if declares else None,
        symbols="declared" if declares else "allowed",
        silent=True,
        group=group,
    )
    actual = checker.expression(entry.key, scope, want)
    if declares:
        wanted = facts.output or ERROR
        if not assignable(actual, wanted):
            checker.found.add(type_errors.type_mismatch(entry.key, "an observation", wanted, actual))
        return
    facts.output = union_of((facts.output or NEVER, actual))


def _report_rows(checker: Checker, rows: Sequence[Row], states: dict[str, Local]) -> None:
    """Reports rows given twice and states without a row, for each kind of row of which the table has one."""
    first: dict[tuple[str, str], Row] = {}
    for row in rows:
        source = row.source.text if row.source is not None else ""
        what = {"init": "`init`", "step": f"the row `{source} -> ..`", "emits": f"the row `{source} emits ..`"}[
            row.kind
        ]
        if (earlier := first.get((row.kind, source))) is not None:
            checker.found.add(system_errors.row_twice(row, what, earlier))
        first.setdefault((row.kind, source), row)
    kinds = {row.kind for row in rows}
    for name, local in states.items():
        if "step" in kinds and ("step", name) not in first:
            what, example = "where it moves", f"{name} -> {name};"
            checker.found.add(system_errors.state_without_row(local.name, what, example))
        if "emits" in kinds and ("emits", name) not in first:
            what, example = "what it shows", f"{name} emits silent;"
            checker.found.add(system_errors.state_without_row(local.name, what, example))


def check_hmm(checker: Checker, node: HmmDecl, names: ModuleNames) -> None:
    """`hmm Name(params) { .. }`, program form or table form."""
    letters = [item for item in node.items if isinstance(item, Letters)]
    owner = Owner(kind="hmm", name=node.name.text, names=names, declares_outputs=bool(letters))
    scope = Scope(owner)
    facts = SystemFacts(declaration=node, start=ERROR, given=node.parameters)
    checker.facts[id(node)] = facts
    declare_parameters(checker, node.parameters, scope)
    if letters:
        variables = [item.name.text for item in node.items if isinstance(item, StateVariable)]
        hints = {
            name: f"`emits` lists what can be seen; `emit {name};` shows the value of `{name}`" for name in variables
        }
        owner.hints.update(hints)
        facts.output = shown_type(checker, letters[0].type, scope, "emits")
        owner.complete = facts.output != ERROR
        for name in hints:
            del owner.hints[name]
    for repeated in letters[1:]:
        written_type(checker, repeated.type, scope)
        checker.found.add(system_errors.given_twice(repeated, "`emits`", letters[0]))
    table = [item for item in node.items if isinstance(item, States | Row)]
    program = [item for item in node.items if isinstance(item, StateVariable | Update | EmitClause)]
    if table and program:
        facts.complete = False
        checker.found.add(system_errors.mixed_forms(program[0], node.name.text, table[0]))
    elif table:
        check_table(checker, node, facts, scope)
    else:
        _check_program(checker, node, facts, scope)
    facts.symbols = settle_symbols(checker, node, owner)


def _check_program(checker: Checker, node: HmmDecl, facts: SystemFacts, scope: Scope) -> None:
    variables = declare_state(checker, [item for item in node.items if isinstance(item, StateVariable)], scope)
    if not variables:
        facts.complete = False
        checker.found.add(system_errors.no_state(node))
    facts.state = {local.name.text: local for local in variables}
    facts.start = start_type(variables)
    updates = [item for item in node.items if isinstance(item, Update)]
    started = {item.name.text for item in node.items if isinstance(item, StateVariable) and item.initial is not None}
    for update in updates:
        _check_update(checker, update, scope)
        if update.when == "init":
            started |= _assigned(update)
    facts.started = frozenset(started)
    facts.has_start = all(name in started for name in facts.state)
    _report_doubles(checker, node)
    emits = [item for item in node.items if isinstance(item, EmitClause)]
    for clause in emits:
        facts.output = _check_emit(checker, clause, scope, facts.output)
        if clause is not emits[0]:
            checker.found.add(system_errors.given_twice(clause, "`emit`", emits[0]))


def declare_state(checker: Checker, items: list[StateVariable], scope: Scope) -> list[Local]:
    """Makes state variables known, then checks their first values, which may not read the state."""
    types = [written_type(checker, item.type, scope) for item in items]
    for item, type_ in zip(items, types):
        if item.initial is not None:
            actual = checker.expression(item.initial, scope, Want(type=type_))
            what = f"the first value of `{item.name.text}`"
            if isinstance(actual, DistributionType) and scope.owner.kind == "hmm":
                message = f"{what} is a distribution, not a value"
                checker.found.add(type_errors.distribution_not_drawn(item.initial, message, f"init {item.name.text}"))
            elif isinstance(actual, DistributionType):
                checker.found.add(type_errors.drawn_at_the_start(item.initial, item.name.text))
            elif not assignable(actual, type_):
                checker.found.add(type_errors.type_mismatch(item.initial, what, type_, actual))
    return [checker.declare(scope, "state", item.name, type_, item.type) for item, type_ in zip(items, types)]


def start_type(variables: list[Local]) -> Type:
    """The type of one state: of the only variable, or a tuple of several, as declared."""
    types = tuple(local.type for local in variables)
    return types[0] if len(types) == 1 else TupleType(types)


def _check_update(checker: Checker, update: Update, scope: Scope) -> None:
    body = Body(kind=update.when)
    if not update.is_block:
        assign = update.body[0]
        assert isinstance(assign, Assign)
        root = root_of(assign.place)
        if isinstance(root, Name) and (local := scope.find(root.text)) is not None and local.kind != "state":
            checker.found.add(system_errors.single_update_of_local(assign.place, root.text, update.when))
            return
    check_block(checker, update.body, scope.inner(), body)


def _assigned(update: Update) -> set[str]:
    """The variables that an update sets on some path."""
    roots = (root_of(step.place) for step in all_statements(update.body) if isinstance(step, Assign))
    return {root.text for root in roots if isinstance(root, Name)}


def _report_doubles(checker: Checker, node: HmmDecl) -> None:
    """Reports two lines that set one place, two blocks, and a block beside lines."""
    for when in ("init", "step"):
        updates = [item for item in node.items if isinstance(item, Update) and item.when == when]
        blocks = [update for update in updates if update.is_block]
        lines = [update for update in updates if not update.is_block]
        for extra in (*blocks[1:], *(lines if blocks else ())):
            checker.found.add(system_errors.given_twice(extra, f"`{when}`", blocks[0]))
        if not blocks:
            _report_double_lines(checker, node, when, lines)


def _report_double_lines(checker: Checker, node: HmmDecl, when: str, lines: list[Update]) -> None:
    places: list[tuple[str, str, Update | StateVariable]] = []
    if when == "init":
        places = [
            (item.name.text, item.name.text, item)
            for item in node.items
            if isinstance(item, StateVariable) and item.initial is not None
        ]
    for line in lines:
        root, text = _line_place(line)
        for other_root, other_text, earlier in places:
            if root == other_root and (text == other_text or root in (text, other_text)):
                checker.found.add(system_errors.given_twice(line, f"`{when} {text}`", earlier))
                break
        places.append((root, text, line))


def _line_place(line: Update) -> tuple[str, str]:
    """The variable that `step a[i] = e;` sets, and the place in it, as written."""
    assign = line.body[0]
    assert isinstance(assign, Assign)
    return root_of(assign.place).span.text, assign.place.span.text


def _check_emit(checker: Checker, clause: EmitClause, scope: Scope, declared: Type | None) -> Type | None:
    """The type of the observations: the declared one, or that of what is emitted."""
    want = Want(type=declared, symbols="allowed" if declared is None else "declared", silent=True)
    actual = checker.expression(clause.value, scope, want)
    element = actual.element if isinstance(actual, DistributionType) else actual
    if declared is None:
        return element
    if not assignable(element, declared):
        checker.found.add(type_errors.type_mismatch(clause.value, "an observation", declared, element))
    return declared
