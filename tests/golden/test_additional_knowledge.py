"""Additional knowledge of 1987 and how it was brought to common codes: Müller, Blien, Knoche and Wirth (1991).

Specification, part B, 3.7 and 3.15. L is the line of the scanned text.
"""

from __future__ import annotations

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.schema import Column, Schema
from schleier.lab.harmonise import Crosswalk, Margin, harmonise
from schleier.lab.registers import cumulate

TABLE_8_1 = {
    "in training": (13.0, 5.7),
    "none": (22.6, 4.4),
    "apprenticeship": (49.8, 57.6),
    "internship": (1.2, 1.9),
    "master": (4.9, 7.2),
    "Fachhochschule": (2.7, 3.9),
    "university": (5.7, 6.2),
    None: (0.7, 13.1),
}
"""Vocational qualification in microcensus and survey, in per cent (L12709-12723); the first column adds up to 100.6."""


def test_table_8_1() -> None:
    """Non-response differs by 12.4 points (L12765); the total variation is derived."""
    found = Margin(tuple(TABLE_8_1), *map(tuple, zip(*TABLE_8_1.values(), strict=True)))
    assert found.gap_points == pytest.approx(12.4)
    assert found.total_variation == pytest.approx(25.2)
    assert found.points[:2] == pytest.approx((-7.3, -18.2))
    assert (sum(found.released), sum(found.known)) == pytest.approx((100.6, 100.0))


def test_overview_8_5() -> None:
    """L12625-12700: occupational status of both files in nine common categories; 76 has none."""
    census = ["0", "1", "2", "3", "4", "5", "67", "KL", "M"]
    survey = ["10 20", "21 22 11", "30", "40 41 42 43", "50 51 52 53 54 64", "60 61 62 63", "74 79", "77", "78"]
    walk = Crosswalk(
        column="status",
        released={str(i): tuple(codes) for i, codes in enumerate(census)},
        known={str(i): tuple(codes.split()) for i, codes in enumerate(survey)},
        unmapped="missing",
    )
    schema = Schema(columns=[Column(name="status", role="quasi", scale="nominal")])
    here = Dataset.from_frame(pa.table({"status": list("".join(census))}), schema)
    there = Dataset.from_frame(pa.table({"status": [*" ".join(survey).split(), "76"]}), schema, here.engine)
    found = harmonise(here, there, [walk])
    assert found.released.to_arrow()["status"].to_pylist() == list("01234566778")
    assert [(one.file, one.code, one.why) for one in found.lost] == [("known", "76", "unmapped")]
    assert found.known.to_arrow()["status"].null_count == 1


def test_registers_of_a_physician() -> None:
    """L10207-10224: eight columns of the population register, and two new ones from each of two others: twelve."""
    population = [f"p{i}" for i in range(8)]
    physicians = [*population[:3], "occupation", "occupational_status"]
    family = [*population[2:6], "year_of_marriage", "children"]

    def register(names: list[str], persons: int, first: Dataset | None = None) -> Dataset:
        table = {"person": [f"n{i}" for i in range(persons)]} | {name: ["1"] * persons for name in names}
        columns = [Column(name=name, role="quasi", scale="nominal") for name in names]
        return Dataset.from_frame(
            pa.table(table), Schema(row_key="person", columns=columns), first.engine if first else None
        )

    first = register(population, 30)
    files = [first, register(physicians, 20, first), register(family, 25, first)]
    found = cumulate(files, [*population, *physicians[3:], *family[4:]])
    assert [len(new) for new in found.gained] == [8, 2, 2]
    assert len(found.data.schema.names) == 12
    assert found.persons == (30, 20, 20)
