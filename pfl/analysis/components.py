"""Strongly connected components of a sparse directed graph, in topological order."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

_SMALL = 20_000
"""Below so many nodes, loading scipy costs more than it saves."""


def components(offsets: array[int], targets: array[int]) -> Sequence[int]:
    """The component of each node: edges lead from a component to itself or to one of a smaller number.

    The edges of node i go to targets[offsets[i]:offsets[i + 1]]; all targets are nodes.
    """
    if len(offsets) - 1 < _SMALL:
        return _tarjan(offsets, targets)
    return _with_scipy(offsets, targets)


def _tarjan(offsets: array[int], targets: array[int]) -> list[int]:
    """Tarjan (1972), without recursion: components are numbered as they are completed, which is what is promised."""
    count = len(offsets) - 1
    component = [-1] * count
    order = [-1] * count
    low = [0] * count
    visited = finished = 0
    open_nodes: list[int] = []
    for root in range(count):
        if order[root] >= 0:
            continue
        stack = [(root, offsets[root])]
        while stack:
            node, edge = stack.pop()
            if order[node] < 0:
                order[node] = low[node] = visited
                visited += 1
                open_nodes.append(node)
            end = offsets[node + 1]
            while edge < end:
                target = targets[edge]
                if order[target] < 0:
                    stack.append((node, edge))
                    stack.append((target, offsets[target]))
                    break
                if component[target] < 0:
                    low[node] = min(low[node], low[target])
                edge += 1
            else:
                if low[node] == order[node]:
                    while True:
                        member = open_nodes.pop()
                        component[member] = finished
                        if member == node:
                            break
                    finished += 1
    return component


def _with_scipy(offsets: array[int], targets: array[int]) -> list[int]:
    """Components from scipy, whose numbering promises nothing; so they are put in order by their own edges."""
    import numpy
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    count = len(offsets) - 1
    starts, ends = numpy.frombuffer(offsets, dtype=numpy.int64), _int_array(targets)
    graph = csr_matrix((numpy.ones(len(ends), dtype=numpy.int8), ends, starts), shape=(count, count))
    number, labels = connected_components(graph, directed=True, connection="strong")
    sources = numpy.repeat(numpy.arange(count), numpy.diff(starts))
    tails, heads = labels[sources], labels[ends]
    between = tails != heads
    tails, heads = tails[between], heads[between]
    if (tails > heads).all():
        return list(labels.tolist())
    if (tails < heads).all():
        return list((number - 1 - labels).tolist())
    pairs = csr_matrix((numpy.ones(len(tails), dtype=numpy.int8), (tails, heads)), shape=(number, number))
    condensed = _tarjan(array("q", pairs.indptr.tolist()), array("q", pairs.indices.tolist()))
    return [condensed[label] for label in labels.tolist()]


def _int_array(numbers: array[int]):  # type: ignore[no-untyped-def]  # numpy is loaded late
    import numpy

    return numpy.frombuffer(numbers, dtype=numpy.dtype(f"i{numbers.itemsize}"))
