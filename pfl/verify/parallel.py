"""Judges several claims, one after the other, or each in a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, TypeAlias

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
    engine had to reject.

    With a limit of memory there is a process even for a single claim: libraries end theirs when they get no more.
    """
    if options.memory is None and (options.jobs == 1 or len(claims) < 2):
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
    """Every claim in a process of its own, so that one that dies takes nothing else with it."""
    from multiprocessing import get_context
    from multiprocessing.connection import wait

    context = get_context()
    judged: dict[int, Judged] = {}
    waiting = list(enumerate(claims))[::-1]
    running: dict[Any, tuple[int, Any]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < options.jobs:
                number, claim = waiting.pop()
                try:
                    receiver, process = _started(context, claim, options)
                except OSError as error:
                    if running:  # there is room again once one of them has ended
                        waiting.append((number, claim))
                        break
                    judged[number] = _not_started(error, options)
                else:
                    running[receiver] = number, process
            for ready in wait(list(running)) if running else ():
                number, process = running.pop(ready)
                judged[number] = _received(ready, process, options)
                progress(f"{len(judged)} of {len(claims)} claims judged")
    finally:
        for _, process in running.values():
            _stop(process)
    return [judged[number] for number in range(len(claims))]


def _started(context: Any, claim: Claim, options: Options) -> tuple[Any, Any]:
    """The end of a pipe where the verdict comes out, and the process that sends it. Raises OSError."""
    receiver, sender = context.Pipe(duplex=False)
    try:
        process = context.Process(target=_judge_and_send, args=(sender, claim, options), daemon=True)
        process.start()
    except OSError:
        receiver.close()
        raise
    finally:
        sender.close()
    return receiver, process


def _not_started(error: OSError, options: Options) -> Unknown:
    reason = f"no process could be started to judge the claim: {(error.strerror or str(error)).lower()}"
    return Unknown(engine=options.engine, reason=f"{reason}; try fewer --jobs")


def _judge_and_send(sender: Any, claim: Claim, options: Options) -> None:
    # Ctrl-C reaches every process of the group; only the parent speaks.
    with suppress(KeyboardInterrupt):
        sender.send(_judge(claim, options))


def _received(receiver: Any, process: Any, options: Options) -> Judged:
    """What the process sent, or why it did not."""
    try:
        judged: Judged = receiver.recv()
        return judged
    except EOFError:
        process.join()
        reason = f"the process that judged the claim ended with code {process.exitcode}"
        return Unknown(engine=options.engine, reason=f"{reason}; try a larger --memory, or fewer --jobs")
    finally:
        receiver.close()
        process.join()


def _stop(process: Any) -> None:
    """Give the process a second to end its own children."""
    process.join(1)
    if process.is_alive():
        process.kill()
