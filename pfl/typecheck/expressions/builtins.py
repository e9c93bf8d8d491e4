"""Calls of the built-in functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from pfl.syntax.tree.ast import Call, Comprehension, Expr
from pfl.typecheck import type_errors
from pfl.typecheck.checker import Checker, Want
from pfl.typecheck.expressions.collections import generated, joined
from pfl.typecheck.expressions.operators import int_wanted, number_operand
from pfl.typecheck.fitting import BOOL, ERROR, INT, REAL, assignable, element_of, is_numeric, overlap
from pfl.typecheck.names.scope import Scope
from pfl.typecheck.types import (
    BagType,
    BoolType,
    DistributionType,
    ErrorType,
    NeverType,
    RealType,
    SetType,
    Type,
    UnionType,
)
from pfl.typecheck.written_types import domain

_Rule: TypeAlias = Callable[[Checker, Call, tuple[Expr, ...], Scope, Want], Type]


def check_builtin_call(checker: Checker, node: Call, name: str, scope: Scope, want: Want) -> Type:
    """The type of the call of a built-in function."""
    usage, fewest, most, rule = _BUILTINS[name]
    for argument in node.arguments:
        if argument.name is not None:
            checker.found.add(type_errors.wrong_argument_name(argument.name, name, ()))
    arguments = tuple(argument.value for argument in node.arguments)
    if not fewest <= len(arguments) or (most is not None and len(arguments) > most):
        for value in arguments:
            checker.expression(value, scope)
        checker.found.add(type_errors.builtin_argument_count(node, name, usage))
        return ERROR
    return rule(checker, node, arguments, scope, want)


def _collection(checker: Checker, node: Expr, scope: Scope, name: str, want: Want | None = None) -> Type:
    """The type of an argument that must be a set, a bag or an array; ERROR, and a report, where it is none."""
    actual = checker.expression(node, scope, want or Want())
    if element_of(actual) is None:
        checker.found.add(type_errors.wrong_operand(node, name, "a set, a bag or an array", actual))
        return ERROR
    return actual


def _size(checker: Checker, _node: Call, arguments: tuple[Expr, ...], scope: Scope, _want: Want) -> Type:
    _collection(checker, arguments[0], scope, "size")
    return INT


def _contains(checker: Checker, node: Call, arguments: tuple[Expr, ...], scope: Scope, _want: Want) -> Type:
    element = domain(checker, arguments[0], scope, endless=True)
    actual = checker.expression(arguments[1], scope, Want(type=element))
    if not overlap(actual, element):
        checker.found.add(type_errors.never_element(node, actual, checker.types[id(arguments[0])]))
    return BOOL


def _with_or_without(name: str) -> _Rule:
    def check(checker: Checker, _node: Call, arguments: tuple[Expr, ...], scope: Scope, want: Want) -> Type:
        actual = checker.expression(arguments[0], scope, Want(type=want.type))
        hint = actual.element if isinstance(actual, SetType | BagType) else None
        element = checker.expression(arguments[1], scope, Want(type=hint))
        if isinstance(actual, ErrorType):
            return ERROR
        if not isinstance(actual, SetType | BagType):
            checker.found.add(type_errors.wrong_operand(arguments[0], name, "a set or a bag", actual))
            return ERROR
        if isinstance(actual.element, NeverType) and name == "add":
            return SetType(element) if isinstance(actual, SetType) else BagType(element)
        if not assignable(element, actual.element):
            what = f"what `{name}` is given"
            checker.found.add(type_errors.type_mismatch(arguments[1], what, actual.element, element))
            return ERROR
        return actual

    return check


def _union(checker: Checker, node: Call, arguments: tuple[Expr, ...], scope: Scope, want: Want) -> Type:
    if len(arguments) == 1:
        if isinstance(arguments[0], Comprehension) and arguments[0].shape == "argument":
            united = _generator(checker, arguments[0], scope)
        else:
            united = element_of(_collection(checker, arguments[0], scope, "union")) or ERROR
    else:
        united = joined(checker, arguments, scope, Want(type=want.type), "what is united")
    if isinstance(united, SetType | BagType | ErrorType):
        return united
    checker.found.add(type_errors.wrong_operand(node, "union", "sets or bags", united))
    return ERROR


def _generator(checker: Checker, node: Comprehension, scope: Scope, hint: Type | None = None) -> Type:
    element = generated(checker, node, scope, hint)
    checker.types[id(node)] = BagType(element)
    return element


def _items(
    checker: Checker, arguments: tuple[Expr, ...], scope: Scope, name: str, want: Want
) -> list[tuple[Expr, Type]]:
    """What an aggregate goes through: a generator, the elements of one collection, or the arguments themselves."""
    first = arguments[0]
    if len(arguments) > 1:
        return [(argument, checker.expression(argument, scope, want)) for argument in arguments]
    if isinstance(first, Comprehension) and first.shape == "argument":
        return [(first.element, _generator(checker, first, scope, want.type))]
    actual = _collection(checker, first, scope, name)
    return [(first, element_of(actual) or ERROR)]


def _aggregate(name: str) -> _Rule:
    def check(checker: Checker, _node: Call, arguments: tuple[Expr, ...], scope: Scope, want: Want) -> Type:
        result: Type = INT
        for item, type_ in _items(checker, arguments, scope, name, Want(type=int_wanted(want))):
            if not is_numeric(type_):
                report = type_errors.union_operand if isinstance(type_, UnionType) else type_errors.wrong_operand
                checker.found.add(report(item, name, "numbers", type_))
                return ERROR
            if isinstance(type_, ErrorType):
                return ERROR
            if isinstance(type_, RealType):
                result = REAL
        return result

    return check


def _count(checker: Checker, node: Call, arguments: tuple[Expr, ...], scope: Scope, want: Want) -> Type:
    ((_, type_),) = _items(checker, arguments, scope, "count", want)
    binders = arguments[0].binders if isinstance(arguments[0], Comprehension) else ()
    if isinstance(type_, BoolType) and not any(binder.condition for binder in binders):
        checker.found.add(type_errors.counts_false(node))
    return INT


def _abs(checker: Checker, _node: Call, arguments: tuple[Expr, ...], scope: Scope, want: Want) -> Type:
    return number_operand(checker, arguments[0], scope, "abs", Want(type=int_wanted(want)))


def _rounding(name: str) -> _Rule:
    def check(checker: Checker, _node: Call, arguments: tuple[Expr, ...], scope: Scope, _want: Want) -> Type:
        number_operand(checker, arguments[0], scope, name)
        return INT

    return check


def _uniform(checker: Checker, _node: Call, arguments: tuple[Expr, ...], scope: Scope, _want: Want) -> Type:
    element = domain(checker, arguments[0], scope)
    return ERROR if isinstance(element, ErrorType) else DistributionType(element)


def _bernoulli(checker: Checker, _node: Call, arguments: tuple[Expr, ...], scope: Scope, _want: Want) -> Type:
    checker.fitting(arguments[0], scope, REAL, "the probability of `bernoulli`")
    return DistributionType(BOOL)


def _binomial(checker: Checker, _node: Call, arguments: tuple[Expr, ...], scope: Scope, _want: Want) -> Type:
    checker.fitting(arguments[0], scope, INT, "the number of trials of `binomial`")
    checker.fitting(arguments[1], scope, REAL, "the probability of `binomial`")
    return DistributionType(INT)


def _point(checker: Checker, _node: Call, arguments: tuple[Expr, ...], scope: Scope, want: Want) -> Type:
    hint = want.type.element if isinstance(want.type, DistributionType) else want.type
    actual = checker.expression(arguments[0], scope, Want(type=hint, symbols=want.symbols, states=want.states))
    return ERROR if isinstance(actual, ErrorType) else DistributionType(actual)


def _ln(checker: Checker, node: Call, arguments: tuple[Expr, ...], scope: Scope, want: Want) -> Type:
    if not want.logarithms and scope.owner.kind not in ("mechanism", "distribution"):
        checker.found.add(type_errors.misplaced_logarithm(node, "`ln` stands where no logarithm can"))
    checker.logarithms += 1
    number_operand(checker, arguments[0], scope, "ln")
    return REAL


def _exp(checker: Checker, _node: Call, arguments: tuple[Expr, ...], scope: Scope, _want: Want) -> Type:
    number_operand(checker, arguments[0], scope, "exp")
    return REAL


def _noise(name: str, element: Type, *what: tuple[str, Type]) -> _Rule:
    """A distribution whose arguments are each of a type, and called so in faults."""

    def check(checker: Checker, _node: Call, arguments: tuple[Expr, ...], scope: Scope, _want: Want) -> Type:
        for argument, (role, type_) in zip(arguments, what):
            checker.fitting(argument, scope, type_, f"the {role} of `{name}`")
        return DistributionType(element)

    return check


_BUILTINS: dict[str, tuple[str, int, int | None, _Rule]] = {
    "size": ("size(xs)", 1, 1, _size),
    "contains": ("contains(xs, x)", 2, 2, _contains),
    "add": ("add(xs, x)", 2, 2, _with_or_without("add")),
    "remove": ("remove(xs, x)", 2, 2, _with_or_without("remove")),
    "union": ("union(a, b)` or `union(array_of_sets)", 1, None, _union),
    "sum": ("sum(x for x in xs)` or `sum(xs)", 1, 1, _aggregate("sum")),
    "count": ("count(x for x in xs if condition)", 1, 1, _count),
    "min": ("min(a, b)` or `min(xs)", 1, None, _aggregate("min")),
    "max": ("max(a, b)` or `max(xs)", 1, None, _aggregate("max")),
    "abs": ("abs(x)", 1, 1, _abs),
    "floor": ("floor(x)", 1, 1, _rounding("floor")),
    "ceil": ("ceil(x)", 1, 1, _rounding("ceil")),
    "uniform": ("uniform(S)", 1, 1, _uniform),
    "bernoulli": ("bernoulli(p)", 1, 1, _bernoulli),
    "binomial": ("binomial(n, p)", 2, 2, _binomial),
    "point": ("point(x)", 1, 1, _point),
    "ln": ("ln(x)", 1, 1, _ln),
    "exp": ("exp(x)", 1, 1, _exp),
    "laplace": ("laplace(mean, scale)", 2, 2, _noise("laplace", REAL, ("mean", REAL), ("scale", REAL))),
    "exponential": ("exponential(scale)", 1, 1, _noise("exponential", REAL, ("scale", REAL))),
    "two_sided_geometric": (
        "two_sided_geometric(alpha, mean)",
        2,
        2,
        _noise("two_sided_geometric", INT, ("parameter", REAL), ("mean", INT)),
    ),
    "geometric": ("geometric(alpha)", 1, 1, _noise("geometric", INT, ("parameter", REAL))),
    "gaussian": ("gaussian(mean, sd)", 2, 2, _noise("gaussian", REAL, ("mean", REAL), ("standard deviation", REAL))),
    "discrete_gaussian": (
        "discrete_gaussian(mean, sd)",
        2,
        2,
        _noise("discrete_gaussian", INT, ("mean", INT), ("standard deviation", REAL)),
    ),
}
"""By name: how it is written, the fewest and the most arguments, and its rule."""
