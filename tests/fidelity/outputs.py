"""Random models that show numbers which depend on parameters, so that two of them coincide at single values.

What is shown is a number `a + b*p`, or a pair or an array with one. The oracle puts the parameters in, and then tells
values apart by what they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from random import Random

from .cases import Asked, Setting
from .handlers import Handlers
from .hidden import NEVER, SILENT, Hidden
from .hmms import Pair, compared_secrets, likelihoods
from .loops import loop, shown_rows
from .mechanisms import OTHER, privacy
from .programs import Draw, Environment, Mechanism, Statement, Term, chosen, equal, literal, results, variable
from .tables import comparisons, implements
from .weights import Point, Space, Weight

TYPES = {"number": "real", "pair": "(real, real)", "array": "[2] of real"}


@dataclass(frozen=True)
class Line:
    """The number a + b*x of a parameter x; a constant where b is 0."""

    a: Fraction
    b: Fraction
    name: str

    @property
    def text(self) -> str:
        if not self.b:
            return str(self.a)
        multiple = self.name if abs(self.b) == 1 else f"{abs(self.b)}*{self.name}"
        if not self.a:
            return multiple if self.b > 0 else f"-{multiple}"
        return f"{self.a} {'+' if self.b > 0 else '-'} {multiple}"

    def at(self, point: Point) -> Fraction:
        return self.a + (self.b * point[self.name] if self.b else 0)


@dataclass(frozen=True)
class Shown:
    """A value of a form of `TYPES`."""

    form: str
    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        return _written(self.form, [line.text for line in self.lines])

    def __str__(self) -> str:
        return self.text

    def at(self, point: Point) -> str:
        """The value as text, the same text for the same value."""
        return _written(self.form, [str(line.at(point)) for line in self.lines])


def _written(form: str, parts: Sequence[str]) -> str:
    inner = ", ".join(parts)
    return {"number": inner, "pair": f"({inner})", "array": f"[{inner}]"}[form]


def random_values(setting: Setting, count: int, form: str = "") -> list[Shown]:
    """Different values of one form. Where two of them may coincide is noted."""
    random, space = setting.random, setting.space
    form = form or random.choice(["number", "number", "number", "pair", "array"])
    found: list[Shown] = []
    while len(found) < count:
        lines = [_random_line(random, space) for _ in range(1 if form == "number" else 2)]
        if form != "number" and random.random() < 0.5:  # told apart by one element alone
            lines[random.randrange(2)] = Line(Fraction(1), Fraction(0), "")
        value = Shown(form, tuple(lines))
        if value not in found:
            found.append(value)
    note_coincidences(space, found)
    return found


def _random_line(random: Random, space: Space) -> Line:
    a = random.choice([Fraction(0), Fraction(0), Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)])
    b = random.choice([Fraction(0), Fraction(1), Fraction(1), Fraction(-1), Fraction(2), Fraction(1, 2)])
    return Line(a, b, random.choice(space.names) if b else "")


def note_coincidences(space: Space, values: Iterable[Shown]) -> None:
    """Remembers where two values have an element in common."""
    for one, other in combinations(values, 2):
        for left, right in zip(one.lines, other.lines):
            if left.b and right.b and left.name != right.name:
                space.is_hard = True
            elif left.b != right.b:
                root = (right.a - left.a) / (left.b - right.b)
                space.roots.setdefault(left.name or right.name, set()).add(root)


def picked(name: str, values: Sequence[Shown]) -> Draw:
    """Of some values the one whose number is in a variable, with certainty."""
    text = values[-1].text
    for number in reversed(range(len(values) - 1)):
        text = f"if {name} == {number} then {values[number].text} else {text}"

    def weights(environment: Environment, point: Point) -> Mapping[str, Fraction]:
        number = environment[name]
        assert isinstance(number, int)
        return {values[number].at(point): Fraction(1)}

    return Draw(text, weights)


def output_claims(setting: Setting) -> tuple[str, list[Asked]]:
    """A mechanism whose results are such values, and which may emit some."""
    random = setting.random
    values = random_values(setting, random.choice([2, 2, 3]))
    body: list[Statement] = []
    emitted = random_values(setting, 2) if random.random() < 0.4 else []
    if emitted:
        body += [*_index(setting, "e", 2, variable("t")), Statement("emit", draw=picked("e", emitted))]
    if random.random() < 0.4:
        body += loop(setting, "w", variable("t"), None)
    body += [*_index(setting, "c", len(values), variable("t")), Statement("return", draw=picked("c", values))]
    emits = TYPES[emitted[0].form] if emitted else ""
    made = Mechanism("m", (("t", "bool", (False, True)),), TYPES[values[0].form], tuple(body), emits)
    asked = privacy(setting, made, random.choice([None, None, 1, 2]))
    asked += random.sample(_of_results(setting, made, values), 2)
    return f"{made.text}\n{OTHER}", asked


def _index(setting: Setting, name: str, count: int, condition: Term) -> tuple[Statement, ...]:
    """A variable that is drawn from 0 .. count - 1."""
    drawn = Statement("draw", name, draw=chosen(condition, *shown_rows(setting, count)))
    return (Statement("var", name, literal(0)), drawn)


def _of_results(setting: Setting, made: Mechanism, values: list[Shown]) -> list[Asked]:
    inputs = {"t": setting.random.random() < 0.6}
    call = f"m({str(inputs['t']).lower()})"
    wanted = random_values(setting, 1, values[0].form)[0] if setting.random.random() < 0.3 else values[0]
    note_coincidences(setting.space, dict.fromkeys([*values, wanted]))

    def returning(point: Point) -> Fraction:
        return results(made, inputs, point).get(wanted.at(point), Fraction(0))

    def outcomes(point: Point) -> dict[str, Fraction]:
        found = {str(value): weight for value, weight in results(made, inputs, point).items()}
        return found | {NEVER: 1 - sum(found.values(), Fraction(0))}

    weight: Weight = setting.weights.unit()

    def is_likely(point: Point) -> bool:
        return returning(point) >= weight.at(point)

    call_of_result = f"probability {call} {{ returns {wanted.text};"
    return [
        Asked("r", "number", f"{call_of_result} }}", returning),
        Asked("k", "check", f"{call_of_result} at least {weight.text}; }}", is_likely),
        Asked("di", "named", f"distribution {call};", outcomes),
    ]


def letter_claims(setting: Setting) -> tuple[str, list[Asked]]:
    """An hmm whose letters are such values; its states s and t, or 0 and 1, show one each or draw which."""
    random, weights = setting.random, setting.weights
    letters = random_values(setting, random.choice([2, 2, 3]))
    is_program = random.random() < 0.5
    states: list[object] = [0, 1] if is_program else ["s", "t"]
    start = weights.row(list(states))
    moves = {state: weights.row(list(states)) for state in states}
    emits: dict[object, dict[object, Weight]] = {}
    for state in states:
        shown: list[object] = [*letters, SILENT] if random.random() < 0.3 else list(letters)
        emits[state] = weights.row([random.choice(letters)] if is_program else shown)

    def at(point: Point) -> Hidden:
        shown = {s: _summed((_letter(key, point), w.at(point)) for key, w in row.items()) for s, row in emits.items()}
        steps = {state: {target: w.at(point) for target, w in row.items()} for state, row in moves.items()}
        return Hidden({("", state): w.at(point) for state, w in start.items()}, shown, steps)

    shows = {state: next(iter(row)) for state, row in emits.items()}
    text = _program(start, moves, shows) if is_program else _table(start, moves, emits)
    name = "x@0 == {0} vs x@0 == {1}" if is_program else "{0}@0 vs {1}@0"
    pair: Pair = (
        name.format(*states),
        lambda _w, path: path[0] == states[0],
        lambda _w, path: path[0] == states[1],
        0,
    )
    asked = compared_secrets(setting, "H", [pair], random.choice([1, 1, 2]), at)
    alphabet = list(letters)
    if random.random() < 0.3:
        alphabet.append(random_values(setting, 1, letters[0].form)[0])
        note_coincidences(setting.space, dict.fromkeys(alphabet))
    name = "x@{moment} == {state}" if is_program else "{state}@{moment}"
    asked += likelihoods(setting, "H", at, random.random() < 0.5, tuple(alphabet), name, _letter)
    return text, asked


def _letter(letter: object, point: Point) -> object:
    return letter.at(point) if isinstance(letter, Shown) else letter


def _summed(pairs: Iterable[tuple[object, Fraction]]) -> dict[object, Fraction]:
    found: dict[object, Fraction] = {}
    for value, weight in pairs:
        found[value] = found.get(value, Fraction(0)) + weight
    return found


def _row(row: Mapping[object, Weight]) -> str:
    return ", ".join(f"{_key(key)}: {weight.text}" for key, weight in row.items())


def _key(value: object) -> str:
    return value.text if isinstance(value, Shown) else str(value)


Rows = Mapping[object, Mapping[object, Weight]]


def _table(start: Mapping[object, Weight], moves: Rows, emits: Rows) -> str:
    lines = [f"hmm H {{ states {', '.join(map(str, moves))}; init {_row(start)};"]
    lines += [f"  {state} -> {_row(row)};" for state, row in moves.items()]
    lines += [f"  {state} emits {_row(row)};" for state, row in emits.items()]
    return "\n".join([*lines, "}"])


def _program(start: Mapping[object, Weight], moves: Rows, shows: Mapping[object, object]) -> str:
    lines = [
        "hmm H {",
        f"  state x: 0..1; init x ~ {{ {_row(start)} }};",
        f"  emit if x == 0 then {_key(shows[0])} else {_key(shows[1])};",
        f"  step x ~ if x == 0 then {{ {_row(moves[0])} }} else {{ {_row(moves[1])} }};",
    ]
    return "\n".join([*lines, "}"])


def state_claims(setting: Setting) -> tuple[str, list[Asked]]:
    """An hmm whose states are such numbers, and what its letters tell of them; a step leads from x to 1 - x, or to
    another of its starts."""
    random, weights = setting.random, setting.weights
    values = random_values(setting, 2, "number")
    turned = [Shown("number", (Line(1 - line.a, -line.b, line.name),)) for line in (v.lines[0] for v in values)]
    note_coincidences(setting.space, dict.fromkeys([*values, *turned]))
    start, moved, letters = weights.row([0, 1]), weights.row([0, 1]), weights.row(["0", "1"])
    turns, reads_state = random.random() < 0.5, random.random() < 0.3

    def drawn(row: Mapping[object, Weight], variable_: str) -> str:
        return f"var {variable_} ~ {{ {_row(row)} }}; x = {picked(variable_, values).text};"

    text = "\n".join(
        [
            f"hmm H {{ state x: real; init {{ {drawn(start, 'k')} }}",
            f"  step {{ {'x = 1 - x;' if turns else drawn(moved, 'l')} }}",
            f"  emit {'x' if reads_state else f'{{ {_row(letters)} }}'};",
            "}",
        ]
    )

    def values_of(row: Mapping[object, Weight], point: Point) -> dict[object, Fraction]:
        return _summed((values[number].at(point), weight.at(point)) for number, weight in row.items())  # type: ignore[call-overload]

    def at(point: Point) -> Hidden:
        begun = values_of(start, point)
        states = {value.at(point) for value in (*values, *turned)}
        moves: dict[object, dict[object, Fraction]] = {}
        for state in states:
            moves[state] = {str(1 - Fraction(state)): Fraction(1)} if turns else values_of(moved, point)
        shown = {letter: weight.at(point) for letter, weight in letters.items()}
        emits = {state: {state: Fraction(1)} if reads_state else shown for state in states}
        return Hidden({("", state): weight for state, weight in begun.items()}, emits, moves)  # type: ignore[arg-type]

    alphabet: tuple[object, ...] = (*values, *(turned if turns else ())) if reads_state else tuple(letters)
    return text, likelihoods(setting, "H", at, True, alphabet, "x@{moment} == {state}", _letter)


def response_claims(setting: Setting) -> tuple[str, list[Asked]]:
    """Handlers that respond such values, and others that are said to do the same."""
    random = setting.random
    points = (0, 1)[: random.choice([1, 2])]
    on_data = (Statement("assign", "x", random.choice([variable("d"), variable("d"), literal(1)])),)
    answers = random_values(setting, 2)
    index = _index(setting, "c", 2, equal("x", 0))
    before = loop(setting, "w", equal("x", 1), None) if random.random() < 0.4 else ()
    respond = Statement("respond", draw=picked("c", answers))
    code = Handlers("A", points, on_data, (*before, *index, respond))
    asked = comparisons(setting, "A", code.at)
    texts = [code.text]
    if random.random() < 0.5:
        others = [answers[0], random_values(setting, 1, answers[0].form)[0]]
        note_coincidences(setting.space, dict.fromkeys([*answers, *others]))
        other = Handlers("B", points, on_data, (*index, Statement("respond", draw=picked("c", others))))
        texts.append(other.text)
        asked.append(implements("A", "B", code.at, other.at))
    return "\n".join(texts), asked
