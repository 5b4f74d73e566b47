"""Moments before and after: published numbers, weights, degenerate columns, what is told."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.statistics.moments import Ordered, moments, of_ordered
from schleier.methods.sample import Sample
from schleier.methods.top_code import TopCode
from schleier.testing import example_schema
from schleier.utility._comparison import ComparisonOutcome
from schleier.utility.moments import SHARES, Moments


def data(**table: Any) -> Dataset:
    roles: dict[str, Any] = {"w": "weight"}
    columns = [Column(name=n, role=roles.get(n, "sensitive"), scale="continuous") for n in table]
    columns = [c if c.name != "word" else c.model_copy(update={"scale": "nominal"}) for c in columns]
    return Dataset.from_frame(pa.table(table), Schema(columns=columns))


def found(before: Dataset, after: Dataset, run: Run | None = None, **parameters: Any) -> Finding:
    return Moments(**parameters).measure(Case(before, after), run or Run())


FIRMS = [3.0, 8.0, 12.0, 50.0, 70.0, 90.0]


def test_top_coding_of_the_specification() -> None:
    """D-T7: the mean falls from 38.8333 to 13.8333, the variance is 1111.4722 before and 44.8056 after."""
    before = data(x=FIRMS)
    run = Run()
    finding = found(before, TopCode(column="x", upper=20).apply(before, run), run)
    assert finding.value == round(25 / 1111.4722**0.5, 3) == 0.75
    column = finding.detail["columns"]["x"]
    assert column["after"]["mean"] == pytest.approx(13.8333, abs=5e-5)
    assert column["after"]["sd"] ** 2 == pytest.approx(44.8056, abs=5e-5)
    assert column["deviation"]["mean"] == 25.0
    assert column["deviation"]["quantile 0.95"] == 70.0
    assert finding.text == "The mean of 1 numeric column moved by at most 0.750 standard deviations (column 'x')."


def test_original_moments_go_to_the_audit_only() -> None:
    before, run = data(x=FIRMS), Run()
    finding = found(before, TopCode(column="x", upper=20).apply(before, run), run)
    notes = [note for note in run.notes if "before" in note.facts]
    assert [note.visibility for note in notes] == ["restricted"]
    assert notes[0].facts["before"]["x"]["mean"] == pytest.approx(38.8333, abs=5e-5)
    assert "before" not in finding.detail["columns"]["x"]
    assert "38.8" not in finding.model_dump_json()


def test_deviations_have_no_sign() -> None:
    down = found(data(x=[1.0, 2.0]), data(x=[0.0, 1.0])).detail["columns"]["x"]["deviation"]
    up = found(data(x=[1.0, 2.0]), data(x=[2.0, 3.0])).detail["columns"]["x"]["deviation"]
    assert down == up


def test_a_sample_is_compared_with_its_weights() -> None:
    before = data(x=[1.0] * 60 + [2.0] * 40)
    after = Sample(fraction=0.1).apply(before, Run(key=bytes(32)))
    assert after.schema.having("weight") == ("weight",)
    finding = found(before, after, weighted=True)
    assert list(finding.detail["columns"]) == ["x"]
    even = Sample(size=4, strata=["x"]).apply(before, Run())
    assert found(before, even, weighted=True).value == pytest.approx(0, abs=1e-12)


def test_weights_count() -> None:
    before, after = data(x=[1.0, 2.0], w=[1.0, 1.0]), data(x=[1.0, 2.0], w=[3.0, 1.0])
    assert found(before, after).value == 0.0
    assert found(before, after, weighted=True).value == pytest.approx(0.25 / 0.5)
    unweighted_record = data(x=[1.0, 2.0, 900.0], w=[1.0, 1.0, None])
    assert found(before, unweighted_record, weighted=True).value == 0.0


def test_constant_columns() -> None:
    same = data(x=[5.0] * 3)
    assert found(same, same).value == 0.0
    assert found(data(x=[0.1] * 3), data(x=[0.1] * 10)).value == 0.0
    assert found(same, data(x=[6.0] * 3)).value == pytest.approx(0.2)
    assert found(data(x=[0.0] * 3), data(x=[2.0] * 3)).value == 2.0


def test_columns_without_values() -> None:
    gaps, full = data(x=pa.nulls(3, pa.float64())), data(x=[1.0, 2.0, 3.0])
    for before, after in ((gaps, full), (full, gaps), (gaps, gaps)):
        finding = found(before, after)
        assert finding.value == 0.0
        assert finding.detail["not_comparable"] == ["x"]
        assert finding.text == "There is no numeric column whose mean could be compared."
    share = found(full, data(x=[1.0, None, 3.0])).detail["columns"]["x"]
    assert share["after"]["missing"] == pytest.approx(1 / 3)
    assert share["deviation"]["missing"] == pytest.approx(1 / 3, abs=1e-3)


def test_infinite_values_are_not_comparable() -> None:
    finding = found(data(x=[1.0, 2.0]), data(x=[1.0, float("inf")]))
    assert finding.detail["not_comparable"] == ["x"]
    assert finding.detail["columns"]["x"]["after"]["mean"] is None


def test_columns_that_are_not_numbers_on_both_sides_are_left_out() -> None:
    finding = found(data(x=[1.0], word=["a"]), data(x=[1.0], y=[1.0]))
    assert list(finding.detail["columns"]) == ["x"]
    assert list(found(data(word=["a"]), data(word=["a"])).detail["columns"]) == []


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50))
def test_like_numpy_without_weights(values: list[float]) -> None:
    x = np.array(values)
    result = moments(x, np.ones(len(x)), SHARES)
    assert result.mean == pytest.approx(x.mean(), abs=1e-6)
    assert result.sd == pytest.approx(x.std(), abs=1e-6)
    assert result.quantiles == tuple(np.quantile(x, SHARES, method="inverted_cdf"))


@given(st.lists(st.tuples(st.integers(-100, 100), st.integers(0, 5)), min_size=1, max_size=30), st.randoms())
def test_a_weight_is_so_many_rows_and_order_does_not_matter(rows: list[tuple[int, int]], random: Any) -> None:
    x, w = (np.array(part, dtype=float) for part in zip(*rows, strict=True))
    result = moments(x, w, SHARES)
    repeated = np.repeat(x, w.astype(int))
    alike = moments(repeated, np.ones(len(repeated)), SHARES)
    assert (result.quantiles, result.missing) == (alike.quantiles, alike.missing) or not len(repeated)
    assert result[:2] == pytest.approx(alike[:2], abs=1e-9, nan_ok=True)
    random.shuffle(rows)
    x, w = (np.array(part, dtype=float) for part in zip(*rows, strict=True))
    assert repr(moments(x, w, SHARES)) == repr(result)


@pytest.mark.parametrize(
    ("measure", "codes"),
    [
        (Moments(columns=["sex"]), ["not-numeric"]),
        (Moments(columns=["incom"]), ["unknown-column"]),
        (Moments(columns=["age", "income"], weighted=True), []),
        (Moments(), []),
    ],
)
def test_problems(measure: Moments, codes: list[str]) -> None:
    assert [problem.code for problem in measure.problems(example_schema())] == codes


def test_weights_must_be_there() -> None:
    schema = example_schema().without(["weight"])
    assert [problem.code for problem in Moments(weighted=True).problems(schema)] == ["no-weight"]


def test_shape_and_range_are_told() -> None:
    """U3-U5 with population moments: scipy's skew and kurtosis."""
    stats = pytest.importorskip("scipy.stats")
    run = Run()
    column = found(data(x=FIRMS), data(x=[*FIRMS[:5], 200.0]), run).detail["columns"]["x"]
    new = [*FIRMS[:5], 200.0]
    assert column["after"]["skewness"] == pytest.approx(stats.skew(new))
    assert column["after"]["excess"] == pytest.approx(stats.kurtosis(new))
    assert column["after"]["range"] == 197.0
    assert column["deviation"]["range"] == 110.0
    facts = run.notes[0].facts
    assert facts["relative"]["x"]["mean"] == pytest.approx(110 / sum(FIRMS))
    assert facts["relative"]["x"]["range"] == pytest.approx(110 / 87)
    assert facts["average"]["mean"] == pytest.approx(110 / sum(FIRMS))
    assert "relative" not in column


