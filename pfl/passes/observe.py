"""From a hidden Markov model to the labelled system of what is observed.

Why it is sound: docs/theory/labelled-system.md.

An hmm whose states remember who has just shown a letter, so that a posterior can tell where letters came from.

Why it is sound: docs/theory/likelihood.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from pfl.analysis.chains.absorbing import absorption
from pfl.base.budget import Budget
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.labelled_system import Hmm, LabelledSystem, SparseRow, Vector
from pfl.model.markov_chain import MarkovChain
from pfl.passes.substitute import folded, without_final_weights

NEVER = "never"
"""The letter of a run that shows nothing more, repeated for ever, so that rows sum to 1."""


@struct
class Observed:
    """The system, and the start vectors in its states.

    `state_of[s]` is the state of the hmm that state s of the system stands for, None for `never`.
    """

    system: LabelledSystem
    starts: tuple[Vector, ...]
    state_of: tuple[int | None, ...]


def observe(hmm: Hmm, starts: Sequence[Vector], budget: Budget) -> Divided[Observed]:
    """The labelled system whose letter masses are those of the observations from each start; shapes |S| to |reached|.

    M_a = N diag(o(., a)) P with N = (I - diag(o(., silent)) P)^-1, restricted to what the starts reach; a state that
    stays silent for ever moves under the letter `never`. Final weights are there only where one of them still depends
    on parameters: those of silent states are gone. Raises LimitReached when the time is over.
    """
    reached = reached_from(hmm, starts)
    if not any(hmm.silent[state] for state in reached):
        return Divided(_with_constants_folded(_observe_plainly(hmm, starts, reached)))
    return _close_silence(hmm, starts, reached, budget).then(_with_constants_folded)


def _with_constants_folded(observed: Observed) -> Observed:
    final = observed.system.final
    if final is None or not all(isinstance(weight, Fraction) for weight in final):
        return observed
    return Observed(
        system=without_final_weights(observed.system),
        starts=tuple(folded(start, final) for start in observed.starts),
        state_of=tuple(state for state, weight in zip(observed.state_of, final) if weight),
    )


def reached_from(hmm: Hmm, starts: Sequence[Vector]) -> list[int]:
    """The states that have a weight in some start, or come after such a state, in order."""
    found = {state for start in starts for state, weight in enumerate(start) if weight}
    pending = list(found)
    while pending:
        for target, _ in hmm.transition[pending.pop()]:
            if target not in found:
                found.add(target)
                pending.append(target)
    return sorted(found)


def _observe_plainly(hmm: Hmm, starts: Sequence[Vector], reached: Sequence[int]) -> Observed:
    place = {state: position for position, state in enumerate(reached)}
    matrices: list[list[SparseRow]] = [[() for _ in reached] for _ in hmm.letters]
    for position, state in enumerate(reached):
        for letter, emitted in hmm.emission[state]:
            matrices[letter][position] = tuple(
                (place[target], emitted * moved) for target, moved in hmm.transition[state]
            )
    return Observed(
        system=LabelledSystem(
            states=tuple(hmm.states[state] for state in reached),
            letters=hmm.letters,
            matrices=tuple(tuple(rows) for rows in matrices),
            final=None if hmm.final is None else tuple(hmm.final[state] for state in reached),
        ),
        starts=tuple(tuple(start[state] for state in reached) for start in starts),
        state_of=tuple(reached),
    )


def _close_silence(hmm: Hmm, starts: Sequence[Vector], reached: Sequence[int], budget: Budget) -> Divided[Observed]:
    place = {state: position for position, state in enumerate(reached)}
    exits: dict[tuple[int, int], int] = {}
    chain = _silent_chain(hmm, reached, place, exits)
    first_exit = len(reached)
    entered = {target for _, target in exits} | {
        state for start in starts for state, weight in enumerate(start) if weight
    }
    sources = [state for state in reached if state in entered]
    divisors = Divisors()
    closed = absorption(chain, [place[state] for state in sources], budget).noting(divisors)
    kept = {state: position for position, state in enumerate(sources)}
    final = (Fraction(1),) * hmm.size if hmm.final is None else hmm.final
    ways = list(exits)
    rows: list[list[dict[int, Number]]] = [[{} for _ in sources] for _ in hmm.letters]
    silent: list[Number] = []
    for position in range(len(sources)):
        shows: Number = Fraction(0)
        for node, probability in closed.rows[position].items():
            letter, target = ways[node - first_exit]
            rows[letter][position][kept[target]] = probability
            shows = shows + probability * final[target]
        silent.append(final[sources[position]] - shows)
    states, letters = [hmm.states[state] for state in sources], list(hmm.letters)
    matrices = [[tuple(sorted(row.items())) for row in matrix] for matrix in rows]
    state_of: list[int | None] = list(sources)
    if any(silent):
        last = len(sources)
        for matrix in matrices:
            matrix.append(())
        never: list[SparseRow] = [((last, weight),) if weight else () for weight in silent]
        matrices.append([*never, ((last, Fraction(1)),)])
        states.append(NEVER)
        letters.append(NEVER if NEVER not in letters else f"({NEVER})")  # a model may have a letter of this name
        state_of.append(None)
    observed = Observed(
        system=LabelledSystem(
            states=tuple(states),
            letters=tuple(letters),
            matrices=tuple(tuple(matrix) for matrix in matrices),
            final=None if hmm.final is None else tuple(Fraction(1) if s is None else final[s] for s in state_of),
        ),
        starts=tuple(_padded((start[state] for state in sources), len(states)) for start in starts),
        state_of=tuple(state_of),
    )
    return divisors.of(observed)


def _silent_chain(
    hmm: Hmm, reached: Sequence[int], place: dict[int, int], exits: dict[tuple[int, int], int]
) -> MarkovChain:
    """Silent moves between the states reached; each visible (letter, target) is an absorbing state of `exits`."""

    def row(state: int) -> Iterator[tuple[int, Number]]:
        for target, moved in hmm.transition[state]:
            if hmm.silent[state]:
                yield place[target], hmm.silent[state] * moved
            for letter, emitted in hmm.emission[state]:
                yield exits.setdefault((letter, target), len(reached) + len(exits)), emitted * moved

    moves = [list(row(state)) for state in reached]  # all exits are known after the last row
    return MarkovChain.of_rows([*moves, *([] for _ in exits)])


def _padded(entries: Iterable[Number], size: int) -> Vector:
    vector = tuple(entries)
    return vector + (Fraction(0),) * (size - len(vector))


@struct
class Showing:
    """The observed system of n states of an hmm `before` they show anything, and of states that have just shown.

    `start` is the start in the system. `before[s]` is the state of the system that stands for state s of the hmm, None
    where the start does not lead there; `shown_by[v]` is the state of the hmm that showed the last letter before state
    v of the system, None where there is none.
    """

    system: LabelledSystem
    start: Vector
    before: tuple[int | None, ...]
    shown_by: tuple[int | None, ...]


def observe_showing(hmm: Hmm, start: Vector, budget: Budget) -> Divided[Showing]:
    """The system from a start of |S| entries. Raises LimitReached when the time is over.

    Each state s becomes two: it shows what s shows and then is the second one, which moves as s does and shows nothing.
    Letters have the probabilities that they have in the hmm.
    """
    size = hmm.size
    after: list[SparseRow] = [((size + state, Fraction(1)),) for state in range(size)]
    split = Hmm(
        states=(*hmm.states, *(f"{state}, shown" for state in hmm.states)),
        letters=hmm.letters,
        start=None,
        transition=(*after, *hmm.transition),
        emission=(*hmm.emission, *(() for _ in hmm.states)),
        silent=(*hmm.silent, *(Fraction(1) for _ in hmm.states)),
    )
    nothing = (Fraction(0),) * size
    reached = reached_from(hmm, [start])
    everywhere = tuple(Fraction(int(state in reached)) for state in range(size))
    closed = observe(split, [(*start, *nothing), (*everywhere, *nothing)], budget)
    return closed.then(lambda observed: _showing(observed, size))


def _showing(observed: Observed, size: int) -> Showing:
    place = {state: position for position, state in enumerate(observed.state_of) if state is not None}
    return Showing(
        system=observed.system,
        start=observed.starts[0],
        before=tuple(place.get(state) for state in range(size)),
        shown_by=tuple(None if state is None or state < size else state - size for state in observed.state_of),
    )
