"""SAS data sets, which only SAS writes: from a folder of the tester's, for example the test files of pyreadstat."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FOLDER = "SCHLEIER_SAS_FILES"


def sas_file(name: str) -> Path:
    """The file of this name in the folder; the test is skipped where there is none."""
    path = Path(os.environ.get(FOLDER, "nowhere")) / name
    if not path.is_file():
        pytest.skip(f"only SAS writes .sas7bdat files: set {FOLDER} to a folder that holds {name}")
    return path
