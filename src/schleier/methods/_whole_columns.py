"""Columns of numbers as they are compared, and what two columns have in common, at the pace of the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schleier.core.letters import runs_of
from schleier.methods._forms import Form
from schleier.methods._shapes import in_parts

if TYPE_CHECKING:
    import pyarrow as pa

FEW = 1000
"""So many words are looked up as they are."""


def without_all_marks(values: pa.Array, form: Form, *, abroad: bool = True) -> pa.Array:
    """Numbers without the marks that mean nothing, in capitals; the same column where nothing changes.

    With ``abroad``, what numbers begin with for a plus becomes one.

    >>> import pyarrow as pa
    >>> from schleier.methods._forms import FORMS
    >>> without_all_marks(pa.array(["de05 1234", "0049-30"]), FORMS["phone"]).to_pylist()
    ['DE051234', '+4930']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from schleier.kernels.pseudonyms.reading import capitals, rewritten

    if not pc.all(pc.string_is_ascii(values)).as_py():
        values = pc.utf8_upper(values)
    table, parts, changed = capitals(form.marks), [], False
    for part in in_parts(values):
        if (found := rewritten(*runs_of(part), table)) is not None:
            starts, data = found
            large = pa.LargeStringArray.from_buffers(len(part), pa.py_buffer(starts), pa.py_buffer(data))
            parts.append(large.cast(values.type))
            changed = True
        else:
            parts.append(part)
    plain = pa.concat_arrays(parts) if changed else values
    if abroad and form.abroad and pc.any(pc.starts_with(plain, form.abroad)).as_py():
        plain = pc.replace_substring_regex(plain, f"^{form.abroad}", "+")
    return plain


def common(words: pa.Array, others: pa.Array) -> pa.Array:
    """Which different words stand in both columns: those that a sieve of each holds back are not compared.

    >>> import pyarrow as pa
    >>> common(pa.array(["a", "b", "b"]), pa.array(["c", "b"])).to_pylist()
    ['b']
    """
    import pyarrow.compute as pc

    if len(others) > FEW:
        others = _passing(others, words)
        words = _passing(words, others)
    return words.filter(pc.is_in(words, others)).unique()


def _passing(words: pa.Array, others: pa.Array) -> pa.Array:
    """The words that may stand in another column."""
    import pyarrow as pa

    from schleier.kernels.pseudonyms.sieve import Sieve

    sieve = Sieve(len(others))
    for part in in_parts(others):
        sieve.put(*runs_of(part))
    parts = [part.filter(pa.array(sieve.passes(*runs_of(part)))) for part in in_parts(words)]
    return pa.concat_arrays(parts) if parts else words
