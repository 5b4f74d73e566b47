"""Who stands alone in which combination of columns: all small subsets of the keys, rolled up from coded classes.

A row of codes is packed into one 64-bit word: leaving columns out is a shift, rolling up is a sort. Subsets are visited
so that each starts from the smallest table that still holds its columns; the widest column is the first to go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.classes.coding import Codes, number_rows
from schleier.kernels.classes.uniqueness import without_each

Words = NDArray[np.uint64]
Places = NDArray[np.int64]
MANY = -1
"""Instead of the class a record belongs to: there are several records."""
WORD = 64
"""Bits of a packed row."""
COMPILED = 100_000
"""Rows from which on compiled code looks at what was sorted."""
DENSE = 4
"""A table of all possible rows is used for counting while it is at most so many times as long as the rows."""


@dataclass(frozen=True)
class Field:
    """Where a column stands in the packed word."""

    column: int
    bits: int
    place: int


@dataclass(frozen=True)
class Table:
    """Rows of some columns, packed when they fit, and for each the class of its only record, or MANY."""

    codes: Codes
    fields: tuple[Field, ...]
    words: Words | None
    """None: too wide to be packed; the rows are those of the codes."""
    whose: NDArray[np.int32]


def count_subsets(columns: int, most: int) -> int:
    """How many subsets of at most so many columns there are, the empty one left out.

    >>> count_subsets(4, 2), count_subsets(2, 9)
    (10, 3)
    """
    return sum(comb(columns, size) for size in range(1, min(most, columns) + 1))


def largest(columns: int, classes: int, most: int, below: int, work: int) -> int:
    """The largest size of subsets there is time for; single columns always are looked at.

    There must be fewer subsets than ``below``, and at most ``work`` of them times the classes.

    >>> largest(10, 1_000_000, 3, 5_000, 2_000_000_000), largest(40, 1_000, 3, 5_000, 2_000_000_000)
    (3, 2)
    """
    counts = [count_subsets(columns, size) for size in range(1, min(most, columns) + 1)]
    return max((size for size, n in enumerate(counts, 1) if n < below and n * classes <= work), default=1)


def lone_records(codes: Codes, sizes: NDArray[np.int64], most: int) -> Iterator[tuple[tuple[int, ...], Places]]:
    """For each subset of at most so many columns in which some record is alone: the columns, and whose records.

    A class of one record stands for that record. Subsets in which nobody is alone are left out.

    >>> codes, sizes = np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int32), np.array([2, 1, 1])
    >>> [(columns, who.tolist()) for columns, who in lone_records(codes, sizes, 2)]
    [((0, 1), [1, 2]), ((0,), [2])]
    """
    yield from _within(_table(codes, sizes), (), most)


def alone_without(codes: Codes, sizes: NDArray[np.int64]) -> list[int]:
    """For each column, how many records are alone in all the others.

    >>> alone_without(np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int32), np.array([1, 1, 1]))
    [1, 1]
    """
    return [int((left == 1).sum()) for left in without_each(codes, sizes)]


def _table(codes: Codes, sizes: NDArray[np.int64]) -> Table:
    whose = np.where(sizes == 1, np.arange(len(sizes)), MANY).astype(np.int32)
    widths = [int(column.max(initial=MANY)) + 2 for column in codes.T]  # a missing key is one value more
    order = sorted(range(len(widths)), key=lambda j: (-widths[j], j))
    fields = _placed([Field(j, (widths[j] - 1).bit_length(), 0) for j in order])
    table = Table(np.asfortranarray(codes), fields, None, whose)  # it is read column by column, many times
    return replace(table, words=_words(table, fields)) if _bits(fields) <= WORD else table


def _within(table: Table, fixed: tuple[Field, ...], most: int) -> Iterator[tuple[tuple[int, ...], Places]]:
    """Subsets that hold the ``fixed`` columns and some of the others."""
    free = [field for field in table.fields if field.column not in {f.column for f in fixed}]
    while True:
        if not (table.whose != MANY).any():
            return  # who is not alone here is alone in no subset
        if len(fixed) == most or not free:
            break
        yield from _within(table, (*fixed, free.pop(0)), most)
        table = _rolled(table, [*fixed, *free])
    if fixed and len(who := _singles(table, fixed)):
        yield tuple(sorted(field.column for field in fixed)), who


def _rolled(table: Table, kept: Sequence[Field]) -> Table:
    """The table with some columns only, each row once; with all its rows while they are too wide to be sorted fast."""
    own = _own(table, kept)
    if _bits(own) + _spare(table) > WORD or not own:
        return replace(table, fields=tuple(own))
    spare = _spare(table)
    mixed = _ordered(_words(table, own), spare)
    if len(mixed) >= COMPILED:
        from schleier.kernels.classes.ordered import firsts

        return Table(table.codes, _placed(own), *firsts(mixed, spare, table.whose))
    words, where, first, single = _taken_apart(mixed, spare)
    whose = table.whose[where[first]]
    whose[~single[first]] = MANY
    return Table(table.codes, _placed(own), words[first], whose)


def _singles(table: Table, kept: Sequence[Field]) -> Places:
    """The classes whose record is alone in some columns, in no order."""
    own = _own(table, kept)
    bits = _bits(own)
    if bits > WORD:
        words = number_rows(table.codes[:, [field.column for field in own]]).astype(np.uint64)
        bits = _spare(table)
    else:
        words = _words(table, own)
    if 1 << bits <= DENSE * len(words):
        counts = np.bincount(words.view(np.int64), minlength=1)
        found = table.whose[counts[words.view(np.int64)] == 1]
    elif bits + _spare(table) <= WORD:
        mixed = _ordered(words, _spare(table))
        if len(mixed) >= COMPILED:
            from schleier.kernels.classes.ordered import singles

            return singles(mixed, _spare(table), table.whose)  # type: ignore[no-any-return]
        _, where, _, single = _taken_apart(mixed, _spare(table))
        found = table.whose[where[np.flatnonzero(single)]]
    else:
        where = np.argsort(words)
        _, single = _ends(words[where])
        found = table.whose[where[single]]
    return np.asarray(found[found != MANY], dtype=np.int64)


def _ordered(words: Words, spare: int) -> Words:
    """Words in order, each with the place where it stood in its lowest bits: far cheaper than sorting places."""
    mixed = words << np.uint64(spare)
    mixed |= np.arange(len(words), dtype=np.uint64)
    mixed.sort()
    return mixed


def _taken_apart(mixed: Words, spare: int) -> tuple[Words, Places, NDArray[np.bool_], NDArray[np.bool_]]:
    """Words in order, where each stood, which ones are the first of their kind, and which ones the only."""
    ordered = mixed >> np.uint64(spare)
    return ordered, (mixed & np.uint64((1 << spare) - 1)).view(np.int64), *_ends(ordered)


def _ends(ordered: Words) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    single = first.copy()
    single[:-1] &= first[1:]
    return first, single


def _spare(table: Table) -> int:
    """Bits the place of a row takes."""
    return max(len(table.whose) - 1, 0).bit_length()


def _words(table: Table, own: Sequence[Field]) -> Words:
    """The rows of some columns packed without gaps, in the order of the fields."""
    result = np.zeros(len(table.whose), dtype=np.uint64)
    for field, (at, run) in zip(own, _runs(own, packed=table.words is not None), strict=True):
        if table.words is None:
            result |= (table.codes[:, field.column] + 1).astype(np.uint64) << np.uint64(at)
        elif run:
            result |= (table.words >> np.uint64(field.place) & np.uint64((1 << run) - 1)) << np.uint64(at)
    return result


def _runs(own: Sequence[Field], *, packed: bool) -> list[tuple[int, int]]:
    """For each field its new place and the bits to move with it: neighbours move together with the lowest of them."""
    placed = _placed(own)
    result: list[tuple[int, int]] = []
    waiting = 0
    for i, field in enumerate(own):
        waiting += field.bits
        after = own[i + 1] if i + 1 < len(own) else None
        joined = packed and after is not None and after.place + after.bits == field.place
        result.append((placed[i].place, 0 if joined else waiting))
        waiting = waiting if joined else 0
    return result


def _placed(fields: Sequence[Field]) -> tuple[Field, ...]:
    """Fields side by side, the last one lowest."""
    result: list[Field] = []
    place = 0
    for field in reversed(fields):
        result.append(replace(field, place=place))
        place += field.bits
    return tuple(reversed(result))


def _own(table: Table, kept: Sequence[Field]) -> list[Field]:
    """The fields as they are placed in this table, in its order."""
    columns = {field.column for field in kept}
    return [field for field in table.fields if field.column in columns]


def _bits(fields: Sequence[Field]) -> int:
    return sum(field.bits for field in fields)
