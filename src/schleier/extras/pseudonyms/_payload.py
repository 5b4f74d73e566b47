"""What is known of persons under their pseudonym: in a store of its own, of declared columns, without who they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from schleier.core.errors import DataError, Problem
from schleier.extras.pseudonyms._database import Store
from schleier.extras.pseudonyms._identity import word
from schleier.extras.pseudonyms._register import Person

LONGEST, SHORT = 200, 3
Payload = Mapping[str, str | int | float | bool | None]


class Payloads:
    """The second store."""

    def __init__(self, store: Store, columns: frozenset[str]) -> None:
        self.store, self.columns = store, columns

    def check(self, payload: Payload, person: Person) -> None:
        """Refuse what was not declared, and what says who the person is."""
        wrong = []
        if set(payload) - self.columns:
            hint = "declare columns when the service is started: --column"
            wrong.append(Problem("undeclared-column", "payload", "a column of the payload was not declared", hint))
        texts = [word(value) for value in payload.values() if isinstance(value, str)]
        names = {name for name in (*person.normal, *map(word, person.written.values())) if len(name) >= SHORT}
        if any(name in text for name in names for text in texts):
            hint = "send no names, dates of birth or places with the payload"
            wrong.append(Problem("identity-in-payload", "payload", "the payload says who the person is", hint))
        if any(isinstance(value, str) and len(value) > LONGEST for value in payload.values()):
            wrong.append(Problem("long-payload", "payload", f"a text has more than {LONGEST} letters", "shorten it"))
        if wrong:
            raise DataError(wrong)

    def add(self, pid: str, payload: Payload) -> None:
        """Keep it."""
        self.store.begin()
        try:
            last = int(self.store.ask("SELECT COALESCE(MAX(id), 0) FROM payload")[0][0])
            self.store.do("INSERT INTO payload VALUES (?, ?, ?)", [(last + 1, pid, json.dumps(dict(payload)))])
            self.store.commit()
        except BaseException:
            self.store.rollback()
            raise

    def of(self, pids: list[str]) -> list[dict[str, Any]]:
        """All that is kept under some pseudonyms."""
        rows = self.store.among("SELECT id, body FROM payload WHERE pid", pids)
        return [json.loads(body) for _, body in sorted(rows)]

    def forget(self, pids: list[str]) -> None:
        """Erase what is kept under some pseudonyms."""
        self.store.begin()
        try:
            self.store.do("DELETE FROM payload WHERE pid = ?", [(pid,) for pid in pids])
            self.store.commit()
        except BaseException:
            self.store.rollback()
            raise
        self.store.forget()
