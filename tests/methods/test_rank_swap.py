"""Rank swapping: windows, union-find against a slow search, targets, suitability."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from methods.swapping import KEY, codes, columns, data, refusal, released
from schleier.core.errors import SchleierError
from schleier.core.run import Run
from schleier.kernels.change import exchange
from schleier.kernels.change.exchange import rank_swapped, reach, swapped_by
from schleier.methods.rank_swap import RankSwap


def slow(values: Any, window: float, draws: Any) -> list[float]:
    """Appendix B of the specification, step by step."""
    n = len(values)
    order = np.argsort(-values, kind="stable")
    sorted_values = values[order]
    new, done, far = sorted_values.copy(), [False] * n, math.ceil(window * n / 100) - 1
    for i in range(n):
        last = min(n - 1, i + far)
        if done[i] or last <= i:
            continue
        j = i + 1 + int(draws[i] * (last - i))
        while j <= last and done[j]:
            j += 1
        if j <= last:
            new[i], new[j], done[i], done[j] = sorted_values[j], sorted_values[i], True, True
    out = np.empty(n)
    out[order] = new
    return out.tolist()


@given(values=columns, window=st.sampled_from([5, 10, 20, 50, 100]), seed=st.integers(0, 5))
def test_union_find_finds_what_a_search_finds(values: list[float], window: float, seed: int) -> None:
    x = np.array([v for v in values if not math.isnan(v)])
    draws = np.random.default_rng(seed).random(len(x))
    place, alone = swapped_by(x, reach(window, len(x)), lambda start: draws[start:])
    assert x[place].tolist() == slow(x, window, draws)
    assert np.array_equal(place[place], np.arange(len(x)))
    assert alone == int((place == np.arange(len(x))).sum())


def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(1).random(1000)
    whole = rank_swapped(x, 10, np.random.default_rng(5))[0]
    monkeypatch.setattr(exchange, "BATCH", 64)
    assert np.array_equal(rank_swapped(x, 10, np.random.default_rng(5))[0], whole)


def test_ranks_stay_within_the_window() -> None:
    x = np.random.default_rng(2).permutation(1000).astype(float)
    after = np.array(released(RankSwap(columns=["x"], window=3), data({"x": x}))["x"])
    assert 0 < np.abs(after - x).max() < 30  # ranks are the values here
    assert (after != x).mean() > 0.9


def test_moore_predicts_the_correlation() -> None:
    """Moore: E R(xa, ya) = R(xo, xa) R(yo, ya) R(xo, yo) (L851)."""
    rng = np.random.default_rng(4)
    x = rng.random(4000)
    y = 0.7 * x + 0.3 * rng.random(4000)
    after = released(RankSwap(columns=["x", "y"], window=30), data({"x": x, "y": y}))
    xa, ya = np.array(after["x"]), np.array(after["y"])

    def r(a: Any, b: Any) -> float:
        return float(np.corrcoef(a, b)[0, 1])

    error = 1 / math.sqrt(4000)
    assert r(xa, ya) == pytest.approx(r(x, xa) * r(y, ya) * r(x, y), abs=4 * error)
    assert r(xa, ya) < r(x, y) - 0.02


def test_target_correlation_is_kept_where_values_spread_evenly() -> None:
    rng = np.random.default_rng(6)
    x = rng.random(6000)
    of = data({"x": x})
    run = Run(key=KEY)
    step = RankSwap(columns=["x"], correlation=0.9)
    with run.within("s"):
        fitted = step.fit(of, run)
    assert fitted.windows["x"] == pytest.approx(100 * math.sqrt(0.2) * x.std() / (x.max() - x.min()), rel=1e-9)
    after = np.array(released(step, of)["x"])
    kept = np.corrcoef(x, after)[0, 1] ** 2  # evenly drawn in the window: (1 - (1 - R_0) / 3)^2, more than asked for
    assert kept == pytest.approx((1 - 0.1 / 3) ** 2, abs=0.01)
    assert kept > 0.9
    assert fitted.unsuitable == ()
    assert "windows" not in fitted.parameters(public=True)


def test_target_change_is_met_where_values_spread_evenly() -> None:
    x = np.random.default_rng(7).random(6000) + 1
    after = np.array(released(RankSwap(columns=["x"], change=0.05), data({"x": x}))["x"])
    assert math.sqrt(np.mean((after - x) ** 2)) / x.mean() == pytest.approx(0.05, rel=0.25)


@pytest.mark.parametrize(("target", "reached"), [({"correlation": 0.9}, 0.94), ({"change": 0.1}, 0.08)])
def test_a_target_that_is_missed_is_told(target: dict[str, float], reached: float) -> None:
    of = data({"x": np.random.default_rng(9).random(6000)})
    for public in ([], list(target)):
        run = Run(key=KEY)
        released(RankSwap(columns=["x"], public=public, **target), of, run)
        less = [note for note in run.notes if "expected" in note.facts]
        assert [(note.visibility, note.facts["column"]) for note in less] == [("restricted", "x")]
        assert less[0].facts["expected"] == pytest.approx(reached, abs=0.01)
        told = [note.facts["on_even_values"] for note in run.notes if "on_even_values" in note.facts]
        assert told == ([reached] if public else [])  # it follows from the target, which may be secret
    run = Run(key=KEY)
    released(RankSwap(columns=["x"], window=10), of, run)
    assert not any("expected" in note.facts for note in run.notes)


def test_very_skewed_columns_are_called_unsuitable() -> None:
    x = np.append(np.random.default_rng(8).random(5000), 1e5)
    run = Run(key=KEY)
    released(RankSwap(columns=["x"], window=2), data({"x": x}), run)
    said = [note for note in run.notes if "caution" in note.facts and note.facts["columns"] == ["x"]]
    assert [note.visibility for note in said] == ["restricted"]  # one value decides it, so everybody would learn of it
    assert {note.visibility for note in run.notes if "range_by_sd" in note.facts} == {"restricted"}


def test_bad_targets() -> None:
    with pytest.raises(SchleierError, match="exactly one"):
        RankSwap(columns=["x"])
    with pytest.raises(SchleierError):
        RankSwap(columns=["x"], window=101)
    of = data({"x": [1.0, 2.0, 3.0, 4.0], "c": ["a", "b", "c", "d"]})
    assert refusal(RankSwap(columns=["x"], change=50), of) == "no-window"
    assert "not-numeric" in codes(RankSwap(columns=["c"], window=5), of)
    step = RankSwap(columns=["c"], categories="number", correlation=0.5)
    assert refusal(step, of) == "no-window"


@pytest.mark.parametrize("values", [[5.0] * 6, [None] * 6, [0.0] * 6])
def test_constant_and_empty_columns_stay(values: list[float | None]) -> None:
    import pyarrow as pa

    table = pa.table({"x": pa.array(values, pa.float64())})
    assert released(RankSwap(columns=["x"], correlation=0.9), data(table))["x"] == values


def test_negatives_and_whole_numbers_are_values_like_others() -> None:
    x = [-5, 3, 0, -1, 8, 2, 2, -7, 4, 9]
    after = released(RankSwap(columns=["x"], window=40), data({"x": x}))["x"]
    assert sorted(after) == sorted(x) and after != x
    assert all(isinstance(value, int) for value in after)


@pytest.mark.parametrize("strata", [[], ["g"]])
def test_a_window_that_reaches_nobody_is_refused(strata: list[str]) -> None:
    x, g = np.random.default_rng(3).random(96), [f"g{i // 12}" for i in range(96)]
    table = data({"g": g, "x": x})
    assert refusal(RankSwap(columns=["x"], window=1, strata=strata), table) == "nothing-changes"
    run = Run(key=KEY)
    released(RankSwap(columns=["x"], window=30, strata=strata), table, run)
    told = [note.facts for note in run.notes if note.visibility == "restricted" and "values_that_stay" in note.facts]
    assert told[0]["values"] == 96 and told[0]["values_that_stay"] < 48


def test_strata_in_which_nothing_changes_are_told() -> None:
    x = np.random.default_rng(3).random(212)
    table = data({"g": ["small"] * 12 + ["large"] * 200, "x": x})
    run = Run(key=KEY)
    after = np.array(released(RankSwap(columns=["x"], window=5, strata=["g"]), table, run)["x"])
    assert (after[:12] == x[:12]).all()
    stay = next(note.facts for note in run.notes if "values_that_stay" in note.facts)
    assert (stay["values_that_stay"], stay["strata_that_stay"]) == ((after == x).sum(), 1)
    assert [note.visibility for note in run.notes if "in some strata" in str(note.facts)] == ["public"]
