"""Which files a model may import: what is inside the root is read, and of anything else nothing is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pfl import Options, check_file, check_text
from pfl.base.diagnostics import Diagnostic
from pfl.syntax import modules
from pfl.syntax.modules import ImportRefused, check_path
from pfl.verify.verdict import Findings

SECRET = "const secret_word = 7;"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`models/sub`, with a file in each folder, and a file and a folder outside `models`."""
    (tmp_path / "models/sub").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "models/here.pfl").write_text("const here = 1;")
    (tmp_path / "models/sub/below.pfl").write_text('import "../here.pfl"; const below = here;')
    (tmp_path / "outside.pfl").write_text(SECRET)
    (tmp_path / "other/outside.pfl").write_text(SECRET)
    monkeypatch.chdir(tmp_path / "models")
    return tmp_path / "models"


def found_in(path: str, root: str | None = None, name: str = "model.pfl") -> tuple[Diagnostic, ...]:
    Path(name).write_text(f'import "{path}";\nconst a = 1;\n')
    return check_file(name, Options(root=root)).diagnostics


def codes_of(path: str, root: str | None = None, name: str = "model.pfl") -> list[str]:
    return [str(diagnostic.code) for diagnostic in found_in(path, root, name)]


def told(found: tuple[Diagnostic, ...]) -> str:
    """Everything that a report could show of diagnostics, without the paths and lines of the importing model."""
    parts = []
    for one in found:
        parts += [one.message, one.help or "", *one.notes, *(label.text for label in one.labels)]
        parts += [label.span.file.text for label in one.labels if label.span.file.name != "model.pfl"]
    return "\n".join(parts)


@pytest.mark.parametrize("path", ["here.pfl", "./here.pfl", "sub/below.pfl", "sub/../here.pfl", "none/..//here.pfl"])
def test_what_is_inside_is_read(path: str) -> None:
    assert codes_of(path) == []


@pytest.mark.parametrize(
    "path",
    [
        "../outside.pfl",
        "../../x",
        "..",
        "sub/../../outside.pfl",
        "../models/here.pfl",
        "/etc/passwd",
        "//etc/passwd",
        "/dev/zero",
        "here.txt",
        "here",
        "here.PFL",
        "-",
        "",
        ".",
        "a\0.pfl",
        "a\t.pfl",
        "~/here.pfl",
        "~root/here.pfl",
        "$HOME/here.pfl",
        "${HOME}/here.pfl",
        "%HOME%/here.pfl",
        "https://example.org/here.pfl",
        "file:///etc/passwd",
        "file:here.pfl",
        "C:\\here.pfl",
        "C:here.pfl",
        "here.pfl:stream.pfl",
        "sub\\below.pfl",
        "..\\outside.pfl",
        "\\\\server\\share\\x.pfl",
    ],
)
def test_anything_else_is_refused_with_the_path_as_written(path: str, folder: Path) -> None:
    (only,) = found_in(path)
    assert (str(only.code), only.message) == ("PFL0024", f'the import "{path}" is refused')
    assert "secret_word" not in told((only,))
    assert str(folder.parent) not in told((only,))


@pytest.mark.parametrize("name", ["outside", "missing"])
def test_a_refusal_does_not_tell_whether_there_is_a_file(name: str, folder: Path) -> None:
    (folder / "away").symlink_to("../other")
    for path in (f"../{name}.pfl", f"away/{name}.pfl", f"away/{name}.pfl/x.pfl", f"away/../../{name}.pfl"):
        (only,) = found_in(path)
        assert str(only.code) == "PFL0024"
        assert told((only,)).replace(name, "outside").count("outside") == 1


