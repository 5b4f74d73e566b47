"""Differences between values that count for nothing when they are looked up."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pyarrow as pa

Normal = Literal["nfkc", "blanks", "case"]


def normalized(values: pa.Array, how: Collection[str]) -> pa.Array:
    """Texts as they are compared; all at once.

    >>> import pyarrow as pa
    >>> normalized(pa.array([" Ada  Berg ", "ﬁne"]), ("nfkc", "blanks", "case")).to_pylist()
    ['ada berg', 'fine']
    """
    import pyarrow.compute as pc

    if "nfkc" in how:
        values = pc.utf8_normalize(values, "NFKC")
    if "blanks" in how:
        values = pc.utf8_trim_whitespace(pc.replace_substring_regex(values, r"\s+", " "))
    if "case" in how:
        values = pc.utf8_lower(values)
    return values
