"""Addresses on the internet cut to the network they lie in, a larger one from level to level."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from schleier.core.errors import Problem
from schleier.core.hierarchy.contract import Hierarchy, is_text
from schleier.core.hierarchy.numbers import Whole

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

LONGEST = {4: 32, 6: 128}
"""Bits of an address, by its version."""


class Network(Hierarchy):
    """IPv4 and IPv6 addresses by their first bits, counted alike.

    An IPv4 address that is written as IPv6 (``::ffff:192.0.2.7``) counts as IPv4: its first bits say nothing.

    >>> import pyarrow as pa
    >>> Network(network=(24, 18)).labels(pa.array(["203.0.113.7", "2001:db8::1"]), 2).to_pylist()
    ['203.0.64.0/18', '2001::/18']
    """

    keys: ClassVar[tuple[str, ...]] = ("network",)

    network: tuple[Whole, ...]
    """Bits kept at each level, from many to few; the root follows."""

    @property
    def depth(self) -> int:
        """One level for each number of bits, and the root."""
        return len(self.network) + 1

    def problems(self, where: str) -> Iterator[Problem]:
        """Numbers of bits that no address has, or that do not decrease."""
        if not self.network:
            yield Problem("hierarchy-empty", where, "there are no levels", "for example network = [24, 18]")
        odd = sum(not 0 < bits <= LONGEST[6] for bits in self.network)
        if odd:
            yield Problem("hierarchy-width", where, f"numbers of bits outside 1 to {LONGEST[6]}: {odd}")
        rising = sum(b >= a for a, b in pairwise(self.network))
        if rising:
            message = f"levels that keep no fewer bits than the level before: {rising}"
            yield Problem("hierarchy-not-nested", where, message, "list the numbers of bits from many to few")

    def covers(self, values: pa.Array) -> NDArray[np.bool_]:
        """Text that is an address."""
        import numpy as np

        if not is_text(values.type):
            return np.full(len(values), False)
        return np.array([_address(text) is not None for text in values.to_pylist()], dtype=np.bool_)

    def coarser(self, values: pa.Array, level: int) -> pa.Array:
        """The network in the usual notation: its first address, a stroke, the bits."""
        import pyarrow as pa

        if not is_text(values.type):
            return pa.nulls(len(values), pa.string())
        return pa.array([_network(text, self.network[level - 1]) for text in values.to_pylist()], pa.string())


def _network(text: str, bits: int) -> str | None:
    address = _address(text)
    if address is None:
        return None
    return str(ip_network((address.packed, min(bits, LONGEST[address.version])), strict=False))


def _address(text: str) -> IPv4Address | IPv6Address | None:
    """The address in a text; blanks around it and the name of an interface behind it do not count."""
    try:
        address = ip_address(text.strip().partition("%")[0])
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address
