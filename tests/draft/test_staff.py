"""Files of staff: the youngest and the oldest become one class each (Kneuper 2020, K-035)."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.schema import Column, Schema
from schleier.draft.staff import both_ends
from schleier.draft.suggest import suggest

AGES = np.concatenate([[17, 18], np.repeat(np.arange(20, 62), 5), [64, 66, 70]])


@pytest.mark.parametrize("least", [3, 7, 20])
def test_the_outermost_limits_with_so_many_people(least: int) -> None:
    import narwhals as nw

    schema = Schema(columns=[Column(name="age", scale="discrete")])
    data = Dataset.from_frame(pa.table({"age": AGES}), schema)
    found = both_ends(data, nw.col("age"), 0, 66, least)
    assert found is not None
    low, high = found
    ages = AGES.tolist()

    def below(a: int) -> tuple[int, int]:
        return sum(age <= a for age in ages), sum(age < a for age in ages)

    def above(a: int) -> tuple[int, int]:
        return sum(age >= a for age in ages), sum(age > a for age in ages)

    for at, seen, way in ((low, below, range(67)), (high, above, range(66, 0, -1))):
        assert at == next(a for a in way if seen(a)[0] >= least and seen(a)[1] not in (1, 2))
    assert both_ends(data, nw.col("age"), 0, 66, 120) is None  # the ends would meet
    assert both_ends(data, nw.col("age"), 0, 66, 1000) is None


def written(folder: Path, **columns: list[object]) -> Path:
    rows = ["sex," + ",".join(columns)]
    rows += [f"{'fm'[i % 2]}," + ",".join(str(each[i]) for each in columns.values()) for i in range(len(AGES))]
    (folder / "staff.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder / "staff.csv"


def test_ages_and_years_of_birth(tmp_path: Path) -> None:
    file = written(tmp_path, age=AGES.tolist(), birth_year=(2020 - AGES).tolist())
    found = suggest(file, "safe_harbor", year=2020, staff=True, pairs=[(3, 0.05)])
    caps = {
        one.entry["column"]: (one.entry["lower"], one.entry["upper"]) for one in found.steps if "upper" in one.entry
    }
    for name, values in (("age", AGES), ("birth_year", 2020 - AGES)):
        low, high = caps[name]
        assert (values <= low).sum() >= 3 and (values >= high).sum() >= 3
        assert (values < low).sum() in (0, *range(3, 99)) and (values > high).sum() in (0, *range(3, 99))
    assert caps["age"][1] <= 66 and caps["birth_year"][0] >= 2020 - 66
    assert any("staff" in claim["en"] for claim in found.claims)
    usual = suggest(file, "safe_harbor", year=2020, pairs=[(3, 0.05)])
    assert not any("lower" in one.entry and "upper" in one.entry for one in usual.steps)


def test_dates_of_birth(tmp_path: Path) -> None:
    births = [date(2020 - int(age), 1 + i % 12, 1).isoformat() for i, age in enumerate(AGES)]
    file = written(tmp_path, birth_date=births)
    found = suggest(file, "safe_harbor", year=2020, staff=True, pairs=[(3, 0.05)])
    labels = [
        [str(label) for row in one.model_dump()["rows"] for label in row]
        for one in found.draft.schema.hierarchies.values()
        if one.model_dump().get("rows")
    ]
    assert any(any(x.startswith("<=") for x in each) and any(x.startswith(">=") for x in each) for each in labels)
