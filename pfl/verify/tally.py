"""What is counted of findings that come piece by piece, so that they need not be kept."""

from __future__ import annotations

from dataclasses import dataclass, field

from pfl.ir.claims import Claim
from pfl.verify.verdict import Findings, Unknown, gravest, without_judged


@dataclass(slots=True, kw_only=True)
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
