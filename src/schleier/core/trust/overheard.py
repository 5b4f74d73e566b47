"""What a trustee is asked, noted for the holder: by it he tells how many claims two experiments differ in at least.

Nothing is noted unless somebody listens, and no claim is kept: only a sketch of the first set that was judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.engine import Engine


NUMBER = r"^-?\d{1,15}(\.\d{1,15})?$"
"""A text that is a number, as released columns of codes are."""
VALUES = "values"
"""The kind of claims about values, whichever trustee judges them."""
ENTRY = "_entry_"
"""The row key of a target in the file that an attacker holds."""


@dataclass
class Overheard:
    """The first set of claims of an experiment."""

    kind: str | None = None
    """What was claimed: sets of different kinds are not compared."""
    sketch: NDArray[np.int64] | None = field(default=None, repr=False)
    guesses: NDArray[np.int64] | None = field(default=None, repr=False)
    """Of claimed values: the same guess for all of the same persons, which is judged beside the claims."""


_listener: ContextVar[Overheard | None] = ContextVar("schleier_overheard", default=None)


@contextmanager
def listening() -> Iterator[Overheard]:
    """Note the first set of claims that is judged in the block."""
    found = Overheard()
    token = _listener.set(found)
    try:
        yield found
    finally:
        _listener.reset(token)


def is_heard() -> bool:
    """Whether somebody listens who has not heard a set of claims yet."""
    listener = _listener.get()
    return listener is not None and listener.sketch is None


def note(kind: str, who: NDArray[np.float64], what: NDArray[np.float64], guess: float | None = None) -> None:
    """Note claims, each of somebody and of something, and perhaps the same guess for all of these."""
    from schleier.kernels.statistics.sketches import sketch

    listener = _listener.get()
    if listener is not None and listener.sketch is None:
        listener.kind, listener.sketch = kind, sketch(who, what)
        listener.guesses = None if guess is None else sketch(who, who * 0 + guess)


def note_claims(claims: nw.LazyFrame[Any], people: nw.LazyFrame[Any], truth: nw.LazyFrame[Any], engine: Engine) -> None:
    """Note claims in two columns: of whom, and of what.

    They are noted by row keys, for aliases of the same person are others in every experiment: ``people`` and ``truth``
    say whose both are.
    """
    if not is_heard():
        return
    who, what = claims.collect_schema().names()
    found = claims.unique().join(_by_keys(people, who, "_who_"), on=who, how="inner")
    found = found.join(_by_keys(truth, what, "_what_"), on=what, how="inner")
    table = engine.arrays(found.select("_who_", "_what_")).drop_null()
    note(what, as_numbers(table["_who_"]), as_numbers(table["_what_"]))


def note_values(
    claims: nw.LazyFrame[Any], people: nw.LazyFrame[Any], guess: str | float | None, engine: Engine
) -> None:
    """Note claimed values in two columns: of whom, and which; ``people`` say who that is."""
    import pyarrow as pa

    if not is_heard():
        return
    who, what = claims.collect_schema().names()
    found = claims.join(_by_keys(people, who, "_who_"), on=who, how="inner")
    table = engine.arrays(found.select("_who_", what)).drop_null()
    blind = -1.0 if guess is None else float(by_value(pa.chunked_array([pa.array([guess])]))[0])
    note(VALUES, as_numbers(table["_who_"]), by_value(table[what]), blind)


def _by_keys(truth: nw.LazyFrame[Any], alias: str, name: str) -> nw.LazyFrame[Any]:
    """Aliases with the row key in the file they are from; with none where nobody knows it."""
    import narwhals as nw

    key = nw.col(ENTRY if ENTRY in truth.collect_schema().names() else "_truth_").cast(nw.String)
    return truth.select(alias, nw.coalesce(key, nw.lit("")).alias(name))


def roughly(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Claimed numbers to a hundredth of themselves: what hardly differs is right or wrong together.

    >>> import numpy as np
    >>> one, two, three = roughly(np.array([1000.0, 1000.001, 1100.0]))
    >>> bool(one == two), bool(two == three)
    (True, False)
    """
    import numpy as np

    size = np.log(np.maximum(np.abs(values), np.finfo(np.float64).tiny))
    found: NDArray[np.float64] = np.sign(values) * (1e6 + np.rint(100 * size))  # both parts in one number
    return found


def by_value(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """Claimed values as numbers, the same for the same value: a text that is a number is that number.

    >>> import pyarrow as pa
    >>> texts, numbers = pa.chunked_array([["7", "x", "7.0"]]), pa.chunked_array([[7.0]])
    >>> by_value(texts)[[0, 2]].tolist() == 2 * by_value(numbers).tolist()
    True
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if is_number(column):
        return roughly(as_numbers(column))
    counted = pc.match_substring_regex(column, NUMBER)
    held = pc.if_else(counted, column, pa.scalar(None, column.type)).cast(pa.float64()).fill_null(0.0)
    return np.where(counted.to_numpy(), roughly(as_numbers(held)), as_numbers(column))


def is_number(column: pa.ChunkedArray) -> bool:
    """Whether a column holds numbers and no texts."""
    import pyarrow.types as pt

    return not (pt.is_string(column.type) or pt.is_large_string(column.type))


def as_numbers(column: pa.ChunkedArray) -> Any:
    """A column as numbers; the same text is the same number in every release."""
    import numpy as np
    import pyarrow as pa

    from schleier.kernels.statistics.sketches import numbered

    if is_number(column):
        return column.cast(pa.float64()).to_numpy().astype(np.float64)
    if not len(column):
        return np.zeros(0)
    texts = pa.concat_arrays([part.cast(pa.large_binary()) for part in column.chunks])
    _, offsets, held = texts.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    data = np.frombuffer(held or b"", dtype=np.uint8)[: ends[-1]]
    return numbered(data, ends)
