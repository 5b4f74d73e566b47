from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import DataError
from schleier.core.schema import Column, Schema
from schleier.draft import facts as counting
from schleier.draft.describe import describe
from schleier.draft.facts import gather_facts

ROWS = pa.table(
    {
        "word": ["b", "a", None, "b", "", "c"],
        "number": [2.5, None, None, -1.0, 2.5, 0.0],
        "gone": pa.array([None] * 6, pa.string()),
        "each": ["u", "v", "w", "x", "y", "z"],
    }
)


def told() -> list[tuple[object, ...]]:
    scales = {"number": "continuous"}
    schema = Schema(columns=tuple(Column(name=name, scale=scales.get(name, "nominal")) for name in ROWS.column_names))
    found = gather_facts(Dataset.from_frame(ROWS, schema), dict.fromkeys(ROWS.column_names, "text"), {})
    return [(f.name, f.rows, f.gaps, f.distinct, f.values.to_pylist(), f.counts.tolist(), f.whole) for f in found]


@pytest.mark.parametrize("most", [50_000, 4])
@pytest.mark.parametrize("cells", [6, 12, 1000])
def test_the_engine_and_the_memory_count_alike(monkeypatch: pytest.MonkeyPatch, cells: int, most: int) -> None:
    monkeypatch.setattr(counting, "MOST", most)
    monkeypatch.setattr(counting, "FIRST", most)
    monkeypatch.setattr(counting, "CELLS", cells)
    monkeypatch.setattr(counting, "TOGETHER", cells // 6)
    held = told()
    assert held[0] == ("word", 6, 1, 4, ["", "a", "b", "c"], [1, 1, 2, 1], True)
    assert held[1] == ("number", 6, 2, 3, [-1.0, 0.0, 2.5], [1, 1, 2], True)
    assert held[2] == ("gone", 6, 6, 0, [], [], True)
    assert held[3][:4] == ("each", 6, 0, 6) and held[3][6] is (most > 6) and len(held[3][4]) == min(most, 6)
    monkeypatch.setattr(counting, "LONG", 0)
    assert told() == held


def test_very_many_columns_are_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "wide.parquet"
    pq.write_table(pa.table({f"c{i}": [1, 2] for i in range(30)}), path)
    monkeypatch.setenv("SCHLEIER_MAX_COLUMNS", "29")
    with pytest.raises(DataError, match="columns of the file are 30, and the limit is 29") as caught:
        describe(path)
    assert "SCHLEIER_MAX_COLUMNS" in caught.value.problems[0].hint
    monkeypatch.setenv("SCHLEIER_MAX_COLUMNS", "30")
    assert len(describe(path).guesses) == 30


def test_a_thousand_columns_are_described(tmp_path: Path) -> None:
    """It took gigabytes: all their values were counted in one query."""
    path = tmp_path / "wide.csv"
    lines = [
        ",".join(f"c{i}" for i in range(1000)),
        *(",".join(str(i * j % 50) for i in range(1000)) for j in range(60)),
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert [guess.column.scale for guess in describe(path).guesses].count("discrete") > 900
