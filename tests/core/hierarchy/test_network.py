from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hierarchy.reducing import nested, same_after_reduce
from schleier.core.hierarchy.network import Network

BITS = st.sets(st.integers(1, 128), min_size=1, max_size=4).map(lambda bits: tuple(sorted(bits, reverse=True)))
ADDRESSES = st.lists(st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)).map(str), min_size=1, max_size=20)


@given(BITS, ADDRESSES)
def test_levels_nest_and_reducing_changes_nothing(bits: tuple[int, ...], texts: list[str]) -> None:
    hierarchy = Network(network=bits)
    assert list(hierarchy.problems("")) == []
    nested(hierarchy, pa.array(texts))
    same_after_reduce(hierarchy, pa.array(texts))


@given(st.integers(1, 32), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_equal_networks_mean_equal_first_bits(bits: int, one: int, other: int) -> None:
    texts = pa.array([str(IPv4Address(one)), str(IPv4Address(other))])
    first, second = Network(network=(bits,)).labels(texts, 1).to_pylist()
    assert (first == second) == (one >> (32 - bits) == other >> (32 - bits))


@given(st.integers(1, 128), st.integers(2**100, 2**128 - 1), st.integers(2**100, 2**128 - 1))
def test_and_so_for_long_addresses(bits: int, one: int, other: int) -> None:
    texts = pa.array([str(IPv6Address(one)), str(IPv6Address(other))])
    first, second = Network(network=(bits,)).labels(texts, 1).to_pylist()
    assert (first == second) == (one >> (128 - bits) == other >> (128 - bits))


def test_what_is_no_address_is_not_covered() -> None:
    hierarchy = Network(network=(18,))
    texts = pa.array(["203.0.113.7", " 203.0.113.7 ", "fe80::1%eth0", "::ffff:203.0.113.7", "203.0.113", "", "7"])
    assert hierarchy.covers(texts).tolist() == [True, True, True, True, False, False, False]
    assert hierarchy.labels(texts, 1).to_pylist() == [
        "203.0.64.0/18",
        "203.0.64.0/18",
        "fe80::/18",
        "203.0.64.0/18",
        None,
        None,
        None,
    ]
    assert hierarchy.covers(pa.array([7])).tolist() == [False]
    assert hierarchy.labels(pa.array([7]), 1).to_pylist() == [None]


def test_more_bits_than_a_short_address_has_leave_it_whole() -> None:
    texts = pa.array(["203.0.113.7", "2001:db8::1"])
    assert Network(network=(48, 18)).labels(texts, 1).to_pylist() == ["203.0.113.7/32", "2001:db8::/48"]


@pytest.mark.parametrize(
    ("bits", "codes"),
    [
        ((), ["hierarchy-empty"]),
        ((18, 18), ["hierarchy-not-nested"]),
        ((18, 24), ["hierarchy-not-nested"]),
        ((129,), ["hierarchy-width"]),
        ((18, 0), ["hierarchy-width"]),
    ],
)
def test_problems(bits: tuple[int, ...], codes: list[str]) -> None:
    assert [problem.code for problem in Network(network=bits).problems("")] == codes
