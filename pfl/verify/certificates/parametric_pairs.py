"""An independent check that no word is more likely than a claim allows, at all values of the parameters: the masses of
all words are added up, and the sign of each polynomial is shown anew.

The format, and why it proves what it claims: docs/reference/certificates.md.
"""

from __future__ import annotations

from typing import Any

from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.model.compare import Compare
from pfl.verify.certificates.certificate_format import WORDS, Damage, Malformed, Unproved, Unshown, intact
from pfl.verify.certificates.exact.common_denominators import CommonDenominators
from pfl.verify.certificates.exact.polynomials import Poly, Quotient
from pfl.verify.certificates.exact.region import Region
from pfl.verify.certificates.masses import NOTHING, AllMasses

_HIGHEST_ROOT = 64
_BITS = 64


def verify_words(certificate: Any, question: Compare, budget: Budget) -> list[str]:
    """What is wrong with a certificate that no word of some comparisons is more likely than allowed; empty if nothing
    is. Raises LimitReached."""
    try:
        record, kind = intact(certificate)
        if kind != WORDS:
            raise Malformed(f"a certificate of the kind `{kind}` shows nothing of this claim")
        if record.get("parameters") != list(question.parameters.names):
            raise Malformed(
                f"`parameters` must be those of the claim: {', '.join(question.parameters.names) or 'none'}"
            )
        return _Checking(question, budget).problems()
    except Malformed as malformed:
        return [Damage(malformed)]
    except Unshown as unshown:
        return [Unproved(unshown)]


class _Checking:
    def __init__(self, question: Compare, budget: Budget) -> None:
        self._question, self._budget = question, budget
        self._region = Region.of(question.parameters, budget)
        self._masses = AllMasses(question, budget)
        self._numbers: dict[Number, int] = {}
        self._common = CommonDenominators(self._quotient)
        self._denominators: dict[tuple[int, int, int], Poly | None] = {}
        self._factors: dict[Epsilon, tuple[int, Quotient]] = {}

    def problems(self) -> list[str]:
        shown: set[tuple[int, int, Epsilon]] = set()
        for direction in self._question.directions:
            epsilon = direction.comparison.epsilon
            assert epsilon is not None, "a check claims an epsilon of every comparison"
            above, below = self._masses.sides(direction)
            for word, mass in above.items():
                other = below.get(word, NOTHING)
                key = self._number(mass), self._number(other), epsilon
                if key in shown:
                    continue
                self._budget.check(f"{len(shown):,} signs were shown again")
                if not self._is_shown(mass, other, epsilon):
                    where = f"`{direction.above.label}` against `{direction.below.label}`"
                    return [Unproved(f"it is not shown that {where} keeps its bound")]
                shown.add(key)
        return []

    def _number(self, mass: Number) -> int:
        """A number that says which masses are equal."""
        return self._numbers.setdefault(mass, len(self._numbers))

    def _is_shown(self, left: Number, right: Number, epsilon: Epsilon) -> bool:
        """Whether left <= e^eps right, neither being negative: c right^n - left^n >= 0 for c <= (e^eps)^n."""
        root, factor = self._factor(epsilon)
        p, q, common = self._common.of(left, right)
        spared, power = factor.above, factor.below
        for _ in range(root):
            spared, power = spared * q, power * p
        excess = power - spared  # divided by the denominators, whose sign may not be seen
        below = self._denominator(factor, common, root)
        return self._region.is_never_positive(excess if below is None else excess * below)

    def _denominator(self, factor: Quotient, common: Poly, root: int) -> Poly | None:
        """The denominators of c right^n and left^n together; None where these are shown to be negative nowhere."""
        key = id(factor), id(common), root
        if key not in self._denominators:
            below = factor.below
            for _ in range(root):
                below = below * common
            self._denominators[key] = None if self._region.is_never_positive(-below) else below
        return self._denominators[key]

    def _quotient(self, number: Number) -> Quotient:
        try:
            return self._region.read(number)
        except ValueError as error:
            raise Unshown(f"its numbers hold other parameters: {error}") from error

    def _factor(self, epsilon: Epsilon) -> tuple[int, Quotient]:
        """n, and (e^eps)^n, or a function below it. Raises Unshown."""
        if epsilon not in self._factors:
            power = (epsilon - Epsilon.rational(epsilon.constant)).algebraic()
            if power is None or power[0] > _HIGHEST_ROOT:
                raise Unshown(f"e^({epsilon}) is too long to write out")
            root, number = power
            if epsilon.constant:
                number = number * Epsilon.rational(epsilon.constant * root).lower_bound(_BITS)
            self._factors[epsilon] = root, self._quotient(number)
        return self._factors[epsilon]
