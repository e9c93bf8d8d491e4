"""What `pflc check` of a small model loads; most of its time goes there (tests/bench/bench_start.py)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[3] / "examples"
MOST_MODULES = 293


def loaded(model: str) -> set[str]:
    """All modules that are loaded when the model has been checked."""
    program = (
        f"import sys; from pfl.cli.main import run; code = run(['check', {str(EXAMPLES / model)!r}]); "
        "print(*sys.modules, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    return set(done.stderr.split())


def test_a_small_model_loads_a_part_of_the_compiler() -> None:
    assert len({name for name in loaded("weather.pfl") if name.partition(".")[0] == "pfl"}) <= MOST_MODULES


def test_an_exact_model_loads_no_heavy_library() -> None:
    assert not loaded("weather.pfl") & {"flint", "highspy", "lark", "numpy", "rich", "scipy", "z3"}
