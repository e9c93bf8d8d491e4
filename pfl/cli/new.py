"""`pflc new`: a first model to start from."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click

MODEL = """\
// {name}: a first model. Run `pflc check {file}`.

// A person answers a survey, the truth with probability KEEP. What is hidden is whether the person is sick.
const KEEP = 3/4;  // try: pflc check {file} --set KEEP=9/10

// A hidden Markov model: the state is never seen; in every step it emits a letter, then moves.
hmm {system} {{
    state sick: bool;
    init  sick ~ bernoulli(1/10);
    emits {{yes, no}};  // the letters that an adversary sees
    emit  if sick then {{ yes: KEEP, no: 1 - KEEP }} else {{ yes: 1 - KEEP, no: KEEP }};
}}  // there is no `step`: the state stays

// Whoever sees one answer learns little about the person: the probabilities of each answer, given that the person is
// sick and given that not, differ by a factor of at most 3 = e^(ln 3).
check one_answer: pufferfish {system} {{
    secrets  sick vs not sick;
    epsilon  ln(3);
    length   1;
}}

// Every further answer multiplies the factor: two answers need twice the epsilon.
check two_answers: pufferfish {system} {{
    secrets  sick vs not sick;
    epsilon  ln(3);
    length   2;
    expect   refuted;
}}

// The smallest epsilon that two answers need, exactly, with the answers that attain it.
compute epsilon {system} {{ secrets sick vs not sick; length 2; }}
"""


@click.command("new")
@click.argument("name")
def command(name: str) -> int:
    """Write NAME.pfl, a commented model that checks; an existing file is never overwritten."""
    if not name.strip("."):
        raise click.BadParameter("a model needs a name", param_hint="NAME")
    path = Path(name if name.endswith(".pfl") else f"{name}.pfl")
    text = MODEL.format(name=path.stem, file=path, system=_system_name(path.stem))
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError as error:
        raise click.UsageError(f"`{path}` exists already") from error
    typed = shlex.quote(f"./{path}" if str(path).startswith("-") else str(path))
    click.echo(f"wrote {path}; try `pflc check {typed}`")
    return 0


def _system_name(stem: str) -> str:
    """A name for the system: the words of the file's name, each with a capital; `Survey` where it has none."""
    words = re.findall(r"[A-Za-z0-9]+", stem)
    name = "".join(word[:1].upper() + word[1:] for word in words)
    return name if name[:1].isalpha() else "Survey"
