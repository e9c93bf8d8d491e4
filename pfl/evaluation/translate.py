"""Expressions to fragments of Python: the one place that knows every kind of expression."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from pfl.evaluation import arithmetic, calls, choices, collections, domains, faults
from pfl.evaluation.domains import is_by_enum
from pfl.evaluation.fragment import Fragment, Namespace, Task, call, component, done, name, run
from pfl.evaluation.linkage import Linkage
from pfl.evaluation.variables import TIMED_KINDS, Moment, Variable
from pfl.model.values import SILENT, Bag, MechanismValue, SymbolValue, truth
from pfl.syntax.tree import ast as pfl_ast
from pfl.syntax.tree.ast import Expr, Identifier
from pfl.syntax.tree.ast_declarations import Const, EnumDecl, MechanismDecl, Param, RecordDecl, TypeDecl
from pfl.typecheck.bindings import Builtin, EnumValue, Local, Symbol
from pfl.typecheck.types import ArrayType, BagType, RecordType, SetType, SymbolType, Type


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Translator:
    """Translates expressions in one scope.

    `scope` says what each local reads as: a Python variable, or a constant where its value is known; with `recorded`,
    locals that it lacks get a Python variable when they are first met, and are put down there. `moment` is the number
    of moves after which an operand of `@` is looked at. Loops over the variables in `written_out` are written out, and
    `copies` is how many copies of what is translated there are then.
    """

    linkage: Linkage
    scope: Mapping[Variable, Fragment]
    moment: int | None = None
    recorded: dict[Variable, Fragment] | None = None
    written_out: frozenset[Local] = frozenset()
    copies: int = 1

    @property
    def namespace(self) -> Namespace:
        return self.linkage.namespace

    def type_of(self, node: Expr) -> Type:
        return self.linkage.program.type_of(node)

    def with_local(self, local: Local, fragment: Fragment) -> Translator:
        """The scope inside a binder."""
        return replace(self, scope={**self.scope, local: fragment})

    def with_copies(self, local: Local, value: Fragment, copies: int) -> Translator:
        """The scope in one of several copies of a loop's inside."""
        return replace(self, scope={**self.scope, local: value}, copies=copies)

    def writes_out(self, variable: Identifier) -> bool:
        """Whether the loop over a bound variable is written out."""
        return bool(self.written_out) and self.linkage.program.local(variable) in self.written_out

    def outside(self) -> Translator:
        """The scope of declarations, in which no local is known."""
        return Translator(linkage=self.linkage, scope={})

    def binder(self, variable: Identifier) -> tuple[Translator, str]:
        """The scope in which a bound variable is known, and its Python name."""
        python_name = self.namespace.fresh("x")
        fragment = Fragment(name(python_name), names=(python_name,))
        return self.with_local(self.linkage.program.local(variable), fragment), python_name

    def value(self, node: Expr, expected: Fragment | None = None) -> Task[Fragment]:
        """A fragment that yields a value. `expected` is the domain of its place, by which `empty` finds its size."""
        fragment: Fragment = yield self.any(node, expected)
        return self.namespace.as_value(fragment)

    def values(self, nodes: tuple[Expr, ...]) -> Task[list[Fragment]]:
        """The fragments of several values."""
        fragments = []
        for node in nodes:
            fragment: Fragment = yield self.value(node)
            fragments.append(fragment)
        return fragments

    def test(self, node: Expr) -> Task[Fragment]:
        """A fragment that yields a Python bool."""
        fragment: Fragment = yield self.any(node)
        return self.namespace.as_test(fragment)

    def constant_int(self, node: Expr) -> int:
        """The value of an expression that must be known now, such as the moment of `x@3`."""
        fragment = run(self.value(node))
        if fragment.names:
            raise faults.moment_varies(node.span)
        if not fragment.is_known:
            fragment = self.namespace.constant(self.namespace.evaluate(fragment))
        return int(fragment.constant)

    def any(self, node: Expr, expected: Fragment | None = None) -> Task[Fragment]:
        """A fragment that yields a value or a Python bool, whichever is simpler."""
        match node:
            case pfl_ast.Name():
                return self._name(node, expected)
            case pfl_ast.Number(value=value):
                return done(self.namespace.constant(int(value) if value.denominator == 1 else value))
            case pfl_ast.Boolean(value=value):
                return done(self.namespace.constant(truth(value)))
            case pfl_ast.Operation():
                return arithmetic.operation(self, node)
            case pfl_ast.Logical():
                return arithmetic.logical(self, node)
            case pfl_ast.Unary():
                return arithmetic.unary(self, node)
            case pfl_ast.Binary():
                return arithmetic.binary(self, node)
            case pfl_ast.Call():
                return calls.call_of(self, node)
            case pfl_ast.Index(array=array, index=index) if is_by_enum(self.type_of(array)):
                return self._combined(lambda held, key: call("_at_key", held, key), array, index)
            case pfl_ast.Index(array=array, index=index):
                place = self.namespace.object(index.span)
                return self._combined(lambda held, at: call("_index", held, at, place), array, index)
            case pfl_ast.FieldAccess():
                return self._field(node)
            case pfl_ast.Projection(tuple=operand, position=position):
                return self._combined(lambda tree: component(tree, "elements", position), operand)
            case pfl_ast.At():
                return self._at(node)
            case pfl_ast.Conditional():
                return choices.conditional(self, node, expected)
            case pfl_ast.Match():
                return choices.match_expression(self, node, expected)
            case pfl_ast.Quantified():
                return collections.quantified(self, node)
            case pfl_ast.TupleLiteral() if domains.is_domain(self, node):
                return collections.set_of_domain(self, node)
            case pfl_ast.TupleLiteral(elements=elements):
                return self._combined(lambda *trees: call("_TupleValue", ast.Tuple(list(trees), ast.Load())), *elements)
            case pfl_ast.ArrayLiteral() | pfl_ast.SetLiteral() | pfl_ast.BagLiteral():
                return collections.literal(self, node)
            case pfl_ast.Comprehension():
                return collections.comprehension(self, node)
            case pfl_ast.SetFilter():
                return collections.set_filter(self, node)
            case pfl_ast.DistributionLiteral():
                return collections.distribution_literal(self, node)
            case pfl_ast.DistributionComprehension():
                return collections.distribution_comprehension(self, node)
            case pfl_ast.KeyedArray():
                return collections.keyed_array(self, node)
            case pfl_ast.KeyedComprehension():
                return collections.keyed_comprehension(self, node)
            case pfl_ast.With():
                return calls.updated(self, node)
            case (
                pfl_ast.BuiltinType()
                | pfl_ast.Range()
                | pfl_ast.Union()
                | pfl_ast.ArrayType()
                | pfl_ast.SetType()
                | pfl_ast.BagType()
                | pfl_ast.MechanismType()
            ):
                return collections.set_of_domain(self, node)
            case _:
                assert_never(node)

    def _combined(self, build: Callable[..., ast.expr], *nodes: Expr) -> Task[Fragment]:
        parts: list[Fragment] = yield self.values(nodes)
        return self.namespace.combine(build, *parts)

    def _at(self, node: pfl_ast.At) -> Task[Fragment]:
        """`x@3`. A moment before the start is a fault where it is looked at: `t > 0 and x@(t - 1)` never does."""
        time = self.constant_int(node.moment)
        if time >= 0:
            return replace(self, moment=time).any(node.operand)

        def fail() -> None:
            raise faults.wrong_moment(node.moment.span, time)

        return done(Fragment(call(self.namespace.bind("f", fail)), depth=2))

    def _read(self, variable: Variable) -> Fragment:
        if self.recorded is None or variable in self.scope:
            return self.scope[variable]
        if variable not in self.recorded:
            python_name = f"v{len(self.recorded)}"
            self.recorded[variable] = Fragment(name(python_name), names=(python_name,))
        return self.recorded[variable]

    def _name(self, node: pfl_ast.Name, expected: Fragment | None) -> Task[Fragment]:
        target = self.linkage.program.target(node)
        constant = self.namespace.constant
        match target:
            case Local():
                if target.kind == "side":
                    return done(self._whole_state(target))
                is_timed = self.moment is not None and target.kind in TIMED_KINDS
                return done(self._read(Moment(target, self.moment or 0) if is_timed else target))
            case Const():
                return done(constant(self.linkage.globals.constant(target)))
            case Param():
                return done(constant(self.linkage.globals.parameter(target)))
            case EnumValue(declaration=declaration, position=position):
                return done(constant(self.linkage.globals.enumeration(declaration).values[position]))
            case Symbol(name=text):
                return done(constant(SymbolValue(text)))
            case MechanismDecl():
                return done(constant(MechanismValue(target.name.text, id(target), target)))
            case TypeDecl() | EnumDecl() | RecordDecl():
                return collections.set_of_domain(self, node)
            case Builtin(name="empty"):
                return done(self._empty(node, expected))
            case Builtin(name="silent"):
                return done(constant(SILENT))
            case Builtin(name=text):
                return done(constant(SymbolValue(text)))
            case _:
                raise ValueError(f"`{node.text}` at {node.span} is no value: the checker lets it pass")

    def _empty(self, node: pfl_ast.Name, expected: Fragment | None) -> Fragment:
        match self.type_of(node):
            case SetType():
                return self.namespace.constant(frozenset())
            case BagType():
                return self.namespace.constant(Bag())
            case ArrayType() if expected is not None:
                place = self.namespace.object(node.span)
                return self.namespace.combine(lambda domain: call("_empty_of", domain, place), expected)
            case _:
                return self.namespace.constant(())

    def _whole_state(self, side: Local) -> Fragment:
        """`left` in a relation, where it is no record of which a field is read: the value of its type."""
        is_name = ast.Constant(isinstance(side.type, SymbolType))
        return self.namespace.combine(lambda tree: call("_whole_state", tree, is_name), self._read(side))

    def _field(self, node: pfl_ast.FieldAccess) -> Task[Fragment]:
        target = self.linkage.program.target(node.record) if isinstance(node.record, pfl_ast.Name) else None
        record: Fragment
        if isinstance(target, Local) and target.kind == "side":
            record = self._read(target)
        else:
            record = yield self.value(node.record)
        static = self.type_of(node.record)
        if isinstance(static, RecordType):
            fields = [parameter.name.text for parameter in static.declaration.fields]
            position = fields.index(node.field.text)
            return self.namespace.combine(lambda tree: component(tree, "values", position), record)
        return self.namespace.combine(
            lambda tree: ast.Call(ast.Attribute(tree, "get", ast.Load()), [ast.Constant(node.field.text)], []), record
        )
