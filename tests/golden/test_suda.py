"""Published scores of SUDA and DIS-SUDA."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.risk.suda import Suda


def measured(table: dict[str, list[Any]], **parameters: Any) -> tuple[Finding, dict[str, list[float]]]:
    """The finding, and what is kept about single records, in their order."""
    schema = Schema(columns=[Column(name=name, role="quasi", scale="nominal") for name in table])
    data, run = Dataset.from_frame(pa.table(table), schema), Run()
    finding = Suda(**{"most": len(table), "fraction": 0.01, **parameters}).measure(Case(data, data), run)
    (make,) = run.by_record.values()
    found = data.engine.arrays(make().sort(data.schema.key))
    return finding, {name: found.column(name).to_pylist() for name in found.column_names}


# Benschop, Machingauta, Welch: Statistical Disclosure Control, A Practice Guide, chapter "Measuring Risk",
# tables 4.4 and 4.5: ten records, the score of each (M = 3), its DIS-SUDA (docs/measure_risk.rst, lines 774 to 981).
PEOPLE = {
    "residence": ["urban"] * 4 + ["rural"] + ["urban"] * 5,
    "gender": list("fffmfmfmff"),
    "education": ["s-", "s-", "p-", "s", "s", "s", "p", "post", "s-", "s-"],
    "labour": ["e", "e", "n", "e", "u", "e", "n", "u", "n", "n"],
}
SCORES = [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]


@pytest.mark.parametrize("most", [3, 4])
def test_scores_of_the_practice_guide(most: int) -> None:
    """With M = 3, as printed; no record needs all four columns, so that M = 4 gives the same."""
    finding, records = measured(PEOPLE, most=most)
    assert records["score"] == SCORES
    assert records["minimal_uniques"][4] == 4  # rural; and three pairs of columns, named in the text
    assert finding.detail["unique"] == 4 and finding.value == 0.4


def test_dis_suda_of_the_practice_guide() -> None:
    """Printed in the listing below table 4.5, of a program with the weights of the IHSN, at a fraction of 0.01."""
    _, records = measured(PEOPLE, scoring="ihsn")
    assert records["score"] == [0, 0, 1.75, 0, 3.25, 0, 1.75, 2.75, 0, 0]
    printed = [0, 0, 0.005120313, 0, 0.010702061, 0, 0.005120313, 0.008775093, 0, 0]
    assert records["dis_suda"] == pytest.approx(printed, abs=5e-9)  # its numbers have single precision


def test_scores_of_the_book() -> None:
    """Templ: Statistical Disclosure Control for Microdata, 2017; as the package sdcMicro checks it in test_suda2.R."""
    book = {
        "age": ["20s"] * 7 + ["60s"],
        "gender": list("mmmmfffm"),
        "income": ["50k+"] * 2 + ["50k-"] * 6,
        "education": ["h"] * 4 + ["u", "h", "m", "u"],
    }
    _, records = measured(book)
    assert records["score"][4:] == [4, 2, 6, 8]


@pytest.mark.parametrize("order", ["abc", "acb", "cab", "cba"])
def test_contributions_of_sdcmicro(order: str) -> None:
    """Three records, the same file: 50, 37.5 and 37.5 per cent of the total score, in any order of the columns."""
    columns = {"a": [2, 1, 1], "b": [0, 3, 0], "c": [0, 6, 0]}
    finding, _ = measured({name: columns[name] for name in order})
    shares = {name: one["score_share"] for name, one in finding.detail["columns"].items()}
    assert shares == {"a": 0.5, "b": 0.375, "c": 0.375}
