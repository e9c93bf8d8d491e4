"""Faults of hidden Markov models, priors and claims about them that show only once their numbers are known."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.number import Number
from pfl.base.source import Span
from pfl.model.values import show
from pfl.syntax.spelling import did_you_mean


def lines_depend(first: Span, second: Span, name: str) -> Diagnostic:
    return Diagnostic(
        code=codes.STEP_LINES_DEPEND,
        message=f"two `step` lines set parts of `{name}`, and where one of them goes depends on `{name}` itself",
        labels=(Label(second, f"this place reads `{name}`"), Label(first, f"`{name}` is also set here")),
        help="write a `step { .. }` block, which runs in order",
    )


def no_start(claim: Span, system: str) -> Diagnostic:
    return Diagnostic(
        code=codes.NO_START,
        message=f"nothing says where `{system}` starts",
        labels=(Label(claim, "this claim needs a start"),),
        help="give the hmm an `init`, or the claim a `prior`",
    )


def unknown_observation(place: Span, written: str, system: str, letters: Sequence[str]) -> Diagnostic:
    close = get_close_matches(written, letters, n=1)
    known = ", ".join(f"`{letter}`" for letter in letters[:12]) + (", ..." if len(letters) > 12 else "")
    listed = f"the observations are {known}" if letters else f"`{system}` makes none: it is silent wherever it comes"
    return Diagnostic(
        code=codes.UNKNOWN_OBSERVATION,
        message=f"`{written}` is not an observation of `{system}`",
        labels=(Label(place, "never emitted"),),
        help=did_you_mean(written, close[0]) if close else listed,
    )


def never_silent(place: Span, system: str) -> Diagnostic:
    return Diagnostic(
        code=codes.UNKNOWN_OBSERVATION,
        message=f"`never` is not an observation of `{system}`",
        labels=(Label(place, "it stands for silence without end"),),
        help="no state emits `silent`, so there is always another observation",
    )


def no_such_state(place: Span, value: str, system: str, states: Sequence[str]) -> Diagnostic:
    """A start of a table at a value that is the name of none of its states."""
    return Diagnostic(
        code=codes.UNKNOWN_STATE,
        message=f"`{value}` is not a state of `{system}`",
        labels=(Label(place, "a run may start there"),),
        help=f"the states are {', '.join(f'`{state}`' for state in states)}",
    )


def zero_secret(pair: Span, label: str, prior: str, bindings: str) -> Diagnostic:
    under = f" under prior `{prior}`" if prior else ""
    where = f" for {bindings}" if bindings else ""
    return Diagnostic(
        code=codes.SECRET_OF_PROBABILITY_ZERO,
        message=f"the secret `{label}` has probability 0{under}{where}, so this pair is skipped",
        labels=(Label(pair, "nothing can be learned about what never happens"),),
    )


def length_zero(place: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.LENGTH_ZERO,
        message="with length 0 nothing is observed, so the claim holds whatever the system does",
        labels=(Label(place, "no observation is made"),),
    )


def wrong_length(place: Span, length: str) -> Diagnostic:
    return Diagnostic(
        code=codes.WRONG_LENGTH,
        message=f"a length of {length} makes no sense",
        labels=(Label(place, "lengths count observations"),),
        help="give a whole number that is not negative, a range such as `1..12`, or `any`",
    )


def varies_with_for(place: Span, keyword: str) -> Diagnostic:
    return Diagnostic(
        code=codes.VARIES_WITH_FOR,
        message=f"the {keyword} of this check differs between the values of its `for` variables",
        labels=(Label(place, "not the same for all of them"),),
        help="write one check for each, or compute `epsilon`, which gives a value for each",
    )


def negative_epsilon(place: Span, epsilon: str) -> Diagnostic:
    return Diagnostic(
        code=codes.NEGATIVE_EPSILON,
        message=f"epsilon is negative: {epsilon}",
        labels=(Label(place, "no system satisfies this, since the ratios of all words cannot be below 1"),),
        help="epsilon is 0 or more",
    )


def delta_out_of_range(place: Span, delta: Number) -> Diagnostic:
    return Diagnostic(
        code=codes.DELTA_OUT_OF_RANGE,
        message=f"delta is {show(delta)}, which is not a probability",
        labels=(Label(place, "delta lies in 0..1"),),
    )
