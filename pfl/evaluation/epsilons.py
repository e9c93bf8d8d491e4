"""Epsilons: a rational number plus rational multiples of logarithms, the only expressions that hold `ln`."""

from __future__ import annotations

from fractions import Fraction

from pfl.base.epsilon import Epsilon
from pfl.base.exponential import Exponential
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.evaluation import choices, faults
from pfl.evaluation.fragment import Fragment, Task, run
from pfl.evaluation.runtime.noise_operations import exponential
from pfl.evaluation.translator import Translator
from pfl.model.parameters import Condition
from pfl.syntax.tree.ast import Call, Conditional, Expr, Match, Name, Operation, Unary
from pfl.syntax.tree.tree_walk import descendants
from pfl.typecheck.bindings import Builtin


def epsilon(t: Translator, node: Expr) -> Epsilon:
    """The value of an epsilon whose locals are all known. Raises EvaluationFault where it is not of the form."""
    return run(_epsilon(t, node))


def _epsilon(t: Translator, node: Expr) -> Task[Epsilon]:
    if not _mentions_logarithm(t, node):
        return _rational(t, node)
    match node:
        case Operation(operators=("+" | "-", *_)):
            return _sum(t, node)
        case Operation():
            return _product(t, node)
        case Unary(operator="-", operand=operand):
            return _opposite(t, operand)
        case Call(callee=Name() as callee, arguments=(argument,)) if _is_logarithm(t, callee):
            return _logarithm(t, argument.value)
        case Conditional():
            return _conditional(t, node)
        case Match():
            return _match(t, node)
        case _:
            raise faults.not_an_epsilon(node.span, "a logarithm can only be added, negated, and multiplied by a number")


def _is_logarithm(t: Translator, callee: Name) -> bool:
    return t.linkage.program.target(callee) == Builtin(name="ln")


def _mentions_logarithm(t: Translator, node: Expr) -> bool:
    callees = (part.callee for part in descendants(node) if isinstance(part, Call))
    return any(isinstance(callee, Name) and _is_logarithm(t, callee) for callee in callees)


def _number(t: Translator, node: Expr) -> Number:
    """The value of a part without logarithms."""
    value = _known(t, run(t.value(node)))
    assert isinstance(value, int | Fraction | RationalFunction)
    return Fraction(value) if isinstance(value, int) else value


def _known(t: Translator, fragment: Fragment) -> object:
    return fragment.constant if fragment.is_known else t.namespace.evaluate(fragment)


def _coefficient(t: Translator, node: Expr) -> Fraction:
    value = _number(t, node)
    if isinstance(value, RationalFunction):
        raise faults.not_an_epsilon(node.span, f"{value} depends on a parameter outside a logarithm")
    return value


def _rational(t: Translator, node: Expr) -> Task[Epsilon]:
    """A rational number, or one plus multiples of parameters, each of which is the logarithm of an exponential.

    In place of a parameter may stand its product with a name that a `find` looks for.
    """
    value = _number(t, node)
    if isinstance(value, Fraction):
        return Epsilon.rational(value)
    outside = faults.not_an_epsilon(node.span, f"{value} is no sum of rational multiples of parameters and a number")
    if not value.is_polynomial or any(Exponential.of(name) is not None for name in value.parameters):
        raise outside
    origin = dict.fromkeys(value.parameters, Fraction(0))
    constant = value.evaluate(origin)
    assert isinstance(constant, Fraction)
    total, rest = Epsilon.rational(constant), value - constant
    for name in value.parameters:
        multiple = value.evaluate({**origin, name: Fraction(1)}) - constant
        assert isinstance(multiple, Fraction)
        total = total + Epsilon.ln(exponential(t.linkage.globals.units, name, multiple))
        rest = rest - multiple * RationalFunction.parameter(name)
    if isinstance(rest, RationalFunction):
        known = t.linkage.globals
        for monomial, coefficient in rest.numerator.terms:
            if [power for _, power in monomial] != [1, 1]:
                raise outside
            names = [name for name, _ in monomial]
            sought = [name for name in names if name in known.sought]
            if len(sought) != 1:
                raise faults.multiple_of_parameter(
                    node.span, value, *sorted(names, key=lambda name: name in known.endless)
                )
            (parameter,) = (name for name in names if name not in sought)
            base = Exponential.of_product(sought[0], parameter).base
            divisor = rest.denominator.to_number()
            assert isinstance(divisor, Fraction), "a polynomial is divided by numbers"
            total = total + Epsilon.ln(exponential(known.units, base, coefficient / divisor))
    return total
    yield


def _sum(t: Translator, node: Operation) -> Task[Epsilon]:
    total: Epsilon = yield _epsilon(t, node.operands[0])
    for operator, operand in zip(node.operators, node.operands[1:]):
        term: Epsilon = yield _epsilon(t, operand)
        total = total + term if operator == "+" else total - term
    return total


def _product(t: Translator, node: Operation) -> Task[Epsilon]:
    factor = Fraction(1)
    logarithm: Epsilon | None = None
    for operator, operand in zip(("*", *node.operators), node.operands):
        if operator not in ("*", "/"):
            raise faults.not_an_epsilon(node.span, f"`{operator}` cannot be applied to a logarithm")
        if not _mentions_logarithm(t, operand):
            number = _coefficient(t, operand)
            if operator == "/" and not number:
                raise faults.not_an_epsilon(operand.span, "divides by 0")
            factor = factor * number if operator == "*" else factor / number
        elif operator == "*" and logarithm is None:
            logarithm = yield _epsilon(t, operand)
        else:
            reason = "divides by a logarithm" if operator == "/" else "multiplies two logarithms"
            raise faults.not_an_epsilon(operand.span, reason)
    assert logarithm is not None
    return logarithm * factor


def _opposite(t: Translator, operand: Expr) -> Task[Epsilon]:
    value: Epsilon = yield _epsilon(t, operand)
    return -value


def _logarithm(t: Translator, argument: Expr) -> Task[Epsilon]:
    if _mentions_logarithm(t, argument):
        raise faults.not_an_epsilon(argument.span, "takes the logarithm of a logarithm")
    value = _number(t, argument)
    if isinstance(value, RationalFunction):
        product = value.numerator.to_number() * value.denominator.to_number()
        condition = Condition(polynomial=-product, relation="<", text=f"the argument {value} of `ln` is positive")
        t.linkage.globals.side_conditions.add(condition, argument.span)
    elif value <= 0:
        raise faults.logarithm_of_nonpositive(argument.span, value)
    return Epsilon.ln(value)
    yield


def _conditional(t: Translator, node: Conditional) -> Task[Epsilon]:
    current: Expr = node
    while isinstance(current, Conditional):
        current = current.then if _known(t, run(t.test(current.condition))) else current.otherwise
    chosen: Epsilon = yield _epsilon(t, current)
    return chosen


def _match(t: Translator, node: Match) -> Task[Epsilon]:
    value = _known(t, run(t.value(node.subject)))
    subject = t.namespace.constant(value)
    for arm in node.arms:
        if _known(t, run(choices.fits_any(t, arm.patterns, subject, t.type_of(node.subject)))):
            chosen: Epsilon = yield _epsilon(t, arm.value)
            return chosen
    raise faults.no_arm_matches(node.subject.span, subject.constant)
