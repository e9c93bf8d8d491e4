"""Whether every obligation of a check holds at its epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal, assert_never

from pfl.analysis.ratio.obligation import Exceeded, Proof, Settled, Unsettled, Witness
from pfl.analysis.unwinding.coupling_proof import CouplingProof
from pfl.analysis.unwinding.run_pairs import FamilyProof
from pfl.base.diagnostics import LimitReached
from pfl.engines.answer import Answer, Bound, Evidence, Fails, Proved, Ratio, Unknown, Violation, is_larger
from pfl.engines.obligation import Bindings
from pfl.engines.ratio.obligations import Task
from pfl.model.compare import Lengths

NAME = "exact"
_SHORT = 6
"""Letters of the words that are looked at for every length, once some obligation fails, for one that fails by more."""
_CHEAP = 200
"""Prefixes that may be kept to learn the exact largest ratio, which a check does not need but its report shows."""


class Check:
    """Goes through obligations; knows the largest ratio so far, whether that is the largest of all, and what fails."""

    def __init__(self, tasks: Sequence[Task], lengths: Lengths) -> None:
        self._tasks = tasks
        self._length = None if lengths == "any" else max(lengths)
        self._largest: Ratio = Fraction(0)
        self._best: Violation | None = None
        self._is_exact = True
        self._failing: tuple[Ratio, Violation] | None = None
        self._open = ""

    def answer(self) -> Answer:
        """`Fails` with the largest failing ratio found, `Proved` with a proof an obligation, or `Unknown`."""
        proofs: dict[tuple[object, ...], Proof | None] = {}
        try:
            for task in self._tasks:
                if _kind(task) not in proofs:
                    proofs[_kind(task)] = self._proof(task)
                if self._largest == "inf":
                    break
        except LimitReached:
            self._is_exact = False
            if self._failing is None:
                raise
        if self._failing is not None:
            return Fails(engine=NAME, violation=self._failing[1], bound=self.known())
        shown = [proof for task in self._tasks if (proof := proofs[_kind(task)]) is not None]
        if len(shown) < len(self._tasks):
            return Unknown(engine=NAME, reason=self._open, bound=self.known())
        bound = self.known()
        if bound is not None and bound.ratio is None:
            bound = replace(bound, upper=max(task.bound() for task in self._tasks))
        return Proved(engine=NAME, evidence=_evidence(shown, [task.bindings for task in self._tasks]), bound=bound)

    def known(self) -> Bound | None:
        """What is known of the largest ratio; None where nothing is, or comparisons have epsilons of their own."""
        if self._best is None or len({task.epsilon for task in self._tasks}) > 1:
            return None
        exact = self._largest if self._is_exact or self._largest == "inf" else None
        return Bound(ratio=exact, lower=self._largest, upper=exact, best=self._best)

    def _proof(self, task: Task) -> Proof | None:
        """Why the obligation holds; None where it fails or stays open."""
        outcome = self._outcome(task)
        match outcome:
            case Settled(best=best, proof=proof):
                return None if best is not None and self._take(task, best) else proof
            case Exceeded(witness=witness):
                self._take(task, witness)
                return None
            case Unsettled(best=best, reason=reason):
                if best is not None:
                    self._take(task, best)
                self._open = f"{reason}; give a `length`, or another epsilon"
                return None
            case None:
                return None
            case _:
                assert_never(outcome)

    def _outcome(self, task: Task) -> Settled | Exceeded | Unsettled | None:
        """What the search says; None where something fails already and this obligation is not settled cheaply."""
        bound = task.bound()
        if self._length is None and self._failing is not None:
            self._is_exact = False
            short = task.problem.largest(_SHORT, Fraction(0), most_kept=_CHEAP)
            if not isinstance(short, Exceeded) and short.best is not None:
                self._take(task, short.best)
            return short if isinstance(short, Exceeded) else None
        if self._length is None:
            outcome = task.problem.check_every_length(bound, task.is_too_large)
            self._is_exact = self._is_exact and isinstance(outcome, Settled) and outcome.proof.is_exhaustive
            return outcome
        floor = min(self._largest, bound) if isinstance(self._largest, Fraction) else bound
        cheap = task.problem.largest(self._length, floor, most_kept=_CHEAP)
        if not isinstance(cheap, Unsettled):
            return cheap
        self._is_exact = False
        if (cheap.best is not None and self._take(task, cheap.best)) or self._failing is not None:
            return None
        return task.problem.check(self._length, max(bound, cheap.bound), task.is_too_large)

    def _take(self, task: Task, witness: Witness) -> bool:
        """Take note of a word; whether the obligation fails on it."""
        ratio: Ratio = "inf" if witness.ratio is None else witness.ratio
        violation = task.violation(witness.word)
        if self._best is None or is_larger(ratio, self._largest):
            self._largest, self._best = ratio, violation
        if isinstance(ratio, Fraction) and not task.is_too_large(ratio):
            return False
        if self._failing is None or is_larger(ratio, self._failing[0]):
            self._failing = (ratio, violation)
        return True


def _kind(task: Task) -> tuple[object, ...]:
    return (*task.key, task.epsilon)


def _evidence(proofs: Sequence[Proof], bindings: Sequence[Bindings]) -> Evidence:
    """The certificates, and of families what is said of the one with the largest bound."""
    certificates = {id(proof): proof.certificate() for proof in proofs}
    families = {place: proof for place, proof in enumerate(proofs) if isinstance(proof, FamilyProof | CouplingProof)}
    facts: tuple[tuple[str, str], ...] = ()
    if families:
        worst = max(families, key=lambda place: families[place].bound)
        values = ", ".join(f"{name} = {value}" for name, value in bindings[worst])
        facts = ((("largest for", values),) if values else ()) + families[worst].facts
    kind: Literal["exhaustive", "certificate", "unwinding"] = "certificate"
    if len(families) == len(proofs):
        kind = "unwinding"
    elif all(proof.is_exhaustive for proof in proofs):
        kind = "exhaustive"
    return Evidence(
        kind=kind,
        certificates=tuple(certificates[id(proof)] for proof in proofs),
        facts=facts,
    )
