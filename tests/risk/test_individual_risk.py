"""Individual risk: from classes to records and households, before and after, weighted and not."""

from __future__ import annotations

import ast
import json
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.classes.request import Request
from schleier.core.data import Dataset
from schleier.core.errors import DataError
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.population.link_intervals import LinkSum, off_by
from schleier.kernels.population.links import links
from schleier.methods.drop import Drop
from schleier.methods.recode import Recode
from schleier.risk._individual_models import estimated
from schleier.risk.individual_risk import LIMITS, IndividualRisk
from schleier.testing import example_schema, example_table

MODELS = ("margins", "negative_binomial", "poisson", "poisson_inverse_gaussian", "log_linear")
EACH_ALONE = {"model": "negative_binomial"}
"""The model whose numbers can be told by hand."""
AGE = Column(name="age", role="quasi", scale="discrete")
SEX = Column(name="sex", role="quasi", scale="nominal")
HOME = Column(name="home", role="unit", scale="nominal")
WEIGHT = Column(name="w", role="weight", scale="continuous")


def table(*columns: Column, **values: list[Any]) -> Dataset:
    types = {"age": pa.int64(), "w": pa.float64()}
    arrays = {name: pa.array(each, types.get(name, pa.string())) for name, each in values.items()}
    return Dataset.from_frame(pa.table(arrays), Schema(columns=columns))


def measured(data: Dataset, original: Dataset | None = None, **parameters: Any) -> Finding:
    return IndividualRisk(**parameters).measure(Case(original or data, data), Run(key=bytes(32)))


def single(persons: float) -> float:
    return math.log(persons) / (persons - 1)


def records(data: Dataset, **parameters: Any) -> list[dict[str, Any]]:
    run = Run(key=bytes(32))
    IndividualRisk(**parameters).measure(Case(data, data), run)
    (make,) = run.by_record.values()
    return list(data.engine.arrays(make().sort(data.schema.key)).to_pylist())


def test_before_and_after_by_a_fraction() -> None:
    original = table(AGE, age=[20, 21, 40, 41])
    released = Recode(column="age", breaks=[30]).apply(original, Run())
    finding = measured(released, original, fraction=0.1, **EACH_ALONE)
    assert finding.detail["before"]["mean"] == pytest.approx(single(10))
    p, q = 0.1, 0.9
    pair = p / q - p * p / q**2 * math.log(1 / p)
    assert finding.value == finding.detail["after"]["mean"] == pytest.approx(pair)
    assert finding.detail["expected"] == pytest.approx(4 * pair)
    assert finding.detail["before"]["above_share"] == 1.0 and finding.detail["after"]["above_share"] == 0.0
    assert finding.detail["before"]["population_uniques"] == pytest.approx(4 * 0.1)
    assert finding.low is not None and finding.high is not None and finding.low < finding.value < finding.high


def test_records_by_their_risk() -> None:
    """At a tenth: one record alone has 0.256, each of two 0.083, each of three 0.048."""
    told = measured(table(AGE, age=[20, 30, 30, 40, 40, 40]), fraction=0.1, **EACH_ALONE).detail
    assert told["limits"] == [0.001, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0]
    assert told["after"]["bins"] == [0, 0, 3, 2, 0, 1, 0]
    many = measured(table(AGE, age=[20] * 3 + list(range(30, 35))), fraction=0.6, **EACH_ALONE).detail
    assert many["after"]["bins"] == [0, 0, 0, 0, 0, 3, 5]


def test_the_interval_of_records_that_are_all_alone() -> None:
    """n times the same chance: the sum varies n times as much, and no parameter had to be estimated."""
    n, p = 40, 0.1
    finding = measured(table(AGE, age=list(range(n))), fraction=p, **EACH_ALONE)
    chances = p * (1 - p) ** np.arange(20_000)  # persons beside the one who was drawn: geometric
    each = 1 / np.arange(1, 20_001)
    mean = float(chances @ each)
    assert mean == pytest.approx(single(1 / p))
    sums = LinkSum(n * mean, n, n * float(chances @ each**2 - mean**2), 0.0)
    low, high = sums.interval(off_by("negative_binomial", p))
    assert (finding.low, finding.high) == (pytest.approx(low / n), pytest.approx(high / n))


