"""The four conditions of danger: worked out by hand, the borders of the source, and an oracle."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.hierarchy import parse
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.risk.danger import Danger

WEIGHT = Column(name="w", role="weight", scale="continuous")
SCHEMA = Schema(
    row_key="id",
    columns=(
        Column(name="job", role="quasi", scale="nominal", hierarchy="job"),
        Column(name="nation", role="quasi", scale="nominal"),
        Column(name="county", role="quasi", scale="place", hierarchy="county"),
    ),
    hierarchies={
        "county": parse({"prefix": [1, 0]}),
        "job": parse({"rows": [["smith", "craft", "*"], ["potter", "craft", "*"], ["clerk", "office", "*"]]}),
    },
)


def data(schema: Schema = SCHEMA, **columns: list[Any]) -> Dataset:
    rows = len(next(iter(columns.values())))
    return Dataset.from_frame(pa.table({"id": list(range(rows)), **columns}), schema)


def told(one: Dataset, **parameters: Any) -> Finding:
    return Danger(**parameters).measure(Case(one, one), Run())


def village() -> Dataset:
    """Twelve clerks everywhere; a smith in A1, two potters in A2, a potter in B1."""
    return data(
        job=["clerk"] * 12 + ["smith", "potter", "potter", "potter"],
        nation=["d"] * 16,
        county=["A1", "A2", "B1", "B1"] * 3 + ["A1", "A2", "A2", "B1"],
    )


def test_a_village_worked_out_by_hand() -> None:
    """Smith and potters are rare (fewer than 10). The smith and the last potter are alone in their county, the other
    two potters two: all four are exposed. In A and B together, two potters stay two in A, and the smith alone."""
    finding = told(village(), rare=10)
    found = finding.detail
    assert (found["in_small_groups"], found["exposed"], found["records"]) == (4, 4, 16)
    assert finding.value == 0.25
    assert found["conditions"] == dict.fromkeys(("small_group", "fine_region", "participation", "compatibility"), True)
    assert found["by_column"]["job"] == {
        "values": 3,
        "values_in_small_groups": 2,
        "in_small_groups": 4,
        "exposed": 4,
        "one_level_higher": 4,
    }
    assert found["by_column"]["nation"]["exposed"] == 0
    assert found["by_column"]["nation"]["one_level_higher"] is None  # it has no hierarchy
    assert found["coarsen"] == ["job"]
    assert found["regions"] == 3
    assert found["coarser_region"] == [4, 1]  # in the whole country there are three potters, and one smith


def test_a_coarser_region_or_column_helps() -> None:
    """Three craftsmen in county A: with three cases nobody is exposed (few = 3)."""
    one = data(job=["clerk"] * 9 + ["smith", "potter", "potter"], nation=["d"] * 12, county=["A1"] * 12)
    found = told(one, rare=5).detail
    assert found["exposed"] == 3
    assert found["by_column"]["job"]["one_level_higher"] == 0
    spread = data(job=["clerk"] * 9 + ["potter"] * 3, nation=["d"] * 12, county=["A1"] * 10 + ["A2", "A3"])
    assert told(spread, rare=5).detail["coarser_region"] == [0, 0]


def test_the_borders_of_the_source() -> None:
    """Fewer than 3 cases for each region (L21970-L21986); 4,999 persons are few, 5,000 are not (L21902-L21910)."""
    schema = SCHEMA.model_copy(update={"columns": (*SCHEMA.columns, WEIGHT)})
    for weight, rare in ((2499.5, True), (2500.0, False)):
        both = data(schema, job=["clerk", "clerk"], nation=["d", "d"], county=["A1", "A1"], w=[weight, weight])
        found = told(both).detail
        assert (found["limit"], found["counted"]) == (5000, "weights")
        assert found["exposed"] == (2 if rare else 0)
    three = data(schema, job=["clerk"] * 3, nation=["d"] * 3, county=["A1"] * 3, w=[1.0] * 3)
    assert told(three).detail["exposed"] == 0
    plain = data(job=["clerk"] * 49, nation=["d"] * 49, county=[f"A{i}" for i in range(49)])
    assert (told(plain).detail["limit"], told(plain).detail["exposed"]) == (50, 49)


@pytest.mark.parametrize("bad", [None, 0.0])  # a negative one is refused when the file is read
def test_weights_that_cannot_be_are_not_used(bad: float | None) -> None:
    schema = SCHEMA.model_copy(update={"columns": (*SCHEMA.columns, WEIGHT)})
    rows: dict[str, Any] = {"job": ["clerk"] * 3 + ["smith"], "nation": ["d"] * 4, "county": ["A1"] * 4}
    found = told(data(schema, **rows, w=[9000.0, 9000.0, 9000.0, bad])).detail
    assert (found["counted"], found["limit"], found["weighted_share"]) == ("records", 50, None)
    assert found["cautions"][0] == "weights"
    good = told(data(schema, **rows, w=[9000.0, 9000.0, 9000.0, 3000.0])).detail
    assert (good["exposed_share"], good["weighted_share"]) == (0.25, 0.1)


def test_one_condition_that_fails_takes_the_danger_away() -> None:
    unknown = told(village(), rare=10, participation=False)
    assert unknown.value == 0.0
    assert unknown.detail["exposed"] == 4
    assert not unknown.detail["conditions"]["participation"]
    assert "no_participation" in unknown.detail["cautions"]
    never = told(village(), rare=10, compatibility=0)
    assert (never.value, never.detail["met"]) == (0.0, 3)
    assert told(village(), rare=10, compatibility=0.5).detail["expected"] == 2.0


def test_without_a_region_the_file_is_one() -> None:
    one = data(SCHEMA.without(["county"]), job=["clerk"] * 8 + ["smith", "smith"], nation=["d"] * 10)
    found = told(one, rare=3).detail
    assert (found["exposed"], found["region"], found["regions"], found["coarser_region"]) == (2, None, 0, [])
    assert found["cautions"][0] == "no_region"


def test_what_is_missing_is_not_rare() -> None:
    one = data(job=["clerk"] * 8 + [None, "smith"], nation=["d"] * 10, county=["A1"] * 9 + [None])
    found = told(one, rare=5).detail
    assert found["in_small_groups"] == 1  # the smith; nobody knows where he lives
    assert found["exposed"] == 0


def test_values_are_never_told() -> None:
    said = told(village(), rare=10).model_dump_json()
    assert not [value for value in ("smith", "potter", "clerk", "A1") if value in said]


def test_single_records_are_kept_for_the_audit_only() -> None:
    one, run = village(), Run()
    Danger(rare=10).measure(Case(one, one), run)
    (make,) = run.by_record.values()
    assert one.engine.arrays(make().sort("id"))["exposed"].to_pylist() == [0.0] * 12 + [1.0] * 4


value = st.sampled_from(["a", "b", "c", None])


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(value, value, st.sampled_from(["A1", "A2", "B1", None])), min_size=1, max_size=25),
    st.integers(1, 8),
    st.integers(1, 4),
)
def test_counted_record_by_record(rows: list[tuple[Any, Any, Any]], rare: int, few: int) -> None:
    one = data(
        SCHEMA.changed("job", hierarchy=None),
        job=pa.array([r[0] for r in rows], pa.string()),
        nation=pa.array([r[1] for r in rows], pa.string()),
        county=pa.array([r[2] for r in rows], pa.string()),
    )
    found = told(one, rare=rare, few=few).detail

    def exposed(cut: int) -> int:
        """Who is exposed with so many letters of the county, and was before."""
        who = 0
        for r in rows:
            for j in (0, 1):
                alone = [
                    sum(
                        o[j] == r[j] and (o[2] or "")[:letters] == (r[2] or "")[:letters]
                        for o in rows
                        if o[2] or cut == 0
                    )
                    for letters in (cut, 2)
                ]
                many = sum(o[j] == r[j] for o in rows)
                if r[j] is not None and r[2] is not None and many < rare and max(alone) < few:
                    who += 1
                    break
        return who

    assert found["exposed"] == exposed(2)
    assert found["coarser_region"] == [exposed(1), exposed(0)]
    counts = Counter(r[0] for r in rows if r[0] is not None)
    assert found["by_column"]["job"]["in_small_groups"] == sum(n for n in counts.values() if n < rare)


@pytest.mark.parametrize(
    ("parameters", "code"), [({"columns": ["county"]}, "no-keys"), ({"region": "nowhere"}, "unknown-column")]
)
def test_what_cannot_be_is_said_before_any_row_is_read(parameters: dict[str, Any], code: str) -> None:
    assert code in {problem.code for problem in Danger(**parameters).problems(SCHEMA)}
