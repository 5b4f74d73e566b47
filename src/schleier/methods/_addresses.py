"""Internet addresses as text, permuted so that common prefixes stay common."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from schleier.core.errors import DataError, stop
from schleier.core.letters import runs_of
from schleier.kernels.pseudonyms.addresses import as_text, four_numbers
from schleier.kernels.pseudonyms.prefixes import permute

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


def canonical(values: pa.Array) -> pa.Array:
    """Addresses as they are compared; refused where there is another text.

    >>> import pyarrow as pa
    >>> canonical(pa.array(["10.0.0.1", "::ffff:10.0.0.1", "2001:DB8:0::1"])).to_pylist()
    ['10.0.0.1', '10.0.0.1', '2001:db8::1']
    """
    import numpy as np
    import pyarrow as pa

    _, right = four_numbers(*runs_of(values))
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

    The key is that of the cipher and of what fills its blocks, 16 bytes each.
    """
    import numpy as np
    import pyarrow as pa
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    cipher = Cipher(algorithms.AES(secret[:16]), modes.ECB()).encryptor()  # single blocks, as the method says
    padding = cipher.update(secret[16:32])
    short, right = four_numbers(*runs_of(values))
    found = _words(permute(short, cipher.update, padding, back=back))
    if right.all():
        return found
    others = [ipaddress.IPv6Address(text).packed for text in values.filter(pa.array(~right)).to_pylist()]
    turned = permute(np.frombuffer(b"".join(others), np.uint8).reshape(-1, 16), cipher.update, padding, back=back)
    told = [str(ipaddress.IPv6Address(row.tobytes())) for row in turned]
    return pa.compute.replace_with_mask(found, pa.array(~right), pa.array(told, found.type))


def _words(addresses: NDArray[np.uint8]) -> pa.Array:
    import numpy as np
    import pyarrow as pa

    starts, data = as_text(addresses)
    if starts[-1] < 1 << 31:
        return pa.StringArray.from_buffers(len(addresses), pa.py_buffer(starts.astype(np.int32)), pa.py_buffer(data))
    return pa.LargeStringArray.from_buffers(len(addresses), pa.py_buffer(starts), pa.py_buffer(data))
