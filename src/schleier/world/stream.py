"""Bulk random numbers: one Philox stream per column and block, keyed, so any block can be made alone."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Stream:
    """The random numbers of one block of the world; every column has its own.

    >>> from schleier.world.stream import Stream
    >>> bool((Stream(bytes(32), 3).uniform("age", 5) == Stream(bytes(32), 3).uniform("age", 5)).all())
    True
    """

    key: bytes
    block: int

    def generator(self, column: str) -> np.random.Generator:
        """The generator of a column in this block."""
        import numpy as np

        digest = hmac.new(self.key, f"world\x1f{column}".encode(), hashlib.sha256).digest()
        philox = np.random.Philox(key=int.from_bytes(digest[:16], "little"), counter=[0, 0, self.block, 0])
        return np.random.Generator(philox)

    def uniform(self, column: str, size: int) -> NDArray[np.float32]:
        """Uniform numbers in [0, 1)."""
        import numpy as np

        return self.generator(column).random(size, dtype=np.float32)

    def normal(self, column: str, size: int) -> NDArray[np.float32]:
        """Standard normal numbers."""
        import numpy as np

        return self.generator(column).standard_normal(size, dtype=np.float32)

    def pick(self, column: str, shares: Any, size: int) -> NDArray[np.int32]:
        """Categories drawn by their shares."""
        import numpy as np

        return pick(np.asarray(shares), self.uniform(column, size))


def pick(shares: NDArray[Any], uniform: NDArray[Any]) -> NDArray[np.int32]:
    """The category each uniform number falls into."""
    import numpy as np

    limits = np.cumsum(shares, dtype=np.float64)
    found = np.searchsorted(limits[:-1] / limits[-1], uniform, side="right")
    return found.astype(np.int32)


def pick_rows(shares: NDArray[Any], rows: NDArray[Any], uniform: NDArray[Any]) -> NDArray[np.int32]:
    """The category each uniform number falls into, with the shares of one row of a matrix for each.

    >>> import numpy as np
    >>> pick_rows(np.array([[1, 0], [0, 1]]), np.array([0, 1, 0]), np.array([0.5, 0.5, 0.9])).tolist()
    [0, 1, 0]
    """
    import numpy as np

    limits = np.cumsum(np.asarray(shares, dtype=np.float32), axis=1)
    limits /= limits[:, -1:]
    chosen = np.zeros(len(rows), dtype=np.int32)
    for column in limits.T[:-1]:
        chosen += uniform >= column[rows]
    return chosen
