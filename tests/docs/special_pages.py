"""Circumstances of error pages that cannot be written in a page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import BinaryIO

import pytest

from pfl import driver
from pfl.base.diagnostics import InputRejected
from pfl.base.source import SourceFile
from pfl.cli.fmt import text_in_layout
from pfl.cli.main import run
from pfl.emit.chain import emit_chains
from pfl.emit.dot import emit_drawings
from pfl.emit.smtlib import emit_queries
from pfl.engines.chain.simulation import simulate
from pfl.model.claims import Claim
from pfl.options import Options
from pfl.verify.faults import guarded


def a_phase_that_fails(text: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A phase of the compiler raises an exception that nobody foresaw."""

    def fail(_file: SourceFile, _read: object) -> None:
        raise KeyError("no such state")

    monkeypatch.setattr(driver, "load_program", fail)
    return _codes(text)


def memory_that_runs_out(text: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A phase of the compiler gets no more memory."""

    def fail(_file: SourceFile, _read: object) -> None:
        raise MemoryError

    monkeypatch.setattr(driver, "load_program", fail)
    return _codes(text)


def time_that_is_over(text: str, _monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """`pflc check --timeout 0.000001`."""
    found = driver.check_text(text, Options(timeout=1e-6))
    return [str(diagnostic.code) for diagnostic in found.diagnostics if diagnostic.severity == "error"]


def model_in_place_of_the_certificate(text: str, _monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """`pflc verify model.pfl model.pfl`."""
    Path("model.pfl").write_text(text, encoding="utf-8")
    assert run(["verify", "model.pfl", "model.pfl"]) == 3
    return ["PFL0541"]


def a_file_without_permission(text: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The system refuses to hand the file out."""

    def refuse(_path: Path, _mode: str) -> BinaryIO:
        raise PermissionError(13, "Permission denied")

    Path("model.pfl").write_text(text, encoding="utf-8")
    monkeypatch.setattr(Path, "open", refuse)
    return [str(diagnostic.code) for diagnostic in driver.check_file("model.pfl").diagnostics]


def formatting(text: str, _monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """`pflc fmt`."""
    found = guarded(lambda: text_in_layout(SourceFile(name="model.pfl", text=text)), "model.pfl", Options())
    return [] if isinstance(found, str) else [str(diagnostic.code) for diagnostic in found]


def emitting_a_claim_as_smtlib(text: str, _monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """`pflc emit smtlib --claim told`."""
    return _codes_of_emitting(text, emit_queries)


def emitting_a_claim_as_a_chain(text: str, _monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """`pflc emit drn --claim shown`."""
    return _codes_of_emitting(text, lambda claim: emit_chains(claim, "drn"))


def simulating(text: str, _monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """`pflc simulate`."""
    return _codes_of_emitting(text, lambda claim: [("", line) for line in simulate(claim, steps=3, source=Random(0))])


def drawing_a_claim(text: str, _monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """`pflc emit dot --claim far`."""
    return _codes_of_emitting(text, emit_drawings)


def _codes_of_emitting(text: str, emit: Callable[[Claim], list[tuple[str, str]]]) -> list[str]:
    (claim,) = driver.compile_text(text).claims
    try:
        assert emit(claim)
    except InputRejected as rejected:
        return [str(diagnostic.code) for diagnostic in rejected.diagnostics]
    return []


def _codes(text: str) -> list[str]:
    return [str(diagnostic.code) for diagnostic in driver.check_text(text).diagnostics]
