"""The keys of a draft: as fine as few blanked cells allow, and never weaker than what the recipe demands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.draft.coarsening import CELLS, ROUGH, coarsening
from schleier.draft.levels import levels_for, told
from schleier.flow.recipe.entries import component
from schleier.kernels.suppression.placed import placed_cells


def people(rows: int = 800, more: int = 0, *, rare: bool = False) -> Dataset:
    """Ages, towns and family names that are rare in different records, and further keys, some rarer than others."""
    rng = np.random.Generator(np.random.Philox(key=3))
    table: dict[str, Any] = {
        "age": rng.integers(20, 80, rows),
        "town": [f"t{min(int(n), 9)}" for n in rng.geometric(0.35, rows)],
        "kind": [f"k{min(int(n), 9)}" for n in rng.geometric(0.5, rows)],
    }
    table |= {f"flag{i}": [str(int(n)) for n in rng.integers(0, 2, rows)] for i in range(more)}
    if rare:
        rng = np.random.Generator(np.random.Philox(key=4))
        table |= {f"flag{i}": [str(int(n)) for n in rng.random(rows) < (i + 1) / 50] for i in range(more)}
    columns = [Column(name="age", role="quasi", scale="discrete", hierarchy="age")]
    columns += [Column(name=name, role="quasi", scale="nominal", hierarchy=name) for name in table if name != "age"]
    groups = {name: {"prefix": [0]} for name in table if name != "age"}
    return Dataset.from_frame(
        pa.table(table), Schema(columns=columns, hierarchies={"age": {"intervals": [5, 10, 20]}, **groups})
    )


def released(data: Dataset, k: int = 5) -> tuple[pa.Table, dict[str, Any]]:
    found, run = coarsening(data, _classes(data), k), Run(bytes(32))
    steps = [
        {"method": "recode", "column": name, "level": level}
        for name, level in zip(data.schema.quasi, found.levels, strict=True)
        if level
    ]
    for step in (*steps, found.blanking):
        data = component("method", step, "steps").apply(data, run)
    return data.to_arrow(), found.blanking


def test_few_cells_are_blanked_in_place_of_coarser_values_for_all() -> None:
    data = people()
    found = coarsening(data, _classes(data), 5)
    whole = levels_for(_classes(data), 5)
    assert sum(found.levels) < sum(whole)
    table, step = released(data)
    gaps = sum(table[name].null_count for name in data.schema.quasi)
    assert 0 < gaps <= CELLS * data.rows * len(data.schema.quasi)
    assert min(np.unique([str(row) for row in table.to_pylist()], return_counts=True)[1]) >= 5
    assert "keys" not in step  # all keys there are, also those that somebody names later


def test_with_too_many_keys_rare_records_lose_all_of_them() -> None:
    data = people(rows=300, more=14)
    table, step = released(data)
    assert step["columns"] == list(data.schema.quasi) and step["min_count"] == 5
    assert min(np.unique([str(row) for row in table.to_pylist()], return_counts=True)[1]) >= 5


def test_where_rare_records_lose_all_keys_the_others_stay_as_fine_as_a_search_leaves_them() -> None:
    data = people(more=15, rare=True)
    classes = _classes(data)
    asked = {"criteria": [{"criterion": "k_anonymity", "k": 5}], "max_suppressed": CELLS, "heuristic": True}
    step = component("method", {"method": "coarsen", "time_limit": 3, **asked}, "steps")
    best = step.fit(data, Run(bytes(32))).levels
    found = coarsening(data, classes, 5)
    assert told(classes, found.levels) >= told(classes, [*best.values()])
    assert told(classes, found.levels) > told(classes, levels_for(classes, 5))


def test_the_same_rows_give_the_same_draft() -> None:
    first, again = (coarsening(people(), _classes(people()), 5) for _ in range(2))
    assert first == again


def _classes(data: Dataset) -> Any:
    from schleier.core.classes.request import Request

    return data.classes(Request(keys=data.schema.quasi))


def test_what_is_counted_roughly_is_near_what_the_search_finds() -> None:
    data = people()
    at = _classes(data).at((1, 0, 0))
    rough = placed_cells(at.codes, at.sizes, [len(values) for values in at.values], 5, np.inf)
    found = component("method", {"method": "suppress_local", "k": 5}, "steps").fit(
        component("method", {"method": "recode", "column": "age", "level": 1}, "steps").apply(data, Run(bytes(32))),
        Run(bytes(32)),
    )
    cells = sum(found.cells.values())
    assert cells > 0 and 1 / ROUGH < cells / rough < ROUGH
    assert placed_cells(at.codes, at.sizes, [len(values) for values in at.values], 5, cells / ROUGH) == np.inf


def test_units_are_counted_in_place_of_records_where_there_are_units() -> None:
    codes, sizes = np.array([[0, 0], [0, 1], [1, 0]], dtype=np.int32), np.array([4, 1, 9])
    held, units = np.array([0, 1, 2, 2, 2, 2]), np.array([0, 1, 2, 3, 4, 5])
    assert placed_cells(codes, sizes, [2, 2], 2, np.inf) == 2  # one alone loses all it has
    assert placed_cells(codes, sizes, [2, 2], 2, np.inf, held, units) == 5  # four of one unit are one


def test_large_files_are_drafted_without_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    data = people()
    expected = coarsening(data, _classes(data), 5)
    monkeypatch.setattr("schleier.draft.coarsening.LARGE", 10)
    monkeypatch.delattr("schleier.draft.coarsening._Trying._cells")
    assert coarsening(data, _classes(data), 5) == expected


def test_drafting_a_small_file_loads_no_compiler() -> None:
    file = Path(__file__).parents[2] / "examples" / "first_release" / "people.csv"
    code = "import sys; from schleier.draft.describe import describe; describe(sys.argv[1]); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code, file], capture_output=True, text=True, check=True).stdout
    assert "duckdb" in loaded.split() and not {"numba", "scipy", "sklearn"} & set(loaded.split())


def test_what_would_not_fit_into_memory_is_not_drafted(monkeypatch: pytest.MonkeyPatch) -> None:
    data = people()
    assert "columns" not in coarsening(data, _classes(data), 5).blanking
    monkeypatch.setattr("schleier.draft.coarsening.PAIRS", 1)
    assert coarsening(data, _classes(data), 5).blanking["columns"] == list(data.schema.quasi)
