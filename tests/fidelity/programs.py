"""Small programs as text with a meaning of their own: an interpreter makes the Markov chain of runs explicit."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from .linear import Extended, absorbed, expected
from .weights import Point, Weight

Value = Hashable
Environment = Mapping[str, Value]
NEVER = "never"
HALT = "halt"


@dataclass(frozen=True, eq=False)
class Term:
    """An expression: text, and its value in an environment."""

    text: str
    of: Callable[[Environment], Value]


def variable(name: str) -> Term:
    return Term(name, lambda values: values[name])


def literal(value: Value) -> Term:
    return Term(str(value).lower() if isinstance(value, bool) else str(value), lambda _: value)


def negated(term: Term) -> Term:
    return Term(f"not {term.text}", lambda values: not term.of(values))


def equal(name: str, value: Value) -> Term:
    return Term(f"{name} == {literal(value).text}", lambda values: values[name] == value)


@dataclass(frozen=True, eq=False)
class Draw:
    """A distribution: text, and the weight of each value in an environment; what is missing to 1 never comes."""

    text: str
    of: Callable[[Environment, Point], Mapping[Value, Fraction]]


def bernoulli(weight: Weight) -> Draw:
    def values(_values: Environment, point: Point) -> dict[Value, Fraction]:
        return {True: weight.at(point), False: 1 - weight.at(point)}

    return Draw(f"bernoulli({weight.text})", values)


def over(row: Mapping[Value, Weight]) -> Draw:
    text = ", ".join(f"{literal(value).text}: {weight.text}" for value, weight in row.items())
    return Draw(f"{{ {text} }}", lambda _, point: {value: weight.at(point) for value, weight in row.items()})


def binomial(weight: Weight) -> Draw:
    """Of one trial, 0 or 1."""

    def values(_values: Environment, point: Point) -> dict[Value, Fraction]:
        return {0: 1 - weight.at(point), 1: weight.at(point)}

    return Draw(f"binomial(1, {weight.text})", values)


def chosen(condition: Term, one: Draw, other: Draw) -> Draw:
    def values(environment: Environment, point: Point) -> Mapping[Value, Fraction]:
        return (one if condition.of(environment) else other).of(environment, point)

    return Draw(f"if {condition.text} then {one.text} else {other.text}", values)


@dataclass(frozen=True, eq=False)
class Statement:
    """`kind` is var, assign, draw, if, while, tick, emit, respond, return, or call (of `body` with `terms`)."""

    kind: str
    name: str = ""
    term: Term | None = None
    draw: Draw | None = None
    then: tuple[Statement, ...] = ()
    other: tuple[Statement, ...] = ()
    body: Mechanism | None = None
    terms: tuple[Term, ...] = ()

    def lines(self, indent: str) -> list[str]:
        shown = self.term.text if self.term else self.draw.text if self.draw else ""
        inner = indent + "  "
        match self.kind:
            case "var":
                return [f"{indent}var {self.name} = {shown};"]
            case "assign":
                return [f"{indent}{self.name} = {shown};"]
            case "draw":
                return [f"{indent}{self.name} ~ {shown};"]
            case "call":
                assert self.body is not None
                arguments = ", ".join(term.text for term in self.terms)
                return [f"{indent}{self.name} ~ {self.body.name}({arguments});"]
            case "if":
                lines = [f"{indent}if {shown} {{", *_block(self.then, inner)]
                lines += [f"{indent}}} else {{", *_block(self.other, inner)] if self.other else []
                return [*lines, indent + "}"]
            case "while":
                return [f"{indent}while {shown} {{", *_block(self.then, inner), indent + "}"]
            case _:
                return [f"{indent}{self.kind} {shown};"]


def _block(statements: Sequence[Statement], indent: str) -> list[str]:
    return [line for statement in statements for line in statement.lines(indent)]


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A program with inputs: names with their types as text and values."""

    name: str
    inputs: tuple[tuple[str, str, tuple[Value, ...]], ...]
    result: str
    body: tuple[Statement, ...]
    emits: str = ""

    @property
    def text(self) -> str:
        inputs = ", ".join(f"{name}: {type_}" for name, type_, _ in self.inputs)
        emits = f" emits {self.emits}" if self.emits else ""
        result = f" -> {self.result}" if self.result else ""
        return "\n".join([f"mechanism {self.name}({inputs}){emits}{result} {{", *_block(self.body, "  "), "}"])


Frame = tuple[tuple[Statement, ...], str]
Configuration = tuple[tuple[Frame, ...], tuple[tuple[str, Value], ...]]
"""What is left to do, innermost call first, each with the variable that gets its result; and the variables."""


@dataclass(frozen=True)
class Step:
    """One step of a run: where it leads, what it shows (`emit`, `respond`, or the end), what it costs."""

    weight: Fraction
    target: Configuration | None
    shows: tuple[str, Value] | None = None
    ticks: Fraction = Fraction(0)
    turns: int = 0


def begin(body: tuple[Statement, ...], values: Environment) -> Configuration:
    return ((body, ""),), tuple(sorted(values.items()))


