"""What sorted words say, each with the place of its row in the lowest bits: one pass, compiled, for many rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from schleier.kernels.classes.combinations import MANY
from schleier.kernels.compiled import compiled


@compiled
def firsts(mixed: Any, spare: Any, whose: Any) -> Any:
    """Each word once, and the class of its only row, or MANY."""
    shift = np.uint64(spare)
    place = (np.uint64(1) << shift) - np.uint64(1)
    words = np.empty(len(mixed), np.uint64)
    owners = np.empty(len(mixed), np.int32)
    found = -1
    for each in mixed:
        word = each >> shift
        if found >= 0 and words[found] == word:
            owners[found] = MANY
        else:
            found += 1
            words[found] = word
            owners[found] = whose[each & place]
    return words[: found + 1].copy(), owners[: found + 1].copy()


@compiled
def singles(mixed: Any, spare: Any, whose: Any) -> Any:
    """The classes of rows whose word is the only one of its kind, those with one record."""
    shift = np.uint64(spare)
    place = (np.uint64(1) << shift) - np.uint64(1)
    alone = np.empty(len(mixed), np.int64)
    found = 0
    for i in range(len(mixed)):
        word = mixed[i] >> shift
        after = i + 1 < len(mixed) and mixed[i + 1] >> shift == word
        before = i > 0 and mixed[i - 1] >> shift == word
        if not (after or before):
            owner = whose[mixed[i] & place]
            if owner != MANY:
                alone[found] = owner
                found += 1
    return alone[:found].copy()
