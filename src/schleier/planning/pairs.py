"""What it costs to merge two groups of answers: the offers that a search which merges two at a time chooses from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from schleier.planning.design import Block, Design, Grouping

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEW = 40
"""So many groups of a question are paired in every way; of more, the smallest ones, which are the cheapest to merge."""
TRIED = 800
"""So many pairs of answers that go together with other questions are tried ..."""
SOME = 30
"""... and of more, those that would be cheapest if they did not go together."""


class Offer(NamedTuple):
    """Two groups of a question that may be merged; of equally cheap ones those that come first."""

    lost: float
    """In bits."""
    question: int
    high: int
    low: int


def offers(design: Design, block: Block, found: Sequence[Grouping]) -> Iterator[Offer]:
    """The pairs of groups that may be merged in a block."""
    import numpy as np

    for place, i in enumerate(block.questions):
        question = design.questions[i]
        answers = np.array(found[i])[block.codes[:, place]]
        shares = np.bincount(answers, weights=block.weights, minlength=max(found[i]) + 1).astype(np.float64)
        low, high = _pairs(shares[: len(shares) - question.gap], ordered=question.ordered)
        lost = _part(shares[low]) + _part(shares[high]) - _part(shares[low] + shares[high])
        if len(block.questions) == 1:
            yield from map(Offer, lost.tolist(), repeat(i), high.tolist(), low.tolist())
            continue
        tried = range(len(low)) if len(low) <= TRIED else np.argsort(lost, kind="stable")[:SOME].tolist()
        before = bits_of(block, [found[j] for j in block.questions])
        for at in tried:
            pair = merge_groups(found[i], int(low[at]), int(high[at]))
            after = bits_of(block, [pair if j == i else found[j] for j in block.questions])
            yield Offer(before - after, i, int(high[at]), int(low[at]))


def merge_groups(grouping: Grouping, low: int, high: int) -> Grouping:
    """The grouping with two of its groups merged.

    >>> merge_groups((0, 1, 2, 3), 0, 2)
    (0, 1, 0, 2)
    """
    return tuple(low if group == high else group - (group > high) for group in grouping)


def bits_of(block: Block, grouped: Sequence[Grouping]) -> float:
    """Entropy of a block whose categories are in groups."""
    import numpy as np

    place = np.zeros(len(block.shares), dtype=np.int64)
    for codes, grouping in zip(block.codes.T, grouped, strict=True):
        place = place * (max(grouping) + 1) + np.array(grouping)[codes]
    together = np.unique(place, return_inverse=True)[1]
    shares = np.bincount(together, weights=block.weights)
    shares = shares[shares > 0]
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def _pairs(shares: NDArray[np.float64], *, ordered: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The lower and the higher group of each pair: neighbours, or any two of the smallest groups."""
    import numpy as np

    if ordered:
        low = np.arange(max(len(shares) - 1, 0))
        return low, low + 1
    small = np.sort(np.argsort(shares, kind="stable")[:FEW])
    first, second = np.triu_indices(len(small), 1)
    return small[first], small[second]


def _part(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """- p log p of each."""
    import numpy as np

    safe = np.where(shares > 0, shares, 1.0)
    return np.asarray(-safe * np.log2(safe))
