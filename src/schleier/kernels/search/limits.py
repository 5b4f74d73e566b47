"""What a class must meet, judged on the counts of its sensitive values: which records have to go.

A class whose keys are all fixed goes as a whole. One that may still be split loses at least the records that no choice
of its parts can keep: good parts make a good whole, so what stays of it meets the limits too, and the largest number of
records for which that is possible is found by halving.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from schleier.kernels.compiled import compiled

TINY = 1e-9
"""What rounding may add to the logarithm of a share."""
LENIENT = 1e-12
"""By how much a class may be beyond a limit: what seems good is judged again by the criteria, what fails is not."""


class Limits(NamedTuple):
    """What every class must meet."""

    least: int = 1
    """Records of a class."""
    different: int = 1
    """Different sensitive values of a class."""
    far: float = np.inf
    """Distance of its sensitive values from the reference: half the sum of absolute differences."""
    far_up: float = np.inf
    """The mean of that distance over the levels of the hierarchy of the values, below its root."""
    rise: float = np.inf
    """How many times its share in the reference a value may have in a class."""
    fall: float = 0.0
    """How many times its share in the reference it must have."""
    lack: bool = False
    """Whether it may be lacking altogether: good parts need not make a good whole then, so parts go unjudged by it."""
    damped: bool = False
    """Whether a value of share p may have 1 - ln p times its share only."""
    gaps: bool = True
    """Whether the last value, which stands for none, is one of them; else its records are records only."""
    again: bool = False
    """Whether what stays must meet the limits also when it is all there is to compare with."""


@compiled
def set_reference(totals: Any, tree: Any, limits: Any, shares: Any, low: Any, high: Any) -> None:
    """The shares of all values and of the labels above them, and how often each value may occur in a class."""
    values = len(totals)
    known = values if limits.gaps else values - 1
    total = 0
    for value in range(known):
        total += totals[value]
    shares[:, :] = 0.0
    for value in range(known):
        share = totals[value] / max(total, 1)
        shares[0, value] = share
        for level in range(len(tree)):
            shares[level + 1, tree[level, value]] += share
        most = limits.rise
        if limits.damped and share > 0:
            most = min(most, 1.0 - np.log(share) + TINY)
        low[value] = share * limits.fall * (1 - LENIENT)
        high[value] = share * most * (1 + LENIENT) if most < np.inf else np.inf


@compiled
def _apart(counts: Any, records: Any, shares: Any) -> Any:
    """How much of the reference is missing when ``records`` records are chosen from ``counts`` as well as can be."""
    missing = 0.0
    for value in range(len(counts)):
        missing += max(shares[value] - counts[value] / records, 0.0)
    return missing


@compiled
def _can_stay(counts: Any, records: Any, tree: Any, limits: Any, shares: Any, low: Any, high: Any, sums: Any,
              whole: Any) -> Any:  # fmt: skip
    """Whether so many records may be chosen from a class that are near enough to the reference.

    Necessary for a choice, and enough where all are chosen. If it fails for some number, it does for every higher one:
    each distance rises, each value becomes too rare, and what high allows grows no faster than the number.
    """
    if limits.far < np.inf or limits.far_up < np.inf:
        missing = _apart(counts, records, shares[0])
        if missing > limits.far + LENIENT:
            return False
        if limits.far_up < np.inf:
            most = limits.far_up * (len(tree) + 1) + LENIENT
            for level in range(len(tree)):
                if missing > most:
                    return False
                sums[:] = 0
                for value in range(len(counts)):
                    sums[tree[level, value]] += counts[value]
                missing += _apart(sums, records, shares[level + 1])
            if missing > most:
                return False
    if limits.fall > 0 and (whole or not limits.lack):
        for value in range(len(counts)):
            if counts[value] < low[value] * records and not (limits.lack and counts[value] == 0):
                return False
    if limits.rise < np.inf or limits.damped:
        room = 0.0
        for value in range(len(counts)):
            room += min(float(counts[value]), high[value] * records)
        return room >= records * (1 - LENIENT)
    return True


@compiled
def lost_records(counts: Any, tree: Any, limits: Any, shares: Any, low: Any, high: Any, sums: Any, whole: Any) -> Any:
    """Records of a class that must go: all when the class fails; if it may still be split, those that must anyway."""
    values = len(counts) if limits.gaps else len(counts) - 1
    known, kinds = 0, 0
    for value in range(values):
        known += counts[value]
        kinds += counts[value] > 0
    records = known if limits.gaps else known + counts[values]
    if records < limits.least or kinds < limits.different:
        return records
    own = counts[:values]
    if known == 0 or _can_stay(own, known, tree, limits, shares, low, high, sums, whole):
        return 0
    if whole:
        return records
    near, far = 0, known
    while far - near > 1:
        middle = (near + far) // 2
        if _can_stay(own, middle, tree, limits, shares, low, high, sums, whole):
            near = middle
        else:
            far = middle
    return known - near if records - known + near >= limits.least else records


@compiled
def add_lost(records: Any, code: Any, keys: Any, level: Any, shifts: Any, masks: Any, extras: Any, lost: Any) -> None:
    """Add what suppressing records of a class costs each of the first keys."""
    for j in range(keys):
        lost[j] += records * extras[j, level[j], (code >> shifts[j]) & masks[j]]


@compiled
def lose_failing(codes: Any, spread: Any, count: Any, keys: Any, level: Any, shifts: Any, masks: Any, extras: Any,
                 tree: Any, limits: Any, shares: Any, low: Any, high: Any, sums: Any, gone: Any, whole: Any,
                 lost: Any) -> Any:  # fmt: skip
    """Records that must go; what that costs is added to each key, and classes that go as a whole are marked."""
    records = 0
    for i in range(count):
        gone[i] = False
        some = lost_records(spread[i], tree, limits, shares, low, high, sums, whole)
        if some:
            add_lost(some, codes[i], keys, level, shifts, masks, extras, lost)
            records += some
            gone[i] = True
    return records


@compiled
def lose_again(codes: Any, spread: Any, count: Any, level: Any, shifts: Any, masks: Any, extras: Any, tree: Any,
               limits: Any, shares: Any, low: Any, high: Any, sums: Any, gone: Any, budget: Any, records: Any,
               lost: Any) -> Any:  # fmt: skip
    """Records that must go when classes are compared with what is left, again and again; stops beyond the budget."""
    totals = np.empty(spread.shape[1], np.int64)
    new = records > 0
    while new and records <= budget:
        new = False
        totals[:] = 0
        for i in range(count):
            if not gone[i]:
                totals += spread[i]
        set_reference(totals, tree, limits, shares, low, high)
        for i in range(count):
            if not gone[i]:
                some = lost_records(spread[i], tree, limits, shares, low, high, sums, True)
                if some:
                    add_lost(some, codes[i], len(level), level, shifts, masks, extras, lost)
                    records += some
                    gone[i] = new = True
    return records


@compiled
def lose_small(codes: Any, sizes: Any, count: Any, keys: Any, level: Any, shifts: Any, masks: Any, extras: Any,
               least: Any, lost: Any) -> Any:  # fmt: skip
    """Records in classes that are too small; what suppressing them costs is added to each key."""
    records = 0
    for i in range(count):
        if sizes[i] < least:
            add_lost(sizes[i], codes[i], keys, level, shifts, masks, extras, lost)
            records += sizes[i]
    return records
