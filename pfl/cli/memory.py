"""The limit of `--memory`, for this process and those it starts."""

from __future__ import annotations

import importlib
import sys

import click


def limit_memory(megabytes: int) -> None:
    """Let allocations beyond the limit fail with MemoryError; a usage error where the system cannot do that."""
    try:
        import resource
    except ImportError as error:
        raise click.BadParameter("this system cannot limit the memory of a process", param_hint="--memory") from error
    importlib.import_module("pfl.base.exceptions")  # by which it is told when nothing more can be loaded
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = min(megabytes * 1024 * 1024, sys.maxsize)
    soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
