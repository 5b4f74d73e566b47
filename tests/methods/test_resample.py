"""Records drawn from a kernel density."""

from __future__ import annotations

import math

import numpy as np
import pytest

from methods.swapping import codes, data, refusal, released
from schleier.core.run import Run
from schleier.kernels.change.simulation import from_density
from schleier.methods.resample import Resample

N = 3000


def people() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(2)
    age = rng.integers(18, 80, N)
    return {"age": age, "income": 30.0 * age + 200 * rng.standard_normal(N), "kids": rng.integers(0, 4, N)}


def test_moments_are_kept_on_average() -> None:
    before = people()
    after = released(Resample(columns=["age", "income"]), data(before))
    assert after["kids"] == before["kids"].tolist()
    assert len(set(after["income"]) & set(before["income"].tolist())) == 0
    for name in ("age", "income"):
        old, new = before[name], np.array(after[name])
        assert new.mean() == pytest.approx(old.mean(), abs=4.5 * old.std() / math.sqrt(N))
        assert new.std() == pytest.approx(old.std(), rel=4.5 / math.sqrt(2 * N) + 0.02)
    old_r, new_r = (np.corrcoef(t["age"], t["income"])[0, 1] for t in (before, after))
    assert new_r == pytest.approx(old_r, abs=0.03)
    assert all(isinstance(value, int) for value in after["age"])


def test_any_number_of_records_with_the_drawn_columns_only() -> None:
    of = data(people() | {"sex": np.array(["f", "m"] * (N // 2))})
    step = Resample(columns=["age", "income"], strata=["sex"], size=501)
    after = released(step, of)
    assert list(after) == ["age", "income", "sex"] == list(step.after(of.schema).names)
    assert sorted((after["sex"].count("f"), after["sex"].count("m"))) == [250, 251]
    assert "rows" not in step.promises()


def test_no_value_below_zero_where_there_was_none_and_zeros_stay_zeros() -> None:
    rng = np.random.default_rng(4)
    x = np.where(rng.random(N) < 0.3, 0.0, rng.lognormal(0, 1, N))
    after = np.array(released(Resample(columns=["x"]), data({"x": x}))["x"])
    assert (after >= 0).all()
    assert (after == 0).mean() == pytest.approx(0.3, abs=4.5 * math.sqrt(0.21 / N))
    signed = np.array(released(Resample(columns=["x"]), data({"x": x - 5}))["x"])
    assert (signed < 0).any()


def test_reflection_moves_moments_and_nothing_else_is_promised() -> None:
    x = np.random.default_rng(5).exponential(100, N)[:, None]
    drawn = from_density(x, 20 * N, 0.5, np.random.default_rng(6))
    assert drawn.mean() > 1.04 * x.mean() and drawn.var() < 0.95 * x.var()
    assert {Resample.keeps[name] for name in ("mean", "variance", "correlation")} == {"weak"}


def test_gaps_are_drawn_too() -> None:
    x = [None if i % 4 == 0 else float(i) for i in range(2000)]
    after = released(Resample(columns=["x"]), data({"x": x}))["x"]
    assert sum(v is None for v in after) == pytest.approx(500, abs=4.5 * math.sqrt(375))


def test_constant_columns_stay() -> None:
    values = np.full((20, 2), 7.0)
    assert np.array_equal(from_density(values, 10, 0.3, np.random.default_rng(1)), np.full((10, 2), 7.0))


def test_categories_by_number() -> None:
    words = ["low", "mid", "top"] * 200
    of = data({"s": words, "x": np.arange(600.0)}, ordinal=("s",))
    after = released(Resample(columns=["s", "x"], categories="number", smooth=0.1), of)
    assert set(after["s"]) == {"low", "mid", "top"}
    assert "categories-refused" in codes(Resample(columns=["s", "x"], categories="sullivan"), of)


def test_whole_numbers_may_be_left_broken() -> None:
    of = data({"x": list(range(100))})
    step = Resample(columns=["x"], round="none")
    assert step.after(of.schema)["x"].scale == "continuous"
    assert any(value != int(value) for value in released(step, of)["x"])


def test_refusals_and_secrets() -> None:
    of = data({"x": [1.0, 2.0], "weight": [1.0, 1.0]})
    assert refusal(Resample(columns=["x"]), of) == "small-strata"
    assert "fixed-column" in codes(Resample(columns=["weight"]), of)
    many = data({"x": np.arange(30.0), "g": [f"g{i // 3}" for i in range(30)]})
    assert refusal(Resample(columns=["x"], strata=["g"], size=5), many) == "size-too-small"
    assert "smooth" not in Resample(columns=["x"], smooth=0.2).parameters(public=True)
    assert Run(key=bytes(32)).notes == []
