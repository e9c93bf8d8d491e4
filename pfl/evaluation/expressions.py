"""Expressions to fragments of Python: the one place that knows every kind of expression."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from pfl.evaluation import arithmetic, calls, choices, collections, domains, faults
from pfl.evaluation.domains import is_by_enum
from pfl.evaluation.fragment import Fragment, Task, call, component, done, name
from pfl.evaluation.linkage import Linkage
from pfl.evaluation.translator import Translator
from pfl.evaluation.variables import TIMED_KINDS, Moment, Variable
from pfl.model.values import SILENT, Bag, MechanismValue, SymbolValue, truth
from pfl.syntax.tree import ast as pfl_ast
from pfl.syntax.tree.ast import Expr
from pfl.syntax.tree.ast_declarations import Const, EnumDecl, MechanismDecl, Param, RecordDecl, TypeDecl
from pfl.typecheck.bindings import Builtin, EnumValue, Local, Symbol
from pfl.typecheck.types import ArrayType, BagType, RecordType, SetType, SymbolType


def translator(linkage: Linkage, scope: Mapping[Variable, Fragment]) -> Translator:
    """The translator of a scope, for every kind of expression."""
    return Translator(linkage=linkage, scope=scope, translate=translate)


def translate(t: Translator, node: Expr, expected: Fragment | None) -> Task[Fragment]:
    """A fragment that yields a value or a Python bool, whichever is simpler."""
    task = _translated(t, node, expected)
    return _placed(t, node, task) if t.namespace.keeps_places else task


def _element(array: ast.expr, index: ast.expr, place: ast.expr) -> ast.expr:
    """`array[index]`, where both are variables without a call for a plain index in range: it would take longer than all
    that is left."""
    whole = call("_index", array, index, place)
    if not isinstance(array, ast.Name) or not isinstance(index, ast.Name | ast.Constant):
        return whole
    size, element = call("_len", array), ast.Subscript(array, index, ast.Load())
    if isinstance(index, ast.Constant):
        is_plain = type(index.value) is int and index.value >= 0
        return ast.IfExp(ast.Compare(index, [ast.Lt()], [size]), element, whole) if is_plain else whole
    is_whole = ast.Compare(ast.Attribute(index, "__class__", ast.Load()), [ast.Is()], [name("_int")])
    is_in_range = ast.Compare(ast.Constant(0), [ast.LtE(), ast.Lt()], [index, size])
    return ast.IfExp(ast.BoolOp(ast.And(), [is_whole, is_in_range]), element, whole)


def _placed(t: Translator, node: Expr, task: Task[Fragment]) -> Task[Fragment]:
    fragment: Fragment = yield task
    return fragment if isinstance(node, pfl_ast.Name) else t.namespace.placed(fragment, node.span)


def _translated(t: Translator, node: Expr, expected: Fragment | None) -> Task[Fragment]:
    match node:
        case pfl_ast.Name():
            return _name(t, node, expected)
        case pfl_ast.Number(value=value):
            return done(t.namespace.constant(int(value) if value.denominator == 1 else value))
        case pfl_ast.Boolean(value=value):
            return done(t.namespace.constant(truth(value)))
        case pfl_ast.Operation():
            return arithmetic.operation(t, node)
        case pfl_ast.Logical():
            return arithmetic.logical(t, node)
        case pfl_ast.Unary():
            return arithmetic.unary(t, node)
        case pfl_ast.Binary():
            return arithmetic.binary(t, node)
        case pfl_ast.Call():
            return calls.call_of(t, node)
        case pfl_ast.Index(array=array, index=index) if is_by_enum(t.type_of(array)):
            return t.combined(lambda held, key: call("_at_key", held, key), array, index)
        case pfl_ast.Index(array=array, index=index):
            place = t.namespace.object(index.span)
            return t.combined(lambda held, at: _element(held, at, place), array, index)
        case pfl_ast.FieldAccess():
            return _field(t, node)
        case pfl_ast.Projection(tuple=operand, position=position):
            return t.combined(lambda tree: component(tree, "elements", position), operand)
        case pfl_ast.At():
            return _at(t, node)
        case pfl_ast.Conditional():
            return choices.conditional(t, node, expected)
        case pfl_ast.Match():
            return choices.match_expression(t, node, expected)
        case pfl_ast.Quantified():
            return collections.quantified(t, node)
        case pfl_ast.TupleLiteral() if domains.is_domain(t, node):
            return collections.set_of_domain(t, node)
        case pfl_ast.TupleLiteral(elements=elements):
            return t.combined(lambda *trees: call("_TupleValue", ast.Tuple(list(trees), ast.Load())), *elements)
        case pfl_ast.ArrayLiteral() | pfl_ast.SetLiteral() | pfl_ast.BagLiteral():
            return collections.literal(t, node)
        case pfl_ast.Comprehension():
            return collections.comprehension(t, node)
        case pfl_ast.SetFilter():
            return collections.set_filter(t, node)
        case pfl_ast.DistributionLiteral():
            return collections.distribution_literal(t, node)
        case pfl_ast.DistributionComprehension():
            return collections.distribution_comprehension(t, node)
        case pfl_ast.KeyedArray():
            return collections.keyed_array(t, node)
        case pfl_ast.KeyedComprehension():
            return collections.keyed_comprehension(t, node)
        case pfl_ast.With():
            return calls.updated(t, node)
        case (
            pfl_ast.BuiltinType()
            | pfl_ast.Range()
            | pfl_ast.Union()
            | pfl_ast.ArrayType()
            | pfl_ast.SetType()
            | pfl_ast.BagType()
            | pfl_ast.MechanismType()
        ):
            return collections.set_of_domain(t, node)
        case _:
            assert_never(node)


def _at(t: Translator, node: pfl_ast.At) -> Task[Fragment]:
    """`x@3`. A moment before the start is a fault where it is looked at: `t > 0 and x@(t - 1)` never does."""
    time = t.constant_int(node.moment)
    if time >= 0:
        return replace(t, moment=time).any(node.operand)

    def fail() -> None:
        raise faults.wrong_moment(node.moment.span, time)

    return done(Fragment(call(t.namespace.bind("f", fail)), depth=2))


def _read(t: Translator, variable: Variable) -> Fragment:
    if t.recorded is None or variable in t.scope:
        return t.scope[variable]
    if variable not in t.recorded:
        python_name = f"v{len(t.recorded)}"
        t.recorded[variable] = Fragment(name(python_name), names=(python_name,))
    return t.recorded[variable]


def _name(t: Translator, node: pfl_ast.Name, expected: Fragment | None) -> Task[Fragment]:
    target = t.linkage.program.target(node)
    constant = t.namespace.constant
    match target:
        case Local():
            if target.kind == "side":
                return done(_whole_state(t, target))
            is_timed = t.moment is not None and target.kind in TIMED_KINDS
            return done(_read(t, Moment(target, t.moment or 0) if is_timed else target))
        case Const():
            return done(constant(t.linkage.globals.constant(target)))
        case Param():
            return done(constant(t.linkage.globals.parameter(target)))
        case EnumValue(declaration=declaration, position=position):
            return done(constant(t.linkage.globals.enumeration(declaration).values[position]))
        case Symbol(name=text):
            return done(constant(SymbolValue(text)))
        case MechanismDecl():
            return done(constant(MechanismValue(target.name.text, id(target), target)))
        case TypeDecl() | EnumDecl() | RecordDecl():
            return collections.set_of_domain(t, node)
        case Builtin(name="empty"):
            return done(_empty(t, node, expected))
        case Builtin(name="silent"):
            return done(constant(SILENT))
        case Builtin(name=text):
            return done(constant(SymbolValue(text)))
        case _:
            raise ValueError(f"`{node.text}` at {node.span} is no value: the checker lets it pass")


def _empty(t: Translator, node: pfl_ast.Name, expected: Fragment | None) -> Fragment:
    match t.type_of(node):
        case SetType():
            return t.namespace.constant(frozenset())
        case BagType():
            return t.namespace.constant(Bag())
        case ArrayType() if expected is not None:
            place = t.namespace.object(node.span)
            return t.namespace.combine(lambda domain: call("_empty_of", domain, place), expected)
        case _:
            return t.namespace.constant(())


def _whole_state(t: Translator, side: Local) -> Fragment:
    """`left` in a relation, where it is no record of which a field is read: the value of its type."""
    is_name = ast.Constant(isinstance(side.type, SymbolType))
    return t.namespace.combine(lambda tree: call("_whole_state", tree, is_name), _read(t, side))


def _field(t: Translator, node: pfl_ast.FieldAccess) -> Task[Fragment]:
    target = t.linkage.program.target(node.record) if isinstance(node.record, pfl_ast.Name) else None
    record: Fragment
    if isinstance(target, Local) and target.kind == "side":
        record = _read(t, target)
    else:
        record = yield t.value(node.record)
    static = t.type_of(node.record)
    if isinstance(static, RecordType):
        fields = [parameter.name.text for parameter in static.declaration.fields]
        position = fields.index(node.field.text)
        return t.namespace.combine(lambda tree: component(tree, "values", position), record)
    return t.namespace.combine(
        lambda tree: ast.Call(ast.Attribute(tree, "get", ast.Load()), [ast.Constant(node.field.text)], []), record
    )
