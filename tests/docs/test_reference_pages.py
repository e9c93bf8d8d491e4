"""The reference of the command line and of the JSON report says what the program has."""

from __future__ import annotations

import json
import re
from importlib import import_module

import click
import jsonschema
import pytest
from markdown_blocks import ROOT, code_blocks

from pfl.cli.main import COMMANDS

CLI = (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")
JSON = (ROOT / "docs/reference/json.md").read_text(encoding="utf-8")
SCHEMA = json.loads((ROOT / "docs/reference/schema.json").read_text(encoding="utf-8"))


def section(name: str) -> str:
    return re.split(r"^## ", CLI.split(f"## pflc {name}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def options_of(command: click.Command) -> set[str]:
    own = {
        option
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
        if option.startswith("--")
    }
    members = command.commands.values() if isinstance(command, click.Group) else ()
    return own.union(*(options_of(member) for member in members))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_described_with_its_options(name: str) -> None:
    assert f"pflc {name}" in CLI.split("## Exit codes")[0]
    described = set(re.findall(r"--[a-z][a-z-]*", section(name)))
    assert options_of(import_module(f"pfl.cli.{name}").command) <= described


def test_check_is_described_without_options_that_it_lacks() -> None:
    table = {line.split("`")[1].split()[0] for line in section("check").splitlines() if line.startswith("| `--")}
    assert table == options_of(import_module("pfl.cli.check").command)


def test_the_example_report_keeps_to_the_schema() -> None:
    (session,) = (block.text for block in code_blocks(JSON) if block.language == "console")
    command, report = session.split("\n", 1)
    assert command.startswith("$ pflc check --format json ")
    jsonschema.validate(json.loads(report), SCHEMA)


@pytest.mark.parametrize("part", ["diagnostic", "claim", "bound", "witness", "evidence"])
def test_every_key_is_described(part: str) -> None:
    for key in SCHEMA["$defs"][part]["required"]:
        assert f"`{key}`" in JSON, key
