"""One embedded engine for all tests of the core."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from schleier.engine.duckdb import Duckdb


@pytest.fixture(scope="session")
def engine() -> Iterator[Duckdb]:
    found = Duckdb()
    yield found
    found.close()
