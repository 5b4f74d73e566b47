"""Digests of candidates that are put together where they are hashed, and looked up at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from schleier.kernels.compiled import inlined, unheld
from schleier.kernels.pseudonyms.digests import MD5, advance, lay, turned
from schleier.kernels.pseudonyms.sha256 import LANES

ONE_BLOCK = 55
"""The longest text that fits one block with what ends it."""
MIX = 0x9E3779B1
"""An odd number that spreads words over the filter."""


@unheld
def hits_among(
    start: int, end: int, data: Any, starts: Any, firsts: Any, added: Any, behind: Any, longest: int, kind: int,
    word: int, begun: Any, before: int, outer: Any, k256: Any, k5: Any, turns: Any, sieve: Any, shift: Any,
    heads: Any, hits: Any,
) -> int:  # fmt: skip
    """The numbers of candidates whose digest has one of the sorted ``heads`` at its ``word``; how many there are.

    Candidates are those of a ``Space`` in ``packed`` form. Those that share all parts but the last also share the
    block these are laid in. ``outer`` is the state that the second half of an HMAC begins with; empty without a key.
    """
    parts = len(firsts) - 1
    tail = firsts[parts] - firsts[parts - 1]
    state, w = np.zeros((8, LANES), np.uint32), np.zeros((80, LANES), np.uint32)
    live = np.ones(LANES, np.uint32)
    texts, lengths = np.zeros((LANES, longest + 1), np.uint8), np.zeros(LANES, np.int64)
    template, short, many = np.zeros(16, np.uint32), longest <= ONE_BLOCK, 0
    for head in range(start // tail, (end + tail - 1) // tail):
        size, total = _front(head, data, starts, firsts, added, texts[0])
        for i in range(1, LANES):
            texts[i, :size] = texts[0, :size]
        template[:] = 0
        for j in range(min(size, ONE_BLOCK)):
            template[j >> 2] |= np.uint32(texts[0, j]) << np.uint32(24 - 8 * (j & 3))
        high = min(end - head * tail, tail)
        for first in range(max(start - head * tail, 0), high, LANES):
            lanes = min(LANES, high - first)
            for j in range(len(begun)):
                for i in range(LANES):
                    state[j, i] = begun[j]
            if short:
                for t in range(16):
                    for i in range(LANES):
                        w[t, i] = template[t]
            for i in range(lanes):
                which = firsts[parts - 1] + first + i
                check = (total + added[which]) % 10 if len(added) else -1
                if short:
                    _finish(w, i, size, data, starts[which], starts[which + 1], check, behind, before)
                else:
                    lengths[i] = _append(texts[i], size, data, starts[which], starts[which + 1], check, behind)
            if short:
                if kind == MD5:
                    _turn(w)
                live[:] = 1
                advance(kind, state, w, live, k256, k5, turns)
            else:
                _hash_long(kind, state, w, live, lanes, texts, lengths, before, k256, k5, turns)
            if len(outer):
                live[:] = 1
                _lay_digest(kind, state, w, outer)
                advance(kind, state, w, live, k256, k5, turns)
            many = _sift(kind, state[word], lanes, head * tail + first, sieve, shift, heads, hits, many)
    return many


@unheld
def _front(head: int, data: Any, starts: Any, firsts: Any, added: Any, into: Any) -> Any:
    """Lay all parts but the last; how long they are, and what they add to a check digit."""
    parts = len(firsts) - 1
    divisor, size, total = 1, 0, 0
    for part in range(1, parts - 1):
        divisor *= firsts[part + 1] - firsts[part]
    for part in range(parts - 1):
        which = firsts[part] + head // divisor
        head = head % divisor
        if part < parts - 2:
            divisor //= firsts[part + 2] - firsts[part + 1]
        for j in range(starts[which], starts[which + 1]):
            into[size] = data[j]
            size += 1
        if len(added):
            total += added[which]
    return size, total


@inlined
def _put(w: Any, i: int, at: int, byte: Any) -> None:
    w[at >> 2, i] |= np.uint32(byte) << np.uint32(24 - 8 * (at & 3))


@unheld
def _finish(w: Any, i: int, at: int, data: Any, start: int, end: int, check: int, behind: Any, before: int) -> None:
    """Lay the last part into a lane that holds the others, with what ends a block."""
    for j in range(start, end):
        _put(w, i, at, data[j])
        at += 1
    if check >= 0:
        _put(w, i, at, 48 + check)
        at += 1
    for j in range(len(behind)):
        _put(w, i, at, behind[j])
        at += 1
    _put(w, i, at, 128)
    w[15, i] = np.uint32((at + before) * 8)


@unheld
def _append(into: Any, at: int, data: Any, start: int, end: int, check: int, behind: Any) -> int:
    """Write the last part behind the others; how long the text is."""
    for j in range(start, end):
        into[at] = data[j]
        at += 1
    if check >= 0:
        into[at] = 48 + check
        at += 1
    for j in range(len(behind)):
        into[at] = behind[j]
        at += 1
    return at


@unheld
def _turn(w: Any) -> None:
    """A block in the order of bytes of MD5, which has the length in another place."""
    for t in range(14):
        for i in range(LANES):
            w[t, i] = turned(w[t, i])
    for i in range(LANES):
        w[14, i], w[15, i] = w[15, i], 0


@unheld
def _hash_long(
    kind: int, state: Any, w: Any, live: Any, lanes: int, texts: Any, lengths: Any, before: int, k256: Any, k5: Any,
    turns: Any,
) -> None:  # fmt: skip
    """Texts of several blocks, block by block."""
    blocks = 0
    for i in range(lanes):
        blocks = max(blocks, (lengths[i] + 8) // 64 + 1)
    for block in range(blocks):
        for i in range(LANES):
            live[i] = 0
            if i < lanes:
                live[i] = lay(kind, w, i, texts[i], 0, lengths[i], block, before)
        advance(kind, state, w, live, k256, k5, turns)


@unheld
def _lay_digest(kind: int, state: Any, w: Any, outer: Any) -> None:
    """Digests as the message of the second half of an HMAC."""
    wide = len(outer)
    for t in range(16):
        for i in range(LANES):
            w[t, i] = 0
    for j in range(wide):
        for i in range(LANES):
            w[j, i] = state[j, i]
            state[j, i] = outer[j]
    end, length, bits = (128, 14, (64 + 4 * wide) * 8) if kind == MD5 else (0x80000000, 15, (64 + 4 * wide) * 8)
    for i in range(LANES):
        w[wide, i] = np.uint32(end)
        w[length, i] = np.uint32(bits)


@unheld
def _sift(
    kind: int, values: Any, lanes: int, number: int, sieve: Any, shift: Any, heads: Any, hits: Any, many: int
) -> int:
    """Those of some lanes that are wanted: first by a filter that nearly all fail."""
    for i in range(lanes):
        value = turned(values[i]) if kind == MD5 else values[i]
        place = np.uint32(np.uint32(value * np.uint32(MIX)) >> shift)
        if sieve[place >> 3] >> (place & 7) & 1:
            spot = np.searchsorted(heads, value)
            if spot < len(heads) and heads[spot] == value:
                hits[many] = number + i
                many += 1
    return many
