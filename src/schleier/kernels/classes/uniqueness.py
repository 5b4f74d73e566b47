"""Who stands alone, in a part of the file or with fewer columns: array work on class sizes and coded classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.classes.coarser import code_numbers
from schleier.kernels.classes.coding import Codes, number_rows

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
WORD, SHORT = 64, 4
"""Bits of a number, and those that class sizes may take of one in which the rest is random."""
SPARSE = 8
"""Values of all columns, for each row, up to which each gets a number of its own."""
MANY = 200_000
"""Rows from which on compiled code adds up what was sorted."""
LONG = 1_000_000
"""Up to this class size products are taken factor by factor; beyond it by logarithms of factorials."""
NOTHING = -745.0
"""Logarithm of the smallest number above zero."""


def entropy(sizes: NDArray[Any], classes: NDArray[Any] | int = 1) -> float:
    """E = - sum p ln p over classes; its largest value is ln n, when each of n records is alone.

    There may be several ``classes`` of each size.

    >>> round(entropy(np.array([2, 1, 1])), 4), entropy(np.array([5, 0]))
    (1.0397, 0.0)
    """
    records = int((sizes * classes).sum())
    if not records:
        return 0.0
    p = np.where(sizes > 0, sizes, records) / records
    return float(-(classes * p * np.log(p)).sum()) + 0.0  # never a negative zero


def sums(codes: Codes, sizes: Whole) -> Whole:
    """Records by combination of codes, in any order of the combinations.

    >>> sums(np.array([[0], [1], [0]], dtype=np.int32), np.array([1, 2, 3])).tolist()
    [4, 2]
    """
    return np.bincount(number_rows(codes), weights=sizes).astype(np.int64)  # exact up to 2^53 records


class Information(NamedTuple):
    """What columns tell, as entropy, and who is alone without each of them."""

    together: float
    single: list[float]
    """Each column by itself."""
    adds: list[float]
    """What each adds to all the others."""
    alone: list[int]
    """Records that are alone in all the others."""


def information(codes: Codes, sizes: Whole) -> Information:
    """Entropy of all columns together, of each by itself, what each adds to all the others, and who is alone in these.

    >>> codes = np.array([[0, 0], [1, 0]], dtype=np.int32)
    >>> [np.round(part, 4).tolist() for part in information(codes, np.array([1, 1]))]
    [0.6931, [0.6931, 0.0], [0.6931, 0.0], [0, 2]]
    """
    together = entropy(sizes)
    single = [entropy(np.bincount(column + 1, weights=sizes)) for column in codes.T]
    left = [spectrum(rest) for rest in without_each(codes, sizes)]
    adds = [max(together - entropy(times, classes), 0.0) for times, classes in left]
    return Information(together, single, adds, [int(classes[times == 1].sum()) for times, classes in left])


def spectrum(sizes: NDArray[Any]) -> tuple[Whole, Whole]:
    """Sizes that occur, in order, and how many classes have each.

    >>> [part.tolist() for part in spectrum(np.array([2, 1, 1]))]
    [[1, 2], [2, 1]]
    """
    if sizes.max(initial=0) > LONG:
        return np.unique(sizes, return_counts=True)
    counts = np.bincount(sizes.astype(np.int64, copy=False))
    times = np.flatnonzero(counts)
    return times, counts[times]


def without_each(codes: Codes, sizes: Whole) -> Iterator[Whole]:
    """Class sizes without the first column, without the second, and so on.

    Where the codes of a class and its size fit into one number side by side, sorting these is far cheaper. Wider tables
    use random bits for each code, added up: two of a million different rows get the same sum in one of two million
    cases.
    """
    size = int(sizes.max(initial=0)).bit_length()
    parts = _numbers(codes, size) if len(sizes) else None
    if parts is None:
        columns = range(codes.shape[1])
        yield from (sums(codes[:, [i for i in columns if i != j]], sizes) for j in columns)
        return
    words = sizes.astype(np.uint64)
    for part in parts():
        words += part
    for part in parts():
        rest = words - part
        rest.sort()
        if len(rest) >= MANY:
            from schleier.kernels.classes.rarity_of_many import summed

            yield summed(rest, size)
            continue
        keys = rest >> np.uint64(size)
        first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
        yield np.add.reduceat((rest & np.uint64((1 << size) - 1)).astype(np.int64), first)


def _numbers(codes: Codes, size: int) -> Callable[[], Iterator[NDArray[np.uint64]]] | None:
    """A number of each row for each column, above so many bits, whose sums tell rows apart; nothing where none do."""
    values = [int(column.max(initial=-1)) + 1 for column in codes.T]
    bits = [count.bit_length() for count in values]  # a missing key is one value more
    if size + sum(bits) <= WORD:
        places = np.cumsum([size, *bits])[:-1]
        return lambda: ((c + 1).astype(np.uint64) << np.uint64(at) for c, at in zip(codes.T, places, strict=True))
    if size > SHORT or sum(values) > SPARSE * len(codes):
        return None
    shift = np.uint64(size)
    return lambda: ((n >> np.uint64(1) << shift)[c] for c, n in zip(codes.T, code_numbers(values), strict=True))


def alone_chance(size: Floats, records: int, drawn: int) -> Floats:
    """Chance that a record that was drawn is alone in a random sample: none of its class is drawn too.

    Of ``records`` records ``drawn`` are drawn without replacement. With f records in the class the chance is
    C(N - f, n - 1) / C(N - 1, n - 1), the product of (N - n - i) / (N - 1 - i) for i from 0 to f - 2.

    >>> alone_chance(np.array([1.0, 2.0, 3.0]), 4, 2).round(4).tolist()
    [1.0, 0.6667, 0.3333]
    """
    from scipy.special import gammaln

    left = records - drawn
    with np.errstate(divide="ignore", invalid="ignore"):
        if (longest := int(min(size.max(initial=1), LONG, left + 2))) > 1:
            i = np.arange(longest - 1)
            steps = np.concatenate([[0.0], np.cumsum(np.log1p(-(drawn - 1) / (records - 1 - i)))])
        else:
            steps = np.zeros(1)
        short = size <= len(steps)
        logs = np.full(len(size), -np.inf)
        logs[short] = steps[size[short].astype(np.int64) - 1]
        far = ~short & (size - 1 <= left)
        f, n = size[far], float(records)
        logs[far] = gammaln(n - f + 1) - gammaln(n - f - drawn + 2) + gammaln(n - drawn + 1) - gammaln(n)
    return np.where(logs > NOTHING, np.exp(np.maximum(logs, NOTHING)), 0.0)


def unique_in_sample(sizes: Floats, counts: Floats, drawn: int) -> float:
    """Expected share of unique records in a random sample of so many records; exact, nothing is drawn.

    ``counts[j]`` classes have ``sizes[j]`` records each.

    >>> unique_in_sample(np.array([1.0, 2.0]), np.array([1.0, 1.0]), 3)
    0.3333333333333333
    >>> round(unique_in_sample(np.array([2.0]), np.array([2.0]), 2), 4)
    0.6667
    """
    records = int((sizes * counts).sum())
    if not records:
        return 0.0
    chance = alone_chance(sizes, records, drawn)
    return float((sizes * counts * chance).sum() / records)


def order_columns(codes: Codes, sizes: Whole, steps: int, *, most: bool) -> list[tuple[int, int]]:
    """Columns in the order in which they single out most (or fewest) records, each next to those before it.

    For each step the column and the records alone in all columns so far. Greedy: the next column is the one after
    which most (fewest) are alone; of equals the one with most (fewest) combinations, then the first.

    >>> codes = np.array([[0, 0], [1, 0], [1, 1]], dtype=np.int32)
    >>> order_columns(codes, np.array([1, 1, 1]), 2, most=True)
    [(0, 1), (1, 3)]
    >>> order_columns(codes, np.array([2, 1, 1]), 1, most=False)
    [(0, 0)]
    """
    several = (sizes > 1).astype(np.int64)
    group, found = np.zeros(len(codes), dtype=np.int64), 0
    left, result = list(range(codes.shape[1])), list[tuple[int, int]]()
    for _ in range(min(steps, len(left))):
        each = [_alone(group, codes[:, j], several) for j in left]
        at = each.index(max(each) if most else min(each))
        best = left.pop(at)
        found += each[at][0]
        result.append((best, found))
        group = number_rows(np.stack([group, codes[:, best]], axis=1))
        # Who is alone stays alone, and nobody becomes alone because of them: they need not be looked at again.
        rest = (np.bincount(group)[group] > 1) | (several == 1)
        codes, several, group = codes[rest], several[rest], group[rest]
    return result


def _alone(group: Whole, column: NDArray[np.int32], several: Whole) -> tuple[int, int]:
    """Groups of one record, and all groups, when groups are split by a further column.

    Sorted with a mark of classes of several records in the lowest bit.
    """
    words = (group * (int(column.max(initial=-1)) + 2) + column + 1) * 2 + several
    words.sort()
    first = np.ones(len(words) + 1, dtype=np.bool_)
    first[1 : len(words)] = words[1:] >> 1 != words[:-1] >> 1
    return int((first[:-1] & first[1:] & (words & 1 == 0)).sum()), int(first[:-1].sum())


def prefixes(codes: Codes, sizes: Whole, order: Sequence[int]) -> list[Whole]:
    """Class sizes on the first column of an order, the first two, and so on."""
    return [sums(codes[:, list(order[: i + 1])], sizes) for i in range(len(order))]
