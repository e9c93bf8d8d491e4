"""In which unit numbers stand on the line of the real samples of a program: one alone, so that their order is known."""

from __future__ import annotations

from fractions import Fraction

from pfl.model.line_units import LineUnit, line_text
from pfl.model.noise import SampleMisused


class Line:
    """The unit of all numbers, but 0, that real samples of a program lie around, are compared with and moved by."""

    def __init__(self) -> None:
        self._known: list[LineUnit | None] = []

    @property
    def unit(self) -> LineUnit | None:
        """None for 1."""
        return self._known[0] if self._known else None

    def measure(self, unit: LineUnit | None) -> None:
        """See `Path`."""
        if not self._known:
            self._known.append(unit)
        if unit != self._known[0]:
            raise SampleMisused(
                f"samples meet multiples of {_unit_text(self._known[0])} and of {_unit_text(unit)} in one mechanism",
                "let all means of a mechanism, and all that its samples are compared with, be multiples of one: of 1, "
                "of 1/eps, or of ln(3)/eps",
            )


def _unit_text(unit: LineUnit | None) -> str:
    return line_text(Fraction(1), unit)
