"""Calls of functions, distributions, mechanisms, records and adjacencies.

Calls of the built-in functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from pfl.syntax.spelling import FOREIGN_NAMES
from pfl.syntax.tree.ast import Argument, Call, Comprehension, Expr, Name, Node
from pfl.syntax.tree.ast_declarations import (
    AdjacencyDecl,
    AutomatonDecl,
    DistDecl,
    FnDecl,
    HmmDecl,
    MechanismDecl,
    Parameter,
    RecordDecl,
)
from pfl.syntax.tree.vocabulary import BUILTIN_FUNCTIONS
from pfl.typecheck import type_errors
from pfl.typecheck.bindings import Builtin
from pfl.typecheck.checker import Checker, Want
from pfl.typecheck.expressions.collections import generated, joined
from pfl.typecheck.expressions.operators import int_wanted, number_operand
from pfl.typecheck.fitting import BOOL, ERROR, INT, NEVER, REAL, a, assignable, element_of, is_numeric, overlap
from pfl.typecheck.names import name_errors
from pfl.typecheck.names.name_errors import LOCAL_NOUNS
from pfl.typecheck.names.scope import Function, Scope, noun
from pfl.typecheck.types import (
    BagType,
    BoolType,
    DistributionType,
    ErrorType,
    MechanismType,
    NeverType,
    RealType,
    RecordType,
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
    if not want.logarithms:
        checker.found.add(type_errors.misplaced_logarithm(node, "`ln` stands where no logarithm can"))
    checker.logarithms += 1
    number_operand(checker, arguments[0], scope, "ln")
    return REAL


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
}
"""By name: how it is written, the fewest and the most arguments, and its rule."""


def check_call(checker: Checker, node: Call, scope: Scope, want: Want) -> Type:
    """The type of a call: a name before `(` is a local of mechanism type, a global function, or built in."""
    if not isinstance(node.callee, Name):
        return _call_of_value(checker, node, checker.expression(node.callee, scope), scope, want)
    text, names = node.callee.text, scope.owner.names
    local = scope.find(text)
    declaration = names.declared.get(text)
    if local is not None and isinstance(local.type, MechanismType):
        checker.bind(node.callee, local)
        checker.types[id(node.callee)] = local.type
        return _call_of_value(checker, node, local.type, scope, want)
    if isinstance(declaration, Function):
        checker.bind(node.callee, declaration)
        return _declared(checker, node, node.callee, declaration, scope, want)
    if text in BUILTIN_FUNCTIONS:
        checker.bind(node.callee, Builtin(name=text))
        return check_builtin_call(checker, node, text, scope, want)
    check_arguments_alone(checker, node.arguments, scope)
    if local is not None:
        if not isinstance(local.type, ErrorType):
            what = f"`{text}` is {LOCAL_NOUNS[local.kind]}"
            advice = f"a moment is written `{text}@3`" if scope.moments and local.kind == "state" else None
            checker.found.add(name_errors.not_a_function(node.callee, what, advice or _maybe_index(local.type)))
    elif declaration is not None:
        advice = None
        if isinstance(declaration, HmmDecl | AutomatonDecl):
            advice = "systems are judged by claims: `check ..`, `compute ..`"
        checker.found.add(name_errors.not_a_function(node.callee, f"`{text}` is {noun(declaration)}", advice))
    elif text in FOREIGN_NAMES and names.complete:
        checker.found.add(name_errors.not_offered(node.callee, FOREIGN_NAMES[text]))
    elif names.complete:
        candidates = [*names.of_kind(FnDecl, DistDecl, MechanismDecl, RecordDecl, AdjacencyDecl), *BUILTIN_FUNCTIONS]
        checker.found.add(name_errors.unknown_function(node.callee, candidates))
    return ERROR


def _maybe_index(type_: Type) -> str | None:
    return "an element of an array is written `a[i]`" if a(type_).startswith("an array") else None


def check_arguments_alone(checker: Checker, arguments: Sequence[Argument], scope: Scope) -> None:
    """Checks arguments whose parameters are unknown."""
    for argument in arguments:
        checker.expression(argument.value, scope)


def _declared(checker: Checker, node: Call, callee: Name, declaration: Function, scope: Scope, want: Want) -> Type:
    parameters = declaration.fields if isinstance(declaration, RecordDecl) else declaration.parameters
    if not checker.ensure(declaration, callee):
        check_arguments_alone(checker, node.arguments, scope)
        return ERROR
    scope.owner.callees[id(declaration)] = declaration
    check_arguments(checker, node, callee.text, parameters, node.arguments, scope)
    match declaration:
        case RecordDecl():
            return RecordType(declaration)
        case AdjacencyDecl():
            return BOOL
        case FnDecl() | DistDecl():
            return checker.results[id(declaration)] or ERROR
        case MechanismDecl():
            facts = checker.facts[id(declaration)]
            interacts = "emits" if facts.emits else "receives" if facts.receives else None
            if interacts and not _has_place(checker, node, f"`{callee.text}` {interacts}", scope, want):
                return ERROR
            result = checker.results[id(declaration)]
            return DistributionType(NEVER if result is None else result)


def _call_of_value(checker: Checker, node: Call, callee: Type, scope: Scope, want: Want) -> Type:
    """The call of a value of mechanism type; one without a result can only emit."""
    if not isinstance(callee, MechanismType):
        check_arguments_alone(checker, node.arguments, scope)
        if not isinstance(callee, ErrorType):
            checker.found.add(name_errors.not_a_function(node.callee, f"this is {a(callee)}"))
        return ERROR
    name = node.callee.span.text
    for argument in node.arguments:
        if argument.name is not None:
            checker.found.add(type_errors.wrong_argument_name(argument.name, name, ()))
    if len(node.arguments) != len(callee.inputs):
        check_arguments_alone(checker, node.arguments, scope)
        parameters = tuple(f"input {position + 1}" for position in range(len(callee.inputs)))
        missing = parameters[len(node.arguments) :]
        checker.found.add(type_errors.wrong_argument_count(node, name, parameters, missing, len(node.arguments)))
    else:
        for position, (argument, wanted) in enumerate(zip(node.arguments, callee.inputs)):
            checker.fitting(argument.value, scope, wanted, f"input {position + 1} of `{name}`")
    if callee.result is None and not _has_place(checker, node, f"`{name}` emits", scope, want):
        return ERROR
    return DistributionType(NEVER if callee.result is None else callee.result)


def _has_place(checker: Checker, node: Call, interacts: str, scope: Scope, want: Want) -> bool:
    """Records a call of a mechanism that emits or receives, and reports it where that has no place."""
    scope.owner.calls_emitting |= interacts.endswith("emits")
    if want.emits:
        return True
    where = {
        "mechanism": "is called inside an expression",
        "hmm": "is called in an hmm, which shows only its own observations",
        "automaton": "is called in a handler, which only responds",
        "prior": "is called in a prior, which shows nothing",
    }.get(scope.owner.kind, "is called where nothing is shown")
    checker.found.add(type_errors.misplaced_emitting_call(node, f"{interacts}, and {where}", node.callee.span.text))
    return False


def check_arguments(
    checker: Checker,
    node: Node,
    function: str,
    parameters: Sequence[Parameter],
    arguments: Sequence[Argument],
    scope: Scope,
) -> None:
    """Checks the arguments of a call against parameters: those without a name come first, in order."""
    by_name = {parameter.name.text: parameter for parameter in parameters}
    given: dict[str, Expr] = {}
    named = False
    for position, argument in enumerate(arguments):
        parameter: Parameter | None = None
        if argument.name is not None:
            named = True
            parameter = by_name.get(argument.name.text)
            if parameter is None:
                checker.found.add(type_errors.wrong_argument_name(argument.name, function, by_name))
            elif argument.name.text in given:
                checker.found.add(type_errors.wrong_argument_name(argument.name, function, by_name, given=True))
        elif named:
            checker.found.add(type_errors.unnamed_after_named(argument, function))
        elif position < len(parameters):
            parameter = parameters[position]
        if parameter is None:
            checker.expression(argument.value, scope)
            continue
        given[parameter.name.text] = argument.value
        what = f"argument `{parameter.name.text}` of `{function}`"
        checker.fitting(argument.value, scope, checker.types[id(parameter.type)], what)
    unnamed = sum(argument.name is None for argument in arguments)
    missing = tuple(name for name in by_name if name not in given)
    if unnamed > len(parameters) or (missing and not _has_name_fault(arguments, by_name)):
        checker.found.add(type_errors.wrong_argument_count(node, function, tuple(by_name), missing, len(arguments)))


def _has_name_fault(arguments: Sequence[Argument], by_name: dict[str, Parameter]) -> bool:
    return any(argument.name is not None and argument.name.text not in by_name for argument in arguments)
