"""How dense it is around a combination of key values: unique records far from all others are the most endangered."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.classes.coding import Codes, add_up, number_rows


def count_neighbours(codes: Codes, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each class, the records that differ from it in exactly one key.

    >>> codes = np.array([[0, 0], [0, 1], [1, 1], [2, 2]], dtype=np.int32)
    >>> count_neighbours(codes, np.array([1, 5, 1, 1])).tolist()
    [5, 2, 5, 0]
    """
    found = np.zeros(len(codes), dtype=np.int64)
    for j in range(codes.shape[1]):
        place = number_rows(np.delete(codes, j, axis=1))
        total = add_up(sizes, place, int(place.max(initial=-1)) + 1)
        found += total[place] - sizes  # whoever differs in key j only is counted here, and nowhere else
    return found
