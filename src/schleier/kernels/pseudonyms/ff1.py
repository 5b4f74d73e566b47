"""FF1 of NIST SP 800-38G on a whole column: a keyed permutation of the words of one length over one alphabet.

All blocks of the pseudorandom function but the last are the same for all words with one tweak. So ten calls of the
cipher over the column do what the standard does word by word.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import inlined, unheld

Whole = NDArray[np.int64]
Letters = NDArray[np.uint8]
"""Words as numerals, a row for each: places in their alphabet."""
Cipher = Callable[[bytes], bytes]
"""AES under one key, of one block after another."""
Halved = NDArray[np.uint64]
"""Blocks as two numbers each, in the order of the bytes."""

ROUNDS = 10
BLOCK = 16
LITTLE = sys.byteorder == "little"
LEAST_WORDS = 1_000_000
"""Words there must be: of fewer, all could be tried (SP 800-38G, 5.1)."""
LARGEST = 2**55
"""A half of a word must be a smaller number than this, so that a further byte fits."""
AT_ONCE = 1 << 15
"""Words that are enciphered at once: their blocks stay near the processor."""


@dataclass(frozen=True)
class Halves:
    """What follows from alphabet and length alone (algorithm 7, steps 1 to 5)."""

    radix: int
    length: int

    @property
    def left(self) -> int:
        """Letters of the left half."""
        return self.length // 2

    @property
    def right(self) -> int:
        """Letters of the right half, one more where the length is odd."""
        return self.length - self.left

    @property
    def number_bytes(self) -> int:
        """Bytes of the larger half as a number."""
        return (int(self.radix**self.right - 1).bit_length() + 7) // 8

    @property
    def drawn_bytes(self) -> int:
        """Pseudorandom bytes of each round."""
        return 4 * -(-self.number_bytes // 4) + 4

    @property
    def is_short(self) -> bool:
        """Whether numbers of the machine hold each half."""
        return bool(self.radix**self.right < LARGEST)

    def head(self, tweak: bytes) -> bytes:
        """The first block: what is enciphered."""
        sizes = self.length.to_bytes(4, "big") + len(tweak).to_bytes(4, "big")
        return bytes((1, 2, 1)) + self.radix.to_bytes(3, "big") + bytes((ROUNDS, self.left % 256)) + sizes

    def before_number(self, tweak: bytes) -> bytes:
        """What stands before the number of the round: the tweak, filled up with zeros."""
        return tweak + bytes(-(len(tweak) + self.number_bytes + 1) % BLOCK)


def permute(
    words: Letters, radix: int, tweaks: Sequence[bytes], which: Whole, cipher: Cipher, *, back: bool = False
) -> Letters:
    """Encipher words of one length, each under one of some tweaks, or decipher them.

    >>> nothing = lambda blocks: bytes(len(blocks))  # a cipher that hides nothing
    >>> word, one = np.array([[1, 2, 3, 4, 5, 6]], np.uint8), np.zeros(1, np.int64)
    >>> there = permute(word, 10, [b""], one, nothing)
    >>> permute(there, 10, [b""], one, nothing, back=True).tolist()
    [[1, 2, 3, 4, 5, 6]]
    """
    halves = Halves(radix, words.shape[1])
    if not halves.is_short:
        return _permute_long(words, halves, tweaks, which, cipher, back)
    starts = _starts(halves, tweaks, cipher)
    found = np.empty_like(words)
    for first in range(0, len(words), AT_ONCE):
        part = slice(first, first + AT_ONCE)
        found[part] = _permute_short(words[part], halves, starts, which[part], cipher, back)
    return found


def _starts(halves: Halves, tweaks: Sequence[bytes], cipher: Cipher) -> Halved:
    """What the number of a round and a half are combined with, for each tweak: all before it, chained."""
    if len({len(tweak) for tweak in tweaks}) > 1:
        return np.concatenate([_starts(halves, [tweak], cipher) for tweak in tweaks])
    filled = np.frombuffer(b"".join(map(halves.before_number, tweaks)), np.uint8).reshape(len(tweaks), -1)
    whole = filled.shape[1] // BLOCK * BLOCK
    chained = np.tile(np.frombuffer(cipher(halves.head(tweaks[0])), np.uint8), (len(tweaks), 1))
    for i in range(0, whole, BLOCK):
        drawn = cipher((chained ^ filled[:, i : i + BLOCK]).tobytes())
        chained = np.frombuffer(drawn, np.uint8).reshape(-1, BLOCK).copy()
    chained[:, : filled.shape[1] - whole] ^= filled[:, whole:]
    return chained.view(np.uint64)


def _both(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def _permute_short(words: Letters, halves: Halves, starts: Halved, which: Whole, cipher: Cipher, back: bool) -> Letters:
    left, right = _numbers(words[:, : halves.left], halves.radix), _numbers(words[:, halves.left :], halves.radix)
    sizes = halves.radix**halves.left, halves.radix**halves.right
    blocks = starts[which]
    for turn in reversed(range(ROUNDS)) if back else range(ROUNDS):
        mine, other = (right, left) if back else (left, right)
        _lay(blocks, starts, which, turn, other, halves.number_bytes)
        drawn = np.frombuffer(cipher(blocks.tobytes()), np.uint64).reshape(-1, 2)
        _turn(mine, drawn, halves.drawn_bytes, sizes[turn % 2], back)
        left, right = right, left
    found = np.empty_like(words)
    _write(left, halves.radix, found[:, : halves.left])
    _write(right, halves.radix, found[:, halves.left :])
    return found


@unheld
def _numbers(words: Any, radix: int) -> Any:
    """Words as numbers."""
    found = np.zeros(len(words), np.int64)
    for i in range(len(words)):
        for letter in words[i]:
            found[i] = found[i] * radix + letter
    return found


@inlined
def _big(word: Any) -> Any:
    """Eight bytes as a number, the first byte the largest, or back."""
    if not LITTLE:
        return word
    word = ((word & np.uint64(0x00FF00FF00FF00FF)) << np.uint64(8)) | (
        (word >> np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF)
    )
    word = ((word & np.uint64(0x0000FFFF0000FFFF)) << np.uint64(16)) | (
        (word >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)
    )
    return (word << np.uint64(32)) | (word >> np.uint64(32))


@unheld
def _lay(blocks: Any, starts: Any, which: Any, turn: int, half: Any, size: int) -> None:
    """The last block of each word in this round, chained to those before it: only its second half changes."""
    before = np.uint64(turn) << np.uint64(8 * size)
    for i in range(len(blocks)):
        blocks[i, 1] = starts[which[i], 1] ^ _big(before | np.uint64(half[i]))


@unheld
def _turn(half: Any, drawn: Any, many: int, size: int, back: bool) -> None:
    """Add what was drawn, 8 or 12 bytes, to each half, or take it away."""
    of, few, more = np.uint64(size), size <= 1 << 32, many > 8
    for i in range(len(half)):
        number = _big(drawn[i, 0]) % of
        if more:
            rest = _big(drawn[i, 1]) >> np.uint64(32)
            if few:
                number = ((number << np.uint64(32)) | rest) % of
            else:  # no more than one byte fits beside the rest
                for shift in range(24, -1, -8):
                    number = ((number << np.uint64(8)) | ((rest >> np.uint64(shift)) & np.uint64(255))) % of
        before = np.uint64(half[i])
        half[i] = (before + of - number if back else before + number) % of


@unheld
def _write(half: Any, radix: int, words: Any) -> None:
    """Numbers as words."""
    for i in range(len(half)):
        number = half[i]
        for j in range(words.shape[1] - 1, -1, -1):
            words[i, j] = number % radix
            number //= radix


def _permute_long(
    words: Letters, halves: Halves, tweaks: Sequence[bytes], which: Whole, cipher: Cipher, back: bool
) -> Letters:
    """The same word by word, for halves of any length."""
    found = np.empty_like(words)
    for i, word in enumerate(words.tolist()):
        tweak = tweaks[int(which[i])]
        left, right = word[: halves.left], word[halves.left :]
        pair = [_number(left, halves.radix), _number(right, halves.radix)]
        for turn in reversed(range(ROUNDS)) if back else range(ROUNDS):
            mine, other = (pair[1], pair[0]) if back else (pair[0], pair[1])
            size = halves.radix ** (halves.right if turn % 2 else halves.left)
            drawn = _drawn(halves, tweak, turn, other, cipher)
            mine = (mine - drawn) % size if back else (mine + drawn) % size
            pair = [mine, other] if back else [other, mine]
        found[i] = _letters(pair[0], halves.radix, halves.left) + _letters(pair[1], halves.radix, halves.right)
    return found


def _drawn(halves: Halves, tweak: bytes, turn: int, half: int, cipher: Cipher) -> int:
    """The pseudorandom number of one round (algorithm 7, step 6 i to iv)."""
    text = halves.head(tweak) + halves.before_number(tweak) + bytes((turn,))
    text += half.to_bytes(halves.number_bytes, "big")
    chained = bytes(BLOCK)
    for i in range(0, len(text), BLOCK):
        chained = cipher(_both(chained, text[i : i + BLOCK]))
    further = -(-halves.drawn_bytes // BLOCK)
    drawn = chained + b"".join(cipher(_both(chained, j.to_bytes(BLOCK, "big"))) for j in range(1, further))
    return int.from_bytes(drawn[: halves.drawn_bytes], "big")


def _number(letters: Sequence[int], radix: int) -> int:
    number = 0
    for letter in letters:
        number = number * radix + letter
    return number


def _letters(number: int, radix: int, many: int) -> list[int]:
    found = []
    for _ in range(many):
        number, letter = divmod(number, radix)
        found.append(letter)
    return found[::-1]
