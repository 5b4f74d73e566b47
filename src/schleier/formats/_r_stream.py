"""What R writes with ``save`` and ``saveRDS``: a stream of values, read without R and without running anything."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import isnan
from typing import Any

MISSING = -(2**31)
"""The whole number that stands for a missing one."""
DEEPEST = 200
"""Values inside values, from which on a stream is damaged."""
UTF8, LATIN1 = 1 << 3, 1 << 2
SYMBOL, PAIRS, CLOSURE, ENVIRONMENT, PROMISE, CALL, SPECIAL, BUILTIN, CHARACTERS = 1, 2, 3, 4, 5, 6, 7, 8, 9
LOGICAL, WHOLE, NUMBER, COMPLEX, TEXT, DOTS, VALUES, EXPRESSION = 10, 13, 14, 15, 16, 17, 19, 20
POINTER, WEAK, RAW, OBJECT = 22, 23, 24, 25
PACKED, WITH_ATTRIBUTES, CALL_WITH_ATTRIBUTES = 238, 239, 240
NAMESPACE, PACKAGE, PERSISTENT, REFERENCE = 249, 248, 247, 255
EMPTY = {254: "NULL", 253: "global", 252: "unbound", 251: "missing", 250: "base", 242: "empty", 241: "base"}
WIDTHS = {LOGICAL: ">i4", WHOLE: ">i4", NUMBER: ">f8", COMPLEX: ">c16", RAW: "u1"}


class Unreadable(Exception):  # it is no error of ours
    """The stream holds something that is no data, such as a compiled function."""


@dataclass(frozen=True)
class Thing:
    """A value of R: its type, what it holds, and what is said about it."""

    type: int
    value: Any = field(default=None, repr=False)
    about: Mapping[str, Thing] = field(default_factory=dict, repr=False)

    def words(self, name: str) -> list[str]:
        """The texts of an attribute; none when it has others."""
        found = self.about.get(name)
        return [text or "" for text in found.value] if found is not None and found.type == TEXT else []

    @property
    def classes(self) -> list[str]:
        """What it is in R."""
        return self.words("class")


class Stream:
    """Reads one value after another. Lengths are looked at before room is made for them."""

    def __init__(self, data: bytes, most: int) -> None:
        """Begin after the mark of the file; ``most`` is the number of values a short form may stand for."""
        self.data, self.at, self.most = data, 0, most
        self.seen: list[Thing] = []
        self.encoding = "utf-8"
        if self._take(2) != b"X\n":
            raise Unreadable("text")
        version, *_ = (self._int(), self._int(), self._int())
        if version not in (2, 3):
            raise Unreadable("version")
        if version == 3:
            self.encoding = self._take(self._int()).decode("ascii")

    def read(self, depth: int = 0) -> Thing:
        """The next value."""
        if depth > DEEPEST:
            raise ValueError("too deep")
        flags = self._int()
        kind = flags & 0xFF
        if kind in EMPTY:
            return Thing(kind)
        if kind == REFERENCE:
            return self.seen[(flags >> 8 or self._int()) - 1]
        if kind in (PAIRS, CALL, CLOSURE, PROMISE, DOTS, WITH_ATTRIBUTES, CALL_WITH_ATTRIBUTES):
            return self._pairs(flags, depth)
        readers: dict[int, Callable[[], Any]] = {
            SYMBOL: lambda: self.read(depth + 1).value,
            ENVIRONMENT: lambda: [self._int(), *(self.read(depth + 1) for _ in range(4))],
            NAMESPACE: lambda: self._strings(self._int() or self._int()),
            PACKAGE: lambda: self._strings(self._int() or self._int()),
            PERSISTENT: lambda: self._strings(self._int() or self._int()),
            POINTER: lambda: [self.read(depth + 1), self.read(depth + 1)],
            WEAK: lambda: None,
            SPECIAL: lambda: self._take(self._int()),
            BUILTIN: lambda: self._take(self._int()),
            CHARACTERS: lambda: self._string(flags, self._int()),
            TEXT: lambda: self._strings(self._length()),
            VALUES: lambda: [self.read(depth + 1) for _ in range(self._room(4))],
            EXPRESSION: lambda: [self.read(depth + 1) for _ in range(self._room(4))],
            OBJECT: lambda: None,
            PACKED: lambda: None,
        }
        if kind == PACKED:
            return self._packed(depth)
        place = len(self.seen)
        if kind in (SYMBOL, ENVIRONMENT, NAMESPACE, PACKAGE, PERSISTENT, POINTER, WEAK):
            self.seen.append(Thing(kind))
        if kind in WIDTHS:
            value: Any = self._numbers(WIDTHS[kind])
        elif kind in readers:
            value = readers[kind]()
        else:
            raise Unreadable("function")
        about = self._about(depth) if flags & 0x200 and kind != ENVIRONMENT else {}
        found = Thing(kind, value, about)
        if kind in (SYMBOL, ENVIRONMENT, NAMESPACE, PACKAGE, PERSISTENT, POINTER, WEAK):
            self.seen[place] = found
        return found

    def _pairs(self, flags: int, depth: int) -> Thing:
        """A list of pairs, each with the list of those that follow: read in a loop, for it may be long."""
        pairs, about = list[tuple[str, Thing]](), dict[str, Thing]()
        while flags & 0xFF in (PAIRS, CALL, CLOSURE, PROMISE, DOTS, WITH_ATTRIBUTES, CALL_WITH_ATTRIBUTES):
            said = flags & 0x200 or flags & 0xFF in (WITH_ATTRIBUTES, CALL_WITH_ATTRIBUTES)
            told = self._about(depth) if said else {}
            about = about if pairs else told
            tag = self.read(depth + 1).value if flags & 0x400 else ""
            pairs.append((tag or "", self.read(depth + 1)))
            flags = self._int()
        if flags & 0xFF not in EMPTY:  # a pair may end with any value
            self.at -= 4
            self.read(depth + 1)
        return Thing(PAIRS, pairs, about)

    def _about(self, depth: int) -> dict[str, Thing]:
        found = self.read(depth + 1)
        return dict(found.value) if found.type == PAIRS else {}

    def _packed(self, depth: int) -> Thing:
        """A short form: a sequence, numbers that were to become text, or a value with something around it."""
        info, state = self.read(depth + 1), self.read(depth + 1)
        told = self.read(depth + 1)
        about = dict(told.value) if told.type == PAIRS else {}
        name = str(info.value[0][1].value)
        if name in ("compact_intseq", "compact_realseq"):
            import numpy as np

            count, start, step = (float(number) for number in state.value)
            if not (0 <= count <= self.most and abs(start) + abs(step) < 2**53):
                raise ValueError("too long")
            numbers = start + step * np.arange(int(count))
            return Thing(WHOLE, numbers.astype(np.int64), about) if "int" in name else Thing(NUMBER, numbers, about)
        if name == "deferred_string":
            return Thing(TEXT, [*_written(state.value[0][1])], about)
        if name.startswith("wrap_"):
            inner = state.value[0] if state.type == VALUES else state.value[0][1]
            return Thing(inner.type, inner.value, {**inner.about, **about})
        raise Unreadable("packed")

    def _numbers(self, form: str) -> Any:
        import numpy as np

        width = np.dtype(form).itemsize
        count = self._room(width)
        found = np.frombuffer(self.data, form, count, self.at)
        self.at += count * width
        return found

    def _strings(self, count: int) -> list[str | None]:
        if count < 0 or count * 8 > len(self.data) - self.at:
            raise ValueError("too long")
        texts, known = list[str | None](), dict[tuple[int, bytes], str]()
        for _ in range(count):
            flags, length = struct.unpack_from(">ii", self.data, self.at)
            if flags & 0xFF != CHARACTERS or flags & 0x200:
                texts.append(self.read(DEEPEST - 1).value)
                continue
            self.at += 8
            if length == -1:
                texts.append(None)
                continue
            content = self._take(length)
            if (key := (flags, content)) not in known:
                known[key] = self._decoded(flags, content)
            texts.append(known[key])
        return texts

    def _string(self, flags: int, length: int) -> str | None:
        return None if length == -1 else self._decoded(flags, self._take(length))

    def _decoded(self, flags: int, content: bytes) -> str:
        """A text: in the encoding it names, else in that of the machine it was written on, else as Windows writes."""
        levels = flags >> 12
        first = "utf-8" if levels & UTF8 else "cp1252" if levels & LATIN1 else self.encoding
        for name in (first, "utf-8", "cp1252"):
            with suppress(UnicodeDecodeError, LookupError):
                return content.decode(name)
        return content.decode("latin-1")

    def _length(self) -> int:
        length = self._int()
        return length if length != -1 else (self._int() << 32) + self._int()

    def _room(self, width: int) -> int:
        """A length that fits into what is left."""
        length = self._length()
        if length < 0 or length * width > len(self.data) - self.at:
            raise ValueError("too long")
        return length

    def _int(self) -> int:
        (number,) = struct.unpack_from(">i", self.data, self.at)
        self.at += 4
        return int(number)

    def _take(self, count: int) -> bytes:
        if not 0 <= count <= len(self.data) - self.at:
            raise ValueError("too long")
        self.at += count
        return self.data[self.at - count : self.at]


def _written(numbers: Thing) -> Iterator[str | None]:
    """Numbers as the text that R would make of them."""
    for number in numbers.value.tolist():
        gap = number == MISSING if numbers.type == WHOLE else isnan(number)
        yield None if gap else str(int(number)) if number == int(number) else repr(number)
