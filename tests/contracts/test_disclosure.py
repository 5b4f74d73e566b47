"""What leaves the released file unchanged leaves what is published unchanged: nobody who was capped, blanked or left
out comes back through a number, and nobody sees his own value in one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import narwhals as nw
import pyarrow as pa
import pytest

from schleier.core.amount import GRIDS
from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.registry import get
from schleier.core.run import Run
from schleier.testing import ROW_KEY, example_table

from .conftest import KEY, made, to_do

Load = Callable[..., Dataset]
CAPPED, DROPPED, BLANKED = 5, 17, 30
LIMIT = 4000.0
INCOMES = {("income", CAPPED): 1000.0, ("income", DROPPED): 10.0, ("income", BLANKED): 1.5}
HIDDEN = INCOMES | {("age", DROPPED): 0.5, ("weight", DROPPED): 10.0}
"""Values of which the released file shows nothing, and by how much they are multiplied."""
GREAT = 1e6
TRIED = 0.05
"""What attacks came to is told in twentieths."""


def table(changes: dict[tuple[str, int], float]) -> pa.Table:
    """The example, with some people who stand out, and some of their values multiplied."""
    found = example_table()
    values = {name: found[name].to_pylist() for name in ("income", "age", "weight")}
    for row, income in ((CAPPED, 9000.0), (DROPPED, 7000.0), (BLANKED, 6000.0)):
        values["income"][row] = income
    values["age"][DROPPED] = 88
    for (name, row), factor in changes.items():
        values[name][row] = type(values[name][row])(values[name][row] * factor)
    for name, column in values.items():
        kind = found.schema.field(name).type
        found = found.set_column(found.column_names.index(name), name, pa.array(column, kind))
    return found


def case(load: Load, changes: dict[tuple[str, int], float]) -> Case:
    """A release in which a value is capped, a record is left out and a cell is blank."""
    rows = table(changes)
    keys, original = rows[ROW_KEY].to_pylist(), load(rows)
    income = nw.when(nw.col("income") > LIMIT).then(nw.lit(LIMIT)).otherwise(nw.col("income"))
    blank = nw.when(nw.col(ROW_KEY) == keys[BLANKED]).then(nw.lit(None)).otherwise(income)
    released = original.filter(nw.col(ROW_KEY) != keys[DROPPED]).mutate(income=blank)
    step = get("method", "top_code")(column="income", upper=LIMIT)
    return Case(original, released, steps=(step.fit(original, Run(key=KEY)),))


def found(measure: Any, one: Case, *, gate: bool = True) -> tuple[Finding | None, list[Any]]:
    """What is published: the finding, and what else the report says."""
    run = Run(key=KEY)
    with run.within("measure"):
        exact = measure.measure(one, run)
        public = measure.disclose(one, run, exact) if gate else exact
    return public, [note.facts for note in run.notes if note.visibility == "public"]


def numbers(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every entry inside tables and lists, by its path."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    for key, one in parts:
        yield from numbers(one, f"{path}.{key}")
    if not isinstance(value, dict | list | tuple):
        yield path, value


def differing(one: tuple[Finding | None, list[Any]], other: tuple[Finding | None, list[Any]], rows: int) -> list[str]:
    """Entries that differ by more than one record makes: in a count, or in a share told in hundredths."""
    told = [
        {
            "finding": part[0] and part[0].model_dump(exclude={"text"}),
            "text": _numbers_of(part[0].text) if part[0] else [],
            "notes": part[1],
        }
        for part in (one, other)
    ]
    first, second = (dict(numbers(part)) for part in told)
    return [p for p in {*first, *second} if not _alike(first.get(p), second.get(p), rows)]


def _numbers_of(text: str) -> list[float]:
    """The numbers in a sentence, shares as such."""
    found = re.findall(r"(\d+(?:\.\d+)?)( ?%)?", text)
    return [
        float(number) / 100 if percent else float(number) if "." in number else int(number) for number, percent in found
    ]


def _alike(one: Any, other: Any, rows: int) -> bool:
    if isinstance(one, bool | str | None) or isinstance(other, bool | str | None):
        return bool(one == other)
    slack = 1 if isinstance(one, int) and isinstance(other, int) else 1 / rows
    grid = next((grid for grid in (TRIED, GRIDS[0]) if all(_on(grid, each) for each in (one, other))), 0.0)
    return abs(one - other) <= max(slack, grid) + 1e-12


def _on(grid: float, value: float) -> bool:
    return abs(value / grid - round(value / grid)) < 1e-9


@pytest.fixture(scope="module")
def cases(load: Load) -> tuple[Case, Case]:
    """Two originals that differ in what the release hides alone."""
    return case(load, {}), case(load, dict(HIDDEN))


def test_hidden_values_change_nothing(measure: str, cases: tuple[Case, Case]) -> None:
    one = made("measure", measure)
    before, after = (found(one, each) for each in cases)
    told = "what everybody reads follows from values that the release hides: see core/amount.py"
    assert differing(before, after, len(example_table())) == [], to_do("measure", measure, told)


def test_without_the_gate_hidden_values_come_back(load: Load) -> None:
    one = get("measure", "moments")()
    before = found(one, case(load, {}), gate=False)
    for hidden in INCOMES:
        assert differing(before, found(one, case(load, {hidden: 1000.0}), gate=False), 240)


LARGE = 100


def dominated(load: Load, most: float) -> Case:
    """A unit that is released as it is, and holds nearly all of a column."""
    rows = example_table()
    income = [most if i == LARGE else value for i, value in enumerate(rows["income"].to_pylist())]
    original = load(rows.set_column(rows.column_names.index("income"), "income", pa.array(income, pa.float64())))
    age = nw.when(nw.col("age") > 80).then(nw.lit(80)).otherwise(nw.col("age"))
    return Case(original, original.mutate(age=age))


@pytest.fixture(scope="module")
def large(load: Load) -> tuple[Case, Case]:
    """Two files that differ in the value of the unit that holds nearly all."""
    return dominated(load, GREAT), dominated(load, 3 * GREAT)


def told_of_income(measure: Any, one: Case) -> dict[str, Any]:
    """What is published of the column, what anybody computes from a public file aside."""
    public, _ = found(measure, one)
    parts = dict(numbers(public.detail)) if public else {}
    return {path: value for path, value in parts.items() if "income" in path.split(".") and ".after." not in path}


def test_nobody_sees_his_own_value(measure: str, large: tuple[Case, Case]) -> None:
    """Nothing that depends on the amount is told of a column that one unit holds alone; counts may be."""
    if get("measure", measure).kind == "risk":
        pytest.skip("looks at numbers of records")
    one = made("measure", measure)
    said = "tells of a column that is one unit's alone: see core/amount.py"
    assert told_of_income(one, large[0]) == told_of_income(one, large[1]), to_do("measure", measure, said)


def test_without_the_gate_it_is_seen(large: tuple[Case, Case], monkeypatch: pytest.MonkeyPatch) -> None:
    one = get("measure", "similarity")(columns=["income", "age"])
    for case in large:
        assert not any(isinstance(value, float) for value in told_of_income(one, case).values())
    monkeypatch.setattr("schleier.utility._comparison.enough", lambda values, units: True)
    assert any(isinstance(value, float) for value in told_of_income(one, large[0]).values())
