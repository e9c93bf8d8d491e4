"""The numbers of `hitting` by floats, each with an error that is proved. Source: docs/theory/absorbing.md.

Floats find the solution and a bound of its error; that it is one is then checked, roundings included.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, coo_array, csr_array, eye_array, tril
from scipy.sparse.csgraph import breadth_first_order
from scipy.sparse.linalg import LinearOperator, bicgstab, splu, spsolve_triangular

from pfl.analysis.chains.chain_structure import as_array, chain_structure
from pfl.base.budget import Budget
from pfl.base.enclosure import Enclosure
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.labelled_system import SparseRow
from pfl.model.markov_chain import MarkovChain

Floats: TypeAlias = NDArray[np.float64]

_UNIT = 2.0**-53
"""The relative error of one rounding."""

_LOST = 1e-300
"""Covers what underflow loses in one sum."""

_LARGEST_FACTORED = 20_000
"""Up to so many states a system with cycles is factored; larger ones are iterated."""

_ITERATIONS = 2_000


@struct(eq=False)
class FloatHitting:
    """`middle` and `radius`: the value of state s differs from middle[s] by at most radius[s]; infinite where it is."""

    middle: Floats
    radius: Floats

    def mean(self, start: SparseRow) -> Enclosure | Fraction | Literal["inf"]:
        """The mean of the values of some states, each with its constant probability: a number where it is known."""
        low = high = Fraction(0)
        for state, weight in start:
            assert isinstance(weight, Fraction), "floats know no parameters"
            middle, radius = self.middle[state], self.radius[state]
            if not np.isfinite(middle):
                return "inf"
            low += weight * (Fraction(float(middle)) - Fraction(float(radius)))
            high += weight * (Fraction(float(middle)) + Fraction(float(radius)))
        return low if low == high else Enclosure(low, high)


def float_reach_probabilities(chain: MarkovChain, goal: Collection[int], budget: Budget) -> FloatHitting | None:
    """Enclosures of Pr(a run ever comes to a state of `goal`); None where no error bound is found.

    What is sure, or impossible, is so by the graph, and exact. The chain has constant weights. Raises LimitReached when
    the time is over before a solution is looked for.
    """
    system = _FloatChain(chain, goal)
    possible = system.reaching(system.is_goal)
    sure = ~system.reaching(~possible)
    entering = system.transitions @ sure.astype(float)
    return system.enclosed(possible & ~sure, entering, entering, np.where(sure, 1.0, 0.0), budget)


def float_expected_costs(chain: MarkovChain, goal: Collection[int], budget: Budget) -> FloatHitting | None:
    """Enclosures of the expected cost of a run until it comes to a state of `goal`; None where no error bound is found.

    Where nothing can be spent, or the goal may be missed, is seen in the graph, and exact. The chain has constant
    weights and costs. Raises LimitReached when the time is over before a solution is looked for.
    """
    system = _FloatChain(chain, goal)
    missing = system.reaching(~system.reaching(system.is_goal))
    spent, magnitude = system.mean_costs()
    known = np.where(missing, np.inf, 0.0)
    spending = system.reaching(magnitude > 0)
    return system.enclosed(spending & ~missing & ~system.is_goal, spent, magnitude, known, budget)


class _FloatChain:
    """A chain in floats: `transitions` is P, its rows at the goal empty."""

    def __init__(self, chain: MarkovChain, goal: Collection[int]) -> None:
        self.chain = chain
        self.size = chain.size
        self.is_goal = np.zeros(self.size, dtype=bool)
        self.is_goal[list(goal)] = True
        offsets, targets = as_array(chain.offsets), as_array(chain.targets)
        self._sources = np.repeat(np.arange(self.size), np.diff(offsets))
        self._kept = ~self.is_goal[self._sources]
        self._weights = _table(chain.weight_table)[as_array(chain.weights)]
        entries = self._weights[self._kept], (self._sources[self._kept], targets[self._kept])
        self.transitions = coo_array(entries, shape=(self.size, self.size)).tocsr()
        degree = int(np.bincount(self._sources, minlength=1).max()) if len(targets) else 0
        # What a sum over a row, of numbers that were rounded before, may be wrong by, relative to its absolute terms.
        self._error = 2 * (degree + 8) * _UNIT

    def reaching(self, targets: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The states from which some of the targets can be reached."""
        backward = self.transitions.T.tocsr()
        first = csr_array(targets.astype(float).reshape(1, -1))
        # One more node leads to all targets.
        corner = csr_array((1, 1), dtype=float)
        graph = block_array([[backward, None], [first, corner]], format="csr")
        found = np.zeros(self.size + 1, dtype=bool)
        found[breadth_first_order(graph, self.size, return_predecessors=False)] = True
        return found[: self.size]

    def mean_costs(self) -> tuple[Floats, Floats]:
        """What leaving each state costs on average, and the same with all costs positive."""
        spent, magnitude = np.zeros(self.size), np.zeros(self.size)
        if self.chain.costs is not None:
            costs = self._weights * _table(self.chain.cost_table)[as_array(self.chain.costs)]
            np.add.at(spent, self._sources[self._kept], costs[self._kept])
            np.add.at(magnitude, self._sources[self._kept], np.abs(costs[self._kept]))
        return spent, magnitude

    def enclosed(
        self, unknown: NDArray[np.bool_], right: Floats, magnitude: Floats, known: Floats, budget: Budget
    ) -> FloatHitting | None:
        """The solution of x = P x + right at the unknown states, where x counts as 0 elsewhere; there it is `known`.

        `magnitude` bounds the terms of `right`. With A = I - Q, Q >= 0 of spectral radius below 1: if A w >= |b - A x'|
        in every entry, |x - x'| <= w, since A^-1 >= 0. Every sum is charged with its roundings.
        """
        budget.check("a search for what reaches the target")
        middle, radius = known.copy(), np.zeros(self.size)
        if not unknown.any():
            return FloatHitting(middle=middle, radius=radius)
        system = _TransientPart(self, unknown)
        right, magnitude = right[unknown], magnitude[unknown]
        solution = system.solved(right)
        if solution is None:
            return None
        residual = right - (solution - system.inside @ solution)
        size = np.abs(solution)
        wrong = np.abs(residual) + self._error * (magnitude + size + system.inside @ size) + 1e9 * _LOST
        bound = system.solved(wrong)
        if bound is None:
            return None
        bound = np.maximum(bound, 0.0)
        through = system.inside @ bound
        certain = bound - through - self._error * (bound + through) - _LOST
        # Twice the bound is enough wherever half of what it must cover is certain.
        if not bool((certain >= 0.5 * (1 + 8 * _UNIT) * wrong).all()):
            return None
        middle[unknown], radius[unknown] = solution, 2 * bound
        return FloatHitting(middle=middle, radius=radius)


