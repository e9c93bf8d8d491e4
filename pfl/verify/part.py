"""A verdict on a part of the space of the parameters, said with where that is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from pfl.analysis.polynomial.exceptional import Fixing
from pfl.base.rational_function import RationalFunction
from pfl.verify.verdict import (
    Computed,
    Contradicted,
    Disproved,
    ParameterValue,
    Refuted,
    Unknown,
    Verdict,
    Witness,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of the space of the parameters, and the verdict on it; `fixing` is None where nothing can be put in."""

    fixing: Fixing | None
    verdict: Verdict


def where(part: Part, verdict: Unknown) -> Unknown:
    """An undecided part, with where it is."""
    if part.fixing is None:
        return verdict
    return replace(verdict, reason=f"at {part.fixing.name} = {part.fixing.value}: {verdict.reason}")


def located(part: Part) -> Verdict:
    """The verdict on a part, in which what was found there says where."""
    verdict, fixing = part.verdict, part.fixing
    if fixing is None:
        return verdict
    match verdict:
        case Refuted(witness=witness):
            return replace(verdict, witness=_located(witness, fixing))
        case Contradicted(parameters=parameters, witness=witness):
            return replace(
                verdict,
                parameters=_with(parameters, fixing),
                witness=None if witness is None else _located(witness, fixing),
            )
        case Disproved(facts=facts):
            return replace(verdict, facts=(("at", f"{fixing.name} = {fixing.value}"), *facts))
        case Computed(witness=Witness() as witness):
            return replace(verdict, witness=_located(witness, fixing))
        case _:
            return verdict


def _located(witness: Witness, fixing: Fixing) -> Witness:
    return replace(witness, parameters=_with(witness.parameters, fixing))


def _with(parameters: tuple[tuple[str, ParameterValue], ...], fixing: Fixing) -> tuple[tuple[str, ParameterValue], ...]:
    """Values of parameters with that of one more, unless it is among them."""
    known = {name: value for name, value in parameters if isinstance(value, Fraction)}
    if any(name == fixing.name for name, _ in parameters):
        return parameters
    value = fixing.value.evaluate(known) if isinstance(fixing.value, RationalFunction) else fixing.value
    return tuple(sorted((*parameters, (fixing.name, value)), key=lambda entry: entry[0]))
