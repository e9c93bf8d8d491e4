"""One frozen record of settings, filled by the command line or by a caller of the API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, get_args

Engine = Literal["auto", "exact", "float", "smt", "unwinding"]
Encoding = Literal["linear", "pufferfish-check"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings of one run.

    `claims` are the names of the claims to judge (empty: all); `length` overrides the lengths of the claims;
    `settings` are the `--set` values, by name; `timeout` in seconds, a claim; `memory` in megabytes.
    `jobs` is how many claims are judged at once on this machine; with `cluster`, the address of a Dask scheduler, its
    workers judge them. `solver` is `z3`, `cvc5`, `yices` or the path of a program that reads SMT-LIB. With `debug` a
    fault of the compiler itself escapes as the exception it is.

    `root` is the folder that imports may not leave, links resolved; None: the folder of the model's file, or the
    current folder where the model is a text or standard input. Nothing else is read because a model names it.
    """

    claims: tuple[str, ...] = ()
    settings: Mapping[str, Fraction] = field(default_factory=dict)
    length: int | None = None
    root: str | None = None
    engine: Engine = "auto"
    solver: str | None = None
    encoding: Encoding = "linear"
    timeout: float | None = None
    memory: int | None = None
    max_states: int = 2_000_000
    jobs: int = 1
    cluster: str | None = None
    certificates: str | None = None
    debug: bool = False

    def __post_init__(self) -> None:
        """Raises TypeError for a value that is not exact or no collection, ValueError for a word that means nothing."""
        if isinstance(self.claims, str):
            raise TypeError(f"`claims` are several names, not one text: ({self.claims!r},)")
        for name, value in self.settings.items():
            if not isinstance(value, Fraction | int) or isinstance(value, bool):
                raise TypeError(f"the setting of `{name}` is a {type(value).__name__}: give a Fraction, which is exact")
        object.__setattr__(self, "settings", {name: Fraction(value) for name, value in self.settings.items()})
        for what, word, words in (
            ("engine", self.engine, get_args(Engine)),
            ("encoding", self.encoding, get_args(Encoding)),
        ):
            if word not in words:
                raise ValueError(f"there is no {what} {word!r}, but {', '.join(words)}")
