"""Secrets about a moment: condition the chain on them, instead of enumerating paths.

Why it is sound: docs/theory/conditioning.md.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.labelled_system import Hmm, SparseRow, Vector

Memory: TypeAlias = tuple[Hashable, ...]
"""The world, then what was recorded at each moment so far, in order of the moments."""
Node: TypeAlias = tuple[Memory, int]
"""What is remembered, and the state of the hmm."""
Layer: TypeAlias = dict[Node, Number]


@struct
class ConditionedStart:
    """Where the conditioned chain starts: the vector, whose mass is Pr(secret)."""

    start: Vector
    probability: Number


def condition(
    hmm: Hmm,
    start: Mapping[tuple[Hashable, int], Number],
    moments: Sequence[int],
    record: Callable[[int, int], Hashable],
    secrets: Sequence[Callable[[Memory], bool]],
    budget: Budget,
) -> tuple[Hmm, tuple[ConditionedStart, ...]]:
    """One hmm that holds the chain conditioned on each secret, and its start for each.

    `start` gives the probability of (world, state); `moments` ascend; `record(t, s)` is what a secret needs to know
    of state s at moment t; a secret g is a predicate on the memory after the last moment T. With
    h_t(s) = Pr(g | memory, state s at t): where all these are constants, the start is theta(s) h_0(s), and a move
    before T has probability p(s, s') h_{t+1}(s') / h_t(s). Where one depends on parameters, nothing is divided: start
    and moves are theta(s) and p(s, s'), and h is the final weight. Nodes with h = 0 are left out. From T on all secrets
    share the states of `hmm`, so a secret about the start alone adds no state. Raises LimitReached when the time is
    over.
    Source: Doob's h-transform.
    """
    layers = _layers(hmm, start, moments, record, budget)
    nodes: list[tuple[int, int, Node]] = []
    rows: list[SparseRow] = list(hmm.transition)
    final: list[Number] = [Fraction(1)] * hmm.size
    starts: list[tuple[dict[int, Number], Number]] = []
    last = len(layers) - 1
    futures = [_backward(hmm, layers, moments, record, secret, budget) for secret in secrets]
    divides = all(isinstance(h, Fraction) for layers_of in futures for layer in layers_of for h in layer.values())
    for side, weights in enumerate(futures):
        index: list[dict[Node, int]] = []
        for moment, layer in enumerate(layers[:-1]):
            index.append({})
            for node in layer:
                if weights[moment][node]:
                    index[moment][node] = hmm.size + len(nodes)
                    nodes.append((side, moment, node))
        index.append({node: node[1] for node, weight in weights[last].items() if weight})
        for moment, layer in enumerate(layers[:-1]):
            for node in layer:
                if h := weights[moment][node]:
                    following = weights[moment + 1]
                    moves = _moves(hmm, node, moment, moments, record, index[moment + 1])
                    rows.append(_row((to, p * following[after] / h if divides else p) for to, p, after in moves))
                    final.append(h)
        begin = [
            (index[0][node], probability * weights[0][node] if divides else probability)
            for node, probability in layers[0].items()
            if probability and weights[0][node]
        ]
        mass = sum((probability * weights[0][node] for node, probability in layers[0].items()), Fraction(0))
        starts.append((dict(_row(begin)), mass))
    names = hmm.states + tuple(f"{hmm.states[node[1]]} at {moment}" for _, moment, node in nodes)
    origins = tuple(range(hmm.size)) + tuple(node[1] for _, _, node in nodes)
    conditioned = Hmm(
        states=names,
        letters=hmm.letters,
        start=None,
        transition=tuple(rows),
        emission=tuple(hmm.emission[state] for state in origins),
        silent=tuple(hmm.silent[state] for state in origins),
        final=None if divides else tuple(final),
    )
    begun = tuple(
        ConditionedStart(
            start=tuple(begin.get(state, Fraction(0)) for state in range(conditioned.size)), probability=mass
        )
        for begin, mass in starts
    )
    return conditioned, begun


def _row(entries: Iterable[tuple[int, Number]]) -> SparseRow:
    row: dict[int, Number] = {}
    for column, weight in entries:
        row[column] = row[column] + weight if column in row else weight
    return tuple(sorted(row.items()))


def _layers(
    hmm: Hmm,
    start: Mapping[tuple[Hashable, int], Number],
    moments: Sequence[int],
    record: Callable[[int, int], Hashable],
    budget: Budget,
) -> list[Layer]:
    """The nodes reached at each moment up to the last one, those of moment 0 with their probability."""
    first: Layer = {}
    for (world, state), probability in start.items():
        if probability:
            node = _remember((world,), 0, state, moments, record)
            first[node] = first.get(node, Fraction(0)) + probability
    layers = [first]
    for moment in range(1, max(moments, default=0) + 1):
        budget.check(f"following {moment:,} moves towards a secret")
        layers.append(
            {
                _remember(memory, moment, target, moments, record): Fraction(0)
                for memory, state in layers[-1]
                for target, _ in hmm.transition[state]
            }
        )
    return layers


def _remember(
    memory: Memory, moment: int, state: int, moments: Sequence[int], record: Callable[[int, int], Hashable]
) -> Node:
    return ((*memory, record(moment, state)) if moment in moments else memory), state


def _backward(
    hmm: Hmm,
    layers: Sequence[Layer],
    moments: Sequence[int],
    record: Callable[[int, int], Hashable],
    secret: Callable[[Memory], bool],
    budget: Budget,
) -> list[Layer]:
    """h_t for every node of every layer."""
    weights = [{node: Fraction(1) if secret(node[0]) else Fraction(0) for node in layers[-1]}]
    result: list[Layer] = [dict(weights[0])]  # from the last moment to the first
    for moment in range(len(layers) - 2, -1, -1):
        budget.check(f"conditioning {len(layers) - 1 - moment:,} moves on a secret")
        following = result[-1]
        current: Layer = {}
        for memory, state in layers[moment]:
            total: Number = Fraction(0)
            for target, probability in hmm.transition[state]:
                total = total + probability * following[_remember(memory, moment + 1, target, moments, record)]
            current[memory, state] = total
        result.append(current)
    result.reverse()
    return result


def _moves(
    hmm: Hmm,
    node: Node,
    moment: int,
    moments: Sequence[int],
    record: Callable[[int, int], Hashable],
    index: Mapping[Node, int],
) -> list[tuple[int, Number, Node]]:
    """Where a node moves, with which probability, and to which node of the next moment; `index` has its states."""
    memory, state = node
    reached = (
        (probability, _remember(memory, moment + 1, target, moments, record))
        for target, probability in hmm.transition[state]
    )
    return [(index[after], probability, after) for probability, after in reached if after in index]
