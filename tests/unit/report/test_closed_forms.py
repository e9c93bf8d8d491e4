"""What reports say of numbers that hold powers of e."""

from __future__ import annotations

from pfl.driver import check_text
from pfl.report.json import json_report

MODEL = """
mechanism told(q: 0..1) -> bool { let x ~ laplace(q, 2); return x > 1/3; }
adjacency other(a: 0..1, b: 0..1) = a != b;
compute smallest: epsilon told { adjacent other; }
"""


def test_the_largest_ratio_is_told_in_closed_form_and_enclosed() -> None:
    claim = json_report(check_text(MODEL))["claims"][0]
    assert "exp(" in claim["bound"]["ratio"]
    assert claim["bound"]["lower_log"] == claim["bound"]["upper_log"]
    assert claim["statement"].startswith("ln(")
    assert "exp(" in claim["statement"]
