"""Whether one automaton does exactly what another says, hidden steps closed. Source: docs/theory/refinement.md."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from pfl.analysis.equivalence import Difference, Sparse, first_difference, waiting
from pfl.base.budget import Budget
from pfl.base.exact_text import fraction_text
from pfl.base.number import Number
from pfl.engines.answer import Disproof, Evidence, Holds
from pfl.ir.interactive import InteractiveSystem
from pfl.ir.interactive_questions import Implementation

NAME = "exact"


def answer(question: Implementation, budget: Budget) -> Holds | Disproof:
    """Whether all words are equally likely in both; else the first action that is not, with both distributions.

    Raises LimitReached.
    """
    concrete, abstract = question.concrete, question.abstract
    for kind, mine, theirs in (
        ("data points", concrete.data, abstract.data),
        ("queries", concrete.queries, abstract.queries),
    ):
        if set(mine) != set(theirs):
            facts = tuple((name, ", ".join(given)) for name, given in zip(question.names, (mine, theirs)))
            return Disproof(engine=NAME, problem=f"they do not take the same {kind}", facts=facts)
    difference = first_difference(concrete, abstract, budget)
    if difference is None:
        sizes = f"{concrete.bottom:,} and {abstract.bottom:,} states"
        carried = (("carries over", f"`{name}` of {question.names[1]}") for name in question.carries)
        shown = (("proved by", f"equal probabilities of all words, {sizes}"), *carried)
        return Holds(engine=NAME, evidence=Evidence(kind="exhaustive", facts=shown))
    return _disproof(question, difference)


def _disproof(question: Implementation, difference: Difference) -> Disproof:
    action, response = difference.step
    facts = []
    if difference.path:
        facts.append(
            ("after", ", ".join(given if seen is None else f"{given} -> {seen}" for given, seen in difference.path))
        )
    facts.append(("action", action))
    if response is None:
        both = (_waiting(system, v) for system, v in _sides(question, difference))
        facts += [(name, f"takes it with probability {_text(p)}") for name, p in zip(question.names, both)]
    else:
        order = [answer for answer, _ in dict(zip(question.abstract.queries, question.abstract.answers))[action]]
        for name, (system, vector) in zip(question.names, _sides(question, difference)):
            facts.append((name, _responses(system, vector, action, order)))
    return Disproof(engine=NAME, problem=f"they differ on {action}", facts=tuple(facts))


def _sides(question: Implementation, difference: Difference) -> Sequence[tuple[InteractiveSystem, Sparse]]:
    return (question.concrete, difference.left), (question.abstract, difference.right)


def _waiting(system: InteractiveSystem, vector: Sparse) -> Number:
    """The probability that the system waits for an input, given what was seen."""
    total: Number = sum(vector.values(), Fraction(0))
    return waiting(system, vector) / total


def _responses(system: InteractiveSystem, vector: Sparse, query: str, order: Sequence[str]) -> str:
    """The distribution of the responses to a query, given what was seen; what is missing to 1 never comes.

    Those in `order` come first.
    """
    total: Number = sum(vector.values(), Fraction(0))
    answers = dict(dict(zip(system.queries, system.answers))[query])
    shown = []
    for response in sorted(answers, key=lambda each: order.index(each) if each in order else len(order)):
        matrix = answers[response]
        entries = (weight * entry for state, weight in vector.items() for _, entry in matrix[state])
        mass: Number = sum(entries, Fraction(0))
        if mass:
            shown.append(f"{response}: {_text(mass / total)}")
    return ", ".join(shown) or "no response"


def _text(number: Number) -> str:
    return fraction_text(number) if isinstance(number, Fraction) else str(number)
