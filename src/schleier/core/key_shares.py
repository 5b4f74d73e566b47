"""A key in shares for several persons: none of them can undo a pseudonym alone."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from schleier.core.errors import RecipeError, stop
from schleier.core.key_files import Secrets, read_secrets, read_text, text_of, write_private
from schleier.core.keys import id_of

SHARE = "schleier-share"


def split_file(path: Path, shares: Sequence[Path]) -> None:
    """Shares of a key: all of them together are the key, all but one tell nothing of it."""
    if len(shares) < 2 or len({one.absolute() for one in shares}) < len(shares):
        stop(RecipeError, "key-shares", str(path), "a key is split into two shares or more, each in its own file")
    held = read_secrets(path, str(path))
    pads = [{epoch: secrets.token_bytes(len(one)) for epoch, one in held.items()} for _ in shares[1:]]
    last = {epoch: _xor(one, *(pad[epoch] for pad in pads)) for epoch, one in held.items()}
    for share in shares:
        if share.is_symlink() or share.exists():
            write_private(share, "")  # refused, before any share is written
    for number, (share, parts) in enumerate(zip(shares, [*pads, last], strict=True), 1):
        head = f"{SHARE} {number} {len(shares)}\n# A share of a key. It is of use only together with all others.\n"
        lines = [f"{epoch} {id_of(held[epoch])} {part.hex()}\n" for epoch, part in parts.items()]
        write_private(share, head + "".join(lines))


def join_files(shares: Sequence[Path], path: Path) -> Secrets:
    """The key from all its shares, written to a new file."""
    held = joined(shares, str(path))
    write_private(path, text_of(held))
    return held


def joined(shares: Sequence[Path], where: str) -> Secrets:
    """The key from all its shares, in memory alone."""
    read = [_share(share) for share in shares]
    many = {many for _, many, _ in read}
    heads = {tuple((epoch, one) for epoch, one, _ in rows) for *_, rows in read}
    numbers = sorted(number for number, *_ in read)
    if len(many) != 1 or len(heads) != 1 or numbers != list(range(1, next(iter(many)) + 1)):
        message = "these are not all shares of one key, each once"
        stop(RecipeError, "key-shares", where, message, "name all shares that were made together")
    held = {}
    for same in zip(*(rows for *_, rows in read), strict=True):
        epoch, one, _ = same[0]
        held[epoch] = _xor(*(part for *_, part in same))
        if id_of(held[epoch]) != one:
            stop(RecipeError, "key-shares", where, "a share was changed: the key cannot be joined")
    return held


def _share(path: Path) -> tuple[int, int, list[tuple[int, str, bytes]]]:
    rows = [line.split("#")[0].split() for line in read_text(path, str(path)).splitlines()]
    rows = [row for row in rows if row]
    with suppress(ValueError):
        (word, number, many), *lines = rows
        parts = [(int(epoch), one, bytes.fromhex(part)) for epoch, one, part in lines]
        if word == SHARE and parts:
            return int(number), int(many), parts
    return stop(RecipeError, "key-broken", str(path), "this is no share of a key", "schleier key split")


def _xor(*parts: bytes) -> bytes:
    found = bytearray(parts[0])
    for part in parts[1:]:
        if len(part) != len(found):
            stop(RecipeError, "key-shares", "shares", "a share was changed: the key cannot be joined")
        found = bytearray(a ^ b for a, b in zip(found, part, strict=True))
    return bytes(found)