def test_the_sum_of_a_class_varies_as_its_square() -> None:
    """Two records with the same 1/F vary together."""
    ages = [20, 20, 30, 30, 30, 40, 50]
    data = table(AGE, SEX, age=ages, sex=["f"] * 6 + ["m"])
    classes = data.classes(Request(keys=("age", "sex")))
    found = estimated("margins", classes, classes.sizes, classes.sizes / 0.2)
    assert found.fitted is not None and found.variances is not None
    one = links(found.fitted, classes.sizes, 0.2).variances
    assert sorted(found.variances / one) == pytest.approx([1, 1, 4, 9])


def test_population_is_a_fraction() -> None:
    data = table(AGE, age=[20, 20, 21])
    assert measured(data, population=30).value == measured(data, fraction=0.1).value


def test_weighted_and_unweighted_are_both_shown() -> None:
    data = table(AGE, WEIGHT, age=[20, 21], w=[2.5, 37.5])
    after = measured(data, **EACH_ALONE).detail["after"]
    assert after["expected"] == pytest.approx(single(2.5) + single(37.5))
    assert after["highest"] == pytest.approx(single(2.5))
    assert after["unweighted"]["expected"] == pytest.approx(2 * single(20))  # 40 persons behind two records
    assert after["bins"] == [0, 0, 0, 1, 0, 0, 1] and sum(after["bins"]) == after["records"] == 2


def test_a_given_population_scales_the_weights() -> None:
    data = table(AGE, WEIGHT, age=[20, 21], w=[0.5, 1.5])  # weights that only say how unequal records are
    assert measured(data, population=40, **EACH_ALONE).value == pytest.approx((single(10) + single(30)) / 2)


def test_light_weights_are_said() -> None:
    data = table(AGE, WEIGHT, age=[20, 21], w=[0.5, 10.0])
    for model in ("margins", "negative_binomial"):
        finding = measured(data, model=model)
        assert "light" in finding.detail["cautions"]
        assert finding.detail["highest"] == 1.0
        whole = table(AGE, WEIGHT, age=[20, 21], w=[1.0, 10.0])
        assert "light" not in measured(whole, model=model).detail["cautions"]


@pytest.mark.parametrize(("model", "ages"), [("negative_binomial", [20] * 40 + [21] * 60), ("margins", [20, 20] * 50)])
def test_weights_that_differ_within_a_class_widen_the_interval(model: str, ages: list[int]) -> None:
    even = measured(table(AGE, WEIGHT, age=ages, w=[20.0] * 100), model=model)
    uneven = measured(table(AGE, WEIGHT, age=ages, w=[2.0, 38.0] * 50), model=model)
    assert uneven.value == pytest.approx(even.value)
    assert (
        uneven.high is not None
        and even.high is not None
        and uneven.high - uneven.value > 1.1 * (even.high - even.value)
    )


@pytest.mark.parametrize("model", MODELS)
def test_a_full_enumeration_is_counted(model: str) -> None:
    finding = measured(table(AGE, age=[20, 20, 21, 22]), fraction=1.0, model=model)
    assert finding.value == pytest.approx(3 / 4)
    assert finding.low is None and finding.high is None
    assert finding.detail["after"]["population_uniques"] == 2


@pytest.mark.parametrize("model", MODELS)
def test_interval_brackets_the_value_and_nothing_is_endless(model: str) -> None:
    data = Dataset.from_frame(example_table(), example_schema())
    for finding in (measured(data, model=model, keys=["sex", "age"]), measured(data, model=model, keys=["age"])):
        assert finding.low is not None and finding.high is not None
        assert 0 <= finding.low <= finding.value <= finding.high <= 1
        assert finding.detail["limits"] == list(LIMITS)
        json.dumps(finding.detail, allow_nan=False)


def test_records_are_told_to_the_audit_only() -> None:
    data = table(AGE, WEIGHT, age=[20, 21, 21, None], w=[8.0, 45.5, 39.0, 5.0])
    found = records(data, **EACH_ALONE)
    p, q = 2 / 84.5, 1 - 2 / 84.5
    pair = p / q - p * p / q**2 * math.log(1 / p)
    assert [row["risk"] for row in found] == pytest.approx([single(8), pair, pair, single(5)])
    assert set(found[0]) == {"_row_", "risk"}


