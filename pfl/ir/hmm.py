"""A hidden Markov model ((S, p), Omega, o): the state emits, then moves."""

from __future__ import annotations

from dataclasses import dataclass

from pfl.ir.labelled_system import Matrix, Vector


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Hmm:
    """States S with `transition` p (|S| x |S|), `emission` o (|S| x |letters|) and `silent`, o(s, nothing) (|S|).

    Rows of `transition` sum to 1; a row of `emission` and the entry of `silent` sum to 1. A model that observes
    nothing at all has no letters and is silent with probability 1: a Markov chain. `start` is the distribution that
    the model itself gives, None where only a prior or a claim says where it starts.
    """

    states: tuple[str, ...]
    letters: tuple[str, ...]
    start: Vector | None
    transition: Matrix
    emission: Matrix
    silent: Vector

    @property
    def size(self) -> int:
        return len(self.states)
