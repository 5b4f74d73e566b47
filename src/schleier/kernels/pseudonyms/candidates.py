"""What a pseudonym may stand for: every value of a form, numbered, as one word of each part put together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

LEAST_TAIL, MOST_TAIL = 256, 1 << 16
"""How many last parts are looked at in one go."""


@dataclass(frozen=True)
class Space:
    """All values that are one word of each part, in order; the last part changes fastest.

    >>> codes = Space(((b"A", b"B"), (b"1", b"2", b"3")))
    >>> codes.count, codes.text(4), b"".join([codes.text(0), b" ", codes.text(5)])
    (6, b'B2', b'A1 B3')
    """

    parts: tuple[tuple[bytes, ...], ...] = field(repr=False)
    sums: tuple[tuple[int, ...], ...] = field(default=(), repr=False)
    """Where a check digit follows: what each word adds to it; it is the last digit of the sum."""
    end: bytes = field(default=b"", repr=False)
    """What stands behind all of them."""

    @property
    def count(self) -> int:
        """How many there are."""
        return prod(len(part) for part in self.parts)

    @property
    def longest(self) -> int:
        """The bytes of the longest of them."""
        return sum(max(map(len, part), default=0) for part in self.parts) + bool(self.sums) + len(self.end)

    def text(self, number: int) -> bytes:
        """The value with this number."""
        words, total = list[bytes](), 0
        for place in reversed(range(len(self.parts))):
            number, which = divmod(number, len(self.parts[place]))
            words.append(self.parts[place][which])
            total += self.sums[place][which] if self.sums else 0
        return b"".join(reversed(words)) + (b"%d" % (total % 10) if self.sums else b"") + self.end

    def __contains__(self, value: bytes) -> bool:
        """Whether a value is one of them.

        >>> b"A3" in Space(((b"A", b"B"), (b"1", b"3"))), b"A2" in Space(((b"A", b"B"), (b"1", b"3")))
        (True, False)
        """
        if not value.endswith(self.end):
            return False
        rest = value[: len(value) - len(self.end)]
        check = rest[-1:] if self.sums else b""
        return any(
            not check or check == b"%d" % (total % 10) for total in self._read(rest[: len(rest) - len(check)], 0)
        )

    def _read(self, text: bytes, place: int) -> Iterator[int]:
        """Every way to read a text as words of the parts from a place on: what these add to the check digit."""
        if place == len(self.parts):
            yield from () if text else (0,)
            return
        words, lengths = self._index[place]
        for length in lengths:
            if (which := words.get(text[:length])) is not None and len(text) >= length:
                added = self.sums[place][which] if self.sums else 0
                yield from (added + rest for rest in self._read(text[length:], place + 1))

    @cached_property
    def _index(self) -> list[tuple[dict[bytes, int], list[int]]]:
        """The words of each part with their places, and how long they are."""
        return [({word: i for i, word in enumerate(part)}, sorted({len(word) for word in part})) for part in self.parts]

    def salted(self, before: bytes, behind: bytes) -> Space:
        """The same with something in front of each and behind it."""
        parts = ((before,), *self.parts) if before else self.parts
        return replace(
            self, parts=parts, sums=((0,), *self.sums) if before and self.sums else self.sums, end=self.end + behind
        )

    def folded(self) -> Space:
        """The same values in the same order, with last parts put together to some hundreds of words."""
        parts, sums = list(self.parts), list(self.sums)
        while len(parts) > 1 and len(parts[-1]) < LEAST_TAIL and len(parts[-2]) * len(parts[-1]) <= MOST_TAIL:
            parts[-2:] = [tuple(map(b"".join, product(*parts[-2:])))]
            if sums:
                sums[-2:] = [tuple(map(sum, product(*sums[-2:])))]
        return replace(self, parts=tuple(parts), sums=tuple(sums))

    def packed(self) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """All words in one run of bytes, where each begins, the first word of each part, and what words add."""
        words = [word for part in self.parts for word in part]
        starts = np.concatenate([[0], np.cumsum([len(word) for word in words], dtype=np.int64)])
        firsts = np.concatenate([[0], np.cumsum([len(part) for part in self.parts], dtype=np.int64)])
        added = np.array([one for part in self.sums for one in part], np.int64)
        return np.frombuffer(b"".join(words), np.uint8), starts, firsts, added


def listed(words: Sequence[str]) -> Space:
    """Words as they are given, each once."""
    return Space((tuple(dict.fromkeys(word.encode() for word in words)),))


def pattern(text: str) -> Space:
    """All values of a pattern: letters stand for themselves, ``[A-Z0-9]`` for one of these, ``{3}`` repeats it.

    >>> pattern("[A-C]-[0-9]{2}").count, pattern("X[0-9]{2}").text(7)
    (300, b'X07')
    """
    return Space(tuple(tuple(one.encode() for one in some) for some in _places(text)))


def is_pattern(text: str) -> bool:
    """Whether every bracket closes and every class is one.

    >>> is_pattern("[0-9]{4}"), is_pattern("[0-9"), is_pattern("")
    (True, False, False)
    """
    try:
        return bool(list(_places(text)))
    except ValueError:
        return False


_TOKEN = re.compile(r"(?:\[(?P<class>[^\[\]]+)\]|(?P<one>[^\[\]{}]))(?:\{(?P<times>[1-9][0-9]?)\})?")


def _places(text: str) -> Iterator[Sequence[str]]:
    """Place by place what may stand there."""
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise ValueError("no pattern")
        letters = [found["one"]] if found["one"] else _letters(found["class"])
        yield from [letters] * int(found["times"] or 1)
        at = found.end()


def _letters(told: str) -> list[str]:
    """The letters of a class: ranges such as ``a-f``, and single ones."""
    found, at = list[str](), 0
    while at < len(told):
        if told[at + 1 : at + 2] == "-" and at + 2 < len(told):
            found += [chr(code) for code in range(ord(told[at]), ord(told[at + 2]) + 1)]
            at += 3
        else:
            found.append(told[at])
            at += 1
    if not found:
        raise ValueError("an empty class")
    return list(dict.fromkeys(found))
