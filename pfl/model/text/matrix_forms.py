"""Vectors, rows, matrices and transitions as text: of each only what is not 0."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from pfl.base.number import Number
from pfl.model.labelled_system import SparseRow
from pfl.model.text.forms import NUMBER, Form, Listed, Page, Reading, States, Writing
from pfl.model.text.lines import STEP, Line
from pfl.model.text.numbers import CONSTANT, read_number
from pfl.model.text.records import Part

_DENSE = Listed(NUMBER)


class Entries(Form):
    """A row: states, or `letters`, with their numbers, `{rain: 1/2, sun: 1/2}`; a `bare` one has no brackets."""

    def __init__(self, *, bare: bool = False, letters: bool = False) -> None:
        self._is_bare, self._has_letters = bare, letters

    def head(self, value: Any, page: Writing) -> str:
        known = self._columns(page)
        text = str if known is None else known.text
        entries = ", ".join(f"{text(state)}: {page.number(number)}" for state, number in value)
        return entries if self._is_bare else f"{{{entries}}}"

    def read(self, line: Line, page: Reading) -> Any:
        states, numbers = self._columns(page), page.numbers
        found: list[tuple[int, Number]] = []
        if self._is_bare:
            found.append(_entry(line, states, numbers))
            while line.take(","):
                found.append(_entry(line, states, numbers))
        else:
            found += [_entry(line, states, numbers) for _ in line.list_of("{", "}")]
        return tuple(found)

    def _columns(self, page: Page) -> States | None:
        if self._has_letters:
            return page.letters
        return page.states[-1] if page.states else None


def _entry(line: Line, states: States | None, numbers: dict[str, Fraction]) -> tuple[int, Number]:
    """A state with its number; most are read in one step, and the others, and what is wrong, sign by sign."""
    found = _ENTRY.match(line.text, line.at) if states is not None else None
    if found is not None and states is not None:
        place, number = states.place(found[1]), numbers.get(found[2])
        if place is not None and number is not None:
            line.at = found.end()
            return place, number
    state = line.integer() if states is None else states.read(line)
    line.expect(":")
    return state, read_number(line, numbers)


_ENTRY = re.compile(rf" *(\w+): ({CONSTANT.pattern})")

ROW = Entries()


class Vectors(Form):
    """A vector over the states that lines refer to, `{rain: 1}`; `[1, 0]` where there are none, or not so many. Those
    that read alike are one object."""

    def head(self, value: Any, page: Writing) -> str:
        if not page.states or page.states[-1].size != len(value):
            return _DENSE.head(value, page)
        return ROW.head([(state, number) for state, number in enumerate(value) if number], page)

    def read(self, line: Line, page: Reading) -> Any:
        if line.sees("["):
            return _DENSE.read(line, page)
        if not page.states:
            line.fail("no line above says what the states are: write all entries, `[1/2, 0, 1/2]`")
        states, start = page.states[-1], line.here()
        end = line.text.find("}", start) + 1
        known = page.vectors.get((id(states), line.text[start:end]))
        if known is not None:
            line.at = end
            return known
        vector: list[Number] = [Fraction(0)] * states.size
        for state, number in ROW.read(line, page):
            vector[state] = number
        return page.vectors.setdefault((id(states), line.text[start:end]), tuple(vector))


VECTOR = Vectors()


class ByState(Form):
    """Something for each state that lines refer to: a line for each of which there is something to say.

    `nothing` is what the others have; `sign` stands between the state and what it has.
    """

    is_inline = False

    def __init__(self, of: Form, nothing: Callable[[], Any], sign: str = "") -> None:
        self._of, self._nothing, self._sign = of, nothing, sign

    def head(self, value: Any, page: Writing) -> str:  # noqa: ARG002
        return ""

    def body(self, value: Any, page: Writing) -> Iterator[str]:
        states = page.states[-1]
        for state, held in enumerate(value):
            if held:
                yield from self._of.rows(states.text(state) + self._sign, held, page)

    def read(self, line: Line, page: Reading) -> Any:
        if not page.states:
            line.fail("no line above says what the states are")
        states = page.states[-1]
        found: dict[int, Any] = {}
        for inner in line.below():
            start = inner.here()
            state = states.read(inner)
            if state in found:
                inner.fail("this state stands above already", start)
            if self._sign:
                inner.expect(self._sign.strip())
            found[state] = self._of.read(inner, page)
        nothing = self._nothing()
        return tuple([found.get(state, nothing) for state in range(states.size)])


def _no_entries() -> SparseRow:
    return ()


MATRIX = ByState(Entries(bare=True), _no_entries, " ->")
EMISSION = ByState(Entries(bare=True, letters=True), _no_entries, " ->")


class Transitions(Part):
    """The compressed rows of a chain or a graph: a line for each state that says where its transitions go, how likely,
    what is shown, and what they cost.

    `has_size` if no other line says how many states there are. `labels` is the form of what is shown.
    """

    words: tuple[str, ...] = ("states", "transitions")

    def __init__(self, *, labels: Form | None = None, has_size: bool) -> None:
        self.fields = ("offsets", "targets", "weights", "weight_table", "costs", "cost_table")
        self._labels, self._has_size = labels, has_size
        if labels is not None:
            self.fields += ("labels", "label_table")
        if not has_size:
            self.words = ("transitions",)

    def lines(self, record: Any, page: Writing) -> Iterator[str]:
        size = len(record.offsets) - 1
        if self._has_size:
            yield f"states {size}"
            page.enter(record, record.names, size)
        states = _states(page, size)
        yield "transitions" if record.costs is None else "transitions and costs"
        for state in range(size):
            edges = range(record.offsets[state], record.offsets[state + 1])
            entries = ", ".join(self._entry(record, edge, states, page) for edge in edges)
            yield f"{STEP}{states.text(state)} -> {entries}" if edges else f"{STEP}{states.text(state)} ends"

    def _entry(self, record: Any, edge: int, states: States, page: Writing) -> str:
        text = f"{states.text(record.targets[edge])}: {page.number(record.weight_table[record.weights[edge]])}"
        if self._labels is not None and record.labels[edge]:
            text += f" {self._labels.head(record.label_table[record.labels[edge]], page)}"
        return text if record.costs is None else f"{text} at {page.number(record.cost_table[record.costs[edge]])}"

    def read(self, word: str, line: Line, found: dict[str, Any], page: Reading) -> None:
        if word == "states":
            page.enter(found, found.get("names", ()), line.integer())
            return
        if not page.states:
            line.fail("no line above says what the states are")
        _Rows(page.states[-1], self._labels, has_costs=line.take("and costs")).read(line, found, page)

    def finish(self, found: dict[str, Any]) -> str | None:
        return None if "offsets" in found else "transitions"


def _states(page: Writing, size: int) -> States:
    """The states that lines refer to, by number where they have no names."""
    if not page.states or page.states[-1].size != size:
        page.states.append(States((), size))
    return page.states[-1]


class _Rows:
    """Compressed rows that are being read; numbers, and what is shown, in order of first mention."""

    def __init__(self, states: States, labels: Form | None, *, has_costs: bool) -> None:
        self._states, self._labels, self._has_costs = states, labels, has_costs
        self._targets, self._weights, self._shown, self._costs = (array("i") for _ in range(4))
        self._weight_table: dict[Number, int] = {}
        self._cost_table: dict[Number, int] = {}
        self._label_table: dict[Any, int] = {None: 0}

    def read(self, line: Line, found: dict[str, Any], page: Reading) -> None:
        offsets = array("q", [0])
        for inner in line.below():
            start = inner.here()
            if self._states.read(inner) != len(offsets) - 1:
                inner.fail("there is a line for each state, in order", start)
            if not inner.take("ends"):
                inner.expect("->")
                self._entry(inner, page)
                while inner.take(","):
                    self._entry(inner, page)
            offsets.append(len(self._targets))
        if len(offsets) - 1 != self._states.size:
            line.fail(f"there are {self._states.size} states, and lines for {len(offsets) - 1}")
        found |= {
            "offsets": offsets,
            "targets": self._targets,
            "weights": self._weights,
            "weight_table": tuple(self._weight_table),
            "costs": self._costs if self._has_costs else None,
            "cost_table": tuple(self._cost_table),
        }
        if self._labels is not None:
            found |= {"labels": self._shown, "label_table": tuple(self._label_table)}

    def _entry(self, line: Line, page: Reading) -> None:
        target, weight = _entry(line, self._states, page.numbers)
        self._targets.append(target)
        self._weights.append(self._weight_table.setdefault(weight, len(self._weight_table)))
        if self._labels is not None:
            is_shown = not (line.is_over or line.sees(",") or line.sees("at"))
            label = self._labels.read(line, page) if is_shown else None
            self._shown.append(self._label_table.setdefault(label, len(self._label_table)))
        if self._has_costs:
            line.expect("at")
            cost = read_number(line, page.numbers)
            self._costs.append(self._cost_table.setdefault(cost, len(self._cost_table)))


def chain_states(chain: Any) -> tuple[object, Sequence[str], int]:
    """A chain with its states, for lines that refer to them."""
    return chain, chain.names, chain.size
