"""Adjacencies that look at arrays element by element: what they need to remember of the elements seen so far.

`forall i in D: e`, `exists i in D: e`, `count(i for i in D if c)`, `sum(e for i in D)`, `sum(a)`, `a == b`, `a != b`,
where e and c read arrays as `a[i]` alone, are *folds*: going through the elements in any order, one value is enough to
remember.
Source: docs/theory/sequential-inputs.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from pfl.base.struct import struct
from pfl.evaluation.compiler import Compiler
from pfl.evaluation.variables import Variable
from pfl.model.domain import ArrayDomain, Domain
from pfl.model.values import Value
from pfl.syntax.tree.ast import Argument, ArrayType, Binary, Call, Comprehension, Expr, Index, Name, Node, Quantified
from pfl.syntax.tree.ast_declarations import AdjacencyDecl, FnDecl, Parameter
from pfl.syntax.tree.tree_walk import children
from pfl.typecheck.bindings import Builtin, CheckedProgram, Local

Whole: TypeAlias = tuple[Any, ...]
"""The values of the parameters of the adjacency, in order; arrays may hold one element only, others being None."""


@struct(eq=False)
class Fold:
    """`first` is remembered before any element. `step` takes what is remembered, an index, and values of all parameters
    whose arrays hold their elements at that index; it is called for `indices` alone."""

    first: Any
    indices: frozenset[int]
    step: Callable[[Any, int, Whole], Any]


def folds_of(
    program: CheckedProgram,
    compiler: Compiler,
    declaration: AdjacencyDecl,
    inputs: Sequence[Parameter],
    locals_: Sequence[Local],
    arrays: Sequence[Local],
    length: int,
) -> tuple[Fold, ...] | None:
    """The folds of an adjacency, of which some inputs are arrays of that length.

    `locals_` are those of its `inputs`, `arrays` some of these. Whether it relates them depends on the arrays through
    the folds alone. None where an array is looked at otherwise.
    """
    places = {local: position for position, local in enumerate(locals_)}
    scope = _Scope(
        arrays={local: places[local] for local in arrays},
        readers={local: _reader(place) for local, place in places.items() if local not in arrays},
    )
    search = _Search(program, compiler, length)
    try:
        for parameter, local in zip(inputs, locals_):
            if local in scope.arrays:
                search.lies_in(parameter.type, scope.arrays[local], scope)
        search.visit(declaration.body, scope)
    except _NotElementwise:
        return None
    return tuple(search.folds)


def _reader(place: int) -> Callable[[Whole], Value]:
    return lambda whole: whole[place]


@struct(eq=False)
class _Scope:
    """Inside one body: the arrays by their place among the parameters, and how other locals are read."""

    arrays: Mapping[Local, int]
    readers: Mapping[Local, Callable[[Whole], Value]]


_AtIndex: TypeAlias = Callable[[int, Whole], Any]


def _always(_index: int, _whole: Whole) -> Any:
    return True


def _one(_index: int, _whole: Whole) -> Any:
    return 1


class _NotElementwise(Exception):
    """An array is looked at in another way than element by element."""


@struct(eq=False, frozen=False, kw_only=False)
class _Search:
    """Finds the folds of expressions."""

    program: CheckedProgram
    compiler: Compiler
    length: int
    folds: list[Fold] = field(default_factory=list)

    def visit(self, node: Node, scope: _Scope) -> None:
        """Everything in an expression that is no fold must not mention an array."""
        if not any(isinstance(local, Local) and local in scope.arrays for local in self.compiler.reads(node)):
            return
        match node:
            case Quantified(quantifier=quantifier, variable=variable, domain=domain, body=body):
                self._quantified(quantifier, self.program.local(variable), domain, body, scope)
            case Call(callee=Name() as callee):
                self._call(node, self.program.target(callee), scope)
            case Binary(operator="==" | "!=", left=Name() as left, right=Name() as right):
                self._compared(self._place(left, scope), self._place(right, scope))
            case Name():
                raise _NotElementwise
            case _:
                for child in children(node):
                    self.visit(child, scope)

    def _call(self, node: Call, target: object, scope: _Scope) -> None:
        match target, node.arguments:
            case Builtin(name="count" | "sum" as name), (Argument(value=Comprehension() as generated),):
                self._accumulated(name, generated, scope)
            case Builtin(name="sum"), (Argument(value=Name() as array),):
                self._summed(self._place(array, scope))
            case Builtin(), arguments:
                for argument in arguments:
                    self.visit(argument.value, scope)
            case (AdjacencyDecl() | FnDecl()) as declaration, _:
                self.visit(declaration.body, self._inside(declaration, node, scope))
            case _:
                raise _NotElementwise

    def _inside(self, declaration: AdjacencyDecl | FnDecl, call: Call, scope: _Scope) -> _Scope:
        """The scope of a called body: arrays are passed on by name, other arguments must not mention them."""
        named = {argument.name.text: argument.value for argument in call.arguments if argument.name is not None}
        unnamed = [argument.value for argument in call.arguments if argument.name is None]
        values = unnamed + [named[parameter.name.text] for parameter in declaration.parameters[len(unnamed) :]]
        arrays: dict[Local, int] = {}
        readers: dict[Local, Callable[[Whole], Value]] = {}
        for parameter, value in zip(declaration.parameters, values):
            local = self.program.local(parameter.name)
            target = self.program.target(value) if isinstance(value, Name) else None
            if isinstance(target, Local) and target in scope.arrays:
                arrays[local] = scope.arrays[target]
                self.lies_in(parameter.type, arrays[local], _Scope(arrays=arrays, readers=readers))
            else:
                self.visit(value, scope)
                readers[local] = self._read(self.compiler.expression, value, scope)
        return _Scope(arrays=arrays, readers=readers)

    def _read(
        self, compile_: Callable[[Expr, Sequence[Variable]], Callable[..., Any]], node: Expr, scope: _Scope
    ) -> Callable[[Whole], Any]:
        read = self.compiler.reads(node)
        readers = [scope.readers[local] for local in read if isinstance(local, Local)]
        compiled = compile_(node, read)
        return lambda whole: compiled(*(reader(whole) for reader in readers))

    def lies_in(self, type_: Expr, place: int, scope: _Scope) -> None:
        """Whether the elements of an array lie in the type that a parameter is declared with.

        Its length is the same for all arrays that can be given, so that one path tells whether it is right.
        """
        domain_of = self._elements(type_, scope)
        self.folds.append(
            Fold(
                first=True,
                indices=self._all,
                step=lambda known, index, whole: known and domain_of(whole).contains(whole[place][index]),
            )
        )

    def _elements(self, type_: Expr, scope: _Scope) -> Callable[[Whole], Domain]:
        """The domain of the elements of an array type."""
        read = self.compiler.reads(type_)
        if any(isinstance(local, Local) and local in scope.arrays for local in read):
            raise _NotElementwise
        if read and isinstance(type_, ArrayType):
            return self._read(self.compiler.domain, type_.element, scope)
        domain = None if read else self.compiler.domain(type_)()
        if not isinstance(domain, ArrayDomain):
            raise _NotElementwise
        return lambda _whole: domain.element

    def _quantified(self, quantifier: str, variable: Local, domain: Expr, body: Expr, scope: _Scope) -> None:
        holds = self._at_index(self.compiler.condition, body, variable, scope)
        if quantifier == "forall":
            self._add(True, domain, lambda known, index, whole: known and holds(index, whole))
        else:
            self._add(False, domain, lambda known, index, whole: known or holds(index, whole))

    def _accumulated(self, name: str, generated: Comprehension, scope: _Scope) -> None:
        if len(generated.binders) != 1:
            raise _NotElementwise
        [binder] = generated.binders
        variable = self.program.local(binder.variable)
        taken: _AtIndex = _always
        element: _AtIndex = _one
        if binder.condition is not None:
            taken = self._at_index(self.compiler.condition, binder.condition, variable, scope)
        if name == "sum":
            element = self._at_index(self.compiler.expression, generated.element, variable, scope)
        self._add(
            0,
            binder.domain,
            lambda known, index, whole: known + element(index, whole) if taken(index, whole) else known,
        )

    def _summed(self, place: int) -> None:
        self.folds.append(
            Fold(first=0, indices=self._all, step=lambda known, index, whole: known + whole[place][index])
        )

    def _compared(self, left: int, right: int) -> None:
        self.folds.append(
            Fold(
                first=True,
                indices=self._all,
                step=lambda known, index, whole: known and whole[left][index] == whole[right][index],
            )
        )

    @property
    def _all(self) -> frozenset[int]:
        return frozenset(range(self.length))

    def _add(self, first: Any, domain: Expr, step: Callable[[Any, int, Whole], Any]) -> None:
        """Adds a fold over the indices that a domain lists, each once."""
        if self.compiler.reads(domain):
            raise _NotElementwise
        indices = [index for index in self.compiler.elements(domain)() if isinstance(index, int)]
        if len(set(indices)) != len(indices) or not set(indices) <= self._all:
            raise _NotElementwise
        self.folds.append(Fold(first=first, indices=frozenset(indices), step=step))

    def _place(self, node: Name, scope: _Scope) -> int:
        target = self.program.target(node)
        if not isinstance(target, Local) or target not in scope.arrays:
            raise _NotElementwise
        return scope.arrays[target]

    def _at_index(
        self,
        compile_: Callable[[Expr, Sequence[Variable]], Callable[..., Any]],
        node: Expr,
        variable: Local,
        scope: _Scope,
    ) -> Callable[[int, Whole], Any]:
        """An expression that reads arrays at the bound index alone, as a function of the index and all parameters."""
        self._require_index(node, variable, scope)
        read = self.compiler.reads(node)
        compiled = compile_(node, read)

        def value_of(local: Variable, index: int, whole: Whole) -> Any:
            if local is variable:
                return index
            assert isinstance(local, Local)
            return whole[scope.arrays[local]] if local in scope.arrays else scope.readers[local](whole)

        return lambda index, whole: compiled(*(value_of(local, index, whole) for local in read))

    def _require_index(self, node: Node, variable: Local, scope: _Scope) -> None:
        match node:
            case Index(array=Name() as array, index=Name() as index) if self.program.target(index) is variable:
                if isinstance(self.program.target(array), Local):
                    return
            case Name() if self.program.target(node) in scope.arrays:
                raise _NotElementwise
            case _:
                pass
        for child in children(node):
            self._require_index(child, variable, scope)
