"""Posteriors of an hmm whose states can be silent: the state at each moment, and the state that showed each letter.

Source and proof: docs/theory/likelihood.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from pfl.analysis.likelihood import Word, backward, forward
from pfl.base.budget import Budget
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number
from pfl.ir.hmm import Hmm
from pfl.ir.labelled_system import LabelledSystem, Vector


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
