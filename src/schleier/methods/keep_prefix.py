"""Pseudonyms that share as many leading bits, or levels of a code, as their originals did."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import model_validator

from schleier.core.promises import Keeps
from schleier.core.pseudonym import Left, Pseudonym, undone
from schleier.core.schema import Schema
from schleier.methods._codes import exchanged_codes

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.keys import Key

IPV4 = 1 << 32
"""How many addresses there are of four numbers."""


class KeepPrefix(Pseudonym):
    """Addresses of one network stay in one network, codes under one parent under one parent; which one is hidden.

    >>> KeepPrefix(column="address", key="logs", domain="network").levels
    ()
    """

    reference: ClassVar[str] = "Xu, Fan, Ammar and Moon (2002), Prefix-preserving IP address anonymization (Crypto-PAn)"
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact", "missing": "exact"}
    example: ClassVar[dict[str, object]] = {
        "column": "region", "key": "env:SCHLEIER_EXAMPLE_KEY", "domain": "regions", "levels": [2, 5],
    }  # fmt: skip

    levels: tuple[int, ...] = ()
    """Of codes: how many letters a code has at each level, the coarsest first, the whole code last. Empty for internet
    addresses (IPv4 and IPv6)."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if any(a >= b for a, b in itertools.pairwise((0, *self.levels))):
            raise ValueError("each level has more letters than the one before")
        return self

    @property
    def reversible(self) -> bool:
        """Whoever has the key can undo them."""
        return True

    def candidates(self, schema: Schema) -> int | None:
        """Those that are declared, else all addresses of IPv4."""
        return super().candidates(schema) or (None if self.levels else IPV4)

    @property
    def one_to_one(self) -> bool:
        """Addresses are permuted; of codes it is counted."""
        return not self.levels

    def exposes(self) -> tuple[Left, ...]:
        """Which values are near each other."""
        return ("equality", "prefix")

    def comparable(self, values: pa.Array) -> pa.Array:
        """Addresses in their canonical form: an IPv4 address that is written as IPv6 is the IPv4 address."""
        from schleier.methods._addresses import canonical

        plain = super().comparable(values)
        return plain if self.levels else canonical(plain)

    def spell(self, values: pa.Array, key: Key) -> pa.Array:
        """The permuted addresses or codes."""
        return self._turned(values, key, back=False)

    def reveal(self, pseudonyms: pa.Array, key: Key) -> pa.Array:
        """The addresses or codes behind pseudonyms; missing where something else is given."""
        return undone(pseudonyms, lambda held: self._turned(self.comparable(held), key, back=True))

    def _turned(self, values: pa.Array, key: Key, *, back: bool) -> pa.Array:
        from schleier.methods._addresses import permuted

        if self.levels:
            return exchanged_codes(values, self.levels, key.derive(self.domain, "codes"), back=back)
        return permuted(values, key.derive(self.domain, "addresses"), back=back)
