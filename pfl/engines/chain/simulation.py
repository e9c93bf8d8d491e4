"""Runs of the systems that claims are about, drawn at random, as an adversary or examiner sees them.

Exact sampling: outcomes are drawn with exactly their rational probabilities, by whole random numbers. Probabilities
that hold powers of e are rounded first, and the run says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm
from random import Random
from typing import TypeVar, assert_never

from pfl.base.closed_form import enclosure, is_closed
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.engines.chain.starts import Start, starts_of
from pfl.engines.errors import no_system, parameters_left
from pfl.model.claims import Claim
from pfl.model.enclosed.enclosed_compare import EnclosedCompare
from pfl.model.interactive import InteractiveSystem, letter_text
from pfl.model.labelled_system import LabelledSystem
from pfl.model.markov_chain import MarkovChain

Outcome = TypeVar("Outcome")


def draw(weighted: Sequence[tuple[Outcome, Number]], source: Random) -> Outcome | None:
    """One of the outcomes; None with the probability that is missing to 1.

    The probabilities are not negative and sum to at most 1. Raises _Parameters where they depend on some.
    """
    rational = [(outcome, _rational(weight)) for outcome, weight in weighted]
    unit = lcm(*(weight.denominator for _, weight in rational))
    left = source.randrange(unit)
    for outcome, weight in rational:
        left -= weight.numerator * (unit // weight.denominator)
        if left < 0:
            return outcome
    is_rounded = any(isinstance(weight, RationalFunction) for _, weight in weighted)
    return weighted[-1][0] if is_rounded and left * _NEARLY < unit else None


_BITS = 64
"""Of probabilities that hold powers of e."""

_NEARLY = 1 << (_BITS - 16)
"""What is missing to 1 by a smaller share than one in so many is an error of rounding."""


class _Parameters(Exception):
    """A probability depends on a parameter."""


def _rational(number: Number) -> Fraction:
    if isinstance(number, Fraction):
        return number
    if not is_closed(number):
        raise _Parameters
    near = enclosure(number, _BITS)
    return Fraction(round(near.low * (1 << _BITS)), 1 << _BITS)


_ENDS = frozenset({"halt", "never"})
"""The letters that a run of a mechanism repeats once it has ended, or shows nothing any more."""


def simulate(claim: Claim, *, steps: int, source: Random, start: int = 1) -> list[str]:
    """The lines of one run of at most `steps` letters, inputs or moves, from a start of the claim, counted from 1.

    Inputs are chosen uniformly. Raises InputRejected where numbers depend on parameters, or are enclosed, and
    IndexError for a start that the claim does not have.
    """
    if claim.limit is not None:
        return [claim.limit.reason]
    if isinstance(claim.asked, EnclosedCompare):
        raise no_system()
    starts = starts_of(claim)
    if not starts:
        return ["nothing is compared"]
    chosen = starts[start - 1]
    names = ", ".join(name for name in (chosen.system_name, chosen.label) if name)
    count = f"    (start {start} of {len(starts)})" if len(starts) > 1 else ""
    begun = [f"from {names or 'the start'}{count}"] if names or count else []
    irrational = [number for number in chosen.system.numbers if isinstance(number, RationalFunction)]
    if not all(map(is_closed, irrational)):  # whether this run would come to them is not to be left to chance
        raise parameters_left(claim)
    if irrational:
        begun.append(f"powers of e in its probabilities are rounded, to {_BITS} bits")
    try:
        return [*begun, *_run(chosen, steps, source)]
    except _Parameters:
        raise parameters_left(claim) from None


def _run(start: Start, steps: int, source: Random) -> Iterator[str]:
    begun = draw(start.distribution(), source)
    match start.system:
        case LabelledSystem() as system:
            return _labelled(system, begun, steps, source, ends=start.ends)
        case InteractiveSystem() as system:
            return _interactive(system, begun, steps, source)
        case MarkovChain() as chain:
            return _chain(chain, begun, steps, source)
        case _:
            assert_never(start.system)


def _labelled(system: LabelledSystem, state: int | None, steps: int, source: Random, *, ends: bool) -> Iterator[str]:
    """Letters one by one; where an adversary chooses an input, one that the state takes. What is said of the end of a
    run is said once."""
    for _ in range(steps):
        if state is None:
            return
        choices: dict[int, list[tuple[tuple[int, int], Number]]] = {}
        for letter, matrix in enumerate(system.matrices):
            asked = -1 if system.inputs is None else system.inputs[letter]
            choices.setdefault(asked, []).extend(((letter, t), weight) for t, weight in matrix[state])
        taken = [options for options in choices.values() if options]
        found = draw(source.choice(taken), source) if taken else None
        if found is None:
            return
        letter, state = found
        yield f"  {system.letters[letter]}"
        if ends and system.letters[letter] in _ENDS and system.matrices[letter][state] == ((state, Fraction(1)),):
            return


def _interactive(system: InteractiveSystem, state: int | None, steps: int, source: Random) -> Iterator[str]:
    """Inputs chosen uniformly; data points are in brackets, since the examiner does not see them."""
    yield "data points in brackets are not seen by the examiner"
    for _ in range(steps):
        if state is None or state == system.bottom:
            yield "  (silent for ever)"
            return
        given = len(system.data) + len(system.asked)  # what a state that is about to respond waits for
        if system.waits(state):
            given = source.randrange(given)
        if given < len(system.data):
            yield f"  [{system.data[given]}]"
            state = draw(system.data_moves[given][state], source)
            continue
        query = given - len(system.data)
        answers = system.answers[query]
        found = draw([((response, t), weight) for response, matrix in answers for t, weight in matrix[state]], source)
        if found is None:
            yield f"  {letter_text(system.queries[query], '(no answer)')}"
            return
        response, state = found
        yield f"  {letter_text(system.queries[query], response)}"


def _chain(chain: MarkovChain, state: int | None, steps: int, source: Random) -> Iterator[str]:
    for _ in range(steps + 1):
        if state is None:
            return
        yield f"  {chain.state_name(state)}"
        if chain.is_absorbing(state):
            return
        moves = [(chain.targets[edge], chain.weight_table[chain.weights[edge]]) for edge in chain.row(state)]
        state = draw(moves, source)
