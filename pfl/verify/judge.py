"""The verdict on a claim, whatever happens on the way: limits and faults of the compiler leave it undecided."""

from __future__ import annotations

from dataclasses import replace

from pfl.base.budget import Budget, ProgressReport, moment_after
from pfl.base.diagnostics import InputRejected, LimitReached
from pfl.base.exceptions import description, is_out_of_memory, out_of_memory
from pfl.base.recursion import deep_recursion
from pfl.ir.claims import Claim
from pfl.options import Options
from pfl.verify.everywhere import verdict_everywhere
from pfl.verify.plan import EngineName, plan
from pfl.verify.verdict import Unknown, Verdict


def judge(claim: Claim, options: Options, progress: ProgressReport) -> Verdict:
    """The verdict on one claim, within the limits of `options`; time, memory and depth that run out make it unknown.

    A fault of the compiler makes it unknown too, marked as internal; with `options.debug` it escapes. Raises
    InputRejected where an engine finds the claim itself at fault.
    """
    budget = Budget(deadline=moment_after(options.timeout), max_states=options.max_states, progress=progress)
    engine: EngineName = "none"
    verdict: Verdict
    try:
        engine = plan(claim.question, options).engine
        with deep_recursion():
            verdict = verdict_everywhere(claim, options, budget)
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


def _how_to_report(claim: Claim) -> str:
    where = f"{claim.origin.file}:{claim.origin.line}"
    return (
        f"this is a fault of pflc, not of the model: please report it together with claim `{claim.name}` at {where}; "
        "--debug shows the traceback"
    )
