"""Hidden Markov models at one point, by brute force: words with their probabilities, paths of states, silence."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from .linear import absorbed

State = Hashable
Word = tuple[object, ...]
SILENT = "silent"
NEVER = "never"
STUCK = ("stuck",)
"""The state of a run that shows nothing any more."""
Path = tuple[State, ...]
Secret = Callable[[object, Path], bool]
"""A predicate on the world and on the states after 0, 1, .. moves."""


@dataclass(frozen=True)
class Hidden:
    """A model with numbers: starts are pairs of a world and a state; a state emits first, then moves.

    What an emission lacks to 1 is the probability that the state never comes to an end of emitting.
    """

    start: Mapping[tuple[object, State], Fraction]
    emits: Mapping[State, Mapping[object, Fraction]]
    moves: Mapping[State, Mapping[State, Fraction]]

    def next_letters(self) -> dict[State, dict[tuple[object, State], Fraction]]:
        """For each state what is seen next, with the state after that; silent moves are summed out."""
        steps: dict[object, list[tuple[Fraction, object]]] = {}
        exits: set[object] = set()
        for state, emission in self.emits.items():
            steps[("at", state)] = []
            for letter, shown in emission.items():
                for target, moved in self.moves[state].items():
                    if not shown * moved:
                        continue
                    if letter == SILENT:
                        steps[("at", state)].append((shown * moved, ("at", target)))
                    else:
                        exits.add(("seen", letter, target))
                        steps[("at", state)].append((shown * moved, ("seen", letter, target)))
        found = absorbed(steps, sorted(exits, key=repr))
        result: dict[State, dict[tuple[object, State], Fraction]] = {}
        for state in self.emits:
            row = {(letter, target): weight for (_, letter, target), weight in found[("at", state)].items()}  # type: ignore[misc]
            missing = 1 - sum(row.values())
            result[state] = row | ({(NEVER, STUCK): missing} if missing else {})
        result[STUCK] = {(NEVER, STUCK): Fraction(1)}
        return result

    def seen(self, length: int, horizon: int = 0) -> dict[tuple[object, Path, Word], Fraction]:
        """Joint probabilities of the world, the states after 0 .. horizon moves, and the first `length` letters."""
        mass: dict[tuple[object, Path, Word], Fraction] = {}
        for (world, state), weight in self.start.items():
            _add(mass, (world, (state,), ()), weight)
        for _ in range(horizon):
            later: dict[tuple[object, Path, Word], Fraction] = {}
            for (world, path, word), weight in mass.items():
                if path[-1] == STUCK:
                    _add(later, (world, (*path, STUCK), word), weight)
                    continue
                emission = self.emits[path[-1]]
                for letter, shown in emission.items():
                    longer = word if letter == SILENT or len(word) == length else (*word, letter)
                    for target, moved in self.moves[path[-1]].items():
                        _add(later, (world, (*path, target), longer), weight * shown * moved)
                _add(later, (world, (*path, STUCK), word), weight * (1 - sum(emission.values())))
            mass = later
        steps = self.next_letters()
        result: dict[tuple[object, Path, Word], Fraction] = {}
        for (world, path, word), weight in mass.items():
            for longer, more in _continued(steps, path[-1], word, length).items():
                _add(result, (world, path, longer), weight * more)
        return result

    def words(self, secret: Secret, length: int, horizon: int) -> tuple[Fraction, dict[object, Fraction]]:
        """The probability of a secret, and of each word given that."""
        found: dict[object, Fraction] = {}
        for (world, path, word), weight in self.seen(length, horizon).items():
            if secret(world, path):
                found[word] = found.get(word, Fraction(0)) + weight
        total = sum(found.values(), Fraction(0))
        return total, {word: weight / total for word, weight in found.items()} if total else {}


def _continued(
    steps: Mapping[State, Mapping[tuple[object, State], Fraction]], state: State, word: Word, length: int
) -> dict[Word, Fraction]:
    mass = {(word, state): Fraction(1)}
    for _ in range(length - len(word)):
        later: dict[tuple[Word, State], Fraction] = {}
        for (before, at), weight in mass.items():
            for (letter, target), more in steps[at].items():
                _add(later, ((*before, letter), target), weight * more)
        mass = later
    result: dict[Word, Fraction] = {}
    for (longer, _), weight in mass.items():
        _add(result, longer, weight)
    return result


def _add(mass: dict, key: object, weight: Fraction) -> None:  # type: ignore[type-arg]
    if weight:
        mass[key] = mass.get(key, Fraction(0)) + weight
