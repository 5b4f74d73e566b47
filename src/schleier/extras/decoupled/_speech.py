"""What exactly is signed when something is said under a pseudonym."""

from __future__ import annotations

import json
from typing import Any


def spoken(what: str, pseudonym: str, challenge: str, record: dict[str, Any] | None = None, other: str = "") -> bytes:
    """The text of a signature: what for, under which name, to which challenge.

    >>> spoken("use", "abc", "00", {"b": 1, "a": None})
    b'use|abc|00||{"a":null,"b":1}'
    """
    return f"{what}|{pseudonym}|{challenge}|{other}|".encode() + written(record)


def written(record: dict[str, Any] | None) -> bytes:
    """A record in one form."""
    return json.dumps(record, separators=(",", ":"), sort_keys=True, ensure_ascii=True).encode()
