"""Files as R writes them, made without R: the stream its manual "R Internals" describes."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

SYMBOL, PAIRS, CHARACTERS, LOGICAL, WHOLE, NUMBER, TEXT, VALUES = 1, 2, 9, 10, 13, 14, 16, 19
UTF8, LATIN1 = 1 << 15, 1 << 14
NULL = struct.pack(">i", 254)
NA = -(2**31)

About = Mapping[str, bytes]


def chars(text: str | None, flag: int = UTF8) -> bytes:
    if text is None:
        return struct.pack(">ii", CHARACTERS, -1)
    content = text.encode("cp1252" if flag == LATIN1 else "utf-8")
    return struct.pack(">ii", CHARACTERS | flag, len(content)) + content


def pairs(named: About) -> bytes:
    found = b""
    for name, value in named.items():
        found += struct.pack(">i", PAIRS | 0x400) + struct.pack(">i", SYMBOL) + chars(name) + value
    return found + NULL


def _thing(kind: int, count: int, content: bytes, about: About) -> bytes:
    flags = kind | (0x300 if about else 0)
    return struct.pack(">ii", flags, count) + content + (pairs(about) if about else b"")


def texts(values: Sequence[str | None], flag: int = UTF8, **about: bytes) -> bytes:
    return _thing(TEXT, len(values), b"".join(chars(value, flag) for value in values), about)


def whole(values: Sequence[int], **about: bytes) -> bytes:
    return _thing(WHOLE, len(values), struct.pack(f">{len(values)}i", *values), about)


def logical(values: Sequence[int]) -> bytes:
    return _thing(LOGICAL, len(values), struct.pack(f">{len(values)}i", *values), {})


def numbers(values: Sequence[float], **about: bytes) -> bytes:
    return _thing(NUMBER, len(values), struct.pack(f">{len(values)}d", *values), about)


def large(values: Sequence[int]) -> bytes:
    """Whole numbers of the package bit64."""
    about = {"class": texts(["integer64"])}
    return _thing(NUMBER, len(values), struct.pack(f">{len(values)}q", *values), about)


def several(values: Sequence[bytes], **about: bytes) -> bytes:
    return _thing(VALUES, len(values), b"".join(values), about)


def sequence(count: int, kind: str = "compact_intseq") -> bytes:
    """The short form of 1:count."""
    info = struct.pack(">i", PAIRS) + struct.pack(">i", SYMBOL) + chars(kind) + NULL
    return struct.pack(">i", 238) + info + numbers([count, 1, 1]) + NULL


def data_frame(columns: Mapping[str, bytes], rows: int, names: Sequence[str] = ()) -> bytes:
    labels = texts(names) if names else whole([NA, -rows])
    about = {"names": texts([*columns]), "class": texts(["data.frame"]), "row.names": labels}
    return several([*columns.values()], **about)


def rds(thing: bytes) -> bytes:
    return b"X\n" + struct.pack(">iiii", 3, 0x40000, 0x30500, 5) + b"UTF-8" + thing


def rda(objects: About) -> bytes:
    return b"RDX3\n" + rds(pairs(objects))
