"""What is wrong with programs that draw Gaussian noise, of which probabilities are enclosed."""

from __future__ import annotations

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.number import Number
from pfl.base.source import Span
from pfl.explore.noise_graph import NoiseGraph
from pfl.model.noise import Noise


def _misplaced(message: str, place: Span | None, cure: str) -> Diagnostic:
    labels = () if place is None else (Label(place),)
    return Diagnostic(code=codes.GAUSSIAN_MISPLACED, message=message, labels=labels, help=cure)


def _place_of(graph: NoiseGraph, state: int) -> Span | None:
    return graph.program.nodes[graph.states[state][0]].origin


def enclosed_elsewhere(graph: NoiseGraph, noise: Noise) -> Diagnostic:
    return _misplaced(
        f"`{graph.program.name}` draws `{noise}`, and this claim is not decided by enclosures",
        noise.place,
        "Gaussian noise is judged by `check privacy`, `compute epsilon` and `compute delta` under adjacencies",
    )


def other_noise(graph: NoiseGraph, noise: Noise) -> Diagnostic:
    return _misplaced(
        f"`{graph.program.name}` draws `{noise}` beside Gaussian noise",
        noise.place,
        "draw one or the other: probabilities of Gaussian noise are enclosed, those of other noise computed exactly",
    )


def input_received(graph: NoiseGraph, state: int) -> Diagnostic:
    return _misplaced(
        f"`{graph.program.name}` receives inputs and draws Gaussian noise",
        _place_of(graph, state),
        "give the inputs as an array: `m(q: [3] of 0..1)`",
    )


def sample_shown(graph: NoiseGraph, state: int) -> Diagnostic:
    return _misplaced(
        f"`{graph.program.name}` shows a sample of Gaussian noise",
        _place_of(graph, state),
        "show the bin in which it lies: `if noisy < 0 then low else high`",
    )


def depends_on_parameters(graph: NoiseGraph, state: int, weight: Number) -> Diagnostic:
    return _misplaced(
        f"`{graph.program.name}` draws Gaussian noise, and something else with probability {weight}",
        _place_of(graph, state),
        "probabilities beside Gaussian noise are rational numbers; `--set` fixes a parameter",
    )


def drawn_for_ever(graph: NoiseGraph, state: int) -> Diagnostic:
    return _misplaced(
        f"`{graph.program.name}` draws Gaussian noise and may go on for ever",
        _place_of(graph, state),
        "let the loop end after a number of turns: `for i in 0..n-1`",
    )
