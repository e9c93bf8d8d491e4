"""Pufferfish claims on hidden Markov models: the chain conditioned on each secret, and what it shows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from pfl.base.number import Number
from pfl.lower.comparing import Goal, delta_of, lengths_of
from pfl.lower.hmm.hmm import HmmModel
from pfl.lower.hmm.hmm_systems import hmm_of
from pfl.lower.pufferfish import Conditioned, Joint, PufferfishClaim, Weights
from pfl.lower.request import Request, Setting
from pfl.lower.secrets import Secrets
from pfl.model.compare import Compare, joined
from pfl.model.labelled_system import Hmm, LabelledSystem, Vector
from pfl.passes.condition import condition
from pfl.passes.observe import observe


def hmm_pufferfish(request: Request, goal: Goal) -> Compare:
    """The comparisons of `check pufferfish`, `compute epsilon` and `compute delta` on an hmm.

    Secrets of probability 0 are skipped with a warning. Raises InputRejected and LimitReached.
    """
    settings = list(request.settings())
    lengths = lengths_of(request, settings)
    assert lengths is not None, "the checker asks for a length"
    claim = _HmmPufferfish(request, None if lengths == "any" else max(lengths))
    pairs = claim.pairs(settings)
    return Compare(
        goal=goal,
        tables=joined(claim.tables(pairs)),
        lengths=lengths,
        delta=None if goal == "delta" else delta_of(request, settings),
        parameters=request.session.values.space,
        unit="observation",
        skipped=tuple(claim.skipped),
    )


class _HmmPufferfish(PufferfishClaim[HmmModel, Hmm, Vector]):
    """Starts are vectors over the states of an hmm, which has states of its own for each prior with its secrets."""

    def __init__(self, request: Request, observations: int | None) -> None:
        super().__init__(request)
        self._observations = observations

    def model(self, setting: Setting) -> HmmModel:
        return hmm_of(self.request, setting)

    def started(self, model: HmmModel, starts: Sequence[Weights]) -> tuple[Hmm, Sequence[Vector]]:
        request = self.request
        every = (state for start in starts for state in start)
        reached = model.reach(every, request.session.budget, self._observations).noting(request.divisors)
        return reached.hmm, [reached.vector(start) for start in starts]

    def conditioned(
        self, model: HmmModel, joints: Iterable[tuple[str, Joint]], secrets: Secrets
    ) -> Iterator[Conditioned[Hmm, Vector]]:
        budget, priors = self.request.session.budget, list(joints)
        every = (state for _, joint in priors for _, state in joint)
        asked = self._observations and max([self._observations, *(moment + 1 for moment in secrets.moments)])
        reached = model.reach(every, budget, asked).noting(self.request.divisors)

        def recorded(moment: int, state: int) -> Hashable:
            return secrets.recorded(moment, reached.states[state])

        for prior, joint in priors:
            start: dict[tuple[Hashable, int], Number] = {
                (world, reached.index[state]): weight for (world, state), weight in joint.items()
            }
            hmm, starts = condition(reached.hmm, start, secrets.moments, recorded, secrets.predicates, budget)
            yield Conditioned(prior=prior, system=hmm, starts=[(each.start, each.probability) for each in starts])

    def labelled(self, system: Hmm, starts: Sequence[Vector]) -> tuple[LabelledSystem, Sequence[Vector]]:
        observed = observe(system, starts, self.request.session.budget).noting(self.request.divisors)
        return observed.system, observed.starts