def test_a_link_counts_by_where_it_leads(folder: Path) -> None:
    (folder / "inside.pfl").symlink_to("here.pfl")
    (folder / "whole.pfl").symlink_to(folder / "sub/below.pfl")
    (folder / "out.pfl").symlink_to("../outside.pfl")
    (folder / "out_again.pfl").symlink_to("out.pfl")
    (folder / "far").symlink_to("/etc")
    (folder / "dangling.pfl").symlink_to("../nothing.pfl")
    (folder / "notes.txt").write_text("a private note")
    (folder / "notes.pfl").symlink_to("notes.txt")
    (folder / "round.pfl").symlink_to("turn.pfl")
    (folder / "turn.pfl").symlink_to("round.pfl")
    assert codes_of("inside.pfl") == codes_of("whole.pfl") == []
    for path in ("out.pfl", "out_again.pfl", "far/passwd.pfl", "dangling.pfl", "notes.pfl"):
        found = found_in(path)
        assert [str(one.code) for one in found] == ["PFL0024"], path
        assert "secret_word" not in told(found)
        assert "note" not in told(found).replace(path, "")
    assert codes_of("whole.pfl", root="sub") == ["PFL0024"]  # paths start from where the file is
    (only,) = found_in("round.pfl")
    assert (str(only.code), only.labels[0].text) == ("PFL0020", "round.pfl: its links lead in a circle")


def test_a_root_that_is_a_link_itself(folder: Path) -> None:
    (folder.parent / "alias").symlink_to("models")
    os.chdir(folder.parent)
    assert codes_of("sub/below.pfl", name="alias/model.pfl") == []
    assert codes_of("../outside.pfl", name="alias/model.pfl") == ["PFL0024"]


def test_a_root_above_beside_and_below(folder: Path) -> None:
    assert codes_of("../outside.pfl", root="..") == []
    assert codes_of("../other/outside.pfl", root="..") == []
    assert codes_of("../models/here.pfl", root="..") == []
    assert codes_of("../../x.pfl", root="..") == ["PFL0024"]
    assert codes_of(f"../../{folder.parent.name}/outside.pfl", root="..") == ["PFL0024"]
    assert codes_of("../other/outside.pfl", root="../other") == []
    assert codes_of("here.pfl", root="../other") == ["PFL0024"]
    assert codes_of("../outside.pfl", root="../other") == ["PFL0024"]
    assert codes_of("sub/below.pfl", root="sub") == ["PFL0024"]  # it imports what is above
    (folder / "sub/alone.pfl").write_text("const alone = 1;")
    assert codes_of("sub/alone.pfl", root="sub") == []
    assert codes_of("here.pfl", root="sub") == ["PFL0024"]


def test_a_root_that_is_no_folder() -> None:
    for root in ("nowhere", "here.pfl", "a\0b"):
        (only,) = found_in("here.pfl", root=root)
        assert (str(only.code), only.message) == ("PFL0001", f"there is no folder `{root}` to import from")


def test_the_library_is_exempt() -> None:
    assert check_text("import std.noise;", Options(root="sub")).diagnostics == ()


def test_a_file_with_the_name_of_a_library_module(folder: Path) -> None:
    (folder / "std").mkdir()
    (folder / "std/noise.pfl").write_text("const mine = 1;")
    text = 'import "std/noise.pfl"; import std.noise { truncated_geometric }; const a = mine + nose;'
    (only,) = check_text(text).diagnostics
    assert only.message == "unknown name `nose`"


def test_a_text_reads_from_the_current_folder() -> None:
    def codes(findings: Findings) -> list[str]:
        return [str(diagnostic.code) for diagnostic in findings.diagnostics]

    assert codes(check_text('import "here.pfl"; const a = here;')) == []
    assert codes(check_text('import "../outside.pfl";')) == ["PFL0024"]
    assert codes(check_text('import "below.pfl"; const a = below;', name="sub/text.pfl")) == []
    assert codes(check_text('import "../here.pfl"; const a = here;', name="sub/text.pfl")) == []
    assert codes(check_text('import "outside.pfl";', name="../text.pfl")) == ["PFL0024"]
    assert codes(check_text('import "passwd.pfl";', name="/etc/text.pfl")) == ["PFL0024"]
    assert codes(check_text('import "../outside.pfl"; const a = secret_word;', Options(root=".."))) == []
    assert codes(check_text('import "x.pfl";', name="a\0/b")) == ["PFL0020"]


