"""Who may ask for what: a token for each program, for one role, for a time; only its digest is kept."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from dataclasses import dataclass
from typing import Literal, get_args

from schleier.core.errors import DataError, stop
from schleier.extras.pseudonyms._database import Store

Role = Literal["source", "data", "clerk", "reveal", "admin", "audit", "list"]
"""Sources send identities; data reads payloads; clerks decide doubts; list speaks the patient list's conventions."""
ROLES: tuple[Role, ...] = get_args(Role)
NAME = re.compile(r"[a-z][a-z0-9-]{0,39}", re.ASCII)
LONGEST, DAY = 200, 86_400
MOST_DAYS = 400


@dataclass(frozen=True)
class Caller:
    """A program that was let in."""

    name: str
    role: Role


def grant(store: Store, name: str, role: str, days: int) -> str:
    """A token for a program, shown this once; a name that has one gets another."""
    if not NAME.fullmatch(name) or role not in ROLES or not 1 <= days <= MOST_DAYS:
        message = (
            f"a name has small letters, a role is one of {', '.join(ROLES)}, and a token lasts 1 to {MOST_DAYS} days"
        )
        stop(DataError, "bad-access", "access", message)
    token = secrets.token_urlsafe(32)
    store.do("DELETE FROM access WHERE name = ?", [(name,)])
    store.do("INSERT INTO access VALUES (?, ?, ?, ?)", [(name, _digest(token), role, int(time.time()) + days * DAY)])
    return token


def revoke(store: Store, name: str) -> None:
    """Let a program in no more."""
    if not store.ask("SELECT 1 FROM access WHERE name = ?", name):
        stop(DataError, "unknown-access", "access", "nobody of this name is let in", "check the name")
    store.do("DELETE FROM access WHERE name = ?", [(name,)])


class Door:
    """Who is let in, as the store said last; it is asked again after every change."""

    def __init__(self, store: Store) -> None:
        self._known: list[tuple[bytes, Caller, int]] = []
        self.look(store)

    def look(self, store: Store) -> None:
        """Read who is let in."""
        rows = store.ask("SELECT digest, name, role, until FROM access")
        self._known = [(bytes(digest), Caller(name, role), until) for digest, name, role, until in rows]

    def caller(self, token: str, now: float | None = None) -> Caller | None:
        """Who has a token; nobody when it is foreign or too old. The time taken tells nothing of near ones."""
        mine = _digest(token[:LONGEST])
        found = None
        for digest, caller, until in self._known:
            if hmac.compare_digest(digest, mine) and (time.time() if now is None else now) < until:
                found = caller
        return found


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
