"""Arrays whose indices are the values of an enum: what they are, and what is told where something is wrong."""

from __future__ import annotations

import pytest
from checking import assert_reports, message
from evaluation import Model, fault_of

from pfl.model.cardinality import enumerate_domain, is_empty, iterates_in_order, size
from pfl.model.domain import EnumDomain, RangeDomain, indexed_by
from pfl.model.values import Enumeration, RecordValue, in_order, show

DECLARED = """
enum Candidate { ann, bob }
enum Party { red, blue, green }
type Votes = [Candidate] of 0..3;
type Who = Candidate;
type Level = 0..2;
record Pair { x: bool }
const N = 2;
"""

TRUE = """
best([ann: 1, bob: 3]) == bob
sum([ann: 1, bob: 3]) == 4 and max([ann: 1, bob: 3]) == 3 and min([ann: 1, bob: 3]) == 1
size([ann: 1, bob: 3]) == 2 and size(Votes) == 16
3 in [ann: 1, bob: 3] and 2 not in [ann: 1, bob: 3] and contains([ann: 1, bob: 3], 1)
[ann: 1, bob: 3] in Votes and [ann: 1, bob: 4] not in Votes
[ann: 1, bob: 3] == [bob: 3, ann: 1] and [ann: 1, bob: 3] != [ann: 3, bob: 1]
[swapped(c): if c == ann then 1 else 3 for c in Candidate] == [ann: 3, bob: 1]
[ann: 1, bob: 3] with { [ann] = 2, [bob] = 0 } == [ann: 2, bob: 0]
[p: [c: 0 for c in Candidate] for p in Party][green][bob] == 0
[c: [0, 1] for c in Candidate][ann][1] == 1 and [[ann: 1, bob: 2], [ann: 3, bob: 4]][1][ann] == 3
count(x for x in [ann: 1, bob: 3] if x > 1) == 1 and {x for x in [ann: 1, bob: 1]} == {1}
(forall c in Candidate: doubled([ann: 1, bob: 3])[c] mod 2 == 0) and doubled([ann: 1, bob: 3])[bob] == 6
union([ann: {1}, bob: {2}]) == {1, 2} and [ann: 1/2, bob: 1/3][bob] == 1/3
nothing[ann] == {} and nothing[bob] == {}
"""


def model(extra: str = "") -> Model:
    return Model(
        DECLARED
        + """
        fn best(v: Votes): Candidate = if v[ann] >= v[bob] then ann else bob;
        fn swapped(c: Candidate): Candidate = match c { ann => bob, bob => ann };
        fn doubled(v: [Who] of int): [Candidate] of int = [c: 2 * v[c] for c in Who];
        const nothing: [Candidate] of set of int = empty;
        """
        + extra
    )


@pytest.mark.parametrize("condition", TRUE.strip().splitlines())
def test_what_such_arrays_are(condition: str) -> None:
    assert show(model(f"const it = {condition};").constant("it")) == "true"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("[bob: 1, ann: 3]", "[ann: 3, bob: 1]"),
        ("[c: {c} for c in Candidate]", "[ann: {ann}, bob: {bob}]"),
        ("[p: [c: true for c in Candidate] for p in Party][red]", "[ann: true, bob: true]"),
    ],
)
def test_an_array_is_shown_as_it_is_written(value: str, shown: str) -> None:
    held = model(f"const it = {value};").constant("it")
    assert show(held) == shown
    assert model(f"const it = {shown};").constant("it") != held or isinstance(held, RecordValue)
    assert show(model(f"const it = {shown};").constant("it")) == shown


def test_the_domain_of_such_arrays() -> None:
    letters = Enumeration("Letter", ("a", "b"))
    domain = indexed_by(letters, RangeDomain(0, 2))
    values = enumerate_domain(domain, 100)
    assert (str(domain), len(values), size(domain), is_empty(domain)) == ("[Letter] of 0..2", 9, 9, False)
    assert iterates_in_order(domain)
    assert list(values) == in_order(values)
    assert all(map(domain.contains, values))
    assert str(indexed_by(letters, indexed_by(letters, EnumDomain(letters)))) == "[Letter] of [Letter] of Letter"
    other = indexed_by(Enumeration("Letter", ("a", "b")), RangeDomain(0, 2))
    assert not any(map(other.contains, values))
    assert not domain.contains((0, 1))


