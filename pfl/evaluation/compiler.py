"""The compiler of expressions: what the package offers (see its docstring).

Functions, distributions, adjacencies and mechanisms as Python functions of their arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, assert_never

from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.source import Span
from pfl.base.struct import struct
from pfl.evaluation import calls, domains
from pfl.evaluation.choices import certain
from pfl.evaluation.code import ScopedCode, type_at
from pfl.evaluation.epsilons import epsilon
from pfl.evaluation.expressions import translator
from pfl.evaluation.fragment import Fragment, Namespace, Task, call, name, run
from pfl.evaluation.linkage import Called, GlobalValues, Linkage, MechanismDistribution, remembering
from pfl.evaluation.moments import run_through_moments
from pfl.evaluation.runtime.limited_operations import Limited, namespace_of
from pfl.evaluation.translator import Translator
from pfl.evaluation.variables import Variable, reads
from pfl.model.distribution import DistributionValue
from pfl.model.domain import Domain
from pfl.model.values import Value
from pfl.syntax.tree.ast import Expr, Node, Pattern
from pfl.syntax.tree.ast_declarations import AdjacencyDecl, DistDecl, FnDecl, MechanismDecl, Parameter
from pfl.syntax.tree.vocabulary import NOISE
from pfl.typecheck.bindings import CheckedProgram, Local
from pfl.typecheck.fitting import fits
from pfl.typecheck.types import Type


def compile_function(linkage: Linkage, declaration: Called) -> Callable[..., Any]:
    """The function of the arguments that a declaration is; distributions remember their results."""
    match declaration:
        case FnDecl() | AdjacencyDecl() | DistDecl():
            t, names = _inside(linkage, declaration)
            body = run(_body(t, declaration)).tree
            statements = [_telling_of_the_call(linkage, declaration, names, body)]
            if linkage.namespace.leads_on(body):
                place = linkage.namespace.object(declaration.name.span)
                statements.insert(0, ast.Expr(call("_counted_call", place)))
            compiled = _defined(linkage, names, statements)
            if not isinstance(declaration, DistDecl):
                return compiled
            return remembering(compiled, may_hold_samples=linkage.namespace.keeps_places)
        case MechanismDecl():
            return remembering(_mechanism(linkage, declaration), may_hold_samples=False)
        case _:
            assert_never(declaration)


def _defined(linkage: Linkage, parameters: list[str], body: list[ast.stmt]) -> Callable[..., Any]:
    compiled: Callable[..., Any] = linkage.namespace.globals.pop(linkage.namespace.define("f", parameters, body))
    return compiled


def _telling_of_the_call(linkage: Linkage, declaration: Called, names: list[str], body: ast.expr) -> ast.stmt:
    """`return body`, where a fault gets a note with the arguments of the call."""
    text = linkage.namespace.object(declaration.name.text)
    fault = call("_in_call", name("_fault"), text, ast.Tuple([name(parameter) for parameter in names], ast.Load()))
    handler = ast.ExceptHandler(name("_EvaluationFault"), "_fault", [ast.Raise(fault, ast.Constant(None))])
    return ast.Try([ast.Return(body)], [handler], [], [])


def _mechanism(linkage: Linkage, declaration: MechanismDecl) -> Callable[..., DistributionValue]:
    def distribution(*arguments: Value) -> DistributionValue:
        if linkage.mechanism_distribution is None:
            raise ValueError(f"`{declaration.name.text}` is called where no mechanism can be explored")
        return linkage.mechanism_distribution(declaration, arguments)

    return distribution


def _inside(linkage: Linkage, declaration: Called) -> tuple[Translator, list[str]]:
    """The scope of a body, and the Python names of the parameters."""
    names = [f"_a{position}" for position in range(len(declaration.parameters))]
    scope: dict[Variable, Fragment] = {
        linkage.program.local(parameter.name): Fragment(name(text), names=(text,))
        for parameter, text in zip(declaration.parameters, names)
    }
    return translator(linkage, scope), names


def _body(t: Translator, declaration: FnDecl | AdjacencyDecl | DistDecl) -> Task[Fragment]:
    match declaration:
        case FnDecl(result=result, body=body) if result is not None:
            return _result(t, declaration, result, body)
        case DistDecl(over=over, body=body) if over is not None:
            return _distribution_over(t, declaration, over, body)
        case DistDecl(body=body):
            return certain(t, body)
        case _:
            return t.value(declaration.body)


def _result(t: Translator, declaration: FnDecl, result: Expr, body: Expr) -> Task[Fragment]:
    expected: Fragment = yield domains.domain(t, result)
    value: Fragment = yield t.value(body, expected)
    if domains.needs_check(t, result) or not fits(t.type_of(body), t.type_of(result)):
        value = yield calls.checked(t, value, result, f"the result of `{declaration.name.text}`", body.span)
    return value


def _distribution_over(t: Translator, declaration: DistDecl, over: Expr, body: Expr) -> Task[Fragment]:
    domain: Fragment = yield domains.domain(t, over)
    distribution: Fragment = yield certain(t, body, domain)
    place = t.namespace.object(body.span)
    written = t.namespace.object(declaration.name.text)
    return t.namespace.combine(
        lambda tree, within: call("_over", tree, within, written, place), distribution, domain, fold=False
    )


def compile_check(linkage: Linkage, declaration: Called) -> Callable[..., Any]:
    """The function of arguments and their places that gives the arguments, each checked against its type."""
    t, names = _inside(linkage, declaration)
    body: list[ast.stmt] = []
    for position, (parameter, text) in enumerate(zip(declaration.parameters, names)):
        domain: Fragment = run(domains.domain(t, parameter.type))
        what = f"parameter `{parameter.name.text}` of `{declaration.name.text}`"
        place = ast.Subscript(name("_places"), ast.Constant(position), ast.Load())
        body.append(ast.Expr(call("_member", name(text), domain.tree, linkage.namespace.object(what), place)))
    body.append(ast.Return(ast.Tuple([name(text) for text in names], ast.Load())))
    return _defined(linkage, [*names, "_places"], body)


@struct(eq=False, kw_only=False)
class Compiler:
    """Compiles the expressions of one program; some locals may be bound to values."""

    _linkage: Linkage
    _bound: Mapping[Variable, Fragment]

    @staticmethod
    def of(
        program: CheckedProgram,
        globals: GlobalValues,
        *,
        mechanism_distribution: MechanismDistribution | None = None,
        budget: Budget | None = None,
    ) -> Compiler:
        """A compiler without bound locals.

        `mechanism_distribution` is asked for the result of a mechanism that is called in an expression; domains of
        more than `budget.max_states` values are not gone through, and evaluation ends with LimitReached when the
        budget is spent.
        """
        budget = budget or Budget()
        namespace = Namespace(
            namespace_of(Limited(budget, globals.side_conditions, globals.units)), globals.side_conditions
        )
        if program.calls_any(NOISE):
            namespace.keep_places()  # samples are told apart by Python's own operators
        linkage = Linkage(
            program=program,
            globals=globals,
            namespace=namespace,
            limit=budget.max_states,
            mechanism_distribution=mechanism_distribution,
            compile_function=compile_function,
            compile_check=compile_check,
        )
        return Compiler(linkage, {})

    @property
    def namespace(self) -> dict[str, Any]:
        """The globals of all code that this compiler makes; all names begin with an underscore."""
        return self._linkage.namespace.globals

    def bind(self, values: Mapping[Local, Value]) -> Compiler:
        """The same compiler with more locals bound to values; it shares functions and namespace."""
        constants: dict[Variable, Fragment] = {
            local: self._linkage.namespace.constant(value) for local, value in values.items()
        }
        return Compiler(self._linkage, {**self._bound, **constants})

    def joined(self, other: Compiler) -> Compiler:
        """The same compiler with the locals, too, that another one of the same program has bound."""
        return Compiler(self._linkage, {**other._bound, **self._bound})

    def reads(self, node: Node) -> tuple[Local, ...]:
        """The locals that an expression without `@`, a pattern or a statement reads, in order of first mention.

        Locals that are bound, by it or by this compiler, are left out.
        """
        return tuple(local for local in reads(self._linkage.program, node) if local not in self._bound)

    def code(self, names: Mapping[Variable, str | Fragment]) -> ScopedCode:
        """Code over Python identifiers for variables, or over fragments that read them in another way.

        Identifiers must not begin with an underscore.
        """
        return ScopedCode(self.translator(names))

    def type_at(self, place: Expr, declared: Expr) -> Expr | None:
        """The written type of a place `a[i].f`, given that of its variable; None where it is not written out."""
        return type_at(self.translator(), place, declared)

    def expression(self, node: Expr, variables: Sequence[Variable] = ()) -> Callable[..., Value]:
        """The value of an expression."""
        return self._function(variables, lambda code: code.value(node))

    def typed(
        self, node: Expr, type_: Expr, variables: Sequence[Variable] = (), what: str | None = None
    ) -> Callable[..., Value]:
        """The value of an expression at a place of a written type: `empty` by its type, then checked to lie in it.

        `what` names the value in the fault of one that does not; by default, as it is written.
        """
        return self._function(variables, lambda code: code.fragment(node, type_, what).tree)

    def condition(self, node: Expr, variables: Sequence[Variable] = ()) -> Callable[..., bool]:
        """Whether a bool expression holds, as a Python bool."""
        return self._function(variables, lambda code: code.test(node))

    def secret(self, node: Expr) -> tuple[tuple[Variable, ...], Callable[..., bool]]:
        """Which variables a secret reads at which moments, and whether it holds for their values, given in that order.

        Raises EvaluationFault where it depends on the run which moments are read.
        """
        recorded: dict[Variable, Fragment] = {}
        written_out = run_through_moments(self._linkage.program, node)
        t = replace(self.translator(), recorded=recorded, written_out=written_out)
        test = ScopedCode(t).test(node)
        identifiers = [identifier for fragment in recorded.values() for identifier in fragment.names]
        return tuple(recorded), self._linkage.namespace.function(test, identifiers)

    def number(self, node: Expr, variables: Sequence[Variable] = ()) -> Callable[..., Number]:
        """The value of an int or real expression, never a Python int."""
        return self._function(variables, lambda code: code.number(node))

    def distribution(self, node: Expr, variables: Sequence[Variable] = ()) -> Callable[..., DistributionValue]:
        """The distribution of a distribution expression; of any other, all weight on its value."""
        return self._function(variables, lambda code: code.distribution(node))

    def domain(self, node: Expr, variables: Sequence[Variable] = ()) -> Callable[..., Domain]:
        """The domain of a written type, or of a set-valued expression."""
        return self._function(variables, lambda code: code.domain(node))

    def elements(self, node: Expr, variables: Sequence[Variable] = ()) -> Callable[..., Sequence[Value]]:
        """What `for x in node` goes through, in order."""
        return self._function(variables, lambda code: ast.Call(name("_tuple"), [code.elements(node)], []))

    def member(
        self, type_: Expr, what: str, variables: Sequence[Variable] = (), place: Span | None = None
    ) -> Callable[..., Value]:
        """Called with a value and the variables: the value, or a fault if it lies outside a written type.

        The fault is at `place`, by default where the type is written.
        """
        return self._function(
            variables, lambda code: code.member(name("value"), type_, what, place or type_.span), first=("value",)
        )

    def update(self, place: Expr, variables: Sequence[Variable] = ()) -> Callable[..., Value]:
        """Called with a new value of `a[i].f` and the variables: the new value of `a`."""
        return self._function(variables, lambda code: code.update(place, name("value")), first=("value",))

    def fits(
        self, patterns: Sequence[Pattern], static: Type, variables: Sequence[Variable] = ()
    ) -> Callable[..., bool]:
        """Called with a value of a static type and the variables: whether it fits one of the patterns."""
        return self._function(variables, lambda code: code.fits(patterns, name("value"), static), first=("value",))

    def arguments(
        self, parameters: Sequence[Parameter], values: Sequence[Expr], what: str, variables: Sequence[Variable] = ()
    ) -> Callable[..., tuple[Value, ...]]:
        """The values that the parameters of `what` get, each checked against its type."""
        return self._function(variables, lambda code: code.arguments(parameters, values, what))

    def epsilon(self, node: Expr, variables: Sequence[Variable] = ()) -> Callable[..., Epsilon]:
        """The value of an epsilon: the only kind of expression in which `ln` has a meaning."""

        def evaluate(*values: Value) -> Epsilon:
            scope = {variable: self._linkage.namespace.constant(value) for variable, value in zip(variables, values)}
            return epsilon(translator(self._linkage, {**self._bound, **scope}), node)

        return evaluate

    def note_weights(self, distribution: DistributionValue, place: Span) -> None:
        """Record what must hold of the parameters for no weight of a distribution to be negative."""
        self._linkage.globals.side_conditions.add_weights(distribution, place)

    def translator(self, names: Mapping[Variable, str | Fragment] = MappingProxyType({})) -> Translator:
        """The scope of this compiler, with Python identifiers or fragments for variables."""
        read = {
            variable: Fragment(name(text), names=(text,)) if isinstance(text, str) else text
            for variable, text in names.items()
        }
        return translator(self._linkage, {**self._bound, **read})

    def _function(
        self, variables: Sequence[Variable], make: Callable[[ScopedCode], ast.expr], first: tuple[str, ...] = ()
    ) -> Callable[..., Any]:
        identifiers = [f"v{position}" for position in range(len(variables))]
        code = self.code(dict(zip(variables, identifiers)))
        return self._linkage.namespace.function(make(code), (*first, *identifiers))
