"""Which samples the states of a program hold, what asks for them, and what is wrong with some of that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, InputRejected
from pfl.base.diagnostics import Label as Place
from pfl.base.exact_text import fraction_text
from pfl.base.exponential import ONE
from pfl.base.source import Span
from pfl.explore.noise_graph import Edge, Guard, NoiseGraph
from pfl.model.noise import Noise

Needed: TypeAlias = frozenset[int]
"""Handles of a state that some way onward still compares."""


def needed(graph: NoiseGraph, asked: Callable[[Edge], Sequence[int]], of_faults: bool = True) -> list[Needed]:
    """Of each state, the handles that an edge asks for, there or after it: the least solution, from behind."""
    needed: list[set[int]] = [set() for _ in graph.states]
    users: list[list[int]] = [[] for _ in graph.states]
    for state, edges in enumerate(graph.edges):
        for edge in edges:
            users[edge.target].append(state)
    pending = list(range(len(graph.states)))
    while pending:
        state = pending.pop()
        faults = graph.faults.get(state, ()) if of_faults else ()
        found = {end for fault in faults for guard in fault.guards for end in ends(guard)}
        for edge in graph.edges[state]:
            found.update(asked(edge))
            found.update(
                origin for handle in needed[edge.target] if not isinstance(origin := edge.carried[handle], Noise)
            )
        if found != needed[state]:
            needed[state] = found
            pending.extend(users[state])
    return [frozenset(found) for found in needed]


def ends(guard: Guard) -> list[int]:
    return [end for end in (guard.left, guard.right) if end is not None]


def base_of(graph: NoiseGraph) -> str:
    """The parameter, or `ONE`, whose multiples the scales of real noise divide. Raises InputRejected for several."""
    drawn = (origin for edges in graph.edges for edge in edges for origin in edge.carried)
    bases: dict[str, Noise] = {}
    for noise in drawn:
        if isinstance(noise, Noise) and noise.base:
            bases.setdefault(noise.base, noise)
    if len(bases) > 1:
        raise InputRejected([several_units(graph, [bases[base] for base in sorted(bases)])])
    return next(iter(bases), ONE)


def require_unit_of(graph: NoiseGraph, base: str) -> None:
    """Raise InputRejected where numbers on the line are multiples of something over another parameter than scales."""
    unit = graph.unit
    if unit is not None and unit.base != base:
        noises = (origin for edges in graph.edges for edge in edges for origin in edge.carried)
        noise = next((each for each in noises if isinstance(each, Noise) and each.base), None)
        scales = "numbers" if base == ONE else f"multiples of 1/{base}"
        raise InputRejected(
            [
                Diagnostic(
                    code=codes.NOISE_PARAMETER,
                    message=f"the scales of the noise in `{graph.program.name}` are {scales}, and its samples are "
                    f"compared with, moved by, or lie around multiples of {unit.text(Fraction(1))}",
                    labels=() if noise is None or noise.place is None else (Place(noise.place),),
                    help="divide both by one parameter: `laplace(ln(3)/eps, 2/eps)`",
                )
            ]
        )


def irrational(graph: NoiseGraph, argument: Fraction, power: int, rate: Fraction) -> Diagnostic:
    logarithm = f"ln({fraction_text(argument)})"
    what = f"{logarithm} itself" if power else f"{fraction_text(argument)}^({fraction_text(-rate)})"
    cause = (
        "scales of samples that are compared are alike, or their inverses add up"
        if power
        else "its scale is too large for that distance"
    )
    return Diagnostic(
        code=codes.NOISE_PARAMETER,
        message=f"probabilities in `{graph.program.name}` hold {what}, which is no rational number, as {cause}",
        labels=_place_of(graph, graph.starts[0]),
        help="e^(-b/scale) must be rational for all distances b, and scales different: `laplace(0, 1/eps)` and "
        "`laplace(0, 1/(2*eps))` around multiples of `ln(3)/eps`",
    )


def _place_of(graph: NoiseGraph, state: int) -> tuple[Place, ...]:
    origin: Span | None = graph.program.nodes[graph.states[state][0]].origin
    return () if origin is None else (Place(origin),)


def compared_for_ever(graph: NoiseGraph, state: int) -> Diagnostic:
    return Diagnostic(
        code=codes.SAMPLE_IN_LOOP,
        message=f"`{graph.program.name}` may go on for ever comparing one sample",
        labels=_place_of(graph, state),
        help="let the loop end after a number of turns: `for i in 0..n-1`; or draw the sample anew in each turn",
    )


def shown_after_comparison(graph: NoiseGraph, state: int) -> Diagnostic:
    return Diagnostic(
        code=codes.SAMPLE_MISUSED,
        message=f"`{graph.program.name}` shows a sample that it compares as well, or shows again",
        labels=_place_of(graph, state),
        help="show what comparisons of it give, for instance the bin in which it lies; or draw a fresh sample to show",
    )


def input_meanwhile(graph: NoiseGraph) -> Diagnostic:
    return Diagnostic(
        code=codes.NOISE_MISPLACED,
        message=f"`{graph.program.name}` receives an input while it holds a sample that it will compare",
        labels=(),
        help="give the inputs as an array; or draw the sample after they are received",
    )


def several_units(graph: NoiseGraph, noises: Sequence[Noise]) -> Diagnostic:
    """`noises` are one of each base."""
    named = " and ".join("a number" if noise.base == ONE else f"`{noise.base}`" for noise in noises)
    places = (Place(noise.place, f"of scale {noise.scale_text}") for noise in noises if noise.place is not None)
    return Diagnostic(
        code=codes.MIXED_EXPONENTS,
        message=f"the scales of the noise in `{graph.program.name}` are multiples of 1 over {named}",
        labels=tuple(places),
        help="write them as multiples of one: `2/eps` and `4/eps`; or fix the parameters with `--set`",
    )
