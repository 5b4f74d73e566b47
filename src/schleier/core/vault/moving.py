"""What is done with a vault as a whole: copied, joined with another, given a new key, destroyed."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from schleier.core.atomic import whole_file
from schleier.core.component import listed
from schleier.core.errors import DataError, Problem, Problems, RecipeError, WriteError, stop
from schleier.core.vault.log import BEGIN
from schleier.core.vault.place import demand_place
from schleier.core.vault.proof import signed
from schleier.core.vault.sealing import Row, new_tokens, spelled
from schleier.core.vault.secret import Secret, new_lock
from schleier.core.vault.vault import BATCH, Vault, new_key, now


class Content(NamedTuple):
    """Rows with the values in them, in batches; never shown."""

    rows: list[Row]
    values: list[bytes]

    def __repr__(self) -> str:
        return f"Content({len(self.rows)} rows)"

    def batches(self) -> Iterator[Content]:
        """Parts of it."""
        for start in range(0, len(self.rows), BATCH):
            yield Content(self.rows[start : start + BATCH], self.values[start : start + BATCH])


def content_of(vault: Vault, second: Sequence[bytes] = ()) -> Content:
    """All that a vault holds."""
    opened: Callable[[Row], bytes] = vault.opener(second)
    rows = [row for _, row in vault.rows()]
    return Content(rows, [opened(row) for row in rows])


def export(vault: Vault, out: Path, secret: Secret, second: Sequence[bytes] = ()) -> int:
    """A copy under a key of its own, which another secret opens; how many rows it holds."""
    demand_place(out, RecipeError)
    if out.exists() or out.is_symlink():
        stop(WriteError, "vault-exists", str(out), "there is a file of this name already", "choose another name")
    content = content_of(vault, second)
    facts = replace(
        vault.facts,
        rows=0,
        boxes=0,
        log_lines=0,
        log_last=BEGIN,
        copy_of=vault.identity,
        copied=now(),
        log_key=new_key(),
    )
    secret.demand_long()
    with whole_file(out, private=True) as place, Vault.made(place, secret, facts) as copy, copy.change():
        _fill(copy, content)
    return len(content.rows)


def join(vault: Vault, other: Vault, second: Sequence[bytes] = ()) -> int:
    """Take over what another vault holds, all or nothing; how many rows are new."""
    problems = Problems()
    if other.facts.copy_of == vault.identity and other.facts.copied <= vault.facts.last_erasure:
        hint = "it would bring back who was erased: export the vault anew"
        problems.add("older-than-erasure", str(other.path), "the copy is older than the last erasure", hint)
    differ = [name for name, ways in other.facts.domains.items() if vault.facts.domains.get(name, ways) != ways]
    if differ:
        message = f"values of some domains were made alike in another way: {listed(differ)}"
        problems.add("other-form", str(other.path), message, "do as before, or take another domain")
    problems.raise_as(DataError)
    content = content_of(other, second if other.facts.second else ())
    with vault.change():
        new, apart = _new(vault, content)
        if apart:
            message = f"{apart} values or tokens stand for something else in the two vaults"
            hint = "nothing was taken over; find out which of the two the releases were made with"
            raise DataError(Problem("vaults-differ", str(other.path), message, hint))
        epoch = max(vault.facts.epoch, other.facts.epoch)
        rows = vault.facts.rows
        vault.know(domains=other.facts.domains | vault.facts.domains, epoch=epoch)
        _fill(vault, new)
        vault.know(rows=rows + len(new.rows))
    return len(new.rows)


def rotate(
    vault: Vault, secret: Secret, second: Sequence[bytes] = (), *, epoch: bool = False, mapping: Path | None = None
) -> int:
    """Seal every row anew under a new key; how many there are. Tokens stay as they are.

    With ``epoch`` values get new tokens from now on, and old ones can still be revealed; ``mapping`` is a file of the
    old and new tokens, for those who must continue a series.
    """
    secret.demand_long()
    content = content_of(vault, second)
    if mapping is not None:
        demand_place(mapping, RecipeError)
        with whole_file(mapping, private=True) as place:
            return _rotated(vault, secret, content, epoch=epoch, mapping=place)
    return _rotated(vault, secret, content, epoch=epoch, mapping=None)


def destroy(vault: Vault, record: Path, reason: str) -> dict[str, Any]:
    """End a vault: what its tokens stand for is known to nobody any more, and a signed record says so."""
    demand_place(record, RecipeError)
    facts = {"kind": "destruction", "vault": vault.identity, "at": now(), "rows": vault.facts.rows, "reason": reason}
    written = signed(bytes.fromhex(vault.facts.signing), facts)
    with whole_file(record, private=True) as place:
        place.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8", newline="\n")
        with vault.change():
            vault.table.clear()
            vault.table.set_head("{}", bytes(60), bytes(len(vault.facts.written())))
        vault.close()
        for file in vault.table.files():
            file.unlink()
    return written


def _rotated(vault: Vault, secret: Secret, content: Content, *, epoch: bool, mapping: Path | None) -> int:
    with vault.change():
        vault.table.clear()
        vault.take_key(vault.head | {"lock": new_lock(secret.kind)}, secret)
        vault.know(rows=0, boxes=0)
        if epoch:
            content = _next(vault, content, mapping)
        _fill(vault, content)
    vault.table.tidy()
    return len(content.rows)


def _next(vault: Vault, content: Content, mapping: Path | None) -> Content:
    """What was there, and a new token for each value of the epoch that ends where a series is to go on."""
    last = vault.facts.epoch
    vault.know(epoch=last + 1)
    if mapping is None:
        return content
    old = [(row, value) for row, value in zip(*content, strict=True) if row.epoch == last]
    more = [
        row._replace(epoch=last + 1, token=token) for (row, _), token in zip(old, new_tokens(len(old)), strict=True)
    ]
    with mapping.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("domain", "old", "new"))
        pairs = zip(old, more, strict=True)
        lines = [(spelled(new.token), spelled(row.token), row.domain) for (row, _), new in pairs]
        writer.writerows(line[::-1] for line in sorted(lines))
    return Content([*content.rows, *more], [*content.values, *(value for _, value in old)])


def _fill(vault: Vault, content: Content) -> None:
    boxes = vault.new_boxes() if content.rows else None
    for part in content.batches():
        tags = vault.tags_of(part.rows, part.values)
        closed = [boxes.closed(value) if boxes else value for value in part.values]
        vault.add([row._replace(content=one) for row, one in zip(part.rows, closed, strict=True)], tags)
    vault.know(rows=vault.facts.rows + len(content.rows))


def _new(vault: Vault, content: Content) -> tuple[Content, int]:
    """What a vault does not hold yet, and in how many rows it holds something else."""
    new, apart = Content([], []), 0
    for part in content.batches():
        found = vault.table.find(vault.tags_of(part.rows, part.values))
        tokens = vault.token_tags(part.rows)
        for row, value, stored, token in zip(*part, found, tokens, strict=True):
            if stored is None and vault.table.with_token(token) is None:
                new.rows.append(row)
                new.values.append(value)
            elif stored is None or stored.token != token:
                apart += 1
    return new, apart
