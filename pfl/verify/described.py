"""The claims of a model that is given as text, in place of those that are lowered from a source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, InputRejected, Label
from pfl.base.source import SourceFile, Span
from pfl.model.claims import Claim
from pfl.model.text.model_text import read_described
from pfl.model.validation.described import faults_of_described
from pfl.model.validation.validation import Malformed, System, Validation, require_system, systems_of
from pfl.options import Options
from pfl.passes.equations import askable


class DescribedClaims:
    """The claims of a text that `options.claims` names, or all of them, each validated when it is asked for.

    Raises InputRejected where the text is not that of a model, or is to be changed by options.
    """

    def __init__(self, file: SourceFile, options: Options) -> None:
        self._file = file.name
        given = [f"--set {name}" for name in options.settings] + ["--length"] * (options.length is not None)
        if given:
            raise InputRejected([_settled(file.name, given[0])])
        things = read_described(file)
        described = [(place, thing) for place, thing in things if isinstance(thing, Claim)]
        self.names = tuple(claim.name for _, claim in described)
        twice = {name for name, count in Counter(self.names).items() if count > 1}
        self._described = [
            (place, each) for place, each in described if not options.claims or each.name in options.claims
        ]
        for place, claim in self._described:
            if claim.name in twice:
                raise InputRejected([_unsound(place, f"there are two claims of the name `{claim.name}`")])
        self._validation = Validation()
        claims = (each for _, claim in described for each in _with_those_apart(claim))
        asked = {system for claim in claims for system in systems_of(claim)}
        for place, thing in things:
            if isinstance(thing, System) and thing not in asked:
                _require(place, partial(require_system, thing, "what no claim is about"))

    @property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(claim for _, claim in self._described)

    def place(self, number: int) -> Span:
        """Where the claim of that number stands in the text."""
        return self._described[number][0]

    def lower(self, number: int) -> Claim:
        """A claim, ready to be judged. Raises InputRejected where it breaks what every claim satisfies."""
        place, claim = self._described[number]
        for each in _with_those_apart(claim):
            _require(place, partial(self._validation.require, each))
            for problem in faults_of_described(each):
                raise InputRejected([_unsound(place, f"claim `{claim.name}`: {problem}")])
        return askable(claim)


def _require(place: Span, looks: Callable[[], None]) -> None:
    """Raise InputRejected with a place for what is malformed."""
    try:
        looks()
    except Malformed as fault:
        raise InputRejected([_unsound(place, str(fault))]) from fault


def _with_those_apart(claim: Claim) -> Iterator[Claim]:
    yield claim
    for _, there in getattr(claim.anew, "claims", ()):
        yield from _with_those_apart(there)


def _unsound(place: Span, problem: str) -> Diagnostic:
    return Diagnostic(
        code=codes.UNSOUND_MODEL_TEXT,
        message=problem,
        labels=(Label(place),),
        help="write the text anew with `pflc emit ir`, or mend what was changed in it",
    )


def _settled(file: str, option: str) -> Diagnostic:
    return Diagnostic(
        code=codes.SETTING_OF_MODEL_TEXT,
        message=f"`{option}` cannot change a model that is given as text",
        file=file,
        help="give it to `pflc emit ir`, which writes the text from the model's source",
    )
