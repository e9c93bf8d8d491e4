"""How the states of a table are come to: shortest paths along its transitions, as far as they can be read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from pfl.frontend.ast import Name, Node
from pfl.frontend.ast_systems import AutomatonDecl, StartState, TableTransition
from pfl.frontend.tree_walk import children


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
