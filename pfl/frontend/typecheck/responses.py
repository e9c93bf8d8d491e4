"""Every path of `on query` responds exactly once: an analysis of the paths through a handler.

A path is described by the response it has given, if any. Statements map the set of descriptions
before them to the set after them. A loop may run any number of times, so a response in one is
never exactly one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pfl.base.source import Span
from pfl.frontend.ast_statements import (
    Block,
    Emit,
    For,
    Forever,
    If,
    MatchStatement,
    Respond,
    Return,
    Statement,
    While,
)
from pfl.frontend.ast_systems import Handler
from pfl.frontend.tree_walk import all_statements
from pfl.frontend.typecheck import system_errors
from pfl.frontend.typecheck.checker import Checker


@dataclass(frozen=True, slots=True, eq=False)
class _Paths:
    """The paths that come to one place: `silent` is where one went by without responding, None where all responded."""

    silent: Span | None
    answered: Respond | None


def report_responses(checker: Checker, handler: Handler) -> None:
    """Reports paths of a handler that respond never, twice, or in a loop."""
    analysis = _Analysis(checker)
    start = _Paths(handler.channel.span, None)
    end = analysis.block(handler.body, start)
    if end.silent is not None and not analysis.has_fault:
        checker.found.add(system_errors.responds_never(handler.channel, end.silent))


@dataclass(slots=True)
class _Analysis:
    checker: Checker
    has_fault: bool = field(default=False)

    def block(self, statements: Sequence[Statement], paths: _Paths) -> _Paths:
        for statement in statements:
            paths = self.statement(statement, paths)
        return paths

    def statement(self, statement: Statement, paths: _Paths) -> _Paths:
        match statement:
            case Respond():
                if paths.answered is not None:
                    self.has_fault = True
                    self.checker.found.add(system_errors.responds_twice(statement, paths.answered))
                return _Paths(None, statement)
            case Return(value=None):
                self.has_fault = True  # has no meaning here, which is reported, and was meant to end the path
                return _Paths(None, None)
            case Return() | Emit():
                self.has_fault = True  # has no meaning here, which is reported, and was meant as a response
                return paths
            case If():
                return self._if(statement, paths)
            case MatchStatement(arms=arms):
                return _meet(self.block(arm.body, self._into(arm.span, paths)) for arm in arms)
            case Block(body=body):
                return self.block(body, paths)
            case For(body=body) | While(body=body) | Forever(body=body):
                for inner in all_statements(body):
                    if isinstance(inner, Respond):
                        self.has_fault = True
                        self.checker.found.add(system_errors.responds_in_loop(inner))
                return paths
            case _:
                return paths

    def _if(self, statement: If, paths: _Paths) -> _Paths:
        ends: list[_Paths] = []
        branch: If | None = statement
        while branch is not None:  # a chain of `else if` is walked, not nested
            ends.append(self.block(branch.then, self._into(branch.condition.span, paths)))
            otherwise = branch.otherwise
            if otherwise is None:
                ends.append(self._into(branch.span, paths))
                branch = None
            elif len(otherwise) == 1 and isinstance(otherwise[0], If):
                branch = otherwise[0]
            else:
                ends.append(self.block(otherwise, self._into(otherwise[0].span if otherwise else branch.span, paths)))
                branch = None
        return _meet(ends)

    def _into(self, place: Span, paths: _Paths) -> _Paths:
        """The same paths, seen from a branch: where none has responded, the branch is where it is to be said."""
        return paths if paths.silent is None else _Paths(place, paths.answered)


def _meet(ends: Iterable[_Paths]) -> _Paths:
    listed = list(ends)
    silent = next((end.silent for end in listed if end.silent is not None), None)
    answered = next((end.answered for end in listed if end.answered is not None), None)
    return _Paths(silent, answered)