@pytest.mark.parametrize("missing", ["category", "exclude", "wildcard"])
def test_missing_keys(missing: str) -> None:
    data = table(AGE, age=[20, 21, None])
    expected = {"category": 3 * single(10), "exclude": 2 * single(10)}
    finding = measured(data, fraction=0.1, missing=missing, **EACH_ALONE)
    if missing == "wildcard":  # each of the first two could be the third, who could be either of them
        z = 9.0
        two = (1 - math.log(1 + z) / z) / z
        three = (1 / 2 - two) / z
        assert finding.detail["expected"] == pytest.approx(2 * two + three)
    else:
        assert finding.detail["expected"] == pytest.approx(expected[missing])
    assert [row["risk"] is None for row in records(data, fraction=0.1, missing=missing, **EACH_ALONE)][2] == (
        missing == "exclude"
    )


def test_households_against_the_product_over_members() -> None:
    homes, ages = ["x", "x", "y", None, None, "y", "z"], [20, 21, 21, 22, 23, 24, None]
    data = table(AGE, HOME, age=ages, home=homes)
    found = records(data, fraction=0.2)
    left: dict[Any, float] = {}
    for i, (home, row) in enumerate(zip(homes, found, strict=True)):
        left[home or i] = left.get(home or i, 1.0) * (1 - row["risk"])
    detail = measured(data, fraction=0.2, threshold=0.45).detail
    told = detail["after"]["households"]
    assert told["households"] == detail["households"] == len(left) == 5  # who has none is one of his own
    assert told["expected"] == pytest.approx(sum(1 - each for each in left.values()), abs=1e-8)
    assert told["highest"] == pytest.approx(1 - min(left.values()), abs=1e-8)
    assert told["above"] == sum(1 - each > 0.45 for each in left.values()) > 0
    expected = [1 - left[home or i] for i, home in enumerate(homes)]
    assert [row["household_risk"] for row in found] == pytest.approx(expected)
    assert "households" in detail["cautions"]


def test_a_household_with_somebody_who_is_certain_is_found() -> None:
    data = table(AGE, HOME, age=[20, 21, 21], home=["x", "x", "y"])
    told = measured(data, fraction=1.0).detail["after"]["households"]
    assert told["highest"] == 1.0
    assert told["expected"] == pytest.approx(1.5)


def test_households_of_records_that_are_left_out() -> None:
    data = table(AGE, HOME, age=[20, None, None], home=["x", "x", "y"])
    told = measured(data, fraction=0.1, missing="exclude", **EACH_ALONE).detail["after"]["households"]
    assert told["households"] == 1
    assert told["expected"] == pytest.approx(single(10), abs=1e-8)


def test_models_agree_with_a_known_population() -> None:
    """Equal cells filled by chance: models that look at all classes can know it."""
    rng, fraction = np.random.default_rng(4), 0.1
    people = rng.integers(0, 4000, 20_000)
    drawn = rng.random(20_000) < fraction
    ages, sexes = people[drawn] // 40, people[drawn] % 40
    data = table(AGE, SEX, age=ages.tolist(), sex=[f"s{i}" for i in sexes])
    truth = float((1 / np.bincount(people)[people[drawn]]).mean())
    for model in ("margins", "poisson_inverse_gaussian", "log_linear"):
        finding = measured(data, fraction=fraction, model=model)
        assert finding.low is not None and finding.high is not None
        assert finding.low < truth < finding.high
        assert finding.value == pytest.approx(truth, rel=0.1)


def test_log_linear_says_what_it_chose() -> None:
    rng = np.random.default_rng(8)
    first = rng.integers(0, 20, 3000)
    second = (first + rng.integers(0, 3, 3000)) % 20
    data = table(AGE, SEX, age=first.tolist(), sex=[f"s{i:02d}" for i in second])
    fit = measured(data, fraction=0.2, model="log_linear").detail["fit"]
    assert fit["pairs"] == [["age", "sex"]] and fit["cells"] == 400
    plain = measured(data, fraction=0.2, model="log_linear", interactions="none").detail
    assert plain["fit"]["pairs"] == [] and plain["cautions"] == ["misfit"]
    assert plain["fit"]["score"] > 1.96 > abs(fit["score"])


def test_a_cross_table_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    original = table(AGE, SEX, age=[20, 21, 40, 41], sex=["f", "m", "f", "m"])
    released = Recode(column="age", breaks=[30]).apply(original, Run())
    monkeypatch.setattr("schleier.kernels.population.log_linear.LARGEST", 6)
    finding = measured(released, original, fraction=0.5, model="log_linear")
    assert finding.detail["before"] is None and "no_before" in finding.detail["cautions"]
    with pytest.raises(DataError, match="8 possible combinations") as caught:
        measured(original, fraction=0.5, model="log_linear")
    assert [problem.code for problem in caught.value.problems] == ["large-cross-table"]
    assert caught.value.problems[0].hint


