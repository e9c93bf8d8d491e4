"""Markov chains and the questions about them as text, for people: a part of what `pflc emit ir` prints."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from pfl.base.exact_text import fraction_text
from pfl.base.number import Number
from pfl.model.labelled_system import LabelledSystem
from pfl.model.markov_chain import MarkovChain
from pfl.model.measure import Cost, Measure, Observed, Reach, Results


def measure_lines(question: Measure, number: int) -> Iterator[str]:
    """What is asked of the system of that number, and from where."""
    system, quantity = question.system, question.quantity
    named = partial(state_name, system) if isinstance(system, MarkovChain) else system.states.__getitem__
    start = ", ".join(f"{named(state)}: {_number(weight)}" for state, weight in question.start)
    start_line = f"  from {{ {start} }} in {'chain' if isinstance(system, MarkovChain) else 'system'} {number}"
    if isinstance(system, MarkovChain):
        yield start_line
    match quantity:
        case Reach(goal=goal, within=within):
            limit = "" if within is None else f" within {within} moves"
            yield f"  reach {_states(question.chain, goal)}{limit}"
        case Cost(goal=goal, unit=unit):
            yield f"  {unit}s until {_states(question.chain, goal)}"
        case Results(outcomes=outcomes, specified=specified):
            for position, (name, state) in enumerate(outcomes):
                place = "no state" if state is None else f"`{named(state)}`"
                wanted = "" if specified is None else f", specified {_number(specified[position])}"
                yield f"  outcome {name} at {place}{wanted}"
        case Observed(word=word, posterior=posterior):
            assert isinstance(system, LabelledSystem)
            yield f"  word {' '.join('_' if letter is None else system.letters[letter] for letter in word)}"
            yield start_line
            if posterior:
                yield "  posterior"


def chain_lines(number: int, chain: MarkovChain) -> Iterator[str]:
    """The states of a chain and its transitions, with what they cost."""
    yield f"chain {number}: {chain.size} states, {len(chain.targets)} transitions"
    for state in range(chain.size):
        if chain.is_absorbing(state):
            yield f"  {state_name(chain, state)} ends"
            continue
        entries = ", ".join(_transition(chain, edge) for edge in chain.row(state))
        yield f"  {state_name(chain, state)} -> {entries}"


def state_name(chain: MarkovChain, state: int) -> str:
    """The state in the model's words, or its number."""
    return chain.names[state] if chain.names else str(state)


def _transition(chain: MarkovChain, edge: int) -> str:
    text = f"{state_name(chain, chain.targets[edge])}: {_number(chain.weight_table[chain.weights[edge]])}"
    if chain.costs is None or not (cost := chain.cost_table[chain.costs[edge]]):
        return text
    return f"{text} at cost {_number(cost)}"


def _states(chain: MarkovChain, states: frozenset[int]) -> str:
    return "{ " + ", ".join(state_name(chain, state) for state in sorted(states)) + " }"


def _number(number: Number) -> str:
    return fraction_text(number) if isinstance(number, Fraction) else str(number)
