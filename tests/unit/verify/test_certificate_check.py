"""The certificate checker on certificates written by hand."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from typing import Any

import pytest

from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.epsilon import Epsilon
from pfl.model.labelled_system import LabelledSystem
from pfl.verify.certificates.certificate import verify_certificate

HALF = Fraction(1, 2)
COIN = LabelledSystem(
    states=("fair", "bent"),
    letters=("heads", "tails"),
    matrices=(
        (((0, HALF),), ((1, Fraction(2, 3)),)),
        (((0, HALF),), ((1, Fraction(1, 3)),)),
    ),
)
"""Two coins that are tossed for ever; after k tosses the ratio fair : bent is at most (3/2)^k."""
FAIR = (Fraction(1), Fraction(0))
BENT = (Fraction(0), Fraction(1))
LEAKY = LabelledSystem(
    states=("here", "there"),
    letters=("go",),
    matrices=((((1, Fraction(1)),), ()),),
    stochastic=False,
)
"""One step from `here` to `there`, and nothing after."""


def sealed(**content: Any) -> dict[str, Any]:
    certificate = {"format": "pfl-certificate-1", **content}
    text = json.dumps(certificate, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return {**certificate, "digest": hashlib.sha256(text.encode()).hexdigest()}


def faults(certificate: Any, c: Fraction | Epsilon, length: Any, system: LabelledSystem = COIN) -> list[str]:
    return verify_certificate(certificate, system, FAIR, BENT, c, length=length, budget=Budget())


def closure(length: int | str, bound: str, vectors: list[Any], start: Any, steps: list[Any]) -> dict[str, Any]:
    return sealed(kind="closure", bound=bound, length=length, vectors=vectors, start=start, steps=steps)


def test_looking_at_every_direction() -> None:
    certificate = sealed(kind="exhaustive", bound="9/4", length=2, vectors=20)
    assert faults(certificate, Fraction(9, 4), 2) == []
    assert faults(certificate, Fraction(5, 2), 1) == []
    assert faults(certificate, Epsilon.rational(Fraction(1)), 2) == []
    assert faults(certificate, Epsilon.rational(Fraction(4, 5)), 2) != []
    assert faults(certificate, Fraction(2), 2) != []
    assert faults(certificate, Fraction(9, 4), 3) != []
    assert faults(certificate, Fraction(9, 4), "any") != []


def test_looking_at_every_direction_finds_a_word() -> None:
    certificate = sealed(kind="exhaustive", bound="2", length=2, vectors=20)
    assert "2 letters" in faults(certificate, Fraction(3), 2)[0]


def test_more_directions_than_stated() -> None:
    certificate = sealed(kind="exhaustive", bound="9/4", length=2, vectors=2)
    assert "more than the 2 directions" in faults(certificate, Fraction(9, 4), 2)[0]


def couplings(first: str, second: str) -> dict[str, Any]:
    """Two levels of e_fair - E e_bent: E = 3/2 with one letter to come, 1 with none, each the coupling of the other."""
    return closure(
        1,
        "3/2",
        [
            {"entries": [[0, "1"], [1, first]], "level": 0},
            {"entries": [[0, "1"], [1, second]], "level": 1},
        ],
        {"of": [[0, "1/2"]]},
        [[{"of": [[1, "1"]]}, {"of": [[1, "1"]]}], [{}, {}]],
    )


def test_couplings_as_vectors() -> None:
    # The direction of (1, -3/2) is (2, -3), hence the multiplier of the start: 1/2 of it is x = (1, -3/2).
    certificate = closure(
        1,
        "3/2",
        [{"word": [], "level": 0}, {"entries": [[0, "1"], [1, "-1"]], "level": 1}],
        {"of": [[0, "1"]]},
        [[{"of": [[1, "1"]]}, {"of": [[1, "1"]]}], [{}, {}]],
    )
    assert faults(certificate, Fraction(3, 2), 1) == []
    assert faults(couplings("-3/2", "-1"), Fraction(3, 2), 1) != []
    assert faults(couplings("-3/2", "-1/2"), Fraction(3, 2), 1) != []


def test_a_vector_must_not_speak_for_fewer_letters_than_remain() -> None:
    certificate = closure(
        2,
        "3/2",
        [{"word": [], "level": 2}],
        {"of": [[0, "1"]]},
        [[{"of": [[0, "1"]]}, {"of": [[0, "1"]]}]],
    )
    assert "the start is not covered" in faults(certificate, Fraction(3, 2), 2)


def test_every_vector_needs_its_own_mass_tested() -> None:
    certificate = closure("any", "1/2", [{"word": []}], {"of": [[0, "1"]]}, [[{"of": [[0, "1"]]}, {"of": [[0, "1"]]}]])
    found = faults(certificate, Fraction(1, 2), "any")
    assert "vector 0 has more mass on the left than the bound allows" in found


def test_nothing_is_tested_at_every_length() -> None:
    certificate = closure("any", "4", [{"word": []}], {"of": [[0, "1"]]}, [[{"tested": True}, {"tested": True}]])
    assert "vector 0 is not covered after letter 0" in faults(certificate, Fraction(4), "any")


@pytest.mark.parametrize("too_small", [Fraction(0), Fraction(1, 10**80)])
def test_long_numbers_are_not_rounded_in_the_end(too_small: Fraction) -> None:
    """The bound is exactly the largest ratio, or smaller by less than 64 bits can tell."""
    tails = Fraction(1, 3) + Fraction(1, 10**60)
    bent = LabelledSystem(
        states=COIN.states,
        letters=COIN.letters,
        matrices=((((0, HALF),), ((1, 1 - tails),)), (((0, HALF),), ((1, tails),))),
    )
    bound = HALF / tails - too_small
    certificate = closure(1, str(bound), [], {"tested": True}, [])
    assert faults(certificate, bound, 1, bent) == (["the start is not covered"] if too_small else [])


def test_mass_that_is_lost_is_tested_on_the_way() -> None:
    # (1, -1/2) loses its positive entry after one step, but the word of no letters has mass 1 - 1/2.
    certificate = closure("any", "1/2", [], {"futures": 2}, [])
    assert faults(certificate, Fraction(1, 2), "any", LEAKY) == ["the start is not covered"]
    harmless = closure("any", "1", [], {"futures": 2}, [])
    assert faults(harmless, Fraction(1), "any", LEAKY) == ["the start is not covered"]


@pytest.mark.parametrize(
    "certificate",
    [
        None,
        [],
        "proof",
        {},
        {"format": "other"},
        {"format": "pfl-certificate-1"},
        sealed(),
        sealed(kind="magic", bound="1", length=1),
        sealed(kind="exhaustive", bound=1, length=1, vectors=1),
        sealed(kind="exhaustive", bound="1.5", length=1, vectors=1),
        sealed(kind="exhaustive", bound="1/0", length=1, vectors=1),
        sealed(kind="exhaustive", bound=" 1", length=1, vectors=1),
        sealed(kind="exhaustive", bound="4", length=-1, vectors=1),
        sealed(kind="exhaustive", bound="4", length=True, vectors=1),
        sealed(kind="exhaustive", bound="4", length=1, vectors="9"),
        sealed(kind="exhaustive", bound="4", length="any", vectors=10**30),
        sealed(kind="unwinding", bound="4", length="any", families=[[]]),
        closure("any", "4", [{"word": [0] * 20_000}], {}, [[{}, {}]]),
        closure("any", "4", [{"word": []}], {"futures": 100_000}, [[{}, {}]]),
        closure(1, "4", [], {}, [[]]),
        closure(1, "4", [{"level": 0}], {}, [[]]),
        closure(1, "4", [{"word": [0]}], {}, [[{}, {}]]),
        closure(1, "4", [{"word": [], "level": 2}], {}, [[{}, {}]]),
        closure("any", "4", [{"word": [9]}], {}, [[{}, {}]]),
        closure("any", "4", [{"word": []}], {"of": [[1, "1"]]}, [[{}, {}]]),
        closure("any", "4", [{"word": []}], {"of": [[0, "-1"]]}, [[{}, {}]]),
        closure("any", "4", [{"word": []}], {"of": [0]}, [[{}, {}]]),
        closure("any", "4", [{"word": []}], {"futures": 10**9}, [[{}, {}]]),
        closure("any", "4", [{"word": []}], {"tested": 1}, [[{}, {}]]),
        closure("any", "4", [{"word": []}], {"of": [[0, "1"]]}, [[{}]]),
        closure("any", "4", [{"entries": [[0, "1"], [0, "1"]]}], {}, [[{}, {}]]),
        closure("any", "4", [{"entries": [[5, "1"]]}], {}, [[{}, {}]]),
        closure("any", "4", [{"entries": {"0": "1"}}], {}, [[{}, {}]]),
    ],
)
def test_what_is_no_certificate(certificate: Any) -> None:
    assert faults(certificate, Fraction(100), 1) != []


def test_an_altered_certificate_is_noticed() -> None:
    certificate = sealed(kind="exhaustive", bound="9/4", length=2, vectors=20)
    assert "altered" in faults({**certificate, "bound": "5/2"}, Fraction(9), 2)[0]


def test_long_numbers() -> None:
    bound = "9" * 5000
    certificate = sealed(kind="exhaustive", bound=bound, length=2, vectors=20)
    assert faults(certificate, Fraction(10**5000), 2) == []


def test_numbers_must_be_constants_and_starts_fit() -> None:
    certificate = sealed(kind="exhaustive", bound="9/4", length=2, vectors=20)
    with pytest.raises(ValueError, match="one entry a state"):
        verify_certificate(certificate, COIN, (Fraction(1),), BENT, Fraction(9), length=2, budget=Budget())
    with pytest.raises(ValueError, match="probability"):
        verify_certificate(certificate, COIN, FAIR, (Fraction(2), Fraction(-1)), Fraction(9), length=2, budget=Budget())


def aside(*rows: tuple[tuple[int, Fraction], ...]) -> LabelledSystem:
    """States with these rows for a first letter, the rest of their mass on a second, and a last state that stays."""
    last = len(rows)
    first = (*rows, ((last, HALF),))
    second = (*(tuple((state, 1 - weight) for state, weight in row[:1]) for row in rows), ((last, HALF),))
    return LabelledSystem(states=tuple(map(str, range(last + 1))), letters=("a", "b"), matrices=(first, second))


MIXING = aside(((1, Fraction(1, 3)),), ((2, Fraction(1, 5)),), ((0, Fraction(1, 7)),))
"""Three states that take turns; what was seen in which of them matters for ever."""
PASSING = aside(*(((state + 1, Fraction(1 + state % 2, 3)),) for state in range(15)))
"""Fifteen states on the way to the last one."""


class _Clock(Budget):
    """A budget that is spent after so many looks at the clock."""

    looks: int = 0

    def check(self, where: str) -> None:
        self.looks += 1
        if self.looks > 1000:
            raise LimitReached(where)


@pytest.mark.parametrize(
    ("system", "certificate"),
    [
        (MIXING, sealed(kind="exhaustive", bound="99999999", length="any", vectors=10**6)),
        (MIXING, closure(20, "99999999", [], {"tested": True}, [])),
        (PASSING, closure("any", "99999999", [], {"futures": 15}, [])),
        (MIXING, closure("any", "99999999", [{"word": [0, 1] * 2000}], {}, [[{}, {}]])),
        (MIXING, closure("any", "99999999", [{"word": []}], {"of": [[0, "1"]] * 2000}, [[{}, {}]])),
    ],
)
def test_every_loop_looks_at_the_clock(system: LabelledSystem, certificate: Any) -> None:
    left, right = (tuple(Fraction(state == side) for state in range(system.size)) for side in (0, system.size - 1))
    with pytest.raises(LimitReached, match="a part of the proof was checked"):
        verify_certificate(certificate, system, left, right, Fraction(10**8), length="any", budget=_Clock())


def test_explicit_vectors_may_be_given_with_zeros_and_in_any_order() -> None:
    covered = {"of": [[0, "1/2"]]}
    for entries in ([[0, "-2"], [1, "0"]], [[1, "0/3"], [0, "-1/3"]], [[0, "-7"]]):
        certificate = closure("any", "4", [{"entries": entries}], {"futures": 0}, [[covered, covered]])
        assert faults(certificate, Fraction(4), "any") == ["the start is not covered"]
