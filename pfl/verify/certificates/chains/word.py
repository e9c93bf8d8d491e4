"""The probability of an observed word, from its last letter to its first: another way than the engine goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pfl.base.budget import Budget
from pfl.model.claims import Case, mentioned_in_cases
from pfl.model.labelled_system import LabelledSystem
from pfl.model.measure import Measure, Observed
from pfl.verify.certificates.certificate_format import Damage, Malformed, Unproved, Unshown, intact
from pfl.verify.certificates.exact.numbers import Domain, Exact, ExactNumbers
from pfl.verify.certificates.exponentials.domain import domain_of

KIND = "word"


def verify_word(certificate: Any, case: Case, budget: Budget) -> list[str]:
    """What is wrong with a certificate that a word is as likely as is required; empty if nothing is.

    Raises LimitReached.
    """
    question = case.question
    assert isinstance(question, Measure)
    try:
        record, kind = intact(certificate)
        if kind != KIND:
            raise Malformed(f"a certificate of the kind `{kind}` shows nothing of this claim")
        domain = domain_of(record, question, budget)
        return _faults(case, question, domain, budget)
    except Malformed as malformed:
        return [Damage(malformed)]
    except Unshown as unshown:
        return [Unproved(unshown)]


def _faults(case: Case, question: Measure, domain: Domain, budget: Budget) -> list[str]:
    assert isinstance(question.system, LabelledSystem)
    assert isinstance(question.quantity, Observed)
    assert case.required is not None, "a check of numbers says what is required of each"
    numbers = ExactNumbers(region=domain, with_parameters=bool(mentioned_in_cases([case])))
    columns, scale = _backward(question.system, question.quantity.word, numbers, budget)
    weights, factor = numbers.scaled([weight for _, weight in question.start])
    total = numbers.zero
    for (state, _), weight in zip(question.start, weights):
        total = total + weight * columns[state]
    if numbers.meets(total, factor * scale, case.required):
        return []
    fault = f"it is not shown that the probability is {case.required}"
    return [Unproved(fault) if numbers.with_parameters else fault]


def _backward(
    system: LabelledSystem, word: Sequence[int | None], numbers: ExactNumbers, budget: Budget
) -> tuple[list[Exact], Exact]:
    """The probability of the word from each state, times one factor, and that factor."""
    column, scale = [numbers.one] * system.size, numbers.one
    for letter in reversed(word):
        budget.check("the letters of a word were gone through")
        read = [letter] if letter is not None else range(len(system.letters))
        rows = [[pair for each in read for pair in system.matrices[each][state]] for state in range(system.size)]
        weights, factor = numbers.scaled([weight for row in rows for _, weight in row])
        waiting = iter(weights)
        found = []
        for row in rows:
            total = numbers.zero
            for target, _ in row:
                total = total + next(waiting) * column[target]
            found.append(total)
        column, scale = found, scale * factor
    return column, scale
