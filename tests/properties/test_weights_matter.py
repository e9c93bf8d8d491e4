"""Whichever weight of a claim is changed, it shows: validation refuses it, the verdict is another one, or a proof of
the one claim is none of the other. What does not show says the same of every word, or comes to the same number.

Nothing is let pass by its name: the reasons are computed, from the words or the equations of the changed claim. This
is a part of what was tried: all weights, with several changes of each kind.

The ends of the intervals of parameters are no weights: moved, the verdict must be the one that the definition gives at
the new ends. Assumptions, and what a side assumes not to be 0, are conditions without numbers of their own, and stay.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import islice
from random import Random
from typing import Any

import pytest
from changed_weights import KINDS, Kind, Weight, changes, weights_of, with_owner
from claims_of_all_kinds import MODELS, claims
from plain_meaning import (
    agrees,
    comes_to,
    plain_answer,
    says_the_same,
    tables_with_final_weights,
    with_constants,
    with_likelier_state,
    with_other_ends,
)

from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.struct import struct
from pfl.model.claims import Claim
from pfl.model.parameters import Condition, names_in
from pfl.model.validation.validation import Malformed, Validation
from pfl.options import Options
from pfl.verify.certificates.evidence import faults_of_cases
from pfl.verify.parameters.everywhere import verdict_everywhere
from pfl.verify.parameters.everywhere_find import found_everywhere
from pfl.verify.verdict import Proved, Unknown, Verdict

SECONDS = 20.0
OPTIONS = Options()
MOVED_ENDS = 1
"""How many ways to move an end are tried on each claim."""
UNSHOWN = ("evidence", "engine", "checked")
"""What a verdict says of how it was come to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A claim with its verdict, and what it comes to by definition."""

    claim: Claim
    verdict: Verdict
    plain: Any

    @property
    def certificates(self) -> tuple[Any, ...]:
        return self.verdict.evidence.certificates if isinstance(self.verdict, Proved) else ()


def judge(claim: Claim) -> Verdict:
    """The verdict on what the claim itself holds: values that are found are put in, and nothing is compiled anew."""

    def anew(_name: str, equation: Condition, _seconds: float | None) -> Claim:
        (parameter,) = names_in(equation.polynomial)
        value = -equation.polynomial.evaluate({parameter: Fraction(0)})  # of `parameter - value`
        return replace(with_constants(claim, {parameter: value}), anew=None)

    everywhere = found_everywhere if claim.verb == "find" else verdict_everywhere
    try:
        return everywhere(replace(claim, anew=anew), OPTIONS, Budget(deadline=time.monotonic() + SECONDS))
    except LimitReached as limit:
        return Unknown(engine="none", reason=limit.reason)


@cache
def judged(name: str) -> Judged:
    """The claim with its verdict."""
    claim = claims()[name]
    verdict = judge(claim)
    return Judged(claim=claim, verdict=verdict, plain=plain_answer(claim, verdict))


def said(verdict: Any) -> Any:
    """What a verdict says, with its witness and all its numbers, but for how it was come to."""
    if is_dataclass(verdict):
        shown = (field.name for field in fields(verdict) if field.name not in UNSHOWN)
        return (type(verdict), *((name, said(getattr(verdict, name))) for name in shown))
    if isinstance(verdict, dict):
        return {key: said(value) for key, value in verdict.items()}
    return tuple(map(said, verdict)) if isinstance(verdict, tuple | list) else verdict


def outcome(original: Judged, weight: Weight, owner: Any) -> str:
    """How a changed weight shows, or why it need not."""
    try:
        claim = with_owner(original.claim, weight.owner, owner)
        Validation().require(claim)
    except (Malformed, ValueError):
        return "refused"
    verdict = judge(claim)
    assert not (isinstance(verdict, Unknown) and verdict.is_internal), f"{weight}: {verdict.reason}"
    if said(verdict) != said(original.verdict):
        return "another verdict"
    changed = Judged(claim=claim, verdict=verdict, plain=plain_answer(claim, verdict))
    if not _proves(original, claim) or not _proves(changed, original.claim):
        return "another proof"
    if says_the_same(original.claim, claim):
        return "nothing is said of it"
    if comes_to(claim, changed.plain) == comes_to(claim, original.plain):
        return "nothing depends on it"
    return "unnoticed"


def _proves(proof: Judged, claim: Claim) -> bool:
    return not proof.certificates or not faults_of_cases(claim.cases, proof.certificates, Budget())


def outcomes(original: Judged, weight: Weight, kind: Kind, most: int | None, source: Random) -> Iterator[str]:
    """How the changes of a weight show; where two weights are changed, the changes that are refused are passed over."""
    shown = (outcome(original, weight, owner) for owner in changes(weight, kind, source))
    if kind == "balanced":
        shown = (how for how in shown if how != "refused")
    return islice(shown, most)


def sampled(original: Judged, source: Random) -> list[Weight]:
    """A weight of every field of every kind of object that the claim is made of."""
    of_fields: dict[Any, list[Weight]] = {}
    for weight in weights_of(original.claim):
        of_fields.setdefault((type(weight.owner), weight.path[0]), []).append(weight)
    return [source.choice(group) for group in of_fields.values()]


def is_idle(found: Collection[str]) -> bool:
    """Whether a weight is read by nobody, not even by validation."""
    return set(found) <= {"nothing is said of it"}


def test_the_claims_come_to_what_they_say_by_definition() -> None:
    for name in claims():
        assert agrees(judged(name).claim, judged(name).verdict, judged(name).plain), name


def test_the_ends_of_intervals_matter() -> None:
    seen: Counter[bool] = Counter()
    for name, claim in claims().items():
        for changed in Random(name).sample(list(with_other_ends(claim)), MOVED_ENDS if claim.parameters.names else 0):
            verdict = judge(changed)
            assert agrees(changed, verdict, plain_answer(changed, verdict)), f"{name}: {changed.parameters}"
            seen[said(verdict) == said(judged(name).verdict)] += 1
    assert seen[False] > sum(seen.values()) // 5


@pytest.mark.parametrize("model", MODELS)
def test_every_weight_matters(model: str) -> None:
    seen: Counter[str] = Counter()
    for name in claims():
        if name.startswith(f"{model}."):
            source = Random(name)
            for weight in sampled(judged(name), source):
                found = [
                    how
                    for kind in ("other", source.choice(KINDS[1:]))
                    for how in outcomes(judged(name), weight, kind, 1, source)
                ]
                assert "unnoticed" not in found, f"{name}: {weight}"
                assert not is_idle(found), f"{name}: {weight}"
                seen.update(found)
    assert seen["another verdict"] > sum(seen.values()) // 10


def test_final_weights_matter() -> None:
    """A final weight that is changed alone is refused, so it is changed with the rows that come to it."""
    seen: Counter[str] = Counter()
    for name, claim in claims().items():
        for table in tables_with_final_weights(claim):
            final = table.system.final
            entered = {column for matrix in table.system.matrices for row in matrix for column, _ in row}
            for state in sorted({*range(table.system.size)} - entered):
                weight = Weight(owner=table, path=("compared", "final", state), value=final[state])
                found = outcome(judged(name), weight, with_likelier_state(table, state, Fraction(1, 2)))
                assert found not in ("refused", "unnoticed"), f"{name}: {weight}"
                seen[found] += 1
    assert seen["another verdict"] > sum(seen.values()) // 2


@struct
class Burdened(Claim):
    """A claim with a number that nobody reads."""

    burden: Fraction


def test_a_number_that_nobody_reads_is_found() -> None:
    original = judged("hmms.start_proved")
    held = {field.name: getattr(original.claim, field.name) for field in fields(Claim)}
    burdened = replace(original, claim=Burdened(**held, burden=Fraction(1, 2)))
    weights = {weight.path: weight for weight in weights_of(burdened.claim)}
    found = list(outcomes(burdened, weights["burden",], "other", None, Random(1)))
    assert len(found) > 1
    assert is_idle(found)


def test_a_system_that_is_not_read_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of a claim are read from its systems, so an engine that does not read them stands out."""
    original = judged("hmms.start_proved")
    monkeypatch.setattr("test_weights_matter.judge", lambda _claim: original.verdict)
    monkeypatch.setattr("test_weights_matter.Judged.certificates", ())
    systems = [weight for weight in weights_of(original.claim) if hasattr(weight.owner, "matrices")]
    found = Counter(how for each in systems for how in outcomes(original, each, "balanced", 2, Random(1)))
    assert found["unnoticed"] > len(systems) // 2
