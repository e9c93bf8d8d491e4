"""What a find looks for, and the warning where its claim does not depend on that."""

from __future__ import annotations

import pytest

from pfl.driver import compile_text

MODEL = """
param keep in (1/2, 1);
param other in (0, 1);
mechanism response(truth: bool) -> bool { return bernoulli(if truth then keep else 1 - keep); }
adjacency any_two(a: bool, b: bool) = true;
check c: privacy response { adjacent any_two; epsilon ln(3); expect refuted; }
"""


@pytest.mark.parametrize(
    ("find", "in_vain"),
    [
        ("find keep such that c;", []),
        ("find other such that c;", ["other"]),
        ("find keep, other such that c;", ["other"]),
        ("find other such that privacy response { adjacent any_two; epsilon ln(3); }", ["other"]),
        ("find other such that privacy response { adjacent any_two; epsilon ln(1 + other); }", []),
        ("find keep, other such that c { minimise keep + other; }", []),
        ("assume other < keep; find other such that c;", []),
    ],
)
def test_a_param_that_the_claim_does_not_depend_on_is_looked_for_in_vain(find: str, in_vain: list[str]) -> None:
    compiled = compile_text(MODEL + find)
    told = [(str(found.code), found.message) for found in compiled.diagnostics]
    assert told == [("PFL0516", f"the claim does not depend on `{name}`") for name in in_vain]
    assert compiled.exit_code == 0
