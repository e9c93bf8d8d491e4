"""The clauses that all claims of indistinguishability share: lengths, epsilon, delta, and the sides of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias, TypeVar

from pfl.analysis.polynomial.points import find_point
from pfl.base.diagnostics import InputRejected
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.lower.bounds import require_delta, require_epsilon
from pfl.lower.claim_errors import (
    length_zero,
    varies_with_for,
    wrong_length,
)
from pfl.lower.request import Request, Setting, written
from pfl.model.compare import Lengths, Side
from pfl.model.labelled_system import Vector
from pfl.model.parameters import Condition
from pfl.model.values import show
from pfl.syntax.tree.ast import Name, Range
from pfl.typecheck.bindings import Builtin

Goal: TypeAlias = Literal["check", "epsilon", "delta"]
"""What is asked of a comparison: whether it holds, or the least epsilon or delta with which it does."""

Found = TypeVar("Found")


def lengths_of(request: Request, settings: Sequence[Setting]) -> Lengths | None:
    """The one answer that all bindings of `for` give. Raises InputRejected where they differ."""
    return _common(request, "length", {_lengths(request, setting) for setting in settings})


def delta_of(request: Request, settings: Sequence[Setting]) -> Number:
    """The delta that all bindings of `for` give, 0 where the claim has none. Raises InputRejected where they differ."""
    return _common(request, "delta", {_delta(request, setting) for setting in settings})


def _common(request: Request, keyword: str, found: set[Found]) -> Found:
    """A check is one claim about all bindings, so what belongs to the claim as a whole may not depend on them."""
    if len(found) > 1:
        raise InputRejected([varies_with_for(next(request.clauses(keyword)).span, keyword)])
    return next(iter(found))


def _lengths(request: Request, setting: Setting) -> Lengths | None:
    """The lengths of a claim: those of `--length`, else of the clause; None where neither gives one."""
    node = request.value("length")
    given = request.session.options.length
    if given is not None:
        if given == 0:
            request.session.found.add(length_zero((node or request.claim.system).span))
        return (given,)
    if node is None:
        return None
    if isinstance(node, Name) and request.session.program.target(node) == Builtin(name="any"):
        return "any"
    if isinstance(node, Range):
        lengths = tuple(int(value) for value in setting.compiler.elements(node)() if isinstance(value, int))
        if not lengths or lengths[0] < 0:
            raise InputRejected([wrong_length(node.span, f"`{written(node.span)}`")])
        return lengths
    length = setting.compiler.expression(node)()
    if not isinstance(length, int) or length < 0:
        raise InputRejected([wrong_length(node.span, show(length))])
    if length == 0:
        request.session.found.add(length_zero(node.span))
    return (length,)


def epsilon_of(request: Request, setting: Setting) -> Epsilon | None:
    """The epsilon of a claim, None where it has none."""
    node = request.value("epsilon")
    if node is None:
        return None
    epsilon = setting.compiler.epsilon(node)()
    require_epsilon(epsilon, node.span, request.session.values, request.session.budget)
    return epsilon


def _delta(request: Request, setting: Setting) -> Number:
    """The delta of a claim, 0 where it has none."""
    node = request.value("delta")
    if node is None:
        return Fraction(0)
    delta = setting.compiler.number(node)()
    require_delta(delta, node.span, request.session.values, request.session.budget, request.sought)
    return delta


def side(label: str, start: Vector, probability: Number, nonzero: tuple[Condition, ...] = ()) -> Side:
    """A side of a comparison: constants are divided out, so that the start sums to 1; with parameters they are not."""
    if isinstance(probability, Fraction) and all(isinstance(weight, Fraction) for weight in start):
        return Side(label=label, vector=tuple(weight / probability for weight in start), nonzero=nonzero)
    return Side(label=label, vector=start, weight=probability, nonzero=nonzero)


def not_zero(request: Request, number: Number, text: str) -> tuple[Condition, ...]:
    """The condition that a number is not 0; none where it never is, for all values of the parameters."""
    space = request.session.values.space
    zero = Condition(polynomial=number, relation="==", text="")
    if isinstance(number, Fraction) or find_point(space.restricted(zero), request.session.budget) is None:
        return ()
    return (Condition(polynomial=number, relation="!=", text=text),)
