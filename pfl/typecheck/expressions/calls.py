"""Calls of functions, distributions, mechanisms, records and adjacencies."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.syntax.spelling import FOREIGN_NAMES
from pfl.syntax.tree.ast import Argument, Call, Expr, Name, Node
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
from pfl.typecheck.expressions.builtins import check_builtin_call
from pfl.typecheck.fitting import BOOL, ERROR, NEVER, a
from pfl.typecheck.names import name_errors
from pfl.typecheck.names.name_errors import LOCAL_NOUNS
from pfl.typecheck.names.scope import Function, Scope, noun
from pfl.typecheck.types import (
    DistributionType,
    ErrorType,
    MechanismType,
    RecordType,
    Type,
)


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
