"""What is concluded about a claim, and what it rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from pfl.analysis.polynomial.real_roots import Root
from pfl.base.diagnostics import Diagnostic, Diagnostics, LimitReached
from pfl.base.enclosure import Enclosure
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.engines.answer import Bound, Evidence, ExactRoot, NamedValue, Quantity
from pfl.model.claims import Claim
from pfl.model.measure import Requirement
from pfl.model.parameters import Condition
from pfl.verify.parameters.algebraic import exceeds_at

ParameterValue: TypeAlias = Number | ExactRoot
"""A function of the other parameters where a value of those is irrational."""

_BITS = (128, 512, 2048, 8192)
_WIDTH = Fraction(1, 10**18)
"""Relative width to which an excess is enclosed where e^epsilon is irrational, if the last precision allows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """Two sides, and what the adversary sees, whose exact probabilities differ by too much.

    `left` is the side that is too likely. `words` is what is seen, in the letters of the system: one word, or a set of
    words of which none begins with another where an additive delta is allowed; the probabilities are those of seeing
    one of them, functions of the parameter whose value is irrational if one is. The masses are replayed on the system
    itself (`pfl.verify.replay`). Where letters are more than what is seen, `inputs` and `observations` are the parts of
    each word that are given and seen. `epsilon` is what is claimed of this pair at these values, None where that is
    computed. `out_of` is how many words the set has of which only some were replayed, None where it is all of them.
    """

    heading: str
    left: str
    right: str
    prior: str
    bindings: tuple[tuple[str, str], ...]
    parameters: tuple[tuple[str, ParameterValue], ...]
    words: tuple[tuple[str, ...], ...]
    probability_left: Number
    probability_right: Number
    inputs: tuple[tuple[str, ...], ...] = ()
    observations: tuple[tuple[str, ...], ...] = ()
    epsilon: Epsilon | None = None
    out_of: int | Literal["inf"] | None = None

    @property
    def ratio(self) -> Number | Literal["inf"]:
        """Left over right; `inf` where right is impossible."""
        return self.probability_left / self.probability_right if self.probability_right else "inf"

    @property
    def root(self) -> Root | None:
        """The parameter value that is irrational, if there is one; the probabilities are then functions of it."""
        return next((value.root for _, value in self.parameters if isinstance(value, ExactRoot)), None)

    def excess(self, epsilon: Epsilon) -> Number | Enclosure | None:
        """left - e^epsilon * right, enclosed where e^epsilon is irrational; None where that is too large to write out,
        or the probabilities are functions of an irrational value as well."""
        factor = epsilon.exact_exponential()
        if factor is not None:
            return self.excess_at(factor)
        left, right = self.probability_left, self.probability_right
        if not right:
            return left
        if not isinstance(left, Fraction) or not isinstance(right, Fraction) or epsilon.parameters:
            return None
        for bits in _BITS:
            try:
                low, high = left - epsilon.upper_bound(bits) * right, left - epsilon.lower_bound(bits) * right
            except LimitReached:
                return None
            if high - low <= abs(low) * _WIDTH:
                break
        return _rounded_outward(low, high)

    def excess_at(self, factor: Number) -> Number:
        """left - factor * right."""
        return self.probability_left - factor * self.probability_right

    def exceeds(self, epsilon: Epsilon, delta: Number) -> bool:
        """Whether left > e^epsilon * right + delta, decided exactly; raises Undecidable at an irrational value where
        it cannot be."""
        left, right, root = self.probability_left, self.probability_right, self.root
        if root is not None:
            return exceeds_at(left, right, epsilon, delta, root)
        excess = left - delta
        assert isinstance(excess, Fraction)
        assert isinstance(right, Fraction)
        return epsilon.compare(excess / right) > 0 if right else excess > 0

    def reaches(self, epsilon: Epsilon, delta: Fraction) -> bool:
        """Whether left >= e^epsilon * right + delta, for values of the parameters that are rational."""
        excess, right = self.probability_left - delta, self.probability_right
        assert isinstance(excess, Fraction)
        assert isinstance(right, Fraction)
        return epsilon.compare(excess / right) >= 0 if right else excess >= 0


