"""Trees of Python code for parts of a program, over identifiers that the caller chooses for its variables."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from pfl.base.source import Span
from pfl.base.struct import struct
from pfl.evaluation import calls, choices, domains
from pfl.evaluation.fragment import Fragment, Task, call, name, run
from pfl.evaluation.linkage import remembering
from pfl.evaluation.translator import Translator
from pfl.model.distribution import DistributionValue
from pfl.syntax.tree.ast import ArrayType, Expr, FieldAccess, Index, Name, Pattern
from pfl.syntax.tree.ast_declarations import Parameter, RecordDecl, TypeDecl
from pfl.typecheck.types import DistributionType, Type


@struct(eq=False, kw_only=False)
class ScopedCode:
    """Makes code in one scope; it runs in `Compiler.namespace`, whose names all begin with an underscore.

    What is passed as `tree` is evaluated once where it is used, and may read any variable of the scope.
    """

    _translator: Translator

    def value(self, node: Expr, type_: Expr | None = None) -> ast.expr:
        """A value; with the written type of its place, `empty` finds its size, and a value outside it is a fault."""
        return self.fragment(node, type_).tree

    def fragment(self, node: Expr, type_: Expr | None = None, what: str | None = None) -> Fragment:
        """The fragment of a value. `what` names it where it lies outside its type (default: its text)."""
        if type_ is None:
            return run(self._translator.value(node))
        return run(self._typed(node, type_, what or f"`{' '.join(node.span.text.split())}`"))

    def _typed(self, node: Expr, type_: Expr, what: str) -> Task[Fragment]:
        expected: Fragment = yield domains.domain(self._translator, type_)
        value: Fragment = yield self._translator.value(node, expected)
        checked: Fragment = yield calls.checked(self._translator, value, type_, what, node.span)
        return checked

    def test(self, node: Expr) -> ast.expr:
        """A Python bool, of a bool expression."""
        return run(self._translator.test(node)).tree

    def number(self, node: Expr) -> ast.expr:
        """A `Number`, of an int or real expression; never a Python int."""
        return call("_number", run(self._translator.value(node)).tree)

    def distribution(self, node: Expr) -> ast.expr:
        """The distribution of a distribution expression, or all weight on the value of any other.

        It is remembered for the values of the variables that the expression reads.
        """
        fragment = run(self._translator.value(node))
        if not isinstance(self._translator.type_of(node), DistributionType):
            return call("_point", fragment.tree)
        namespace = self._translator.namespace
        defined = namespace.define("d", fragment.names, [ast.Return(fragment.tree)])
        compute = namespace.globals[defined]
        conditions = self._translator.linkage.globals.side_conditions

        def computed(*values: Any) -> DistributionValue:
            distribution: DistributionValue = compute(*values)
            conditions.add_weights(distribution, node.span)
            return distribution

        namespace.globals[defined] = remembering(computed, may_hold_samples=namespace.keeps_places)
        return call(defined, *map(name, fragment.names))

    def domain(self, node: Expr) -> ast.expr:
        """The `Domain` of a written type, or of a set-valued expression."""
        return run(domains.domain(self._translator, node)).tree

    def elements(self, node: Expr) -> ast.expr:
        """An iterable over a type, a set, a bag or an array, in order."""
        return self._translator.namespace.placed(run(domains.elements(self._translator, node)), node.span).tree

    def member(self, tree: ast.expr, type_: Expr, what: str, span: Span) -> ast.expr:
        """The value itself, or a fault at `span` if it lies outside a written type; `what` names it there."""
        return run(calls.checked(self._translator, Fragment(tree), type_, what, span)).tree

    def update(self, place: Expr, tree: ast.expr) -> ast.expr:
        """The value of the variable at the root of `a[i].f` after that place has got a new value."""
        return run(self._updated(place, Fragment(tree))).tree

    def _updated(self, place: Expr, value: Fragment) -> Task[Fragment]:
        t = self._translator
        while True:
            match place:
                case Index(array=array, index=index):
                    whole: Fragment = yield t.value(array)
                    position: Fragment = yield t.value(index)
                    value, place = calls.replaced_element(t, whole, position, value, index.span), array
                case FieldAccess(record=record, field=field):
                    held: Fragment = yield t.value(record)
                    value, place = calls.replaced_field(t, held, field.text, value), record
                case _:
                    return value

    def fits(self, patterns: Sequence[Pattern], tree: ast.expr, static: Type) -> ast.expr:
        """A Python bool: whether a value of a static type fits one of some patterns. `tree` may be evaluated often."""
        return run(choices.fits_any(self._translator, patterns, Fragment(tree), static)).tree

    def arguments(self, parameters: Sequence[Parameter], values: Sequence[Expr], what: str) -> ast.expr:
        """The tuple of the values that parameters get, each checked; a type may mention earlier parameters."""
        return run(self._arguments(parameters, values, what)).tree

    def _arguments(self, parameters: Sequence[Parameter], values: Sequence[Expr], what: str) -> Task[Fragment]:
        t = self._translator
        callee = t.outside()
        checked = []
        for parameter, value in zip(parameters, values):
            expected: Fragment = yield domains.domain(callee, parameter.type)
            given: Fragment = yield t.value(value, expected)
            named = f"parameter `{parameter.name.text}` of `{what}`"
            fragment: Fragment = yield calls.checked(callee, given, parameter.type, named, value.span)
            callee = callee.with_local(t.linkage.program.local(parameter.name), given)
            checked.append(fragment)
        return t.namespace.combine(lambda *trees: ast.Tuple(list(trees), ast.Load()), *checked)


def root_of(place: Expr) -> Name:
    """The variable in `a[i].f`."""
    while not isinstance(place, Name):
        if isinstance(place, Index):
            place = place.array
        elif isinstance(place, FieldAccess):
            place = place.record
        else:
            raise ValueError(f"nothing can be assigned to `{place.span.text}`")
    return place


def type_at(t: Translator, place: Expr, declared: Expr) -> Expr | None:
    """The written type of `a[i].f`, given that of `a`; None where it is not written out."""
    if isinstance(place, Name):
        return declared
    if isinstance(place, Index):
        whole = _resolved(t, type_at(t, place.array, declared))
        return whole.element if isinstance(whole, ArrayType) else None
    if isinstance(place, FieldAccess):
        whole = _resolved(t, type_at(t, place.record, declared))
        if isinstance(whole, Name) and isinstance(record := t.linkage.program.target(whole), RecordDecl):
            return next(field.type for field in record.fields if field.name.text == place.field.text)
    return None


def _resolved(t: Translator, type_: Expr | None) -> Expr | None:
    while isinstance(type_, Name) and isinstance(target := t.linkage.program.target(type_), TypeDecl):
        type_ = target.type
    return type_
