"""Persons in several releases, for the tests of what these tell together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner, Result

import schleier as sl
from schleier.cli import app
from schleier.core.errors import SchleierError

PERSONS = 100
K = 5
SCHEMA = """
[schema]
others = "drop"
{key}columns = [
  {{ name = "age", role = "quasi", scale = "discrete" }},
  {{ name = "region", role = "quasi", scale = "nominal" }},
  {{ name = "job", role = "plain", scale = "nominal" }},
  {{ name = "income", role = "sensitive", scale = "discrete" }},
]
"""
ROW_KEY = 'row_key = "id"\n'
BY_TENS = '[[steps]]\nmethod = "recode"\ncolumn = "age"\nbreaks = [30, 40, 50, 60]\n'
SHIFTED = '[[steps]]\nmethod = "recode"\ncolumn = "age"\nbreaks = [31, 41, 51, 61]\n'
HALVES = '[[steps]]\nmethod = "recode"\ncolumn = "age"\nbreaks = [40]\n'
CAPPED = '[[steps]]\nmethod = "top_code"\ncolumn = "income"\nupper = 2500\nmin_affected = 3\n'
JUDGED = f'[[criteria]]\ncriterion = "k_anonymity"\nk = {K}\n'
KEY, OTHER = bytes(range(32)), bytes(range(1, 33))


def people(first: int = 0, last: int = PERSONS) -> pa.Table:
    """Persons by their number: of every hundred one in each region and year of age."""
    number = np.arange(first, last)
    rng = np.random.default_rng(3)
    income = np.round(rng.gamma(4.0, 400.0, 1000)).astype(np.int64)
    return pa.table(
        {
            "id": [f"p{n}" for n in number],
            "age": 20 + number // 2 % 50,
            "region": np.where(number % 2 == 0, "north", "south"),
            "job": np.array([f"job {n % 7}" for n in number]),
            "income": income[number],
        }
    )


def recipe(steps: str, *, keyed: bool = True, judged: str = JUDGED) -> sl.Recipe:
    return sl.Recipe.from_toml(SCHEMA.format(key=ROW_KEY if keyed else "") + steps + judged)


def released(folder: Path, steps: str = BY_TENS, rows: pa.Table | None = None, **more: Any) -> Path:
    recipe(steps, **more).run(people() if rows is None else rows, out=folder, key=KEY)
    return folder


def codes(kind: type[SchleierError], after: Any, steps: str, rows: Any = None, **more: Any) -> list[str]:
    """The codes of a run that is refused."""
    keyed, judged = more.pop("keyed", True), more.pop("judged", JUDGED)
    with pytest.raises(kind) as caught:
        recipe(steps, keyed=keyed, judged=judged).run(
            people() if rows is None else rows, after=after, key=OTHER, **more
        )
    return [problem.code for problem in caught.value.problems]


def command(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])
