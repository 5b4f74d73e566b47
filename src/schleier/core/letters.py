"""Columns of text as arrays of bytes, and back, without a Python object for each value."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


def runs_of(values: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Where each value begins in one run of bytes, and the run; none may be missing.

    >>> import pyarrow as pa
    >>> starts, data = runs_of(pa.array(["", "ab", "c"]).slice(1))
    >>> starts.tolist(), data.tobytes()[starts[0] : starts[-1]]
    ([0, 2, 3], b'abc')
    """
    import numpy as np
    import pyarrow as pa

    kind = np.int64 if pa.types.is_large_string(values.type) else np.int32
    _, offsets, data = values.buffers()
    if not len(values) or offsets is None:
        return np.zeros(len(values) + 1, np.int64), np.zeros(0, np.uint8)
    starts = np.frombuffer(offsets, kind)[values.offset : values.offset + len(values) + 1].astype(np.int64)
    run = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    return starts, run


def run_of(values: pa.Array) -> NDArray[np.uint8]:
    """The bytes of all values, one after another.

    >>> import pyarrow as pa
    >>> run_of(pa.array(["ab", "c", "d"]).slice(1)).tobytes()
    b'cd'
    """
    if not len(values):
        return runs_of(values)[1]
    (first, *_), run = runs_of(values.slice(0, 1))
    (*_, last), _ = runs_of(values.slice(len(values) - 1))
    return run[first:last]


def words_of(letters: NDArray[np.uint8]) -> pa.Array:
    """Rows of bytes, all of one length, as text.

    >>> import numpy as np
    >>> words_of(np.frombuffer(b"abcd", np.uint8).reshape(2, 2)).to_pylist()
    ['ab', 'cd']
    """
    import numpy as np
    import pyarrow as pa

    many, length = letters.shape
    starts = np.arange(many + 1, dtype=np.int64) * length
    data = pa.py_buffer(np.ascontiguousarray(letters))
    if many * length < 1 << 31:
        return pa.StringArray.from_buffers(many, pa.py_buffer(starts.astype(np.int32)), data)
    return pa.LargeStringArray.from_buffers(many, pa.py_buffer(starts), data)


def table_of(values: pa.Array, length: int) -> NDArray[np.uint8]:
    """Values of one length in bytes, as rows of bytes."""
    starts, run = runs_of(values)
    return run[starts[0] : starts[-1]].reshape(len(values), length)
