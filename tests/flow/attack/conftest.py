"""One release for all tests of this folder; nobody changes it."""

from __future__ import annotations

import pytest

from flow.attack.staged import Staged, stage


@pytest.fixture(scope="session")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Staged:
    return stage(tmp_path_factory.mktemp("staged"))
