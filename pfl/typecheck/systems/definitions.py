"""Constants, parameters, assumptions, types, records, functions, distributions and adjacencies.

Undeclared symbols: a warning for one that is likely to be a misspelling of another.
"""

from __future__ import annotations

from collections import Counter

from pfl.syntax.spelling import as_it_looks, is_one_edit
from pfl.syntax.tree.ast import Identifier
from pfl.syntax.tree.ast_declarations import (
    AdjacencyDecl,
    Assume,
    Const,
    DistDecl,
    EnumDecl,
    FnDecl,
    Param,
    RecordDecl,
    TypeDecl,
)
from pfl.typecheck import type_errors
from pfl.typecheck.bindings import Global, input_parameters
from pfl.typecheck.checker import Checker, Want
from pfl.typecheck.fitting import BOOL, ERROR, REAL, assignable, certain, has_unknown_element
from pfl.typecheck.names import name_errors
from pfl.typecheck.names.scope import ModuleNames, Owner, Scope, SymbolUse
from pfl.typecheck.systems import system_errors
from pfl.typecheck.types import DistributionType, ErrorType, Type
from pfl.typecheck.written_types import declare_parameters, written_type

_SHORTEST = 3
"""Names shorter than this are all one edit apart."""


def settle_symbols(checker: Checker, declaration: Global, owner: Owner) -> set[str]:
    """The symbols that a checked declaration can produce, with those of what it calls; warns of misspellings."""
    symbols = {*owner.letters, *(use.name.text for use in owner.uses)}
    for identity in owner.callees:
        symbols |= checker.symbols.get(identity, set())
    checker.symbols[id(declaration)] = symbols
    _report_misspellings(checker, owner)
    return symbols


def _report_misspellings(checker: Checker, owner: Owner) -> None:
    """Warns of a symbol that occurs once in its declaration and is one edit from another.

    Two keys of one distribution are both meant, and so are names that differ in a digit (`top1`, `top2`).
    """
    counts = Counter(use.name.text for use in owner.uses)
    groups: dict[str, set[int]] = {}
    for use in owner.uses:
        groups.setdefault(use.name.text, set()).update(() if use.group is None else (use.group,))
    suspects: set[str] = set()
    _report_look_alikes(checker, owner)
    for use in reversed(owner.uses):
        if counts[use.name.text] > 1 or len(use.name.text) < _SHORTEST:
            continue
        other = _neighbour(use, owner, counts, groups, suspects)
        if other is not None:
            suspects.add(use.name.text)
            checker.found.add(name_errors.likely_misspelling(use.name, other.name))


def _report_look_alikes(checker: Checker, owner: Owner) -> None:
    """Warns of symbols that cannot be told apart by eye, however often they occur."""
    first: dict[str, SymbolUse] = {}
    told: set[str] = set()
    for use in owner.uses:
        other = first.setdefault(as_it_looks(use.name.text), use)
        if other.name.text != use.name.text and use.name.text not in told:
            told.add(use.name.text)
            checker.found.add(name_errors.look_alikes(use.name, other.name))


def _neighbour(
    use: SymbolUse, owner: Owner, counts: Counter[str], groups: dict[str, set[int]], suspects: set[str]
) -> SymbolUse | None:
    text = use.name.text
    near = [
        other
        for other in owner.uses
        if is_one_edit(text, other.name.text)
        and as_it_looks(text) != as_it_looks(other.name.text)
        and other.name.text not in suspects
        and _without_digits(text) != _without_digits(other.name.text)
        and not groups[text] & groups[other.name.text]
    ]
    return max(near, key=lambda other: counts[other.name.text], default=None)


def _without_digits(text: str) -> str:
    return "".join(letter for letter in text if not letter.isdigit())


def check_const(checker: Checker, node: Const, names: ModuleNames) -> None:
    """`const N = 3;`: its type is the written one, or that of its value."""
    scope = Scope(Owner(kind="declaration", name=node.name.text, names=names))
    checker.results[id(node)] = ERROR
    if node.type is not None:
        type_ = written_type(checker, node.type, scope)
        checker.fitting(node.value, scope, type_, f"constant `{node.name.text}`")
    else:
        type_ = checker.expression(node.value, scope)
        if has_unknown_element(type_):
            checker.found.add(
                type_errors.unknown_type_of_empty(
                    node.value, f"write its type: `const {node.name.text}: set of T = ..;`"
                )
            )
            type_ = ERROR
    checker.results[id(node)] = type_


