"""Hidden Markov models in table form."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.frontend.ast import Expr, Identifier, Name, Node
from pfl.frontend.ast_systems import DistributionEntryRow, HmmDecl, Row, States
from pfl.frontend.bindings import Local
from pfl.frontend.resolve import errors as name_errors
from pfl.frontend.resolve.scope import Scope
from pfl.frontend.typecheck import errors, system_errors
from pfl.frontend.typecheck.checker import Checker, Want
from pfl.frontend.typecheck.facts import SystemFacts
from pfl.frontend.typecheck.fitting import BOOL, ERROR, NEVER, REAL, SYMBOL, assignable, union_of


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
            checker.found.add(errors.type_mismatch(entry.key, "an observation", wanted, actual))
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
