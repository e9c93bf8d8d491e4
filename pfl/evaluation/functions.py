"""Functions, distributions, adjacencies and mechanisms as Python functions of their arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache
from typing import Any, assert_never

from pfl.evaluation import calls, domains
from pfl.evaluation.choices import certain
from pfl.evaluation.expressions import translator
from pfl.evaluation.fragment import Fragment, Task, call, name, run
from pfl.evaluation.linkage import REMEMBERED, Called, Linkage
from pfl.evaluation.translator import Translator
from pfl.evaluation.variables import Variable
from pfl.model.distribution import DistributionValue
from pfl.model.values import Value
from pfl.syntax.tree.ast import Expr
from pfl.syntax.tree.ast_declarations import AdjacencyDecl, DistDecl, FnDecl, MechanismDecl
from pfl.typecheck.fitting import fits


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
            return lru_cache(REMEMBERED)(compiled) if isinstance(declaration, DistDecl) else compiled
        case MechanismDecl():
            return lru_cache(REMEMBERED)(_mechanism(linkage, declaration))
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
