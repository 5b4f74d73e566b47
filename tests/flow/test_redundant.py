"""Keys that can be computed from others: found where a formula holds, and nowhere else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.classes.request import Request
from schleier.core.data import Dataset
from schleier.core.schema import Column, Schema
from schleier.flow.inspect.changes.best import best_changes
from schleier.flow.redundant import redundant_keys
from schleier.report.language import Words


def keys(**columns: Any) -> Dataset:
    schema = Schema(columns=[Column(name=name, role="quasi", scale="continuous") for name in columns])
    return Dataset.from_frame(pa.table({name: np.asarray(c, np.float64) for name, c in columns.items()}), schema)


def drawn(rows: int = 1000) -> dict[str, Any]:
    rng = np.random.Generator(np.random.Philox(key=5))
    return {
        "tall": rng.integers(150, 200, rows),
        "heavy": rng.integers(45, 120, rows),
        "age": rng.integers(18, 90, rows),
    }


def body() -> Dataset:
    people = drawn()
    return keys(**people, index=np.round(people["heavy"] / (people["tall"] / 100) ** 2, 1))


@pytest.mark.parametrize(
    "formula",
    [
        lambda one: one["heavy"] + one["tall"],
        lambda one: one["heavy"] * one["tall"] / 7,
        lambda one: np.round(one["heavy"] / (one["tall"] / 100) ** 2, 1),
    ],
)
def test_sums_products_and_ratios_are_found(formula: Any) -> None:
    people = drawn()
    (found,) = redundant_keys(keys(**people, made=formula(people)))
    assert found.column == "made" and set(found.sources) == {"tall", "heavy"}


def test_what_is_only_near_is_no_formula() -> None:
    people = drawn()
    rng = np.random.Generator(np.random.Philox(key=6))
    years = 2000 + rng.integers(0, 20, 1000)  # all of them within a hundredth of each other
    loose = people["heavy"] + people["tall"] + rng.normal(0, 10, 1000)
    assert redundant_keys(keys(**people, year=years)) == ()
    assert redundant_keys(keys(**people, loose=loose)) == ()


def test_records_that_deviate_and_gaps_do_not_hide_it() -> None:
    people = drawn()
    made = (people["heavy"] + people["tall"]).astype(float)
    made[::50] += 30
    made[7] = np.nan
    table = keys(**people, made=made)
    assert [one.column for one in redundant_keys(table)] == ["made"]


def test_too_few_keys_or_records_say_nothing() -> None:
    people = drawn(30)
    assert redundant_keys(keys(**people, made=people["heavy"] + people["tall"])) == ()
    few = {name: column[:40] for name, column in twins().items()}
    assert redundant_keys(words(**few)) == ()


def twins() -> dict[str, list[Any]]:
    """A code beside its label, both with gaps."""
    codes = [int(code) for code in drawn()["age"] % 9]
    labels = [None if code == 3 else f"position {code * 7 % 11}" for code in codes]
    return {"code": [None if code == 3 else code for code in codes], "label": labels}


def words(**columns: Any) -> Dataset:
    scales = {name: "discrete" if name == "code" else "nominal" for name in columns}
    schema = Schema(columns=[Column(name=name, role="quasi", scale=scales[name]) for name in columns])
    return Dataset.from_frame(pa.table(columns), schema)


def test_of_a_code_and_its_label_the_label_stays() -> None:
    (found,) = redundant_keys(words(**twins()))
    assert (found.column, found.sources) == ("code", ("label",))
    (found,) = redundant_keys(keys(tall=drawn()["tall"], double=2 * drawn()["tall"]))
    assert (found.column, found.sources) == ("double", ("tall",))


def test_values_that_go_together_by_chance_do_not_say_the_same() -> None:
    mine = {name: [f"{name} {n}" for n in range(1000)] for name in ("one", "other")}  # everybody has his own
    assert redundant_keys(words(**mine)) == ()
    rare = {name: ["yes" if n in (17, 400) else "no" for n in range(1000)] for name in ("one", "other")}
    assert redundant_keys(words(**rare)) == ()
    coarser = {"fine": [f"f {n % 12}" for n in range(1000)], "coarse": [f"c {n % 12 // 2}" for n in range(1000)]}
    assert redundant_keys(words(**coarser)) == ()


def test_changes_begin_with_what_can_be_computed() -> None:
    data = body()
    classes = data.classes(Request(keys=data.schema.quasi))
    before = best_changes(classes, data.schema)
    first, *others = best_changes(classes, data.schema, redundant=redundant_keys(data))
    assert (first.columns, first.follows, first.steps) == (
        ("index",),
        ("tall", "heavy"),
        ({"method": "drop", "columns": ["index"]},),
    )
    assert len(others) <= 2 and all(change.alone is None for change in others)
    assert others[-1].together.score < before[-1].together.score if before else True
    assert {change.columns[0] for change in others} <= {"tall", "heavy", "age"}


@pytest.mark.parametrize(("lang", "said"), [("en", "can be computed from"), ("de", "lässt sich aus")])
def test_it_is_said_in_words(lang: str, said: str) -> None:
    from schleier.report.inspection.changes import _what

    data = body()
    classes = data.classes(Request(keys=data.schema.quasi))
    change = best_changes(classes, data.schema, redundant=redundant_keys(data))[0]
    assert said in _what(change, set(), data.rows, Words.of(lang))
