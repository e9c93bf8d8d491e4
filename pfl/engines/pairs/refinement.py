"""Whether one automaton does exactly what another says, hidden steps closed. Source: docs/theory/refinement.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Literal

from pfl.analysis.equivalence import Equality, first_difference
from pfl.analysis.interleavings import seen_mass
from pfl.analysis.polynomial.points import find_point
from pfl.analysis.ratio.integer_system import Word
from pfl.base.budget import Budget
from pfl.base.exact_text import fraction_text
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.engines.answer import Disproved, Evidence, Proved, Unknown
from pfl.engines.parametric.side_conditions import Nlsat
from pfl.model.compare import Compare, Comparison
from pfl.model.labelled_system import Exchange, Vector
from pfl.model.parameters import Condition, ParameterSpace
from pfl.options import Options

NAME = "exact"


def answer(question: Compare, _options: Options, budget: Budget) -> Proved | Disproved | Unknown:
    """Whether all words are equally likely in both; else the first action that is not, with both distributions.

    Unknown where only words differ that an examiner does not tell apart. Raises LimitReached.
    """
    both = question.implements
    assert both is not None
    concrete, abstract = both.systems
    for what, mine, theirs in (
        ("data points", concrete.data, abstract.data),
        ("queries", concrete.asked, abstract.asked),
    ):
        if set(mine) != set(theirs):
            facts = tuple((name, ", ".join(given)) for name, given in zip(both.names, (mine, theirs)))
            return Disproved(engine=NAME, problem=f"they do not take the same {what}", facts=facts)
    (compared,) = question.comparisons
    found = first_difference(compared.system, compared.left.vector, compared.right.vector, budget)
    if not isinstance(found, Equality):
        if (concrete.answers_data or abstract.answers_data) and _looks_alike(compared, found):
            reason = "they differ only in where among the data points a response comes, as far as was looked"
            return Unknown(engine=NAME, reason=reason)
        return _disproof(question, compared, found, budget)
    sizes = f"{concrete.bottom:,} and {abstract.bottom:,} states"
    facts = (("proved by", f"equal probabilities of all words, {sizes}"),)
    depends = any(isinstance(n, RationalFunction) for system in both.systems for n in system.numbers)
    certificates = () if depends else found.certificates(budget)
    kind: Literal["certificate", "exhaustive"] = "exhaustive" if depends else "certificate"
    return Proved(engine=NAME, evidence=Evidence(kind=kind, certificates=certificates, facts=facts))


def _looks_alike(compared: Comparison, word: Word) -> bool:
    """Whether both systems show what is seen of the word with equal probability."""
    one, other = (seen_mass(compared.system, side.vector, word) for side in compared.sides)
    return one == other


def _disproof(question: Compare, compared: Comparison, word: Word, budget: Budget) -> Disproved:
    system = compared.system
    one, other = (system.mass(side.vector, word) for side in compared.sides)
    where = _somewhere(one - other, question.parameters, budget)
    exchanges = system.exchanges or ()
    *path, last = word
    action = exchanges[last].given or "a response"
    facts = [("after", ", ".join(system.letters[letter] for letter in path))] if path else []
    facts.append(("action", action))
    for name, start in zip([side.label for side in compared.sides], [side.vector for side in compared.sides]):
        for letter in path:
            start = system.step(start, letter)
        total: Number = sum(start, Fraction(0))
        if exchanges[last].seen in (action, f"{action}?"):
            taken = sum(system.step(start, last), Fraction(0))
            facts.append((name, f"takes it with probability {_text(taken / total)}"))
        else:
            shown = _responses(compared, start, exchanges[last].given)
            facts.append((name, ", ".join(f"{text}: {_text(mass / total)}" for text, mass in shown) or "no response"))
    return Disproved(engine=NAME, problem=f"they differ on {action}", facts=(*where, *facts))


def _somewhere(difference: Number, space: ParameterSpace, budget: Budget) -> tuple[tuple[str, str], ...]:
    """Where a difference is not 0, as a fact; nothing where that is everywhere."""
    if not isinstance(difference, RationalFunction):
        return ()
    equal = Condition(polynomial=difference, relation="==", text="they agree")
    if find_point(space.restricted(equal), budget, Nlsat()) is None:
        return ()
    found = find_point(space.restricted(replace(equal, relation="!=", text="they differ")), budget, Nlsat())
    if not isinstance(found, dict):
        return ()
    values = [f"{name} = {fraction_text(value)}" for name, value in found.items() if isinstance(value, Fraction)]
    return (("at", ", ".join(values)),) if values else ()


def _responses(compared: Comparison, start: Vector, given: str | None) -> Iterator[tuple[str, Number]]:
    """The responses to an input, with their masses; what is missing never comes."""
    system = compared.system
    for letter, exchange in enumerate(system.exchanges or ()):
        is_response = exchange.seen is not None and exchange.seen != f"{given}?"
        if exchange.given == given and is_response:  # a data point may be called as a query is
            mass = sum(system.step(start, letter), Fraction(0))
            if mass:
                yield _answer(exchange), mass


def _answer(exchange: Exchange) -> str:
    """The response of a letter without the query that it answers."""
    return (exchange.seen or "").removeprefix(exchange.given or "").strip().removeprefix("-> ")


def _text(number: Number) -> str:
    return fraction_text(number) if isinstance(number, Fraction) else str(number)
