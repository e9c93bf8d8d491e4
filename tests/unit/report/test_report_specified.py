"""A distribution that is not as specified, in every format."""

from __future__ import annotations

from dataclasses import replace

import pytest
from odd_results import CONTRADICTED, ODD, UNUSUAL, WITNESS, about_results
from report_formats import FORMATS, rendered

from pfl.model.measure import Requirement


@pytest.mark.parametrize("output_format", FORMATS)
def test_every_format_shows_the_result_and_both_probabilities(output_format: str) -> None:
    witness = replace(WITNESS, heading="distribution", words=((UNUSUAL,),), probability_left=ODD)
    required = Requirement(relation="equals", number=ODD / 2)
    text = rendered(output_format, about_results(replace(CONTRADICTED, value=ODD, witness=witness, required=required)))
    assert UNUSUAL in text
    assert "7141/7151" in text
