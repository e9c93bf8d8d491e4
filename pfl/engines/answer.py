"""What an engine says: holds, fails, or undecided. `verify` replays and concludes."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from pfl.analysis.polynomial.real_roots import Root
from pfl.base.enclosure import Enclosure
from pfl.base.number import Number
from pfl.model.parameters import Condition

Ratio: TypeAlias = Fraction | Literal["inf", "unbounded"]
"""`inf`: a zero denominator; `unbounded`: grows without bound over all lengths."""

Quantity: TypeAlias = Number | Literal["inf"] | Enclosure
"""What a compute gives: a number, infinity, or an interval that holds the number for certain."""

MOST_SHOWN_WORDS = 1_000
"""Words of a set that the witness of a computed delta names at most."""
MOST_SHOWN_LETTERS = 50_000
"""Letters that they have in all at most, but for those of the last word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactRoot:
    """A real algebraic parameter value that is not rational: the `root` of `polynomial` near `value`."""

    polynomial: str
    value: float
    root: Root


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A word on which one comparison fails, not yet replayed.

    `comparison` indexes the question's comparisons; `reversed` means that right against left fails. For a claim with
    delta the violation is the set of words `words`; otherwise it has one. `out_of` is how many words the set has where
    only some of it are given, None where they are all.
    """

    comparison: int
    reversed: bool
    words: tuple[tuple[int, ...], ...]
    parameters: dict[str, Fraction | ExactRoot] = field(default_factory=dict)
    out_of: int | Literal["inf"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What is known of the largest ratio: exact, or an interval; a rational function or a supremum under parameters.

    `attained` is False where the ratio is a supremum that no parameter value reaches, with `limit_at` in words
    (`p -> 0`). `best` is the word that attains `ratio` or `lower`; with an additive delta, the set of words of which
    (Pr(left) - delta) / Pr(right) is that ratio.
    """

    ratio: Ratio | None
    lower: Ratio | None
    upper: Ratio | None
    best: Violation | None = None
    attained: bool = True
    limit_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Why a claim is believed: `kind` is `exhaustive`, `certificate`, `unwinding`, `solver` or `vacuous`.

    `certificates` are plain JSON-ready objects, one an obligation, as docs/reference/certificates.md says. `facts` are
    what a report says of the proof: keys and texts.
    """

    kind: Literal["exhaustive", "certificate", "unwinding", "solver", "vacuous"]
    detail: str = ""
    certificates: tuple[dict[str, Any], ...] = ()
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Holds:
    """Every obligation holds."""

    engine: str
    evidence: Evidence
    bound: Bound | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fails:
    """Some obligation fails; `violation` is what to replay. `bound` is the best known, for the report."""

    engine: str
    violation: Violation
    bound: Bound | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Disproof:
    """What is claimed of a system itself is not so: `problem` in one sentence, `facts` are keys and texts."""

    engine: str
    problem: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """The engine stopped; `reason` says why, how far it came, and what to try."""

    engine: str
    reason: str
    bound: Bound | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedValue:
    """One entry of a list of values: `name` in the model's words; `value` is an expression where it is not constant.

    `arguments` are the values of what a claim ranges over, by name, where the entry is about one of its cases.
    """

    name: str
    value: Quantity
    arguments: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """The result of a compute: one number, or named ones, or a bound (for `compute epsilon`).

    Of a delta, `best` are words whose excess it is, or some of them, or under parameters words whose excess comes near.
    `exceptional` are conditions p != 0: where one fails, the numbers say nothing.
    """

    engine: str
    value: Quantity | None = None
    values: tuple[NamedValue, ...] = ()
    bound: Bound | None = None
    best: Violation | None = None
    exceptional: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Values of the names of a `find`, exact, not yet re-checked.

    With an objective, `objective` is its value there, and no values can pass `best_possible`: an optimum if they agree.
    """

    engine: str
    values: dict[str, Fraction]
    objective: Fraction | None = None
    best_possible: Fraction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingFound:
    """No values satisfy the claim, with the reason that proves it."""

    engine: str
    evidence: Evidence


Answer: TypeAlias = Holds | Fails | Disproof | Undecided | Value | Found | NothingFound