def test_subgroups_are_compared_too() -> None:
    before = data(x=[0.0, 2.0, 10.0, 14.0, 5.0], word=["a", "a", "b", "b", "c"])
    after = data(x=[0.0, 2.0, 11.0, 15.0, 9.0], word=["a", "a", "b", "b", "c"])
    finding = found(before, after, columns=["x"], by=["word"], least=2)
    assert finding.detail["by"] == {"columns": ["word"], "groups": 2, "left_out": 1, "worst": 0.5, "median": 0.25}
    assert finding.text.endswith(" In the worst of 2 subgroups it is 0.5.")


@given(st.lists(st.floats(1, 1e6), min_size=3, max_size=20), st.floats(-1e-3, 1e-3))
def test_a_small_move_does_not_tell_the_original_to_more_digits(values: list[float], move: float) -> None:
    """Three digits of the statistic: a distance of its own three digits would give the original to six."""
    before, after = np.array(values), np.array(values) * (1 + move)
    finding = found(data(x=before), data(x=after))
    column = finding.detail["columns"]["x"]
    for told, known in ((column["deviation"]["mean"], after.mean()), (column["deviation"]["range"], np.ptp(after))):
        unit = 10.0 ** (np.floor(np.log10(known)) - 2) if known else 1.0
        assert told / unit == pytest.approx(round(told / unit), abs=1e-6)
    assert column["difference"] == round(column["difference"], 3) == finding.value


