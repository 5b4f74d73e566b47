"""Words in place of values as one expression: where rows are spread over machines, a table to join is sent to all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

MOST_VALUES, MOST_WORDS = 2_000, 50
"""Above these a join is cheaper than to try one word after the other."""


def worded(by: nw.Expr, values: pa.Array, words: pa.Array) -> nw.Expr | None:
    """``words[i]`` where ``by`` equals ``values[i]``, else missing; nothing where there are too many to write down.

    Only of texts and whole numbers: what is equal among others is for the engine to say.

    >>> import narwhals as nw, pyarrow as pa
    >>> frame = nw.from_native(pa.table({"x": [1, 2, 3, None]}))
    >>> found = worded(nw.col("x"), pa.array([1, 2]), pa.array(["few", None]))
    >>> frame.select(x=found)["x"].to_list()
    ['few', None, None, None]
    """
    import narwhals as nw
    import pyarrow as pa

    exact = pa.types.is_string(values.type) or pa.types.is_integer(values.type)
    if not exact or not pa.types.is_string(words.type) or len(values) > MOST_VALUES:
        return None
    held: dict[str, list[Any]] = {}
    for value, word in zip(values.to_pylist(), words.to_pylist(), strict=True):
        if value is not None and word is not None:
            held.setdefault(word, []).append(value)
    if not held or len(held) > MOST_WORDS:
        return None
    found: nw.Expr = nw.lit(None, nw.String)
    for word, own in held.items():
        found = nw.when(by.is_in(own)).then(nw.lit(word)).otherwise(found)
    return found
