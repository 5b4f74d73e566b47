"""What a table of classes costs by a loss of whole classes: with nothing dropped, with what is, and at least."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled

SQUARES, NUMBER, PRODUCT, DIVERGENCE = 0, 1, 2, 3
"""What is lost: the sum of the squared sizes of classes, the mean of their sizes, the mean product of what labels may
stand for, or the divergence of a table whose labels are spread evenly."""
LOGS = 1 << 16
"""Sizes up to this have their logarithms looked up."""


class Shape(NamedTuple):
    """A loss of whole classes, packed for the kernel."""

    kind: int
    parts: NDArray[np.float64]
    """Of the values of a key, the part that its label may be (PRODUCT), or the logarithm of their number (DIVERGENCE);
    ``[j, level, code]``."""
    base: NDArray[np.float64]
    """The mean of these logarithms; ``[j, level]``."""
    domain: float
    """The logarithm of how many different records there can be."""
    own: float
    """Minus the entropy of the table, in nats."""
    exact: bool
    """Whether what is dropped in a node is all that will be: a divergence can fall when more is."""


@compiled
def _told(shape: Any, amount: Any, records: Any, dropped: Any) -> Any:
    """What adds up over classes, as a loss from 0 to 1."""
    if dropped == records:
        return 1.0
    if shape.kind == SQUARES:
        return amount / records / records
    if shape.kind == NUMBER:
        return max(records / amount - 1.0, 0.0) / max(records - 1.0, 1.0) if amount > 0 else 1.0
    if shape.kind == PRODUCT:
        return min(1.0, amount / records)
    return min(1.0, max(shape.own - amount / records, 0.0) / (shape.own + shape.domain))


@compiled
def _log(size: Any, logs: Any) -> Any:
    return logs[size] if size < len(logs) else np.log(size)


@compiled
def _product(shape: Any, code: Any, keys: Any, level: Any, shifts: Any, masks: Any) -> Any:
    """The part of all records that one with these labels may be; keys that are not fixed are as fine as they are."""
    part = 1.0
    for j in range(len(level)):
        part *= shape.parts[j, level[j], (code >> shifts[j]) & masks[j]] if j < keys else shape.parts[j, 0, 0]
    least = np.exp(-shape.domain)
    return min(max((part - least) / (1.0 - least), 0.0), 1.0) if least < 1.0 else 0.0


@compiled
def whole_cost(shape: Any, codes: Any, sizes: Any, count: Any, keys: Any, level: Any, shifts: Any, masks: Any,
                records: Any, logs: Any) -> Any:  # fmt: skip
    """What a table costs with nothing dropped, and so every coarser one at least."""
    amount = 0.0
    if shape.kind == SQUARES:
        for i in range(count):
            amount += float(sizes[i]) * sizes[i]
    elif shape.kind == NUMBER:
        amount = float(count)
    elif shape.kind == PRODUCT:
        for i in range(count):
            amount += sizes[i] * _product(shape, codes[i], keys, level, shifts, masks)
    else:
        for i in range(count):
            amount += sizes[i] * (_log(sizes[i], logs) - logs[0])
        for j in range(keys):
            amount -= records * shape.base[j, level[j]]
    return _told(shape, amount, records, 0)


@compiled
def dropped_cost(shape: Any, codes: Any, sizes: Any, gone: Any, count: Any, level: Any, shifts: Any, masks: Any,
          records: Any, dropped: Any, logs: Any) -> Any:  # fmt: skip
    """What a node costs whose classes ``gone`` are dropped."""
    amount, m = 0.0, len(level)
    if shape.kind == SQUARES:
        for i in range(count):
            amount += 0.0 if gone[i] else float(sizes[i]) * sizes[i]
        amount += float(dropped) * records
    elif shape.kind == NUMBER:
        amount = 1.0 if dropped else 0.0
        for i in range(count):
            amount += 0.0 if gone[i] else 1.0
    elif shape.kind == PRODUCT:
        for i in range(count):
            amount += 0.0 if gone[i] else sizes[i] * _product(shape, codes[i], m, level, shifts, masks)
        amount += dropped
    else:
        rest = np.log(dropped / records) - shape.domain if dropped else -np.inf
        for i in range(count):
            if gone[i]:
                amount += sizes[i] * rest
                continue
            log = _log(sizes[i], logs) - logs[0]
            for j in range(m):
                log -= shape.parts[j, level[j], (codes[i] >> shifts[j]) & masks[j]]
            if dropped:
                log = max(log, rest) + np.log1p(np.exp(-abs(log - rest)))
            amount += sizes[i] * log
    return _told(shape, amount, records, dropped)


@compiled
def cost_at_least(shape: Any, floor: Any, codes: Any, sizes: Any, lost: Any, count: Any, full: Any, keys: Any,
                  level: Any, shifts: Any, masks: Any, records: Any) -> Any:  # fmt: skip
    """What a node costs at least that must lose so many records of the classes of its fixed keys.

    ``floor`` is what it costs with nothing dropped, and ``full`` how many classes it has. Classes lie within those of
    the fixed keys: a dropped record costs the whole file in place of such a class, or of what its labels may be.
    """
    more, classes = 0.0, 0
    for i in range(count):
        if lost[i]:
            classes += 1
            if shape.kind == SQUARES:
                more += float(lost[i]) * (records - sizes[i])
            elif shape.kind == PRODUCT:
                more += lost[i] * (1.0 - _product(shape, codes[i], keys, level, shifts, masks))
    if shape.kind == SQUARES:
        return floor + more / records / records
    if shape.kind == PRODUCT:
        return min(1.0, floor + more / records)
    if shape.kind == NUMBER and classes:
        return max(floor, _told(shape, float(full - classes + 1), records, 0))
    return floor


@compiled
def logarithms(total: Any) -> Any:
    """Of sizes up to a limit; the first is that of the whole."""
    logs = np.empty(max(min(total + 1, LOGS), 1))
    logs[0] = np.log(total)
    for size in range(1, len(logs)):
        logs[size] = np.log(size)
    return logs
