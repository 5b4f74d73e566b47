"""Unique records with nobody next to them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.risk.local_density import LocalDensity

SCHEMA = Schema(columns=tuple(Column(name=name, role="quasi", scale="nominal") for name in "xyz"))


def data(*rows: str) -> Dataset:
    columns = {name: [None if row[i] == "-" else row[i] for row in rows] for i, name in enumerate("xyz")}
    return Dataset.from_frame(pa.table({n: pa.array(v, pa.string()) for n, v in columns.items()}), SCHEMA)


def look(table: Dataset, **more: Any) -> dict[str, Any]:
    return LocalDensity(**more).measure(Case(table, table), Run()).detail


def test_worked_out_by_hand() -> None:
    """aab has both aaa as neighbours, zzz has none: it differs from everybody in all keys."""
    table = data("aaa", "aaa", "aab", "zzz")
    found = LocalDensity().measure(Case(table, table), Run())
    assert found.value == 0.25
    assert (found.detail["unique"], found.detail["isolated"], found.detail["before"]) == (2, 1, 0.25)
    assert found.detail["neighbours"]["unique"] == [1, 0, 1, 0, 0, 0, 0]
    assert look(table, few=3)["isolated"] == 2


@pytest.mark.parametrize("around", [0, 1, 2, 4, 5, 9, 10, 19, 20, 49, 50, 51])
def test_unique_records_by_how_many_are_around(around: int) -> None:
    """One record that differs in one key from a class of so many, which is counted under its name."""
    told = look(data("aab", *["aaa"] * around))["neighbours"]
    unique = dict(zip(told["bins"], told["unique"], strict=True))
    (name,) = (name for name, many in unique.items() if many == 1 + (around == 1))  # of two both are unique
    low, _, high = name.rstrip("+").partition("-")
    assert int(low) <= around <= (1e9 if name.endswith("+") else int(high or low))


def test_nobody_is_alone_in_an_empty_file() -> None:
    found = LocalDensity().measure(Case(data(), data()), Run())
    assert found.value == found.detail["unique_share"] == found.detail["before"] == 0
    assert look(data("aaa", "zzz"))["unique_share"] == 1


def test_two_keys_apart_is_no_neighbour() -> None:
    assert look(data("aaa", "abb"))["isolated"] == 2
    assert look(data("aaa", "aba"))["isolated"] == 0


def test_a_gap_is_a_value_or_leaves_its_row_out() -> None:
    assert look(data("aa-", "aab"))["isolated"] == 0
    assert look(data("aa-", "aab"), missing="exclude") | {"keys": 0} == {
        "keys": 0,
        "records": 1,
        "unique": 1,
        "unique_share": 1.0,
        "isolated": 1,
        "weighted_share": None,
        "few": 1,
        "before": 1.0,
        "neighbours": {"bins": ["0", "1", "2-4", "5-9", "10-19", "20-49", "50+"], "unique": [1, 0, 0, 0, 0, 0, 0]},
    }


def test_who_it_is_stays_with_the_audit() -> None:
    table, run = data("aaa", "aaa", "aab", "zzz"), Run()
    LocalDensity().measure(Case(table, table), run)
    (make,) = run.by_record.values()
    rows = table.engine.arrays(make().sort("_row_"))
    assert rows["neighbours"].to_pylist() == [1, 1, 2, 0]
    assert rows["isolated"].to_pylist() == [0, 0, 0, 1]


def test_persons_are_counted_beside_records() -> None:
    """zzz is one of three records, and three of five persons; a weight of nobody is not used."""
    weighted = Schema(columns=(*SCHEMA.columns, Column(name="w", role="weight", scale="continuous")))

    def heavy(*weights: float) -> dict[str, Any]:
        rows = data("aaa", "aab", "zzz").to_arrow().append_column("w", pa.array(weights))
        return look(Dataset.from_frame(rows, weighted))

    assert heavy(0.5, 1.5, 3.0)["weighted_share"] == pytest.approx(0.6)
    unusable = heavy(1.0, 0.0, 3.0)
    assert (unusable["weighted_share"], unusable["cautions"]) == (None, ["weights"])
