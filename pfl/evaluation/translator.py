"""The scope in which expressions are translated to fragments of Python, and what every kind of them asks of it.

It knows no kind of expression: those are in `expressions`, which hands its `translate` to the translators it makes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from pfl.base.source import Span
from pfl.base.struct import struct
from pfl.evaluation import faults
from pfl.evaluation.fragment import Fragment, Namespace, Task, call, name, run
from pfl.evaluation.linkage import Linkage
from pfl.evaluation.variables import Variable
from pfl.syntax.tree.ast import Expr, Identifier
from pfl.typecheck.bindings import Local
from pfl.typecheck.types import ArrayType, BagType, RealType, RecordType, SetType, TupleType, Type, UnionType


@struct(eq=False)
class Translator:
    """Translates expressions in one scope, each by `translate`, which knows the kinds of expression.

    `scope` says what each local reads as: a Python variable, or a constant where its value is known; with `recorded`,
    locals that it lacks get a Python variable when they are first met, and are put down there. `moment` is the number
    of moves after which an operand of `@` is looked at. Loops over the variables in `written_out` are written out, and
    `copies` is how many copies of what is translated there are then.
    """

    linkage: Linkage
    scope: Mapping[Variable, Fragment]
    translate: Translate
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
        return Translator(linkage=self.linkage, scope={}, translate=self.translate)

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
        return self.translate(self, node, expected)

    def combined(self, build: Callable[..., ast.expr], *nodes: Expr) -> Task[Fragment]:
        """A fragment made of the trees of several values."""
        parts: list[Fragment] = yield self.values(nodes)
        return self.namespace.combine(build, *parts)

    def may_hold_parameters(self, static: Type) -> bool:
        """Whether a value of a static type can contain a number that depends on a parameter, or a power of e."""
        if not self.linkage.globals.has_parameters:
            return False
        match static:
            case RealType() | RecordType():
                return True
            case ArrayType(element=element) | SetType(element=element) | BagType(element=element):
                return self.may_hold_parameters(element)
            case TupleType(elements=parts) | UnionType(members=parts):
                return any(self.may_hold_parameters(part) for part in parts)
            case _:
                return False

    def settled(self, static: Type, span: Span, tree: ast.expr) -> ast.expr:
        """Elements of a static type that are to be told apart: a fault where their values would decide how many there
        are."""
        return call("_settled", tree, self.namespace.object(span)) if self.may_hold_parameters(static) else tree


Translate: TypeAlias = "Callable[[Translator, Expr, Fragment | None], Task[Fragment]]"
"""What an expression is in a scope: a fragment that yields a value or a Python bool. See `Translator.value`."""