def test_subgroups_are_told_as_coarsely() -> None:
    x = np.linspace(0, 1, 40)
    word = ["a"] * 20 + ["b"] * 20
    finding = found(data(x=x, word=word), data(x=x + 0.00123456, word=word), columns=["x"], by=["word"])
    assert finding.detail["by"]["worst"] == finding.detail["by"]["median"] == 0.008


@pytest.mark.parametrize(("weight", "told"), [(1.0, True), (200.0, False), (20_000.0, False)])
def test_nobody_sees_his_own_value_by_his_weight(weight: float, told: bool) -> None:
    """A unit with most of the weight is most of a weighted mean, however usual its number is."""
    numbers = np.random.default_rng(4).normal(3000, 500, 200)
    weights = np.ones(200)
    weights[7] = weight
    before, after = (data(x=values, w=weights) for values in (numbers, np.roll(numbers, 1)))
    one, case, run = Moments(weighted=True), Case(before, after), Run(bytes(32))
    public = one.disclose(case, run, one.measure(case, run))
    assert (public is not None and "x" in public.detail["columns"]) is told


@pytest.mark.parametrize("weights", [np.ones(60), np.tile([1.0, 2.0, 0.0], 20)], ids=["alike", "others"])
def test_who_is_left_out_of_a_column_in_order_is_as_if_never_there(weights: Any) -> None:
    rng = np.random.default_rng(3)
    values = np.where(rng.random(60) < 0.2, np.nan, rng.integers(0, 6, 60).astype(float))
    gone = rng.random(60) < 0.3
    left = Ordered.of(values, weights).without(values[gone], weights[gone])
    assert of_ordered(left, (0.25, 0.5)) == moments(values[~gone], weights[~gone], (0.25, 0.5))


def test_what_is_left_out_by_chance_is_said_not_to_be_compared() -> None:
    schema = Schema(columns=[Column(name="income", role="sensitive", scale="continuous")])
    everybody = Dataset.from_frame(pa.table({"income": [float(n) for n in range(200)]}), schema)
    some = everybody.filter(nw.col(schema.key) % 2 == 0)
    for released, said in ((some, True), (everybody.mutate(income=nw.col("income") * 1.0), None)):
        case, run = Case(everybody, released), Run(key=bytes(32))
        told = Moments().disclose(case, run, Moments().measure(case, run))
        assert told is not None
        assert told.detail.get("released_only") is said


def test_means_that_stay_are_not_said_to_have_moved_by_nothing() -> None:
    kept = ComparisonOutcome(0.0, {"columns": {"x": 0.0, "y": 0.0}})
    assert Moments().said(kept) == "The means of 2 numeric columns did not move noticeably."
