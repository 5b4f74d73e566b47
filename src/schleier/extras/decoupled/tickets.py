"""One way to prove an identity: a ticket the operator handed out after looking at a passport or a delivery note.

Operators who know their participants in another way pass a function of their own in its place.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error

from schleier.extras.decoupled._keys import tag


class Tickets:
    """Gives tickets out, and tells whose one is.

    >>> tickets = Tickets(bytes(32))
    >>> tickets.identity(tickets.give("Anna")), tickets.identity("QW5uYQ==.00")
    ('Anna', None)
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def give(self, identity: str) -> str:
        """A ticket: as good as the identity, so it is handed over in private."""
        return f"{urlsafe_b64encode(identity.encode()).decode()}.{self._mark(identity)}"

    def identity(self, ticket: str) -> str | None:
        """Whose ticket it is; none for one that was not given out here."""
        name, _, mark = ticket.partition(".")
        try:
            identity = urlsafe_b64decode(name.encode("ascii")).decode()
        except (Error, ValueError):
            return None
        return identity if hmac.compare_digest(self._mark(identity).encode(), mark.encode()) else None

    def _mark(self, identity: str) -> str:
        return tag(self._key, b"ticket", identity.encode()).hex()
