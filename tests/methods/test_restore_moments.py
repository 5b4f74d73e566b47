"""Another method first, then mean and variance as they were."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from methods.swapping import KEY, codes, data, released
from schleier.core.errors import SchleierError
from schleier.core.run import Run
from schleier.methods.restore_moments import RestoreMoments

RNG = np.random.default_rng(12)
ROUND = {"method": "round_to", "column": "x", "base": 500}
NOISE = {"method": "multiply_noise", "columns": ["x"], "kind": "mixture", "f": 0.11, "s": 0.03}


def step(**more: Any) -> RestoreMoments:
    return RestoreMoments(**{"columns": ["x"], "first": NOISE} | more)


def moments(values: Any) -> tuple[float, float]:
    return float(np.mean(values)), float(np.std(values))


def test_mean_variance_and_correlation() -> None:
    x = RNG.lognormal(8, 1, 400)
    of = data({"x": x, "y": RNG.normal(size=400) + x / x.std()})
    after, plain = released(step(name="a"), of), released(step(name="a").step, of)
    assert moments(after["x"]) == pytest.approx(moments(x))
    assert after["y"] == of.to_arrow()["y"].to_pylist()
    assert moments(plain["x"]) != pytest.approx(moments(x))


def test_equal_values_stay_equal() -> None:
    x = np.sort(RNG.lognormal(8, 1, 400))
    for block in (None, 50):
        after = released(step(first=ROUND, block=block), data({"x": x}))["x"]
        plain = released(step(first=ROUND).step, data({"x": x}))["x"]
        assert len({(a, b) for a, b in zip(plain, after, strict=True)}) == len(set(plain))
        assert moments(after) == pytest.approx(moments(x))


def test_blocks_come_nearer_to_the_original_and_that_is_told() -> None:
    """Blocks of two give nearly everything back."""
    x = np.random.default_rng(1).lognormal(8, 1, 1000)
    off = {}
    for block in (None, 10, 2):
        run, of = Run(key=KEY), data({"x": x})
        one = step(block=block, allow_small_blocks=True, name="same")
        off[block] = np.median(np.abs(np.array(released(one, of, run)["x"]) / x - 1))
        assert ("caution" in {key for note in run.notes for key in note.facts}) == (block is not None)
    assert off[2] < 0.01 < off[10] < off[None]


def test_strata_are_blocks_too_and_small_ones_are_pooled() -> None:
    x, g = RNG.lognormal(8, 1, 300), np.array(["a"] * 140 + ["b"] * 100 + ["c"] * 30 + ["d"] * 30)
    after = np.array(released(step(strata=["g"]), data({"x": x, "g": g}))["x"])
    for one in (g == "a", g == "b", (g == "c") | (g == "d")):
        assert moments(after[one]) == pytest.approx(moments(x[one]))
    assert moments(after[g == "c"]) != pytest.approx(moments(x[g == "c"]))
    alone = np.array(released(step(strata=["g"], allow_small_blocks=True), data({"x": x, "g": g}))["x"])
    assert moments(alone[g == "c"]) == pytest.approx(moments(x[g == "c"]))


def test_gaps_zeros_and_signs() -> None:
    x = [None, 0.0, 0.0, *RNG.lognormal(8, 1.5, 200).tolist()]
    of = data({"x": pa.array(x, pa.float64())})
    after = released(step(zeros="keep"), of)["x"]
    assert after[:3] == [None, 0.0, 0.0]
    assert moments(after[3:]) == pytest.approx(moments(x[3:]))
    run = Run(key=KEY)
    changed = released(step(first={"method": "top_code", "column": "x", "upper": 5000}), of, run)["x"]
    turned = sum(a is not None and b is not None and a * b < 0 for a, b in zip(x, changed, strict=True))
    told = [note.facts["with_another_sign"] for note in run.notes if "with_another_sign" in note.facts]
    assert turned > 0 and told == [{"x": turned}]  # small values are pushed below zero: the known weakness


def test_whole_and_constant_numbers() -> None:
    x = RNG.integers(1, 4000, 300)
    after = released(step(), data({"x": x}))["x"]
    assert all(isinstance(value, int) for value in after)
    assert moments(after) == pytest.approx(moments(x), abs=0.2)
    assert released(step(first=ROUND), data({"x": [700.0] * 5}))["x"] == [700.0] * 5


def test_refusals() -> None:
    of = data({"x": [1.0, 2.0, 3.0], "weight": [1.0, 1.0, 1.0]})
    assert codes(step(block=20), of) == {"small-blocks"}
    assert codes(step(block=20, allow_small_blocks=True), of) == set()
    assert "rows-change" in codes(step(first={"method": "sample", "fraction": 0.5}), of)
    assert codes(step(columns=["weight"]), of) == {"fixed-column"}
    assert "unknown-column" in codes(step(first={"method": "round_to", "column": "nowhere", "base": 10}), of)
    with pytest.raises(SchleierError):
        step(block=1)


def test_what_the_first_method_keeps_secret_stays_secret() -> None:
    assert step().parameters(public=True)["first"] == {"method": "multiply_noise", "columns": ["x"], "kind": "mixture"}
