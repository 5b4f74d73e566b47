"""The fingerprint of rows: whether they are the same rows, whatever their order and the engine that moves them.

Secret, like the run key it follows from. Unlike the digest it takes no sorted rows: one pass, nothing written.
"""

from __future__ import annotations

import hashlib
import hmac
from functools import partial
from typing import TYPE_CHECKING, Any

from schleier.core.data import Dataset
from schleier.core.run import Run
from schleier.flow.release.digest import encode

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

VERSION = b"schleier-fingerprint-1"
STEP = "fingerprint"
SHORT = 64
"""Bytes of a text that are added up side by side with those of others; longer ones are hashed one by one."""


def fingerprint(data: Dataset, run: Run, *, exact: bool = False) -> str:
    """Keyed by the run: equal for equal row keys with equal values, in any order, else another one.

    Declared decimals count as in the digest, unless ``exact`` asks for every bit.
    """
    import narwhals as nw

    schema = data.schema
    names = (schema.key, *schema.names)
    with run.within(STEP):
        key = run.subkey("rows")
    decimals = {} if exact else {column.name: column.decimals for column in schema}
    summand = partial(row_sums, key=key, decimals=decimals)
    sums = data.engine.fold(data.frame.select(*(nw.col(name) for name in names)), summand)
    whole = hmac.new(key, VERSION, hashlib.sha256)
    for name in names:
        whole.update(len(name.encode()).to_bytes(4, "little") + name.encode())
    whole.update(sums.astype("<u8").tobytes())
    return whole.hexdigest()


def row_sums(batch: pa.RecordBatch, key: bytes, decimals: Mapping[str, int | None]) -> NDArray[np.uint64]:
    """The number of rows, and two sums over their keyed hashes.

    A hash is made of a row as a whole and then mixed: else values that change places would leave the sums as they are.
    """
    import numpy as np

    rows = np.zeros(batch.num_rows, np.uint64)
    for name in batch.schema.names:
        rows += _cells(batch.column(batch.schema.get_field_index(name)), name, key, decimals.get(name))
    first, second = _secrets(key, "rows")[:2]
    return np.array([batch.num_rows, _mixed(rows ^ first).sum(), _mixed(rows ^ second).sum()], np.uint64)


def _cells(array: pa.Array, name: str, key: bytes, decimals: int | None) -> NDArray[np.uint64]:
    """A keyed hash of each cell of a column; its name and kind are part of the key."""
    import numpy as np
    import pyarrow as pa

    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        array = array.dictionary_encode()
    values = array.dictionary if pa.types.is_dictionary(array.type) else array
    kind, parts = encode(values, decimals)
    secrets = _secrets(key, f"cell\x1f{kind}\x1f{name}")
    plain, factor, missing = secrets[:3]
    words = _of_text(*parts, secrets[3:]) if len(parts) == 2 else _of_numbers(parts[0])
    hashes: NDArray[np.uint64] = _mixed(words ^ plain) * (factor | np.uint64(1))
    if values is not array:
        hashes = np.append(hashes, missing)[array.indices.fill_null(len(hashes)).to_numpy(zero_copy_only=False)]
    if array.null_count:
        hashes[~array.is_valid().to_numpy(zero_copy_only=False)] = missing
    return hashes


def _secrets(key: bytes, purpose: str) -> NDArray[np.uint64]:
    """Secret numbers for one purpose."""
    import numpy as np

    found = hashlib.blake2b(purpose.encode(), key=key, digest_size=16).digest()
    return np.random.Philox(key=int.from_bytes(found, "little")).random_raw(4 + SHORT)


def _of_numbers(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Numbers of any width as 64 bits."""
    import numpy as np

    wide = values if values.dtype.itemsize == 8 else values.astype(np.int64)
    words: NDArray[np.uint64] = wide.view(np.uint64)
    return words


def _of_text(characters: memoryview, lengths: NDArray[np.int64], secrets: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Texts as 64 bits: their bytes times secret numbers, one for each place; nobody can aim at equal sums."""
    import numpy as np

    ends = np.cumsum(lengths)
    brief = np.where(lengths <= SHORT, lengths, 0)
    codes = np.frombuffer(characters, np.uint8) if len(characters) else np.zeros(0, np.uint8)
    if len(codes) > brief.sum():
        codes = codes[np.repeat(lengths <= SHORT, lengths)]
    stops = np.cumsum(brief)
    places = np.arange(len(codes)) - np.repeat(stops - brief, brief)
    sums = np.append(np.uint64(0), np.cumsum(codes * secrets[1 + places], dtype=np.uint64))
    words: NDArray[np.uint64] = sums[stops] - sums[stops - brief] + secrets[0] * brief.astype(np.uint64)
    for i in np.flatnonzero(lengths > SHORT):
        text = characters[int(ends[i] - lengths[i]) : int(ends[i])]
        found = hashlib.blake2b(text, key=secrets[1:9].tobytes(), digest_size=8).digest()
        words[i] = int.from_bytes(found, "little")
    return words


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers whose every bit depends on every bit of the given ones, in place (Steele et al. 2014, SplitMix64)."""
    import numpy as np

    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        words ^= words >> np.uint64(shift)
        words *= np.uint64(factor)
    words ^= words >> np.uint64(31)
    return words
