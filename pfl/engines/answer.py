"""What is concluded of a claim: one family of types, for what engines say and for what is believed of it.

An answer is a verdict that nobody has checked yet. Most kinds are both: `Proved`, `Disproved`, `Unknown`, `Computed`
and `NoneFound`. An engine fills in all their fields but these, which are for `pfl.verify` alone:

    Proved       checked, set anew whatever stood there; value and values, apart, exceptional
    NoneFound    checked
    Computed     witness and apart
    Unknown      is_internal: what an engine said has turned out wrong

Where something must be added before there is a verdict, the answer is of a kind of its own, named by a verb: what
`Fails` becomes `Refuted` by a witness that exceeds the claim, what `Attains` is `Computed` with one, and what an engine
`Finds` is `Found` with a proof. No engine can make a `Refuted`, a `Contradicted`, a `Found`, which are in
`pfl.verify.verdict`, or a `Witness`: of all files of engines this one alone imports it, as a test holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from fractions import Fraction
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

from pfl.analysis.polynomial.algebraic import ExactRoot
from pfl.base.enclosure import Enclosure
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.engines.witness import Witness
from pfl.model.parameters import Condition

Ratio: TypeAlias = Fraction | Literal["inf", "unbounded"]
"""`inf`: a zero denominator; `unbounded`: grows without bound over all lengths."""

Quantity: TypeAlias = Number | Literal["inf"] | Enclosure
"""What a compute gives: a number, infinity, or an interval that holds the number for certain."""

VerdictWord: TypeAlias = Literal["proved", "refuted", "unknown", "computed", "found", "none"]
"""A verdict in one word, as reports spell it; each kind has its own as `word`."""

MORE_THAN_SEEN = (
    "an observer who also sees where among the data points a response comes could tell the runs apart; whether the "
    "examiner can is open"
)
"""Why two runs stay undecided whose words say more than an examiner sees."""

MOST_SHOWN_WORDS = 1_000
"""Words of a set that the witness of a computed delta names at most."""
MOST_SHOWN_LETTERS = 50_000
"""Letters that they have in all at most, but for those of the last word."""


def is_larger(ratio: Ratio, other: Ratio) -> bool:
    """Whether one ratio is above another; nothing is above an infinite or unbounded one."""
    if isinstance(ratio, Fraction) and isinstance(other, Fraction):
        return ratio > other
    return isinstance(other, Fraction)


@struct
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


@struct
class Bound:
    """What is known of the largest ratio: exact, or an interval; a rational function or a supremum under parameters.

    `attained` is False where the ratio is a supremum that no parameter value reaches, with `limit_at` in words
    (`p -> 0`). `best` is the word that attains `ratio` or `lower`; with an additive delta, the set of words of which
    (Pr(left) - delta) / Pr(right) is that ratio. `closed` is the exact ratio where that holds powers of e; `lower` and
    `upper` enclose it.
    """

    ratio: Ratio | None
    lower: Ratio | None
    upper: Ratio | None
    best: Violation | None = None
    attained: bool = True
    limit_at: str = ""
    closed: Number | None = None


@struct
class Evidence:
    """Why a claim is believed: `kind` is `exhaustive`, `certificate`, `unwinding`, `solver` or `vacuous`.

    `certificates` are plain JSON-ready objects, one an obligation, as docs/reference/certificates.md says. `facts` are
    what a report says of the proof: keys and texts. `uncertified` says why there are no certificates, where there is a
    special reason.
    """

    kind: Literal["exhaustive", "certificate", "unwinding", "solver", "vacuous"]
    detail: str = ""
    certificates: tuple[dict[str, Any], ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    uncertified: str = ""


class Solution(Protocol):
    """What a number was read off; a proof that rests on the number can be written down with it."""

    def certificate(self, answers: Sequence[Computed]) -> dict[str, Any] | str:
        """A certificate for the answers that were read off it, all of them in their order, or why there is none."""


@struct
class NamedValue:
    """One entry of a list of values: `name` in the model's words; `value` is an expression where it is not constant.

    `arguments` are the values of what a claim ranges over, by name, where the entry is about one of its cases.
    """

    name: str
    value: Quantity
    arguments: tuple[tuple[str, str], ...] = ()


# --- verdicts, and what is one once it is checked ----------------------------


@struct
class Proved:
    """Every obligation holds. `checked`: the evidence was checked again, by means other than the engine's own.

    For a check of a number, `value` is that number and `values` the extreme ones; see `Computed`. `apart` are the
    proofs for the values of the parameters at which the claim was judged apart. `exceptional` as of `Computed`: while
    it is not empty, the proof is one for all other values alone.
    """

    word: ClassVar[VerdictWord] = "proved"
    engine: str
    evidence: Evidence
    checked: bool = False
    bound: Bound | None = None
    value: Quantity | None = None
    values: tuple[NamedValue, ...] = ()
    apart: tuple[Apart, ...] = ()
    exceptional: tuple[Condition, ...] = ()


@struct
class Disproved:
    """What is claimed of a system itself is not so: `problem` in one sentence, `facts` are keys and texts.

    It was found by exact computation on the system, or by enclosures of its probabilities that are apart for certain,
    not by an engine that only suggests it.
    """

    word: ClassVar[VerdictWord] = "refuted"
    engine: str
    problem: str
    facts: tuple[tuple[str, str], ...]
    bound: None = None


@struct
class Unknown:
    """Not decided; `reason` says why, how far the engine came, and what to try.

    `is_internal` marks a fault of the compiler itself.
    """

    word: ClassVar[VerdictWord] = "unknown"
    engine: str
    reason: str
    bound: Bound | None = None
    is_internal: bool = False


@struct
class Computed:
    """The result of a compute: a number, named numbers, or a bound (for `compute epsilon`) and its witness.

    Where a claim ranges over several arguments, `values` are the largest and the smallest result with theirs, and the
    rest is about the largest. Of a delta, the witness are the words whose excess it is, or some of them, or under
    parameters words whose excess comes near. `apart` are the results at the values of the parameters where they are
    others than these formulas say. `exceptional` are conditions p != 0: where one fails, the numbers say nothing.
    `solution` is there until a verdict on the claim is reached; answers that share one share a certificate.
    """

    word: ClassVar[VerdictWord] = "computed"
    engine: str
    value: Quantity | None = None
    values: tuple[NamedValue, ...] = ()
    bound: Bound | None = None
    witness: Witness | None = None
    apart: tuple[Apart, ...] = ()
    exceptional: tuple[Condition, ...] = ()
    solution: Solution | None = field(default=None, compare=False, repr=False)


@struct
class NoneFound:
    """No values satisfy the claim, with the reason that proves it; `checked` as of `Proved`."""

    word: ClassVar[VerdictWord] = "none"
    engine: str
    evidence: Evidence
    checked: bool = False


@struct
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


# --- answers that are no verdicts yet ----------------------------------------


@struct
class Fails:
    """Some obligation fails; `violation` is what to replay. `bound` is the best known, for the report."""

    engine: str
    violation: Violation
    bound: Bound | None = None


@struct
class Attains:
    """A delta, and the words whose excess it is, or some of them, or under parameters words whose excess comes near."""

    computed: Computed
    violation: Violation


@struct
class Finds:
    """Values of the names of a `find`, exact.

    With an objective, `objective` is its value there, and no values can pass `best_possible`: an optimum if they agree.
    """

    engine: str
    values: dict[str, Fraction]
    objective: Fraction | None = None
    best_possible: Fraction | None = None


Answer: TypeAlias = Proved | Fails | Disproved | Unknown | Computed | Attains | Finds | NoneFound
