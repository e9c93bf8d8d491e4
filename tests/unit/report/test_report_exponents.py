"""Numbers that hold powers of e, intervals without end and multiples of a parameter are in every format."""

from __future__ import annotations

from functools import cache

import pytest
from report_formats import FORMATS, rendered

from pfl.driver import check_text
from pfl.verify.verdict import ClaimResult

MODEL = """
param eps in (0, inf);
mechanism above(q: 0..1) -> bool {
    let noisy ~ laplace(q, 4/eps);
    let threshold ~ laplace(0, 2/eps);
    return noisy > threshold;
}
mechanism narrow(q: 0..1) -> bool {
    let noisy ~ laplace(q, 1);
    let threshold ~ laplace(0, 1/2);
    return noisy > threshold;
}
mechanism window(x: 0..1) -> bool {
    let threshold ~ laplace(0, 1/eps);
    let noisy ~ laplace(x, 1/(2*eps));
    return noisy > -1/2 and noisy < 3/2 and noisy >= threshold;
}
adjacency other(a: 0..1, b: 0..1) = a != b;
adjacency down(a: 0..1, b: 0..1) = a == 1 and b == 0;
check within: privacy above { adjacent other; epsilon eps/2; delta exp(-8); }
check beyond: privacy above { adjacent other; epsilon eps/10; delta exp(-2); expect refuted; }
compute least: epsilon above { adjacent other; }
compute middle: epsilon window { adjacent down; one way; }
compute share: delta above { adjacent other; epsilon eps/10; }
compute fixed: epsilon narrow { adjacent other; }
compute often: distribution above(1);
check half: probability above(1) { returns true; at least exp(-eps); expect refuted; }
"""

SHOWN = {
    "within": ("eps/2", "exp(-8)", "inf"),
    "beyond": ("exp(-2)",),
    "least": ("eps/4", "eps in (0, inf)"),
    "middle": ("*eps and ", "eps in (0, inf)"),
    "share": ("error at most",),
    "fixed": ("3/(4*exp(-1) - exp(-2))",),
    "often": ("(6 - 4*exp(-eps/4) + exp(-eps/2))/6",),
    "half": ("exp(-",),
}


@cache
def results() -> dict[str, ClaimResult]:
    return {result.claim.name: result for result in check_text(MODEL).results}


@pytest.mark.parametrize("output_format", FORMATS)
@pytest.mark.parametrize("name", SHOWN)
def test_numbers_in_powers_of_e_are_in_every_format(name: str, output_format: str) -> None:
    text = rendered(output_format, results()[name])
    for part in SHOWN[name]:
        assert part in text.replace("&gt;", ">")


def test_what_is_expected_comes_out() -> None:
    assert all(result.as_expected for result in results().values()), {
        name: result.verdict for name, result in results().items() if not result.as_expected
    }
