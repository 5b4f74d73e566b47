"""Files that disagree as declared: at the rate that was asked for, by row and file, and nowhere else."""

from __future__ import annotations

import datetime
import tomllib
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import DataError, RecipeError, SchleierError
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.lab.mistakes import Mistakes, preset, spoil, spoil_both

ROWS = 4000
SCHEMA = Schema(
    row_key="id",
    columns=[
        Column(name="sex", role="quasi", scale="nominal"),
        Column(name="age", role="quasi", scale="discrete"),
        Column(name="job", role="quasi", scale="nominal"),
        Column(name="job_2", role="quasi", scale="nominal"),
        Column(name="born", role="quasi", scale="time"),
        Column(name="pay", role="sensitive", scale="continuous"),
    ],
)


def table(rows: int = ROWS) -> pa.Table:
    rng = np.random.default_rng(1)
    gone = rng.random(rows) < 0.7
    jobs = rng.integers(10, 40, rows)
    return pa.table(
        {
            "id": [f"p{i}" for i in range(rows)],
            "sex": rng.choice(["f", "m"], rows),
            "age": pa.array(rng.integers(18, 80, rows), mask=rng.random(rows) < 0.1),
            "job": [str(job) for job in jobs],
            "job_2": pa.array([f"second {job}" for job in jobs], mask=gone),
            "born": [datetime.date(1950, 1, 1) + datetime.timedelta(int(day)) for day in rng.integers(0, 9000, rows)],
            "pay": rng.normal(2000, 300, rows),
        }
    )


TABLE = table()


def loaded(rows: pa.Table = TABLE) -> Dataset:
    return Dataset.from_frame(rows, SCHEMA)


def spoiled(file: str = "known", seed: int = 0, **columns: Any) -> pa.Table:
    return spoil(loaded(), Mistakes(file=file, columns=columns), Run(key=bytes([seed]) * 32)).to_arrow()


BEFORE = loaded().to_arrow()


def changed(after: pa.Table, name: str) -> np.ndarray:
    """Which rows have another value than before; those without a value are left out."""
    there = np.asarray(BEFORE[name].is_valid())
    return np.asarray(pc.fill_null(pc.not_equal(after[name], BEFORE[name]), True))[there]


def near(found: np.ndarray, rate: float) -> bool:
    return abs(found.mean() - rate) <= 5 * np.sqrt(rate * (1 - rate) / len(found))


@pytest.mark.parametrize(
    ("column", "mistake"),
    [
        ("sex", {"mistake": "category", "rate": 0.05}),
        ("age", {"mistake": "number", "rate": 0.1, "deviation": 1.5}),
        ("job", {"mistake": "neighbour", "rate": 0.2, "spread": 2}),
        ("pay", {"mistake": "number", "rate": 0.3, "deviation": 50}),
        ("born", {"mistake": "date", "rate": 0.15, "days": 90}),
        ("job", {"mistake": "missing", "rate": 0.4}),
        ("job", {"mistake": "alternative", "rate": 0.1, "second": "job_2"}),
    ],
)
def test_as_many_are_wrong_as_declared(column: str, mistake: dict[str, Any]) -> None:
    run = Run(key=bytes(32))
    after = spoil(loaded(), Mistakes(columns={column: mistake}), run).to_arrow()
    m = BEFORE["job_2"].null_count / ROWS
    rate = 0.1 + 0.5 * (1 - m) * 0.9 if mistake["mistake"] == "alternative" else mistake["rate"]
    assert near(changed(after, column), rate)
    assert after.drop_columns([column]) == BEFORE.drop_columns([column])
    assert after.schema == BEFORE.schema
    note = run.notes[-1]
    assert note.visibility == "restricted"
    assert note.facts["changed"][column] == pytest.approx(changed(after, column).sum() / ROWS)
    if mistake["mistake"] != "missing":
        assert after[column].is_null() == BEFORE[column].is_null()


def test_mistakes_are_where_they_belong() -> None:
    after = spoiled(
        job={"mistake": "neighbour", "rate": 0.5, "spread": 1},
        born={"mistake": "date", "rate": 0.5, "days": 30, "direction": "earlier"},
        age={"mistake": "number", "rate": 0.5, "deviation": 2},
    )
    off = np.abs(np.array(after["job"].cast(pa.int64())) - np.array(BEFORE["job"].cast(pa.int64())))
    assert off.max() <= 6 and (off == 1).sum() > (off == 2).sum() > (off == 3).sum() > 0
    days = np.asarray(pc.subtract(after["born"], BEFORE["born"]).cast(pa.int64()))
    assert days.min() < 0 == days.max()
    ages = np.asarray(pc.subtract(after["age"], BEFORE["age"]).drop_null())
    assert (np.abs(ages[ages != 0]) >= 1).all() and abs(ages.mean()) < 0.2


def test_some_categories_go_wrong_in_their_own_way() -> None:
    way = {"mistake": "category", "rate": 0.0, "rates": {"10": 1.0}, "to": {"10": {"11": 3, "12": 1}}}
    after = spoiled(job=way)
    here = np.array(BEFORE["job"].to_pylist())
    now = np.array(after["job"].to_pylist())
    assert (now[here != "10"] == here[here != "10"]).all()
    assert set(now[here == "10"]) == {"11", "12"}
    assert near(now[here == "10"] == "11", 0.75)


