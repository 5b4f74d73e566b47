"""Pseudonyms that keep prefixes: published vectors, and the property itself."""

from __future__ import annotations

import ipaddress
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.errors import SchleierError
from schleier.core.keys import Key
from schleier.methods.keep_prefix import KeepPrefix

KEY = Key(bytes(range(32)))


def step(**more: Any) -> KeepPrefix:
    return KeepPrefix(column="address", key="k", domain="d", **more)


def spelled(*values: str, **more: Any) -> list[str]:
    found: list[str] = step(**more).pseudonyms(pa.array(values), KEY).to_pylist()
    return found


def test_bits_are_turned_or_not_without_regard_to_others() -> None:
    """As many first bytes stay as by chance (one in 256), and an IPv6 address is turned otherwise than IPv4 ones."""
    keys = [Key(i.to_bytes(32, "big")) for i in range(1500)]
    one, other = pa.array(["10.0.0.1"]), pa.array(["a00:1::"])
    first = [step().spell(one, key)[0].as_py() for key in keys]
    assert sum(found.startswith("10.") for found in first) <= 20, "six are expected, a hundred where bits agree"
    numbers = [bits(step().spell(other, key)[0].as_py())[:32] for key in keys[:50]]
    assert sum(bits(found) == number for found, number in zip(first, numbers, strict=False)) == 0


def common(pair: tuple[str, str]) -> int:
    """How many leading bits two addresses share."""
    return next((i for i, (one, other) in enumerate(zip(*pair, strict=True)) if one != other), len(pair[0]))


def bits(text: str) -> str:
    address = ipaddress.ip_address(text)
    return f"{int(address):0{address.max_prefixlen}b}"


ADDRESSES = st.one_of(
    st.lists(st.ip_addresses(v=4).map(str), min_size=2, max_size=9, unique=True),
    st.lists(st.ip_addresses(v=6).filter(lambda one: one.ipv4_mapped is None).map(str), min_size=2, unique=True),
    st.lists(st.integers(0, 300).map(lambda n: f"10.0.{n // 256}.{n % 256}"), min_size=2, unique=True),
)


@given(ADDRESSES)
def test_as_many_leading_bits_are_common_as_before(values: list[str]) -> None:
    found = spelled(*values)
    for i, one in enumerate(values):
        for j, other in enumerate(values[:i]):
            before, after = (bits(one), bits(other)), (bits(found[i]), bits(found[j]))
            assert common(before) == common(after)
    assert step().reveal(pa.array(found), KEY).to_pylist() == values


def test_forms_of_one_address_are_one() -> None:
    assert len(set(spelled("10.1.2.3", "::ffff:10.1.2.3", " ::ffff:a01:203 "))) == 1
    assert len(set(spelled("2001:db8::1", "2001:DB8:0:0::1"))) == 1


@pytest.mark.parametrize(
    "value", ["10.0.0", "10.0.0.256", "010.0.0.1", "10.0.0.1.", "1.2.3.4.5", "fe80::1%eth0", "host"]
)
def test_other_texts_are_refused(value: str) -> None:
    with pytest.raises(SchleierError) as caught:
        spelled("10.0.0.1", value)
    assert caught.value.problems[0].code == "not-an-address" and value not in str(caught.value)


def test_behind_what_is_no_pseudonym_is_nothing() -> None:
    (one,) = spelled("10.1.2.3")
    given = pa.array([one, "300.1.2.3", f" {one}", None, "host", ""])
    assert step().reveal(given, KEY).to_pylist() == ["10.1.2.3", None, "10.1.2.3", None, None, None]
    (code,) = spelled("05111", levels=[2, 5])
    assert step(levels=[2, 5]).reveal(pa.array([code, "1", None]), KEY).to_pylist() == ["05111", None, None]


CODE = st.from_regex(r"[0-9]{2}([0-9]{1}([0-9a-z]{2})?)?", fullmatch=True)


@given(st.lists(CODE, min_size=2, max_size=12, unique=True))
def test_levels_stay_under_their_parent(values: list[str]) -> None:
    found = spelled(*values, levels=[2, 3, 5])
    assert step(levels=[2, 3, 5]).reveal(pa.array(found), KEY).to_pylist() == values
    for i, one in enumerate(values):
        for other, new in zip(values[:i], found[:i], strict=True):
            for cut in (2, 3, 5):
                assert (one[:cut] == other[:cut]) == (found[i][:cut] == new[:cut])


def test_codes_that_lost_a_zero_are_refused() -> None:
    with pytest.raises(SchleierError) as caught:
        spelled("05111", "9162", levels=[2, 5])
    assert caught.value.problems[0].code == "odd-code" and "zeros" in caught.value.problems[0].hint
