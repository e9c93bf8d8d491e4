"""What every question about a Markov chain must satisfy before an engine sees it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from pfl.base.number import Number
from pfl.ir.chain_questions import ChainQuestion, Expectation, Probability, ResultDistribution
from pfl.ir.markov_chain import MarkovChain


def chain_faults(chain: MarkovChain) -> Iterator[str]:
    """Broken invariants of a chain: targets that exist, weights above 0, rows that sum to 1."""
    if len(chain.targets) != len(chain.weights) or chain.offsets[-1] != len(chain.targets):
        yield "the arrays of the chain have different lengths"
        return
    if chain.costs is not None and len(chain.costs) != len(chain.targets):
        yield "not every transition has a cost"
    if chain.names and len(chain.names) != chain.size:
        yield "not every state has a name"
    if len(chain.targets) and not 0 <= min(chain.targets) <= max(chain.targets) < chain.size:
        yield "a transition leads to a state that does not exist"
    if any(isinstance(weight, Fraction) and weight <= 0 for weight in chain.weight_table):
        yield "a weight is not positive"
    sums: dict[tuple[int, ...], Number] = {}
    offsets, weights, table = chain.offsets, chain.weights, chain.weight_table
    for state in range(chain.size):
        row = tuple(weights[offsets[state] : offsets[state + 1]])
        if row and row not in sums:
            sums[row] = total = sum((table[weight] for weight in row), Fraction(0))
            if total != 1:
                yield f"the weights of state {state} sum to {total}"


def chain_question_faults(question: ChainQuestion) -> Iterator[str]:
    """Broken invariants of a question: a start that is a distribution, ends that are absorbing states."""
    size = question.chain.size
    if any(not 0 <= state < size for state, _ in question.start):
        yield "the start has a state that does not exist"
    total = sum((weight for _, weight in question.start), Fraction(0))
    if total != 1:
        yield f"the start has mass {total}"
    match question:
        case Probability(goal=goal) | Expectation(goal=goal):
            ends = list(goal)
        case ResultDistribution(outcomes=outcomes, specified=specified):
            ends = [state for _, state in outcomes if state is not None]
            if specified is not None and len(specified) != len(outcomes) + 1:
                yield "not every outcome has a specified probability"
    if any(not 0 <= state < size or not question.chain.is_absorbing(state) for state in ends):
        yield "an end is not an absorbing state"
    if isinstance(question, Probability) and question.within is not None:
        if question.within < 0:
            yield "the number of moves is negative"
        if question.chain.costs is None or any(cost not in (0, 1) for cost in question.chain.cost_table):
            yield "moves cost neither 0 nor 1"
