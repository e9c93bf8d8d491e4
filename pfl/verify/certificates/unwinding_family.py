"""An independent check of bounds on pairs of states, by rational arithmetic alone.

Shares no code with the search that found them: states, and what follows a pair, are computed again from the interactive
system. The format, and why it proves what it claims: docs/theory/unwinding.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, Literal

from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.base.struct import struct
from pfl.model.interactive import InteractiveSystem
from pfl.model.labelled_system import Matrix
from pfl.model.two_runs import TwoRuns
from pfl.verify.certificates.certificate_format import Damage, Malformed, exact_rational, intact, stated_length

KIND = "unwinding"

_PAIRS_BETWEEN_CHECKS = 1024


@struct
class FamilyCertificate:
    """`families[k]` bounds the ratio of words of k letters from pairs of states, the last one that of longer words."""

    bound: Fraction
    length: int | None
    families: tuple[Mapping[tuple[int, int], Fraction], ...]


def verify_family(
    certificate: Any,
    runs: TwoRuns,
    epsilon: Epsilon,
    *,
    is_reversed: bool,
    length: int | Literal["any"],
    budget: Budget,
) -> list[str]:
    """What is wrong with bounds that are to show that no word has a ratio above e^epsilon; empty if they do.

    The numbers of the system must be constants. Raises LimitReached.
    """
    try:
        proof = read_family(certificate)
    except Malformed as malformed:
        return [Damage(malformed)]
    found = []
    if epsilon.compare(proof.bound) > 0:
        found.append("the bounds are larger than the claim")
    if proof.length is not None and (length == "any" or proof.length < length):
        found.append(f"the bounds are for {proof.length} inputs, the claim for {length}")
    if not _fixes_the_state(runs.system):
        return [*found, "bounds on pairs are a proof only where what is seen fixes the state"]
    return [*found, *_FamilyCheck(proof, runs, is_reversed=is_reversed, budget=budget).problems()]


def read_family(certificate: Any) -> FamilyCertificate:
    """The certificate as a record; raises Malformed."""
    record, kind = intact(certificate)
    if kind != KIND:
        raise Malformed(f"a certificate of the kind `{kind}` holds no bounds on pairs of states")
    families = record.get("families")
    if not isinstance(families, list) or not families:
        raise Malformed("`families` must be a list of one family or more")
    return FamilyCertificate(
        bound=exact_rational(record.get("bound"), "`bound`"),
        length=stated_length(record),
        families=tuple(_family(family) for family in families),
    )


def _family(entries: Any) -> dict[tuple[int, int], Fraction]:
    if not isinstance(entries, list):
        raise Malformed("each of the `families` must be a list")
    family: dict[tuple[int, int], Fraction] = {}
    texts: dict[str, Fraction] = {}
    for entry in entries:
        match entry:
            case [int(left), int(right), str(text)]:
                if text not in texts:
                    texts[text] = exact_rational(text, "the bound of a pair")
                family[left, right] = texts[text]
            case _:
                raise Malformed("each entry of a family must be two states and a bound")
    return family


def _fixes_the_state(system: InteractiveSystem) -> bool:
    started = sum(1 for weight in system.start if weight)
    answered = (row for answers in system.answers for _, matrix in answers for row in matrix)
    moved = (row for moves in system.data_moves for row in moves)
    return started == 1 and all(len(row) == 1 for row in moved) and all(len(row) <= 1 for row in answered)


@struct
class _Letter:
    """By state: where a letter leads and with which weight, 0 where it is impossible, all in one unit."""

    targets: Sequence[int]
    weights: Sequence[int]


class _FamilyCheck:
    """Every start pair is within the bound, and every bound pays for each letter and the bound behind it.

    All in whole numbers: bounds in one unit, the weights of each letter in another.
    """

    def __init__(self, proof: FamilyCertificate, runs: TwoRuns, *, is_reversed: bool, budget: Budget) -> None:
        self._proof = proof
        self._budget = budget
        self._runs = runs
        self._is_reversed = is_reversed
        system = runs.system
        matrices = [*system.data_moves, *(matrix for _, matrix in system.answer_letters)]
        self._letters = [_letter(matrix) for matrix in matrices]
        bounds = {id(value): value for family in proof.families for value in family.values()}
        self._unit = lcm(*(value.denominator for value in bounds.values()))
        whole = {key: value.numerator * (self._unit // value.denominator) for key, value in bounds.items()}
        self._families = [{pair: whole[id(value)] for pair, value in family.items()} for family in proof.families]

    def problems(self) -> list[str]:
        proof, last = self._proof, len(self._proof.families) - 1
        found: list[str] = []
        if any(bound < self._unit for bound in self._families[0].values()):
            found.append("a bound is below 1, which is the ratio of the empty word")
        for left, right, depth in self._covered():
            k = last if proof.length is None else min(last, proof.length - 1 - depth)
            if k >= 0 and left != right and not self._is_within(left, right, k):
                found.append(f"the states {left} and {right} after the extra point are not within the bound")
        for k in range(1, last + 1):
            found += self._unpaid(k, k - 1)
        if proof.length is None or proof.length - 1 > last:
            found += self._unpaid(last, last)
        return found

    def _is_within(self, left: int, right: int, k: int) -> bool:
        value = self._proof.families[k].get((left, right))
        return value is not None and value <= self._proof.bound

    def _covered(self) -> Iterator[tuple[int, int, int]]:
        """The states of both runs right after the extra point, and how many inputs the runs had before it."""
        system = self._runs.system
        depth = {state: 0 for state, weight in enumerate(system.start) if weight}
        pending = list(depth)
        for state in pending:
            for letter in self._letters:
                target = letter.targets[state]
                if letter.weights[state] and target not in depth:
                    depth[target] = depth[state] + 1
                    pending.append(target)
        for state, inputs in depth.items():
            stays = state if system.waits(state) else system.bottom
            for points in self._runs.extras:
                left, right = (stays if point is None else self._letters[point].targets[state] for point in points)
                yield (right, left, inputs) if self._is_reversed else (left, right, inputs)

    def _unpaid(self, k: int, following: int) -> Sequence[str]:
        """Pairs whose bound in family k does not pay for some letter and the bound behind it in the following one."""
        system = self._runs.system
        bottom, waits = system.bottom, [system.waits(state) for state in range(system.size)]
        asks = bool(system.asked)
        behind = self._families[following]
        letters = [(letter.targets, letter.weights) for letter in self._letters]
        found: list[str] = []
        for number, ((left, right), bound) in enumerate(self._families[k].items()):
            if number % _PAIRS_BETWEEN_CHECKS == 0:
                self._budget.check(f"the bounds of {number:,} pairs of states were checked")
            if not (0 <= left <= bottom and 0 <= right <= bottom):
                return [f"there is no pair of states {left} and {right}"]
            pays = bound >= self._unit and not (asks and waits[left] and not waits[right])
            for targets, weights in letters:
                p = weights[left]
                if not p:
                    continue
                one, other = targets[left], targets[right]
                after = self._unit if one == other else behind.get((one, other))
                # p E(behind) <= E q; where the letter is impossible on the right, q is 0 and nothing pays.
                if after is None or p * after > bound * weights[right]:
                    pays = False
            if not pays:
                found.append(f"the bound of the states {left} and {right} does not pay for what follows")
        return found


def _letter(matrix: Matrix) -> _Letter:
    exact = [row[0] if row else (0, Fraction(0)) for row in matrix]
    weights = [weight for _, weight in exact]
    assert all(isinstance(weight, Fraction) for weight in weights), "the numbers are constants"
    fractions = [weight for weight in weights if isinstance(weight, Fraction)]
    unit = lcm(*(weight.denominator for weight in fractions))
    return _Letter(
        targets=[target for target, _ in exact],
        weights=[weight.numerator * (unit // weight.denominator) for weight in fractions],
    )
