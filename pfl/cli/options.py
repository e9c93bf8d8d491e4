"""Every option of the command line, once; and how options become settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any, TypeVar

import click

from pfl.options import Options

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_NUMBER = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,4})?")
LONGEST_NUMBER = 4000


def _settings(_ctx: click.Context, _param: click.Parameter, given: Sequence[str]) -> dict[str, Fraction]:
    """The `--set` values by name, each exact: `1/3`, `0.06`, `1e-5`; anything else is a usage error."""
    settings: dict[str, Fraction] = {}
    for text in given:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name:
            raise click.BadParameter(f"`{text}` is not of the form NAME=VALUE, such as p=1/3")
        try:
            number = exact_number(value)
        except ValueError as error:
            raise click.BadParameter(f"`{name}`: {error}") from error
        if settings.setdefault(name, number) != number:
            raise click.BadParameter(f"`{name}` is given two values")
    return settings


def exact_number(text: str) -> Fraction:
    """The rational that a decimal, an integer or a quotient of two stands for; raises ValueError for anything else."""
    above, slash, below = (part.strip() for part in text.partition("/"))
    parts = (above, below) if slash else (above,)
    if len(text) > LONGEST_NUMBER or not all(_NUMBER.fullmatch(part) for part in parts):
        raise ValueError(f"`{text[:40]}` is not an exact number, such as 1/3, 0.06 or 1e-5")
    divisor = Fraction(below) if slash else Fraction(1)
    if divisor == 0:
        raise ValueError(f"`{text}` divides by 0")
    return Fraction(above) / divisor


def some_text(_ctx: click.Context, _param: click.Parameter, given: str | None) -> str | None:
    """What names something, which an empty text does not."""
    if given == "":
        raise click.BadParameter("the name is empty")
    return given


def some_files(_ctx: click.Context, _param: click.Parameter, given: Sequence[str]) -> Sequence[str]:
    """Names of files, of which one may be standard input, `-`."""
    if "" in given:
        raise click.BadParameter("the name of a file is empty")
    if given.count("-") > 1:
        raise click.BadParameter("standard input can be read only once: give `-` for one file")
    return given


FILE = click.argument("file", callback=some_text)
FILES = click.argument("files", nargs=-1, required=True, metavar="FILE...", callback=some_files)

LONGEST_TIME = 1e9
"""Seconds, thirty years: more is as good as no limit."""


def _seconds(_ctx: click.Context, _param: click.Parameter, given: float | None) -> float | None:
    """A time limit that is a number (`nan` and `inf` are floats too) and not too long for a clock."""
    if given is None:
        return None
    if not isfinite(given) or given <= 0:
        raise click.BadParameter(f"`{given:g}` is no number of seconds above 0; leave the option out for no limit")
    return min(given, LONGEST_TIME)


class _Length(click.ParamType[int]):
    """A whole number of what a claim counts; `any` can stand in a claim alone."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        if not re.fullmatch(r"[0-9]{1,9}", value):
            self.fail(
                f"`{value}` is no length: give a whole number of at most nine digits; `any` can stand in a claim only",
                param,
                ctx,
            )
        return int(value)


CLAIM = click.option("--claim", "claims", metavar="NAME", multiple=True, help="Only this claim; may be repeated.")
SET = click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    callback=_settings,
    help="Fix a parameter or change a constant, exactly: --set p=1/3; may be repeated.",
)
LENGTH = click.option(
    "--length", type=_Length(), metavar="K", help="Judge every claim that has a length at this one instead."
)
ROOT = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False),
    callback=some_text,
    metavar="DIR",
    help="The folder that imports may not leave, links resolved; without it the folder of the model.",
)
ENGINE = click.option(
    "--engine",
    type=click.Choice(["auto", "exact", "float", "smt", "unwinding"]),
    default="auto",
    show_default=True,
    help="Who decides: the exact engine; floats with a proved error, for chains; an SMT solver that is checked; or "
    "unwinding families, for automata.",
)
SOLVER = click.option(
    "--solver",
    metavar="z3|cvc5|yices|PATH",
    callback=some_text,
    help="The SMT solver, or the path of a program that reads SMT-LIB.",
)
TIMEOUT = click.option("--timeout", type=float, callback=_seconds, metavar="S", help="Seconds that one claim may take.")
MEMORY = click.option(
    "--memory", type=click.IntRange(min=1), metavar="MB", help="Megabytes that each process of the run may take."
)
MAX_STATES = click.option(
    "--max-states",
    type=click.IntRange(min=1),
    metavar="N",
    default=Options().max_states,
    show_default=True,
    help="States and inputs that one system may have.",
)
FORMAT = click.option(
    "--format",
    "output_format",
    type=click.Choice(["human", "concise", "json", "jsonl", "sarif", "junit"]),
    default="human",
    show_default=True,
    help="The form of the report.",
)
CERTIFICATES = click.option(
    "--certificates",
    type=click.Path(file_okay=False),
    callback=some_text,
    metavar="DIR",
    help="Write the proofs there, one file a claim, for `pflc verify`.",
)
JOBS = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    help="Judge that many claims at once.",
)
CLUSTER = click.option(
    "--cluster",
    callback=some_text,
    metavar="ADDRESS",
    help="Let the workers of the Dask cluster at this address judge the claims, such as tcp://HOST:8786.",
)
COLOR = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Colour the report; auto: on a terminal, unless NO_COLOR is set.",
)
DEBUG = click.option(
    "--debug",
    is_flag=True,
    envvar="PFLC_DEBUG",
    help="Let a fault of pflc end in a traceback; so does the environment variable PFLC_DEBUG.",
)
ENCODING = click.option(
    "--encoding",
    type=click.Choice(["linear", "pufferfish-check"]),
    default="linear",
    show_default=True,
    help="How a claim is put to a solver.",
)
OUTPUT = click.option(
    "-o",
    "--output",
    type=click.Path(),
    callback=some_text,
    metavar="FILE|DIR",
    help="Write there instead of to standard output.",
)

MODEL = (CLAIM, SET, LENGTH, ROOT)
"""What every command takes that compiles a model."""
JUDGING = (ENGINE, SOLVER, MEMORY, JOBS, CLUSTER, CERTIFICATES, FORMAT)
RUNNING = (TIMEOUT, MAX_STATES, COLOR, DEBUG)


def with_options(*options: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    """A decorator that adds options so that `--help` lists them in this order."""

    def decorate(command: Decorated) -> Decorated:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def read_options(**given: Any) -> Options:
    """The record of settings that the values of `MODEL` and `JUDGING` options stand for."""
    if given.get("cluster") is not None and given.get("jobs", 1) != 1:
        raise click.UsageError("--jobs is about processes of this machine: leave it out with --cluster")
    return Options(**{name: value for name, value in given.items() if name in Options.__dataclass_fields__})