def check_param(checker: Checker, node: Param, names: ModuleNames) -> None:
    """`param p in (0, 1);`."""
    scope = Scope(Owner(kind="declaration", name=node.name.text, names=names))
    if node.high is None and not node.high_open:
        checker.found.add(type_errors.closed_at_infinity(node))
    if node.high is None and names.is_value("inf"):
        checker.found.add(name_errors.infinity_declared(node))
    for end in (node.low,) if node.high is None else (node.low, node.high):
        checker.fitting(end, scope, REAL, f"an end of the interval of `{node.name.text}`")


def check_assume(checker: Checker, node: Assume, names: ModuleNames) -> None:
    """`assume p <= 9/10;`."""
    scope = Scope(Owner(kind="declaration", name="assume", names=names))
    checker.fitting(node.condition, scope, BOOL, "an assumption")


def check_enum(_checker: Checker, _node: EnumDecl, _names: ModuleNames) -> None:
    """`enum Health { well, sick }`: nothing in it can be wrong but its names."""


def check_type(checker: Checker, node: TypeDecl, names: ModuleNames) -> None:
    """`type Query = [N] of 0..2;`."""
    written_type(checker, node.type, Scope(Owner(kind="declaration", name=node.name.text, names=names)))


def check_record(checker: Checker, node: RecordDecl, names: ModuleNames) -> None:
    """`record Visit { who: 0..3, long: bool }`: the fields are not visible in each other's types."""
    scope = Scope(Owner(kind="declaration", name=node.name.text, names=names))
    first: dict[str, Identifier] = {}
    for field in node.fields:
        written_type(checker, field.type, scope)
        if field.name.text in first:
            earlier = first[field.name.text]
            checker.found.add(name_errors.listed_twice(field.name, earlier.span, f"record `{node.name.text}`"))
        first.setdefault(field.name.text, field.name)


def check_fn(checker: Checker, node: FnDecl, names: ModuleNames) -> None:
    """`fn f(x: int): int = ..;`."""
    owner = Owner(kind="function", name=node.name.text, names=names)
    scope = Scope(owner)
    checker.results[id(node)] = ERROR
    declare_parameters(checker, node.parameters, scope)
    if node.result is not None:
        result = written_type(checker, node.result, scope)
        checker.fitting(node.body, scope, result, f"the result of `{node.name.text}`")
    else:
        result = checker.expression(node.body, scope)
        if isinstance(result, DistributionType):
            checker.found.add(type_errors.function_gives_distribution(node))
            result = ERROR
        elif has_unknown_element(result):
            checker.found.add(
                type_errors.unknown_type_of_empty(node.body, "write the type of the result: `fn f(..): T = ..`")
            )
            result = ERROR
    checker.results[id(node)] = result
    settle_symbols(checker, node, owner)


def check_dist(checker: Checker, node: DistDecl, names: ModuleNames) -> None:
    """`dist coin(w: real) over bool = ..;`."""
    owner = Owner(kind="distribution", name=node.name.text, names=names, declares_outputs=node.over is not None)
    scope = Scope(owner)
    checker.results[id(node)] = ERROR
    declare_parameters(checker, node.parameters, scope)
    over = None if node.over is None else written_type(checker, node.over, scope)
    actual = checker.expression(node.body, scope, Want(type=None if over is None else DistributionType(over)))
    checker.results[id(node)] = _distribution(checker, node, over, actual)
    settle_symbols(checker, node, owner)


def _distribution(checker: Checker, node: DistDecl, over: Type | None, actual: Type) -> Type:
    if isinstance(actual, ErrorType):
        return ERROR if over is None else DistributionType(over)
    actual = certain(actual)
    if not isinstance(actual, DistributionType):
        checker.found.add(type_errors.not_a_distribution(node.body, f"`{node.name.text}`", actual))
        return ERROR if over is None else DistributionType(over)
    if over is not None and not assignable(actual.element, over):
        what = f"a value of `{node.name.text}`"
        checker.found.add(type_errors.type_mismatch(node.body, what, over, actual.element))
    return actual if over is None else DistributionType(over)


def check_adjacency(checker: Checker, node: AdjacencyDecl, names: ModuleNames) -> None:
    """`adjacency close(a: T, b: T) = ..;`: left inputs, then as many right inputs of the same types."""
    scope = Scope(Owner(kind="adjacency", name=node.name.text, names=names))
    declare_parameters(checker, node.parameters, scope)
    checker.fitting(node.body, scope, BOOL, f"the body of adjacency `{node.name.text}`")
    related = input_parameters(checker.target, node)
    half = len(related) // 2
    if len(related) % 2 or not related:
        checker.found.add(system_errors.adjacency_not_in_halves(node, len(related)))
        return
    for left, right in zip(related[:half], related[half:]):
        types = checker.types[id(left.type)], checker.types[id(right.type)]
        if not (assignable(*types) and assignable(*reversed(types))):
            checker.found.add(system_errors.adjacency_sides_differ(left, right, *types))
