"""Linear systems of what is gained before a set is left.

Source: docs/theory/excess.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def solved(matrix: Sequence[Sequence[Fraction]], outside: Sequence[Fraction]) -> list[Fraction] | None:
    """(I - A)^-1 b for a non-negative A with A^n -> 0; None for any other A.

    z = (I - A)^-1 1 >= 1 shows that A^n tends to 0, since A z = z - 1 < z.
    """
    from flint import fmpq, fmpq_mat

    size = range(len(matrix))

    def exact(number: Fraction) -> fmpq:
        return fmpq(number.numerator, number.denominator)

    system = fmpq_mat([[int(i == j) - exact(matrix[i][j]) for j in size] for i in size])
    sides = fmpq_mat([[exact(outside[i]), 1] for i in size])
    try:
        solution = system.solve(sides)
    except ZeroDivisionError:
        return None
    if any(solution[i, 1] < 1 for i in size):
        return None
    return [Fraction(int(solution[i, 0].p), int(solution[i, 0].q)) for i in size]
