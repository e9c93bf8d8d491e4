"""Checks a relation family that an author wrote down against the definition of an unwinding family, and covering.

Source: docs/theory/unwinding.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.base.exact_text import fraction_text
from pfl.base.rational_function import RationalFunction
from pfl.engines.answer import Disproof, Evidence, Holds, Undecided
from pfl.ir.interactive_questions import RelationCheck
from pfl.ir.labelled_system import SparseRow

NAME = "unwinding"
_NOTHING = Epsilon.rational(Fraction(0))


def answer(question: RelationCheck, budget: Budget) -> Holds | Disproof | Undecided:
    """Whether the family covers the system, and every related pair pays for what follows; else the pair that does not.

    Undecided where numbers depend on parameters. Raises LimitReached.
    """
    epsilons = (question.epsilon, *(balance.epsilon for balance in question.balances))
    if any(isinstance(number, RationalFunction) for number in question.runs.system.numbers) or any(
        epsilon.parameters for epsilon in epsilons
    ):
        reason = "a relation is checked for given values of the parameters only; fix them, for instance --set p=1/2"
        return Undecided(engine=NAME, reason=reason)
    return _Check(question, budget).answer()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Came:
    """How a pair was come to: the pair before, None right after the extra point, and the letters from there."""

    before: tuple[int, int] | None
    letter: str


class _Check:
    def __init__(self, question: RelationCheck, budget: Budget) -> None:
        self._question = question
        self._runs = question.runs
        self._system = question.runs.system
        self._budget = budget
        self._came: dict[tuple[int, int], _Came] = {}
        self._letters = [
            *zip(self._system.data, self._system.data_moves),
            *self._system.answer_letters,
        ]

    def answer(self) -> Holds | Disproof:
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
        places = [self._question.related[pair] for pair in pending]
        largest = self._question.balances[max(places)].epsilon if places else _NOTHING
        facts = (
            ("proved by", f"the relation as written, {len(pending):,} related pairs of {self._system.bottom:,} states"),
            ("largest balance", str(largest)),
        )
        return Holds(engine=NAME, evidence=Evidence(kind="unwinding", facts=facts))

    def _balance(self, left: int, right: int) -> Epsilon | None:
        """The smallest balance by which two states are related; None where they are not."""
        if left == right:
            return _NOTHING
        place = self._question.related.get((left, right))
        return None if place is None else self._question.balances[place].epsilon

    def _uncovered(self) -> Disproof | None:
        """A state and an extra point after which the runs are not related within epsilon."""
        reached = self._reached()
        for state, path in reached.items():
            for extra in range(len(self._runs.extras)):
                with_point, without = self._runs.sides(extra, state)
                letter = self._runs.letters[self._runs.extra_letter(extra)]
                matched = _match(without, with_point, self._allowed(self._question.epsilon))
                if matched is None:
                    return self._disproof(
                        f"not every run is covered: after {letter} the states are not related within "
                        f"{self._question.epsilon}",
                        ", ".join((*path, letter)),
                        without,
                        with_point,
                    )
                for pair in matched:
                    if pair[0] != pair[1]:
                        self._came.setdefault(pair, _Came(before=None, letter=", ".join((*path, letter))))
        return None

    def _unpaid(self, pair: tuple[int, int], pending: list[tuple[int, int]]) -> Disproof | None:
        """A letter that a related pair does not pay for; pairs behind it that are new are added to `pending`."""
        left, right = pair
        balance = self._balance(left, right)
        assert balance is not None
        if self._system.asked and self._system.waits(left) != self._system.waits(right):
            return self._disproof("only one of two related states takes queries", self._path(pair), (), (), pair)
        for letter, matrix in self._letters:
            matched = _match(matrix[left], matrix[right], self._allowed(balance))
            if matched is None:
                what = f"the balance {balance} of two related states does not pay for {letter}"
                return self._disproof(what, self._path(pair), matrix[left], matrix[right], pair)
            for found in matched:
                if found[0] != found[1] and found not in self._came:
                    self._came[found] = _Came(before=pair, letter=letter)
                    pending.append(found)
        return None

    def _allowed(self, balance: Epsilon) -> _Allowed:
        return _Allowed(check=self, balance=balance)

    def is_related(self, left: int, right: int, ratio: Fraction, balance: Epsilon) -> bool:
        """Whether two states are related by what is left of the balance after a ratio was paid."""
        needed = self._balance(left, right)
        return needed is not None and (balance - needed).compare(max(ratio, 1 / ratio)) <= 0

    def _reached(self) -> dict[int, tuple[str, ...]]:
        """Every state that can be reached, with a shortest path to it."""
        found: dict[int, tuple[str, ...]] = {s: () for s, weight in enumerate(self._system.start) if weight}
        pending = list(found)
        for state in pending:
            for letter, matrix in self._letters:
                for target, _ in matrix[state]:
                    if target not in found:
                        found[target] = (*found[state], letter)
                        pending.append(target)
        return found

    def _path(self, pair: tuple[int, int]) -> str:
        came = self._came[pair]
        letters = [came.letter]
        while came.before is not None:
            came = self._came[came.before]
            letters.append(came.letter)
        return ", ".join(reversed(letters))

    def _disproof(
        self, problem: str, path: str, left: SparseRow, right: SparseRow, pair: tuple[int, int] | None = None
    ) -> Disproof:
        facts = [("path", path)]
        states = self._system.states
        if pair is not None:
            facts.append(("pair", f"{states[pair[0]]}  and  {states[pair[1]]}"))
        facts.append(("left", self._shown(left)))
        facts.append(("right", self._shown(right)))
        return Disproof(engine=NAME, problem=problem, facts=tuple(facts))

    def _shown(self, row: SparseRow) -> str:
        states = self._system.states
        return "; ".join(f"{states[s]}: {fraction_text(_exact(weight))}" for s, weight in row) or "impossible"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Allowed:
    """Which states may be matched with which."""

    check: _Check
    balance: Epsilon

    def __call__(self, left: int, right: int, ratio: Fraction) -> bool:
        return self.check.is_related(left, right, ratio, self.balance)


def _match(left: SparseRow, right: SparseRow, is_allowed: _Allowed) -> list[tuple[int, int]] | None:
    """A bijection of two supports along pairs that are allowed; None where there is none."""
    if len(left) != len(right):
        return None
    choices = {x: [y for y, q in right if is_allowed(x, y, _exact(p) / _exact(q))] for x, p in left}
    partner: dict[int, int] = {}

    def augment(x: int, visited: set[int]) -> bool:
        for y in choices[x]:
            if y not in visited:
                visited.add(y)
                if y not in partner or augment(partner[y], visited):
                    partner[y] = x
                    return True
        return False

    sources: Sequence[int] = sorted(choices, key=lambda x: len(choices[x]))
    if not all(augment(x, set()) for x in sources):
        return None
    return [(x, y) for y, x in partner.items()]


def _exact(number: object) -> Fraction:
    assert isinstance(number, Fraction), "the numbers are constants"
    return number
