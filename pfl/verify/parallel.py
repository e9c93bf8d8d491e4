"""Judges several claims, one after the other or in several processes."""

from __future__ import annotations

import signal
from collections.abc import Sequence

from pfl.base.budget import ProgressReport, silent
from pfl.ir.claims import Claim
from pfl.options import Options
from pfl.verify.judge import judge
from pfl.verify.verdict import ClaimResult, Unknown, Verdict


def judge_all(claims: Sequence[Claim], options: Options, progress: ProgressReport) -> tuple[ClaimResult, ...]:
    """The verdicts in the order of the claims, with `options.jobs` processes at most."""
    if options.jobs == 1 or len(claims) < 2:
        return tuple(judge(claim, options, _named(claim, progress)) for claim in claims)
    return _judge_in_processes(claims, options, progress)


def _named(claim: Claim, progress: ProgressReport) -> ProgressReport:
    return lambda text: progress(f"{claim.name}: {text}")


def _judge_in_processes(
    claims: Sequence[Claim], options: Options, progress: ProgressReport
) -> tuple[ClaimResult, ...]:
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool

    results: dict[int, ClaimResult] = {}
    with ProcessPoolExecutor(min(options.jobs, len(claims)), initializer=_die_on_interrupt) as pool:
        positions = {pool.submit(_judge_quietly, claim, options): number for number, claim in enumerate(claims)}
        for future in as_completed(positions):
            number = positions[future]
            verdict: Verdict
            try:
                verdict = future.result()
            except BrokenProcessPool:
                reason = "a process that judged claims was killed; try --memory, or fewer --jobs"
                verdict = Unknown(engine=options.engine, reason=reason)
            results[number] = ClaimResult(claim=claims[number], verdict=verdict)
            progress(f"{len(results)} of {len(claims)} claims judged")
    return tuple(results[number] for number in range(len(claims)))


def _judge_quietly(claim: Claim, options: Options) -> Verdict:
    return judge(claim, options, silent).verdict


def _die_on_interrupt() -> None:
    """Ctrl-C reaches every process of the group: workers end at once, and only the parent speaks."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
