"""What is assigned, drawn, emitted, returned and responded: values and distributions."""

from __future__ import annotations

from pfl.frontend.ast import Call, Expr
from pfl.frontend.ast_statements import Stepwise
from pfl.frontend.ast_systems import MechanismDecl
from pfl.frontend.bindings import Local
from pfl.frontend.resolve.scope import Scope
from pfl.frontend.typecheck import errors, statement_errors
from pfl.frontend.typecheck.bodies import WHERE, Body
from pfl.frontend.typecheck.checker import Checker, Want
from pfl.frontend.typecheck.fitting import ERROR, assignable, has_distribution, has_unknown_element
from pfl.frontend.types import DistributionType, ErrorType, MechanismType, NeverType, Type


def assigned(
    checker: Checker,
    value: Expr | Stepwise,
    scope: Scope,
    body: Body,
    place: str,
    wanted: Type | None,
    *,
    drawn: bool,
    want: Want | None = None,
) -> Type:
    """The type that a place has, or gets where `wanted` is None, after `place = value` or `place ~ value`."""
    hint = DistributionType(wanted) if drawn and wanted is not None else wanted
    want = (want or Want(emits=body.kind == "mechanism")).of(hint)
    actual = checked_value(checker, value, scope, body, want)
    if not isinstance(actual, ErrorType):
        if drawn and not isinstance(actual, DistributionType):
            checker.found.add(errors.drawn_from_value(value, place, actual))
            actual = ERROR
        elif isinstance(actual, DistributionType) and not drawn:
            message = f"`{place}` is given a distribution, not a value"
            checker.found.add(errors.distribution_not_drawn(value, message, place))
            actual = ERROR
    element = actual.element if isinstance(actual, DistributionType) else actual
    if drawn and isinstance(element, NeverType) and isinstance(value, Call):
        checker.found.add(statement_errors.returns_nothing(value, value.callee.span.text))
        element = ERROR
    if wanted is None:
        return element
    if not assignable(element, wanted):
        checker.found.add(errors.type_mismatch(value, f"`{place}`", wanted, element))
    return wanted


def produced(
    checker: Checker, value: Expr | Stepwise, scope: Scope, body: Body, declared: Type | None, what: str
) -> Type:
    """The type of what `emit`, `respond` or `return` shows: a value, or one that is drawn from a distribution."""
    want = Want(type=declared, symbols="allowed" if declared is None else "declared")
    actual = checked_value(checker, value, scope, body, want)
    element = actual.element if isinstance(actual, DistributionType) else actual
    if declared is not None and not assignable(element, declared):
        checker.found.add(errors.type_mismatch(value, what, declared, element))
        return declared
    if declared is None and has_distribution(element):
        checker.found.add(errors.holds_distribution(value, what, element))
        return ERROR
    if declared is None and has_unknown_element(element):
        checker.found.add(errors.unknown_type_of_empty(value, "declare the type of the outputs"))
        return ERROR
    return element


def checked_value(checker: Checker, value: Expr | Stepwise, scope: Scope, body: Body, want: Want) -> Type:
    """The type of the value of a statement, which may be `stepwise f(x)`."""
    if not isinstance(value, Stepwise):
        return checker.expression(value, scope, want)
    if not body.is_handler:
        checker.found.add(statement_errors.misplaced_stepwise(value, f"`stepwise` has no meaning {WHERE[body.kind]}"))
    type_ = checker.expression(value.call, scope)
    checker.types[id(value)] = type_
    if not isinstance(type_, ErrorType) and not calls_mechanism(checker, value.call):
        checker.found.add(statement_errors.misplaced_stepwise(value, "`stepwise` runs something that is no mechanism"))
    return type_


def calls_mechanism(checker: Checker, call: Call) -> bool:
    """Whether a call that was checked is one of a mechanism."""
    target = checker.target(call.callee)
    if isinstance(target, MechanismDecl):
        return True
    is_value = target is None or isinstance(target, Local)
    return is_value and isinstance(checker.types.get(id(call.callee)), MechanismType)
