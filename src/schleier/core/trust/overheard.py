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


ENTRY = "_entry_"
"""The row key of a target in the file that an attacker holds."""


@dataclass
class Overheard:
    """The first set of claims of an experiment."""

    kind: str | None = None
    """What was claimed: sets of different kinds are not compared."""
    sketch: NDArray[np.int64] | None = field(default=None, repr=False)


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


def note(kind: str, who: NDArray[np.float64], what: NDArray[np.float64]) -> None:
    """Note claims, each of somebody and of something."""
    from schleier.kernels.statistics.sketches import sketch

    listener = _listener.get()
    if listener is not None and listener.sketch is None:
        listener.kind, listener.sketch = kind, sketch(who, what)


def note_claims(
    claims: nw.LazyFrame[Any], people: nw.LazyFrame[Any], truth: nw.LazyFrame[Any] | None, engine: Engine
) -> None:
    """Note claims in two columns: of whom, and of what.

    They are noted by row keys, for aliases of the same person are others in every experiment: ``people`` and ``truth``
    say whose both are. Where values are claimed there is no second one.
    """
    import narwhals as nw

    if not is_heard():
        return
    who, what = claims.collect_schema().names()
    found = claims.unique().join(_by_keys(people, who, "_who_"), on=who, how="inner")
    if truth is not None:
        found, kind = found.join(_by_keys(truth, what, "_what_"), on=what, how="inner"), what
    else:
        found, kind = found.with_columns(_what_=nw.col(what)), what
    table = engine.arrays(found.select("_who_", "_what_")).drop_null()
    values = as_numbers(table["_what_"])
    note(kind, as_numbers(table["_who_"]), roughly(values) if is_number(table["_what_"]) else values)


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
