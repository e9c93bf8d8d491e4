"""Likelihood of observations and posteriors of hidden states: the forward-backward algorithm, exact.

Source and proof: docs/theory/likelihood.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeVar

from pfl.base.budget import Budget
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number
from pfl.ir.labelled_system import LabelledSystem, Vector

Word = Sequence[int | None]
Step = TypeVar("Step")


def likelihood(system: LabelledSystem, start: Vector, word: Word, budget: Budget | None = None) -> Number:
    """start M_w1 ... M_wk 1, where a missing letter (None) stands for the sum of all M_a.

    `start` has |S| entries; the result is a probability if `start` is a distribution. Raises LimitReached when the time
    of the budget is over, as all that follows here.
    """
    return sum(forward(system, start, word, budget)[-1], Fraction(0))


def forward(system: LabelledSystem, start: Vector, word: Word, budget: Budget | None = None) -> tuple[Vector, ...]:
    """alpha_0 .. alpha_k, each |S|: alpha_0 = start, alpha_t = alpha_{t-1} M_wt.

    alpha_t(s) is the probability of the first t letters together with state s after them.
    """
    vectors = [start]
    for letter in _in_time(word, budget):
        vectors.append(_add(system.step(vectors[-1], a) for a in _letters(system, letter)))
    return tuple(vectors)


def backward(system: LabelledSystem, word: Word, budget: Budget | None = None) -> tuple[Vector, ...]:
    """beta_0 .. beta_k, each |S|: beta_k = 1, beta_{t-1} = M_wt beta_t.

    beta_t(s) is the probability of the letters after the first t, from state s.
    """
    vectors: list[Vector] = [(Fraction(1),) * system.size]
    for letter in _in_time(word[::-1], budget):
        vectors.append(_add(_apply(system, a, vectors[-1]) for a in _letters(system, letter)))
    return tuple(reversed(vectors))


def posterior(
    system: LabelledSystem, start: Vector, word: Word, budget: Budget | None = None
) -> Divided[tuple[Vector, ...] | None]:
    """Pr(state before letter t is s | the whole word), for t = 1..k: k vectors of |S|.

    None if the word has probability 0, which is the only divisor. gamma_t(s) = alpha_{t-1}(s) beta_{t-1}(s) / Pr(word).
    """
    alphas, betas = forward(system, start, word, budget), backward(system, word, budget)
    total = sum(alphas[-1], Fraction(0))
    if total == 0:
        return Divided(None)
    divisors = Divisors()
    divisors.note((total,))
    vectors = tuple(
        tuple(alpha * beta / total for alpha, beta in zip(alphas[moment], betas[moment]))
        for moment in _in_time(range(len(word)), budget)
    )
    return divisors.of(vectors)


def _in_time(steps: Sequence[Step], budget: Budget | None) -> Iterator[Step]:
    for done, step in enumerate(steps):
        if budget is not None:
            budget.check(f"{done} of {len(steps)} observations")
        yield step


def _letters(system: LabelledSystem, letter: int | None) -> Sequence[int]:
    return range(len(system.letters)) if letter is None else (letter,)


def _apply(system: LabelledSystem, letter: int, vector: Vector) -> Vector:
    """M_letter vector; |S| to |S|."""
    return tuple(sum((entry * vector[column] for column, entry in row), Fraction(0)) for row in system.matrices[letter])


def _add(vectors: Iterable[Vector]) -> Vector:
    return tuple(sum(entries, Fraction(0)) for entries in zip(*vectors))
