"""Columns of numbers taken apart by their shape, turned and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from schleier.core.letters import runs_of, table_of, words_of
from schleier.methods._forms import Form

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Rows = NDArray[np.uint8]

RADIX = (10, 26, 26)
"""Of digits, capitals and small letters."""
FIRST = (48, 65, 97)
"""The first letter of each, as it is written."""
OTHER = 3
AT_ONCE = 1 << 16
"""Values that are taken apart at once."""


class Shape(NamedTuple):
    """Rows of one length whose places are alike."""

    rows: NDArray[np.int64]
    """Which rows of the column."""
    letters: Rows
    """What stands there, byte by byte."""
    classes: Rows
    """Of each place: digit, capital, small letter or another."""
    stays: int
    """How many of the first letters stay."""


def shapes(values: pa.Array, form: Form) -> Iterator[Shape]:
    """The values by shape."""
    import numpy as np
    import pyarrow as pa

    starts, _ = runs_of(values)
    lengths = np.diff(starts)
    alike = bool(len(lengths)) and bool((lengths == lengths[0]).all())
    for length in lengths[:1].tolist() if alike else np.unique(lengths).tolist():
        rows = np.flatnonzero(lengths == length)
        letters = table_of(values if len(rows) == len(values) else values.take(pa.array(rows)), length)
        for part, stays in _by_start(letters, form):
            held = letters if len(part) == len(rows) else letters[part]
            classes = _classes(held)
            for same in same_rows(classes):
                these = held if len(same) == len(held) else held[same]
                yield Shape(rows[part[same]], these, classes[same[0]], min(stays, length))


def _by_start(letters: Rows, form: Form) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Rows with as many first letters that stay."""
    import numpy as np

    if form.stays is None or letters.shape[1] < form.begins:
        yield np.arange(len(letters)), 0
        return
    starts = letters[:, : form.begins]
    found: dict[int, list[NDArray[np.int64]]] = {}
    for same in same_rows(starts):
        found.setdefault(form.stays(bytes(starts[same[0]]).decode("latin1")), []).append(same)
    for stays, parts in found.items():
        yield parts[0] if len(parts) == 1 else np.sort(np.concatenate(parts)), stays


def numbered(rows: Rows) -> tuple[Rows, NDArray[np.int64]]:
    """Different rows, and which of them each row is."""
    import numpy as np

    if not rows.shape[1] or (rows == rows[:1]).all():
        return rows[:1], np.zeros(len(rows), np.int64)
    import pyarrow as pa

    ascii_rows = np.ascontiguousarray(rows)
    kind = pa.binary(rows.shape[1])
    fixed = pa.FixedSizeBinaryArray.from_buffers(kind, len(rows), [None, pa.py_buffer(ascii_rows)])
    coded = fixed.dictionary_encode()
    different = np.frombuffer(b"".join(coded.dictionary.to_pylist()), np.uint8).reshape(-1, rows.shape[1])
    return different, np.asarray(coded.indices).astype(np.int64)


def same_rows(rows: Rows) -> Iterator[NDArray[np.int64]]:
    """Places of rows that are equal."""
    import numpy as np

    different, which = numbered(rows)
    if len(different) == 1:
        yield np.arange(len(rows))
        return
    order = np.argsort(which, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(which[order])) + 1)


def _classes(letters: Rows) -> Rows:
    import numpy as np

    from schleier.kernels.pseudonyms.reading import looked_up

    table = np.full(256, OTHER, np.uint8)
    for place, (first, radix) in enumerate(zip(FIRST, RADIX, strict=True)):
        table[first : first + radix] = place
    return looked_up(letters, table)


def numerals(letters: Rows) -> Rows:
    """Letters as numerals: 0 to 9 for digits, 10 to 35 for letters."""
    import numpy as np

    from schleier.kernels.pseudonyms.reading import looked_up

    table = np.zeros(256, np.uint8)
    table[48:58] = np.arange(10)
    table[65:91] = table[97:123] = np.arange(10, 36)
    return looked_up(letters, table)


def in_parts(values: pa.Array) -> Iterator[pa.Array]:
    """A column in parts, each small beside it."""
    return (values.slice(first, AT_ONCE) for first in range(0, len(values), AT_ONCE))


def piecewise(values: pa.Array, turn: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """Values turned into words as long as themselves, some at once: what that takes stays small beside the column."""
    import numpy as np
    import pyarrow as pa

    starts, _ = runs_of(values.slice(0, 1))
    ends, _ = runs_of(values.slice(len(values) - 1)) if len(values) else (starts, None)
    many = int(ends[-1] - starts[0])
    kind = np.dtype(np.int32 if many < 1 << 31 else np.int64)
    places, data = np.zeros(len(values) + 1, kind), np.empty(many, np.uint8)
    for first in range(0, len(values), AT_ONCE):
        part = values.slice(first, AT_ONCE)
        given, (found, run) = runs_of(part), runs_of(turn(part))
        at = given[0] - starts[0]
        assert len(found) == len(at)  # a word for each
        places[first : first + len(at)] = at
        data[at[0] : at[-1]] = run[found[0] : found[-1]]
    if not len(values):
        return pa.array([], pa.string())
    text = pa.StringArray if kind.itemsize == 4 else pa.LargeStringArray
    return text.from_buffers(len(values), pa.py_buffer(places), pa.py_buffer(data))


def together(parts: list[tuple[NDArray[np.int64], Rows]], many: int) -> pa.Array:
    """The column from its parts, each with the rows it is of."""
    import numpy as np
    import pyarrow as pa

    if not parts:
        return pa.array([], pa.string())
    if len(parts) == 1:
        return words_of(parts[0][1])
    words = pa.concat_arrays([words_of(letters) for _, letters in parts])
    order = np.empty(many, np.int64)
    order[np.concatenate([rows for rows, _ in parts])] = np.arange(many)
    return words.take(pa.array(order))
