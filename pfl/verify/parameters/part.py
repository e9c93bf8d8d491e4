"""A verdict on a part of the space of the parameters, said with where that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from typing import TypeAlias

from pfl.analysis.polynomial.algebraic import ParameterValue
from pfl.analysis.polynomial.exceptional import Fixing
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.engines.answer import Computed, Disproved, Unknown
from pfl.engines.witness import Witness
from pfl.verify.verdict import Contradicted, Refuted, Verdict

Parameters: TypeAlias = tuple[tuple[str, ParameterValue], ...]
"""Values of parameters, by name."""


@struct
class Part:
    """A part of the space of the parameters, and the verdict on it; `fixing` is None where nothing can be put in.

    A refutation holds at `point`, as far as it does not say itself what the parameters are.
    """

    fixing: Fixing | None
    verdict: Verdict
    point: Mapping[str, Number] = field(default_factory=dict)


def where(part: Part, verdict: Unknown) -> Unknown:
    """An undecided part, with where it is."""
    if part.fixing is None:
        return verdict
    return replace(verdict, reason=f"at {part.fixing.name} = {part.fixing.value}: {verdict.reason}")


def located(part: Part) -> Verdict:
    """The verdict on a part, in which what was found there says where."""
    if part.fixing is None:
        return part.verdict
    place = f"{part.fixing.name} = {part.fixing.value}"
    return _told(part.verdict, place, lambda parameters: _with(parameters, part))


def placed(verdict: Verdict, point: Mapping[str, Number]) -> Verdict:
    """A refutation, or what attains a number, with values of parameters where it is so beside those that it names."""
    if not point:
        return verdict
    place = ", ".join(f"{name} = {value}" for name, value in sorted(point.items()))
    return _told(verdict, place, lambda parameters: tuple(sorted({**point, **dict(parameters)}.items())))


def named_in(verdict: Verdict) -> Parameters:
    """The values of parameters at which a refutation holds, or a number is attained, as far as it names them."""
    match verdict:
        case Contradicted(parameters=parameters):
            return parameters
        case Refuted(witness=witness) | Computed(witness=Witness() as witness):
            return witness.parameters
        case _:
            return ()


def _told(verdict: Verdict, place: str, complete: Callable[[Parameters], Parameters]) -> Verdict:
    """The same with where it is: more values of parameters, or a fact that says so before those of the verdict."""
    match verdict:
        case Contradicted(parameters=parameters, witness=None):
            return replace(verdict, parameters=complete(parameters))
        case Contradicted(parameters=parameters, witness=Witness() as witness):
            witness = replace(witness, parameters=complete(witness.parameters))
            return replace(verdict, parameters=complete(parameters), witness=witness)
        case Refuted(witness=witness) | Computed(witness=Witness() as witness):
            return replace(verdict, witness=replace(witness, parameters=complete(witness.parameters)))
        case Disproved(facts=(("at", known), *others)):
            return replace(verdict, facts=(("at", f"{place}, {known}"), *others))
        case Disproved(facts=facts):
            return replace(verdict, facts=(("at", place), *facts))
        case _:
            return verdict


def _with(parameters: Parameters, part: Part) -> Parameters:
    """Values of parameters with that of the one that is fixed, and of those that fix it."""
    fixing = part.fixing
    assert fixing is not None
    found = dict(parameters)
    if isinstance(fixing.value, RationalFunction):
        found = {**{name: part.point[name] for name in fixing.value.parameters if name in part.point}, **found}
    known = {name: value for name, value in found.items() if isinstance(value, Fraction)}
    value = fixing.value.evaluate(known) if isinstance(fixing.value, RationalFunction) else fixing.value
    return tuple(sorted({fixing.name: value, **found}.items()))
