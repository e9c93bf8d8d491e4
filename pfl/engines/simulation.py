"""Runs of the systems that claims are about, drawn at random, as an adversary or examiner sees them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import assert_never

from pfl.analysis.sampling import draw
from pfl.base.number import Number
from pfl.engines.errors import parameters_left
from pfl.ir.chain_questions import Expectation, Probability, ResultDistribution
from pfl.ir.claims import Claim, Indistinguishability, Likelihood, Unposed, underlying
from pfl.ir.dump_chain import state_name
from pfl.ir.interactive import InteractiveSystem, letter_text
from pfl.ir.interactive_questions import Implementation, RelationCheck
from pfl.ir.labelled_system import LabelledSystem, Vector
from pfl.ir.markov_chain import MarkovChain


def simulate(claim: Claim, *, steps: int, source: Random) -> list[str]:
    """The lines of one run of at most `steps` letters, inputs or moves.

    Of a comparison the run begins on the left side; inputs are chosen uniformly. Raises InputRejected where numbers
    depend on parameters.
    """
    question = underlying(claim.question)
    try:
        match question:
            case Indistinguishability(comparisons=()):
                return ["nothing is compared"]
            case Indistinguishability(comparisons=(first, *_)) if first.runs is not None:
                return list(_interactive(first.runs.system, steps, source))
            case Indistinguishability(comparisons=(first, *_)):
                return list(_labelled(first.system, first.left.start, first.left.label, steps, source))
            case Indistinguishability():
                return []
            case Likelihood(system=system, start=start):
                return list(_labelled(system, start, "the start", steps, source))
            case RelationCheck() | Implementation():
                return list(_interactive(question.systems[0], steps, source))
            case Probability() | Expectation() | ResultDistribution():
                return list(_chain(question.chain, question.start, steps, source))
            case Unposed(reason=reason):
                return [reason]
            case _:
                assert_never(question)
    except _Parameters:
        raise parameters_left(claim) from None


class _Parameters(Exception):
    """A probability depends on a parameter."""


def _exact(number: Number) -> Fraction:
    if isinstance(number, Fraction):
        return number
    raise _Parameters


def _labelled(system: LabelledSystem, start: Vector, label: str, steps: int, source: Random) -> Iterator[str]:
    """Letters one by one; where an adversary chooses an input, one that the state takes."""
    yield f"from {label}"
    state = draw([(s, _exact(weight)) for s, weight in enumerate(start) if weight], source)
    for _ in range(steps):
        if state is None:
            return
        choices: dict[int, list[tuple[tuple[int, int], Fraction]]] = {}
        for letter, matrix in enumerate(system.matrices):
            asked = -1 if system.inputs is None else system.inputs[letter]
            choices.setdefault(asked, []).extend(((letter, t), _exact(weight)) for t, weight in matrix[state])
        taken = [options for options in choices.values() if options]
        found = draw(source.choice(taken), source) if taken else None
        if found is None:
            return
        letter, state = found
        yield f"  {system.letters[letter]}"


def _interactive(system: InteractiveSystem, steps: int, source: Random) -> Iterator[str]:
    """Inputs chosen uniformly; data points are in brackets, since the examiner does not see them."""
    yield "data points in brackets are not seen by the examiner"
    state = draw([(s, _exact(weight)) for s, weight in enumerate(system.start) if weight], source)
    for _ in range(steps):
        if state is None or state == system.bottom:
            yield "  (silent for ever)"
            return
        given = len(system.data) + len(system.asked)  # what a state that is about to respond waits for
        if system.waits(state):
            given = source.randrange(given)
        if given < len(system.data):
            yield f"  [{system.data[given]}]"
            state = draw([(t, _exact(weight)) for t, weight in system.data_moves[given][state]], source)
            continue
        query = given - len(system.data)
        answers = system.answers[query]
        found = draw(
            [((response, t), _exact(weight)) for response, matrix in answers for t, weight in matrix[state]], source
        )
        if found is None:
            yield f"  {letter_text(system.queries[query], '(no answer)')}"
            return
        response, state = found
        yield f"  {letter_text(system.queries[query], response)}"


def _chain(chain: MarkovChain, start: Sequence[tuple[int, Number]], steps: int, source: Random) -> Iterator[str]:
    state = draw([(s, _exact(weight)) for s, weight in start], source)
    for _ in range(steps + 1):
        if state is None:
            return
        yield f"  {state_name(chain, state)}"
        if chain.is_absorbing(state):
            return
        moves = [(chain.targets[edge], _exact(chain.weight_table[chain.weights[edge]])) for edge in chain.row(state)]
        state = draw(moves, source)
