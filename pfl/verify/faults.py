"""What goes wrong beside claims, as diagnostics: rejected input, limits, faults of the compiler, unknown names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TypeVar

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, InputRejected, LimitReached
from pfl.base.exceptions import deep_recursion, description, limit_met
from pfl.options import Options

T = TypeVar("T")


def guarded(work: Callable[[], T], file: str, options: Options) -> T | tuple[Diagnostic, ...]:
    """What `work` returns, or the diagnostics that its exception stands for; with `options.debug` faults escape."""
    try:
        with deep_recursion():
            return work()
    except InputRejected as rejected:
        return rejected.diagnostics
    except LimitReached as limit:
        return (limit.diagnostic or limit_reached(limit.reason, file),)
    except Exception as error:
        if (reason := limit_met(error, options.memory)) is not None:
            return (limit_reached(reason, file),)
        if options.debug:
            raise
        return (internal_error(error, file),)


def limit_reached(reason: str, file: str) -> Diagnostic:
    """That a limit was met before there was a claim to leave undecided."""
    return Diagnostic(code=codes.LIMIT_REACHED, message=reason, file=file)


def internal_error(error: Exception, file: str) -> Diagnostic:
    """That the compiler has failed, with how to report it."""
    return Diagnostic(
        code=codes.INTERNAL_ERROR,
        message=f"the compiler has failed: {description(error)}",
        file=file,
        help="this is a fault of pflc, not of the model; please report it together with the model",
        notes=("`--debug`, or PFLC_DEBUG=1, shows the traceback",),
    )


def unknown_claims(asked: Sequence[str], declared: Sequence[str]) -> tuple[Diagnostic, ...]:
    """A fault for each name that is not declared."""
    return tuple(_unknown_claim(name, declared) for name in dict.fromkeys(asked) if name not in declared)


def _unknown_claim(name: str, declared: Sequence[str]) -> Diagnostic:
    close = get_close_matches(name, declared, n=1)
    if close:
        cure = f"did you mean `{close[0]}`?"
    elif declared:
        cure = f"the claims are {', '.join(f'`{other}`' for other in dict.fromkeys(declared))}"
    else:
        cure = "the model declares no claim"
    return Diagnostic(code=codes.UNKNOWN_CLAIM, message=f"there is no claim named `{name}`", help=cure)
