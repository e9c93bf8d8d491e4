"""Passes are applied in the order that is listed: what one makes is given to later ones alone."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest

import pfl.passes
from pfl.driver import compile_file, compile_text
from pfl.model import two_systems
from pfl.model.two_runs import TwoRuns
from pfl.passes import ORDER
from pfl.passes.reached import ReachedParts

ROOT = Path(__file__).parents[2]
MODELS = (
    "examples/services.pfl",
    "examples/slots_by_hand.pfl",
    "tests/cases/answers/many_small_arrays.pfl",
    "tests/cases/chains/costs.pfl",
    "tests/cases/fidelity/a_length_counts_outputs.pfl",
    "tests/cases/fidelity/counts_by_candidate.pfl",
    "tests/cases/fidelity/posteriors_of_silent_states.pfl",
)
ANSWERS_DATA = """
automaton Door {
    states idle, asked, knocked;  start idle;
    query ask;  data knock;  output done, thanks;
    idle  -- ask --> asked;
    asked -- done --> idle;
    idle  -- knock --> knocked;
    knocked -- thanks --> idle;
}
check noninterference Door { epsilon 0; length 3; }
"""

MOST_DEEP = 4


def things_in(value: Any, depth: int = 0) -> Iterator[Any]:
    """A value and what it holds that is neither a number nor a text, as far as a few steps down."""
    if depth > MOST_DEEP or value is None or isinstance(value, (int, str)):
        return
    if is_dataclass(value) and not isinstance(value, type):
        yield value
        for field in fields(value):
            yield from things_in(getattr(value, field.name, None), depth + 1)
    elif isinstance(value, (tuple, list)) and len(value) < 50:
        for each in value:
            yield from things_in(each, depth + 1)


class Trace:
    """Which pass was given what another has made."""

    def __init__(self) -> None:
        self.made: dict[int, tuple[Any, str]] = {}
        self.given: set[tuple[str, str]] = set()
        self.called: set[str] = set()

    def watching(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, which is watched from now on."""

        def watched(*arguments: Any, **named: Any) -> Any:
            self.called.add(name)
            for thing in things_in([*arguments, *named.values()]):
                if id(thing) in self.made and is_system(thing) and self.made[id(thing)][1] != name:
                    self.given.add((self.made[id(thing)][1], name))
            result = function(*arguments, **named)
            for thing in things_in(result):
                self.made.setdefault(id(thing), (thing, name))
            return result

        return watched


def functions() -> dict[str, Callable[..., Any]]:
    """Every pass by its name."""
    modules = [import_module(f"pfl.passes.{module.name}") for module in iter_modules(pfl.passes.__path__)]
    modules.append(two_systems)
    return {name: vars(module)[name] for name in ORDER for module in modules if callable(vars(module).get(name))}


def is_system(thing: Any) -> bool:
    return type(thing).__module__.startswith("pfl.model.") and hasattr(thing, "size")


@pytest.fixture(scope="module")
def trace() -> Iterator[Trace]:
    found = Trace()
    for model in MODELS:  # whatever it needs is loaded
        assert not compile_file(str(ROOT / model)).is_rejected
    assert compile_text(ANSWERS_DATA).claims
    with pytest.MonkeyPatch.context() as patch:
        for name, function in functions().items():
            for module in [module for path, module in sys.modules.items() if path.startswith("pfl.")]:
                for attribute in [key for key, value in vars(module).items() if value is function]:
                    patch.setattr(module, attribute, found.watching(name, function))
        paired = cached_property(found.watching("side_by_side", vars(TwoRuns)["side_by_side"].func))
        paired.__set_name__(TwoRuns, "side_by_side")
        patch.setattr(TwoRuns, "side_by_side", paired)
        patch.setattr(ReachedParts, "of", found.watching("reached", ReachedParts.of))
        for model in MODELS:
            compile_file(str(ROOT / model))
        compile_text(ANSWERS_DATA)
        yield found


def test_what_a_pass_makes_is_given_to_later_ones(trace: Trace) -> None:
    assert len(trace.given) >= 10, trace.given
    for earlier, later in sorted(trace.given):
        assert ORDER.index(earlier) < ORDER.index(later), f"{earlier} is listed after {later}"


def test_most_passes_were_seen(trace: Trace) -> None:
    by_engines = {"reached", "substitute", "take_apart"}
    assert set(ORDER) - trace.called == by_engines


def test_every_pass_has_a_page_and_a_place() -> None:
    pages = {page.stem for page in Path(__file__).parent.glob("*.txt")}
    assert pages - {"labelled_with_inputs", "condition_with_parameters"} == set(ORDER)
