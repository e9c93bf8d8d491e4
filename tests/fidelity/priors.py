"""Random hmms in program form: under priors, compared by their starts, with mechanisms drawn in what they emit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from .cases import Asked, Setting
from .hidden import SILENT, Hidden, Path, Secret
from .hmms import Pair, compared_secrets, likelihoods
from .loops import random_helper
from .programs import Mechanism, literal, results
from .weights import Point, Weight, constant

Row = Mapping[object, Weight]


@dataclass(frozen=True)
class Program:
    """An hmm of one variable x in 0..1. What a state emits is a row, or drawn from a mechanism."""

    initial: Row
    emits: tuple[Row | Mechanism, ...]
    steps: tuple[Row, ...] | None

    @property
    def text(self) -> str:
        lines = ["hmm S {", f"  state x: 0..1;  init x ~ {_row(self.initial)};"]
        lines.append("  emits bool;")
        lines.append(f"  emit match x {{ 0 => {_drawn(self.emits[0])}, 1 => {_drawn(self.emits[1])} }};")
        if self.steps:
            lines.append(f"  step x ~ match x {{ 0 => {_row(self.steps[0])}, 1 => {_row(self.steps[1])} }};")
        return "\n".join([*lines, "}"])

    def at(self, point: Point, start: Mapping[tuple[object, object], Fraction]) -> Hidden:
        emits: dict[int, Mapping[object, Fraction]] = {}
        for state, emitted in enumerate(self.emits):
            if isinstance(emitted, Mechanism):
                emits[state] = results(emitted, {}, point)
            else:
                emits[state] = _at(emitted, point)
        steps = {x: _at(self.steps[x], point) if self.steps else {x: Fraction(1)} for x in (0, 1)}
        return Hidden(start, emits, steps)  # type: ignore[arg-type]


def _row(row: Row) -> str:
    return f"{{ {', '.join(f'{literal(key).text}: {weight.text}' for key, weight in row.items())} }}"


def _drawn(emitted: Row | Mechanism) -> str:
    return f"{emitted.name}()" if isinstance(emitted, Mechanism) else _row(emitted)


def _at(row: Row, point: Point) -> dict[object, Fraction]:
    return {key: weight.at(point) for key, weight in row.items()}


def random_program(setting: Setting) -> tuple[str, Program]:
    random, weights = setting.random, setting.weights
    letters: list[object] = [True, False, SILENT] if random.random() < 0.5 else [True, False]
    emits: list[Row | Mechanism] = [weights.row(letters), weights.row(letters)]
    texts = []
    if random.random() < 0.5:
        helper = random_helper(setting, "helper")
        emits[random.randrange(2)] = helper
        texts.append(helper.text)
    steps = (weights.row([0, 1]), weights.row([0, 1])) if random.random() < 0.7 else None
    program = Program(weights.row([0, 1]), tuple(emits), steps)
    return "\n".join([*texts, program.text]), program


def prior_claims(setting: Setting) -> tuple[str, list[Asked]]:
    """Secrets about what a prior draws, whose probabilities may vanish, and about states."""
    random, weights = setting.random, setting.weights
    text, program = random_program(setting)
    first, second = weights.unit(), weights.unit()
    rows = weights.row([0, 1]), weights.row([0, 1])
    start = random.choice(
        [
            ("start x = if a and b then 1 else 0;", lambda a, b: {int(a and b): constant(1)}),
            ("start x = count(s for s in [a, b] if s) mod 2;", lambda a, b: {(a + b) % 2: constant(1)}),
            (f"start x ~ if a == b then {_row(rows[0])} else {_row(rows[1])};", lambda a, b: rows[0 if a == b else 1]),
        ]
    )
    prior = "\n".join(
        ["prior W for S {", f"  a ~ bernoulli({first.text});  b ~ bernoulli({second.text});", f"  {start[0]}", "}"]
    )

    def at(point: Point) -> Hidden:
        found: dict[tuple[object, object], Fraction] = {}
        for a in (False, True):
            for b in (False, True):
                weight = (first if a else first.complement).at(point) * (second if b else second.complement).at(point)
                for state, more in _at(start[1](a, b), point).items():
                    if weight * more:
                        found[(a, b), state] = found.get(((a, b), state), Fraction(0)) + weight * more
        return program.at(point, found)

    length = random.choice([1, 1, 2])
    pairs = [_random_pair(setting) for _ in range(random.choice([1, 1, 2]))]
    asked = compared_secrets(setting, "S", pairs, length, at, prior="prior W; ")
    return f"{text}\n{prior}", asked


def start_claims(setting: Setting) -> tuple[str, list[Asked]]:
    """The likelihood from the model's own start, and `between` two starts."""
    text, program = random_program(setting)
    asked = likelihoods(setting, "S", lambda point: _named(program, point, program.initial), False, (True, False))
    rows = setting.weights.row([0, 1]), setting.weights.row([0, 1])
    if _row(rows[0]) == _row(rows[1]):
        return text, asked
    length = setting.random.choice([1, 2])
    pair: Pair = ("", lambda world, _: world == 0, lambda world, _: world == 1, 0)

    def at(point: Point) -> Hidden:
        sides = [(side, _at(row, point)) for side, row in enumerate(rows)]
        found = {(side, state): weight / 2 for side, row in sides for state, weight in row.items()}
        return program.at(point, found)  # type: ignore[arg-type]

    for claim in compared_secrets(setting, "S", [pair], length, at):
        between = f"between {_row(rows[0])} and {_row(rows[1])};"
        changed = claim.text.replace("secrets ;", between)
        asked.append(Asked(claim.name, claim.form, changed, claim.truth, claim.names, claim.objective))
    return text, asked


def _named(program: Program, point: Point, start: Row) -> Hidden:
    return program.at(point, {("", state): weight for state, weight in _at(start, point).items()})


def _random_pair(setting: Setting) -> Pair:
    random = setting.random
    moment = random.choice([0, 1])
    one: Secret = lambda world, _: bool(world[0])  # type: ignore[index]  # noqa: E731
    both: Secret = lambda world, _: bool(world[0] and world[1])  # type: ignore[index]  # noqa: E731

    def state(value: int) -> Secret:
        def holds(_world: object, path: Path) -> bool:
            return path[moment] == value

        return holds

    return random.choice(
        [
            ("a vs not a", one, lambda w, p: not one(w, p), 0),
            ("a vs not a", one, lambda w, p: not one(w, p), 0),
            ("true vs a", lambda _w, _p: True, one, 0),
            ("a and b vs not a", both, lambda w, p: not one(w, p), 0),
            (f"x@{moment} == 0 vs x@{moment} == 1", state(0), state(1), moment),
            (f"a and x@{moment} == 0 vs x@{moment} == 1", lambda w, p: one(w, p) and state(0)(w, p), state(1), moment),
        ]
    )
