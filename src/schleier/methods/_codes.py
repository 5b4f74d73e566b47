"""Codes with levels, each level permuted under what is above it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from schleier.core.errors import DataError, stop
from schleier.core.letters import runs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

DIGITS, SMALL, CAPITAL = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST = 20_000
"""Codes there may be under one parent: all of them are put in order."""


def exchanged_codes(values: pa.Array, levels: Sequence[int], secret: bytes, *, back: bool = False) -> pa.Array:
    """Codes in place of codes: digits stay digits, letters letters, and what was under one parent is so afterwards."""
    import pyarrow as pa

    words = values.to_pylist()
    wrong = sum(word is None or len(word) not in levels for word in words)
    if wrong:
        message = f"{wrong} different codes have another length than a level"
        hint = f"lengths are: {', '.join(map(str, levels))}; codes that were read as numbers have lost their zeros"
        stop(DataError, "odd-code", "column", message, hint)
    orders: dict[tuple[str, str], dict[str, str]] = {}

    def turned(word: str) -> str:
        mine, theirs = "", ""  # the parent before and after
        for start, end in itertools.pairwise((0, *levels)):
            if len(word) <= start:
                break
            part = word[start:end]
            shape = "".join(next((c[0] for c in (DIGITS, SMALL, CAPITAL) if letter in c), letter) for letter in part)
            parent = theirs if back else mine
            if (parent, shape) not in orders:
                orders[parent, shape] = _order(parent, shape, secret, back=back)
            new = orders[parent, shape][part]
            mine, theirs = mine + part, theirs + new
        return theirs

    return pa.array([turned(word) for word in words], pa.string())


def _order(parent: str, shape: str, secret: bytes, *, back: bool) -> dict[str, str]:
    """What each code of a shape becomes under a parent: all of them in the order of their digests."""
    import numpy as np
    import pyarrow as pa

    from schleier.kernels.pseudonyms.sha256 import tags

    classes = {group[0]: group for group in (DIGITS, SMALL, CAPITAL)}
    sets = [classes.get(letter, letter) for letter in shape]
    many = int(np.prod([len(one) for one in sets], dtype=float))
    if many > MOST:
        message = f"a level has {many:,} possible codes under one parent, and the limit is {MOST:,}"
        stop(DataError, "wide-level", "levels", message, "put a level between")
    every = ["".join(letters) for letters in itertools.product(*sets)]
    found = tags(secret, *runs_of(pa.array([f"{parent}\x1f{code}" for code in every])))
    order = np.lexsort(found.T[::-1])
    pairs = ((every[i], every[j]) for i, j in enumerate(order.tolist()))
    return {b: a for a, b in pairs} if back else dict(pairs)