def _rounded_outward(low: Fraction, high: Fraction) -> Enclosure:
    """A near interval around one that may have long ends."""
    unit = Fraction(1)
    while unit > abs(high) * _WIDTH and high:
        unit /= 10
    return Enclosure(low // unit * unit, -(-high // unit) * unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proved:
    """Every obligation holds. `checked`: the evidence was checked again, by means other than the engine's own.

    For a check of a number, `value` is that number and `values` the extreme ones; see `Computed`. `apart` are the
    proofs for the values of the parameters at which the claim was judged apart. `exceptional` as for an answer: while
    it is not empty, the proof is one for all other values alone.
    """

    engine: str
    evidence: Evidence
    checked: bool
    bound: Bound | None = None
    value: Quantity | None = None
    values: tuple[NamedValue, ...] = ()
    apart: tuple[Apart, ...] = ()
    exceptional: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuted:
    """Some obligation fails, and here is where; cannot be built on a witness that does not exceed the claim.

    `epsilon` and `delta` are the claim's, at the witness's parameter values.
    """

    engine: str
    witness: Witness
    epsilon: Epsilon
    delta: Number
    bound: Bound | None = None

    def __post_init__(self) -> None:
        if not self.witness.exceeds(self.epsilon, self.delta):
            raise ValueError("the witness does not exceed the claim")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradicted:
    """A number, computed exactly or enclosed for certain, is not what a check says of it.

    `value` does not meet `required` in the case of those `arguments`, at those values of the parameters. Of a
    distribution, `witness` is the first result with another probability than is specified. `values` as in `Computed`,
    `exceptional` as for a proof.
    """

    engine: str
    value: Quantity
    required: Requirement
    arguments: tuple[tuple[str, str], ...] = ()
    parameters: tuple[tuple[str, ParameterValue], ...] = ()
    values: tuple[NamedValue, ...] = ()
    witness: Witness | None = None
    bound: None = None
    exceptional: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Disproved:
    """What is claimed of a system itself is not so: `problem` in one sentence, `facts` are keys and texts.

    It was found by exact computation on the system, not by an engine that only suggests it.
    """

    engine: str
    problem: str
    facts: tuple[tuple[str, str], ...]
    bound: None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """Not decided; `reason` says why and what to try. `is_internal` marks a fault of the compiler itself."""

    engine: str
    reason: str
    bound: Bound | None = None
    is_internal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """The result of a compute: a number, named numbers, or a bound with the witness that attains it.

    Where a claim ranges over several arguments, `values` are the largest and the smallest result with theirs, and the
    rest is about the largest. Of a delta, the witness are the words whose excess it is, or some of them, or under
    parameters words whose excess comes near. `apart` are the results at the values of the parameters where they are
    others than these formulas say. `exceptional` as for a proof.
    """

    engine: str
    value: Quantity | None = None
    values: tuple[NamedValue, ...] = ()
    bound: Bound | None = None
    witness: Witness | None = None
    apart: tuple[Apart, ...] = ()
    exceptional: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Values for which the claim was then proved.

    With an objective, `objective` is its value there, and no values pass `best_possible`: an optimum if they agree.
    """

    engine: str
    values: tuple[tuple[str, Fraction], ...]
    proof: Proved
    objective: Number | None = None
    best_possible: Fraction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoneFound:
    """No values satisfy the claim."""

    engine: str
    evidence: Evidence
    checked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """What was concluded for some values of the parameters by themselves: `name` = `value`, a number or a function of
    the other parameters. `differs` says whether a number is not what the formula for all values would give."""

    name: str
    value: Number
    verdict: Proved | Computed
    differs: bool = False

    @property
    def where(self) -> str:
        """`p = 1/2`."""
        return f"{self.name} = {self.value}"


Verdict: TypeAlias = Proved | Refuted | Contradicted | Disproved | Unknown | Computed | Found | NoneFound


def verdict_word(verdict: Verdict) -> Literal["proved", "refuted", "unknown", "computed", "found", "none"]:
    """The verdict in one word, as reports spell it."""
    match verdict:
        case Proved():
            return "proved"
        case Refuted() | Contradicted() | Disproved():
            return "refuted"
        case Unknown():
            return "unknown"
        case Computed():
            return "computed"
        case Found():
            return "found"
        case NoneFound():
            return "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimResult:
    """A claim and what was concluded."""

    claim: Claim
    verdict: Verdict

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the one the author expects; never for an unknown one."""
        if isinstance(self.verdict, Unknown):
            return False
        return self.claim.expected in (None, verdict_word(self.verdict))


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Everything that a run found out; `without_claims` are the files in which there was nothing to judge.

    `unjudged` are the claims that were to be judged and were not, since their model was rejected or the run was
    interrupted; their questions mean nothing. `interruption` is the number of the signal that ended the run, or 0.
    """

    diagnostics: tuple[Diagnostic, ...] = ()
    results: tuple[ClaimResult, ...] = ()
    without_claims: tuple[str, ...] = ()
    unjudged: tuple[Claim, ...] = ()
    interruption: int = 0

    @property
    def exit_code(self) -> int:
        """The first that applies: 128 and more interrupted, 70 our fault, 3 rejected input, 1 not as expected, 4
        undecided, 0 all well."""
        if self.interruption:
            return 128 + self.interruption
        codes = {exit_code_of(diagnostic) for diagnostic in self.diagnostics}
        codes |= {_code_of_result(result) for result in self.results}
        return gravest(codes)

    @staticmethod
    def merged(parts: Iterable[Findings]) -> Findings:
        """What comes in parts as one, of which none was interrupted; claims that one part has judged are judged."""
        collected = list(parts)
        results = tuple(result for part in collected for result in part.results)
        return Findings(
            diagnostics=Diagnostics(found for part in collected for found in part.diagnostics).sorted(),
            results=results,
            without_claims=tuple(file for part in collected for file in part.without_claims),
            unjudged=without_judged([claim for part in collected for claim in part.unjudged], results),
        )


def gravest(codes: Collection[int]) -> int:
    """The exit code of a run that several apply to."""
    return next((code for code in (70, 3, 1, 4) if code in codes), 0)


def without_judged(claims: Sequence[Claim], results: Iterable[ClaimResult]) -> tuple[Claim, ...]:
    """The claims but for those that have results; one that is declared once and listed twice needs two."""
    judged = Counter((result.claim.origin, result.claim.name) for result in results)
    left: list[Claim] = []
    for claim in claims:
        key = claim.origin, claim.name
        if judged[key]:
            judged[key] -= 1
        else:
            left.append(claim)
    return tuple(left)


def exit_code_of(diagnostic: Diagnostic) -> int:
    """The exit code of a run that found nothing else."""
    if diagnostic.severity == "warning":
        return 0
    family = diagnostic.code.number // 100
    return {7: 4, 9: 70}.get(family, 3)


def _code_of_result(result: ClaimResult) -> int:
    match result.verdict:
        case Unknown(is_internal=True):
            return 70
        case Unknown():
            return 4
    return 0 if result.as_expected else 1
