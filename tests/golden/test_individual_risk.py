"""Individual risks as other software gives them."""

from __future__ import annotations

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.risk.individual_risk import IndividualRisk

# What the tests of the R package sdcMicro expect of freqCalc() followed by indivRisk(method = "exact", survey = TRUE):
# eight records with three keys and decimal weights. A missing key may be anything there.
WEIGHTS = [18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51.0]
COMPLETE = {"a": [2, 3, 2, 2, 3, 3, 1, 2], "b": [3, 3, 3, 3, 3, 3, 4, 3], "c": [1, 3, 1, 2, 1, 1, 1, 1]}
GAPS = {"a": [2, 3, 2, 2, 3, 3, 1, None], "b": [3, 3, 3, 3, 3, 3, 4, 3], "c": [1, 3, None, 2, 1, 1, None, 1]}
EXACT = {
    "complete": [0.01355297, 0.08579129, 0.01355297, 0.17707583, 0.01877883, 0.01877883, 0.03931625, 0.01355297],
    "gaps": [
        *(0.013552968, 0.085791288, 0.010504889, 0.032466112),
        *(0.009756889, 0.009756889, 0.039316254, 0.005962551),
    ],
}


@pytest.mark.parametrize(("name", "keys"), [("complete", COMPLETE), ("gaps", GAPS)])
def test_risks_of_sdcmicro(name: str, keys: dict[str, list[int | None]]) -> None:
    quasi = tuple(Column(name=key, role="quasi", scale="nominal") for key in keys)
    schema = Schema(columns=(*quasi, Column(name="w", role="weight", scale="continuous")))
    columns = {key: pa.array(values, pa.int64()) for key, values in keys.items()}
    data = Dataset.from_frame(pa.table({**columns, "w": WEIGHTS}), schema)
    run = Run(key=bytes(32))
    finding = IndividualRisk(missing="wildcard", model="negative_binomial").measure(Case(data, data), run)
    (make,) = run.by_record.values()
    found = data.engine.arrays(make().sort("_row_"))["risk"].to_pylist()
    assert found == pytest.approx(EXACT[name], abs=5e-9)
    assert finding.detail["expected"] == pytest.approx(sum(EXACT[name]), abs=4e-8)
