"""Systems without end of states, asked about for a length, against such with a bound that no run of it meets."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import pfl.passes.exploration
from pfl.base.enclosure import Enclosure
from pfl.driver import check_text
from pfl.engines.answer import Computed, Unknown
from pfl.options import Options


@pytest.fixture(autouse=True)
def _little_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pfl.passes.exploration, "SMALL", 40)


def _weight(source: random.Random) -> str:
    return str(Fraction(source.randint(1, 4), 5))


_MECHANISM = """
mechanism m(x: 0..1) emits 0..2 {
    var n: WHOLE = x;
    forever {
        let up ~ bernoulli(if x == 1 then ONE else OTHER);
        n = CAPPED(if up then n + UP else n - DOWN);
        RECEIVED
        HIDDEN
        EMIT
        ENDS
    }
}
adjacency other(a: 0..1, b: 0..1) = a != b;
compute e: epsilon m { adjacent other; length LENGTH; }
compute each: epsilon m { adjacent other; length 1..LENGTH; }
check k: privacy m { adjacent other; length LENGTH; epsilon ln(BOUND); }
compute d: delta m { adjacent other; length LENGTH; epsilon ln(2); }
"""
_HMM = """
hmm H {
    state n: WHOLE;
    emit EMITTED;
    step n ~ { CAPPED(n + 1): ONE, CAPPED(n - 1): 1 - ONE };
}
prior p for H { told ~ bernoulli(OTHER); start n = if told then 1 else 0; }
compute e: epsilon H { prior p; secrets told vs not told; length LENGTH; }
compute late: epsilon H { prior p; secrets n@MOMENT > 0 vs n@MOMENT <= 0; length LENGTH; }
compute l: likelihood H { prior p; observations WORD; posterior; }
compute missing: likelihood H { prior p; observations _, WORD; }
"""
_LOOP = """
mechanism m(x: 0..1) -> 0..2 {
    var n: WHOLE = x;
    var again ~ bernoulli(ONE);
    while again {
        let up ~ bernoulli(if x == 1 then OTHER else 1/2);
        n = CAPPED(if up then n + UP else n - DOWN);
        again ~ bernoulli(if n mod 3 == 1 then ONE else OTHER/2);
    }
    return if n > 2 then 2 else abs(n) mod 2;
}
compute p0: probability m(0) { returns 0; }
compute p1: probability m(1) { returns 2; }
compute d: distribution m(1);
"""
_CHAIN = """
hmm H {
    state n: WHOLE = 2;
    step n ~ if n == 0 then point(0) else { CAPPED(n + 1): ONE/3, CAPPED(n - 1): 1 - ONE/3 };
}
compute p0: probability H { reach n == 0; }
compute p1: probability H { reach n == 4 or n == 0; }
"""
_SHOWN = ("n mod 2", "if n > 2 then 1 else 0", "abs(n) mod 3")


def _filled(template: str, **parts: str) -> tuple[str, str]:
    """The text without end, and with a bound that no run of a length comes to."""
    for name, part in parts.items():
        template = template.replace(name.upper(), part)
    without_end = template.replace("WHOLE", "int").replace("CAPPED", "")
    return without_end, template.replace("WHOLE", "-60..60").replace("CAPPED(", "capped(") + _CAPPED


_CAPPED = "fn capped(n: int): int = max(-60, min(60, n));\n"


def _mechanism(source: random.Random) -> tuple[str, str]:
    """A walk over whole numbers that shows something of where it is, now and then nothing for a while."""
    emit = f"emit {source.choice(_SHOWN)};"
    return _filled(
        _MECHANISM,
        one=_weight(source),
        other=_weight(source),
        received=source.choice(["", "", "receive got: 0..1; n = CAPPED(n + got);"]),
        hidden=source.choice(["", "if n mod 3 == 1 { n = CAPPED(n + 1); }"]),
        emit=source.choice([emit, f"if n mod 4 != 1 {{ {emit} }}"]),
        ends=source.choice(["", "if n > 3 { emit 2; return; }"]),
        length=str(source.randint(1, 3)),
        bound=str(source.randint(2, 9)),
        up=str(source.randint(1, 2)),
        down=str(source.randint(0, 1)),
    )


def _hmm(source: random.Random) -> tuple[str, str]:
    shown, length = source.choice(_SHOWN), source.randint(1, 4)
    return _filled(
        _HMM,
        one=_weight(source),
        other=_weight(source),
        emitted=source.choice([shown, f"with_error({shown})"]),
        moment=str(source.randint(0, length + 2)),
        word=", ".join(str(source.randint(0, 1)) for _ in range(length)),
        length=str(length),
    )


def _run(source: random.Random) -> tuple[str, str]:
    up, down = str(source.randint(1, 2)), str(source.randint(0, 1))
    return _filled(source.choice([_LOOP, _CHAIN]), one=_weight(source), other=_weight(source), up=up, down=down)


_ERROR = "dist with_error(seen: int) = { seen: 2/3, 5: 1/3 };\n"


def _answers(text: str) -> list[tuple[str, object]]:
    findings = check_text(text, Options(timeout=60))
    assert findings.results, (text, findings.diagnostics)
    assert not any(isinstance(result.verdict, Unknown) for result in findings.results), (text, findings.diagnostics)
    return [(type(result.verdict).__name__, getattr(result.verdict, "value", None)) for result in findings.results]


def _agree(texts: tuple[str, str]) -> None:
    without_end, bounded = (_answers(text + _ERROR) for text in texts)
    assert without_end == bounded, texts[0]


@pytest.mark.parametrize("seed", range(12))
def test_mechanisms_are_judged_by_what_a_length_reaches(seed: int) -> None:
    _agree(_mechanism(random.Random(seed)))


@pytest.mark.parametrize("seed", range(12))
def test_hidden_markov_models_are_judged_by_what_a_length_reaches(seed: int) -> None:
    _agree(_hmm(random.Random(seed)))


def _numbers(text: str, options: Options) -> list[dict[str, Fraction | Enclosure]]:
    """Of each claim the probability, or those of the results by name."""
    findings = check_text(text, options)
    found: list[dict[str, Fraction | Enclosure]] = []
    for result in findings.results:
        assert isinstance(result.verdict, Computed), (text, findings.diagnostics)
        named = [("", result.verdict.value), *((each.name, each.value) for each in result.verdict.values)]
        found.append({name: value for name, value in named if isinstance(value, Fraction | Enclosure)})
    return found


@pytest.mark.parametrize("seed", range(12))
def test_probabilities_lie_in_what_a_part_tells(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    without_end, bounded = _run(random.Random(seed))
    monkeypatch.setattr(pfl.passes.exploration, "_PARTS", (64,) if seed % 2 else (8,))
    monkeypatch.setattr(pfl.passes.exploration, "_MOST", Fraction(1))
    intervals = _numbers(without_end, Options(max_states=300))
    monkeypatch.setattr(pfl.passes.exploration, "SMALL", 20_000)
    numbers = _numbers(bounded, Options())
    assert any(isinstance(value, Enclosure) for found in intervals for value in found.values())
    nothing = Fraction(0)
    for found, exact in zip(intervals, numbers, strict=True):
        for name in found.keys() | exact.keys():
            told, number = found.get(name, nothing), exact.get(name, nothing)
            assert isinstance(number, Fraction)
            low, high = (told.low, told.high) if isinstance(told, Enclosure) else (told, told)
            # The bound of 60 is reached with next to no probability. A result that no run of the part has is not told.
            assert low - Fraction(1, 10**9) <= number, without_end
            assert number <= high + Fraction(1, 10**9) or name not in found, without_end
