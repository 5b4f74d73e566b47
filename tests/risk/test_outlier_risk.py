"""Linking by numbers: cases worked out by hand, an oracle, and what protection does to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.method import Method
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.round_to import RoundTo
from schleier.risk.outlier_risk import OutlierRisk

SCHEMA = Schema(
    row_key="id",
    columns=(
        Column(name="x", role="sensitive", scale="continuous"),
        Column(name="y", role="sensitive", scale="continuous"),
        Column(name="kind", role="quasi", scale="nominal"),
    ),
)
KEY = bytes(range(32))


def data(x: Any, y: Any, kind: Any = None, keys: Any = None) -> Dataset:
    rows = len(x)
    ids = [f"k{i:05d}" for i in range(rows)] if keys is None else keys
    table = {"id": ids, "x": x, "y": y, "kind": ["a"] * rows if kind is None else kind}
    return Dataset.from_frame(pa.table({n: pa.array(c, from_pandas=True) for n, c in table.items()}), SCHEMA)


def told(original: Dataset, released: Dataset, steps: tuple[Method, ...] = (), **parameters: Any) -> Finding:
    return OutlierRisk(**parameters).measure(Case(original, released, steps=steps), Run(key=KEY))


def numbers(n: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    x = rng.lognormal(3, 0.5, n)
    return x, x * 0.5 + rng.normal(0, 4, n)


def test_a_file_as_it_is_links_everybody() -> None:
    x, y = numbers(60)
    same = data(x, y)
    finding = told(same, same, targets="all")
    assert finding.value == 1.0
    assert (finding.low, finding.high) == (None, None)  # everybody was looked for: nothing is estimated
    found = finding.detail
    assert (found["found_by_distance"], found["found_by_rank"]) == (1.0, 1.0)
    assert found["guess"] == pytest.approx(1 / 60)
    assert (found["near_by_sd"], found["all_near_by_rank"]) == (1.0, 1.0)


def test_four_records_worked_out_by_hand() -> None:
    """Released x: 10, 10, 30, 40 (sd 12.99). Nearest to 10 are the first two, half a chance each; 21 is nearer to the
    second and first (11 away) or the third (9 away): its own is the third; 40 is its own."""
    original = data([10.0, 12.0, 21.0, 40.0], [1.0] * 4)
    released = data([10.0, 10.0, 30.0, 40.0], [1.0] * 4)
    found = told(original, released, targets="all", columns=["x"], within=0.2).detail
    assert found["found_by_distance"] == pytest.approx((0.5 + 0.5 + 1 + 1) / 4)
    # 20 % of the standard deviation is 2.598: the third is off by 9
    assert found["columns_near_by_sd"] == {"x": 0.75}
    # 20 % of four ranks is none: only the same value counts
    assert found["columns_near_by_rank"] == {"x": 0.5}
    assert found["among_3"] == 1.0


def test_blocks_keep_others_out() -> None:
    """In its block every record is alone, so that the numbers may be as wrong as they like."""
    original = data([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], ["a", "b", "c"])
    released = data([3.0, 1.0, 2.0], [2.0, 3.0, 1.0], ["a", "b", "c"])
    assert told(original, released, targets="all", columns=["x", "y"]).detail["found_by_distance"] == 0.0
    blocked = told(original, released, targets="all", columns=["x", "y"], blocks=["kind"])
    assert blocked.value == 1.0
    assert blocked.detail["guess"] == 1.0


def test_records_left_out_are_not_found_and_further_ones_get_in_the_way() -> None:
    x, y = numbers(50, 4)
    original = data(x, y)
    half = data(x[:25], y[:25])
    finding = told(original, half, targets="all")
    assert finding.value == 0.5
    assert finding.detail["contained"] == 25
    clones = data(np.append(x, x), np.append(y, y), keys=[f"k{i:05d}" for i in range(100)])
    assert told(original, clones, targets="all").value == 0.5  # the own record and one just like it


def test_everything_by_comparing_everybody_with_everybody() -> None:
    x, y = numbers(80, 9)
    rng = np.random.default_rng(1)
    a, b = x + rng.normal(0, 6, 80), y + rng.normal(0, 4, 80)
    found = told(data(x, y), data(a, b), targets="all", columns=["x", "y"]).detail
    new, old = np.stack([a, b], axis=1), np.stack([x, y], axis=1)
    far = np.linalg.norm((old[:, None] - new[None]) / new.std(axis=0), axis=2)
    place = (far < np.diag(far)[:, None]).sum(axis=1)
    assert found["found_by_distance"] == pytest.approx((place == 0).mean())
    ranks = [np.argsort(np.argsort(m, axis=0), axis=0) for m in (old, new)]
    apart = np.linalg.norm((ranks[0][:, None] - ranks[1][None]).astype(float), axis=2)
    near = apart <= apart.min(axis=1, keepdims=True) + 1e-9
    assert found["found_by_rank"] == pytest.approx((np.diag(near) / near.sum(axis=1)).mean())
    best = found["found_by_distance"] >= found["found_by_rank"]
    if best:
        assert found["among_10"] == pytest.approx((place < 10).mean())


def test_noise_protects_the_middle_and_not_the_outliers() -> None:
    """Twenty firms ten times as large as the others stay apart under noise that hides everybody else."""
    rng = np.random.default_rng(2)
    x, y = rng.normal(100, 5, 1000), rng.normal(50, 5, 1000)
    x[:20] += np.linspace(100, 2000, 20)
    y[:20] += np.linspace(2000, 100, 20)
    a, b = x + rng.normal(0, 10, 1000), y + rng.normal(0, 10, 1000)
    finding = told(data(x, y), data(a, b), targets="all", columns=["x", "y"])
    found = finding.detail
    assert found["outlier_found"] > 0.25
    assert found["rest_found"] < 0.05
    assert found["cautions"] == ["outliers"]
    assert found["outliers_before"] >= 20
    assert found["outlier_low"] < found["outlier_found"] < found["outlier_high"]


def test_a_sample_of_targets_has_an_interval_that_holds_the_truth() -> None:
    x, y = numbers(2000, 7)
    rng = np.random.default_rng(3)
    original, released = data(x, y), data(x + rng.normal(0, 1, 2000), y + rng.normal(0, 1, 2000))
    truth = told(original, released, targets="all")
    drawn = told(original, released, targets=400)
    assert drawn.detail["targets"] == 400
    assert drawn.low is not None
    assert drawn.high is not None
    assert drawn.low < truth.value < drawn.high  # fixed key; the interval misses in one of twenty
    assert drawn.value != truth.value


def test_gaps_are_neither_zeros_nor_errors() -> None:
    x, y = numbers(40, 5)
    x[::4] = np.nan
    finding = told(data(x, y), data(x, y), targets="all", columns=["x", "y"])
    assert finding.value == 1.0  # a gap is known to be one
    assert finding.detail["near_by_sd"] == 1.0
    blank = told(data(x, y), data(np.full(40, np.nan), y), targets="all", columns=["x", "y"])
    assert blank.detail["columns_near_by_sd"] == {"x": 0.0, "y": 1.0}


def test_the_attacker_recodes_what_he_knows() -> None:
    """He reads that x was rounded to hundreds: then he takes 149.9999 for 100, and only y, changed a little, is left
    to mislead him. Without that he takes it for half way between 100 and 200, and y decides."""
    x, y = [149.9999, 150.0001, 100.0, 200.0, 100.0, 200.0], [10.0, 10.3, 50.0, 60.0, -40.0, -50.0]
    original = data(x, y)
    step = RoundTo(column="x", base=100)
    rounded = step.apply(data(x, [10.2, 10.1, *y[2:]]), Run(key=KEY))
    asked = {"targets": "all", "columns": ["x", "y"]}
    assert told(original, rounded, (step,), **asked).detail["found_by_distance"] == 1.0
    assert told(original, rounded, **asked).detail["found_by_distance"] == pytest.approx(4 / 6)


def test_single_records_are_kept_for_the_audit_only() -> None:
    x, y = numbers(60)
    one, run = data(x, y), Run(key=KEY)
    finding = OutlierRisk(targets="all").measure(Case(one, one), run)
    assert "k00001" not in finding.model_dump_json()
    (make,) = run.by_record.values()
    table = one.engine.arrays(make().sort("id"))
    assert table.column_names == ["id", "found", "outlier"]
    assert table["id"].to_pylist() == [f"k{i:05d}" for i in range(60)]
    assert set(table["found"].to_pylist()) == {1.0}


def test_whole_numbers_as_row_keys_stay_whole_numbers() -> None:
    schema = SCHEMA.model_copy(update={"row_key": None})
    one = Dataset.from_frame(pa.table({"x": [1.0, 2.0, 4.0], "y": [1.0, 5.0, 2.0], "kind": list("abc")}), schema)
    run = Run(key=KEY)
    OutlierRisk(targets="all").measure(Case(one, one), run)
    (make,) = run.by_record.values()
    assert one.engine.arrays(make()).column("_row_").to_pylist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({"columns": ["kind"]}, "not-numeric"),
        ({"columns": ["nothing"]}, "unknown-column"),
        ({"columns": ["x"], "blocks": ["x"]}, "named-twice"),
    ],
)
def test_what_cannot_be_is_said_before_any_row_is_read(parameters: dict[str, Any], code: str) -> None:
    assert code in {problem.code for problem in OutlierRisk(**parameters).problems(SCHEMA)}


def test_a_file_without_numbers() -> None:
    words = SCHEMA.without(["x", "y"])
    assert {problem.code for problem in OutlierRisk().problems(words)} == {"no-numbers"}


def test_nothing_is_left_of_a_column_that_is_not_released() -> None:
    x, y = numbers(20)
    original = data(x, y)
    finding = OutlierRisk().measure(Case(original, original.drop("x", "y")), Run(key=KEY))
    assert (finding.value, finding.detail["compared"]) == (0.0, 0)


def test_of_few_outliers_it_is_not_told_whether_they_were_found() -> None:
    """Whoever reads "one outlier, found" knows that the link to the largest firm is right."""
    rng = np.random.default_rng(6)
    x, y = rng.normal(0, 1, (2, 60)).clip(-1.5, 1.5)

    def giants(many: int) -> dict[str, Any]:
        a, b = np.append(x, 50.0 + np.arange(many)), np.append(y, 50.0 - np.arange(many))
        return told(data(a, b), data(a, b), targets="all", columns=["x", "y"]).detail

    assert giants(4)["outliers_before"] == 4
    assert [giants(4)[f"outlier_{name}"] for name in ("found", "low", "high")] == [None] * 3
    assert "cautions" not in giants(4)
    assert giants(5)["outlier_found"] == 1.0


def test_a_gap_hides_a_number_and_not_the_record() -> None:
    """The giant's x is suppressed: nobody else has a gap and his y, so that he is found; gaps in all are no help."""
    x, y = [1.0, 2.0, 3.0, 4.0, 99.0], [1.0, 2.0, 3.0, 4.0, 5.0]
    asked = {"targets": "all", "columns": ["x", "y"]}
    assert told(data(x, y), data([*x[:4], None], y), **asked).detail["found_by_distance"] == 1.0
    empty = told(data(x, y), data([None] * 5, [1.0] * 5), **asked)
    assert empty.value == pytest.approx(1 / 5)


def test_whether_links_are_right_is_for_the_holder() -> None:
    rng = np.random.default_rng(3)
    table = pa.table({"x": rng.normal(size=200), "y": rng.normal(size=200)})
    schema = Schema(columns=[Column(name=name, role="quasi", scale="continuous") for name in "xy"])
    original = Dataset.from_frame(table, schema)
    noisy = pa.table({name: table[name].to_numpy() + rng.normal(scale=0.05, size=200) for name in "xy"})
    measure, run = OutlierRisk(), Run(key=bytes(32))
    case, alone = Case(original, Dataset.from_frame(noisy, schema)), Case(original, original)
    assert measure.disclose(case, run, measure.measure(case, run)) is None
    exact = measure.measure(alone, run)
    assert measure.disclose(alone, run, exact) == exact
