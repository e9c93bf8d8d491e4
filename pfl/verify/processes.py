"""Judges each claim in a process of its own on this machine, so that one that dies takes nothing else with it.

What several claims at once need, here or on other machines: something that takes a claim, and gives its verdict later.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Protocol

from pfl.engines.answer import Unknown
from pfl.model.claims import Claim
from pfl.options import Options
from pfl.verify.judge import Judged, judged

ENDING = frozenset({signal.SIGINT, signal.SIGTERM})
_CAN_HOLD = hasattr(signal, "pthread_sigmask")


class Judging(Protocol):
    """A claim that is being judged: `ready` can be read once the verdict is there, which `result` then takes."""

    @property
    def ready(self) -> Any: ...

    def result(self) -> Judged: ...


class Workers(Protocol):
    """Those that judge claims. `start` gives one a claim, and raises OSError where there is no room for it now."""

    def has_room(self, working: int) -> bool:
        """Whether one more claim may be started while so many are judged."""
        ...

    def start(self, claim: Claim) -> Judging: ...

    def stop(self, working: Sequence[Judging]) -> None:
        """End what is still judged, and all that was begun for it."""
        ...


class Processes:
    """`options.jobs` processes at most, each of which judges one claim."""

    def __init__(self, options: Options) -> None:
        from multiprocessing import get_context

        self._context: Any = get_context()
        self._options = options

    def has_room(self, working: int) -> bool:
        return working < self._options.jobs

    def start(self, claim: Claim) -> _Process:
        return _Process(*_started(self._context, claim, self._options), self._options)

    def stop(self, working: Sequence[Judging]) -> None:
        """They have a second to end their own children."""
        processes = [each.process for each in working if isinstance(each, _Process)]
        for process in processes:
            process.terminate()
        for process in processes:
            process.join(1)
            if process.is_alive():
                process.kill()
                process.join()


class _Process:
    """See `Judging`: `ready` is the end of a pipe where the verdict comes out."""

    def __init__(self, receiver: Any, process: Any, options: Options) -> None:
        self.ready, self.process, self._options = receiver, process, options

    def result(self) -> Judged:
        """What the process sent, or why it did not."""
        try:
            sent: Judged = self.ready.recv()
            return sent
        except EOFError:
            self.process.join()
            return ended_early(self.process.exitcode, self._options)
        finally:
            self.ready.close()
            self.process.join()


def ended_early(code: int | None, options: Options) -> Unknown:
    """The verdict on a claim whose process ended without one, with that exit code."""
    reason = f"the process that judged the claim ended with code {code}"
    fewer = "fewer --jobs" if options.cluster is None else "fewer workers on a machine"
    return Unknown(engine=options.engine, reason=f"{reason}; try a larger --memory, or {fewer}")


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


def _judge_and_send(sender: Any, claim: Claim, options: Options) -> None:
    # Ctrl-C reaches every process of the group: the parent alone speaks, and ends this one by the other signal.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if _CAN_HOLD:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    with suppress(KeyboardInterrupt):
        sender.send(judged(claim, options))


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
