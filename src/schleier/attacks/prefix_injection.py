"""Prefix injection: who plants addresses of which he knows the pseudonyms reads the networks of all others."""

from __future__ import annotations

import ipaddress
from typing import ClassVar

from pydantic import Field

from schleier.attacks.known_pair import KnownPair


class PrefixInjection(KnownPair):
    """Claim that what begins like the pseudonym of a planted value begins like that value.

    >>> PrefixInjection(sensitive="address", length=16).part("192.0.2.7")
    '192.0.0.0/16'
    >>> PrefixInjection(sensitive="code", length=2).part("J45.1")
    'J4'
    """

    reference: ClassVar[str] = "Xu, Fan, Ammar and Moon (2002), Prefix-preserving IP address anonymization: attacks"
    example: ClassVar[dict[str, object]] = {"sensitive": "region", "length": 3, "pairs": 40, "targets": 100}

    length: int = Field(ge=1, le=128)
    """How much of the beginning is to be learned: bits of an address, letters of any other text."""

    def part(self, text: str) -> str:
        """The network of an address, or the first letters."""
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            return text[: self.length]
        return str(ipaddress.ip_network((address, min(self.length, address.max_prefixlen)), strict=False))