def test_a_text_where_the_current_folder_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert check_text("const a = 1;").exit_code == 0
    assert [str(one.code) for one in check_text('import "a.pfl";').diagnostics] == ["PFL0020"]


def test_what_is_no_ordinary_file_is_not_opened(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "folder.pfl").mkdir()
    os.mkfifo(folder / "pipe.pfl")
    with (folder / "huge.pfl").open("wb") as stream:
        stream.truncate(1 << 40)
    (folder / "latin.pfl").write_bytes(b"// caf\xe9")
    (folder / "long").mkdir()
    monkeypatch.setattr(modules.os, "open", refuse_to_open)
    assert [told(found_in(name)).splitlines()[-1] for name in ("folder.pfl", "pipe.pfl", "huge.pfl")] == [
        "folder.pfl: it is a folder",
        "pipe.pfl: it is no ordinary file",
        "huge.pfl: it has more than 67,108,864 bytes",
    ]
    monkeypatch.undo()
    os.chdir(folder)
    assert codes_of("latin.pfl") == ["PFL0004"]
    assert codes_of("missing.pfl") == codes_of("here.pfl/x.pfl") == codes_of(f"{'x' * 5000}.pfl") == ["PFL0020"]


def refuse_to_open(path: str, flags: int) -> int:
    raise AssertionError(f"{path} was opened with {flags}")


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(folder / "pipe.pfl")
    ordinary = os.lstat(folder / "here.pfl")
    monkeypatch.setattr(modules.os, "lstat", lambda path: ordinary if path.endswith(".pfl") else os.stat(path))
    (only,) = found_in("pipe.pfl")
    assert (str(only.code), only.labels[0].text) == ("PFL0020", "pipe.pfl: it is no ordinary file")


def test_circles_through_links(folder: Path) -> None:
    (folder / "again").symlink_to(".")
    (folder / "twin.pfl").symlink_to("model.pfl")
    for path in ("again/model.pfl", "again/again/model.pfl", "twin.pfl", "model.pfl"):
        (only,) = found_in(path)
        assert (str(only.code), only.message) == ("PFL0021", "`model.pfl` imports itself"), path
    (folder / "one.pfl").write_text('import "again/two.pfl";')
    (folder / "two.pfl").write_text('import "again/again/one.pfl";')
    assert codes_of("one.pfl") == ["PFL0021"]


def test_a_file_with_two_names_is_one_module(folder: Path) -> None:
    (folder / "again").symlink_to(".")
    (folder / "twin.pfl").symlink_to("here.pfl")
    os.link("here.pfl", "hard.pfl")
    text = 'import "here.pfl"; import "twin.pfl"; import "again/here.pfl"; import "hard.pfl"; const a = here;'
    assert check_text(text).diagnostics == ()


def test_a_long_chain_of_imports() -> None:
    for number in range(600):
        Path(f"m{number}.pfl").write_text(f'import "m{number + 1}.pfl"; const a{number} = 1;')
    Path("m600.pfl").write_text("const last = 1;")
    assert codes_of("m0.pfl") == []


@pytest.mark.parametrize("path", ["a.pfl", "a/b.pfl", "../b.pfl", "caf\u00e9.pfl", "a b.pfl", "50%.pfl", ".pfl"])
def test_usual_paths_are_well_formed(path: str) -> None:
    check_path(path)


def test_a_path_that_no_system_can_have() -> None:
    with pytest.raises(ImportRefused):
        check_path("a\x1b.pfl")
    assert [str(one.code) for one in check_text('import "\ud800.pfl";').diagnostics] == ["PFL0020"]
