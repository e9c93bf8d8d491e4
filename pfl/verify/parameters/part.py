"""A verdict on a part of the space of the parameters, said with where that is.

What is counted of findings that come piece by piece, so that they need not be kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from pfl.analysis.polynomial.algebraic import ParameterValue
from pfl.analysis.polynomial.exceptional import Fixing
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.engines.answer import Computed, Disproved, Unknown
from pfl.engines.witness import Witness
from pfl.model.claims import Claim
from pfl.verify.verdict import Contradicted, Findings, Refuted, Verdict, gravest, without_judged


@dataclass(frozen=True, slots=True, kw_only=True)
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
    verdict, fixing = part.verdict, part.fixing
    if fixing is None:
        return verdict
    match verdict:
        case Refuted(witness=witness):
            return replace(verdict, witness=_located(witness, part))
        case Contradicted(parameters=parameters, witness=witness):
            return replace(
                verdict,
                parameters=_with(parameters, part),
                witness=None if witness is None else _located(witness, part),
            )
        case Disproved(facts=facts):
            return replace(verdict, facts=_at(f"{fixing.name} = {fixing.value}", facts))
        case Computed(witness=Witness() as witness):
            return replace(verdict, witness=_located(witness, part))
        case _:
            return verdict


def placed(verdict: Verdict, point: Mapping[str, Number]) -> Verdict:
    """A refutation, or what attains a number, with values of parameters where it is so beside those that it names."""
    match verdict:
        case Refuted(witness=witness) | Computed(witness=Witness() as witness) if point:
            return replace(verdict, witness=replace(witness, parameters=_completed(witness.parameters, point)))
        case Contradicted(parameters=parameters, witness=witness) if point:
            return replace(
                verdict,
                parameters=_completed(parameters, point),
                witness=witness and replace(witness, parameters=_completed(witness.parameters, point)),
            )
        case Disproved(facts=facts) if point:
            at = ", ".join(f"{name} = {value}" for name, value in sorted(point.items()))
            return replace(verdict, facts=_at(at, facts))
        case _:
            return verdict


def _at(place: str, facts: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Facts, with where they hold before what they say themselves of that."""
    if facts and facts[0][0] == "at":
        return (("at", f"{place}, {facts[0][1]}"), *facts[1:])
    return (("at", place), *facts)


def _completed(
    parameters: tuple[tuple[str, ParameterValue], ...], point: Mapping[str, Number]
) -> tuple[tuple[str, ParameterValue], ...]:
    return tuple(sorted({**point, **dict(parameters)}.items()))


def _located(witness: Witness, part: Part) -> Witness:
    return replace(witness, parameters=_with(witness.parameters, part))


def _with(parameters: tuple[tuple[str, ParameterValue], ...], part: Part) -> tuple[tuple[str, ParameterValue], ...]:
    """Values of parameters with that of the one that is fixed, and of those that fix it."""
    fixing = part.fixing
    assert fixing is not None
    found = dict(parameters)
    if isinstance(fixing.value, RationalFunction):
        found = {**{name: part.point[name] for name in fixing.value.parameters if name in part.point}, **found}
    known = {name: value for name, value in found.items() if isinstance(value, Fraction)}
    value = fixing.value.evaluate(known) if isinstance(fixing.value, RationalFunction) else fixing.value
    return tuple(sorted({fixing.name: value, **found}.items()))


@dataclass(slots=True, kw_only=True)
class Tally:
    """Numbers of claims, and those that are left to be judged; `surprises` were decided, but not as expected.

    `interruption` is the number of the signal that ended the run, 0 for none.
    """

    results: int = 0
    surprises: int = 0
    undecided: int = 0
    unjudged: tuple[Claim, ...] = ()
    interruption: int = 0
    _codes: set[int] = field(default_factory=set)

    @staticmethod
    def of(findings: Findings) -> Tally:
        """The tally of findings that are whole."""
        tally = Tally(interruption=findings.interruption)
        tally.add(findings)
        return tally

    def add(self, part: Findings) -> None:
        """Count a piece of `check_stream`."""
        undecided = sum(isinstance(result.verdict, Unknown) for result in part.results)
        self.results += len(part.results)
        self.undecided += undecided
        self.surprises += sum(not result.as_expected for result in part.results) - undecided
        self.unjudged = without_judged((*self.unjudged, *part.unjudged), part.results)
        self._codes.add(part.exit_code)

    @property
    def count(self) -> int:
        """The claims that are judged or were to be."""
        return self.results + len(self.unjudged)

    @property
    def exit_code(self) -> int:
        """That of all findings together."""
        return 128 + self.interruption if self.interruption else gravest(self._codes)
