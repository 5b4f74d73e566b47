"""Random numbers for rows inside a kernel: the row's number and a secret key say them, nothing else does.

ChaCha20 (Bernstein 2008) as a pseudo-random function. An engine's SHA-256 takes half a microsecond per row and draw;
this takes a tenth of it where rows are numbered one after the other, and the same cannot be foretold without the key.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled, inlined

Floats = NDArray[np.float64]
WORDS = np.frombuffer(b"expand 32-byte k", np.uint32)
"""The constant of ChaCha."""


@dataclass(frozen=True)
class KeyedDraws:
    """Draws of some rows. The same row has the same draw for the same purpose, whichever rows are beside it.

    >>> draws = KeyedDraws(bytes(32), np.array([7, 8], np.int64))
    >>> bool(draws.uniform("noise")[1] == KeyedDraws(bytes(32), np.array([8], np.int64)).uniform("noise")[0])
    True
    """

    key: bytes
    rows: NDArray[np.int64]

    def uniform(self, purpose: str) -> Floats:
        """One number between 0 and 1, both excluded, per row."""
        key = hmac.new(self.key, purpose.encode(), hashlib.sha256).digest()
        return uniforms(np.frombuffer(key, np.uint32), self.rows.view(np.uint64))

    def normal(self, purpose: str, limit: float | None = None) -> Floats:
        """One standard normal number per row; as if drawn again until it lies within ``limit``."""
        from scipy.special import ndtr, ndtri

        draws = self.uniform(purpose)
        if limit is not None:
            low = ndtr(-limit)
            draws *= 1 - 2 * low
            draws += low
        return np.asarray(ndtri(draws, out=draws))

    def normals(self, purpose: str, columns: int) -> Floats:
        """A matrix of them, column by column."""
        return beside([self.normal(f"{purpose}:{column}") for column in range(columns)])

    def signs(self, purpose: str) -> Floats:
        """+1 or -1 per row, equally likely."""
        return np.where(self.uniform(purpose) < 0.5, -1.0, 1.0)


def beside(columns: list[Floats]) -> Floats:
    """Columns as a matrix; a single one is not copied."""
    return columns[0][:, None] if len(columns) == 1 else np.stack(columns).T


@inlined
def _quarter(a: np.uint32, b: np.uint32, c: np.uint32, d: np.uint32) -> tuple[np.uint32, ...]:
    a = np.uint32(a + b)
    d = np.uint32(d ^ a)
    d = np.uint32((d << np.uint32(16)) | (d >> np.uint32(16)))
    c = np.uint32(c + d)
    b = np.uint32(b ^ c)
    b = np.uint32((b << np.uint32(12)) | (b >> np.uint32(20)))
    a = np.uint32(a + b)
    d = np.uint32(d ^ a)
    d = np.uint32((d << np.uint32(8)) | (d >> np.uint32(24)))
    c = np.uint32(c + d)
    b = np.uint32(b ^ c)
    b = np.uint32((b << np.uint32(7)) | (b >> np.uint32(25)))
    return a, b, c, d


@compiled
def block(s: NDArray[np.uint32], out: NDArray[np.uint32]) -> None:
    """One block of ChaCha20: 64 bytes of the key stream. Names instead of an array: they stay in registers."""
    x0, x1, x2, x3, x4, x5, x6, x7 = s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
    x8, x9, xa, xb, xc, xd, xe, xf = s[8], s[9], s[10], s[11], s[12], s[13], s[14], s[15]
    for _ in range(10):
        x0, x4, x8, xc = _quarter(x0, x4, x8, xc)
        x1, x5, x9, xd = _quarter(x1, x5, x9, xd)
        x2, x6, xa, xe = _quarter(x2, x6, xa, xe)
        x3, x7, xb, xf = _quarter(x3, x7, xb, xf)
        x0, x5, xa, xf = _quarter(x0, x5, xa, xf)
        x1, x6, xb, xc = _quarter(x1, x6, xb, xc)
        x2, x7, x8, xd = _quarter(x2, x7, x8, xd)
        x3, x4, x9, xe = _quarter(x3, x4, x9, xe)
    for i, x in enumerate((x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, xa, xb, xc, xd, xe, xf)):
        out[i] = np.uint32(x + s[i])


def uniforms(key: NDArray[np.uint32], rows: NDArray[np.uint64]) -> Floats:
    """Row r takes the 64 bits at place r of the key stream, eight rows to a block; the upper 53 make the number."""
    found: Floats = _uniforms(np.concatenate((WORDS, key, np.zeros(4, np.uint32))), rows)
    return found


@compiled
def _uniforms(state: NDArray[np.uint32], rows: NDArray[np.uint64]) -> Floats:
    out, found = np.empty(16, np.uint32), np.empty(len(rows))
    last = np.uint64(0)
    block(state, out)
    for i in range(len(rows)):
        number = rows[i] >> np.uint64(3)
        if number != last:
            last = number
            state[12] = np.uint32(number & np.uint64(0xFFFFFFFF))
            state[13] = np.uint32(number >> np.uint64(32))
            block(state, out)
        place = 2 * np.int64(rows[i] & np.uint64(7))
        bits = np.uint64(out[place]) | (np.uint64(out[place + 1]) << np.uint64(32))
        found[i] = (np.float64(bits >> np.uint64(11)) + 0.5) * 2.0**-53
    return found
