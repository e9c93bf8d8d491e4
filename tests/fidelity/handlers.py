"""Random automata in handler form, whose handlers have loops that may never end."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .automata import BOTTOM, Machine
from .cases import Asked, Setting
from .loops import loop, random_helper, shown_rows
from .programs import Mechanism, Statement, begin, chosen, equal, literal, next_shown, variable
from .tables import comparisons, implements
from .weights import Point

STATES = ("x",)


@dataclass(frozen=True, eq=False)
class Handlers:
    """`x` is the state, 0 or 1 and 0 at first; `d` the data point that came, one of `points`."""

    name: str
    points: tuple[int, ...]
    on_data: tuple[Statement, ...]
    on_query: tuple[Statement, ...]

    @property
    def text(self) -> str:
        lines = [f"automaton {self.name} {{", f"  data d: {self.points[0]}..{self.points[-1]};", "  query ask: {go};"]
        lines += ["  state x: 0..1 = 0;", "  on data d {"]
        lines += [line for statement in self.on_data for line in statement.lines("    ")]
        lines += ["  }", "  on query ask {"]
        lines += [line for statement in self.on_query for line in statement.lines("    ")]
        return "\n".join([*lines, "  }", "}"])

    def at(self, point: Point) -> Machine:
        states = (0, 1)
        data = {d: {x: self._after(self.on_data, {"x": x, "d": d}, point) for x in states} for d in self.points}
        answers: dict[object, dict[tuple[object, object], Fraction]] = {}
        for x in states:
            row: dict[tuple[object, object], Fraction] = {}
            for ((_, response), at), weight in next_shown(begin(self.on_query, {"x": x}), point).items():
                assert at is not None
                for state, more in _ended(at, point).items():
                    row[response, state] = row.get((response, state), Fraction(0)) + weight * more
            answers[x] = row
        return Machine({0: Fraction(1)}, data, {"go": answers})  # type: ignore[dict-item]

    def _after(self, body: tuple[Statement, ...], values: dict[str, object], point: Point) -> dict[object, Fraction]:
        return _ended(begin(body, values), point)  # type: ignore[arg-type]


def _ended(at, point: Point) -> dict[object, Fraction]:  # type: ignore[no-untyped-def]
    """Where the state is after the handler; bottom where it does not end."""
    found: dict[object, Fraction] = {}
    for ((_, values), _), weight in next_shown(at, point).items():
        state = dict(values)["x"]  # type: ignore[call-overload]
        found[state] = found.get(state, Fraction(0)) + weight
    missing = 1 - sum(found.values())
    return found | ({BOTTOM: missing} if missing else {})


def handler_claims(setting: Setting) -> tuple[str, list[Asked]]:
    """Noninterference, and whether a specification without loops is implemented."""
    random = setting.random
    helper = random_helper(setting, "helper") if random.random() < 0.3 else None
    points = (0, 1)[: random.choice([1, 2])]
    on_data = _stored(setting)
    answer = Statement("respond", draw=chosen(equal("x", 0), *shown_rows(setting, 2)))
    before = loop(setting, "w", equal("x", random.choice([0, 1])), helper)
    after = random.choice([(), (Statement("assign", "x", literal(0)),), loop(setting, "z", equal("x", 1), helper)])
    quiet = random.random() < 0.25
    code = Handlers(
        "A",
        points,
        (*on_data, *(loop(setting, "w", equal("x", 1), helper) if quiet else ())),
        (*(() if quiet else before), answer, *after),
    )
    asked = comparisons(setting, "A", code.at)
    texts = [helper.text] if helper else []
    texts.append(code.text)
    if random.random() < 0.5:
        plain = Handlers("B", points, on_data, (answer, *(() if after and after[0].kind != "assign" else after)))
        texts.append(plain.text)
        asked.append(implements("A", "B", code.at, plain.at))
    return "\n".join(texts), asked


def _stored(setting: Setting) -> tuple[Statement, ...]:
    random = setting.random
    if random.random() < 0.6:
        return (Statement("assign", "x", random.choice([variable("d"), literal(1)])),)
    rows = shown_rows(setting, 2)
    return (Statement("draw", "x", draw=chosen(equal("d", 0), *rows)),)


__all__ = ["Handlers", "Mechanism", "handler_claims"]
