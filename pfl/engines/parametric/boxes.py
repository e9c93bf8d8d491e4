"""Goes through the parameter values of obligations, box by box."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeVar

from pfl.analysis.parametric.obligation import charted_system
from pfl.analysis.parametric.prefixes import TooWide
from pfl.analysis.polynomial.box import Box, Chart, halves, is_outside
from pfl.base.diagnostics import LimitReached
from pfl.engines.parametric.obligations import Task
from pfl.model.labelled_system import LabelledSystem
from pfl.model.parameters import Parameter

WIDEST = 3000
"""Prefixes of one length on one box; with more, the box is cut in two."""
MOST_BOXES = 64

Result = TypeVar("Result")


def grouped(tasks: Iterable[Task]) -> list[list[Task]]:
    """The tasks in groups that share their system and their setting."""
    groups: dict[tuple[int, int], list[Task]] = {}
    for task in tasks:
        groups.setdefault((id(task.obligation.system), id(task.setting)), []).append(task)
    return list(groups.values())


def sweep(
    tasks: Sequence[Task],
    boxes: Iterable[Box],
    visit: Callable[[Task, Chart, LabelledSystem], Result | None],
) -> Result | None:
    """The first result of `visit(task, chart, system in the chart)` over the boxes; None if there is none.

    The tasks are a group. Where a visit is TooWide its box is cut in two; LimitReached after too many cuts.
    """
    setting = tasks[0].setting
    pending = deque((box, list(tasks)) for box in boxes)
    looked_at = 0
    while pending:
        box, remaining = pending.popleft()
        if is_outside(setting.space, box):
            continue
        looked_at += 1
        chart = setting.chart(box)
        system = charted_system(tasks[0].obligation.system, chart)
        wide = []
        for task in remaining:
            try:
                result = visit(task, chart, system)
            except TooWide as too_wide:
                if looked_at + len(pending) >= MOST_BOXES or all(p.low == p.high for p in box):
                    raise LimitReached(_too_wide_text(too_wide)) from too_wide
                wide.append(task)
                continue
            if result is not None:
                return result
        if wide:
            pending.extend((half, wide) for half in halves(box))
    return None


def faces(box: Box) -> list[Box]:
    """The open box, and every closed face of it as a box with fewer dimensions."""
    options = [
        [
            Parameter(name=p.name, low=p.low, high=p.high, low_open=True, high_open=True),
            *(_point(p.name, end) for end, is_open in ((p.low, p.low_open), (p.high, p.high_open)) if not is_open),
        ]
        for p in box
    ]
    return list(product(*options))


def _point(name: str, value: Fraction) -> Parameter:
    return Parameter(name=name, low=value, high=value, low_open=False, high_open=False)


def _too_wide_text(too_wide: TooWide) -> str:
    return (
        f"more than {WIDEST} prefixes of {too_wide.depth} letters are left even after cutting the parameter values "
        f"into {MOST_BOXES} boxes; try a smaller length, or fix a parameter with --set"
    )