def test_an_original_of_unknown_size() -> None:
    original = table(AGE, age=[20, 21])
    released = table(AGE, WEIGHT, age=[20, 21], w=[10.0, 10.0])
    finding = measured(released, original)
    assert finding.detail["before"] is None
    assert finding.detail["cautions"] == ["few", "one_key", "no_before"]


@pytest.mark.parametrize(
    ("weights", "codes"),
    [
        ([None, 3.0, 5.0], ["missing-weights"]),
        ([0.0, 3.0, 5.0], ["bad-weights"]),
        ([-2.0, 3.0, 5.0], ["negative-weight"]),
        ([None, 0.0, 5.0], ["missing-weights", "bad-weights"]),
        ([0.1, 0.1, 0.1], ["few-persons"]),
    ],
)
def test_weights_that_cannot_be(weights: list[float | None], codes: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        measured(table(AGE, WEIGHT, age=[20, 21, 22], w=weights))
    assert [problem.code for problem in caught.value.problems] == codes


def test_fewer_persons_than_records() -> None:
    with pytest.raises(DataError) as caught:
        measured(table(AGE, age=[20, 21, 22]), population=2)
    assert [problem.code for problem in caught.value.problems] == ["few-persons"]


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({}, "no-fraction"),
        ({"fraction": 1.2}, "bad-fraction"),
        ({"fraction": 0.0}, "bad-fraction"),
        ({"fraction": 0.5, "population": 10}, "two-fractions"),
        ({"fraction": 0.5, "missing": "wildcard"}, "overlapping-classes"),
        ({"fraction": 0.5, "model": "log_linear", "missing": "wildcard"}, "overlapping-classes"),
        ({"fraction": 0.5, "model": "poisson_inverse_gaussian", "missing": "wildcard"}, "overlapping-classes"),
    ],
)
def test_problems_before_any_row_is_read(parameters: dict[str, Any], code: str) -> None:
    assert [problem.code for problem in IndividualRisk(**parameters).problems(Schema(columns=(AGE,)))] == [code]


def test_an_empty_file() -> None:
    empty = table(AGE, HOME, age=[], home=[])
    for model in MODELS:
        finding = measured(empty, fraction=0.1, model=model)
        assert (finding.value, finding.low, finding.detail["after"]["households"]["households"]) == (0.0, None, 0)


@pytest.mark.parametrize("model", MODELS)
def test_weights_tell_nothing_where_everybody_is_in_the_file(model: str) -> None:
    finding = measured(table(AGE, WEIGHT, age=[1, 1, 2], w=[1.0, 1.0, 9.0]), fraction=1, model=model)
    assert finding.detail["after"]["expected"] == pytest.approx(2.0)
    assert finding.detail["cautions"] == [] and "unweighted_share" not in finding.detail


def test_before_is_told_in_the_keys_of_the_release() -> None:
    original = table(AGE, SEX, age=[20, 21, 20, 21], sex=["f", "f", "m", "m"])
    finding = measured(Drop(columns=["age"]).apply(original, Run()), original, fraction=1)
    assert finding.detail["keys"] == ["sex"]
    assert finding.detail["before"]["mean"] == finding.value == 0.5
    finding = measured(original, table(AGE, age=[20, 21, 20, 21]), fraction=1)
    assert finding.detail["before"] is None and finding.detail["cautions"] == ["no_before"]


def test_an_original_whose_weights_cannot_be_stops_nothing() -> None:
    original = table(AGE, WEIGHT, age=[20, 21], w=[10.0, None])
    finding = measured(table(AGE, WEIGHT, age=[20, 21], w=[10.0, 10.0]), original)
    assert finding.detail["before"] is None and "no_before" in finding.detail["cautions"]


@pytest.mark.parametrize("model", MODELS)
def test_numbers_of_a_finding_are_plain(model: str) -> None:
    finding = measured(table(AGE, SEX, age=[1, 1, 2, 3, 3], sex=["f", "m", "f", "m", "m"]), fraction=0.1, model=model)
    assert {type(each) for each in finding.detail["fit"].get("errors", [])} <= {float}
    assert finding.detail == ast.literal_eval(repr(finding.detail))
