"""Every code block of the README and the documentation does what the page says.

`pfl` blocks check with every claim as expected, unless a comment above says otherwise: `<!-- test: continues -->`, the
block goes on where the one before it ended; `<!-- test: raises PFL0401 -->`, it raises exactly these codes;
`<!-- test: parses -->`, it is a part of a file that is only parsed. `console` blocks are run: a line `$ pflc ..`, in
the root of the repository, against the output that follows (`...` stands for any lines). `json` blocks are JSON and
`python` blocks run. `pytest tests/docs --force-regen` writes the outputs of `console` blocks anew; read the difference.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from markdown_blocks import ROOT, CodeBlock, code_blocks
from reported_codes import reported

from pfl.base.source import SourceFile
from pfl.cli.main import run
from pfl.syntax.parse.parser import parse_module

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if path.parent != ROOT / "docs/errors"),
]
UNTESTED = {"", "text", "sh", "lark", "smt2", "toml"}


def blocks() -> Iterator[Any]:
    for page in PAGES:
        before = ""
        for block in code_blocks(page.read_text(encoding="utf-8")):
            if block.language == "pfl":
                before = before + block.text if block.directive == "continues" else block.text
            if block.language not in UNTESTED:
                name = f"{page.relative_to(ROOT)}:{block.line}"
                yield pytest.param(page, block, before, id=name)


@pytest.mark.parametrize(("page", "block", "model"), list(blocks()))
def test_a_code_block(
    page: Path,
    block: CodeBlock,
    model: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
) -> None:
    match block.language:
        case "pfl":
            monkeypatch.chdir(tmp_path)
            _check_model(block, model, capsys)
        case "console":
            monkeypatch.chdir(ROOT)
            expected, shown = _run_session(block.text, capsys)
            if not expected.fullmatch(shown) and request.config.getoption("force_regen"):
                text = page.read_text(encoding="utf-8")
                page.write_text(text.replace(f"\n{block.text}", f"\n{shown}", 1), encoding="utf-8")
            assert expected.fullmatch(shown), shown
        case "json":
            json.loads(block.text)
        case "python":
            monkeypatch.chdir(ROOT)
            exec(compile(block.text, "block", "exec"), {})
        case language:
            raise ValueError(f"line {block.line}: nobody tests blocks of `{language}`")


def _check_model(block: CodeBlock, model: str, capsys: Any) -> None:
    if block.directive == "parses":
        _, diagnostics = parse_module(SourceFile(name="model.pfl", text=model))
        assert not diagnostics
        return
    Path("model.pfl").write_text(model, encoding="utf-8")
    report = reported(["model.pfl"], capsys)
    codes = {diagnostic["code"] for diagnostic in report["diagnostics"]}
    if block.directive.startswith("raises "):
        assert codes == set(block.directive.removeprefix("raises ").split())
        return
    assert block.directive in ("", "continues"), f"line {block.line}: nobody knows `test: {block.directive}`"
    assert not codes
    assert report["exit_code"] == 0


def _run_session(session: str, capsys: Any) -> tuple[re.Pattern[str], str]:
    """What a session should look like, and what it does: commands after `$`, each followed by what it prints."""
    pattern, shown, code = "", "", 0
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        shown += f"$ {command}\n"
        pattern += re.escape(f"$ {command}\n") + "".join(
            r"(?:.*\n)*" if line.strip() == "..." else re.escape(line) for line in expected.splitlines(keepends=True)
        )
        if command == "echo $?":
            shown += f"{code}\n"
            continue
        program, *arguments = shlex.split(command)
        assert program == "pflc", f"only pflc is run, not `{command}`"
        capsys.readouterr()
        code = run(arguments)
        captured = capsys.readouterr()
        shown += captured.out + captured.err
    return re.compile(pattern), shown


def test_pages_name_only_files_that_exist() -> None:
    """A path in backticks that starts with a folder of the repository leads somewhere."""
    folders = "|".join(path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith("."))
    named = re.compile(rf"`((?:{folders})/[\w./-]+)`")
    missing = [
        f"{page.relative_to(ROOT)}: {path}"
        for page in PAGES
        for path in named.findall(page.read_text(encoding="utf-8"))
        if not (ROOT / path).exists()
    ]
    assert missing == []


def test_pages_link_only_to_pages_that_exist() -> None:
    link = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
    code = re.compile(r"^ *```.*?^ *```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)  # `f[i](x)` looks like a link
    missing = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in PAGES
        for target in link.findall(code.sub("", page.read_text(encoding="utf-8")))
        if not (page.parent / target).exists()
    ]
    assert missing == []
