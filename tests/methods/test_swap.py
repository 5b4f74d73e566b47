"""Simple swapping, and what all methods share that exchange values."""

from __future__ import annotations

import datetime
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from methods.swapping import KEY, codes, columns, data, refusal, released
from schleier.core.errors import SchleierError
from schleier.core.run import Run
from schleier.methods._exchange import Exchange
from schleier.methods.half_swap import HalfSwap
from schleier.methods.rank_swap import RankSwap
from schleier.methods.shuffle import Shuffle
from schleier.methods.swap import Swap

STEPS: list[Any] = [
    Swap(columns=["x"]),
    Swap(columns=["x"], share=0.4),
    HalfSwap(columns=["x"]),
    RankSwap(columns=["x"], window=30, windows={"x": 30}),
    Shuffle(columns=["x"]),
]


@pytest.mark.parametrize("zeros", ["move", "keep"])
@pytest.mark.parametrize("step", STEPS, ids=lambda step: type(step).__name__)
@given(values=columns, seed=st.integers(0, 5))
def test_distribution_gaps_and_structural_zeros_are_exact(
    step: Exchange, zeros: str, values: list[float], seed: int
) -> None:
    """Section 12, S01 to S03: total, variance and distribution E; missing and structural zeros stay."""
    before = np.array(values, dtype=np.float64)
    place = step.model_copy(update={"zeros": zeros}).places({"x": before}, np.random.default_rng(seed))["x"]
    assert sorted(place.tolist()) == list(range(len(before)))
    after = before[place]
    assert np.array_equal(np.isnan(after), np.isnan(before))
    if zeros == "keep":
        assert np.array_equal(after == 0, before == 0)


TYPES = {
    "s": ["a", "b", None, "c", "d", "e"] * 4,
    "i": [2**62 + 1, 2**62 + 3, None, 5, 6, 7] * 4,
    "f": [0.1, 0.2, 0.3, None, 0.5, 0.0] * 4,
    "d": [datetime.date(2020, 1, day) for day in range(1, 25)],
    "b": [True, False, None] * 8,
    "g": ["u", "v"] * 12,
}


@pytest.mark.parametrize("strata", [(), ("g",)])
def test_every_type_is_exact(strata: tuple[str, ...]) -> None:
    before = pa.table(TYPES)
    of = data(before)
    after = released(Swap(columns=["s", "i", "f", "d", "b"], strata=strata), of)
    for name in ("s", "i", "f", "d", "b"):
        pairs = zip(before["g"].to_pylist(), before[name].to_pylist(), strict=True)
        moved = zip(after["g"], after[name], strict=True)
        assert Counter(moved) == Counter(pairs) if strata else Counter(after[name]) == Counter(TYPES[name])
        assert [v is None for v in after[name]] == [v is None for v in TYPES[name]]
    assert after["i"] != TYPES["i"] and after["d"] != TYPES["d"]


def test_groups_have_different_orders() -> None:
    """Two strata of the same size: the same permutation in both would be a pattern."""
    of = data({"x": list(range(40)) * 2, "g": ["a"] * 40 + ["b"] * 40})
    after = released(Swap(columns=["x"], strata=["g"]), of)
    assert after["x"][:40] != after["x"][40:]


def test_together_keeps_rows_of_values() -> None:
    of = data({"x": list(range(30)), "y": [10 * i for i in range(30)]})
    apart = released(Swap(columns=["x", "y"]), of)
    joint = released(Swap(columns=["x", "y"], together=True), of)
    assert joint["x"] != list(range(30))
    assert joint["y"] == [10 * x for x in joint["x"]]
    assert apart["y"] != [10 * x for x in apart["x"]]


def test_together_leaves_alone_who_lacks_a_value() -> None:
    of = data({"x": [1, 2, 3, 4, None], "y": [None, 20, 30, 40, 50]})
    after = released(Swap(columns=["x", "y"], together=True), of)
    assert (after["x"][0], after["x"][4], after["y"][0], after["y"][4]) == (1, None, None, 50)


def test_a_share_moves_and_the_rest_stays() -> None:
    of = data({"x": list(range(1000))})
    after = released(Swap(columns=["x"], share=0.1), of)["x"]
    assert 90 <= sum(value != i for i, value in enumerate(after)) <= 100  # a few are drawn for their own place


