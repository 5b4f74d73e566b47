"""Weights that many share: who shares, what stays, and that two files are no longer joined by them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schleier as sl
from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError, RecipeError
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.coarsen_weights import CoarsenWeights

REGIONS, JOBS = ["north", "south", "west"], ["a", "b", "c", "d", "e"]


def people(rows: int = 300, seed: int = 1, homes: int | None = None, **more: Any) -> Dataset:
    rng = np.random.default_rng(seed)
    table = {
        "region": rng.choice(REGIONS, rows, p=[0.5, 0.4, 0.1]),
        "job": rng.choice(JOBS, rows),
        "weight": np.round(rng.gamma(5.0, 20.0, rows), 4),
    }
    columns = [Column(name="region", scale="nominal"), Column(name="job", scale="nominal")]
    columns += [Column(name="weight", role="weight", scale="continuous")]
    if homes is not None:
        table["home"] = rng.integers(0, homes, rows)
        columns += [Column(name="home", role="unit", scale="discrete")]
    return Dataset.from_frame(pa.table(table | more), Schema(columns=columns))


def totals(data: Dataset, name: str) -> dict[Any, float]:
    frame = data.to_pandas()
    return {key: float(sum(part)) for key, part in frame.groupby(name, dropna=False)["weight"]}


def shared(data: Dataset) -> int:
    """How many records have the rarest weight."""
    return int(data.to_pandas()["weight"].value_counts().min())


@pytest.mark.parametrize("margins", [[], ["region"], ["region", "job"]])
def test_totals_of_margins_stay_and_weights_are_shared(margins: list[str]) -> None:
    before = people()
    after = CoarsenWeights(column="weight", k=10, margins=margins).apply(before, Run())
    assert len(set(before.to_pandas()["weight"])) == 300 and len(set(after.to_pandas()["weight"])) <= 30
    assert shared(after) >= 10
    for name in margins:
        assert totals(after, name) == pytest.approx(totals(before, name), rel=1e-11)
    assert after.to_pandas()["weight"].sum() == pytest.approx(before.to_pandas()["weight"].sum(), rel=1e-12)
    both = before.to_pandas()["weight"], after.to_pandas()["weight"]
    assert np.corrcoef(*both)[0, 1] > (0.7 if len(margins) == 2 else 0.9) and (both[1] > 0).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(40, 250), st.integers(3, 8), st.booleans())
def test_on_random_tables(seed: int, rows: int, k: int, units: bool) -> None:
    """Also where cells of the margins are smaller than a group."""
    before = people(rows, seed, homes=rows // 2 if units else None)
    try:
        after = CoarsenWeights(column="weight", k=k, margins=["region", "job"]).apply(before, Run())
    except InfeasibleError as refused:
        assert {problem.code for problem in refused.problems} <= {"small-margin", "margins-not-kept"}
        return
    frame = after.to_pandas()
    assert frame.groupby("weight")["home" if units else "region"].agg("nunique" if units else "count").min() >= k
    for name in ("region", "job"):
        assert totals(after, name) == pytest.approx(totals(before, name), rel=1e-11)


def test_by_hand() -> None:
    schema = Schema(columns=[Column(name="weight", role="weight", scale="discrete")])
    before = Dataset.from_frame(pa.table({"weight": [1, 2, 3, 10, 10, 10, 10, 20, None]}), schema)
    after = CoarsenWeights(column="weight", k=3).apply(before, Run())
    # Equal weights stay together; the one that is left over joins the group before.
    assert after.to_arrow()["weight"].to_pylist() == [2.0, 2.0, 2.0, 12.0, 12.0, 12.0, 12.0, 12.0, None]
    assert after.schema["weight"].scale == "continuous"


def test_a_missing_category_is_one() -> None:
    jobs = pa.array([None if i % 3 else "a" for i in range(300)], pa.string())
    before = people(job=jobs)
    after = CoarsenWeights(column="weight", k=10, margins=["job"]).apply(before, Run())
    assert list(totals(after, "job").values()) == pytest.approx(list(totals(before, "job").values()), rel=1e-12)
    assert after.to_pandas()["weight"].notna().all()


def test_records_of_one_unit_do_not_hide_each_other() -> None:
    before = people(homes=12)
    after = CoarsenWeights(column="weight", k=10).apply(before, Run()).to_pandas()
    assert after.groupby("weight")["home"].nunique().min() >= 10
    with pytest.raises(InfeasibleError, match="there are fewer"):
        CoarsenWeights(column="weight", k=10).apply(people(homes=9), Run())


@pytest.mark.parametrize("homes", [None, 30])
def test_copies_hide_nobody(homes: int | None) -> None:
    """Ten persons and twenty records that a step added: with these there would be three groups."""
    before = people(30, homes=homes, **({"home": list(range(30))} if homes else {}))
    assert len(set(CoarsenWeights(column="weight", k=10).apply(before, Run()).to_pandas()["weight"])) == 3
    added = before.filter(nw.col("_row_") >= 10).frame.select(_key_=nw.col("_row_"))
    after = CoarsenWeights(column="weight", k=10).apply(replace(before, added=added), Run())
    assert len(set(after.to_pandas()["weight"])) == 1 and after.rows == 30
    assert after.to_pandas()["weight"].sum() == pytest.approx(before.to_pandas()["weight"].sum())


def test_a_total_that_would_tell_the_weights_of_few_is_not_kept() -> None:
    jobs = ["rare"] * 4 + ["common"] * 296
    with pytest.raises(InfeasibleError) as caught:
        CoarsenWeights(column="weight", k=10, margins=["job"]).apply(people(job=jobs), Run())
    assert [problem.code for problem in caught.value.problems] == ["small-margin"]


def test_margins_that_cannot_all_be_kept_are_refused() -> None:
    """Two margins that tell the same but for two persons: weights would have to be below zero."""
    one = ["a"] * 10 + ["b"] * 10
    two = ["x"] * 9 + ["y"] * 2 + ["x"] + ["y"] * 8
    weights = [1.0] * 9 + [900.0, 1.0] + [1.0] * 9
    with pytest.raises(InfeasibleError) as caught:
        CoarsenWeights(column="weight", k=10, margins=["region", "job"]).apply(
            people(20, region=one, job=two, weight=weights), Run()
        )
    assert [problem.code for problem in caught.value.problems] == ["margins-not-kept"]


@pytest.mark.parametrize("wrong", [{"k": 2}, {"margins": ["weight"]}, {"margins": ["job", "job"]}, {"k": None}])
def test_wrong_parameters(wrong: dict[str, Any]) -> None:
    with pytest.raises(RecipeError):
        CoarsenWeights(**{"column": "weight", "k": 10} | wrong)


def test_amounts_are_no_margins() -> None:
    schema = people().schema
    assert [p.code for p in CoarsenWeights(column="job", k=5, margins=["weight"]).problems(schema)] == [
        "not-numeric",
        "continuous-strata",
    ]


def test_two_releases_are_no_longer_joined_by_their_weights() -> None:
    """With other keys and other steps, the weight alone joined them record by record."""
    columns = """
    [schema]
    columns = [
      { name = "region", role = "quasi", scale = "nominal" },
      { name = "job", role = "sensitive", scale = "nominal" },
      { name = "weight", role = "weight", scale = "continuous" },
    ]
    """
    step = '[[steps]]\nmethod = "coarsen_weights"\ncolumn = "weight"\nk = 10\nmargins = ["region"]\n'
    drop = '[[steps]]\nmethod = "drop"\ncolumns = ["{}"]\n'
    rows = people().to_arrow()

    def joined(steps: str) -> tuple[int, set[str]]:
        recipes = [sl.Recipe.from_toml(columns + steps + drop.format(name)) for name in ("region", "job")]
        one, two = (recipe.run(rows) for recipe in recipes)
        counts = [release.data.to_pandas()["weight"].value_counts() for release in (one, two)]
        alone = [set(found[found == 1].index) for found in counts]
        return len(alone[0] & alone[1]), {caution.code for caution in one.report.cautions} & {"unique_weight"}

    assert joined("") == (300, {"unique_weight"})
    assert joined(step) == (0, set())
