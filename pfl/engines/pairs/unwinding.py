"""Proves that two runs look alike by unwinding families: with bijections as in the paper, else with couplings.

What it proves is sound; it refutes nothing, since a family may need more than the runs really give away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from pfl.analysis.ratio.obligation import Settled
from pfl.analysis.unwinding.coupling_proof import CouplingProof
from pfl.analysis.unwinding.lifting import Bijections, Couplings
from pfl.analysis.unwinding.moves import proved_by, single_moves
from pfl.analysis.unwinding.run_pairs import FamilyProof, RunPairs
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.engines.answer import Answer, Bound, Computed, Evidence, Proved, Unknown
from pfl.model.compare import Compare, Comparison
from pfl.model.two_runs import TwoRuns
from pfl.options import Options

NAME = "unwinding"


def answer(question: Compare, _options: Options, budget: Budget) -> Answer:
    """Whether the least family with bijections, or that with couplings, is within every epsilon; or how much it needs.

    For any number of inputs, so for every length. Numbers must be constants; every comparison must be of two runs.
    A spent budget makes it undecided. Source: docs/theory/unwinding.md.
    """
    try:
        found = [_Direction(comparison, is_reversed, budget) for comparison, is_reversed in _directions(question)]
        proofs = [direction.proof() for direction in found]
    except LimitReached as limit:
        return Unknown(engine=NAME, reason=limit.reason)
    shown = [proof for proof in proofs if proof is not None]
    if len(shown) < len(proofs):
        return Unknown(engine=NAME, reason="some pair of states cannot be related by any family; try --engine exact")
    worst = max(shown, key=lambda proof: proof.bound)
    bound = Bound(ratio=Fraction(1) if worst.bound == 1 else None, lower=Fraction(1), upper=worst.bound)
    if question.goal == "epsilon":
        return Computed(engine=NAME, bound=bound)
    for direction, proof in zip(found, shown):
        if not direction.allows(proof.bound):
            reason = f"the least unwinding family needs {proof.bound}; try --engine exact"
            return Unknown(engine=NAME, reason=reason, bound=bound)
    return Proved(engine=NAME, evidence=_evidence(shown, worst), bound=bound)


def _directions(question: Compare) -> Iterator[tuple[Comparison, bool]]:
    for comparison in question.comparisons:
        yield from ((comparison, is_reversed) for is_reversed in (False, True))


class _Direction:
    """One direction of a comparison."""

    def __init__(self, comparison: Comparison, is_reversed: bool, budget: Budget) -> None:
        assert comparison.table.unwindable is not None, "the plan asks only about two runs"
        self._runs: TwoRuns = comparison.table.unwindable
        self._epsilon = comparison.epsilon
        self._is_reversed = is_reversed
        self._budget = budget

    def allows(self, bound: Fraction) -> bool:
        return self._epsilon is None or self._epsilon.compare(bound) <= 0

    def proof(self) -> FamilyProof | CouplingProof | None:
        """By bijections if that is within the claim, else the better of both; None where neither relates enough."""
        first = self._by_bijections()
        if first is not None and self._epsilon is not None and self.allows(first.bound):
            return first
        second = proved_by(self._runs, Couplings(), is_reversed=self._is_reversed, budget=self._budget)
        known = [proof for proof in (first, second) if proof is not None]
        return min(known, key=lambda proof: proof.bound, default=None)

    def _by_bijections(self) -> FamilyProof | CouplingProof | None:
        moves = single_moves(self._runs.system)
        if moves is None:
            return proved_by(self._runs, Bijections(), is_reversed=self._is_reversed, budget=self._budget)
        pairs = RunPairs(self._runs, moves, is_reversed=self._is_reversed, budget=self._budget, by_bijections=True)
        outcome = pairs.largest_of_every_length(Fraction(1))
        if isinstance(outcome, Settled):
            assert isinstance(outcome.proof, FamilyProof)
            return outcome.proof
        return None


def _evidence(proofs: Sequence[FamilyProof | CouplingProof], worst: FamilyProof | CouplingProof) -> Evidence:
    certificates = tuple(proof.certificate() for proof in proofs)
    return Evidence(kind="unwinding", certificates=certificates, facts=worst.facts)