def test_small_strata_are_pooled_or_refused() -> None:
    of = data({"x": list(range(12)), "g": ["a"] * 8 + ["b"] * 2 + ["c"] * 2})
    run = Run(key=KEY)
    after = released(Swap(columns=["x"], strata=["g"]), of, run)
    assert sorted(after["x"][:8]) == list(range(8)) and sorted(after["x"][8:]) == list(range(8, 12))
    assert {"strata": 3, "strata_pooled": 2} in [note.facts for note in run.notes]
    lonely = data({"x": list(range(9)), "g": ["a"] * 8 + ["b"]})
    assert refusal(Swap(columns=["x"], strata=["g"]), lonely) == "small-pool"
    gaps = data({"x": [1, 2, 3, 4, None, None, 7], "g": ["a"] * 4 + ["b"] * 3})
    assert refusal(Swap(columns=["x"], strata=["g"]), gaps) == "small-strata"
    allowed = released(Swap(columns=["x"], strata=["g"], allow_small_strata=True), gaps)["x"]
    assert (sorted(allowed[:4]), allowed[4:]) == ([1, 2, 3, 4], [None, None, 7])


def test_strata_without_a_value_are_left_alone() -> None:
    of = data({"x": [1, 2, 3, 4, None, None, None], "g": ["a"] * 4 + ["b"] * 3})
    for step in (Swap(columns=["x"], strata=["g"]), HalfSwap(columns=["x"], strata=["g"])):
        after = released(step, of)["x"]
        assert (sorted(after[:4]), after[4:]) == ([1, 2, 3, 4], [None, None, None])


def test_missing_is_a_stratum() -> None:
    of = data({"x": list(range(20)), "g": ["a"] * 10 + [None] * 10})
    after = released(Swap(columns=["x"], strata=["g"]), of)["x"]
    assert sorted(after[:10]) == list(range(10))


def test_categories_may_split_the_rows() -> None:
    of = data({"x": list(range(20)), "g": ["a", "b"] * 10})
    after = released(Swap(columns=["x", "g"], categories="within"), of)
    assert after["g"] == ["a", "b"] * 10
    assert {x % 2 for x in after["x"][::2]} == {0}


@pytest.mark.parametrize("kind", [Swap, HalfSwap, Shuffle])
def test_sullivan_and_fixed_columns_are_refused(kind: Any) -> None:
    of = data({"x": [1, 2, 3], "c": ["a", "b", "c"], "weight": [1.0, 1.0, 1.0]})
    assert "categories-refused" in codes(kind(columns=["x", "c"], categories="sullivan"), of)
    assert "fixed-column" in codes(kind(columns=["weight"]), of)
    assert "not-secret" in codes(kind(columns=["x"], public=["columns"]), of)


def test_constructor_refuses_repeated_columns() -> None:
    with pytest.raises(SchleierError, match="columns must differ"):
        Swap(columns=["x", "x"])


def test_share_is_secret_unless_published() -> None:
    assert "share" not in Swap(columns=["x"], share=0.3).parameters(public=True)
    assert Swap(columns=["x"], share=0.3, public=["share"]).parameters(public=True)["share"] == 0.3


def test_a_share_that_moves_nobody_is_refused() -> None:
    """Of four records 30 per cent are one, and one has nobody to exchange with."""
    table = data({"g": [f"g{i // 4}" for i in range(80)], "x": [float(i) for i in range(80)]})
    assert refusal(Swap(columns=["x"], strata=["g"], share=0.3), table) == "nothing-changes"
    run = Run(key=KEY)
    after = released(Swap(columns=["x"], share=0.1), table, run)["x"]
    same = sum(value == i for i, value in enumerate(after))
    told = next(note.facts for note in run.notes if "values_that_stay" in note.facts)
    assert told["values_that_stay"] == same > 64
    assert [n.facts["column"] for n in run.notes if "few values changed" in str(n.facts.get("caution"))] == ["x"]


def test_what_is_the_same_everywhere_cannot_change_and_is_not_refused() -> None:
    assert released(Swap(columns=["x"]), data({"x": [5.0] * 9}))["x"] == [5.0] * 9
    table = data({"g": ["a"] * 4 + ["b"] * 4, "d": ["p"] * 4 + ["q"] * 4})
    assert refusal(Swap(columns=["d"], strata=["g"]), table) == "nothing-changes"