def steps(configuration: Configuration, point: Point) -> list[Step]:
    """What a run does next; a run that has come to its end shows ("end", result)."""
    frames, values = configuration
    (statements, target), outer = frames[0], frames[1:]
    if not statements:
        assert not outer, "a mechanism that is called returns"
        return [Step(Fraction(1), None, ("end", values))]
    first, rest = statements[0], ((statements[1:], target), *outer)
    environment = dict(values)

    def then(name: str, value: Value) -> Configuration:
        return rest, tuple(sorted({**environment, name: value}.items()))

    value = first.term.of(environment) if first.term else None
    weights = first.draw.of(environment, point) if first.draw else {value: Fraction(1)}
    drawn = [(weight, drawn_value) for drawn_value, weight in weights.items() if weight]
    match first.kind:
        case "var" | "assign" | "draw":
            return [Step(weight, then(first.name, drawn_value)) for weight, drawn_value in drawn]
        case "if":
            branch = first.then if value else first.other
            return [Step(Fraction(1), (((branch + statements[1:], target), *outer), values))]
        case "while":
            if not value:
                return [Step(Fraction(1), (rest, values))]
            return [Step(Fraction(1), (((first.then + statements, target), *outer), values), turns=1)]
        case "tick":
            assert isinstance(value, int)
            return [Step(Fraction(1), (rest, values), ticks=Fraction(value))]
        case "emit" | "respond":
            return [Step(weight, (rest, values), (first.kind, drawn_value)) for weight, drawn_value in drawn]
        case "call":
            assert first.body is not None
            given = {name: term.of(environment) for (name, _, _), term in zip(first.body.inputs, first.terms)}
            inner = (first.body.body, first.name)
            return [Step(Fraction(1), ((inner, *rest), tuple(sorted({**environment, **given}.items()))))]
        case "return" if outer:
            found = []
            for weight, drawn_value in drawn:
                after = tuple(sorted({**environment, target: drawn_value}.items()))
                found.append(Step(weight, (outer, after)))
            return found
        case "return":
            return [Step(weight, None, ("end", drawn_value)) for weight, drawn_value in drawn]
    raise ValueError(first.kind)


def explored(start: Configuration, point: Point, *, through: bool) -> dict[Configuration, list[Step]]:
    """All configurations that a run comes to; `through` what it shows, or up to there."""
    found: dict[Configuration, list[Step]] = {}
    todo = [start]
    while todo:
        at = todo.pop()
        if at in found:
            continue
        found[at] = steps(at, point)
        todo += [step.target for step in found[at] if step.target and (through or step.shows is None)]
    return found


Shown = tuple[tuple[str, Value], Configuration | None]


def next_shown(start: Configuration, point: Point) -> dict[Shown, Fraction]:
    """What a run shows next and where it is then; what is missing to 1 shows nothing any more."""
    moves: dict[object, list[tuple[Fraction, object]]] = {}
    exits: dict[object, None] = {}
    for at, row in explored(start, point, through=False).items():
        moves[("at", at)] = []
        for step in row:
            if step.shows is None:
                moves[("at", at)].append((step.weight, ("at", step.target)))
            else:
                exit_ = ("shown", step.shows, step.target)
                exits[exit_] = None
                moves[("at", at)].append((step.weight, exit_))
    found = absorbed(moves, list(exits))[("at", start)]
    return {(shows, target): weight for (_, shows, target), weight in found.items()}  # type: ignore[misc]


def seen(start: Configuration, point: Point, length: int | None) -> dict[tuple[object, ...], Fraction]:
    """The probabilities of what a whole run shows, or of its first outputs; the result is one of them."""
    finished: dict[tuple[object, ...], Fraction] = {}
    mass: dict[tuple[tuple[object, ...], Configuration], Fraction] = {((), start): Fraction(1)}
    while mass:
        later: dict[tuple[tuple[object, ...], Configuration], Fraction] = {}
        for (word, at), weight in mass.items():
            if len(word) == length:
                finished[word] = finished.get(word, Fraction(0)) + weight
                continue
            missing = weight
            for (shows, target), more in next_shown(at, point).items():
                missing -= weight * more
                if target is None:
                    ended = (*word, shows, HALT)
                    finished[ended] = finished.get(ended, Fraction(0)) + weight * more
                else:
                    key = (*word, shows), target
                    later[key] = later.get(key, Fraction(0)) + weight * more
            if missing:
                finished[(*word, NEVER)] = finished.get((*word, NEVER), Fraction(0)) + missing
        mass = later
    return finished


def results(mechanism: Mechanism, inputs: Environment, point: Point) -> dict[Value, Fraction]:
    """The probability of each result; what is missing to 1 never ends."""
    moves: dict[object, list[tuple[Fraction, object]]] = {}
    exits: dict[object, None] = {}
    start = begin(mechanism.body, inputs)
    for at, row in explored(start, point, through=True).items():
        moves[("at", at)] = []
        for step in row:
            target: object = ("at", step.target)
            if step.target is None:
                assert step.shows is not None
                target = ("result", step.shows[1])
                exits[target] = None
            moves[("at", at)].append((step.weight, target))
    found = absorbed(moves, list(exits))[("at", start)]
    return {value: weight for (_, value), weight in found.items()}  # type: ignore[misc]


def cost(mechanism: Mechanism, inputs: Environment, point: Point, unit: str) -> Extended:
    """The expected number of turns of loops (`turns`), or sum of what ticks add (`ticks`), until the end."""
    start = begin(mechanism.body, inputs)
    moves: dict[object, list[tuple[Fraction, object]]] = {"end": []}
    costs: dict[object, Fraction] = {}
    for at, row in explored(start, point, through=True).items():
        moves[at] = [(step.weight, step.target if step.target is not None else "end") for step in row]
        costs[at] = sum((step.weight * Fraction(getattr(step, unit)) for step in row), Fraction(0))
    return expected(moves, {"end"}, {start: Fraction(1)}, costs)
