"""Reports of `pflc check`, written while what they are about comes to be known."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace

from pfl.cli.output import paint, width_of
from pfl.verify.verdict import Findings, Tally

FORMATS = ("human", "concise", "json", "jsonl", "sarif", "junit")


class Report(ABC):
    """A report on standard output. `tally` counts what it was told."""

    def __init__(self) -> None:
        self.tally = Tally()

    def tell(self, part: Findings) -> None:
        """Take the next piece of `check_stream`, and write what can be written now."""
        self.tally.add(part)
        self._write(part)
        sys.stdout.flush()

    def end(self, interruption: int) -> None:
        """Write what is left, after the last piece or the signal of that number."""
        self.tally.interruption = interruption
        self._finish()
        sys.stdout.flush()

    @abstractmethod
    def _write(self, part: Findings) -> None: ...

    @abstractmethod
    def _finish(self) -> None: ...


class _ForPeople(Report):
    def __init__(self, color: str) -> None:
        from pfl.report.human import HumanReport

        super().__init__()
        self._color = color
        self._report = HumanReport(())
        self._has_begun = False

    def _write(self, part: Findings) -> None:
        from pfl.report.human import HumanReport

        if not self._has_begun:
            self._has_begun, self._report = True, HumanReport(self.tally.unjudged)
        paint(self._report.part(part, width_of(sys.stdout)), self._color, sys.stdout)

    def _finish(self) -> None:
        paint(self._report.end(self.tally, width_of(sys.stdout)), self._color, sys.stdout)


class _Concise(Report):
    def _write(self, part: Findings) -> None:
        from pfl.report.details import render_concise

        sys.stdout.write(render_concise(part))

    def _finish(self) -> None:
        from pfl.report.details import render_unjudged

        if self.tally.interruption:
            sys.stdout.write(render_unjudged(self.tally.unjudged))


class _JsonLines(Report):
    def __init__(self) -> None:
        super().__init__()
        self._has_begun = False

    def _write(self, part: Findings) -> None:
        from pfl.report.json import part_lines, run_line

        begin = "" if self._has_begun else run_line(self.tally.unjudged)
        self._has_begun = True
        sys.stdout.write(begin + part_lines(part))

    def _finish(self) -> None:
        from pfl.report.json import end_line

        sys.stdout.write(end_line(self.tally))


class _Document(Report):
    """A format that is one document, written in the end."""

    def __init__(self, render: Callable[[Findings], str]) -> None:
        super().__init__()
        self._render = render
        self._parts: list[Findings] = []

    def _write(self, part: Findings) -> None:
        self._parts.append(part)

    def _finish(self) -> None:
        findings = replace(Findings.merged(self._parts), interruption=self.tally.interruption)
        sys.stdout.write(self._render(findings))


def report_of(output_format: str, color: str) -> Report:
    """The report in one of the `FORMATS`; what renders it is imported when it is needed."""
    match output_format:
        case "human":
            return _ForPeople(color)
        case "concise":
            return _Concise()
        case "jsonl":
            return _JsonLines()
        case "json":
            from pfl.report.json import render_json

            return _Document(render_json)
        case "sarif":
            from pfl.report.sarif import render_sarif

            return _Document(render_sarif)
        case "junit":
            from pfl.report.junit import render_junit

            return _Document(render_junit)
        case _:
            raise ValueError(f"there is no report format {output_format}")
