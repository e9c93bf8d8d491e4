"""Random hidden Markov models and Markov chains as tables, with claims of every kind about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from .cases import (
    Asked,
    Extended,
    Setting,
    compared,
    enough,
    excess,
    maximum,
    number_claims,
    privacy_claims,
    remembered,
)
from .hidden import NEVER, SILENT, Hidden, Path, Secret
from .linear import expected, reaching
from .programs import literal
from .weights import Point, Weight, constant

Row = Mapping[object, Weight]
NAMES = ("s", "t", "u", "v")


@dataclass(frozen=True)
class Table:
    """An hmm in table form; without `emits` a Markov chain. `starts` are worlds with states, and their weights."""

    name: str
    starts: Row
    moves: Mapping[str, Row]
    emits: Mapping[str, Row]

    @property
    def text(self) -> str:
        lines = [f"hmm {self.name} {{", f"  states {', '.join(self.moves)};", f"  init {_row(self.starts)};"]
        lines += [f"  {state} -> {_row(row)};" for state, row in self.moves.items()]
        lines += [f"  {state} emits {_row(row)};" for state, row in self.emits.items()]
        return "\n".join([*lines, "}"])

    def at(self, point: Point, starts: Mapping[tuple[object, object], Weight] | None = None) -> Hidden:
        if starts is None:
            starts = {("", state): weight for state, weight in self.starts.items()}
        return Hidden(
            start={key: weight.at(point) for key, weight in starts.items()},
            emits={state: _values(row, point) for state, row in self.emits.items()},
            moves={state: _values(row, point) for state, row in self.moves.items()},
        )


def _row(row: Row) -> str:
    if len(row) == 1:
        return str(next(iter(row)))
    return ", ".join(f"{key}: {weight.text}" for key, weight in row.items())


def _values(row: Row, point: Point) -> dict[object, Fraction]:
    return {key: weight.at(point) for key, weight in row.items()}


def random_table(setting: Setting, name: str, *, silent: bool, chain: bool) -> Table:
    random, weights = setting.random, setting.weights
    states = list(NAMES[: random.choice([2, 2, 3, 3, 4] if chain else [2, 2, 3])])
    letters: list[object] = ["a", "b"]
    moves = {state: weights.row(list(states)) for state in states}
    emits: dict[str, Row] = {}
    for state in [] if chain else states:
        emits[state] = weights.row([*letters, SILENT] if silent and random.random() < 0.7 else letters)
    if not chain and not silent and random.random() < 0.4:
        emits[states[0]] = {"a": constant(Fraction(3, 4)), "b": constant(Fraction(1, 4))}
        emits[states[1]] = {"a": constant(Fraction(1, 4)), "b": constant(Fraction(3, 4))}
    return Table(name, weights.row(list(states)), moves, emits)


def chain_claims(setting: Setting) -> tuple[str, list[Asked]]:
    """`probability`, `expected steps` and `expected cost` of a Markov chain, as a table or as a program."""
    random = setting.random
    as_program = random.random() < 0.3
    table = random_table(setting, "C", silent=False, chain=True)
    states = list(table.moves)
    goal = random.sample(states, random.choice([1, 1, 2]) if len(states) > 2 else 1)
    condition = " or ".join(f"x == {state}" if as_program else state for state in goal)
    ticks = {state: Fraction(random.choice([-1, 0, 1, 2, 3])) for state in states}
    start, begin = table.starts, ""
    if not as_program and random.random() < 0.25:
        start = setting.weights.row(list(states))
        begin = f"from {{ {', '.join(f'{key}: {weight.text}' for key, weight in start.items())} }};"

    def moves(point: Point) -> dict[str, list[tuple[Fraction, str]]]:
        return {s: [(w.at(point), str(t)) for t, w in row.items()] for s, row in table.moves.items()}

    def begun(point: Point) -> dict[str, Fraction]:
        return {str(state): weight.at(point) for state, weight in start.items()}

    def probability(point: Point) -> Fraction:
        return reaching(moves(point), set(goal), begun(point))

    def steps(point: Point) -> Extended:
        return expected(moves(point), set(goal), begun(point), {state: Fraction(1) for state in states})

    def cost(point: Point) -> Extended:
        return expected(moves(point), set(goal), begun(point), ticks)

    limit = random.choice([1, 2, 3])

    def within(point: Point) -> Fraction:
        mass, rows, total = begun(point), moves(point), Fraction(0)
        for turn in range(limit + 1):
            total += sum((mass.pop(state, Fraction(0)) for state in goal), Fraction(0))
            later: dict[str, Fraction] = {}
            for state, weight in mass.items():
                for moved, target in rows[state]:
                    later[target] = later.get(target, Fraction(0)) + weight * moved
            mass = later if turn < limit else mass
        return total

    asked = [
        *number_claims(setting, "p", f"probability C {{ reach {condition}; {begin} % }}", probability),
        *number_claims(setting, "s", f"expected steps C {{ until {condition}; {begin} % }}", steps),
    ]
    if random.random() < 0.4:
        text = f"probability C {{ reach {condition}; within {limit}; {begin} % }}"
        asked += number_claims(setting, "w", text, within)
    if as_program:
        asked += number_claims(setting, "c", f"expected cost C {{ until {condition}; % }}", cost)
    return _program_text(table, ticks) if as_program else table.text, asked


def _program_text(table: Table, ticks: Mapping[str, Fraction]) -> str:
    """The chain in program form, in which a step from a state costs something."""
    lines = [
        f"hmm {table.name} {{",
        f"  state x: {{ {', '.join(table.moves)} }};",
        f"  init x ~ {_drawn(table.starts)};",
    ]
    lines.append("  step { match x {")
    rows = [f"    {s} => {{ tick {ticks[s]}; x ~ {_drawn(row)}; }}" for s, row in table.moves.items()]
    return "\n".join([*lines, ",\n".join(rows), "  } }", "}"])


def _drawn(row: Row) -> str:
    return f"{{ {', '.join(f'{key}: {weight.text}' for key, weight in row.items())} }}"


def hmm_claims(setting: Setting, *, silent: bool, moments: bool) -> tuple[str, list[Asked]]:
    """`likelihood`, with and without posterior, and comparisons of secrets about the start or about later moments."""
    random = setting.random
    table = random_table(setting, "H", silent=silent, chain=False)
    length = random.choice([1, 1, 2, 2, 3])
    secrets = [_random_pair(setting, list(table.moves), moments) for _ in range(random.choice([1, 1, 2]))]
    asked = compared_secrets(setting, "H", secrets, length, table.at)
    shown = sorted({str(letter) for row in table.emits.values() for letter in row if letter != SILENT})
    if shown and (not moments or random.random() < 0.3):
        asked += likelihoods(setting, "H", table.at, random.random() < 0.5, tuple(shown))
    return table.text, asked


Pair = tuple[str, Secret, Secret, int]
"""The text `a vs b`, both predicates, and the last moment that they speak of."""


def compared_secrets(
    setting: Setting, subject: str, pairs: list[Pair], length: int, at: Callable[[Point], Hidden], prior: str = ""
) -> list[Asked]:
    """Claims that secrets look alike for an observer of `length` letters.

    A pair of which one secret has probability 0 at a point is skipped there; a claim says nothing at a point where all
    its pairs are.
    """

    @remembered
    def distributions(point: Point) -> list[tuple[dict[object, Fraction], dict[object, Fraction]]]:
        model, found = at(point), []
        for _, left, right, horizon in pairs:
            above, one = model.words(left, length, horizon)
            below, two = model.words(right, length, horizon)
            if above and below:
                found.append((one, two))
        return found

    def ratio(point: Point) -> Extended | None:
        found = distributions(point)
        return maximum([compared(one, two) for one, two in found]) if found else None

    def delta(point: Point, factor: Fraction) -> Fraction | None:
        found = distributions(point)
        return max(excess(one, two, factor) for one, two in found) if found else None

    def with_slack(point: Point, slack: Fraction) -> Extended | None:
        found = distributions(point)
        return maximum([enough(one, two, slack) for one, two in found]) if found else None

    @remembered
    def counts(point: Point) -> bool:
        model = at(point)
        masses = [model.words(secret, 0, pair[3])[0] for pair in pairs for secret in pair[1:3]]
        return all(masses)

    clauses = prior + " ".join(f"secrets {text};" for text, _, _, _ in pairs) + f" length {length};"
    asked = privacy_claims(setting, "pufferfish", subject, clauses, ratio, delta, counts, with_slack)
    points = setting.points()
    if any(ratio(point) is not None for point in points) and not any(counts(point) for point in points):
        return [claim for claim in asked if claim.form != "find"]  # one pair is skipped everywhere, another is not
    return asked


def likelihoods(
    setting: Setting,
    subject: str,
    at: Callable[[Point], Hidden],
    posterior: bool,
    alphabet: tuple[object, ...],
    name: str = "{state}@{moment}",
    letter_at: Callable[[object, Point], object] = lambda letter, _: letter,
) -> list[Asked]:
    """The probability of a word of such letters, some missing, and what the states were.

    `name` is how a report names a state at a moment, `letter_at` the letter that is seen at a point.
    """
    random = setting.random
    length = random.choice([1, 2, 2, 3])
    word = [random.choice([alphabet[0], *alphabet, "_"]) for _ in range(length)]

    def fits(letters: tuple[object, ...], point: Point) -> bool:
        wanted = [letter_at(letter, point) for letter in word]
        return all(one in ("_", letter) for one, letter in zip(wanted, letters))

    def likelihood(point: Point) -> Fraction:
        return sum(
            (weight for (_, _, letters), weight in at(point).seen(length).items() if fits(letters, point)), Fraction(0)
        )

    def posteriors(point: Point) -> dict[str, Fraction] | None:
        joint = {key: weight for key, weight in at(point).seen(length, length - 1).items() if fits(key[2], point)}
        total = sum(joint.values(), Fraction(0))
        if not total:
            return None
        found: dict[str, Fraction] = {}
        for (_, path, _), weight in joint.items():
            for moment, state in enumerate(path):
                named = name.format(state=state, moment=moment)
                found[named] = found.get(named, Fraction(0)) + weight / total
        return found

    text = f"likelihood {subject} {{ observations {', '.join(literal(letter).text for letter in word)};"
    asked = [Asked("l", "number", f"{text} }}", likelihood)]
    if posterior:
        asked.append(Asked("lp", "named", f"{text} posterior; }}", posteriors))
    return asked


def _random_pair(setting: Setting, states: list[str], moments: bool) -> Pair:
    random = setting.random
    first, second = random.sample(states, 2)
    one, two = 0, 0
    if moments:
        one = random.choice([1, 1, 1, 2])
        two = random.choice([one, one, one, 0])
    left, right = _at(first, one), _at(second, two)
    if random.random() < 0.2:
        return f"{first}@{one} vs not {first}@{one}", left, lambda w, p: not left(w, p), one
    if random.random() < 0.15:
        return f"true vs {first}@{one}", lambda _w, _p: True, left, one
    if moments and random.random() < 0.2:
        other = _at(second, 0)
        both: Secret = lambda w, p: left(w, p) and other(w, p)  # noqa: E731
        return f"{first}@{one} and {second}@0 vs {second}@{two}", both, right, max(one, two)
    return f"{first}@{one} vs {second}@{two}", left, right, max(one, two)


def _at(state: str, moment: int) -> Secret:
    def holds(_world: object, path: Path) -> bool:
        return path[moment] == state

    return holds


__all__ = ["NEVER", "Table", "chain_claims", "hmm_claims"]
