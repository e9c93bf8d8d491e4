"""Calls of functions, distributions and mechanisms, and records made and changed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from pfl.base.source import Span
from pfl.evaluation import domains
from pfl.evaluation.builtins import builtin_call
from pfl.evaluation.fragment import Fragment, Task, call
from pfl.evaluation.linkage import Called, remembering
from pfl.evaluation.translator import Translator
from pfl.syntax.tree.ast import Argument, Call, Expr, FieldUpdate, IndexUpdate, Name, With
from pfl.syntax.tree.ast_declarations import AdjacencyDecl, DistDecl, FnDecl, MechanismDecl, Parameter, RecordDecl
from pfl.syntax.tree.tree_walk import descendants
from pfl.typecheck.bindings import Builtin
from pfl.typecheck.fitting import fits
from pfl.typecheck.types import ArrayType, RecordType


def call_of(t: Translator, node: Call) -> Task[Fragment]:
    """`f(a, b)`."""
    target = t.linkage.program.target(node.callee) if isinstance(node.callee, Name) else None
    match target:
        case Builtin(name=function):
            return builtin_call(t, node, function)
        case RecordDecl():
            return _record(t, node, target)
        case FnDecl() | AdjacencyDecl() | DistDecl() | MechanismDecl():
            return _declared(t, node, target)
        case _:
            return _mechanism_value(t, node)


def ordered(arguments: Sequence[Argument], parameters: Sequence[Parameter]) -> list[Expr]:
    """The values of arguments in the order of the parameters: those without a name come first."""
    by_name = {argument.name.text: argument.value for argument in arguments if argument.name is not None}
    unnamed = [argument.value for argument in arguments if argument.name is None]
    return unnamed + [by_name[parameter.name.text] for parameter in parameters[len(unnamed) :]]


def argument_fragments(
    t: Translator, values: Sequence[Expr], parameters: Sequence[Parameter], *, scoped: bool
) -> Task[list[Fragment]]:
    """The fragments of arguments. `empty` finds its size by the type, which, if `scoped`, may mention parameters."""
    fragments: list[Fragment] = []
    callee = t.outside()
    for value, parameter in zip(values, parameters):
        expected: Fragment | None = None
        if isinstance(t.type_of(value), ArrayType) and _mentions_empty(t, value):
            expected = yield domains.domain(callee, parameter.type)
        fragment: Fragment = yield t.value(value, expected)
        fragments.append(fragment)
        if scoped:
            callee = callee.with_local(t.linkage.program.local(parameter.name), fragment)
    return fragments


def _mentions_empty(t: Translator, node: Expr) -> bool:
    empty, program = Builtin(name="empty"), t.linkage.program
    return any(isinstance(part, Name) and program.target(part) == empty for part in descendants(node))


def _declared(t: Translator, node: Call, target: Called) -> Task[Fragment]:
    values = ordered(node.arguments, target.parameters)
    arguments: list[Fragment] = yield argument_fragments(t, values, target.parameters, scoped=True)
    if isinstance(target, FnDecl) and not t.linkage.globals.has_parameters and t.linkage.leads_on(target):
        # With parameters, what is remembered would not tell again what they must satisfy.
        known = t.namespace.bind_function(_remembered(t, target, values), leads_on=True)
        return t.namespace.combine(lambda *trees: call(known, *trees), *arguments, fold=False)
    function = t.linkage.function(target)
    if not any(_may_not_fit(t, value, parameter) for value, parameter in zip(values, target.parameters)):
        return t.namespace.combine(lambda *trees: call(function, *trees), *arguments, fold=False)
    check = t.linkage.argument_check(target)
    places = t.namespace.object(tuple(value.span for value in values))
    return t.namespace.combine(
        lambda *trees: call(function, ast.Starred(call(check, *trees, places), ast.Load())), *arguments, fold=False
    )


def _remembered(t: Translator, target: FnDecl, values: Sequence[Expr]) -> Callable[..., Any]:
    """A function that takes the arguments of one call, checks that they fit, and remembers what it gave."""
    linkage, names = t.linkage, t.namespace.globals
    function, check = linkage.function(target), linkage.argument_check(target)
    places = tuple(value.span for value in values)

    def called(*arguments: Any) -> Any:
        return names[function](*names[check](*arguments, places))

    return remembering(called, may_hold_samples=t.namespace.keeps_places)


def _may_not_fit(t: Translator, value: Expr, parameter: Parameter) -> bool:
    return domains.needs_check(t, parameter.type) or not fits(t.type_of(value), t.type_of(parameter.type))


def _mechanism_value(t: Translator, node: Call) -> Task[Fragment]:
    """`K[y](all)`: which mechanism is called is known at run time."""
    callee: Fragment = yield t.value(node.callee)
    arguments: list[Fragment] = yield t.values(tuple(argument.value for argument in node.arguments))
    places = t.namespace.object(tuple(argument.value.span for argument in node.arguments))
    return t.namespace.combine(
        lambda held, *trees: call("_call_mechanism", held, ast.Tuple(list(trees), ast.Load()), places),
        callee,
        *arguments,
        fold=False,
    )


def _record(t: Translator, node: Call, declaration: RecordDecl) -> Task[Fragment]:
    """`Visit(who = 1, long = true)`."""
    values = ordered(node.arguments, declaration.fields)
    arguments: list[Fragment] = yield argument_fragments(t, values, declaration.fields, scoped=False)
    fields = []
    for value, parameter, argument in zip(values, declaration.fields, arguments):
        field: Fragment = yield _field_value(t, parameter, value, argument, value.span)
        fields.append(field)
    shape = t.namespace.constant(t.linkage.globals.shape(declaration))
    return t.namespace.combine(
        lambda head, *trees: call("_RecordValue", head, ast.Tuple(list(trees), ast.Load())), shape, *fields
    )


def _field_value(t: Translator, field: Parameter, value: Expr, fragment: Fragment, span: Span) -> Task[Fragment]:
    if not _may_not_fit(t, value, field):
        return fragment
    result: Fragment = yield checked(t.outside(), fragment, field.type, f"field `{field.name.text}`", span)
    return result


def checked(t: Translator, fragment: Fragment, type_: Expr, what: str, span: Span) -> Task[Fragment]:
    """A value, checked to lie in a written type. `what` names the value in the fault, and `span` is its place."""
    domain: Fragment = yield domains.domain(t, type_)
    place = t.namespace.object(span)
    named = t.namespace.object(what)
    return t.namespace.combine(lambda tree, held: call("_member", tree, held, named, place), fragment, domain)


def updated(t: Translator, node: With) -> Task[Fragment]:
    """`v with { who = 2 }`, `a with { [i] = 2 }`."""
    whole: Fragment = yield t.value(node.operand)
    static = t.type_of(node.operand)
    for update in node.updates:
        value: Fragment = yield t.value(update.value)
        match update:
            case IndexUpdate(index=index):
                position: Fragment = yield t.value(index)
                whole = replaced_element(t, whole, position, value, index.span)
            case FieldUpdate(field=field):
                if isinstance(static, RecordType):
                    parameter = next(part for part in static.declaration.fields if part.name.text == field.text)
                    value = yield _field_value(t, parameter, update.value, value, update.value.span)
                whole = replaced_field(t, whole, field.text, value)
    return whole


def replaced_element(t: Translator, array: Fragment, position: Fragment, value: Fragment, span: Span) -> Fragment:
    """A copy of an array with one element changed."""
    place = t.namespace.object(span)
    return t.namespace.combine(lambda held, at, new: call("_replaced", held, at, new, place), array, position, value)


def replaced_field(t: Translator, record: Fragment, field: str, value: Fragment) -> Fragment:
    """A copy of a record with one field changed."""
    return t.namespace.combine(
        lambda held, new: ast.Call(ast.Attribute(held, "replace", ast.Load()), [ast.Constant(field), new], []),
        record,
        value,
    )
