"""Arithmetic of samples and thresholds: Müller, Blien, Knoche and Wirth (1991), 4.1, 4.2, 9.3 and 14.

Part A of the specification, T-06 (L6988-7026) and T-14 (L6210-6220); part C, T20 (L22452-22461) and 6.4 (L21927-21941).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.criteria.category_threshold import CategoryThreshold
from schleier.kernels.classes.thinning import expected_per_place
from schleier.methods.multiply_noise import MultiplyNoise
from schleier.methods.replace_extremes import ReplaceExtremes
from schleier.planning.design import Design, Question
from schleier.risk.composed_risk import ComposedRisk
from schleier.risk.regional_thinning import RegionalThinning
from schleier.risk.uniqueness import Uniqueness

SEX = Schema(columns=[Column(name="sex", role="quasi", scale="nominal")])


@pytest.mark.parametrize(("fraction", "one_of"), [(0.01, 100), (0.002, 500)], ids=["microcensus", "income survey"])
def test_representation(fraction: float, one_of: int) -> None:
    """T-14: one of a hundred in the microcensus, one of five hundred in the income survey."""
    people = Dataset.from_frame(pa.table({"sex": ["f"] * 20 + ["m"] * 20}), SEX)
    risk = ComposedRisk(fraction=fraction).measure(Case(people, people), Run(key=bytes(32)))
    assert risk.detail["components"]["represented"]["value"] == fraction
    thin = RegionalThinning(inhabitants=100, fraction=fraction).measure(Case(people, people), Run())
    assert thin.detail["twins"] == pytest.approx(one_of)


TUSCANY = {"none": (0.14, 0.01, 0.00), "Florence": (0.36, 0.06, 0.03), "provinces": (0.98, 0.26, 0.14)}
"""Table 4.1: share of unique persons in per cent by depth of region; ages in 1, 5 and 10 years."""


def test_combinations_of_the_tuscan_census() -> None:
    """T-06: 9 provinces, 4, 3, 2, 5, 8 and 15 categories, and 100 years of age: about 13 million combinations."""
    counts = (9, 4, 3, 2, 5, 8, 15, 100)
    questions = tuple(Question(str(n), (Fraction(1, n),) * n) for n in counts)
    assert Design(3_500_000, Fraction(5), questions).combinations == 12_960_000
    assert Design(3_500_000, Fraction(5), questions[:-1]).combinations == 129_600


def test_layout_of_table_4_1() -> None:
    """T-06: a finer region makes more persons unique, wider ages fewer; in print, and in a population drawn here."""
    rng, rows = np.random.default_rng(1), 3_000
    province, age = rng.integers(0, 9, rows), rng.binomial(99, 0.4, rows)
    regions = {"none": province * 0, "Florence": (province == 0).astype(int), "provinces": province}
    columns = {f"age{years}": age // years for years in (1, 5, 10)} | {"job": rng.integers(0, 15, rows)}
    table = pa.table(columns | regions)
    schema = Schema(columns=[Column(name=name, role="quasi", scale="discrete") for name in table.column_names])
    data = Dataset.from_frame(table, schema)
    found = {
        region: tuple(
            Uniqueness(keys=["job", region, f"age{years}"]).measure(Case(data, data), Run()).value
            for years in (1, 5, 10)
        )
        for region in regions
    }
    for shares in (TUSCANY, found):
        assert all(fine >= middle >= wide for fine, middle, wide in shares.values())
        assert all(np.greater_equal(shares["Florence"], shares["none"]))
        assert all(np.greater_equal(shares["provinces"], shares["Florence"]))
    assert found["provinces"][0] > found["none"][2]


@pytest.mark.parametrize(("weight", "cases"), [(100.0, 50), (500.0, 10)], ids=["microcensus", "income survey"])
def test_five_thousand_persons(weight: float, cases: int) -> None:
    """T20: a category of 5,000 persons is 50 cases of the microcensus, and 10 of the income survey."""
    schema = Schema(
        columns=[Column(name="job", role="quasi", scale="nominal"), Column(name="w", role="weight", scale="continuous")]
    )
    rule = CategoryThreshold(columns=["job"], threshold=5_000, count="weights")
    for rows, holds in ((cases, True), (cases - 1, False)):
        data = Dataset.from_frame(pa.table({"job": ["a"] * rows, "w": [weight] * rows}), schema)
        assert rule.check(data).holds is holds


def test_three_cases() -> None:
    """T20: three cases of the microcensus stand for 300 persons."""
    schema = Schema(columns=[Column(name="job", scale="nominal"), Column(name="w", role="weight", scale="continuous")])
    data = Dataset.from_frame(pa.table({"job": ["a"] * 3, "w": [100.0] * 3}), schema)
    assert CategoryThreshold(columns=["job"], threshold=5_000, count="weights").check(data).level == 300


def test_a_nationality_in_a_small_unit() -> None:
    """T20: 50,000 of 80 million persons are 250 in a unit of 400,000."""
    assert expected_per_place([50_000], 400_000, 80_000_000).tolist() == [250]


def test_tails_of_the_income_survey() -> None:
    """6.4, R-EVS-3b: five lowest and five highest values by their mean, up to 1 % in the tenths, nothing in between."""
    values = np.random.default_rng(4).lognormal(8, 0.8, 400)
    schema = Schema(columns=[Column(name="income", role="sensitive", scale="continuous")])
    data, run = Dataset.from_frame(pa.table({"income": values}), schema), Run(key=bytes(32))
    step = MultiplyNoise(columns=["income"], kind="truncated", distribution="uniform", outer=0.01, tails=0.1, spared=5)
    averaged = ReplaceExtremes(column="income", extremes=5).apply(data, run)
    released = step.apply(averaged, run).to_arrow()["income"].to_numpy()
    order = np.argsort(values)
    low, high, middle = order[:5], order[-5:], order[40:-40]
    tenths = np.concatenate([order[5:40], order[-40:-5]])
    for five in (low, high):
        assert released[five] == pytest.approx(np.full(5, values[five].mean()))
    assert (released[middle] == values[middle]).all()
    moved = np.abs(released[tenths] / values[tenths] - 1)
    assert moved.max() <= 0.01 and moved.min() > 0


def test_spared_values_are_those_of_tails() -> None:
    with pytest.raises(SchleierError, match="spared needs tails"):
        MultiplyNoise(columns=["income"], kind="truncated", distribution="uniform", outer=0.01, spared=5)
