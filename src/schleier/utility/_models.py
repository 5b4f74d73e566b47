"""The columns of a model: numbers as they are, words as one column for each value but the most frequent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schleier.utility._parts import Part, text_codes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST = 50
"""Words that are told apart in a column; the rarer ones are one value together."""


def designs(old: Part, new: Part, names: Sequence[str]) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
    """The terms of a model and its columns in both files; a record without one of the values is NaN there.

    Values of words are numbered by how frequent they are in the original: their names are not told.
    """
    import numpy as np

    terms, before, after = ["constant"], [np.ones(len(old))], [np.ones(len(new))]
    for name in names:
        if name in old.numbers:
            terms, before, after = [*terms, name], [*before, old.numbers[name]], [*after, new.numbers[name]]
            continue
        codes, many = text_codes(old.words[name], new.words[name])
        sizes = np.bincount(codes[0][codes[0] >= 0], minlength=many) if many else np.zeros(0)
        place = np.empty(many, dtype=np.int64)
        place[np.argsort(-sizes, kind="stable")] = np.minimum(np.arange(many), MOST)
        ranked = [np.where(c >= 0, place[np.maximum(c, 0)] if many else -1, -1) for c in codes]
        for value in range(1, min(many, MOST + 1)):
            terms.append(f"{name} [{value + 1}]")
            for columns, rank in ((before, ranked[0]), (after, ranked[1])):
                columns.append(np.where(rank >= 0, (rank == value).astype(np.float64), np.nan))
    return terms, np.column_stack(before), np.column_stack(after)
