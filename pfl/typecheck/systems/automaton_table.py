"""Automata in table form, and the conditions on them: which actions a state may have side by side.

How the states of a table are come to: shortest paths along its transitions, as far as they can be read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from pfl.base.diagnostics import Diagnostic
from pfl.base.struct import struct
from pfl.syntax.tree.ast import Expr, Identifier, Name, Node
from pfl.syntax.tree.ast_declarations import Actions, AutomatonDecl, Channel, StartState, States, TableTransition
from pfl.syntax.tree.tree_walk import children
from pfl.typecheck import type_errors
from pfl.typecheck.bindings import Local
from pfl.typecheck.checker import Checker, Want
from pfl.typecheck.facts import SystemFacts
from pfl.typecheck.fitting import SYMBOL, fits
from pfl.typecheck.names import name_errors
from pfl.typecheck.names.scope import Scope
from pfl.typecheck.systems import system_errors
from pfl.typecheck.systems.hmm import declare_states, state_reference
from pfl.typecheck.types import DistributionType


def table_paths(node: AutomatonDecl, states: Collection[str]) -> Mapping[str, str]:
    """By state the path to it, `idle -- ask --> asked`; none for a state that no transitions lead to."""
    starts = [item for item in node.items if isinstance(item, StartState)]
    transitions = [item for item in node.items if isinstance(item, TableTransition)]
    paths = {state: state for start in starts for state in _mentioned(start.value, states)}
    pending = list(paths)
    for state in pending:
        for transition in transitions:
            if transition.source.text != state:
                continue
            for target in _mentioned(transition.target, states):
                if target not in paths:
                    paths[target] = f"{paths[state]} -- {transition.action.text} --> {target}"
                    pending.append(target)
    return paths


def _mentioned(target: Node, states: Collection[str]) -> Iterator[str]:
    """The states that a target names."""
    pending = [target]
    while pending:
        node = pending.pop()
        if isinstance(node, Name) and node.text in states:
            yield node.text
        pending.extend(reversed(list(children(node))))


def check_automaton_table(checker: Checker, node: AutomatonDecl, facts: SystemFacts, scope: Scope) -> None:
    """`states ..; start s; query ..; output ..;` and the transitions."""
    states = declare_states(checker, [item for item in node.items if isinstance(item, States)], scope)
    if not states:
        facts.complete = False
        checker.found.add(system_errors.no_state(node))
    facts.is_table = True
    facts.state = states
    facts.start = facts.output = SYMBOL
    actions = _declare_actions(checker, node)
    facts.symbols = {name for name, action in actions.items() if action.kind == "output"}
    starts = [item for item in node.items if isinstance(item, StartState)]
    if not starts:
        checker.found.add(system_errors.start_missing(node))
    for start in starts:
        _target(checker, start, start.value, states, scope)
        if start is not starts[0]:
            checker.found.add(system_errors.given_twice(start, "`start`", starts[0]))
    enabled: dict[str, dict[str, TableTransition]] = {name: {} for name in states}
    paths = table_paths(node, states)
    for transition in node.items:
        if isinstance(transition, TableTransition):
            _check_transition(checker, transition, node.name.text, states, actions, enabled, scope, paths)
    _report_actions(checker, states, actions, enabled, paths)


@struct(kw_only=False)
class _Action:
    """An action of the table; `kind` is `data`, `query`, `output` or `hidden`."""

    kind: str
    local: Local


def _declare_actions(checker: Checker, node: AutomatonDecl) -> dict[str, _Action]:
    """The actions of the table by name."""
    named: list[tuple[Identifier, str]] = []
    for item in node.items:
        if isinstance(item, Channel):
            named.append((item.name, item.kind))
            if item.type is not None:
                checker.found.add(system_errors.channel_with_type(item.name, item.kind))
        elif isinstance(item, Actions):
            named.extend((name, item.kind) for name in item.names)
    actions: dict[str, _Action] = {}
    for name, kind in named:
        if name.text in actions:
            checker.found.add(name_errors.listed_twice(name, actions[name.text].local.name.span, "the actions"))
            continue
        local = Local(kind="action", name=name, type=SYMBOL)
        checker.bind(name, local)
        actions[name.text] = _Action(kind, local)
    return actions


def _check_transition(
    checker: Checker,
    transition: TableTransition,
    system: str,
    states: dict[str, Local],
    actions: Mapping[str, _Action],
    enabled: dict[str, dict[str, TableTransition]],
    scope: Scope,
    paths: Mapping[str, str],
) -> None:
    source = state_reference(checker, transition.source, system, states)
    name = transition.action
    action = actions.get(name.text)
    if action is None:
        checker.found.add(name_errors.unknown_action(name, "an action", system, actions))
    else:
        checker.bind(name, action.local)
    _target(checker, transition, transition.target, states, scope)
    if source is None or action is None:
        return
    known = enabled[transition.source.text]
    if name.text in known:
        earlier = known[name.text]
        state = transition.source.text
        report = system_errors.two_transitions(transition, state, name.text, earlier)
        checker.found.add(_with_path(report, paths.get(state)))
    known.setdefault(name.text, transition)


def _target(checker: Checker, node: Node, target: Expr, states: dict[str, Local], scope: Scope) -> None:
    """What follows `-->` or `start`: a state, or a distribution of states."""
    actual = checker.expression(target, scope, Want(type=SYMBOL, states=states))
    element = actual.element if isinstance(actual, DistributionType) else actual
    if not fits(element, SYMBOL):
        what = "the start" if isinstance(node, StartState) else "the target of a transition"
        checker.found.add(type_errors.type_mismatch(target, what, SYMBOL, element))


def _report_actions(
    checker: Checker,
    states: dict[str, Local],
    actions: Mapping[str, _Action],
    enabled: Mapping[str, Mapping[str, TableTransition]],
    paths: Mapping[str, str],
) -> None:
    """Output determinism and quasi-input enabling, state by state."""
    inputs = [name for name, action in actions.items() if action.kind in ("query", "data")]
    for state, local in states.items():
        possible = enabled[state]
        outputs = [name for name in possible if actions[name].kind in ("output", "hidden")]
        others = [name for name in possible if name != outputs[0]] if outputs else []
        if others:
            output, other = possible[outputs[0]], possible[others[0]]
            report = system_errors.output_not_alone(output, state, outputs[0], others[0], other)
            checker.found.add(_with_path(report, paths.get(state)))
            continue
        missing = [name for name in inputs if name not in possible]
        accepted = next((name for name in inputs if name in possible), None)
        if accepted is not None and missing:
            report = system_errors.input_not_enabled(local.name, missing, accepted)
            checker.found.add(_with_path(report, paths.get(state)))


def _with_path(report: Diagnostic, path: str | None) -> Diagnostic:
    """The report with how its state is come to, if it can be."""
    return replace(report, notes=(*report.notes, f"reached by {path}" if path else "no transitions lead to this state"))
