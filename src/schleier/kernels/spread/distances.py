"""How far the sensitive values of each class are from those of the whole table.

Sparse counts: ``counts[i]`` rows of ``classes[i]`` have value ``codes[i]``; ``totals`` counts the rows of every value
in the whole table. Only values that occur in a class are looked at: what a class lacks, others have too much of.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.classes.coding import add_up, sum_pairs
from schleier.kernels.spread.diversity import Floats, Whole, class_shares, rows


def reference(totals: Whole) -> Floats:
    """The part of each value in the whole table."""
    result: Floats = totals / max(int(totals.sum()), 1)
    return result


def equal_distance(classes: Whole, codes: NDArray[Any], counts: Whole, totals: Whole, size: int) -> Floats:
    """Earth mover's distance where every value is equally far from every other: what must move at all.

    >>> equal_distance(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([2, 1, 1]), np.array([3, 1]), 2).tolist()
    [0.25, 0.25]
    """
    surplus = class_shares(classes, counts, size) - reference(totals)[codes]
    result: Floats = np.bincount(classes, weights=np.maximum(surplus, 0.0), minlength=size).astype(np.float64)
    return result


def hierarchical(
    classes: Whole, codes: NDArray[Any], counts: Whole, totals: Whole, size: int, levels: Sequence[NDArray[Any]]
) -> Floats:
    """Earth mover's distance where two values are as far apart as their lowest common label is high.

    ``levels[i]`` is the label of each value at level ``i + 1``, the root left out: a row goes up and down again only as
    far as labels have too many rows, and each level is one part of the height of the tree.
    """
    result = equal_distance(classes, codes, counts, totals, size)
    for labels in levels:
        grouped = sum_pairs(classes, labels[codes], counts)
        above = add_up(totals, labels, int(labels.max(initial=-1)) + 1)
        result = result + equal_distance(*grouped, above, size)
    return result / (len(levels) + 1)


def ordered_distance(classes: Whole, ranks: NDArray[Any], counts: Whole, totals: Whole, size: int) -> Floats:
    """Earth mover's distance along an order: neighbours are one step apart, first and last value are 1 apart.

    ``totals`` are in order, none of them 0; entries are in order of class and rank.

    >>> classes, ranks = np.repeat([0, 1], 3), np.array([0, 1, 2, 3, 5, 8])
    >>> ordered_distance(classes, ranks, np.ones(6, int), np.ones(9, int), 2).round(4).tolist()
    [0.375, 0.1667]
    """
    last = len(totals) - 1
    if last < 1 or not len(classes):
        return np.zeros(size)
    below = np.cumsum(totals) / totals.sum()
    sums = np.append(0.0, np.cumsum(below))
    running = np.cumsum(counts)
    first = np.searchsorted(classes, classes, side="left")
    many = rows(classes, counts, size)[classes]
    reached = (running - running[first] + counts[first]) / many  # the part of the class up to and with this value
    following = np.append(classes[1:] == classes[:-1], False) if len(classes) else np.zeros(0, dtype=bool)
    end = np.where(following, np.append(ranks[1:], last), last)  # up to the next value nothing is added
    cross = np.clip(np.searchsorted(below, reached, side="left"), ranks, end)
    over = reached * (cross - ranks) - (sums[cross] - sums[ranks])
    under = (sums[end] - sums[cross]) - reached * (end - cross)
    work = np.bincount(classes, weights=over + under, minlength=size)
    opening = np.unique(first)
    work[classes[opening]] += sums[ranks[opening]]  # before its first value a class has nothing
    result: Floats = np.maximum(work, 0.0) / last
    return result


def kullback_leibler(classes: Whole, codes: NDArray[Any], counts: Whole, totals: Whole, size: int) -> Floats:
    """Relative entropy of the class to the table, in bits.

    >>> kullback_leibler(np.array([0]), np.array([1]), np.array([5]), np.array([6, 2]), 1).tolist()
    [2.0]
    """
    p, q = class_shares(classes, counts, size), reference(totals)[codes]
    return np.maximum(np.bincount(classes, weights=p * np.log2(p / q), minlength=size), 0.0)


def jensen_shannon(classes: Whole, codes: NDArray[Any], counts: Whole, totals: Whole, size: int) -> Floats:
    """Mean relative entropy of class and table to their middle, in bits: 0 for equal, 1 for nothing in common."""
    p, q = class_shares(classes, counts, size), reference(totals)[codes]
    middle = (p + q) / 2
    both = p * np.log2(p / middle) + q * np.log2(q / middle)
    absent = 1.0 - np.bincount(classes, weights=q, minlength=size)  # each of them is one bit from the middle
    there = np.bincount(classes, minlength=size) > 0
    result = (np.bincount(classes, weights=both, minlength=size) + absent) / 2
    return np.where(there, np.maximum(result, 0.0), 0.0)
