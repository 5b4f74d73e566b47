"""Two files with common codes: what is brought over, what is lost, and what the files then have in common."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.errors import DataError, RecipeError
from schleier.core.schema import Column, Schema
from schleier.lab.harmonise import (
    Crosswalk,
    Lost,
    common_columns,
    compare_margins,
    harmonise,
    restrict_to_observed,
)
from schleier.lab.registers import cumulate


def people(first: Dataset | None = None, key: str | None = None, **columns: Any) -> Dataset:
    table = {name: pa.array(values) for name, values in columns.items()}
    described = [Column(name=name, role="quasi", scale="nominal") for name in columns if name != key]
    return Dataset.from_frame(pa.table(table), Schema(row_key=key, columns=described), first.engine if first else None)


RELEASED = people(status=["6", "7", "K", "9", None], sex=["f", "f", "m", "m", "f"])
KNOWN = people(RELEASED, position=["60", "61", "76", "50"], sex=["f", "m", "m", "f"])
WALK = Crosswalk(
    column="work",
    released_column="status",
    known_column="position",
    released={"worker": ("6", "7"), "helper": ("K",)},
    known={"worker": ("60", "61"), "farmer": ("50",)},
    unmapped="missing",
)


def test_codes_become_common_categories() -> None:
    found = harmonise(RELEASED, KNOWN, [WALK])
    assert found.released.to_arrow().to_pydict() == {
        "work": ["worker", "worker", "helper", None, None],
        "sex": ["f", "f", "m", "m", "f"],
    }
    assert found.known.to_arrow()["work"].to_pylist() == ["worker", "worker", None, "farmer"]
    assert set(found.lost) == {
        Lost("work", "released", "9", 1, "unmapped"),
        Lost("work", "released", "K", 1, "no counterpart"),
        Lost("work", "known", "76", 1, "unmapped"),
        Lost("work", "known", "50", 1, "no counterpart"),
    }
    assert "'76'" not in repr(found)  # digits alone may stand in an address


def test_a_code_nobody_thought_of_stops_everything_unless_it_may_be_missing() -> None:
    strict = WALK.model_copy(update={"unmapped": "error"})
    with pytest.raises(DataError, match="2 codes of column 'work'") as error:
        harmonise(RELEASED, KNOWN, [strict])
    assert "76" not in str(error.value)
    absent = [WALK.model_copy(update={"released_column": "state", "known_column": "place"})]
    with pytest.raises(DataError) as error:
        harmonise(RELEASED, KNOWN, absent)
    assert [p.where for p in error.value.problems] == ["work.released", "work.known"]


def test_a_code_becomes_one_category_only() -> None:
    with pytest.raises(RecipeError, match="one category only"):
        Crosswalk(column="work", released={"a": ("1",), "b": ("1",)}, known={})


def test_files_that_cannot_be_compared_are_refused() -> None:
    assert common_columns(RELEASED, KNOWN) == ("sex",)
    with pytest.raises(DataError, match="no column in common"):
        common_columns(RELEASED, people(RELEASED, income=["1"]))
    with pytest.raises(DataError, match="not both files have the column 'status'"):
        common_columns(RELEASED, KNOWN, ["status", "sex"])
    other = people(RELEASED, sex=["1", "2"], status=["a", None])
    with pytest.raises(DataError) as error:
        common_columns(RELEASED, other)
    assert [(p.code, p.where) for p in error.value.problems] == [
        ("different-codes", "status"),
        ("different-codes", "sex"),
    ]
    assert "'f'" not in str(error.value)


def test_margins_side_by_side() -> None:
    found = compare_margins(RELEASED, KNOWN, ["sex"])["sex"]
    assert (found.values, found.released, found.known) == (("f", "m"), (60.0, 40.0), (50.0, 50.0))
    assert found.points == (-10.0, 10.0) and found.total_variation == 10.0 and found.gap_points == 0.0
    gaps = compare_margins(RELEASED, people(RELEASED, status=["6", None]), ["status"])["status"]
    assert gaps.values[-1] is None and gaps.gap_points == pytest.approx(30.0)


VALUES = st.lists(st.tuples(st.sampled_from(["a", "b", "c", None]), st.sampled_from(["", "x", "y", None])), min_size=1)


@given(VALUES, VALUES)
@settings(max_examples=20, deadline=None)
def test_records_with_values_nobody_has_are_left_out(here: list[Any], there: list[Any]) -> None:
    def file(rows: list[Any]) -> Dataset:
        columns = [pa.array(list(column), pa.string()) for column in zip(*rows, strict=True)]
        schema = Schema(columns=[Column(name=name, scale="nominal") for name in ("u", "v")])
        return Dataset.from_frame(pa.table(dict(zip(("u", "v"), columns, strict=True))), schema, RELEASED.engine)

    known = file(there).to_arrow().to_pylist()
    seen = [{row[name] for row in known} for name in ("u", "v")]
    wanted = [row for row in file(here).to_arrow().to_pylist() if row["u"] in seen[0] and row["v"] in seen[1]]
    assert restrict_to_observed(file(here), file(there), ["u", "v"]).to_arrow().to_pylist() == wanted


def test_registers_put_together_know_more_of_fewer() -> None:
    one = people(key="who", who=["p", "q", "r"], sex=["f", "m", "m"], age=["30", "40", "50"])
    two = people(one, "person", person=["r", "p", "s"], age=["51", "31", "60"], job=["baker", "smith", "cook"])
    found = cumulate([one, two], ["job", "sex", "age"])
    assert found.persons == (3, 2)
    assert found.gained == (("sex", "age"), ("job",))
    assert found.data.to_arrow().to_pylist() == [
        {"sex": "f", "age": "30", "job": "smith"},
        {"sex": "m", "age": "50", "job": "baker"},
    ]
    with pytest.raises(DataError, match="no register has any"):
        cumulate([one], ["income"])
    with pytest.raises(DataError, match="no register to put together"):
        cumulate([], ["income"])
