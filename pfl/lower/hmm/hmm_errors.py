"""Faults of hidden Markov models, priors and claims about them that show only once their numbers are known."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.base import codes
from pfl.base.budget import larger_limit
from pfl.base.diagnostics import Diagnostic, Label, LimitReached
from pfl.base.source import Span
from pfl.lower.claim_errors import how_many
from pfl.syntax.spelling import did_you_mean
from pfl.syntax.tree.ast import Identifier


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
    from difflib import get_close_matches

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


def endless_states(place: Span, variable: Identifier) -> Diagnostic:
    return Diagnostic(
        code=codes.ENDLESS_STARTS,
        message=f"`{variable.text}` has infinitely many values, so there are infinitely many states to start in",
        labels=(Label(place, "ranges over all states"), Label(variable.span, "give it a range such as `0..9`")),
        help="or name the starts as a distribution: `from { .. }`",
    )


def no_such_start(place: Span, system: str) -> Diagnostic:
    return Diagnostic(
        code=codes.NO_SUCH_START,
        message=f"no state of `{system}` satisfies this `from`",
        labels=(Label(place, "so there is nowhere to start"),),
        help="a claim about nothing would hold trivially; check the condition, or the types of the state variables",
    )


def too_many_starts(place: Span, system: str, count: int, limit: int) -> LimitReached:
    reason = (
        f"`{system}` has {how_many(count)} states to start in, and no more than {limit:,} are gone through;"
        f" give its variables smaller types, or name the starts as a distribution{larger_limit(count)}"
    )
    label = Label(place, "ranges over all states")
    return LimitReached(reason, Diagnostic(code=codes.TOO_MANY_STATES, message=reason, labels=(label,)))


def zero_secret(pair: Span, label: str, prior: str, bindings: str) -> Diagnostic:
    under = f" under prior `{prior}`" if prior else ""
    where = f" for {bindings}" if bindings else ""
    return Diagnostic(
        code=codes.SECRET_OF_PROBABILITY_ZERO,
        message=f"the secret `{label}` has probability 0{under}{where}, so this pair is skipped",
        labels=(Label(pair, "nothing can be learned about what never happens"),),
    )
