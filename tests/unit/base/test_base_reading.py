"""Reading files, and finding the files that belong to the compiler."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from pfl import resources
from pfl.base import reading
from pfl.base.diagnostics import Diagnostic, InputRejected
from pfl.base.reading import decode_source, open_source, read_source
from pfl.resources import error_page, grammar_text, stdlib_module, stdlib_names


def rejected(path: str) -> Diagnostic:
    with pytest.raises(InputRejected) as raised:
        read_source(path)
    (diagnostic,) = raised.value.diagnostics
    return diagnostic


def test_text_with_and_without_byte_order_mark(tmp_path: Path) -> None:
    for mark in (b"", b"\xef\xbb\xbf"):
        path = tmp_path / "model.pfl"
        path.write_bytes(mark + "const é = 1;\r\n".encode())
        file = read_source(str(path))
        assert (file.name, file.text) == (str(path), "const é = 1;\r\n")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("const é = 1;".encode()), encoding="ascii"))
    file = read_source("-")
    assert (file.name, file.text) == ("<stdin>", "const é = 1;")


@pytest.mark.parametrize(
    ("data", "offset", "line", "column"),
    [
        (b"caf\xe9", 3, 1, 4),
        (b"\xef\xbb\xbf\xc3\xa9\r\n\xe9", 7, 2, 1),
        (b"a\rb\r\xff", 4, 3, 1),
        (b"ab\xc3", 2, 1, 3),
    ],
)
def test_a_byte_that_is_not_utf8(data: bytes, offset: int, line: int, column: int) -> None:
    with pytest.raises(InputRejected) as raised:
        decode_source(data, "latin.pfl")
    (diagnostic,) = raised.value.diagnostics
    assert str(diagnostic.code) == "PFL0004"
    assert f"at offset {offset}, line {line}," in diagnostic.message
    span = diagnostic.labels[0].span
    assert (span.file.name, span.line, span.column) == ("latin.pfl", line, column)


def test_utf16_is_recognised() -> None:
    with pytest.raises(InputRejected) as raised:
        decode_source("const N = 1;".encode("utf-16"), "wide.pfl")
    assert raised.value.diagnostics[0].help == "the file seems to be UTF-16: save it as UTF-8"


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = rejected(str(tmp_path / "missing.pfl"))
    assert (str(missing.code), missing.file_name) == ("PFL0001", str(tmp_path / "missing.pfl"))
    assert str(rejected(str(tmp_path)).code) == "PFL0002"
    assert str(rejected("nul\0.pfl").code) == "PFL0003"

    def refuse(_path: Path, _mode: str) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    refused = rejected("secret.pfl")
    assert (str(refused.code), refused.message) == ("PFL0003", "cannot read `secret.pfl`: permission denied")


def test_an_importer_gets_the_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_source(str(tmp_path / "missing.pfl"))


def test_the_standard_library() -> None:
    assert "std.noise" in stdlib_names()
    noise = stdlib_module("std.noise")
    assert noise is not None
    assert (noise.name, "truncated_geometric" in noise.text) == ("std/noise.pfl", True)
    assert stdlib_module("std.nothing") is None
    assert stdlib_module("noise") is None
    assert stdlib_module("std.../grammar/pfl") is None


def test_error_pages() -> None:
    page = error_page("PFL0102")
    assert page is not None
    assert page.startswith("# PFL0102: ")
    assert error_page("PFL9999") is None
    assert error_page("../errors/PFL0102") is None


def test_resources_of_a_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel has no checkout around it: everything lies in `pfl/_resources`."""
    package = tmp_path / "site-packages" / "pfl"
    for folder, name, text in [
        ("grammar", "pfl.lark", "module:"),
        ("stdlib", "tiny.pfl", "const N = 3;"),
        ("errors", "PFL0001.md", "# PFL0001"),
    ]:
        (package / "_resources" / folder).mkdir(parents=True)
        (package / "_resources" / folder / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(resources, "_PACKAGE", package)
    resources._folder.cache_clear()
    try:
        assert grammar_text() == "module:"
        assert stdlib_names() == ("std.tiny",)
        assert error_page("PFL0001") == "# PFL0001"
    finally:
        monkeypatch.undo()
        resources._folder.cache_clear()
    assert grammar_text() != "module:"


def test_a_file_without_an_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGEST_FILE", 1000)
    path = tmp_path / "long.pfl"
    path.write_text("// " + "a" * 997, encoding="utf-8")
    assert len(read_source(str(path)).text) == 1000
    path.write_text("// " + "a" * 998, encoding="utf-8")
    with pytest.raises(InputRejected, match="it has more than 1,000 bytes"):
        read_source(str(path))
