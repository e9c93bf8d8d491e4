"""Judges several claims, one after the other or in several processes."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from typing import TypeAlias

from pfl.base.budget import ProgressReport, silent
from pfl.base.diagnostics import Diagnostic, InputRejected
from pfl.ir.claims import Claim
from pfl.options import Options
from pfl.verify.judge import judge
from pfl.verify.verdict import ClaimResult, Findings, Unknown, Verdict

Judged: TypeAlias = Verdict | tuple[Diagnostic, ...]
"""A verdict, or what is wrong with the claim where that shows only now."""


def judge_all(claims: Sequence[Claim], options: Options, progress: ProgressReport) -> Findings:
    """The verdicts in the order of the claims, with `options.jobs` processes at most; and faults of claims that an
    engine had to reject."""
    if options.jobs == 1 or len(claims) < 2:
        judged = [_judge(claim, options, _named(claim, progress)) for claim in claims]
    else:
        judged = _judge_in_processes(claims, options, progress)
    return Findings(
        diagnostics=tuple(found for result in judged if isinstance(result, tuple) for found in result),
        results=tuple(
            ClaimResult(claim=claim, verdict=result)
            for claim, result in zip(claims, judged)
            if not isinstance(result, tuple)
        ),
    )


def _judge(claim: Claim, options: Options, progress: ProgressReport = silent) -> Judged:
    try:
        return judge(claim, options, progress)
    except InputRejected as rejected:
        return rejected.diagnostics


def _named(claim: Claim, progress: ProgressReport) -> ProgressReport:
    return lambda text: progress(f"{claim.name}: {text}")


def _judge_in_processes(claims: Sequence[Claim], options: Options, progress: ProgressReport) -> list[Judged]:
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool

    judged: dict[int, Judged] = {}
    with ProcessPoolExecutor(min(options.jobs, len(claims)), initializer=_die_on_interrupt) as pool:
        positions = {pool.submit(_judge, claim, options): number for number, claim in enumerate(claims)}
        for future in as_completed(positions):
            try:
                judged[positions[future]] = future.result()
            except BrokenProcessPool:
                reason = "a process that judged claims was killed; try --memory, or fewer --jobs"
                judged[positions[future]] = Unknown(engine=options.engine, reason=reason)
            progress(f"{len(judged)} of {len(claims)} claims judged")
    return [judged[number] for number in range(len(claims))]


def _die_on_interrupt() -> None:
    """Ctrl-C reaches every process of the group: workers end at once, and only the parent speaks."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
