"""Likelihood of observations and posteriors of hidden states: the forward-backward algorithm, exact.

Source and proof: docs/theory/likelihood.md.

Posteriors of an hmm whose states can be silent: the state at each moment, and the state that showed each letter.

Source and proof: docs/theory/likelihood.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeVar

from pfl.base.budget import Budget
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number
from pfl.model.labelled_system import Hmm, LabelledSystem, Vector

Word = Sequence[int | None]
Step = TypeVar("Step")


def likelihood(system: LabelledSystem, start: Vector, word: Word, budget: Budget | None = None) -> Number:
    """start M_w1 ... M_wk 1, where a missing letter (None) stands for the sum of all M_a.

    `start` has |S| entries; the result is a probability if `start` is a distribution. Raises LimitReached when the time
    of the budget is over, as all that follows here. The system has no final weights.
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


def at_moments(
    hmm: Hmm,
    start: Vector,
    system: LabelledSystem,
    before: Sequence[int | None],
    word: Word,
    budget: Budget | None = None,
) -> Divided[tuple[Vector, ...] | None]:
    """Pr(state after t moves is s | the first letters are the word), t = 0 .. k-1: k vectors of |S| of the hmm.

    `start` has |S| entries. State s of the hmm, before it shows anything, is state before[s] of `system`, whose letters
    are those of the hmm, then perhaps one for silence without end. A missing letter is None. None if the word has
    probability 0. Raises LimitReached when the time is over.
    """
    # shown[i][s]: Pr(i letters are shown before moment t, as the word has them, and the state at t is s)
    shown: list[dict[int, Number]] = [{state: weight for state, weight in enumerate(start) if weight}]
    ahead = backward(system, word, budget)
    found: list[Vector] = []
    divisors = Divisors()
    for moment in range(len(word)):
        if budget is not None:
            budget.check(f"{moment} of {len(word)} moments")
        joint: list[Number] = [Fraction(0)] * hmm.size
        for count, vector in enumerate(shown):
            for state, weight in vector.items():
                place = before[state]
                assert place is not None, "the start leads to every state that has a probability"
                joint[state] = joint[state] + weight * ahead[count][place]
        total = sum(joint, Fraction(0))
        if total == 0:
            return Divided(None)
        divisors.note((total,))
        found.append(tuple(entry / total for entry in joint))
        shown = _moved(hmm, shown, word)
    return divisors.of(tuple(found))


def _moved(hmm: Hmm, shown: Sequence[dict[int, Number]], word: Word) -> list[dict[int, Number]]:
    """One moment later: states have shown the next letter of the word, or nothing; after the last letter anything."""
    following: list[dict[int, Number]] = [{} for _ in range(min(len(shown), len(word)) + 1)]
    for count, vector in enumerate(shown):
        for state, weight in vector.items():
            if count == len(word):
                _move(hmm, state, weight, following[count])
                continue
            _move(hmm, state, weight * hmm.silent[state], following[count])
            for letter, emitted in hmm.emission[state]:
                if word[count] is None or word[count] == letter:
                    _move(hmm, state, weight * emitted, following[count + 1])
    return following


def _move(hmm: Hmm, state: int, weight: Number, into: dict[int, Number]) -> None:
    if weight == 0:
        return
    for target, share in hmm.transition[state]:
        into[target] = into.get(target, Fraction(0)) + weight * share


def of_letters(
    system: LabelledSystem,
    start: Vector,
    shown_by: Sequence[int | None],
    size: int,
    word: Word,
    budget: Budget | None = None,
) -> Divided[tuple[Vector, ...] | None]:
    """Pr(letter j was shown by state s | the first letters are the word), j = 1 .. k: k vectors of `size` entries.

    `shown_by[v]` is the state that showed the last letter where `system` has come to v, None where nothing more is
    shown: a vector sums to less than 1 by the probability of that. None if the word has probability 0.
    """
    alphas, betas = forward(system, start, word, budget), backward(system, word, budget)
    total = sum(alphas[-1], Fraction(0))
    if total == 0:
        return Divided(None)
    divisors = Divisors()
    divisors.note((total,))
    found: list[Vector] = []
    for alpha, beta in zip(alphas[1:], betas[1:]):
        joint: list[Number] = [Fraction(0)] * size
        for weight, ahead, state in zip(alpha, beta, shown_by):
            if state is not None and weight != 0:
                joint[state] = joint[state] + weight * ahead / total
        found.append(tuple(joint))
    return divisors.of(tuple(found))
