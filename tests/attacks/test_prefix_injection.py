"""Planted addresses tell the networks of others where pseudonyms keep prefixes, and nothing where they do not."""

from __future__ import annotations

import ipaddress

import numpy as np

from schleier.attacks.prefix_injection import PrefixInjection

from .pseudonymised import RUN, case, keyed

DRAW = np.random.default_rng(5)
ADDRESSES = [f"10.{DRAW.integers(6)}.{DRAW.integers(256)}.{DRAW.integers(256)}" for _ in range(300)]


def mixed(value: str) -> str:
    """Every bit turned or not by a key and the bits before it: the same prefixes stay the same."""
    bits = f"{int(ipaddress.ip_address(value)):032b}"
    turned = "".join(str(int(bit) ^ (int(keyed(bits[:i]), 16) & 1)) for i, bit in enumerate(bits))
    return str(ipaddress.ip_address(int(turned, 2)))


def test_networks_are_read_where_prefixes_are_kept() -> None:
    attack = PrefixInjection(sensitive="value", targets="all", length=16, pairs=100)
    told = attack.measure(case(ADDRESSES, mixed), RUN)
    assert told.detail["targets"] == told.detail["correct"] == 200 and told.detail["baseline"] < 0.4
    finer = attack.model_copy(update={"length": 32}).measure(case(ADDRESSES, mixed), RUN)
    assert finer.detail["claims"] < 10  # only who has a planted address itself


def test_not_where_nothing_is_kept() -> None:
    attack = PrefixInjection(sensitive="value", targets="all", length=16, pairs=100)
    scattered = case(ADDRESSES, lambda one: str(ipaddress.ip_address(int(keyed(one)[:8], 16))))
    assert attack.measure(scattered, RUN).detail["correct"] <= 2


def test_codes_by_their_first_letters() -> None:
    codes = [f"{'JKEI'[i % 4]}{10 + i % 5}.{i % 9}" for i in range(200)]
    told = PrefixInjection(sensitive="value", targets="all", length=1, pairs=40).measure(
        case(codes, lambda one: "XYZA"["JKEI".index(one[0])] + keyed(one)[:3]), RUN
    )
    assert told.value == 1.0 and told.detail["correct"] == 160


def test_both_versions_of_addresses() -> None:
    attack = PrefixInjection(sensitive="value", length=48)
    assert attack.part("2001:db8:1:2::3") == "2001:db8:1::/48" and attack.part("192.0.2.7") == "192.0.2.7/32"