class _TransientPart:
    """The equations A x = b of some transient states, A = I - `inside`."""

    def __init__(self, system: _FloatChain, unknown: NDArray[np.bool_]) -> None:
        self.inside = system.transitions[unknown][:, unknown].tocsr()
        structure = chain_structure(system.chain)
        component = np.asarray(structure.component)
        # What a state leads to comes before it; in a component what was found later, which is mostly further on.
        order = np.lexsort((-np.arange(system.size), component))
        place = np.cumsum(unknown) - 1
        self._order = place[order[unknown[order]]]
        self._is_acyclic = len(set(structure.component)) == system.size
        self._factors: Any = None

    def solved(self, right: Floats) -> Floats | None:
        """A solution in floats, with no promise at all; None where none is found."""
        solution = np.empty_like(right)
        ordered = right[self._order]
        if self._factors is None:
            permuted = self.inside[self._order][:, self._order]
            self._factors = self._factored((eye_array(len(right)) - permuted).tocsr())
        found = self._factors(ordered)
        if found is None or not bool(np.isfinite(found).all()):
            return None
        solution[self._order] = found
        return solution

    def _factored(self, matrix: csr_array) -> Any:
        """A function from right sides to solutions; without cycles the matrix is triangular, with them mostly so."""
        if self._is_acyclic:
            return lambda right: spsolve_triangular(matrix, right, lower=True)
        try:
            if matrix.shape[0] <= _LARGEST_FACTORED:
                return splu(matrix.tocsc(), diag_pivot_thresh=0.0).solve
            mostly = splu(tril(matrix).tocsc(), permc_spec="NATURAL", diag_pivot_thresh=0.0)
        except RuntimeError:  # exactly singular in floats
            return lambda _right: None
        sweep = LinearOperator(matrix.shape, matvec=mostly.solve)

        # Whether it has come near is seen from what it found.
        return lambda right: bicgstab(matrix, right, rtol=1e-13, atol=0.0, maxiter=_ITERATIONS, M=sweep)[0]


def _table(numbers: Sequence[Number]) -> Floats:
    return np.array([float(number) for number in numbers if isinstance(number, Fraction)])
