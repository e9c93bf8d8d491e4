"""The size of a domain, its values and its membership tell the same story, on random domains."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pfl.model.cardinality import enumerate_domain, first, intersection, iterates_in_order, size
from pfl.model.domain import (
    ArrayDomain,
    BagDomain,
    BoolDomain,
    Domain,
    EnumDomain,
    ListedDomain,
    RangeDomain,
    SetDomain,
    TupleDomain,
    UnionDomain,
    union_of,
)
from pfl.model.values import Enumeration, SymbolValue, in_order, sort_key

HEALTH = EnumDomain(Enumeration("Health", ("well", "sick")))
SMALL = st.one_of(
    st.just(BoolDomain()),
    st.just(HEALTH),
    st.builds(RangeDomain, st.integers(-2, 2), st.integers(-1, 3)),
    st.lists(st.sampled_from([SymbolValue("bot"), SymbolValue("top"), 0, 5]), max_size=3).map(
        lambda values: ListedDomain(tuple(values))
    ),
)


def composite(parts: st.SearchStrategy[Domain]) -> st.SearchStrategy[Domain]:
    return st.one_of(
        st.builds(ArrayDomain, st.integers(0, 2), parts),
        st.builds(BagDomain, st.integers(0, 2), parts),
        st.builds(SetDomain, parts),
        st.lists(parts, min_size=1, max_size=2).map(lambda elements: TupleDomain(tuple(elements))),
        st.lists(parts, min_size=1, max_size=3).map(union_of),
    )


DOMAINS = st.recursive(SMALL, composite, max_leaves=5)
LIMIT = 3_000


@settings(max_examples=200, deadline=None)
@given(DOMAINS)
def test_a_domain_lists_as_many_different_values_as_it_counts(domain: Domain) -> None:
    counted = size(domain)
    assume(counted is not None and counted <= LIMIT)
    values = enumerate_domain(domain, LIMIT)
    assert len(values) == len(set(values)) == counted
    assert all(map(domain.contains, values))
    if iterates_in_order(domain):
        assert all(sort_key(low) < sort_key(high) for low, high in pairwise(values))
    if values:
        assert domain.contains(first(domain))


@settings(max_examples=200, deadline=None)
@given(DOMAINS, DOMAINS)
def test_intersections_and_unions_are_those_of_the_sets(left: Domain, right: Domain) -> None:
    for domain in (left, right):
        counted = size(domain)
        assume(counted is not None and counted <= LIMIT)
    lefts, rights = set(left), set(right)
    assert set(intersection(left, right)) == lefts & rights
    both = UnionDomain((left, right))
    assert in_order(both) == in_order(lefts | rights)
    assert size(both) == len(lefts | rights)
