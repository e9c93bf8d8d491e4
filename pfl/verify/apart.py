"""Judges one claim in a process of its own that was started with nothing: `python -m pfl.verify.apart`.

The claim comes in through standard input, and the verdict goes out through standard output. The process ends when its
input is closed, so that it does not outlive the one that waits for it.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from threading import Thread

from pfl.base.exceptions import deep_recursion, limit_memory

_HEAD = 8
"""Bytes of the length that stands before a claim."""

_INPUT = 0

SECONDS_BETWEEN_LOOKS = 0.2


def judged_apart(claim: bytes, is_wanted: Callable[[], bool]) -> bytes | int | None:
    """The verdict on a claim, pickled as the claim is; the exit code of a process that ended without one; or None once
    the verdict is not wanted any more.

    Raises OSError where no process can be started.
    """
    command = [sys.executable, "-m", "pfl.verify.apart"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    answer: list[bytes] = []
    talk = Thread(target=_talk, args=(process, claim, answer), daemon=True)
    talk.start()
    try:
        while talk.is_alive():
            talk.join(SECONDS_BETWEEN_LOOKS)
            if not is_wanted():
                return None
        process.wait()
        return answer[0] if answer and process.returncode == 0 else process.returncode
    finally:
        process.kill()
        process.wait()
        talk.join()
        for pipe in (process.stdin, process.stdout):
            _close(pipe)


def _talk(process: subprocess.Popen[bytes], claim: bytes, answer: list[bytes]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(len(claim).to_bytes(_HEAD, "big") + claim)
        process.stdin.flush()
    except OSError:  # it ended before it was told all
        return
    answer.append(process.stdout.read())


def _close(pipe: object) -> None:
    try:
        getattr(pipe, "close")()  # noqa: B009 - a pipe of either direction
    except OSError:  # what was not taken is lost
        return


def _received(count: int) -> bytes:
    """So many bytes of standard input, fewer at its end.

    Not through its buffer, whose lock a thread that waits would hold until the end of the process.
    """
    parts = []
    while count and (part := os.read(_INPUT, min(count, 1 << 20))):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _end_with_input() -> None:
    _received(1)
    os._exit(1)


def main() -> None:
    """Judge what standard input holds."""
    packed = _received(int.from_bytes(_received(_HEAD), "big"))
    Thread(target=_end_with_input, daemon=True).start()
    told = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing but the verdict goes there
    with deep_recursion():
        memory, work = pickle.loads(packed)
        if memory is not None:
            limit_memory(memory)
        claim, options = pickle.loads(work)
        from pfl.verify.judge import judged

        told.write(pickle.dumps(judged(claim, options)))
        told.close()


if __name__ == "__main__":
    main()
