"""What the verdicts on parts of a space of parameters come to, beside that on all the rest of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from pfl.analysis.polynomial.exceptional import Fixing
from pfl.base.rational_function import RationalFunction
from pfl.engines.answer import Apart, Bound, Computed, Disproved, Evidence, NamedValue, Proved, Quantity, Unknown
from pfl.verify.parameters.part import Part, located, where
from pfl.verify.parameters.suprema import higher_bound
from pfl.verify.verdict import Contradicted, Refuted, Verdict


def together(generic: Verdict | None, parts: Iterable[Part]) -> Verdict:
    """The verdict on the whole: proved if every part is, refuted if one is, else undecided if one is.

    `generic` is the verdict on what lies in no part, None where that is empty. Of a compute, the results of the parts
    are kept where they are not what the generic formulas give.
    """
    undecided = generic if isinstance(generic, Unknown) else None
    apart: list[Apart] = []
    for part in parts:
        match part.verdict:
            case Refuted() | Contradicted() | Disproved():
                return located(part)
            case Unknown() as verdict if verdict.is_internal:
                return where(part, verdict)
            case Unknown() as verdict:
                undecided = undecided or _but(generic, where(part, verdict))
            case Proved() | Computed() as verdict:
                assert part.fixing is not None, "only what can be put in is judged"
                differs = isinstance(generic, Proved | Computed) and _differ(generic, verdict, part.fixing)
                apart.append(Apart(name=part.fixing.name, value=part.fixing.value, verdict=verdict, differs=differs))
            case _:
                raise AssertionError("a part of a check or a compute is no find")
    if undecided is not None:
        return undecided
    if generic is None:
        return _of_parts(apart)
    assert isinstance(generic, Proved | Computed), "whoever is refuted is not asked further"
    if isinstance(generic, Computed):
        return replace(generic, apart=tuple(each for each in apart if each.differs), exceptional=())
    return replace(
        generic,
        checked=generic.checked and all(isinstance(e.verdict, Proved) and e.verdict.checked for e in apart),
        bound=_highest([generic.bound, *(each.verdict.bound for each in apart)]),
        apart=tuple(apart),
        exceptional=(),
    )


def _but(generic: Verdict | None, verdict: Unknown) -> Unknown:
    """An undecided part, with what is known of all the rest."""
    match generic:
        case Proved():
            return replace(verdict, reason=f"it holds everywhere else, but {verdict.reason}")
        case Computed(value=value) if value is not None:
            return replace(verdict, reason=f"it is {value} everywhere else, but {verdict.reason}")
        case _:
            return verdict


def _of_parts(apart: Sequence[Apart]) -> Verdict:
    """The verdict where the parts are all there is."""
    first = apart[0].verdict
    if isinstance(first, Proved):
        proofs = [each.verdict for each in apart if isinstance(each.verdict, Proved)]
        if len(apart) == 1:
            return replace(first, apart=(replace(apart[0], verdict=first),))
        return replace(
            first,
            evidence=Evidence(kind=first.evidence.kind, detail="each value of the parameters by itself"),
            checked=all(proof.checked for proof in proofs),
            bound=_highest([proof.bound for proof in proofs]),
            value=None,
            values=_named(apart),
            apart=tuple(apart),
        )
    return first if len(apart) == 1 else Computed(engine=first.engine, values=_named(apart))


def _named(apart: Sequence[Apart]) -> tuple[NamedValue, ...]:
    """The results of the parts, each with the value of the parameter among its arguments."""
    found: list[NamedValue] = []
    for each in apart:
        own = list(each.verdict.values)
        if each.verdict.value is not None and not own:
            own = [NamedValue(name="value", value=each.verdict.value)]
        found += [replace(named, arguments=((each.name, str(each.value)), *named.arguments)) for named in own]
    return tuple(found)


def _highest(bounds: Sequence[Bound | None]) -> Bound | None:
    """The largest of what is known of the ratios; None unless something is known everywhere."""
    highest: Bound | None = None
    for bound in bounds:
        if bound is None:
            return None
        highest = bound if highest is None else higher_bound(highest, bound)
    return highest


# --- formulas ----------------------------------------------------------------


def _differ(generic: Proved | Computed, there: Proved | Computed, fixing: Fixing) -> bool:
    """Whether the numbers on a part are not those that the generic formulas give there, at each of its points."""
    if isinstance(there, Computed) and there.apart:
        return True  # somewhere on the part they are others again
    return _numbers(generic, fixing) != _numbers(there, fixing)


def _numbers(verdict: Proved | Computed, fixing: Fixing) -> dict[tuple[object, ...], object]:
    """The numbers of a verdict on a part, by name and arguments, those that are 0 left out."""
    found: dict[tuple[object, ...], object] = {}
    if verdict.value is not None:
        found["value",] = _on(verdict.value, fixing)
    for named in verdict.values:
        found[named.name, named.arguments] = _on(named.value, fixing)
    return {key: number for key, number in found.items() if number != 0 or key == ("value",)}


_POLE = object()
"""What no number equals."""


def _on(quantity: Quantity, fixing: Fixing) -> object:
    """A number on a part, as a formula with all its poles; `_POLE` where it has poles everywhere."""
    if not isinstance(quantity, RationalFunction):
        return quantity
    values = {fixing.name: fixing.value}
    below = quantity.denominator.to_number()
    if isinstance(below, RationalFunction):
        below = below.evaluate(values)
    if below == 0:
        return _POLE
    number = quantity.evaluate(values)
    own = number.denominator if isinstance(number, RationalFunction) else None
    cancelled = below / own.to_number() if own is not None else below
    # Where what is cancelled is 0, the formula that is shown for all values says nothing.
    return number if isinstance(cancelled, Fraction) else (number, cancelled)
