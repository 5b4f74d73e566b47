"""Where releases agree, they are believed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attacks.worlds import codes, counts, table, tried
from schleier.attacks.closeness import Closeness
from schleier.attacks.impossible_values import ImpossibleValues
from schleier.attacks.low_variance import LowVariance
from schleier.attacks.repeated_release import RepeatedRelease
from schleier.core.errors import DataError
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.methods.impute import Impute


def test_numbers_are_claimed_where_the_releases_hardly_differ() -> None:
    original = table(x=[100.0, 100.0, 100.0, 100.0])
    releases = {n: table(x=v) for n, v in {"2": [101.0, 150.0, 200.0, 100.0], "3": [99.0, 70.0, 201.0, np.nan]}.items()}
    attack = LowVariance(sensitive="x", within=0.05, releases=("2", "3"), targets="all")
    found = tried(attack, original, table(x=[100.0, 100.0, 200.0, 100.0]), further=releases)
    assert counts(found) == (2, 1)  # the third agree on something false, and the fourth has a gap


def test_categories_are_claimed_where_all_agree() -> None:
    attack = LowVariance(sensitive="ill", releases=("2",), targets="all")
    found = tried(
        attack, table(ill=["a", "b", "c"]), table(ill=["a", "b", "b"]), further={"2": table(ill=["a", "c", "b"])}
    )
    assert counts(found) == (2, 1)


def test_numbers_need_a_tolerance_and_only_numbers_have_one() -> None:
    schema = table(x=[1.0], ill=["a"]).schema
    assert codes(LowVariance(sensitive="x"), schema) == ["no-tolerance"]
    assert codes(LowVariance(sensitive="ill", within=0.1), schema) == ["not-numeric"]
    assert codes(LowVariance(sensitive="ill"), schema) == []


def imputed(**columns: Any) -> Case:
    data, run = table(**columns), Run(key=bytes(32))
    step = Impute(columns=[name for name in columns if name != "z"], given=["z"], imputations=3).fit(data, run)
    return Case(data, step.apply(data, run), steps=(step,))


def test_several_imputations_are_compared_within_the_release() -> None:
    rng = np.random.default_rng(4)
    z = rng.normal(100, 20, 300)
    case = imputed(z=z, x=2 * z + rng.normal(0, 0.01, 300), ill=np.where(z > 100, "yes", "no"))
    number, word = LowVariance.fitting(case)
    assert number.held_in == ("x_1", "x_2", "x_3") and word.held_in == ("ill_1", "ill_2", "ill_3")
    assert not list(number.problems(case.released.schema)) and not list(word.problems(case.released.schema))
    shown = case.released.to_pandas()
    values = shown[["x_1", "x_2", "x_3"]].to_numpy()
    agree = values.std(axis=1) <= 0.02 * values.mean(axis=1)
    right = agree & (abs(values.mean(axis=1) - (true := case.original.to_pandas()["x"])) <= 0.05 * true)
    found = number.model_copy(update={"targets": "all"}).measure(case, Run(key=bytes(32)))
    assert counts(found) == (agree.sum(), right.sum()) and right.sum() > 100
    same = (shown["ill_1"] == shown["ill_2"]) & (shown["ill_1"] == shown["ill_3"])
    told = word.model_copy(update={"targets": "all"}).measure(case, Run(key=bytes(32)))
    assert told.detail["claims"] == same.sum()


def test_every_attack_on_imputed_values_finds_the_renamed_columns() -> None:
    rng = np.random.default_rng(4)
    case = imputed(z=rng.normal(100, 20, 60), x=rng.lognormal(3, 1, 60))
    for attack in (Closeness, ImpossibleValues, RepeatedRelease):
        (one,) = attack.fitting(case)
        one = one.model_copy(update={"targets": "all"})
        shown = case.released.to_pandas()["x_1"]
        near = (abs(shown - case.original.to_pandas()["x"]) <= 0.05 * case.original.to_pandas()["x"]).mean()
        assert one.held_in[0] == "x_1" and one.measure(case, Run()).detail["as_it_stands"] == pytest.approx(near)


def test_a_column_the_original_does_not_have_is_an_error() -> None:
    with pytest.raises(DataError, match="'y'"):
        tried(LowVariance(sensitive="y", within=0.1), table(x=[1.0]), table(y=[1.0]))
