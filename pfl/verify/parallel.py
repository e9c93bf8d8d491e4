"""Judges several claims, one after the other, or each in a process of its own.

An iterator whose next element can be waited for among other things.

The verdict on a claim, whatever happens on the way: limits and faults of the compiler leave it undecided.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Thread
from typing import Any, Generic, TypeAlias, TypeVar

from pfl.base.budget import Budget, ProgressReport, moment_after, silent
from pfl.base.diagnostics import Diagnostic, InputRejected, Label, LimitReached
from pfl.base.exceptions import deep_recursion, description, is_out_of_memory, out_of_memory
from pfl.base.source import Span
from pfl.base.struct import struct
from pfl.engines.answer import Unknown
from pfl.engines.registry import EngineName
from pfl.model.claims import Claim
from pfl.options import Options
from pfl.verify.conclude import plan
from pfl.verify.parameters.everywhere import verdict_everywhere
from pfl.verify.verdict import ClaimResult, Findings, Verdict

Element = TypeVar("Element")


class Ahead(Generic[Element]):
    """Takes elements of an iterator in a thread of their own, one at a time, each when it is asked for.

    There is no thread between `take` and the next `ask`, so that the process may be forked then.
    """

    def __init__(self, source: Iterator[Element]) -> None:
        from multiprocessing import Pipe

        self._source = source
        self.ready, self._sender = Pipe(duplex=False)
        self._thread: Thread | None = None
        self._element: Element | None = None
        self._error: BaseException | None = None

    @property
    def is_busy(self) -> bool:
        """Whether an element was asked for that has not been taken."""
        return self._thread is not None

    def ask(self) -> None:
        """Begin with the next element: `ready` can be read once it is there. Raises RuntimeError without a thread."""
        thread = Thread(target=self._work, daemon=True)
        thread.start()
        self._thread = thread

    def take(self) -> Element | None:
        """The element, as soon as it is there, asked for or not; None after the last.

        Raises what the iterator raises.
        """
        if self._thread is None:
            return next(self._source, None)
        self.ready.recv_bytes()
        self._thread.join()
        self._thread = None
        if self._error is not None:
            raise self._error
        return self._element

    def close(self) -> None:
        """Wait for nothing more; what was asked for goes on until it is there, or gives up by itself."""
        if not self.ready.closed:
            self.ready.close()

    def _work(self) -> None:
        try:
            self._element = next(self._source, None)
        except BaseException as error:
            self._error = error
        finally:
            with suppress(OSError):  # nobody waits any more
                self._sender.send_bytes(b".")


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


Judged: TypeAlias = Verdict | tuple[Diagnostic, ...]
"""A verdict, or what is wrong with the claim where that shows only now."""

SECONDS_BETWEEN_REPORTS = 0.5
ENDING = frozenset({signal.SIGINT, signal.SIGTERM})
_CAN_HOLD = hasattr(signal, "pthread_sigmask")


@struct
class Lowered:
    """What became of a claim as it was declared: a question, or None where it is not to be judged; and what was found
    wrong or doubtful on the way. `place` is where the claim stands, for what engines find wrong, which know no places.
    """

    claim: Claim | None
    diagnostics: tuple[Diagnostic, ...] = ()
    place: Span | None = None

    def placed(self, found: Diagnostic) -> Diagnostic:
        """What an engine found wrong with the claim, with a place."""
        if found.labels or self.place is None:
            return found
        return replace(found, labels=(Label(self.place, "this claim is about it"),))


def judge_all(claims: Sequence[Claim], options: Options, progress: ProgressReport) -> Findings:
    """The verdicts in the order of the claims, with `options.jobs` processes at most; and faults of claims that an
    engine had to reject."""
    lowered = (Lowered(claim=claim) for claim in claims)
    judged = [(each.claim, result) for each, result in judge_each(lowered, len(claims), options, progress)]
    return Findings(
        diagnostics=tuple(found for _, result in judged if isinstance(result, tuple) for found in result),
        results=tuple(
            ClaimResult(claim=claim, verdict=result)
            for claim, result in judged
            if claim is not None and result is not None and not isinstance(result, tuple)
        ),
    )


def judge_each(
    lowered: Iterator[Lowered],
    count: int,
    options: Options,
    progress: ProgressReport,
    title: Callable[[Claim], str] = lambda claim: claim.name,
) -> Iterator[tuple[Lowered, Judged | None]]:
    """Each claim with its verdict, in order, as soon as it and all before it are known; None where none is asked for.

    A claim is taken from `lowered`, of which there are `count`, only when there is a process to judge it, so that no
    more systems are built than are needed. With a limit of memory there is a process even for a single claim: libraries
    end theirs when they get no more. `title` is what progress calls a claim.
    """
    if options.memory is not None or (options.jobs > 1 and count > 1):
        yield from _Processes(lowered, count, options, progress).results()
        return
    for each in lowered:
        claim = each.claim
        yield each, None if claim is None else _judge(claim, options, named(title(claim), progress))


def named(title: str, progress: ProgressReport) -> ProgressReport:
    """Progress on what has that title."""
    return lambda text: progress(f"{title}: {text}")


def _judge(claim: Claim, options: Options, progress: ProgressReport = silent) -> Judged:
    try:
        return judge(claim, options, progress)
    except InputRejected as rejected:
        return rejected.diagnostics


_TOLD = Lowered(claim=None)
"""In place of a claim that was told, so that what was built for it need not be kept."""


class _Processes:
    """Judges every claim in a process of its own, so that one that dies takes nothing else with it."""

    def __init__(self, lowered: Iterator[Lowered], count: int, options: Options, progress: ProgressReport) -> None:
        from multiprocessing import get_context

        self._context = get_context()
        self._ahead = Ahead(lowered)
        self._has_ended = False
        self._options, self._count, self._progress = options, count, progress
        self._taken: list[Lowered] = []
        self._waiting: int | None = None
        self._running: dict[Any, tuple[int, Any]] = {}
        self._judged: dict[int, Judged | None] = {}
        self._told = 0

    def results(self) -> Iterator[tuple[Lowered, Judged | None]]:
        """See `judge_each`; an interruption comes after what is known by then of claims behind one that is open."""
        try:
            while not self._has_ended or self._running or self._waiting is not None:
                self._start()
                yield from self._known()
                self._wait()
                yield from self._known()
        except KeyboardInterrupt:
            self._end()
            for number in sorted(self._judged.keys() - range(self._told)):
                yield self._taken[number], self._judged[number]
            raise
        finally:
            self._end()

    def _end(self) -> None:
        self._ahead.close()
        _stop([process for _, process in self._running.values()])
        self._running.clear()

    def _known(self) -> Iterator[tuple[Lowered, Judged | None]]:
        """What is known by now and has not been told, up to the first claim that is still open."""
        while self._told in self._judged:
            number, self._told = self._told, self._told + 1
            lowered, self._taken[number] = self._taken[number], _TOLD
            yield lowered, self._judged[number]

    def _start(self) -> None:
        """Start processes while there may be more of them and there are claims for them.

        No process is started while a thread is at work: locks that it holds would stay locked in the process.
        """
        while len(self._running) < self._options.jobs and not self._ahead.is_busy:
            if self._waiting is None:
                if self._has_ended or self._asked_ahead():
                    return
                self._take()
                if self._waiting is None:
                    return  # there is nothing to judge, which can be told
            elif not self._started(self._waiting):
                return

    def _asked_ahead(self) -> bool:
        """Whether the next claim is on its way in a thread, since there are results to wait for meanwhile."""
        if not self._running:
            return False
        try:
            self._ahead.ask()
        except RuntimeError:  # there is no room for a thread
            return False
        return True

    def _take(self) -> None:
        lowered = self._ahead.take()
        if lowered is None:
            self._has_ended = True
            return
        self._taken.append(lowered)
        if lowered.claim is None:
            self._judged[len(self._taken) - 1] = None
        else:
            self._waiting = len(self._taken) - 1

    def _started(self, number: int) -> bool:
        """Whether the claim has a process now; or a verdict, where no process can be had at all."""
        claim = self._taken[number].claim
        assert claim is not None
        try:
            receiver, process = _started(self._context, claim, self._options)
        except OSError as error:
            if self._running:  # there is room again once one of them has ended
                return False
            self._judged[number] = _not_started(error, self._options)
        else:
            self._running[receiver] = number, process
        self._waiting = None
        return True

    def _wait(self) -> None:
        """Wait until a process has ended or the next claim is there, telling the progress now and then."""
        from multiprocessing.connection import wait

        awaited = [*self._running, *([self._ahead.ready] if self._ahead.is_busy else ())]
        for ready in wait(awaited, SECONDS_BETWEEN_REPORTS) if awaited else ():
            if ready is self._ahead.ready:
                self._take()
            else:
                number, process = self._running.pop(ready)
                self._judged[number] = _received(ready, process, self._options)
        if not self._ahead.is_busy:
            self._progress(f"{len(self._judged)} of {self._count} claims judged")


def _started(context: Any, claim: Claim, options: Options) -> tuple[Any, Any]:
    """The end of a pipe where the verdict comes out, and the process that sends it. Raises OSError."""
    receiver, sender = context.Pipe(duplex=False)
    try:
        process = context.Process(target=_judge_and_send, args=(sender, claim, options), daemon=True)
        with _signals_held():
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
    # Ctrl-C reaches every process of the group: the parent alone speaks, and ends this one by the other signal.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if _CAN_HOLD:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    with suppress(KeyboardInterrupt):
        sender.send(_judge(claim, options))


@contextmanager
def _signals_held() -> Iterator[None]:
    """Signals that end the run wait: a process that is just starting would answer them as the run does."""
    if not _CAN_HOLD:
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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


def _stop(processes: Sequence[Any]) -> None:
    """End the processes, which have a second to end their own children."""
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(1)
        if process.is_alive():
            process.kill()
            process.join()
