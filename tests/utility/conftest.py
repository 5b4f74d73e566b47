"""The patients of LeFevre, DeWitt and Ramakrishnan (2006), figure 1, and two releases of them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.hierarchy import parse
from schleier.core.measure import Case
from schleier.core.schema import Column, Schema

SCHEMA = Schema(
    row_key="id",
    columns=(
        Column(name="age", role="quasi", scale="nominal", hierarchy="age"),
        Column(name="sex", role="quasi", scale="nominal"),
        Column(name="zip", role="quasi", scale="nominal", hierarchy="zip"),
        Column(name="ill", role="sensitive", scale="nominal"),
    ),
    hierarchies={
        "age": parse(
            {"rows": [["25", "25-26", "*"], ["26", "25-26", "*"], ["27", "27-28", "*"], ["28", "27-28", "*"]]}
        ),
        "zip": parse({"rows": [["53710", "53710-53711", "*"], ["53711", "53710-53711", "*"], ["53712", "53712", "*"]]}),
    },
)
ILL = ["flu", "hepatitis", "bronchitis", "arm", "aids", "hang nail"]
ROWS: dict[str, list[Any]] = {
    "id": list("abcdef"),
    "age": ["25", "25", "26", "27", "27", "28"],
    "sex": ["m", "f", "m", "m", "f", "m"],
    "zip": ["53711", "53712", "53711", "53710", "53712", "53711"],
    "ill": ILL,
}


def dataset(schema: Schema = SCHEMA, **columns: list[Any]) -> Dataset:
    """The patients with some columns replaced; shorter columns leave the last patients out."""
    rows = min(len(column) for column in columns.values()) if columns else 6
    return Dataset.from_frame(pa.table({n: columns.get(n, c)[:rows] for n, c in ROWS.items()}), schema)


@pytest.fixture(scope="session")
def patients() -> Dataset:
    return dataset()


@pytest.fixture(scope="session")
def single(patients: Dataset) -> Case:
    """Figure 3: single-dimensional, two classes of four and two."""
    zips = ["53710-53711", "53712", "53710-53711", "53710-53711", "53712", "53710-53711"]
    return Case(patients, dataset(age=["*"] * 6, zip=zips))


@pytest.fixture(scope="session")
def multi(patients: Dataset) -> Case:
    """Figure 4: multidimensional, three classes of two; [25-27] is no label of the hierarchy."""
    ages = ["25-26", "25-27", "25-26", "27-28", "25-27", "27-28"]
    zips = ["53711", "53712", "53711", "53710-53711", "53712", "53710-53711"]
    return Case(patients, dataset(age=ages, zip=zips))
