"""Columns of lists: every cell holds any number of items, such as the drugs of a patient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


def holds_lists(kind: pa.DataType) -> bool:
    """Whether an Arrow type is one of lists, of any length each.

    >>> import pyarrow as pa
    >>> holds_lists(pa.list_(pa.string())), holds_lists(pa.string())
    (True, False)
    """
    import pyarrow.types as is_a

    return bool(is_a.is_list(kind) or is_a.is_large_list(kind))


def lists_as_text(column: pa.Array) -> pa.Array:
    """Lists as text, each item with its length before it, so that different lists are different texts.

    >>> import pyarrow as pa
    >>> lists_as_text(pa.array([["ab", None], [], None, ["a", "b"]])).to_pylist()
    ['2:ab-', '', None, '1:a1:b']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    text = column.flatten().cast(pa.large_string())
    lengths = pc.binary_length(text).cast(pa.large_string())
    marked = pc.binary_join_element_wise(lengths, text, pa.scalar(":", pa.large_string()))
    parts = pa.LargeListArray.from_arrays(starts(column), marked.fill_null("-"))
    joined = pc.binary_join(parts, pa.scalar("", pa.large_string()))
    return pc.if_else(column.is_valid(), joined, pa.scalar(None, pa.large_string()))


def starts(column: pa.Array) -> NDArray[np.int64]:
    """Where the items of each list begin among all items, and where the last list ends; a missing list has none."""
    import numpy as np
    import pyarrow.compute as pc

    lengths = pc.list_value_length(column).fill_null(0).to_numpy(zero_copy_only=False)
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def first_places(codes: NDArray[Any], count: int) -> NDArray[np.int64]:
    """Where each of the codes 0 to ``count`` - 1 is met first.

    >>> import numpy as np
    >>> first_places(np.array([1, -1, 0, 1]), 2).tolist()
    [2, 0]
    """
    import numpy as np

    result = np.zeros(count, dtype=np.int64)
    known = np.flatnonzero(codes >= 0)[::-1]
    result[codes[known]] = known
    return result
