"""What others build on does not change by accident: names, fields, codes, exit codes, and the keys of what is written.

`pytest tests/unit/cli/test_frozen.py --force-regen` writes down what is there now. Whatever then differs belongs into
CHANGELOG.md, and a change of JSON or of certificates asks for another number of its schema.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import grimp
from click.testing import CliRunner

import pfl
from pfl.base.codes import all_codes
from pfl.cli import main
from pfl.driver import check_text
from pfl.report.json import render_json

MODEL = """
param p in [0, 1/2];
hmm Coin { state heads: bool;  init heads ~ bernoulli(1/2);  emit heads; }
hmm Weather {
  states wet, dry;  init wet: 1/2, dry: 1/2;  wet -> wet;  dry -> dry;
  wet emits a: 1 - p, b: p;  dry emits a: p, b: 1 - p;
}
mechanism told(t: bool) -> bool { let x ~ bernoulli(1/3); return if x then t else not t; }
adjacency other(a: bool, b: bool) = a != b;
automaton Door {
  states open, shut;  start open;  data d;  query q;  output r;  hidden h;
  open -- d --> shut;  open -- q --> shut;  shut -- r --> open;
}
check private: privacy told { adjacent other; epsilon ln(2); }
check not_private: privacy told { adjacent other; epsilon 0; }
compute how_private: epsilon told { adjacent other; }
compute slack: delta told { adjacent other; epsilon 0; }
check belief: pufferfish Coin { secrets heads@0 vs not heads@0; epsilon 0; length 2; }
find noise: p such that pufferfish Weather { secrets wet@0 vs dry@0; epsilon ln(2); length 1; minimise p; }
compute seen: likelihood Weather { observations a, _; posterior; }
compute chance: probability Weather { reach wet; }
check chances: probability told(true) { returns true; at least p; }
compute all: distribution told(true);
compute time: expected steps Coin { until heads; from any; }
"""


def shape(value: Any) -> Any:
    """The type of a value; of a dataclass its fields, of a function its parameters."""
    if inspect.isclass(value) and is_dataclass(value):
        return [field.name for field in fields(value)]
    if inspect.isfunction(value):
        return [f"{name}: {given.annotation}" for name, given in inspect.signature(value).parameters.items()]
    return type(value).__name__


def paths(value: Any, at: str = "") -> Iterator[str]:
    """`claims[].bound.ratio`: where a JSON value has something."""
    match value:
        case dict():
            for key, inner in value.items():
                yield from paths(inner, f"{at}.{key}".lstrip("."))
        case list():
            for inner in value:
                yield from paths(inner, f"{at}[]")
        case _:
            yield at


def test_names(data_regression: Any) -> None:
    data_regression.check({name: shape(getattr(pfl, name)) for name in sorted(pfl.__all__)})


def test_codes(data_regression: Any) -> None:
    data_regression.check({str(code): f"{code.slug}, {code.severity}" for code in all_codes()})


def test_exit_codes(data_regression: Any) -> None:
    """Beside 0, 1, 3 and 4, which follow from what was found: docs/reference/cli.md, and tests/docs, have those."""
    data_regression.check(
        {name: value for name, value in vars(main).items() if name.isupper() and isinstance(value, int)}
    )


def test_json(data_regression: Any) -> None:
    report = json.loads(render_json(check_text(MODEL)))
    data_regression.check({"schema": report["schema"], "paths": sorted(set(paths(report)))})


def test_certificates(data_regression: Any, tmp_path: Path) -> None:
    model = tmp_path / "model.pfl"
    model.write_text(MODEL, encoding="utf-8")
    CliRunner().invoke(
        main.commands, ["check", str(model), "--claim", "private", "--certificates", str(tmp_path / "proofs")]
    )
    (proof,) = (json.loads(file.read_text(encoding="utf-8")) for file in (tmp_path / "proofs").iterdir())
    data_regression.check({"schema": proof["schema"], "paths": sorted(set(paths(proof)))})


def test_every_file_is_under_the_import_contracts() -> None:
    """A folder without `__init__.py` would be outside of them."""
    root = Path(pfl.__file__).parent
    files = {".".join(("pfl", *path.relative_to(root).with_suffix("").parts)) for path in root.rglob("*.py")}
    assert {file.removesuffix(".__init__") for file in files} == grimp.build_graph("pfl").modules
