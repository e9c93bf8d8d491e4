"""In which order declarations are evaluated: each after the constants and parameters that it mentions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from pfl.frontend.ast import Identifier, Name, Node
from pfl.frontend.ast_globals import Assume, Const, DistDecl, FnDecl, Param, RecordDecl, TypeDecl
from pfl.frontend.ast_systems import AdjacencyDecl
from pfl.frontend.bindings import CheckedProgram
from pfl.frontend.tree_walk import children

Evaluated: TypeAlias = Const | Param | Assume
_Followed: TypeAlias = Evaluated | FnDecl | DistDecl | AdjacencyDecl | TypeDecl | RecordDecl


def in_order_of_dependency(program: CheckedProgram) -> list[tuple[Evaluated, frozenset[int]]]:
    """Constants, parameters and assumptions that are needed, of all modules, with the identities of what each needs,
    also through functions and types. The checker has refused circular definitions."""
    direct = {id(declaration): list(_mentions(program, declaration)) for declaration in _declared(program)}
    needs: dict[int, frozenset[int]] = {}
    ordered: list[tuple[Evaluated, frozenset[int]]] = []
    for declaration in _declared(program):
        for finished in _depth_first(declaration, direct, needs):
            needs[id(finished)] = _all_below(direct[id(finished)], needs)
            if isinstance(finished, Evaluated):
                ordered.append((finished, needs[id(finished)]))
    return ordered


def _all_below(mentioned: Iterable[_Followed], needs: dict[int, frozenset[int]]) -> frozenset[int]:
    return frozenset().union(
        {id(other) for other in mentioned if isinstance(other, Evaluated)}, *(needs[id(other)] for other in mentioned)
    )


def _declared(program: CheckedProgram) -> Iterator[_Followed]:
    """The declarations of the main file, and those of others that it needs: a library's own claims do not count."""
    used = _used(program)
    for module in program.modules:
        for declaration in module.declarations:
            if isinstance(declaration, _Followed) and (module is program.main or id(declaration) in used):
                yield declaration


def _used(program: CheckedProgram) -> set[int]:
    """What the main file mentions, directly or through other declarations, and what is assumed of those parameters."""
    assumed: dict[int, list[Node]] = {}
    for module in program.modules:
        for declaration in module.declarations:
            if isinstance(declaration, Assume):
                for mentioned in _mentions(program, declaration):
                    assumed.setdefault(id(mentioned), []).append(declaration)
    used: set[int] = set()
    pending: list[Node] = list(program.main.declarations)
    while pending:
        node = pending.pop()
        if isinstance(node, Name | Identifier):
            target = program.target_or_none(node)
            if isinstance(target, Node) and id(target) not in used:
                used.add(id(target))
                pending += [target, *assumed.get(id(target), ())]
        elif isinstance(node, Assume):
            used.add(id(node))
        pending.extend(children(node))
    return used


def _mentions(program: CheckedProgram, declaration: Node) -> Iterable[_Followed]:
    found: dict[int, _Followed] = {}
    pending = [declaration]
    while pending:
        node = pending.pop()
        if isinstance(node, Name):
            target = program.target(node)
            if isinstance(target, _Followed):
                found[id(target)] = target
        pending.extend(children(node))
    return found.values()


def _depth_first(
    start: _Followed, direct: dict[int, list[_Followed]], visited: dict[int, frozenset[int]]
) -> Iterator[_Followed]:
    """What is not visited yet, below `start` and itself, each after what it mentions."""
    if id(start) in visited:
        return
    entered = {id(start)}
    waiting: list[tuple[_Followed, Iterator[_Followed]]] = [(start, iter(direct[id(start)]))]
    while waiting:
        current, remaining = waiting[-1]
        following = next((other for other in remaining if id(other) not in visited and id(other) not in entered), None)
        if following is not None:
            entered.add(id(following))
            waiting.append((following, iter(direct[id(following)])))
        else:
            waiting.pop()
            yield current
