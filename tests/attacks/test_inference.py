"""Inference from the nearest record: ties vote, signs do not matter, gaps and sets fit, outsiders know what all do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.attacks.attribute_inference import AttributeInference
from schleier.attacks.inference import Inference
from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema

KEY = bytes(range(32))


def loaded(ages: Any, illness: Any, pay: Any = None, engine: Any = None, scale: Any = "discrete") -> Dataset:
    schema = Schema(
        row_key="id",
        columns=[
            Column(name="age", role="quasi", scale=scale),
            Column(name="illness", role="sensitive", scale="nominal"),
            Column(name="pay", role="sensitive", scale="continuous"),
        ],
    )
    table = pa.table(
        {"id": range(len(ages)), "age": ages, "illness": illness, "pay": [1.0] * len(ages) if pay is None else pay}
    )
    return Dataset.from_frame(table, schema, engine)


def tried(case: Case, **how: Any) -> dict[str, Any]:
    return Inference(**{"sensitive": "illness", "targets": "all", **how}).measure(case, Run(key=KEY)).detail


def test_the_nearest_record_tells_where_none_fits_exactly() -> None:
    data = loaded([30, 40, 50, 60], ["w", "x", "y", "z"])
    noisy = loaded([31, 42, 49, 58], ["w", "x", "y", "z"], engine=data.engine)
    found = tried(Case(data, noisy))
    assert (found["claims"], found["correct"]) == (4, 4)
    exact = AttributeInference(sensitive="illness", targets="all").measure(Case(data, noisy), Run(key=KEY))
    assert exact.detail["claims"] == 0


def test_negative_guesses_are_not_hits() -> None:
    """A guess of -100 for 50 is wrong, whatever it is divided by; one of -100 for -98 is right."""
    data = loaded([30, 40], ["x", "x"], [50.0, -98.0])
    released = loaded([30, 40], ["x", "x"], [-100.0, -100.0], data.engine)
    found = tried(Case(data, released), sensitive="pay", within=0.05)
    assert (found["claims"], found["correct"]) == (2, 1)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["x", "y", "z"])), min_size=1, max_size=40))
def test_in_the_open_it_is_what_most_of_the_same_have(rows: list[tuple[int, str]]) -> None:
    """Records with the same age are as near as can be: the exact attack votes among them, too."""
    data = loaded(*zip(*rows, strict=True))
    exact = AttributeInference(sensitive="illness", targets="all").measure(Case(data, data), Run(key=KEY)).detail
    found = tried(Case(data, data), nearest=40)
    assert {name: found[name] for name in ("claims", "correct", "baseline")} == {
        name: exact[name] for name in ("claims", "correct", "baseline")
    }


def test_cells_that_stand_for_several_values_and_gaps() -> None:
    data = loaded([30, 40, 50], ["x", "y", "z"])
    coarse = loaded(["25-34", "35-44", "*"], ["x", "y", "z"], engine=data.engine, scale="nominal")
    assert tried(Case(data, coarse))["correct"] == 3
    gap = loaded([30, None, 50], ["x", "y", "z"], engine=data.engine)
    assert tried(Case(data, gap))["correct"] >= 2  # what is the same is nearer than a gap


def test_he_claims_only_what_he_is_sure_of() -> None:
    data = loaded([30] * 4 + [40], ["x", "x", "x", "y", "z"])
    assert tried(Case(data, data), sure=0.9)["claims"] == 1
    assert tried(Case(data, data), sure=0.75)["claims"] == 5


def test_outsiders_tell_what_everybody_knows() -> None:
    rng = np.random.default_rng(3)
    inside = loaded(range(0, 800, 2), [f"i{k}" for k in rng.integers(0, 4, 400)])
    outside = loaded(range(1, 801, 2), [f"i{k}" for k in rng.integers(0, 4, 400)], engine=inside.engine)
    found = tried(Case(inside, inside, control=outside))
    assert found["correct"] == 400 and found["control_right"] < 0.4


def test_records_without_a_value_are_no_claim() -> None:
    data = loaded([30, 40], ["x", "y"])
    hidden = loaded([30, 40], pa.array([None, "y"]), engine=data.engine)
    assert tried(Case(data, hidden))["claims"] == 1
    assert tried(Case(data, hidden))["correct"] == 1


def test_no_person_is_told() -> None:
    data, run = loaded(list(range(60)), [f"MARKER-{i % 7}" for i in range(60)]), Run(key=KEY)
    told = Inference(sensitive="illness", targets="all").measure(Case(data, data), run)
    assert "MARKER" not in told.model_dump_json() + repr(run.notes)
    assert told.value == pytest.approx(1.0)
