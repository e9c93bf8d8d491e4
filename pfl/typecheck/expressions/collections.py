"""Arrays, sets, bags, tuples and distributions: literals and comprehensions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.syntax.tree.ast import (
    ArrayLiteral,
    BagLiteral,
    Binder,
    Comprehension,
    DistributionComprehension,
    DistributionLiteral,
    Expr,
    KeyedArray,
    KeyedComprehension,
    SetFilter,
    SetLiteral,
    TupleLiteral,
)
from pfl.typecheck import type_errors
from pfl.typecheck.bindings import EnumValue
from pfl.typecheck.checker import Checker, Want
from pfl.typecheck.expressions.operators import condition
from pfl.typecheck.fitting import ERROR, NEVER, REAL, a, certain, fits, join
from pfl.typecheck.names.scope import Scope
from pfl.typecheck.types import (
    ArrayType,
    BagType,
    DistributionType,
    EnumType,
    ErrorType,
    NeverType,
    SetType,
    TupleType,
    Type,
)
from pfl.typecheck.written_types import domain


def joined(checker: Checker, nodes: Iterable[Expr], scope: Scope, want: Want, what: str) -> Type:
    """The common type of some expressions: the wanted one where all fit it. NEVER where there are no expressions.

    `what` are the expressions, for the report where they have no common type. `empty` is of the type of the others.
    """
    return _common(checker, _typed(checker, list(nodes), scope, want, what), want.type, what)


def _typed(checker: Checker, nodes: Sequence[Expr], scope: Scope, want: Want, what: str) -> list[tuple[Expr, Type]]:
    """The expressions with their types; where nothing else is wanted, that of `empty` is what the others have."""
    empty = [node for node in nodes if want.type is None and node.span.text == "empty"]
    typed = [(node, checker.expression(node, scope, want)) for node in nodes if node not in empty]
    if empty and typed:
        common = _common(checker, typed, None, what)
        want = want if isinstance(common, NeverType) else want.of(common)
    return [*typed, *((node, checker.expression(node, scope, want)) for node in empty)]


def branches(checker: Checker, nodes: Iterable[Expr], scope: Scope, want: Want, what: str) -> Type:
    """The common type of some expressions of which one is chosen. Where some are distributions, a value beside them
    stands for the distribution that is always that value."""
    hint = want.type.element if isinstance(want.type, DistributionType) else want.type
    typed = _typed(checker, list(nodes), scope, want.of(hint), what)
    if not any(isinstance(actual, DistributionType) for _, actual in typed):
        return _common(checker, typed, hint, what)
    return _common(checker, typed, None if hint is None else DistributionType(hint), what, lifted=True)


def _common(
    checker: Checker, typed: Sequence[tuple[Expr, Type]], wanted: Type | None, what: str, *, lifted: bool = False
) -> Type:
    """The wanted type where all types fit it, else the smallest that they have in common; with `lifted` that of the
    distributions that they stand for."""
    types = [certain(actual) if lifted else actual for _, actual in typed]
    if wanted is not None and types and all(fits(actual, wanted) for actual in types):
        return wanted
    result: Type = NEVER
    for (node, actual), meant in zip(typed, types):
        combined = join(result, meant)
        if combined is None:
            first = typed[0][1] if node is typed[1][0] else result
            checker.found.add(type_errors.types_do_not_join(node, what, first, actual, typed[0][0].span, lifted=lifted))
            return ERROR
        result = combined
    return result


def _element_wanted(wanted: Type | None, *kinds: type[ArrayType | SetType | BagType]) -> Type | None:
    """The type that the elements should have; where what is wanted is at fault, which is reported, all fit."""
    if isinstance(wanted, ErrorType):
        return wanted
    return wanted.element if isinstance(wanted, kinds) else None


def check_array(checker: Checker, node: ArrayLiteral, scope: Scope, want: Want) -> Type:
    """The type of `[a, b]`."""
    hint = _element_wanted(want.type, ArrayType)
    return ArrayType(joined(checker, node.elements, scope, Want(type=hint), "the elements of an array"))


def check_set(checker: Checker, node: SetLiteral, scope: Scope, want: Want) -> Type:
    """The type of `{a, b}` where a value stands."""
    hint = _element_wanted(want.type, SetType)
    return SetType(joined(checker, node.elements, scope, Want(type=hint), "the elements of a set"))


def check_bag(checker: Checker, node: BagLiteral, scope: Scope, want: Want) -> Type:
    """The type of `bag {a, b}`."""
    hint = _element_wanted(want.type, BagType)
    return BagType(joined(checker, node.elements, scope, Want(type=hint), "the elements of a bag"))


def check_tuple(checker: Checker, node: TupleLiteral, scope: Scope, want: Want) -> Type:
    """The type of `(a, b)`."""
    hints: tuple[Type | None, ...] = (None,) * len(node.elements)
    if isinstance(want.type, TupleType) and len(want.type.elements) == len(node.elements):
        hints = want.type.elements
    inner = Want(symbols=want.symbols, group=want.group)
    return TupleType(tuple(checker.expression(part, scope, inner.of(hint)) for part, hint in zip(node.elements, hints)))


def check_comprehension(checker: Checker, node: Comprehension, scope: Scope, want: Want) -> Type:
    """The type of `[e for x in S]`, `{..}` and `bag {..}`; a generator is only checked by what takes it."""
    hint = _element_wanted(want.type, ArrayType, SetType, BagType)
    element = generated(checker, node, scope, hint)
    match node.shape:
        case "array":
            return ArrayType(element)
        case "set":
            return SetType(element)
        case "bag":
            return BagType(element)
        case "argument":
            checker.found.add(type_errors.misplaced_generator(node))
            return ERROR


def generated(checker: Checker, node: Comprehension, scope: Scope, hint: Type | None = None) -> Type:
    """The type of the elements that a comprehension makes."""
    return checker.expression(node.element, bind_all(checker, node.binders, scope), Want(type=hint))


def bind_all(checker: Checker, binders: tuple[Binder, ...], scope: Scope) -> Scope:
    """A scope with the variables of some `for x in S if c`, each domain seeing the variables before it."""
    for binder in binders:
        element = domain(checker, binder.domain, scope)
        scope = scope.inner()
        checker.declare(scope, "binder", binder.variable, element, binder.domain)
        if binder.condition is not None:
            condition(checker, binder.condition, scope, "the condition of a comprehension")
    return scope


def check_keyed_array(checker: Checker, node: KeyedArray, scope: Scope, want: Want) -> Type:
    """The type of `[ann: 3, bob: 1]`, which has each value of an enum for a key, once."""
    hint = want.type if isinstance(want.type, ArrayType) else None
    keys = [entry.key for entry in node.entries]
    index = joined(checker, keys, scope, Want(type=hint and hint.index), "the keys of an array")
    elements = [entry.weight for entry in node.entries]
    element = joined(checker, elements, scope, Want(type=hint and hint.element), "the elements of an array")
    result = _by_enum(checker, keys[0], index, element)
    if isinstance(result, ArrayType):
        _each_once(checker, node)
    return result


def _by_enum(checker: Checker, key: Expr, index: Type, element: Type) -> Type:
    if isinstance(index, EnumType):
        return ArrayType(element, index)
    if not isinstance(index, ErrorType):
        message = f"the keys of an array are the values of an enum, not {a(index)}"
        help = "write `[a, b]` for an array with the indices 0, 1, ..; in `{ key: weight }` a distribution"
        checker.found.add(Diagnostic.at(codes.TYPE_MISMATCH, key.span, message, label=a(index), help=help))
    return ERROR


def _each_once(checker: Checker, node: KeyedArray) -> None:
    """Reports values of the enum that have no element, or two, where all keys are written by their names."""
    help = "each value of the enum is the key of one element"
    seen: dict[int, Expr] = {}
    declaration = None
    for entry in node.entries:
        value = checker.target(entry.key)
        if not isinstance(value, EnumValue):
            return
        declaration = value.declaration
        if (earlier := seen.setdefault(value.position, entry.key)) is not entry.key:
            first = Label(earlier.span, "the first one")
            message = f"the array has two elements for `{entry.key.span.text}`"
            checker.found.add(Diagnostic.at(codes.ARRAY_KEYS, entry.key.span, message, first, help=help))
    assert declaration is not None
    missing = [f"`{value.text}`" for position, value in enumerate(declaration.values) if position not in seen]
    if missing:
        message = f"the array has no element for {', '.join(missing)}"
        checker.found.add(Diagnostic.at(codes.ARRAY_KEYS, node.span, message, help=help))


def check_keyed_comprehension(checker: Checker, node: KeyedComprehension, scope: Scope, want: Want) -> Type:
    """The type of `[c: votes(c) for c in Candidate]`."""
    hint = want.type if isinstance(want.type, ArrayType) else None
    inner = bind_all(checker, node.binders, scope)
    index = checker.expression(node.key, inner, Want(type=hint and hint.index))
    element = checker.expression(node.element, inner, Want(type=hint and hint.element))
    return _by_enum(checker, node.key, index, element)


def check_set_filter(checker: Checker, node: SetFilter, scope: Scope, _want: Want) -> Type:
    """The type of `{x in S | c}`."""
    element = domain(checker, node.domain, scope)
    inner = scope.inner()
    checker.declare(inner, "binder", node.variable, element, node.domain)
    condition(checker, node.condition, inner, "the condition of a set")
    return SetType(element)


# --- distributions -----------------------------------------------------------


def check_distribution(checker: Checker, node: DistributionLiteral, scope: Scope, want: Want) -> Type:
    """The type of `{ key: weight, .. }`."""
    keys = joined(checker, (entry.key for entry in node.entries), scope, key_want(scope, want, id(node)), "the keys")
    for entry in node.entries:
        checker.fitting(entry.weight, scope, REAL, "a probability")
    return ERROR if isinstance(keys, ErrorType) else DistributionType(keys)


def check_distribution_comprehension(
    checker: Checker, node: DistributionComprehension, scope: Scope, want: Want
) -> Type:
    """The type of `{ key: weight for x in S }`."""
    inner = bind_all(checker, node.binders, scope)
    key = checker.expression(node.key, inner, key_want(scope, want, id(node)))
    checker.fitting(node.weight, inner, REAL, "a probability")
    return ERROR if isinstance(key, ErrorType) else DistributionType(key)


def key_want(scope: Scope, want: Want, group: int) -> Want:
    """What the key of a distribution is offered: an undeclared name is a symbol, unless the outputs are declared."""
    symbols = want.symbols
    if symbols == "unknown":
        symbols = "declared" if scope.owner.declares_outputs else "allowed"
    hint = want.type.element if isinstance(want.type, DistributionType) else want.type
    return Want(type=hint, symbols=symbols, silent=want.silent, states=want.states, group=group)
