"""Drafted hierarchies with fewer levels stay hierarchies."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

from core.hierarchy.reducing import nested
from schleier.core.hierarchy import parse
from schleier.draft.describe import describe
from schleier.draft.hierarchies import thin_hierarchies

ROWS = [[f"v{i}", f"w{i // 2}", f"x{i // 4}", f"y{i // 8}", "*"] for i in range(16)]
CASES: list[tuple[dict[str, Any], pa.Array]] = [
    (
        {"dates": ["month", "quarter", "year", "decade"]},
        pa.array(list(range(0, 9000, 300)), pa.int32()).cast(pa.date32()),
    ),
    ({"intervals": [5, 10, 20, 40]}, pa.array(range(90))),
    ({"prefix": [4, 3, 2, 1]}, pa.array(["12345", "12399", "54321"])),
    ({"balanced": [16, 8, 4, 2]}, pa.array(range(100))),
    ({"rows": ROWS, "outside": "root"}, pa.array([row[0] for row in ROWS])),
]


@pytest.mark.parametrize(("definition", "values"), CASES, ids=[next(iter(d)) for d, _ in CASES])
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_levels_go_one_by_one(definition: dict[str, Any], values: pa.Array, depth: int) -> None:
    found = thin_hierarchies({"x": parse(definition)}, ["x"], depth + 1)["x"]
    assert found.depth == depth
    assert not list(found.problems(""))
    if found.learns:
        found = found.fit(values, np.ones(len(values), dtype=int))
    if next(iter(definition)) in found.to_toml():
        nested(found, values)


def test_levels_in_the_middle_go_first_and_the_finest_before_the_coarsest() -> None:
    assert thin_hierarchies({"x": parse({"prefix": [4, 3, 2, 1]})}, ["x"], 3)["x"].to_toml() == {"prefix": [1]}
    assert thin_hierarchies({"x": parse({"intervals": [5, 10, 20]})}, ["x"], 4)["x"].to_toml() == {"intervals": [5, 20]}


def test_what_somebody_declared_is_left_alone() -> None:
    given = {"a": parse({"prefix": [4, 3, 2, 1]}), "b": parse({"prefix": [4, 3, 2, 1]})}
    found = thin_hierarchies(given, ["b"], 2)
    assert found["a"] == given["a"] and found["b"].depth == 1


def test_few_enough_are_left_as_they_are() -> None:
    given = {name: parse({"prefix": [3, 2, 1]}) for name in "abc"}
    assert thin_hierarchies(given, list("abc"), 125) == given
    assert math.prod(h.depth + 1 for h in thin_hierarchies(given, list("abc"), 124).values()) == 100


def test_among_words_codes_are_told_by_their_labels(tmp_path: Path) -> None:
    codes = [1.0] * 90 + [2.0] * 20 + [3.0] * 10 + [4.0, 5.0, 6.0]
    labels = {1: "White", 2: "Black", 3: "Asian", 4: "Mixed", 5: "Other", 6: "Roma"}
    pyreadstat.write_sav(pd.DataFrame({"race": codes}), tmp_path / "file.sav", variable_value_labels={"race": labels})
    rows = describe(tmp_path / "file.sav").schema.hierarchies["race"].to_toml()["rows"]
    assert rows[0] == ["1", "White", "White", "*"] and rows[3] == ["4", "other", "other", "*"]
    assert rows[1] == ["2", "Black", "other", "*"]
    labels[6] = "White"  # two codes of one name are two categories
    pyreadstat.write_sav(pd.DataFrame({"race": codes}), tmp_path / "file.sav", variable_value_labels={"race": labels})
    rows = describe(tmp_path / "file.sav").schema.hierarchies["race"].to_toml()["rows"]
    assert rows[0] == ["1", "1", "1", "*"]
