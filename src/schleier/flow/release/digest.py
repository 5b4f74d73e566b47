"""The digest of a release: SHA-256 over its logical content, never over file bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from schleier.core.schema import Schema
from schleier.core.sets import holds_lists, lists_as_text

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

VERSION = b"schleier-digest-1"


class Digest:
    """Hashes columns side by side: names and kinds, a tag per cell, values with gaps as zero.

    Each column has streams of its own, so the result does not depend on how rows are cut into batches.
    Whole numbers count as 64 bits and declared decimals as scaled whole numbers, whatever the file stores.
    """

    def __init__(self, schema: Schema, kinds: Mapping[str, str] | None = None) -> None:
        """``kinds`` are those of the release, for a file that may store 7 as "7"."""
        self.schema, self.rows, self._wanted = schema, 0, kinds or {}
        self._streams = {name: tuple(hashlib.sha256() for _ in range(3)) for name in schema.names}
        self._kinds: dict[str, str] = {}

    def update(self, batch: pa.RecordBatch) -> None:
        """Add the next rows, in release order."""
        self.rows += batch.num_rows
        for column in self.schema:
            tags, values, lengths = self._streams[column.name]
            array = of_kind(batch.column(batch.schema.get_field_index(column.name)), self._wanted.get(column.name, ""))
            kind, parts = encode(array, column.decimals)
            self._kinds.setdefault(column.name, kind)
            tags.update(_bytes(array.is_valid()))
            values.update(parts[0])
            if len(parts) == 2:
                lengths.update(parts[1])

    @property
    def kinds(self) -> Mapping[str, str]:
        """The kind of each column; none before there are rows."""
        return dict(self._kinds)

    def hexdigest(self) -> str:
        """The digest of everything so far."""
        whole = hashlib.sha256(VERSION + self.rows.to_bytes(8, "little"))
        for name, streams in self._streams.items():
            for part in (name.encode(), self._kinds.get(name, "").encode()):
                whole.update(len(part).to_bytes(4, "little") + part)
            for stream in streams:
                whole.update(stream.digest())
        return whole.hexdigest()


def digest_of(batches: Iterable[pa.RecordBatch], schema: Schema, kinds: Mapping[str, str] | None = None) -> Digest:
    """The digest of some rows, and how many they were."""
    digest = Digest(schema, kinds)
    for batch in batches:
        digest.update(batch)
    return digest


def of_kind(array: pa.Array, kind: str) -> pa.Array:
    """Values as the kind they were released as, where a file stores them as another; as they are where it cannot be.

    >>> import pyarrow as pa
    >>> of_kind(pa.array(["7", None]), "integer").to_pylist(), of_kind(pa.array(["x"]), "integer").to_pylist()
    ([7, None], ['x'])
    """
    import pyarrow as pa

    name = kind.partition(":")[0]
    types = {"boolean": pa.bool_(), "integer": pa.int64(), "number": pa.float64(), "decimal": pa.float64()}
    types |= {"date": pa.date32(), "time": pa.timestamp("us"), "text": pa.string()}
    if name not in types or encode(array.slice(0, 0), None)[0] == name:
        return array
    try:
        return array.cast(types[name])
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return array


def encode(array: pa.Array, decimals: int | None) -> tuple[str, tuple[Any, ...]]:
    """Logical kind of a column and its values as bytes (text: bytes and lengths); gaps are zero or empty."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type
    if pa.types.is_dictionary(kind):
        array = array.cast(kind.value_type)
        kind = array.type
    if pa.types.is_boolean(kind):
        return "boolean", (_bytes(array.fill_null(False)),)
    if pa.types.is_integer(kind) and not decimals:
        return "integer", (array.fill_null(0).cast(pa.int64(), safe=False).to_numpy(zero_copy_only=False),)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_integer(kind):
        floats = array.cast(pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False)
        if decimals is not None:
            return f"decimal:{decimals}", (_scaled(floats, decimals),)
        return "number", (_canonical(floats),)
    if pa.types.is_date(kind):
        return "date", (array.cast(pa.date32()).cast(pa.int32()).fill_null(0).to_numpy(zero_copy_only=False),)
    if pa.types.is_timestamp(kind):
        micros = array.cast(pa.timestamp("us", kind.tz)).cast(pa.int64())
        return "time", (micros.fill_null(0).to_numpy(zero_copy_only=False),)
    name = "text"
    if holds_lists(kind):
        name, array = f"list:{'integer' if pa.types.is_integer(kind.value_type) else 'text'}", lists_as_text(array)
    text = array.cast(pa.large_string()).fill_null("")
    lengths = pc.binary_length(text).cast(pa.int64()).to_numpy(zero_copy_only=False)
    return name, (_text_bytes(text), np.ascontiguousarray(lengths))


def _scaled(floats: NDArray[np.float64], decimals: int) -> NDArray[np.int64]:
    """Numbers in units of their last decimal; one that no whole number can hold is told by its bits.

    >>> import numpy as np
    >>> _scaled(np.array([1.25, 0.0]), 2).tolist(), len(set(_scaled(np.array([np.nan, np.inf, 1e300, 1e301]), 2)))
    ([125, 0], 4)
    """
    import numpy as np

    with np.errstate(over="ignore"):  # what becomes infinite by it is outside, too
        scaled = np.rint(floats * 10.0**decimals)
    inside = np.abs(scaled) < 2.0**63  # and so is what is no number
    units = np.where(inside, scaled, 0.0).astype(np.int64)
    return units if inside.all() else np.where(inside, units, _canonical(floats).view(np.int64))


def _canonical(floats: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    result = floats + 0.0  # turns -0.0 into 0.0
    if np.isnan(result).any():
        result[np.isnan(result)] = np.nan  # one bit pattern for all of them
    return result


def _bytes(flags: pa.BooleanArray) -> Any:
    import pyarrow as pa

    return flags.cast(pa.uint8()).to_numpy(zero_copy_only=False)


def _text_bytes(text: pa.LargeStringArray) -> memoryview:
    """The characters of all cells one after the other, without copying."""
    import numpy as np

    _, offsets, characters = text.buffers()
    if characters is None or not len(text):
        return memoryview(b"")
    ends = np.frombuffer(offsets, dtype=np.int64)[text.offset : text.offset + len(text) + 1]
    return memoryview(characters)[int(ends[0]) : int(ends[-1])]
