"""Class tables from rows and from groups are the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.classes import Classes, parts
from schleier.core.classes.request import Request
from schleier.core.data import Dataset
from schleier.core.schema import Column, Schema

KEYS = ("sex", "age", "town")
REQUESTS = [
    Request(KEYS),
    Request(("sex",), sensitive=("ill",)),
    Request(KEYS, sensitive=("ill", "income", "rent"), joint=(("ill", "rent"),)),
    Request(KEYS, weight="weight", sensitive=("income", "rent")),
    Request(KEYS, units="house"),
    Request(KEYS, units="house", members=True, sensitive=("ill", "rent")),
    Request(KEYS, units="house", members=True, weight="weight", compositions=("category",)),
    Request(KEYS, missing="exclude", sensitive=("income",), magnitudes=("income",)),
]


def people(rows: int, weight: float = 1.0) -> Dataset:
    rng = np.random.default_rng(rows)

    def gaps(values: Any) -> Any:
        return pa.array(values, mask=rng.random(rows) < 0.1)

    table = pa.table(
        {
            "sex": gaps(rng.choice(["f", "m"], rows)),
            "age": gaps(rng.integers(0, 9, rows)),
            "town": gaps(rng.choice(["Kiel", "Ulm", "Jena"], rows)),
            "ill": gaps(rng.choice(["no", "yes"], rows)),
            "income": gaps(rng.integers(0, 50, rows).astype(np.float64)),
            "rent": gaps(rng.integers(0, 3, rows)),
            "house": gaps(rng.integers(0, rows // 2 + 1, rows)),
            "weight": rng.random(rows) * weight + 0.5,
        }
    )
    roles = {**dict.fromkeys(KEYS, "quasi"), **dict.fromkeys(("ill", "income", "rent"), "sensitive")}
    roles |= {"house": "unit", "weight": "weight"}
    scales = {"age": "discrete", "rent": "discrete", "income": "continuous", "weight": "continuous"}
    columns = [Column(name=name, role=roles[name], scale=scales.get(name, "nominal")) for name in table.column_names]
    return Dataset.from_frame(table, Schema(columns=columns))


def told(classes: Classes) -> Iterator[Any]:
    """All that a table says, as plain values."""
    amounts = (classes.codes, classes.sizes, classes.weights, classes.squares, classes.units)
    yield from (None if each is None else each.tolist() for each in amounts)
    yield [values.to_pylist() for values in classes.values]
    yield classes.excluded
    for name, found in classes.histograms.items():
        yield name, found.values.to_pylist(), found.classes.tolist(), found.codes.tolist(), found.counts.tolist()
        yield found.totals.tolist()
    held = classes.members
    yield held and [held.classes.tolist(), held.units.tolist(), held.rows.tolist()]
    for name, amount in classes.magnitudes.items():
        yield name, amount.sums.tolist(), amount.largest().tolist(), amount.contributors.tolist()
    for missing, alike in classes.compositions.items():
        yield missing, repr(alike)


def ways(data: Dataset, request: Request, monkeypatch: pytest.MonkeyPatch) -> list[list[Any]]:
    """The table from rows and from groups."""
    found = []
    for few in (parts.FEW, -1):
        monkeypatch.setattr(parts, "FEW", few)
        found.append(list(told(data.classes(request))))
    return found


@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize("rows", [0, 1, 300])
def test_rows_and_groups_tell_the_same(rows: int, request_: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    one_by_one, grouped = ways(people(rows), request_, monkeypatch)
    assert one_by_one == grouped


def test_weights_too_large_to_be_added_row_by_row_are_grouped(monkeypatch: pytest.MonkeyPatch) -> None:
    data, request = people(300, weight=1e11), Request(("sex",), weight="weight")
    one_by_one, grouped = ways(data, request, monkeypatch)
    assert one_by_one == grouped
    assert sum(one_by_one[2]) > 1e12  # more millionths than 64 bits hold


def test_rows_that_are_mostly_alike_are_grouped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "LOOK", 64)
    seen: list[int] = []
    monkeypatch.setattr(parts, "_rows", lambda *_: seen.append(1))  # tells nothing, so groups are asked for
    data = people(300)
    data.classes(Request(("sex",)))
    assert not seen
    data.classes(Request(KEYS, sensitive=("income",)))
    assert seen
