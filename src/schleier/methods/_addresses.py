"""Internet addresses as text, permuted so that common prefixes stay common."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import TYPE_CHECKING

from schleier.core.errors import DataError, stop
from schleier.core.letters import runs_of
from schleier.kernels.pseudonyms.addresses import (
    LONGEST,
    as_text,
    firsts_of,
    four_numbers,
    numbers_of,
    places_of,
    rows_of,
)
from schleier.kernels.pseudonyms.prefixes import permute

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

AT_ONCE = 1 << 16
"""Addresses that are read and written at once: what that takes stays small beside the column."""


def canonical(values: pa.Array) -> pa.Array:
    """Addresses as they are compared; refused where there is another text.

    >>> import pyarrow as pa
    >>> canonical(pa.array(["10.0.0.1", "::ffff:10.0.0.1", "2001:DB8:0::1"])).to_pylist()
    ['10.0.0.1', '10.0.0.1', '2001:db8::1']
    """
    import numpy as np
    import pyarrow as pa

    right = np.ones(len(values), np.bool_)
    for part in _parts(len(values)):
        _, right[part] = four_numbers(*runs_of(values[part]))
    if right.all():
        return values
    told, wrong = [], 0
    for text in values.filter(pa.array(~right)).to_pylist():
        try:
            address = ipaddress.IPv6Address(text)
        except ValueError:
            address = None
        wrong += address is None or address.scope_id is not None
        told.append("" if address is None else str(address.ipv4_mapped or address))
    if wrong:
        message = f"{wrong} different values are no internet addresses"
        hint = "correct them, declare what stands for missing, or give codes levels"
        stop(DataError, "not-an-address", "column", message, hint)
    return pa.compute.replace_with_mask(values, pa.array(np.asarray(~right)), pa.array(told, values.type))


def permuted(values: pa.Array, secret: bytes, *, back: bool = False) -> pa.Array:
    """Addresses in place of addresses: IPv4 among themselves, IPv6 among themselves.

    The key is that of the cipher and of what fills its blocks, 16 bytes each. Blocks of both kinds are filled in
    their own way: a pair of one tells nothing of the other.
    """
    import numpy as np
    import pyarrow as pa
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    cipher = Cipher(algorithms.AES(secret[:16]), modes.ECB()).encryptor()  # single blocks, as the method says
    padding = cipher.update(secret[16:32])
    numbers, right = np.empty(len(values), np.uint32), np.empty(len(values), np.bool_)
    for part in _parts(len(values)):
        short, right[part] = four_numbers(*runs_of(values[part]))
        numbers[part] = numbers_of(short)
    different = np.sort(numbers)  # each is enciphered once, however often a log tells it
    different = different[np.concatenate([different[:1] == different[:1], different[1:] != different[:-1]])]
    turned = permute(rows_of(different), cipher.update, padding, back=back, apart=True)
    found = _words(turned, different, numbers)
    if right.all():
        return found
    others = [ipaddress.IPv6Address(text).packed for text in values.filter(pa.array(~right)).to_pylist()]
    rows, own = np.frombuffer(b"".join(others), np.uint8).reshape(-1, 16), cipher.update(padding)
    turned = permute(rows, cipher.update, own, back=back, apart=True)
    told = [str(ipaddress.IPv6Address(row.tobytes())) for row in turned]
    return pa.compute.replace_with_mask(found, pa.array(~right), pa.array(told, found.type))


def _words(turned: NDArray[np.uint8], different: NDArray[np.uint32], numbers: NDArray[np.uint32]) -> pa.Array:
    """What became of each number, as text; some at once, into room for the longest, of which no more is used."""
    import numpy as np
    import pyarrow as pa

    firsts, packed = firsts_of(different), np.ascontiguousarray(turned).view(np.uint32).reshape(-1)
    short = len(numbers) * LONGEST < 1 << 31
    starts = np.zeros(len(numbers) + 1, np.int32 if short else np.int64)
    data = np.empty(len(numbers) * LONGEST, np.uint8)
    for part in _parts(len(numbers)):
        at, run = as_text(packed.take(places_of(different, firsts, numbers[part])).view(np.uint8).reshape(-1, 4))
        first = starts[part.start]
        starts[part.start + 1 : part.start + len(at)] = first + at[1:]
        data[first : first + len(run)] = run
    text = pa.StringArray if short else pa.LargeStringArray
    return text.from_buffers(len(numbers), pa.py_buffer(starts), pa.py_buffer(data))


def _parts(many: int) -> Iterator[slice]:
    return (slice(first, first + AT_ONCE) for first in range(0, many, AT_ONCE))
