"""The certificate that no values satisfy a claim: the counterexamples that exclude all of them."""

from __future__ import annotations

from typing import Any

from pfl.analysis.ratio.certificate import with_digest
from pfl.base.exact_text import fraction_text
from pfl.engines.synthesis.conditions import Conditions

_BITS = 256
"""Precision of an e^epsilon that is no rational number."""


def none_certificate(conditions: Conditions) -> dict[str, Any] | str:
    """The certificate, once the conditions that were learnt cannot be met; or why there is none."""
    claim = conditions.question.claim
    if claim.exponents is not None:
        return "there are no certificates that no values are found where there are exponentials"
    if claim.delta or any(table.interleaved for table in claim.tables):
        return "there are no certificates that no values are found where there is a delta, or more than is seen"
    if conditions.mixed_assumptions:
        return "assumptions about both the names and other parameters are not certified"
    examples = []
    for requirement in conditions.learnt:
        if requirement.learnt_from is None:
            return "some values were excluded by numbers that mean nothing there, which is not certified"
        violation, others = requirement.learnt_from
        example: dict[str, Any] = {
            "comparison": violation.comparison,
            "reversed": violation.reversed,
            "word": list(violation.words[0]),
            "at": {name: fraction_text(value) for name, value in sorted(others.items())},
        }
        epsilon = claim.comparisons[violation.comparison].epsilon
        assert epsilon is not None
        if epsilon.exact_exponential() is None:
            if epsilon.parameters:
                return "an irrational e^epsilon with parameters is not certified"
            example["bound"] = fraction_text(epsilon.upper_bound(_BITS))
        examples.append(example)
    return with_digest("none", {"counterexamples": examples})