def test_an_order_says_who_is_beside_whom() -> None:
    words = sorted(set(BEFORE["job"].to_pylist()), key=lambda word: (word[1], word[0]))
    after = spoiled(job={"mistake": "neighbour", "rate": 1.0, "spread": 0.3, "order": words})
    place = {word: i for i, word in enumerate(words)}
    pairs = zip(BEFORE["job"].to_pylist(), after["job"].to_pylist(), strict=True)
    assert {abs(place[one] - place[other]) for one, other in pairs} == {1}


def test_draws_follow_the_row_the_file_and_the_key() -> None:
    way = {"age": {"mistake": "number", "rate": 0.3, "deviation": 2}}
    mistakes, run = Mistakes(columns=way), Run(key=bytes(32))
    first = spoil(loaded(), mistakes, run).to_arrow()
    order = np.random.default_rng(5).permutation(ROWS)
    assert spoil(loaded(TABLE.take(pa.array(order))), mistakes, Run(key=bytes(32))).to_arrow() == first
    part = spoil(loaded(TABLE.slice(0, 500)), mistakes, Run(key=bytes(32))).to_arrow()
    keys = sorted(TABLE["id"].to_pylist())
    chosen = [i for i, key in enumerate(keys) if int(key[1:]) < 500]
    assert part["age"].to_pylist() == first["age"].take(pa.array(chosen)).to_pylist()
    assert spoiled(seed=1, **way)["age"] != first["age"]
    wrong, other = changed(first, "age"), changed(spoiled(file="release", **way), "age")
    assert near(wrong & other, 0.09) and near(other, 0.3)  # independent of each other


def test_both_files_have_mistakes_of_their_own() -> None:
    sex = {"sex": {"mistake": "category", "rate": 0.2}}
    released, known = spoil_both(loaded(), Mistakes(file="release", columns=sex), Mistakes(columns=sex), Run())
    pairs = np.asarray(pc.not_equal(released.to_arrow()["sex"], known.to_arrow()["sex"]))
    assert near(pairs, 2 * 0.2 * 0.8)
    with pytest.raises(RecipeError, match="same name"):
        spoil_both(loaded(), Mistakes(columns=sex), Mistakes(columns=sex), Run())


def test_mistakes_stand_in_toml() -> None:
    text = """
    file = "register"
    [columns]
    sex = {mistake = "category", rate = 0.001}
    age = [{mistake = "number", rate = 0.1, deviation = 1.5}, {mistake = "missing", rate = 0.3}]
    """
    mistakes = Mistakes.model_validate(tomllib.loads(text))
    assert [one.mistake for one in mistakes.columns["age"]] == ["number", "missing"]
    assert Mistakes.model_validate(mistakes.model_dump()) == mistakes
    gone = spoil(loaded(), mistakes, Run(key=bytes(32))).to_arrow()["age"]
    assert near(np.asarray(gone.is_null())[np.asarray(BEFORE["age"].is_valid())], 0.3)


def test_everything_wrong_is_said_at_once() -> None:
    columns = {
        "agee": {"mistake": "missing", "rate": 0.1},
        "sex": {"mistake": "number", "rate": 0.1, "deviation": 1},
        "age": {"mistake": "date", "rate": 0.1, "days": 1},
        "job": {"mistake": "alternative", "rate": 0.1, "second": "job_3"},
    }
    with pytest.raises(RecipeError) as error:
        spoil(loaded(), Mistakes(columns=columns), Run())
    assert [p.code for p in error.value.problems] == [
        "unknown-column", "not-numeric", "not-a-date-column", "unknown-column"
    ]  # fmt: skip
    with pytest.raises(RecipeError):
        Mistakes(columns={"age": {"mistake": "missing", "rate": 1.5}})
    with pytest.raises(RecipeError):
        Mistakes(columns={"age": {"mistake": "forgotten", "rate": 0.5}})


@pytest.mark.parametrize(
    ("column", "mistake", "code"),
    [
        ("sex", {"mistake": "category", "rate": 0.1, "to": {"secret": {"f": 1}}}, "category-not-there"),
        ("sex", {"mistake": "neighbour", "rate": 0.1, "order": ["f", "x"]}, "not-in-order"),
        ("pay", {"mistake": "category", "rate": 0.1}, "too-many-different-values"),
        ("job", {"mistake": "alternative", "rate": 0.1, "second": "age"}, "different-kinds"),
    ],
)
def test_no_value_is_told_in_an_error(column: str, mistake: dict[str, Any], code: str) -> None:
    with pytest.raises(DataError) as error:
        spoiled(**{column: mistake})
    assert [p.code for p in error.value.problems] == [code]
    assert "secret" not in str(error.value) and "'m'" not in str(error.value)


def test_unknown_presets_are_refused() -> None:
    with pytest.raises(SchleierError, match="process_1"):
        preset("process_9", {"job": "occupation"})
    with pytest.raises(SchleierError, match="no published rate 'religion'"):
        preset("process_1", {"job": "religion"})
