from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from methods.swapping import KEY, codes, data, refusal, released
from schleier.core.errors import SchleierError
from schleier.core.run import Run
from schleier.kernels.grouping.sorted_groups import fixed
from schleier.methods.microaggregate import SINGLE, Grouping, Microaggregate

GROUPINGS = get_args(Grouping)
TOGETHER = [g for g in GROUPINGS if g not in (*SINGLE, "bootstrap")]


def skewed(count: int = 90, seed: int = 1) -> Any:
    x = np.exp(np.random.default_rng(seed).normal(size=(count, 3)))
    return {"a": x[:, 0], "b": x[:, 1], "c": x[:, 2]}


def matrix(after: Any, names: str = "abc") -> Any:
    return np.column_stack([np.array(after[name], dtype=float) for name in names])


@pytest.mark.parametrize("grouping", GROUPINGS)
@pytest.mark.parametrize("strata", [(), ("s",)])
def test_every_grouping_keeps_its_promises(grouping: str, strata: tuple[str, ...]) -> None:
    """M00: k equal records, sums of the file and the strata exact, variance lower by F/n (D-T19)."""
    table = skewed() | {"s": ["x", "y"] * 45}
    of = data(table)
    step = Microaggregate(columns=["a", "b", "c"], k=4, grouping=grouping, strata=strata)  # type: ignore[arg-type]
    assert not list(step.problems(of.schema))
    before, after = matrix(table), matrix(released(step, of))
    assert (after != before).any()
    if grouping == "bootstrap":
        return
    parts = [np.arange(90) % 2 == i for i in range(2)] if strata else [np.ones(90, bool)]
    for part in parts:
        assert after[part].sum(axis=0) == pytest.approx(before[part].sum(axis=0))
        for j in range(3):
            assert np.unique(after[part, j], return_counts=True)[1].min() >= 4
            lost = ((after[part, j] - before[part, j]) ** 2).mean()
            assert after[part, j].var() == pytest.approx(before[part, j].var() - lost)
        if grouping in TOGETHER:
            assert np.unique(after[part], axis=0, return_counts=True)[1].min() >= 4


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_the_order_of_rows_does_not_matter(grouping: str) -> None:
    table = pa.table(skewed(60) | {"key": [f"r{i:03d}" for i in range(60)]})
    step = Microaggregate(columns=["a", "b", "c"], k=3, grouping=grouping)  # type: ignore[arg-type]
    order = np.random.default_rng(3).permutation(60)

    def run(of: pa.Table) -> Any:
        from schleier.core.data import Dataset
        from schleier.core.schema import Column, Schema

        columns = [Column(name=name, scale="continuous") for name in "abc"]
        return released(step, Dataset.from_frame(of, Schema(columns=columns, row_key="key")))

    assert run(table) == run(table.take(pa.array(order)))


def test_blocks_are_independent() -> None:
    table = skewed()
    both = released(Microaggregate(columns=["a", "b", "c"], k=3, blocks=[["a", "b"], ["c"]]), data(table))
    first = released(Microaggregate(columns=["a", "b"], k=3), data(table))
    last = released(Microaggregate(columns=["c"], k=3), data(table))
    assert both == first | {"c": last["c"]}


def test_representatives() -> None:
    x = {"x": [1.0, 2, 9, 50, 50, 56]}
    for what, wanted in (("mean", [4, 52]), ("median", [2, 50]), ("mode", [1, 50])):
        step = Microaggregate(columns=["x"], k=3, representative=what)  # type: ignore[arg-type]
        assert released(step, data(x))["x"] == [wanted[0]] * 3 + [wanted[1]] * 3


