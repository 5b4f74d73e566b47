"""What a trustee is asked, noted for the holder: by it he tells how many claims two experiments differ in at least.

Nothing is noted unless somebody listens, and no claim is kept: only a sketch of the first set that was judged.
"""

from __future__ import annotations

import hashlib
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


def note_claims(claims: nw.LazyFrame[Any], who: str, what: str, engine: Engine, within: float | None = None) -> None:
    """Note claims in two columns. Aliases are draws by row key: the same for a person in every release."""
    if is_heard():
        table = engine.arrays(claims.select(who, what).unique()).drop_null()
        note(f"{what}{within}", as_numbers(table[who]), as_numbers(table[what]))


def as_numbers(column: pa.ChunkedArray) -> Any:
    """A column as numbers; the same text is the same number in every release."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.types as pt

    if not (pt.is_string(column.type) or pt.is_large_string(column.type)):
        return column.cast(pa.float64()).to_numpy().astype(np.float64)
    coded = column.combine_chunks().dictionary_encode()
    texts = [hashlib.blake2b(str(one).encode(), digest_size=6).digest() for one in coded.dictionary.to_pylist()]
    numbers = np.array([int.from_bytes(one) for one in texts], dtype=np.float64)
    return numbers[coded.indices.to_numpy(zero_copy_only=False)]
