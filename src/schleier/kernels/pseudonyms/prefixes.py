"""Crypto-PAn (Xu, Fan, Ammar and Moon 2002): addresses that share so many leading bits share as many afterwards.

Whether a bit is turned follows from the bits before it. So each prefix that occurs is asked for once, in a column that
is sorted: the cipher sees as many blocks as there are prefixes, not as there are bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import unheld

Addresses = NDArray[np.uint8]
"""A row of 4 or 16 bytes for each."""
Cipher = Callable[[bytes], bytes]
BLOCK = 16


def permute(
    addresses: Addresses, cipher: Cipher, padding: bytes, *, back: bool = False, apart: bool = False
) -> Addresses:
    """The permuted addresses, or the originals of permuted ones; ``padding`` fills the rest of each block.

    As published, a prefix that goes on as the padding does has the same block as the longer one, and both bits are
    turned or neither is: under one key in fifteen the first byte of an address stays, under one in 15,000 all of it.
    With ``apart`` the first bit of the padding is the other one, so that no two prefixes share a block.

    >>> one = np.array([[10, 0, 0, 1], [10, 0, 0, 2], [192, 168, 0, 1]], np.uint8)
    >>> there = permute(one, lambda blocks: blocks, bytes(16))
    >>> (permute(there, lambda blocks: blocks, bytes(16), back=True) == one).all()
    np.True_
    """
    different, place = _distinct(addresses)
    pad = np.frombuffer(padding, np.uint8)
    bits = 8 * addresses.shape[1]
    given = np.zeros((len(different), BLOCK), np.uint8)
    given[:, : addresses.shape[1]] = different
    found = given.copy()
    new = np.ones(len(different), np.bool_)  # where a prefix begins
    new[1:] = False
    for bit in range(bits):
        if bit:
            _part(given, bit - 1, new)
        firsts = np.flatnonzero(new)
        # Whoever goes back knows the bits before this one, because they were found first.
        blocks = _blocks(found if back else given, firsts, bit, pad)
        if apart:
            blocks[:, bit >> 3] ^= np.uint8(128 >> (bit & 7))
        drawn = np.frombuffer(cipher(blocks.tobytes()), np.uint8).reshape(-1, BLOCK)
        _turn(found, bit, new, drawn)
    permuted: Addresses = found[place, : addresses.shape[1]]
    return permuted


def _distinct(addresses: Addresses) -> tuple[Addresses, NDArray[np.int64]]:
    """Different addresses in order, and where each row stands among them."""
    width = addresses.shape[1]
    if width == 4:
        numbers = addresses.copy().view(">u4").reshape(-1).astype(np.uint32)
        values, place = np.unique(numbers, return_inverse=True)
        return values.astype(">u4").view(np.uint8).reshape(-1, 4), place
    rows = np.ascontiguousarray(addresses).view(np.dtype((np.void, width))).reshape(-1)
    values, place = np.unique(rows, return_inverse=True)
    return values.view(np.uint8).reshape(-1, width), place


@unheld
def _part(addresses: Any, bit: int, new: Any) -> None:
    """Mark where a bit differs from the one above: there a longer prefix begins."""
    byte, mask = bit >> 3, np.uint8(128 >> (bit & 7))
    for i in range(1, len(addresses)):
        if (addresses[i, byte] ^ addresses[i - 1, byte]) & mask:
            new[i] = True


@unheld
def _blocks(addresses: Any, firsts: Any, bits: int, padding: Any) -> Any:
    """One block for each prefix: its bits, and the padding after them."""
    found = np.empty((len(firsts), BLOCK), np.uint8)
    whole, mask = bits >> 3, np.uint8(255 >> (bits & 7))
    for i in range(len(firsts)):
        row = firsts[i]
        for j in range(BLOCK):
            found[i, j] = addresses[row, j] if j < whole else padding[j]
        if whole < BLOCK:
            found[i, whole] = (addresses[row, whole] & ~mask) | (padding[whole] & mask)
    return found


@unheld
def _turn(found: Any, bit: int, new: Any, drawn: Any) -> None:
    """Turn a bit where the first bit that was drawn for its prefix says so."""
    byte, shift = bit >> 3, np.uint8(7 - (bit & 7))
    which = -1
    for i in range(len(found)):
        which += new[i]
        found[i, byte] ^= np.uint8((drawn[which, 0] >> np.uint8(7)) << shift)
