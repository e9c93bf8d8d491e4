"""Altered certificates: rejected as they are, and never a proof of something false when sealed again."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from ratio_systems import Case, largest_ratio, random_case

from pfl.analysis.ratio.bounded import BoundedSearch
from pfl.analysis.ratio.certificate import sealed
from pfl.analysis.ratio.every_length import EveryLength
from pfl.analysis.ratio.obligation import Settled
from pfl.analysis.ratio.prepared import Prepared
from pfl.base.budget import Budget
from pfl.verify.certificates.certificate import verify_certificate

_BRUTE_FORCE_LENGTH = 4


def certificates(seed: int) -> Iterator[tuple[Case, Fraction, int | None, dict[str, Any]]]:
    """Proofs about one random system, at a length and for every length, with some slack."""
    case = random_case(seed)
    prepared = Prepared()
    task = prepared.obligation(case.system, case.left, case.right)
    tools = prepared.tools(task.part)
    search = BoundedSearch(
        task, tools, length=_BRUTE_FORCE_LENGTH, bound=Fraction(1), is_too_large=None, budget=Budget()
    )
    bounded = search.settle(None)
    if isinstance(bounded, Settled):
        yield case, bounded.bound, _BRUTE_FORCE_LENGTH, bounded.proof.certificate()
        above = EveryLength(task, tools, bound=bounded.bound * Fraction(21, 20), budget=Budget())
        closed = above.check(lambda _ratio: True)
        if isinstance(closed, Settled):
            yield case, closed.bound, None, closed.proof.certificate()


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths to every number of a certificate, written as a number or as a rational."""
    match value:
        case dict():
            for key, part in value.items():
                if key not in ("format", "kind", "digest"):
                    yield from places(part, (*path, key))
        case list():
            for index, part in enumerate(value):
                yield from places(part, (*path, index))
        case bool():
            return
        case int() | str():
            yield path


def altered(certificate: dict[str, Any], path: tuple[Any, ...], source: random.Random) -> dict[str, Any]:
    """A copy with another number there."""
    result = copy.deepcopy(certificate)
    holder: Any = result
    for key in path[:-1]:
        holder = holder[key]
    value = holder[path[-1]]
    if isinstance(value, int):
        holder[path[-1]] = source.choice([value + 1, max(0, value - 1), value + 7])
    elif value == "any":
        holder[path[-1]] = 3
    else:
        number = Fraction(value)
        changed = source.choice([number + 1, number * 2, number / 2, -number, number * Fraction(999, 1000)])
        holder[path[-1]] = str(changed)
    return result


def resealed(certificate: dict[str, Any]) -> dict[str, Any]:
    content = {key: certificate[key] for key in ("vectors", "start", "steps") if key in certificate}
    length = None if certificate["length"] == "any" else certificate["length"]
    return sealed(certificate["kind"], bound=Fraction(certificate["bound"]), length=length, content=content)


@pytest.mark.parametrize("batch", range(8))
def test_altered_certificates(batch: int) -> None:
    source = random.Random(batch)
    for seed in range(batch * 3, batch * 3 + 3):
        for case, bound, length, certificate in certificates(seed):
            sides = (case.system, case.left, case.right)
            asked = "any" if length is None else length
            assert verify_certificate(certificate, *sides, bound, length=asked, budget=Budget()) == []
            assert verify_certificate(resealed(certificate), *sides, bound, length=asked, budget=Budget()) == []
            paths = list(places(certificate))
            for path in source.sample(paths, min(len(paths), 25)):
                changed = altered(certificate, path, source)
                if changed == certificate:
                    continue
                assert verify_certificate(changed, *sides, bound, length=asked, budget=Budget()) != [], path
                again = resealed(changed)
                claimed = Fraction(again["bound"])
                covered = _BRUTE_FORCE_LENGTH if again["length"] == "any" else min(again["length"], _BRUTE_FORCE_LENGTH)
                if not verify_certificate(again, *sides, claimed, length=again["length"], budget=Budget()):
                    shown = largest_ratio(case, covered)
                    assert shown is not None
                    assert shown <= claimed, path


@pytest.mark.parametrize("seed", range(30))
def test_a_bound_below_an_attained_ratio_has_no_proof(seed: int) -> None:
    for case, bound, length, certificate in certificates(seed):
        shown = largest_ratio(case, _BRUTE_FORCE_LENGTH)
        assert shown is not None
        assert shown <= bound
        lower = shown * Fraction(999, 1000)
        again = resealed({**certificate, "bound": str(lower)})
        asked = "any" if length is None else length
        assert verify_certificate(again, case.system, case.left, case.right, lower, length=asked, budget=Budget()) != []
