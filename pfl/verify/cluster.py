"""Judges claims on the workers of a Dask cluster, each in a process of its own that the worker starts.

A claim is sent as the question and the system that were made of it, so that workers need no files. What a worker
that is lost was judging, the scheduler gives to another one.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import sys
from collections.abc import Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, InputRejected
from pfl.base.exceptions import deep_recursion
from pfl.engines.answer import Unknown
from pfl.model.claims import Claim
from pfl.options import Options
from pfl.verify.apart import judged_apart
from pfl.verify.judge import Judged
from pfl.verify.processes import Judging, ended_early
from pfl.version import __version__

SECONDS_TO_CONNECT = 10

MADE_FOR = f"pfl {__version__} on Python {sys.version_info[0]}.{sys.version_info[1]}"
"""What both sides have to have in common, since pieces of programs are sent."""

_GONE = "the cluster gave the claim up: the connection to its scheduler was lost"


class Cluster:
    """See `Workers`: as many claims are judged at once as the workers of the cluster have threads.

    Raises InputRejected where there is no cluster at `options.cluster`, or no library to ask it.
    """

    def __init__(self, options: Options) -> None:
        assert options.cluster is not None
        self._client = _client(options.cluster)
        self._options = options

    def has_room(self, working: int) -> bool:
        """Also where there is no worker, for one claim, which waits for one."""
        try:
            threads: int = sum(self._client.nthreads().values())
        except Exception:  # the scheduler is gone, as the next claim that is started says
            threads = 0
        return working < max(1, threads)

    def start(self, claim: Claim) -> _Task:
        task = _Task(self._options)
        try:
            packed = _packed(claim, self._options)
        except (pickle.PicklingError, AttributeError, RecursionError, TypeError) as error:
            task.end(f"the claim cannot be sent to a worker ({type(error).__name__}); judge it without --cluster")
            return task
        if self._client.status == "running":
            task.begin(self._client.submit(judge_on_worker, MADE_FOR, packed, pure=False))
        else:  # what is sent to a scheduler that is gone is lost without a word
            task.end(_GONE)
        return task

    def stop(self, working: Sequence[Judging]) -> None:
        """What is not wanted any more is ended by the workers, also where this process is gone."""
        for each in working:
            if isinstance(each, _Task):
                each.cancel()
        with suppress(Exception):  # the scheduler may be gone
            self._client.close()


class _Task:
    """See `Judging`: a claim that was sent, or that could not be sent."""

    def __init__(self, options: Options) -> None:
        from multiprocessing import Pipe

        self._options = options
        self.ready, self._sender = Pipe(duplex=False)
        self._future: Any = None
        self._reason: str | None = None

    def begin(self, future: Any) -> None:
        """Wait for what a worker says."""
        self._future = future
        future.add_done_callback(self._tell)

    def end(self, reason: str) -> None:
        """Leave the claim undecided at once."""
        self._reason = reason
        self._tell(None)

    def result(self) -> Judged:
        try:
            return self._judged()
        finally:
            self._future = None  # forgets the result on the worker
            self.ready.close()
            self._sender.close()

    def cancel(self) -> None:
        if self._future is not None:
            with suppress(Exception):  # the scheduler may be gone
                self._future.cancel()

    def _judged(self) -> Judged:
        if self._reason is None:
            try:
                said = self._future.result()
            except Exception as error:
                self._reason = _why(error)
            else:
                if isinstance(said, bytes):
                    with deep_recursion():
                        verdict: Judged = pickle.loads(said)
                    return verdict
                if isinstance(said, int):
                    return ended_early(said, self._options)
                self._reason = said
        return Unknown(engine=self._options.engine, reason=self._reason)

    def _tell(self, _future: Any) -> None:
        with suppress(OSError):  # nobody waits any more
            self._sender.send_bytes(b".")


def judge_on_worker(made_for: str, packed: bytes) -> bytes | int | str:
    """What a worker does: the verdict as `judged_apart` gives it, or why there is none."""
    from distributed import get_worker

    if made_for != MADE_FOR:
        return f"a worker of the cluster has {MADE_FOR}, not {made_for}: install the same there"
    worker = get_worker()
    key = worker.get_current_task()

    def is_wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state in ("executing", "resumed")

    try:
        said = judged_apart(packed, is_wanted)
    except OSError as error:
        return f"a worker of the cluster could not start a process: {error.strerror or error}"
    return "the verdict is not wanted any more" if said is None else said


def _packed(claim: Claim, options: Options) -> bytes:
    """The claim and the settings that judging needs, after the limit of memory, which comes before all else."""
    import cloudpickle

    with deep_recursion():
        work = cloudpickle.dumps((claim, options))
    return pickle.dumps((options.memory, work))


def _why(error: Exception) -> str:
    """Why there is no verdict, by what was raised in its place."""
    from distributed.scheduler import KilledWorker

    if isinstance(error, KilledWorker):
        return (
            "one worker after the other was lost while it judged the claim; try larger workers, or a smaller --memory"
        )
    if isinstance(error, ImportError):
        return f"a worker of the cluster lacks what it needs ({error}): install the same pfl there"
    if isinstance(error, CancelledError):
        return _GONE
    text = " ".join(str(error).split())[:200]
    return f"the cluster gave the claim up: {text or type(error).__name__}"


def _client(address: str) -> Any:
    """The one who speaks with the scheduler at the address; raises InputRejected where there is none."""
    try:
        from distributed import Client
    except ImportError:
        message = "the library that speaks with clusters is not installed"
        raise _no_cluster(address, message, "install it: `pip install 'pfl[cluster]'`") from None
    _silence()
    cure = "start one with `dask scheduler`, and workers with `dask worker ADDRESS`; ADDRESS is tcp://HOST:8786"
    try:
        kind = asyncio.run(_kind(address))
    except ValueError as error:
        raise _no_cluster(address, f"`{address}` is no address of a scheduler: {error}", cure) from None
    except OSError:
        raise _no_cluster(address, f"no scheduler of a cluster answers at {address}", cure) from None
    if kind != "Scheduler":
        raise _no_cluster(address, f"what answers at {address} is a {kind.lower()}, not the scheduler", cure)
    return Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)


def _silence() -> None:
    """What goes wrong is told by verdicts, not by the libraries, whose modules set the levels of their own loggers.

    A signal that comes while the scheduler is asked leaves the library's loop with a callback that fails.
    """
    for name in ("distributed", "tornado", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


async def _kind(address: str) -> str:
    """What answers there; raises OSError where nothing does in time, ValueError for what is no address."""
    from distributed import rpc

    async def identity() -> dict[str, Any]:
        asked: Any = rpc(address, timeout=SECONDS_TO_CONNECT)
        try:
            answer: dict[str, Any] = await asked.identity()
            return answer
        finally:
            await asked.close_rpc()

    return str((await asyncio.wait_for(identity(), SECONDS_TO_CONNECT)).get("type"))


def _no_cluster(address: str, message: str, cure: str) -> InputRejected:
    return InputRejected([Diagnostic(code=codes.NO_CLUSTER, message=message, help=cure, file=address)])
