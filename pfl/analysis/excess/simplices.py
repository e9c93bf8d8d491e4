"""Directions as sums of nearby ones, in floats.

Source: docs/theory/excess-between.md.
"""

from __future__ import annotations

import numpy as np

from pfl.analysis.excess.moves import FloatArray, IntArray
from pfl.base.struct import struct

MOST_DIMENSIONS = 3
"""Dimensions of the simplices that are looked for; their number grows exponentially with them."""
_NEIGHBOURS = 8


@struct(eq=False)
class Sums:
    """For each of some directions, points whose multiples add up to it, up to multiples of unit vectors.

    `points[k]` are the numbers of the points, -1 where there are fewer, and `factors[k]` what they are multiplied by.
    """

    points: IntArray
    factors: FloatArray


def as_sums(directions: FloatArray, points: FloatArray) -> Sums:
    """Each direction as a sum of the points around it, of those with the same signs, and of the unit vectors.

    Rows have entries whose sizes add up to 1. A direction without points around it gets none.
    """
    width = directions.shape[1]
    found = Sums(
        points=np.full((len(directions), width), -1, dtype=np.int64),
        factors=np.zeros((len(directions), width), dtype=np.float64),
    )
    signs_of_points: dict[bytes, list[int]] = {}
    for number, signs in enumerate(np.sign(points).astype(np.int8)):
        signs_of_points.setdefault(signs.tobytes(), []).append(number)
    groups: dict[bytes, list[int]] = {}
    for number, signs in enumerate(np.sign(directions).astype(np.int8)):
        groups.setdefault(signs.tobytes(), []).append(number)
    for key, group in groups.items():
        support = np.flatnonzero(np.frombuffer(key, dtype=np.int8))
        near = signs_of_points.get(key)
        if near is None or len(support) < 2:
            continue
        rows, around = np.array(group), np.array(near)
        corners = np.abs(points[np.ix_(around, support)])
        inside = np.abs(directions[np.ix_(rows, support)])
        around_each = _around(inside, corners) if len(support) <= MOST_DIMENSIONS + 1 else None
        vertices, factors = _nearest(inside, corners) if around_each is None else around_each
        is_point = vertices >= 0
        found.points[rows, : vertices.shape[1]] = np.where(is_point, around[np.maximum(vertices, 0)], -1)
        found.factors[rows, : vertices.shape[1]] = np.where(is_point, np.maximum(factors, 0), 0)
    return found


def _around(directions: FloatArray, points: FloatArray) -> tuple[IntArray, FloatArray] | None:
    """Of each direction the vertices of its simplex, negative for a unit vector, and its coordinates in it.

    Rows are positive and add up to 1: the last entry tells nothing new. None where the points are too nearly in line.
    """
    size = directions.shape[1]
    places = np.vstack([np.eye(size), points])[:, :-1]
    if size == 2:
        order = np.argsort(places[:, 0], kind="stable")
        ordered = places[order, 0]
        after = np.clip(np.searchsorted(ordered, directions[:, 0]), 1, len(ordered) - 1)
        width = np.maximum(ordered[after] - ordered[after - 1], np.finfo(np.float64).tiny)
        share = (directions[:, 0] - ordered[after - 1]) / width
        vertices = np.stack([order[after - 1], order[after]], axis=1)
        factors = np.stack([1 - share, share], axis=1)
    else:
        from scipy.spatial import Delaunay, QhullError  # costs much to import, and two states do without

        try:
            mesh = Delaunay(places)
        except QhullError:
            return None
        simplex = mesh.find_simplex(directions[:, :-1])
        transform = mesh.transform[simplex]
        inner = np.einsum("ijk,ik->ij", transform[:, :-1], directions[:, :-1] - transform[:, -1])
        factors = np.hstack([inner, 1 - inner.sum(axis=1, keepdims=True)])
        vertices = mesh.simplices[simplex].astype(np.int64)
        outside = (simplex < 0) | np.isnan(factors).any(axis=1)
        vertices[outside], factors[outside] = 0, 0.0
    return vertices - size, factors


def _nearest(directions: FloatArray, points: FloatArray) -> tuple[IntArray, FloatArray]:
    """Of each direction one of the nearest points, and the largest multiple of it that no entry exceeds."""
    from scipy.spatial import cKDTree  # costs much to import

    count = min(_NEIGHBOURS, len(points))
    _, near = cKDTree(points).query(directions, k=count)
    near = near.reshape(len(directions), count)
    multiples = (directions[:, None, :] / points[near]).min(axis=2)
    best = multiples.argmax(axis=1)
    rows = np.arange(len(directions))
    return near[rows, best][:, None], multiples[rows, best][:, None]
