"""Who in a group can work out the largest contribution from the published total."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def dominated(amounts: NDArray[np.float64], percent: float) -> bool:
    """The p% rule: whether the second largest can estimate the largest to within ``percent`` of it.

    He knows the total and his own amount. What he does not know is the rest, so the rest must be large enough.

    >>> dominated(np.array([50.0, 70.0, 90.0]), 10), dominated(np.array([5.0, 70.0, 90.0]), 10)
    (False, True)
    """
    ordered = np.sort(amounts)
    if len(ordered) < 3 or not np.isfinite(ordered[-1]):
        return True
    return math.fsum(ordered[:-2]) < percent / 100 * float(ordered[-1])
