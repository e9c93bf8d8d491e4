"""What `import pfl` offers."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

import pfl
from pfl import Computed, Options, check_file, check_text, compile_text

MODEL = """\
param p in (0, 1);
hmm Coin {
    state heads: bool;
    init heads ~ bernoulli(p);
    emit if heads then { h: 3/4, t: 1/4 } else { h: 1/4, t: 3/4 };
}
compute seen: likelihood Coin { observations h; }
"""


@pytest.mark.parametrize("name", pfl.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(pfl, name) is not None


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute `check`"):
        _ = pfl.check


def test_importing_pfl_does_not_load_the_compiler() -> None:
    program = "import pfl, sys; print([name for name in sys.modules if name.startswith('pfl.')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "['pfl.version']\n"


def test_there_is_one_version() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == pfl.__version__


def test_a_text_is_checked() -> None:
    findings = check_text(MODEL, Options(settings={"p": Fraction(1, 3)}))
    (result,) = findings.results
    assert result.verdict == Computed(engine="exact", value=Fraction(5, 12))
    assert findings.exit_code == 0


def test_a_file_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "coin.pfl"
    path.write_text(MODEL, encoding="utf-8")
    (result,) = check_file(str(path)).results
    assert isinstance(result.verdict, Computed)
    assert str(result.verdict.value) == "(1 + 2*p)/4"


def test_a_faulty_text_has_diagnostics_with_its_name() -> None:
    findings = check_text("const N = ;", name="mine.pfl")
    (found,) = findings.diagnostics
    assert found.file_name == "mine.pfl"
    assert findings.exit_code == 3


def test_compiling_stops_before_judging() -> None:
    compiled = compile_text(MODEL)
    assert [claim.name for claim in compiled.claims] == ["seen"]
    assert not compiled.is_rejected
