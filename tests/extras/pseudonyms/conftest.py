"""Registers of the service in a file of SQLite and on a real PostgreSQL server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from schleier.extras.pseudonyms._database import Store, store_at
from schleier.extras.pseudonyms._register import Register
from schleier.extras.pseudonyms._seal import Seal
from schleier.extras.pseudonyms._tables import IDENTITY

KEY = bytes(range(32))
Open = Callable[[], Register]


@pytest.fixture(params=["sqlite", "postgres"])
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens the same empty store, once or several times."""
    address = str(tmp_path)
    if request.param == "postgres":
        pytest.importorskip("psycopg", reason="needs psycopg: pip install schleier[serve]")
        server = request.getfixturevalue("postgres")
        address = server.string()
        server.do('DROP SCHEMA IF EXISTS "identity" CASCADE')
    stores: list[Store] = []

    def opened() -> Register:
        stores.append(store_at(address, "identity", IDENTITY))
        return Register(stores[-1], Seal(KEY))

    yield opened
    for one in stores:
        one.close()


@pytest.fixture
def register(reopen: Open) -> Register:
    return reopen()
