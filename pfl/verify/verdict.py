"""What is concluded about a claim, and what a run found out; the verdicts that engines give, too, are in
`pfl.engines.answer`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import field
from fractions import Fraction
from typing import ClassVar, TypeAlias

from pfl.analysis.polynomial.algebraic import ParameterValue
from pfl.base.diagnostics import Diagnostic, Diagnostics
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.engines.answer import (
    Bound,
    Computed,
    Disproved,
    NamedValue,
    NoneFound,
    Proved,
    Quantity,
    Unknown,
    VerdictWord,
)
from pfl.engines.witness import Witness
from pfl.model.claims import Claim
from pfl.model.measure import Requirement
from pfl.model.parameters import Condition


@struct
class Refuted:
    """Some obligation fails, and here is where; cannot be built on a witness that does not exceed the claim.

    `epsilon` and `delta` are the claim's, at the witness's parameter values.
    """

    word: ClassVar[VerdictWord] = "refuted"
    engine: str
    witness: Witness
    epsilon: Epsilon
    delta: Number
    bound: Bound | None = None

    def __post_init__(self) -> None:
        if not self.witness.exceeds(self.epsilon, self.delta):
            raise ValueError("the witness does not exceed the claim")


@struct
class Contradicted:
    """A number, computed exactly or enclosed for certain, is not what a check says of it.

    `value` does not meet `required` in the case of those `arguments`, at those values of the parameters. Of a
    distribution, `witness` is the first result with another probability than is specified. `values` as in `Computed`,
    `exceptional` as for a proof.
    """

    word: ClassVar[VerdictWord] = "refuted"
    engine: str
    value: Quantity
    required: Requirement
    arguments: tuple[tuple[str, str], ...] = ()
    parameters: tuple[tuple[str, ParameterValue], ...] = ()
    values: tuple[NamedValue, ...] = ()
    witness: Witness | None = None
    bound: None = None
    exceptional: tuple[Condition, ...] = ()


@struct
class Found:
    """Values for which the claim was then proved.

    With an objective, `objective` is its value there, and no values pass `best_possible`: an optimum if they agree.
    """

    word: ClassVar[VerdictWord] = "found"
    engine: str
    values: tuple[tuple[str, Fraction], ...]
    proof: Proved
    objective: Number | None = None
    best_possible: Fraction | None = None


Verdict: TypeAlias = Proved | Refuted | Contradicted | Disproved | Unknown | Computed | Found | NoneFound


@struct
class ClaimResult:
    """A claim and what was concluded."""

    claim: Claim
    verdict: Verdict

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the one the author expects; never for an unknown one."""
        if isinstance(self.verdict, Unknown):
            return False
        return self.claim.expected in (None, self.verdict.word)


@struct
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


@struct(frozen=False)
class Tally:
    """Numbers of claims, and those that are left to be judged; `surprises` were decided, but not as expected.

    `interruption` is the number of the signal that ended the run, 0 for none.
    """

    results: int = 0
    surprises: int = 0
    undecided: int = 0
    unjudged: tuple[Claim, ...] = ()
    interruption: int = 0
    _codes: set[int] = field(default_factory=set)

    @staticmethod
    def of(findings: Findings) -> Tally:
        """The tally of findings that are whole."""
        tally = Tally(interruption=findings.interruption)
        tally.add(findings)
        return tally

    def add(self, part: Findings) -> None:
        """Count a piece of `check_stream`."""
        undecided = sum(isinstance(result.verdict, Unknown) for result in part.results)
        self.results += len(part.results)
        self.undecided += undecided
        self.surprises += sum(not result.as_expected for result in part.results) - undecided
        self.unjudged = without_judged((*self.unjudged, *part.unjudged), part.results)
        self._codes.add(part.exit_code)

    @property
    def count(self) -> int:
        """The claims that are judged or were to be."""
        return self.results + len(self.unjudged)

    @property
    def exit_code(self) -> int:
        """That of all findings together."""
        return 128 + self.interruption if self.interruption else gravest(self._codes)


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
    if isinstance(result.verdict, Unknown):
        return 70 if result.verdict.is_internal else 4
    return 0 if result.as_expected else 1
