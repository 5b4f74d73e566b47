from __future__ import annotations

import pytest

from schleier.core.data import Dataset
from schleier.core.hierarchy import parse
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.recode import Recode
from schleier.utility.precision_loss import PrecisionLoss

RUN = Run(key=bytes(32))
RACES = {"rows": [[race, "person", "*"] for race in ("asian", "black", "white")]}
SCHEMA = Schema(
    columns=(
        Column(name="race", role="quasi", scale="nominal", hierarchy="race"),
        Column(name="zip", role="quasi", scale="nominal", hierarchy="zip"),
    ),
    hierarchies={"race": parse(RACES), "zip": parse({"prefix": [4, 3]})},
)


@pytest.mark.parametrize(
    ("levels", "precision"), [((0, 0), 1.0), ((1, 0), 0.75), ((1, 1), 0.58), ((0, 2), 0.67), ((0, 1), 0.83)]
)
def test_precision_of_sweeneys_example(levels: tuple[int, int], precision: float) -> None:
    """Sweeney (2002), Achieving k-anonymity privacy protection, section 2.4: heights 2 and 3."""
    import pyarrow as pa

    rows = pa.table({"race": ["asian", "black", "white"], "zip": ["02138", "02139", "02141"]})
    original = released = Dataset.from_frame(rows, SCHEMA)
    for name, level in zip(("race", "zip"), levels, strict=True):
        released = Recode(column=name, level=level).apply(released, RUN) if level else released
    found = PrecisionLoss().measure(Case(original, released), RUN)
    assert 1 - found.value == pytest.approx(precision, abs=0.005)
