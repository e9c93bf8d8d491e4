"""Judges several claims, one after the other, or each by a worker: a process, here or in a cluster.

An iterator whose next element can be waited for among other things.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from threading import Thread
from typing import Any, Generic, TypeVar

from pfl.base.budget import ProgressReport
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.source import Span
from pfl.base.struct import struct
from pfl.engines.answer import Unknown
from pfl.model.claims import Claim
from pfl.options import Engine, Options
from pfl.verify.judge import Judged, judged
from pfl.verify.processes import Judging, Processes, Workers
from pfl.verify.verdict import ClaimResult, Findings

Element = TypeVar("Element")

SECONDS_BETWEEN_REPORTS = 0.5


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
    told = [(each.claim, result) for each, result in judge_each(lowered, len(claims), options, progress)]
    return Findings(
        diagnostics=tuple(found for _, result in told if isinstance(result, tuple) for found in result),
        results=tuple(
            ClaimResult(claim=claim, verdict=result)
            for claim, result in told
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
    if (workers := _workers(options, count)) is not None:
        yield from _Several(lowered, count, workers, options.engine, progress).results()
        return
    for each in lowered:
        claim = each.claim
        yield each, None if claim is None else judged(claim, options, named(title(claim), progress))


def _workers(options: Options, count: int) -> Workers | None:
    """Those that judge the claims, where that is not this process."""
    if options.cluster is not None:
        from pfl.verify.cluster import Cluster  # needs a library that is not always there

        return Cluster(options)
    return Processes(options) if options.memory is not None or (options.jobs > 1 and count > 1) else None


def named(title: str, progress: ProgressReport) -> ProgressReport:
    """Progress on what has that title."""
    return lambda text: progress(f"{title}: {text}")


_TOLD = Lowered(claim=None)
"""In place of a claim that was told, so that what was built for it need not be kept."""


class _Several:
    """Gives claims to workers, and tells their verdicts in order."""

    def __init__(
        self, lowered: Iterator[Lowered], count: int, workers: Workers, engine: Engine, progress: ProgressReport
    ) -> None:
        self._workers, self._engine = workers, engine
        self._ahead = Ahead(lowered)
        self._has_ended = False
        self._count, self._progress = count, progress
        self._taken: list[Lowered] = []
        self._waiting: int | None = None
        self._running: dict[Any, tuple[int, Judging]] = {}
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
        self._workers.stop([judging for _, judging in self._running.values()])
        self._running.clear()

    def _known(self) -> Iterator[tuple[Lowered, Judged | None]]:
        """What is known by now and has not been told, up to the first claim that is still open."""
        while self._told in self._judged:
            number, self._told = self._told, self._told + 1
            lowered, self._taken[number] = self._taken[number], _TOLD
            yield lowered, self._judged[number]

    def _start(self) -> None:
        """Start claims while there is room and there are claims.

        No process is started while a thread is at work: locks that it holds would stay locked in the process.
        """
        while self._workers.has_room(len(self._running)) and not self._ahead.is_busy:
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
        """Whether the claim has a worker now; or a verdict, where no process can be had at all."""
        claim = self._taken[number].claim
        assert claim is not None
        try:
            judging = self._workers.start(claim)
        except OSError as error:
            if self._running:  # there is room again once one of them has ended
                return False
            self._judged[number] = _not_started(error, self._engine)
        else:
            self._running[judging.ready] = number, judging
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
                number, judging = self._running.pop(ready)
                self._judged[number] = judging.result()
        if not self._ahead.is_busy:
            self._progress(f"{len(self._judged)} of {self._count} claims judged")


def _not_started(error: OSError, engine: Engine) -> Unknown:
    reason = f"no process could be started to judge the claim: {(error.strerror or str(error)).lower()}"
    return Unknown(engine=engine, reason=f"{reason}; try fewer --jobs")
