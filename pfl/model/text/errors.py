"""What can be wrong with the text of a model."""

from __future__ import annotations

from pfl.base import codes
from pfl.base.codes import Code
from pfl.base.diagnostics import Diagnostic, InputRejected, Label
from pfl.base.source import SourceFile, Span

_WRITE = "`pflc emit ir` writes such a text; its form is in docs/reference/model-text.md"


def malformed(place: Span, problem: str) -> InputRejected:
    """A line is not as it should be, as `problem` says."""
    return _rejected(codes.MALFORMED_MODEL_TEXT, place, problem, _WRITE)


def no_source(file: SourceFile) -> InputRejected:
    """The text of a model stands where a source is needed."""
    cure = "name the source that it was written from; `pflc emit ir` writes such texts in one layout"
    return _rejected(
        codes.MODEL_TEXT_AS_SOURCE, Span(file, 0, len(file.line(1))), "this is the text of a model, and no source", cure
    )


def unknown_reference(place: Span, what: str) -> InputRejected:
    """A line refers to something that none above describes; `what` is in words."""
    cure = "what is referred to stands before the line that does: describe it above, or correct the number"
    return _rejected(codes.UNKNOWN_REFERENCE, place, f"nothing above describes {what}", cure)


def other_version(place: Span, version: str, known: str) -> InputRejected:
    """The text is of a version that this program does not read."""
    cure = f"write the text anew with the pflc that is to read it; this one reads version {known}"
    return _rejected(codes.OTHER_MODEL_TEXT, place, f"the text of a model of version {version} cannot be read", cure)


def number_too_long(place: Span) -> InputRejected:
    """A number has too many digits, or too large an exponent."""
    cure = "such numbers are too long to compute with"
    return _rejected(codes.NUMBER_SIZE, place, "a number has more than 100000 digits, or such an exponent", cure)


def nested_too_deeply(place: Span) -> InputRejected:
    """Lines, or brackets, stand in too many others."""
    cure = "write what stands inside as a system, or a question, of its own"
    return _rejected(codes.NESTING, place, "this is nested in more than 100 levels", cure)


def _rejected(code: Code, place: Span, message: str, cure: str) -> InputRejected:
    return InputRejected([Diagnostic(code=code, message=message, labels=(Label(place),), help=cure)])
