"""Random automata as tables, with hidden steps that may never end at some value of a parameter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from .automata import BOTTOM, Adjacency, Machine, are_equal, largest_ratio, least_delta
from .cases import Asked, Setting, privacy_claims, remembered
from .linear import absorbed
from .weights import Point, Weight, constant

Row = Mapping[object, Weight]
Machines = Callable[[Point], Machine]


@dataclass(frozen=True)
class Automaton:
    """A table in which queries and responses take turns.

    `waits` have a row for each data point and each query; `hidden` states one; `outputs` say a response and move on.
    """

    name: str
    start: Row
    waits: Mapping[str, Mapping[str, Row]]
    hidden: Mapping[str, Row]
    outputs: Mapping[str, tuple[str, Row]]
    data: tuple[str, ...]
    queries: tuple[str, ...]

    @property
    def text(self) -> str:
        states = ", ".join([*self.waits, *self.hidden, *self.outputs])
        responses = ", ".join(dict.fromkeys(response for response, _ in self.outputs.values()))
        lines = [f"automaton {self.name} {{", f"  states {states};  start {_row(self.start)};"]
        lines.append(f"  data {', '.join(self.data)};  query {', '.join(self.queries)};  output {responses};")
        lines += ["  hidden h;"] if self.hidden else []
        lines += [f"  {s} -- {a} --> {_row(row)};" for s, rows in self.waits.items() for a, row in rows.items()]
        lines += [f"  {state} -- h --> {_row(row)};" for state, row in self.hidden.items()]
        lines += [f"  {state} -- {says} --> {_row(row)};" for state, (says, row) in self.outputs.items()]
        return "\n".join([*lines, "}"])

    def at(self, point: Point) -> Machine:
        steps = {s: [(weight.at(point), t) for t, weight in row.items()] for s, row in self.hidden.items()}
        ends = absorbed(steps, [*self.waits, *self.outputs])

        def closed(row: Row) -> dict[object, Fraction]:
            found: dict[object, Fraction] = {}
            for target, weight in row.items():
                for end, more in ends[target].items():
                    found[end] = found.get(end, Fraction(0)) + weight.at(point) * more
            missing = 1 - sum(found.values())
            return {end: weight for end, weight in found.items() if weight} | ({BOTTOM: missing} if missing else {})

        answers: dict[object, dict[object, dict[tuple[object, object], Fraction]]] = {}
        for query in self.queries:
            answers[query] = {}
            for state, rows in self.waits.items():
                answered: dict[tuple[object, object], Fraction] = {}
                for output, weight in closed(rows[query]).items():
                    if output == BOTTOM:
                        continue
                    says, row = self.outputs[str(output)]
                    for target, more in closed(row).items():
                        answered[says, target] = answered.get((says, target), Fraction(0)) + weight * more
                answers[query][state] = answered
        data = {d: {state: closed(rows[d]) for state, rows in self.waits.items()} for d in self.data}
        return Machine(closed(self.start), data, answers)


def _row(row: Row) -> str:
    if len(row) == 1:
        return str(next(iter(row)))
    return f"{{ {', '.join(f'{target}: {weight.text}' for target, weight in row.items())} }}"


def random_automaton(setting: Setting, name: str) -> Automaton:
    random, weights = setting.random, setting.weights
    waits = ["i", "j"][: random.choice([1, 2, 2])]
    data = ("d", "e")[: random.choice([1, 1, 2])]
    queries = ("y",)
    outputs = ["o", "n"]
    inner = ["k"] if random.random() < 0.8 else ["k", "l"]
    resting = ["w"] if random.random() < 0.35 else []
    hidden: dict[str, Row] = {}
    for state in inner:
        hidden[state] = _leaving(setting, state, [*inner, *outputs], outputs)
    for state in resting:
        hidden[state] = _leaving(setting, state, [*resting, *waits], waits)
    rows: dict[str, dict[str, Row]] = {}
    for state in waits:
        rows[state] = {point: weights.row([*waits, *resting]) for point in data}
        rows[state] |= {query: weights.row([*inner, *outputs]) for query in queries}
    says = {output: (response, weights.row([*waits, *resting])) for output, response in zip(outputs, ("r", "s"))}
    start = weights.row([*waits, *resting]) if random.random() < 0.3 else {waits[0]: constant(1)}
    return Automaton(name, start, rows, hidden, says, data, queries)


def _leaving(setting: Setting, state: str, targets: list[str], exits: list[str]) -> Row:
    """A hidden step that stays where it is with a probability that may be 1."""
    if setting.random.random() < 0.3:
        return setting.weights.row(list(targets))
    staying = setting.weights.varying()
    return {state: staying, setting.random.choice(exits): staying.complement}


def without_silence(automaton: Automaton, name: str) -> Automaton:
    """The same, but a hidden step is never a step to itself: equal wherever each is left in the end."""
    hidden: dict[str, Row] = {}
    for state, row in automaton.hidden.items():
        others = {target: weight for target, weight in row.items() if target != state}
        if len(others) == 1:
            hidden[state] = {target: constant(1) for target in others}
        else:
            hidden[state] = row
    return Automaton(
        name, automaton.start, automaton.waits, hidden, automaton.outputs, automaton.data, automaton.queries
    )


def comparisons(setting: Setting, name: str, at: Machines) -> list[Asked]:
    """Claims of noninterference about a machine."""
    random = setting.random
    at = remembered(at)
    length = random.choice([2, 2, 3])
    adjacency: Adjacency = "replace" if random.random() < 0.25 else "insert"
    if adjacency == "replace" and len(at(setting.points()[0]).data) < 2:
        adjacency = "insert"
    clauses = f"adjacent {adjacency}; length {length};"
    return privacy_claims(
        setting,
        "noninterference",
        name,
        clauses,
        remembered(lambda point: largest_ratio(at(point), adjacency, length)),
        lambda point, factor: least_delta(at(point), adjacency, length, factor),
    )


def table_claims(setting: Setting) -> tuple[str, list[Asked]]:
    """Noninterference of a table, and whether it implements one without steps that lead nowhere."""
    automaton = random_automaton(setting, "A")
    asked = comparisons(setting, "A", automaton.at)
    text = automaton.text
    if setting.random.random() < 0.5:
        plain = without_silence(automaton, "B")
        text += "\n" + plain.text
        asked.append(implements("A", "B", automaton.at, plain.at))
    return text, asked


def implements(name: str, other: str, one: Machines, two: Machines) -> Asked:
    """`check implements A of B`."""
    return Asked("i", "check", f"implements {name} of {other};", lambda point: are_equal(one(point), two(point)))
