"""The vault itself: opened with a secret, it gives the same value the same random token, and takes it back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from schleier.core.errors import DataError, RecipeError, stop
from schleier.core.vault.facts import Facts
from schleier.core.vault.head import closed_key, damaged, head_of, opened_key
from schleier.core.vault.log import ENDING, Log
from schleier.core.vault.place import demand_file, demand_place
from schleier.core.vault.proof import verifying
from schleier.core.vault.sealing import Boxes, Row, Sealer, box_opener, new_tokens, second_private, spelled_all, told
from schleier.core.vault.secret import KEY_BYTES, Secret, new_lock
from schleier.core.vault.table import DAMAGED_HINT, Stored, Table

BATCH = 20_000
"""Values that are looked up and sealed together."""
LONGEST = 65_535
"""Bytes of a name of a domain."""


class Issued(NamedTuple):
    """Tokens for so many values, in their order."""

    tokens: list[str]
    new: int
    """How many values had none before."""

    def __repr__(self) -> str:
        return f"Issued({len(self.tokens)} tokens)"


class Vault:
    """One open vault; use it in a ``with`` block, which lets go of its file.

    >>> import tempfile
    >>> place, key = Path(tempfile.mkdtemp()) / "persons.vault", Secret.of_key(bytes(32))
    >>> with Vault.new(place, key) as vault:
    ...     first, again, other = vault.issue("person", ["Ada", "Ada", "Bo"]).tokens
    ...     first == again != other, vault.original(first)
    (True, 'Ada')
    """

    def __init__(self, table: Table, head: dict[str, Any], sealer: Sealer, facts: Facts) -> None:
        self.table, self.head, self._sealer, self.facts = table, head, sealer, facts

    def __repr__(self) -> str:
        return f"Vault({str(self.path)!r})"

    @staticmethod
    def new(path: Path, secret: Secret, second: bytes | None = None) -> Vault:
        """A new vault at a place where nothing is; ``second`` is the key of a second person."""
        demand_place(path, RecipeError)
        secret.demand_long()
        if second is not None and second == secret.content:
            hint = "the rule of two persons wants two keys, held by two persons"
            stop(RecipeError, "same-key", "vault", "the second key is the first one", hint)
        public = second_private(second).public_key().public_bytes_raw().hex() if second is not None else ""
        return Vault.made(path, secret, Facts(1, public, new_key(), new_key()))

    @staticmethod
    def made(path: Path, secret: Secret, facts: Facts) -> Vault:
        """A new file wherever it may be, with such facts."""
        head: dict[str, Any] = {"id": os.urandom(8).hex(), "made": now(), "lock": new_lock(secret.kind)}
        head |= {"persons": 2 if facts.second else 1, "verifies": verifying(bytes.fromhex(facts.signing))}
        key = os.urandom(KEY_BYTES)
        sealer = Sealer(key, head["id"])
        text, closed = closed_key(head, secret, key)
        return Vault(Table.new(path, text, closed, sealer.sealed_facts(facts.written())), head, sealer, facts)

    @staticmethod
    def open(path: Path, *secrets: Secret) -> Vault:
        """A vault that stands, opened by the first secret that fits. A wrong one and a changed file are told alike."""
        from cryptography.exceptions import InvalidTag

        demand_file(path)
        table = Table.open(path)
        try:
            text, closed, sealed = table.head()
            head = head_of(text) or damaged(path)
            for secret in secrets:
                with suppress(InvalidTag, ValueError, TypeError):
                    sealer = Sealer(opened_key(text, head, secret, closed), head["id"])
                    return Vault(table, head, sealer, Facts.read(sealer.opened_facts(sealed)))
            hint = "give the secret it was made with, or was last rotated to"
            return stop(DataError, "wrong-secret", str(path), "the vault cannot be opened with this secret", hint)
        except BaseException:
            table.close()
            raise

    @property
    def path(self) -> Path:
        """Its file."""
        return self.table.path

    @property
    def identity(self) -> str:
        """Its number, which is no secret."""
        return str(self.head["id"])

    @property
    def log(self) -> Log:
        """The log of reversals, beside it."""
        return Log(self.path.with_name(self.path.name + ENDING), bytes.fromhex(self.facts.log_key))

    def __enter__(self) -> Vault:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self.table.close()

    def issue(self, domain: str, values: Sequence[str], ways: Sequence[str] = ()) -> Issued:
        """The token of each value: the one it has in this domain, or a new one. All of them are kept, or none.

        ``ways`` says what was done to the values before; a domain is always looked up in the same way.
        """
        self._demand_domain(domain, ways)
        distinct = [value.encode() for value in dict.fromkeys(values)]
        tokens: dict[bytes, bytes] = {}
        with self.change():
            known = self.facts.domains | {domain: list(ways)}
            number = self.facts.boxes + bool(self.facts.second)
            boxes = self._boxes(number)
            new = 0
            for start in range(0, len(distinct), BATCH):
                part = distinct[start : start + BATCH]
                tags = self._sealer.tags(self.facts.epoch, domain, part)
                found = self.table.find(tags)
                tokens.update((value, self._row(row).token) for value, row in zip(part, found, strict=True) if row)
                fresh = [(value, tag) for value, tag, row in zip(part, tags, found, strict=True) if not row]
                drawn = new_tokens(len(fresh))
                rows = [
                    Row(self.facts.epoch, domain, token, boxes.closed(value) if boxes else value)
                    for (value, _), token in zip(fresh, drawn, strict=True)
                ]
                self.add(rows, [tag for _, tag in fresh])
                tokens.update((value, token) for (value, _), token in zip(fresh, drawn, strict=True))
                new += len(fresh)
            if boxes and new:
                self.table.add_box(number, boxes.public)
            if new or known != self.facts.domains:
                self.know(domains=known, rows=self.facts.rows + new, boxes=number if new else self.facts.boxes)
        return Issued(spelled_all([tokens[value.encode()] for value in values]), new)

    def original(self, token: str, second: Sequence[bytes] = ()) -> str | None:
        """The value behind a token; nothing where there is none, or no longer."""
        row = self.row_of(token)
        return None if row is None else self.opener(second)(row).decode()

    def row_of(self, token: str) -> Row | None:
        """What is known of a token."""
        known = told(token)
        with self.table.reading():
            found = None if known is None else self.table.with_token(self._sealer.token_tags([known])[0])
        return None if found is None else self._row(found)

    def opener(self, second: Sequence[bytes] = ()) -> Callable[[Row], bytes]:
        """What reads the value of a row; where two persons must agree, only with a key of the second one."""
        if not self.facts.second:
            return lambda row: row.content
        from cryptography.exceptions import InvalidTag

        privates = [second_private(one) for one in second]
        fitting = [one for one in privates if one.public_key().public_bytes_raw().hex() == self.facts.second]
        if not fitting:
            hint = "the second person gives the key file that the vault was made with: --second-key-file"
            stop(
                DataError, "two-persons", str(self.path), "two persons must agree, and the second key is missing", hint
            )
        with self.table.reading():
            opened = box_opener(fitting[0], self.table.boxes(), self.identity)

        def content(row: Row) -> bytes:
            with suppress(InvalidTag, KeyError, ValueError):
                return opened(row.content)
            return damaged(self.path)

        return content

    def rows(self) -> Iterator[tuple[Stored, Row]]:
        """Every row, as it lies there and opened."""
        with self.table.reading():
            for stored in self.table.every():
                yield stored, self._row(stored)

    def stored_of(self, row: Row, value: bytes) -> Stored | None:
        """How a row with this value lies in the file."""
        with self.table.reading():
            return self.table.find(self._sealer.tags(row.epoch, row.domain, [value]))[0]

    def add(self, rows: Sequence[Row], tags: Sequence[bytes]) -> None:
        """Seal rows under the tags of their values."""
        tokens = self._sealer.token_tags([row.token for row in rows])
        closed = [
            Stored(tag, token, self._sealer.sealed(row, tag, token))
            for row, tag, token in zip(rows, tags, tokens, strict=True)
        ]
        self.table.add(closed)

    def tags_of(self, rows: Sequence[Row], values: Sequence[bytes]) -> list[bytes]:
        """The tags of rows of several domains and epochs."""
        places: dict[tuple[int, str], list[int]] = {}
        for place, row in enumerate(rows):
            places.setdefault((row.epoch, row.domain), []).append(place)
        tags = [b""] * len(rows)
        for (epoch, domain), every in places.items():
            made = self._sealer.tags(epoch, domain, [values[place] for place in every])
            for place, tag in zip(every, made, strict=True):
                tags[place] = tag
        return tags

    def token_tags(self, rows: Sequence[Row]) -> list[bytes]:
        """What the tokens of rows are looked up by."""
        return self._sealer.token_tags([row.token for row in rows])

    @contextmanager
    def change(self) -> Iterator[None]:
        """All that happens inside is kept, or nothing of it; so is what the vault knows of itself."""
        before = self.head, self._sealer, self.facts
        try:
            with self.table.change():
                yield
        except BaseException:
            self.head, self._sealer, self.facts = before
            raise

    def know(self, **facts: Any) -> None:
        """Remember other facts; inside ``change``."""
        self.facts = replace(self.facts, **facts)
        self.table.set_facts(self._sealer.sealed_facts(self.facts.written()))

    def take_key(self, head: dict[str, Any], secret: Secret) -> None:
        """Another key for all that follows, closed by a secret; inside ``change``."""
        key = os.urandom(KEY_BYTES)
        self.head, self._sealer = head, Sealer(key, self.identity)
        self.table.set_head(*closed_key(head, secret, key), self._sealer.sealed_facts(self.facts.written()))

    def new_boxes(self) -> Boxes | None:
        """What closes values for the second person; nothing where one is enough. Inside ``change``."""
        number = self.facts.boxes + 1
        boxes = self._boxes(number)
        if boxes:
            self.table.add_box(number, boxes.public)
            self.know(boxes=number)
        return boxes

    def _boxes(self, number: int) -> Boxes | None:
        return Boxes(bytes.fromhex(self.facts.second), self.identity, number) if self.facts.second else None

    def _row(self, stored: Stored) -> Row:
        from cryptography.exceptions import InvalidTag

        with suppress(InvalidTag, ValueError, TypeError):
            return self._sealer.opened(stored.sealed, stored.tag, stored.token)
        return stop(
            DataError, "damaged-vault", str(self.path), "a row of the vault was changed or damaged", DAMAGED_HINT
        )

    def _demand_domain(self, domain: str, ways: Sequence[str]) -> None:
        if not domain or len(domain.encode()) > LONGEST:
            stop(RecipeError, "bad-domain", "domain", "a domain has a name", "name what the values are, such as person")
        if self.facts.domains.get(domain, list(ways)) != list(ways):
            message = f"values of the domain '{domain}' were made alike in another way before"
            stop(RecipeError, "other-form", "domain", message, "do as before, or take another domain")


def new_key() -> str:
    """Random bytes for one more key, in hexadecimal digits."""
    return os.urandom(KEY_BYTES).hex()


def now() -> str:
    """The time of day at Greenwich."""
    return datetime.now(UTC).isoformat(timespec="seconds")