def test_owners_are_respected() -> None:
    """Footnote 7 (L944): two units of one owner and a third in a group of three give the third away."""
    x = [1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    table = {"x": x, "firm": ["a", "a", "b", "c", "d", "e", "f", "f", None, None, "g", "h"]}
    for grouping in GROUPINGS:
        if grouping == "bootstrap":
            continue
        step = Microaggregate(columns=["x"], k=3, grouping=grouping)
        after = released(step, data(table, unit=("firm",)))["x"]
        for value in set(after):
            mine = [i if table["firm"][i] is None else table["firm"][i] for i in range(12) if after[i] == value]
            assert len(set(mine)) >= 3, grouping
    ignoring = Microaggregate(columns=["x"], k=3, grouping="individual", owners="ignore")
    after = released(ignoring, data(table, unit=("firm",)))["x"]
    assert after[:3] == [2.0] * 3  # the two units of a and the one of b
    few = {"x": x[:4], "firm": ["a", "a", "b", "b"]}
    assert refusal(Microaggregate(columns=["x"], k=3), data(few, unit=("firm",))) == "few-owners"


def test_gaps_stay_and_every_value_is_one_of_k() -> None:
    table = {"a": [1.0, 2, 3, 4, None, None, None, None, None], "b": [1.0, 5, 9, 2, 7, 8, 9, 5, None]}
    after = released(Microaggregate(columns=["a", "b"], k=4), data(table))
    assert after["a"] == [2.5] * 4 + [None] * 5
    assert after["b"] == [4.25] * 4 + [7.25] * 4 + [None]


def test_rare_gaps_are_refused_or_blanked() -> None:
    table = {"a": [1.0, 2, 3, 4, None, 6], "b": [1.0, 5, 9, 2, 7, None]}
    assert refusal(Microaggregate(columns=["a", "b"], k=3), data(table)) == "rare-gaps"
    run = Run(key=KEY)
    after = released(Microaggregate(columns=["a", "b"], k=3, gaps="blank"), data(table), run)
    assert after == {"a": [2.5] * 4 + [None] * 2, "b": [4.25] * 4 + [None] * 2}
    assert any(note.facts.get("records_blanked") == 2 for note in run.notes)
    apart = released(Microaggregate(columns=["a", "b"], k=3, grouping="individual"), data(table))
    assert apart["a"][4] is None and apart["b"][5] is None and apart["a"].count(None) == 1


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_nothing_but_gaps(grouping: str) -> None:
    table = pa.table({"x": pa.array([None] * 5, pa.float64()), "y": [1.0, 2, 3, 4, 5]})
    step = Microaggregate(columns=["x", "y"], k=3, grouping=grouping)  # type: ignore[arg-type]
    assert released(step, data(table))["x"] == [None] * 5


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_constant_columns_stay(grouping: str) -> None:
    table = skewed(30) | {"x": [0.1] * 30}
    step = Microaggregate(columns=["a", "x"], k=3, grouping=grouping)  # type: ignore[arg-type]
    after = released(step, data(table))
    assert after["x"] == pytest.approx([0.1] * 30) and (grouping == "bootstrap" or after["x"] == [0.1] * 30)
    assert np.isfinite(after["a"]).all()


def test_structural_zeros_stay() -> None:
    table = {"a": [0.0, 0, 0, 4, 5, 6, 7, 8], "b": [3.0, 1, 2, 9, 8, 7, 6, 5]}
    after = released(Microaggregate(columns=["a", "b"], k=3, zeros="keep"), data(table))
    assert after["a"][:3] == [0.0] * 3 and min(after["a"][3:]) > 0
    assert after["b"][:3] == [2.0] * 3
    table["b"][0] = 0.0
    assert refusal(Microaggregate(columns=["a", "b"], k=3, zeros="keep"), data(table)) == "rare-gaps"


def test_safe_intervals_keep_signs_and_zeros_apart() -> None:
    x = [-9.0, -8, -7, -6, 0, 0, 5, 6, 7, 8, 9]
    after = released(Microaggregate(columns=["x"], k=3, grouping="safe_interval"), data({"x": x}))["x"]
    assert [math.copysign(1, v) if v else 0 for v in after] == [math.copysign(1, v) if v else 0 for v in x]
    assert after[4:6] == [0, 0]
    assert refusal(Microaggregate(columns=["x"], k=3, grouping="safe_interval"), data({"x": [-1.0, 2, 3, 4]})) == (
        "rare-gaps"
    )


def test_whole_numbers() -> None:
    x = {"x": [1, 2, 2, 8, 9, 9]}
    assert released(Microaggregate(columns=["x"], k=3), data(x))["x"] == [2, 2, 2, 9, 9, 9]
    step = Microaggregate(columns=["x"], k=3, round="none")
    assert released(step, data(x))["x"] == pytest.approx([5 / 3] * 3 + [26 / 3] * 3)
    assert step.after(data(x).schema)["x"].scale == "continuous"
    with pytest.raises(SchleierError):
        Microaggregate(columns=["x"], k=3, round="controlled")  # type: ignore[arg-type]


def test_mixed_takes_numbers_and_categories() -> None:
    table = {"x": [1.0, 1.1, 1.2, 1.3, 9.0, 9.1, 9.2, 9.3], "c": ["u", "u", "u", "v", "w", "w", "v", "w"]}
    after = released(Microaggregate(columns=["x", "c"], k=4, grouping="mixed"), data(table))
    assert after["c"] == ["u"] * 4 + ["w"] * 4
    assert after["x"] == pytest.approx([1.15] * 4 + [9.15] * 4)
    assert "not-numeric" in codes(Microaggregate(columns=["x", "c"], k=3), data(table))
    assert "needs-mixed" in codes(Microaggregate(columns=["x", "c"], k=3, categories="distance"), data(table))
    table["c"] = ["u"] * 4 + ["w"] * 4
    within = released(Microaggregate(columns=["x", "c"], k=4, categories="within"), data(table))
    assert within["c"] == table["c"] and within["x"] == pytest.approx([1.15] * 4 + [9.15] * 4)


def test_small_strata_are_refused_or_merged() -> None:
    table = {"x": [1.0, 2, 3, 10, 20, 30, 40], "s": ["a", "a", "a", "b", "b", "c", "c"]}
    assert refusal(Microaggregate(columns=["x"], k=3, strata=["s"]), data(table)) == "small-strata"
    after = released(Microaggregate(columns=["x"], k=3, strata=["s"], small_strata="merge"), data(table))
    assert after["x"] == [2.0] * 3 + [25.0] * 4


def test_bad_parameters() -> None:
    of = data(skewed(4) | {"weight": [1.0] * 4, "u": ["h"] * 4}, unit=("u",))
    assert codes(Microaggregate(columns=["a"], k=2), of) == {"small-k"}
    assert not codes(Microaggregate(columns=["a"], k=2, allow_small_k=True), of)
    assert codes(Microaggregate(columns=["a", "weight"], k=3), of) == {"fixed-column"}
    assert codes(Microaggregate(columns=["a", "b"], k=3, blocks=[["a"]]), of) == {"bad-blocks"}
    assert codes(Microaggregate(columns=["a"], k=3, grouping="safe_interval", representative="mode"), of) == {
        "needs-mean"
    }
    assert "unknown-column" in codes(Microaggregate(columns=["no"], k=3), of)
    for bad in ({"k": 1}, {"k": 3, "interval": 1}, {"k": 3, "pieces_of": 5}, {}):
        with pytest.raises(SchleierError):
            Microaggregate(columns=["a"], **bad)  # type: ignore[arg-type]
    with pytest.raises(SchleierError, match="differ"):
        Microaggregate(columns=["a", "a"], k=3)
    assert refusal(Microaggregate(columns=["a"], k=5), data(skewed(4))) == "few-records"


def test_infinite_amounts_are_refused() -> None:
    for value in (math.inf, -math.inf, 1e200):
        assert refusal(Microaggregate(columns=["x"], k=3), data({"x": [1.0, 2, 3, value]})) == "not-finite"


def test_pieces_lose_a_little_more() -> None:
    table = skewed(1200)
    of, before = data(table), matrix(table)

    def lost(**more: Any) -> float:
        after = matrix(released(Microaggregate(columns=["a", "b", "c"], k=3, **more), of))
        assert np.unique(after, axis=0, return_counts=True)[1].min() >= 3
        return float((((after - before) / before.std(axis=0)) ** 2).sum())

    assert lost() < lost(pieces_of=200) < 2 * lost()


@given(
    x=st.lists(st.one_of(st.none(), st.integers(-3, 3).map(float)), min_size=3, max_size=25),
    k=st.integers(2, 4),
    grouping=st.sampled_from([g for g in GROUPINGS if g != "bootstrap"]),
)
def test_missing_stays_and_sums_hold(x: list[float | None], k: int, grouping: str) -> None:
    step = Microaggregate(columns=["x"], k=k, grouping=grouping, gaps="blank", allow_small_k=True)  # type: ignore[arg-type]
    after = released(step, data(pa.table({"x": pa.array(x, pa.float64())})))["x"]
    assert all(new is None for old, new in zip(x, after, strict=True) if old is None)
    kept = [i for i, new in enumerate(after) if new is not None]
    assert sum(after[i] for i in kept) == pytest.approx(sum(x[i] or 0 for i in kept), abs=1e-9)
    if grouping != "safe_interval":
        count = sum(v is not None for v in x)
        assert len(kept) == (count if count >= k else 0)


def test_individual_takes_neighbours() -> None:
    x = np.random.default_rng(2).permutation(20).astype(float)
    groups = fixed(x, 3)
    wanted = [x[groups == group].mean() for group in groups]
    after = released(Microaggregate(columns=["x"], k=3, grouping="individual"), data({"x": x}))["x"]
    assert after == pytest.approx(wanted)


@pytest.mark.spark
def test_equal_on_spark(spark: Any) -> None:
    """Stratum by stratum through map_groups, with owners, gaps and random groupings."""
    from schleier.core.data import Dataset
    from schleier.core.registry import get

    rng = np.random.default_rng(6)
    table = pa.table(
        {
            "a": pa.array(np.round(rng.lognormal(size=120), 2), mask=np.arange(120) % 10 == 0),
            "b": np.round(rng.normal(size=120), 1),
            "s": ["x", "y", None] * 40,
            "u": [f"u{i // 2}" for i in range(120)],
        }
    )
    here = data(table, unit=("u",))
    engine = get("engine", "spark")()
    there = Dataset.from_frame(table, here.schema, engine)
    for grouping in ("mdav", "best", "individual", "random", "bootstrap"):
        step = Microaggregate(columns=["a", "b"], k=3, grouping=grouping, strata=["s"])  # type: ignore[arg-type]
        assert released(step, there) == released(step, here)
    engine.close()
