"""Whether the numbers of a claim hold exponentials, of which parameter, and whether those may be parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from math import lcm

from pfl.analysis.polynomial.elimination import reduce_pinned
from pfl.analysis.polynomial.exceptional import vanishing
from pfl.base import codes
from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostic, InputRejected, Label
from pfl.base.exponential import ONE, Exponential, FinerUnit, bare
from pfl.base.multiples import products
from pfl.base.number import Number
from pfl.base.source import Span
from pfl.evaluation.globals.exponents import Entangled, Held, exponential_space, held, independent_space
from pfl.evaluation.linkage import GlobalValues
from pfl.model.claims import Case, mentioned_in_cases, mentioned_in_deltas_alone
from pfl.model.compare import Compare
from pfl.model.parameters import ExponentialSpace, ParameterSpace, Space, names_in
from pfl.syntax.tree.ast import Identifier
from pfl.syntax.tree.ast_module import ClaimDecl, FindDecl


def exponents_of(cases: Sequence[Case], values: GlobalValues, declaration: ClaimDecl | FindDecl) -> Space | None:
    """The parameter and its exponential that the numbers of a claim are functions of; None where they hold none. Where
    they hold several exponentials, or others besides, and all are independent, the space of these as parameters; and
    so for a find that looks for values of parameters, but for a factor of the one that exponentials are of.

    Raises InputRejected where they are functions of others besides that depend on each other, or of a parameter that
    may be 0 or less, and where an assumption narrows it; FinerUnit where excesses over e^epsilon are no functions of
    what the numbers hold.
    """
    place = declaration.span
    if isinstance(declaration, FindDecl) and (multiples := products(mentioned_in_cases(cases))):
        return _multiplied(multiples, cases, values, declaration)
    found = held(mentioned_in_cases(cases), values)
    if ONE in found.bases and len(found.bases) > 1:
        # Other powers of e than those of the parameter may stand in bounds, which engines enclose.
        found = held(mentioned_in_cases(cases) - mentioned_in_deltas_alone(cases), values)
    if not found.bases:
        return None
    if len(found.bases) > 1 or found.others:
        return _independent(held(mentioned_in_cases(cases), values), cases, values, place)
    if isinstance(declaration, FindDecl) and _free(declaration, values):
        with suppress(Entangled):
            return independent_space(held(mentioned_in_cases(cases), values), values)
    (base,) = found.bases
    if base == ONE and found.unit % (unit := _unit_of_bounds(cases)):
        raise FinerUnit(ONE, lcm(found.unit, unit))
    space = exponential_space(base, values, found.unit)
    if values.space.relevant_to(frozenset([base])).assumptions:
        raise InputRejected([_assumed(base, place)])
    if space.low < 0:
        raise InputRejected([_negative(base, space, place)])
    return space


def _multiplied(
    multiples: Sequence[Exponential], cases: Sequence[Case], values: GlobalValues, declaration: FindDecl
) -> ExponentialSpace:
    """The parameter x and its exponential where a find looks for c of `c*x` in epsilons, and c stands nowhere else.

    Raises InputRejected where it is another find than that, and where assumptions are about x.
    """
    place = declaration.span
    free = _free(declaration, values)
    pairs = dict.fromkeys(each.factors for each in multiples)
    (sought, base), *others = (pair for pair in pairs if pair is not None)
    if others or len(free) > 1:
        raise _no_multiple(sought, base, place, "only one name is looked for, as a multiple of one parameter")
    mentioned = mentioned_in_cases(cases) - {each.name for each in multiples}
    if sought in mentioned or any(each.base == sought for each in map(Exponential.of, mentioned) if each is not None):
        raise _no_multiple(sought, base, place, f"`{sought}` stands elsewhere in the claim as well")
    found = held({*mentioned, base}, values)
    if ONE in found.bases:
        found = held({*mentioned, base} - mentioned_in_deltas_alone(cases), values)
    beside = [name for name in (*found.bases, *found.others) if name != base]
    if beside:
        what = "powers of e" if ONE in beside else f"`{beside[0]}`"
        raise _no_multiple(sought, base, place, f"the claim depends on {what} as well")
    tied = [name for name in values.space.relevant_to(frozenset([sought])).names if name != sought]
    if tied:
        raise _no_multiple(sought, base, place, f"an assumption is about `{sought}` and `{tied[0]}`")
    if values.space.relevant_to(frozenset([base])).assumptions:
        raise InputRejected([_assumed(base, place)])
    space = exponential_space(base, values, found.unit)
    if space.low < 0:
        raise InputRejected([_negative(base, space, place)])
    return space


def _free(declaration: FindDecl, values: GlobalValues) -> list[Identifier]:
    """The names of a find that have no value yet, neither by `--set` nor by the equations it is compiled under."""
    under = ParameterSpace(parameters=values.space.parameters).restricted(*values.equations)
    left = {*values.space.names, *values.endless} - reduce_pinned(under, ()).definitions.keys()
    return [name for name in declaration.names if name.text in left]


def _no_multiple(sought: str, base: str, place: Span, reason: str) -> InputRejected:
    return InputRejected(
        [
            Diagnostic(
                code=codes.FIND_WITH_EXPONENTIALS,
                message=f"`{sought}` is not looked for as a multiple of `{base}`: {reason}",
                labels=(Label(place),),
                help="look for the multiple alone, and fix other parameters with `--set`; `compute epsilon` finds the "
                "smallest multiple",
            )
        ]
    )


def _independent(found: Held, cases: Sequence[Case], values: GlobalValues, place: Span) -> ParameterSpace:
    space = _together(found, values, place)
    if any(isinstance(case.question, Compare) and case.question.goal == "epsilon" for case in cases):
        raise InputRejected([_several(found, place, "the smallest multiple is found where there is one parameter")])
    return space


def _together(found: Held, values: GlobalValues, place: Span) -> ParameterSpace:
    try:
        return independent_space(found, values)
    except Entangled as reason:
        raise InputRejected([_several(found, place, str(reason))]) from None


def least_unit(space: Space, cases: Sequence[Case]) -> int:
    """What the unit of exponents has to be a multiple of, whatever the numbers of the cases hold."""
    return _unit_of_bounds(cases) if isinstance(space, ExponentialSpace) and space.base == ONE else 1


def _unit_of_bounds(cases: Sequence[Case]) -> int:
    """What the exponents of e^epsilon are multiples of where a delta is told or asked for."""
    asked = [case.question for case in cases if isinstance(case.question, Compare)]
    tables = [table for question in asked if question.goal == "delta" or question.delta for table in question.tables]
    return lcm(*(table.epsilon.constant.denominator for table in tables if table.epsilon is not None))


def require_findable(space: Space | None, cases: Sequence[Case], values: GlobalValues, declaration: FindDecl) -> None:
    """Raise InputRejected for a find whose claim is about a parameter and its exponential that are no independent
    parameters, or that is for one of which there are exponentials; not where it looks for a multiple in the epsilon,
    nor where nothing is left to be looked for."""
    names = () if space is None else space.names
    bases = {held.base for held in map(Exponential.of, names) if held is not None}
    free = _free(declaration, values)
    if isinstance(space, ExponentialSpace) and free and not products(mentioned_in_cases(cases)):
        raise _refused(space.base, declaration.span)
    for name in free:
        if name.text in bases:
            raise _refused(name.text, name.span)


def _refused(base: str, place: Span) -> InputRejected:
    """What is said of a find for the parameter of exponentials, or about numbers that depend on nothing else."""
    what = f"of `{base}`" if base != ONE else "of numbers"
    return InputRejected(
        [
            Diagnostic(
                code=codes.FIND_WITH_EXPONENTIALS,
                message=f"the claim holds exponentials {what}, and values for such a claim are not looked for",
                labels=(Label(place),),
                help="`compute epsilon` finds the smallest multiple; or try values: "
                + (f"`--set {base}=1/2`" if base != ONE else "`const` in place of `param`"),
            )
        ]
    )


def plain_divisors(divisors: Iterable[Number], values: GlobalValues, place: Span, budget: Budget) -> tuple[Number, ...]:
    """The divisors that hold no exponentials; of the others, raises as `require_no_zero` where one may be 0.

    Numbers of a claim may hold none though some are divided by on the way to them.
    """
    plain: list[Number] = []
    for divisor in dict.fromkeys(divisors):
        found = held(names_in(divisor), values)
        if not found.bases:
            plain.append(divisor)
        elif len(found.bases) > 1 or found.others:
            require_no_zero([divisor], _together(found, values, place), place, budget)
        elif found.bases != (ONE,):  # a number that holds powers of e alone is not 0
            require_no_zero([divisor], exponential_space(found.bases[0], values, found.unit), place, budget)
    return tuple(plain)


def require_no_zero(divisors: Iterable[Number], space: Space, place: Span, budget: Budget) -> None:
    """Raise InputRejected where something is divided by a number that may be 0 for some value of the parameter."""
    if isinstance(space, ParameterSpace):
        for condition in vanishing(divisors, space, budget):
            if any(Exponential.of(name) is not None for name in names_in(condition.polynomial)):
                raise InputRejected([_divided_by_zero(condition.polynomial, space, place)])
        return
    mentioned = [each for each in divisors if set(names_in(each)) & set(space.names)]
    if not mentioned:
        return
    from pfl.analysis.exponential.functions import Functions  # needed with exponentials only

    zero = Functions(space, budget).vanishing(mentioned)
    if zero is not None:
        raise InputRejected([_divided_by_zero(zero, space, place)])


def _divided_by_zero(divisor: Number, space: Space, place: Span) -> Diagnostic:
    within = space if isinstance(space, ExponentialSpace) else ", ".join(map(str, space.parameters))
    named = space.base if isinstance(space, ExponentialSpace) else "`, `".join(map(bare, names_in(divisor)))
    return Diagnostic(
        code=codes.POLE_FOR_PARAMETERS,
        message=f"for some {within}, `{divisor}` may be 0, by which something is divided",
        labels=(Label(place, "needs it to be another number for all of them"),),
        help=f"narrow the interval of `{named}`, or fix it with `--set`",
    )


def _several(found: Held, place: Span, reason: str) -> Diagnostic:
    named = " and ".join("constants" if base == ONE else f"`{base}`" for base in found.bases)
    beside = f", and depend on {' and '.join(f'`{name}`' for name in found.others)}" if found.others else ""
    others = [name for name in (*found.bases, *found.others) if name != ONE]
    given = " ".join(f"--set {name}=.." for name in others[1:] or others)
    return Diagnostic(
        code=codes.MIXED_EXPONENTS,
        message=f"the numbers of this claim hold exponentials of {named}{beside}",
        labels=(Label(place, f"with exponentials there can be one parameter only, since {reason}"),),
        help=(
            f"fix the others as well, `{given}`, but for what a find looks for; or give no value to the parameter of "
            "exponents, which then may stand beside others"
            if ONE in found.bases
            else f"fix parameters: {given}; or write what is meant as multiples of one"
        ),
    )


def _assumed(base: str, place: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.MIXED_EXPONENTS,
        message=f"an assumption is about `{base}`, of which this claim holds exponentials",
        labels=(Label(place),),
        help=f"write what is assumed into the interval: `param {base} in (0, 2];`",
    )


def require_positive(base: str, values: GlobalValues, place: Span) -> None:
    """Raise InputRejected for a parameter that may be negative, and that scales divide."""
    space = exponential_space(base, values, 1)
    if space.low < 0:
        raise InputRejected([_negative(base, space, place)])


def _negative(base: str, space: ExponentialSpace, place: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.NOISE_PARAMETER,
        message=f"`{base}` may be negative: {space}",
        labels=(Label(place, "this claim holds exponentials of it, or noise whose scale it divides"),),
        help=f"let it begin at 0: `param {base} in (0, inf);`",
    )
