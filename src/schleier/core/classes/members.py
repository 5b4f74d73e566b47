"""Which units (households, owners, persons in a panel) are in which equivalence class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Members:
    """Unit ``units[i]`` has ``rows[i]`` rows in ``classes[i]``; each pair is there once, rows without a unit nowhere.

    Numbers of units do not add up when classes are merged, as the same one may be in several: these do.
    """

    classes: NDArray[np.int64] = field(repr=False)
    units: NDArray[np.int64] = field(repr=False)
    rows: NDArray[np.int64] = field(repr=False)

    def counts(self, size: int) -> NDArray[np.int64]:
        """Different units of each of so many classes.

        >>> import numpy as np
        >>> Members(np.array([0, 0, 2]), np.array([7, 8, 7]), np.array([1, 1, 4])).counts(3).tolist()
        [2, 0, 1]
        """
        import numpy as np

        return np.bincount(self.classes, minlength=size).astype(np.int64)

    def only(self, mask: NDArray[np.bool_], place: NDArray[np.int64]) -> Members:
        """The part about some classes, which are counted anew."""
        m = mask[self.classes]
        return Members(place[self.classes[m]], self.units[m], self.rows[m])

    def merged(self, place: NDArray[np.int64]) -> Members:
        """The units of merged classes: class ``i`` becomes part of class ``place[i]``."""
        from schleier.kernels.classes.coding import sum_pairs

        return Members(*sum_pairs(place[self.classes], self.units, self.rows))

    def widened(self, keys: NDArray[np.int32]) -> Members:
        """The units where each class holds the rows of all classes it could be; ``keys`` are their codes."""
        from schleier.kernels.classes.wildcards import over_compatible

        return Members(*over_compatible(keys, self.classes, self.units, self.rows))