def test_what_stands_in_the_brackets_is_resolved_by_what_it_means() -> None:
    assert_reports(
        DECLARED
        + """
        fn a(x: [Candidate] of int): int = x[ann];
        fn b(x: [Who] of int): int = x[ann];
        fn c(x: [N] of int): int = x[1];
        fn d(Candidate: int, x: [Candidate] of int): int = x[1];
        fn e(x: [Level] of int): int = 1;  //~ PFL0301
        fn f(x: [Pair] of int): int = 1;  //~ PFL0301
        fn g(x: [bool] of int): int = 1;  //~ PFL0301
        fn h(x: [0..2] of int): int = 1;  //~ PFL0301
        fn i(x: [ann] of int): int = 1;  //~ PFL0301
        fn j(x: [Nobody] of int): int = x[ann] + x[1];  //~ PFL0201
        fn k(x: [best] of int): int = 1;  //~ PFL0210
        fn best(): int = 1;
        """
    )


def test_indices() -> None:
    assert_reports(
        DECLARED
        + """
        fn a(x: [Candidate] of int): int = x[red];  //~ PFL0301
        fn b(x: [Candidate] of int): int = x[0];  //~ PFL0301
        fn c(x: [N] of int): int = x[ann];  //~ PFL0301
        fn d(x: Votes): Votes = x with { [0] = 1 };  //~ PFL0301
        fn e(x: Votes): int = x[ann][bob];  //~ PFL0312
        mechanism m() -> int {
            var x = [c: 0 for c in Candidate];
            x[ann] = 1;
            x[green] = 1;  //~ PFL0301
            return x[bob];
        }
        """
    )
    assert message(DECLARED + "fn f(x: Votes): int = x[red];")[0] == (
        "an index must be a value of `Candidate`, not a value of `Party`"
    )


def test_keys() -> None:
    assert_reports(
        DECLARED
        + """
        const a: Votes = [ann: 1];  //~ PFL0353
        const b: Votes = [ann: 1, bob: 1, ann: 2];  //~ PFL0353
        const c = [ann: 1, red: 1];  //~ PFL0301
        const d = [0: 1, 1: 2];  //~ PFL0301
        const e: Votes = [red: 1, blue: 1, green: 1];  //~ PFL0301
        const f: Votes = [1, 2];  //~ PFL0301
        const g: Votes = [0 for c in Candidate];  //~ PFL0301
        const h: Votes = { ann: 1/2, bob: 1/2 };  //~ PFL0301
        const i: Votes = [ann: true, bob: 1];  //~ PFL0301
        const j = [c: 1 for c in 0..1];  //~ PFL0301
        const k: Votes = empty;  //~ PFL0301
        fn l(x: Votes): bool = x == [1, 2];  //~ PFL0303
        """
    )


@pytest.mark.parametrize("given", ["[1, 2]", "[0 for c in Candidate]", "{ ann: 1/2, bob: 1/2 }"])
def test_how_an_array_is_written_is_told(given: str) -> None:
    wanted = "write `[ann: .., bob: ..]`, or `[i: .. for i in Candidate]`"
    assert message(f"{DECLARED}const a: Votes = {given};")[1] == wanted


@pytest.mark.parametrize(
    ("array", "headline"),
    [
        ("[ann: 1 for c in Candidate]", "the array has two elements for `ann`"),
        ("[c: 1 for c in Candidate if c == bob]", "the array has no element for `ann`"),
        ("[c: 1 for c in Party if c == red]", "the array has no element for `blue`, `green`"),
    ],
)
def test_keys_that_are_found_by_evaluating(array: str, headline: str) -> None:
    fault = fault_of(array, DECLARED)
    assert (str(fault.code), fault.message) == ("PFL0353", headline)
