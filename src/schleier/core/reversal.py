"""Steps whose pseudonyms can be undone by whoever holds the key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.keys import Key


@runtime_checkable
class Reversal(Protocol):
    """What a step has that gives pseudonyms to a column."""

    column: str
    key: str
    """Name of its long-lived key."""

    @property
    def reversible(self) -> bool:
        """Whether the holder of the key can tell a value from its pseudonym."""

    def reveal(self, pseudonyms: pa.Array, key: Key) -> pa.Array:
        """The values behind pseudonyms; missing where something else is given."""
