"""Proofs that a delta suffices as plain JSON-ready objects; the format is docs/reference/certificates.md."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from pfl.analysis.excess.excess import Excess
from pfl.analysis.ratio.certificate import sealed
from pfl.base.exact_text import fraction_text

if TYPE_CHECKING:
    from pfl.analysis.excess.between import Between

MOST_VECTORS = 20_000
"""Directions of one certificate; a proof of more is not written down."""


def excess_certificate(excess: Excess, bound: Fraction) -> dict[str, Any] | None:
    """The certificate that at a bound no excess is above what was found; None where it has too many directions."""
    if excess.between is not None:
        return _between_certificate(excess.between, bound)
    if len(excess.graph) > MOST_VECTORS:
        return None
    if excess.length is not None:
        # Where no entry of the start is positive the graph is empty; the check counts the start all the same.
        content: dict[str, Any] = {"vectors": max(1, len(excess.graph))}
        return sealed("excess", bound=bound, length=excess.length, content=content)
    words = _words(excess)
    shown = [node for node in words if node in excess.upper]
    content = {
        "vectors": [list(words[node]) for node in shown],
        "values": [fraction_text(excess.upper[node]) for node in shown],
    }
    return sealed("excess", bound=bound, length=None, content=content)


def _between_certificate(between: Between, bound: Fraction) -> dict[str, Any] | None:
    above = between.above
    if above is None or len(above.vectors) > MOST_VECTORS:
        return None
    content = {
        "states": list(between.moves.states),
        "letters": list(between.moves.letters),
        "vectors": [[int(entry) for entry in vector] for vector in above.vectors],
        "values": [int(value) for value in above.values],
        "sums": [
            [
                [[int(point), int(factor)] for point, factor in zip(points, factors) if point >= 0 and factor]
                for points, factors in zip(*summands)
            ]
            for summands in zip(above.points, above.factors)
        ],
        "start": [list(summand) for summand in above.start],
    }
    return sealed("excess-above", bound=bound, length=None, content=content)


def _words(excess: Excess) -> dict[int, tuple[int, ...]]:
    """A shortest word that leads to each node that was expanded, in the order of their lengths."""
    start = excess.graph.start
    found: dict[int, tuple[int, ...]] = {} if start is None else {start: ()}
    for node in (waiting := list(found)):
        following = excess.graph.known(node)
        for edge in () if following is None else following.edges:
            if edge.node not in found:
                found[edge.node] = (*found[node], edge.letter)
                waiting.append(edge.node)
    return {node: word for node, word in found.items() if excess.graph.known(node) is not None}
