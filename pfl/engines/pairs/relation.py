"""Checks a relation family that an author wrote down against the definition of an unwinding family, and covering.

Source: docs/theory/unwinding.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from pfl.analysis.ratio.certificate import with_digest
from pfl.analysis.unwinding.matching import matching
from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.base.exact_text import fraction_text
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.engines.answer import Disproved, Evidence, Proved, Unknown
from pfl.model.claims import mentioned_parameters
from pfl.model.compare import Compare
from pfl.model.labelled_system import Matrix, SparseRow
from pfl.options import Options

NAME = "unwinding"

Pair: TypeAlias = tuple[int, int]
Rows: TypeAlias = tuple[SparseRow, SparseRow]
Action: TypeAlias = Sequence[tuple[str, Matrix]]
"""A data point, or the responses to a query: letters with their matrices."""
Matched: TypeAlias = list[Pair]


def answer(question: Compare, _options: Options, budget: Budget) -> Proved | Disproved | Unknown:
    """Whether the family covers the system, and every related pair pays for what follows; else the pair that does not.

    Unknown where numbers depend on parameters. Raises LimitReached.
    """
    if mentioned_parameters(question):
        reason = "a relation is checked for given values of the parameters only; fix them, for instance --set p=1/2"
        return Unknown(engine=NAME, reason=reason)
    return _Check(question, budget).answer()


@struct
class _Came:
    """How a pair was come to: the pair before, None right after the extra point, and the letters from there."""

    before: Pair | None
    letter: str


class _Check:
    def __init__(self, question: Compare, budget: Budget) -> None:
        (table,) = question.tables
        assert question.family is not None
        assert table.epsilon is not None
        assert table.unwindable is not None
        self._family, self._epsilon, self._runs = question.family, table.epsilon, table.unwindable
        self._system = system = self._runs.system
        self._budget = budget
        self._came: dict[Pair, _Came] = {}
        answers, self._actions = list(system.answer_letters), list[Action]()
        self._actions += [[(f"[{data}]", matrix)] for data, matrix in zip(system.data, system.data_moves)]
        for responses in system.answers:
            self._actions.append(answers[: len(responses)])
            answers = answers[len(responses) :]
        self._epsilons = self._family.epsilons(self._epsilon)
        self._paid: dict[tuple[int, int, Fraction], bool] = {}
        self._spent: set[tuple[int, Fraction]] = set()
        self._pays_once = True
        self._covering: list[tuple[int, int, Matched]] = []
        self._steps: list[list[Matched]] = []

    def answer(self) -> Proved | Disproved:
        problem = self._uncovered()
        if problem is not None:
            return problem
        pending = list(self._came)
        for number, pair in enumerate(pending):
            if number % 256 == 0:
                self._budget.check(f"{number:,} related pairs")
            problem = self._unpaid(pair, pending)
            if problem is not None:
                return problem
        facts = (
            ("proved by", f"the relation as written, {len(pending):,} related pairs of {self._system.bottom:,} states"),
            ("largest balance", str(self._largest())),
            ("payment", "one delta an action" if self._pays_once else "each matched pair of states its own"),
        )
        certificates = (self._certificate(pending),)
        return Proved(engine=NAME, evidence=Evidence(kind="unwinding", certificates=certificates, facts=facts))

    def _largest(self) -> Epsilon:
        """The most that is needed after an extra point: a ratio that is paid at once, and a balance."""
        largest = Epsilon.rational(Fraction(0))
        for place, ratio in self._spent:
            needed = self._epsilons[place] + Epsilon.ln(ratio)
            if (needed - largest).sign() > 0:
                largest = needed
        return largest

    def _certificate(self, pairs: Sequence[Pair]) -> dict[str, Any]:
        content = {"pairs": pairs, "covering": self._covering, "steps": self._steps}
        return with_digest("relation", content)

    def _uncovered(self) -> Disproved | None:
        """A state and an extra point after which the runs are not related within epsilon."""
        epsilon = self._epsilon
        for state, path in self._reached().items():
            for extra in range(len(self._runs.extras)):
                with_point, without = self._runs.sides(extra, state)
                letter = self._runs.letters[self._runs.extra_letter(extra)]
                matched = self._matched([(without, with_point)], 0)[0]
                if matched is None:
                    problem = f"not every run is covered: after {letter} the states are not related within {epsilon}"
                    return self._disproof(problem, ", ".join((*path, letter)), without, with_point)
                self._covering.append((state, extra, matched))
                one, other = dict(without), dict(with_point)
                for x, y in matched:
                    place = self._family.place(x, y)
                    assert place is not None, "matched states are related"
                    self._spent.add((place, _ratio(one[x], other[y])))
                for pair in matched:
                    if pair[0] != pair[1]:
                        self._came.setdefault(pair, _Came(before=None, letter=", ".join((*path, letter))))
        return None

    def _unpaid(self, pair: Pair, pending: list[Pair]) -> Disproved | None:
        """A letter that a related pair does not pay for; pairs behind it that are new are added to `pending`."""
        left, right = pair
        balance = self._family.place(left, right)
        assert balance is not None
        if self._system.asked and self._system.waits(left) != self._system.waits(right):
            return self._disproof("only one of two related states takes queries", self._path(pair), (), (), pair)
        steps: list[Matched] = []
        for action in self._actions:
            for (letter, matrix), matched in zip(
                action, self._matched([(matrix[left], matrix[right]) for _, matrix in action], balance)
            ):
                if matched is None:
                    what = f"the balance {self._epsilons[balance]} of two related states does not pay for {letter}"
                    return self._disproof(what, self._path(pair), matrix[left], matrix[right], pair)
                steps.append(matched)
                for found in matched:
                    if found[0] != found[1] and found not in self._came:
                        self._came[found] = _Came(before=pair, letter=letter)
                        pending.append(found)
        self._steps.append(steps)
        return None

    def _matched(self, rows: Sequence[Rows], balance: int) -> list[Matched | None]:
        """For each letter of an action a bijection of its supports that the balance pays for; None where there is none.

        With one delta for the whole action, as the definition wants it, if that can be; else each matched pair of
        states pays what it needs, which proves as much.
        """
        each = [self._bijection(row, balance, None) for row in rows]
        if None in each:
            return each
        for delta in sorted({_ratio(p, q) for left, right in rows for _, p in left for _, q in right}):
            once = [self._bijection(row, balance, delta) for row in rows]
            if None not in once:
                return once
        self._pays_once = self._pays_once and not any(each)
        return each

    def _bijection(self, rows: Rows, balance: int, delta: Fraction | None) -> Matched | None:
        """A bijection of two supports along pairs that the balance pays for, each with the ratio of its probabilities
        or, if it is given, with delta, which must be as large; None where there is none."""
        left, right = rows
        if len(left) != len(right):
            return None
        choices = {
            x: [
                y
                for y, q in right
                if (delta is None or _ratio(p, q) <= delta)
                and self._pays(balance, x, y, _ratio(p, q) if delta is None else delta)
            ]
            for x, p in left
        }
        found = matching(choices)
        return None if found is None else list(found.items())

    def _pays(self, balance: int, left: int, right: int, ratio: Fraction) -> bool:
        """Whether two states are related by what is left of a balance after a ratio was paid."""
        needed = self._family.place(left, right)
        if needed is None:
            return False
        key = (balance, needed, ratio)
        if key not in self._paid:
            self._paid[key] = (self._epsilons[balance] - self._epsilons[needed]).compare(ratio) <= 0
        return self._paid[key]

    def _reached(self) -> dict[int, tuple[str, ...]]:
        """Every state that can be reached, with a shortest path to it."""
        found: dict[int, tuple[str, ...]] = {s: () for s, weight in enumerate(self._system.start) if weight}
        pending = list(found)
        for state in pending:
            for letter, matrix in (each for action in self._actions for each in action):
                for target, _ in matrix[state]:
                    if target not in found:
                        found[target] = (*found[state], letter)
                        pending.append(target)
        return found

    def _path(self, pair: Pair) -> str:
        came = self._came[pair]
        letters = [came.letter]
        while came.before is not None:
            came = self._came[came.before]
            letters.append(came.letter)
        return ", ".join(reversed(letters))

    def _disproof(
        self, problem: str, path: str, left: SparseRow, right: SparseRow, pair: Pair | None = None
    ) -> Disproved:
        facts = [("path", path)]
        states = self._system.states
        if pair is not None:
            facts.append(("pair", f"{states[pair[0]]}  and  {states[pair[1]]}"))
        facts.append(("left", self._shown(left)))
        facts.append(("right", self._shown(right)))
        return Disproved(engine=NAME, problem=problem, facts=tuple(facts))

    def _shown(self, row: SparseRow) -> str:
        states = self._system.states
        return "; ".join(f"{states[s]}: {fraction_text(_exact(weight))}" for s, weight in row) or "impossible"


def _ratio(one: Number, other: Number) -> Fraction:
    """The larger probability over the smaller one."""
    ratio = _exact(one) / _exact(other)
    return max(ratio, 1 / ratio)


def _exact(number: object) -> Fraction:
    assert isinstance(number, Fraction), "the numbers are constants"
    return number
