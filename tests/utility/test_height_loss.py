from __future__ import annotations

import narwhals as nw
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.hierarchy import parse
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.drop import Drop
from schleier.methods.recode import Recode
from schleier.search.coarsen import Coarsen
from schleier.utility.height_loss import HeightLoss

RUN = Run(key=bytes(32))
SCHEMA = Schema(
    columns=(
        Column(name="race", role="quasi", scale="nominal", hierarchy="race"),
        Column(name="zip", role="quasi", scale="nominal", hierarchy="zip"),
        Column(name="sex", role="quasi", scale="nominal"),
    ),
    hierarchies={
        "race": parse({"rows": [[race, "person", "*"] for race in ("asian", "black", "white")]}),
        "zip": parse({"prefix": [4, 3]}),
    },
)


@pytest.fixture
def people() -> Dataset:
    rows = {"race": ["asian", "black", "white"], "zip": ["02138", "02139", "02141"], "sex": ["f", "m", "f"]}
    return Dataset.from_frame(pa.table(rows), SCHEMA)


@pytest.mark.parametrize(("race", "zip_", "height"), [(0, 0, 0), (1, 0, 1), (1, 1, 2), (0, 2, 2), (2, 3, 5)])
def test_levels_add_up(people: Dataset, race: int, zip_: int, height: int) -> None:
    """Hierarchies of heights 2 and 3, as for race and ZIP in Samarati (2001)."""
    released = people
    for name, level in (("race", race), ("zip", zip_)):
        released = Recode(column=name, level=level).apply(released, RUN) if level else released
    found = HeightLoss().measure(Case(people, released), RUN)
    assert found.value == height / 5
    assert found.detail == {"levels": {"race": race, "zip": zip_}, "height": height, "most": 5}
    weighted = HeightLoss(weights={"zip": 2}).measure(Case(people, released), RUN)
    assert weighted.value == (race + 2 * zip_) / (2 + 2 * 3)


def test_records_left_out_do_not_count_as_long_as_some_are_left(people: Dataset) -> None:
    coarser = Recode(column="zip", level=1).apply(people, RUN)
    assert HeightLoss().measure(Case(people, coarser.filter(nw.col("sex") == "f")), RUN).value == 1 / 5
    assert HeightLoss().measure(Case(people, coarser.filter(nw.col("sex") == "x")), RUN).value == 1.0


def test_a_column_that_is_gone_is_at_its_root(people: Dataset) -> None:
    found = HeightLoss(columns=("race", "sex")).measure(
        Case(people, Drop(columns=["race", "sex"]).apply(people, RUN)), RUN
    )
    assert found.detail["levels"] == {"race": 2, "sex": 1} and found.value == 1.0


def test_the_lowest_node_is_chosen_where_the_loss_of_cells_chooses_another() -> None:
    """One level blots out the sex, two levels leave much of the age: lower is not finer."""
    columns = (
        Column(name="age", role="quasi", scale="discrete", hierarchy="age"),
        Column(name="sex", role="quasi", scale="nominal", hierarchy="sex"),
    )
    hierarchies = {"age": parse({"intervals": [2, 4]}), "sex": parse({"rows": [["f", "*"], ["m", "*"]]})}
    rows = {"age": [20, 22, 24, 26] * 2, "sex": ["f"] * 4 + ["m"] * 4}
    data = Dataset.from_frame(pa.table(rows), Schema(columns=columns, hierarchies=hierarchies))
    demand = [{"criterion": "k_anonymity", "k": 2}]
    assert Coarsen(criteria=demand, loss="height_loss").fit(data, RUN).levels == {"age": 0, "sex": 1}
    assert Coarsen(criteria=demand, loss="generalised_loss").fit(data, RUN).levels == {"age": 2, "sex": 0}


def test_weights_are_positive_and_of_columns() -> None:
    loss = HeightLoss(weights={"zip": 0.0, "other": 1.0})
    assert sorted(problem.code for problem in loss.problems(SCHEMA)) == ["bad-weight", "unknown-column"]
