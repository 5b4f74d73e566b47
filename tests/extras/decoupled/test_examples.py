"""Vehicles and machines: the examples come out as their pages say."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

for needed in ("rbcl", "fastapi", "uvicorn"):
    pytest.importorskip(needed)

EXAMPLES = Path(__file__).parents[3] / "examples"
BY_CHANCE = 10
"""As many hits, where one is expected, come once in ten million runs."""
DRAWN = {"found by the order", "bearings to change"}


def told(name: str) -> dict[str, str]:
    page = (EXAMPLES / name / "README.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z ]+): (\w+)$", page, re.MULTILINE))


@pytest.mark.parametrize(("name", "program"), [("vehicles", "drive"), ("machines", "maintain")])
def test_it_comes_out_as_the_page_says(name: str, program: str) -> None:
    found: dict[str, Any] = runpy.run_path(str(EXAMPLES / name / f"{program}.py"))["main"]()
    said = told(name)
    assert {what: str(value) for what, value in found.items() if what not in DRAWN} == {
        what: value for what, value in said.items() if what not in DRAWN
    }
    assert set(found) == set(said) and found["found by the order"] < BY_CHANCE
