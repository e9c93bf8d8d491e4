"""Random automata in table form as PFL text, and what an examiner sees of them straight from their transitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

Row = Mapping[str, Fraction]
Seen = tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """`moves[s][a]` are the targets of action a in state s; hidden steps may lead back, a state may have no action."""

    start: str
    data: tuple[str, ...]
    queries: tuple[str, ...]
    moves: Mapping[str, Mapping[str, Row]]

    @property
    def text(self) -> str:
        """The automaton as PFL declares it."""
        lines = [
            "automaton Table {",
            f"    states {', '.join(self.moves)};  start {self.start};",
            f"    data {', '.join(self.data)};  query {', '.join(self.queries)};  output yes, no;  hidden tau;",
        ]
        for state, actions in self.moves.items():
            for action, row in actions.items():
                targets = ", ".join(f"{target}: {weight}" for target, weight in row.items())
                lines.append(f"    {state} -- {action} --> {{ {targets} }};")
        return "\n".join([*lines, "}"])


@st.composite
def tables(draw: st.DrawFn, *, answers_data: bool) -> Table:
    """Up to four states that wait, respond, take hidden steps, or do nothing; the first one waits.

    Unless it `answers_data`, no data point leads to a response.
    """
    # Where every query may lead to every response or to none, ratios are often finite.
    is_alike = draw(st.booleans())
    others = st.sampled_from(["waits", "waits", "tau"] if is_alike else ["waits", "yes", "no", "tau", "yes", "stops"])
    roles = ["waits", *(["yes", "no"] if is_alike else []), *draw(st.lists(others, min_size=1, max_size=3))]
    names = [f"s{n}" for n in range(len(roles))]
    data, queries = ("a", "b")[: draw(st.integers(1, 2))], ("y", "z")[: draw(st.integers(1, 2))]
    waiting = [name for name, role in zip(names, roles) if role == "waits"]
    everywhere = _all_of([waiting[-1], "s1", "s2"]) if is_alike else _row(names)
    moves: dict[str, dict[str, Row]] = {}
    for name, role in zip(names, roles):
        moves[name] = {}
        if role == "waits":
            for action in data:
                moves[name][action] = draw(_row(names if answers_data else waiting))
            for action in queries:
                moves[name][action] = draw(everywhere)
        elif role != "stops":
            # Responses lead forward or to where inputs are awaited, so that most queries get few of them.
            behind = names if role == "tau" else [*waiting, *names[names.index(name) + 1 :]]
            moves[name][role] = draw(_row(list(dict.fromkeys(behind))))
    return Table(start="s0", data=data, queries=queries, moves=moves)


@st.composite
def _row(draw: st.DrawFn, names: Sequence[str]) -> Row:
    targets = draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
    weights = draw(st.lists(st.integers(1, 3), min_size=len(targets), max_size=len(targets)))
    return {target: Fraction(weight, sum(weights)) for target, weight in zip(targets, weights)}


@st.composite
def _all_of(draw: st.DrawFn, names: Sequence[str]) -> Row:
    weights = draw(st.lists(st.integers(1, 3), min_size=len(names), max_size=len(names)))
    return {name: Fraction(weight, sum(weights)) for name, weight in zip(names, weights)}


class Examiner:
    """The probabilities of what is seen under given inputs: nothing is shared with the compiler."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._rest = {state: self._closed(state) for state in table.moves}

    def seen(self, inputs: Sequence[str], most: int) -> tuple[dict[Seen, Fraction], bool]:
        """How likely what is seen begins with each sequence of at most `most` queries and responses; and whether that
        is all that can be seen."""
        found: dict[Seen, Fraction] = {}
        is_all = True
        pending: list[tuple[int, Seen, str, Fraction]] = [
            (0, (), state, weight) for state, weight in self._rest[self._table.start].items()
        ]
        while pending:
            taken, seen, state, mass = pending.pop()
            actions = self._table.moves[state]
            output = next((action for action in actions if action in ("yes", "no")), None)
            if output is None and (taken == len(inputs) or not actions):
                continue
            action = output or inputs[taken]
            shown = seen if action in self._table.data else (*seen, action)
            if len(shown) > most:
                is_all = False
                continue
            if shown != seen:
                found[shown] = found.get(shown, Fraction(0)) + mass
            for target, weight in actions[action].items():
                for rest, share in self._rest[target].items():
                    pending.append((taken + (output is None), shown, rest, mass * weight * share))
        return found, is_all

    def _closed(self, state: str) -> dict[str, Fraction]:
        """Where hidden steps end, by elimination; what is missing to 1 never ends."""
        moves = self._table.moves
        hidden = [name for name in moves if "tau" in moves[name]]
        if state not in hidden:
            return {state: Fraction(1)}
        can_end = {name for name in moves if name not in hidden}
        for _ in moves:
            can_end |= {name for name in hidden if can_end & moves[name]["tau"].keys()}
        unknown = [name for name in hidden if name in can_end]
        if state not in unknown:
            return {}
        rows = [[Fraction(i == j) - moves[x]["tau"].get(y, Fraction(0)) for j, y in enumerate(unknown)]
                for i, x in enumerate(unknown)]  # fmt: skip
        ends = [name for name in moves if name not in hidden]
        right = [[moves[x]["tau"].get(end, Fraction(0)) for end in ends] for x in unknown]
        for i in range(len(unknown)):
            pivot = next(k for k in range(i, len(unknown)) if rows[k][i])
            rows[i], rows[pivot], right[i], right[pivot] = rows[pivot], rows[i], right[pivot], right[i]
            scale = rows[i][i]
            rows[i], right[i] = [x / scale for x in rows[i]], [x / scale for x in right[i]]
            for k in range(len(unknown)):
                factor = rows[k][i]
                if k != i and factor:
                    rows[k] = [x - factor * y for x, y in zip(rows[k], rows[i])]
                    right[k] = [x - factor * y for x, y in zip(right[k], right[i])]
        return {end: mass for end, mass in zip(ends, right[unknown.index(state)]) if mass}


def largest_ratio(table: Table, adjacency: str, inputs: int, most: int) -> tuple[Fraction | None, bool]:
    """The largest ratio of two runs with at most so many inputs, None if infinite, over what is seen of at most `most`
    queries and responses; and whether nothing longer can be seen."""
    examiner = Examiner(table)
    largest: Fraction | None = Fraction(1)
    is_all = True
    for length in range(inputs + 1):
        for sequence in product((*table.data, *table.queries), repeat=length):
            one, all_of_one = examiner.seen(sequence, most)
            is_all = is_all and all_of_one
            for other in _neighbours(table, sequence, adjacency):
                two, _ = examiner.seen(other, most)
                for left, right in ((one, two), (two, one)):
                    for seen, mass in left.items():
                        if seen not in right:
                            largest = None
                        elif largest is not None:
                            largest = max(largest, mass / right[seen])
    return largest, is_all


def _neighbours(table: Table, sequence: Sequence[str], adjacency: str) -> Iterator[tuple[str, ...]]:
    for place, given in enumerate(sequence):
        if given in table.data:
            before, after = tuple(sequence[:place]), tuple(sequence[place + 1 :])
            if adjacency == "insert":
                yield before + after
            else:
                yield from ((*before, point, *after) for point in table.data)
