"""Whatever is made of the models that there are: every claim is answered, and every report can be written.

A few of the models that were tried.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random

import jsonschema
import pytest
from changed_models import LONGEST, ROOT, anatomy, changed_model, clauses_of

from pfl.driver import check_text
from pfl.options import Options
from pfl.report.details import render_concise
from pfl.report.human import render_findings
from pfl.report.json import render_json
from pfl.report.junit import render_junit
from pfl.report.sarif import render_sarif
from pfl.verify.certificates.proof import faults_of_proof, proof_of, proof_text, read_proof

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/reference/schema.json").read_text())
LIMITS = Options(timeout=1, max_states=500, debug=True)
"""Small, and with faults of the compiler as the exceptions that they are."""


EXAMPLES = [path for path in sorted((ROOT / "examples").glob("*.pfl")) if path.stat().st_size <= LONGEST]


def model_of(path: Path, number: int) -> str:
    """A model made of an example; the same whatever else is in the repository, the clauses of other examples aside."""
    models = [other.read_text(encoding="utf-8") for other in EXAMPLES]
    source = Random(f"{path.stem} {number}")
    return changed_model(path.read_text(encoding="utf-8"), clauses_of(models), source)


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_changed_model_is_answered(path: Path, number: int) -> None:
    findings = check_text(model_of(path, number), LIMITS, name="model.pfl")
    assert findings.exit_code in (0, 1, 3, 4)
    jsonschema.validate(json.loads(render_json(findings)), SCHEMA)
    for render in (render_concise, render_sarif, render_junit):
        assert isinstance(render(findings), str)
    assert isinstance(render_findings(findings, 100), list)
    for result in findings.results:
        proof = proof_of(result)
        if proof is not None:
            assert faults_of_proof(read_proof(proof_text(proof)), [result.claim]) == []


def test_the_search_comes_to_models_of_all_kinds() -> None:
    models = [model_of(path, number) for path in EXAMPLES for number in range(3)]
    kinds = Counter(kind for model in models if (parts := anatomy(model)) for kind, _ in parts.systems)
    assert min(kinds[kind] for kind in ("hmm", "mechanism", "automaton")) >= 3
    assert sum(anatomy(model) is not None for model in models) > len(models) // 2
    originals = [path.read_text(encoding="utf-8") for path in EXAMPLES]
    assert sum(model not in originals for model in models) > len(models) // 2
