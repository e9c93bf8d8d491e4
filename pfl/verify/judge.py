"""The verdict on a claim, whatever happens on the way: limits and faults of the compiler leave it undecided."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from pfl.base.budget import Budget, ProgressReport, moment_after, silent
from pfl.base.diagnostics import Diagnostic, InputRejected, LimitReached
from pfl.base.exceptions import deep_recursion, description, is_out_of_memory, out_of_memory
from pfl.engines.answer import Unknown
from pfl.engines.registry import EngineName
from pfl.model.claims import Claim
from pfl.options import Options
from pfl.verify.conclude import plan
from pfl.verify.parameters.everywhere import verdict_everywhere
from pfl.verify.verdict import Verdict

Judged: TypeAlias = Verdict | tuple[Diagnostic, ...]
"""A verdict, or what is wrong with the claim where that shows only now."""


def judged(claim: Claim, options: Options, progress: ProgressReport = silent) -> Judged:
    """The verdict on one claim, as `judge` gives it, or what an engine found wrong with the claim."""
    try:
        return judge(claim, options, progress)
    except InputRejected as rejected:
        return rejected.diagnostics


def judge(claim: Claim, options: Options, progress: ProgressReport) -> Verdict:
    """The verdict on one claim, within the limits of `options`; time, memory and depth that run out make it unknown.

    A fault of the compiler makes it unknown too, marked as internal; with `options.debug` it escapes. Raises
    InputRejected where an engine finds the claim itself at fault.
    """
    budget = Budget(deadline=moment_after(options.timeout), max_states=options.max_states, progress=progress)
    engine: EngineName = "none"
    verdict: Verdict
    try:
        if claim.limit is None:
            engine = plan(claim.question, options).engine.name
        with deep_recursion():
            verdict = _verdict(claim, options, budget)
    except InputRejected:
        raise
    except LimitReached as limit:
        return Unknown(engine=engine, reason=limit.reason)
    except RecursionError:
        return Unknown(engine=engine, reason="the model is nested too deeply for this engine")
    except Exception as error:
        if is_out_of_memory(error):
            return Unknown(engine=engine, reason=out_of_memory(options.memory))
        if options.debug:
            raise
        verdict = Unknown(engine=engine, reason=f"the compiler has failed: {description(error)}", is_internal=True)
    if isinstance(verdict, Unknown) and verdict.is_internal:
        return replace(verdict, reason=f"{verdict.reason}; {_how_to_report(claim)}")
    return verdict


def _verdict(claim: Claim, options: Options, budget: Budget) -> Verdict:
    if claim.verb == "find" and claim.limit is None:
        from pfl.verify.parameters.everywhere_find import found_everywhere  # needed for finds only

        return found_everywhere(claim, options, budget)
    return verdict_everywhere(claim, options, budget)


def _how_to_report(claim: Claim) -> str:
    where = f"{claim.origin.file}:{claim.origin.line}"
    return (
        f"this is a fault of pflc, not of the model: please report it together with claim `{claim.name}` at {where}; "
        "--debug shows the traceback"
    )
