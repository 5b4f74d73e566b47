"""Crypto-PAn: the reference vectors, shared prefixes, and the way back."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.kernels.pseudonyms import prefixes

KEY = bytes.fromhex("1522178d33a4cf80130a5b1649907d10d8988f837979652762574c2d2a842202")
VECTORS = {
    "128.11.68.132": "135.242.180.132",
    "129.118.74.4": "134.136.186.123",
    "130.132.252.244": "133.68.164.234",
    "141.223.7.43": "141.167.8.160",
}
"""Key and addresses of the reference implementation of Crypto-PAn (Xu et al. 2002)."""
AES = Cipher(algorithms.AES(KEY[:16]), modes.ECB()).encryptor().update
PADDING = AES(KEY[16:])


def permuted(*addresses: IPv4Address | IPv6Address, back: bool = False) -> list[IPv4Address | IPv6Address]:
    given = np.array([list(address.packed) for address in addresses], np.uint8)
    return [ip_address(row.tobytes()) for row in prefixes.permute(given, AES, PADDING, back=back)]


def slowly(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Bit by bit, as it is printed."""
    size, rest = address.max_prefixlen, int.from_bytes(PADDING, "big")
    turned = 0
    for bit in range(size):
        kept = ((1 << bit) - 1) << (128 - bit)
        block = ((int(address) << (128 - size)) & kept) | (rest & ~kept)
        turned = turned << 1 | AES(block.to_bytes(16, "big"))[0] >> 7
    return type(address)(int(address) ^ turned)


def test_the_reference_vectors() -> None:
    found = permuted(*map(ip_address, VECTORS))
    assert [str(one) for one in found] == list(VECTORS.values())


@settings(max_examples=30, deadline=None)
@given(st.lists(st.ip_addresses(v=4), min_size=1, max_size=12))
def test_addresses_of_version_4(addresses: list[IPv4Address]) -> None:
    holds(addresses)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.ip_addresses(v=6), min_size=1, max_size=5))
def test_addresses_of_version_6(addresses: list[IPv6Address]) -> None:
    holds(addresses)


def holds(addresses: list[IPv4Address] | list[IPv6Address]) -> None:
    """As bit by bit; back again; and two share as many leading bits afterwards as before."""
    found = permuted(*addresses)
    assert found == [slowly(one) for one in addresses]
    assert permuted(*found, back=True) == list(addresses)
    for one, there in zip(addresses, found, strict=True):
        assert (int(one) ^ int(addresses[0])).bit_length() == (int(there) ^ int(found[0])).bit_length()
