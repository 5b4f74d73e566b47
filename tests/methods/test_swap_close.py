"""Another method first, then pairs of what it hardly changed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from methods.swapping import KEY, codes, data, refusal, released
from schleier.core.errors import SchleierError
from schleier.core.run import Run
from schleier.kernels.change.distance import close, pair_at_distance
from schleier.methods.round_to import RoundTo
from schleier.methods.swap_close import SwapClose
from schleier.testing import example_schema

ROUND = {"method": "round_to", "column": "x", "base": 10}
values = st.lists(st.one_of(st.just(0.0), st.integers(-30, 30).map(float)), min_size=0, max_size=30)


@given(values, st.sampled_from([0.05, 0.3, 0.8]), st.integers(0, 4))
def test_pairs_are_far_enough_and_nobody_else_moves(old: list[float], share: float, seed: int) -> None:
    before = np.array(old)
    rng = np.random.default_rng(seed)
    new = before * (1 + 0.2 * rng.standard_normal(len(before)))
    place, left = pair_at_distance(before, new, share, rng)
    assert np.array_equal(place[place], np.arange(len(before)))
    moved = place != np.arange(len(before))
    assert not close(before, new[place], share)[moved].any()
    assert int(close(before, new[place], share).sum()) == left
    assert not moved[~close(before, new, share) & ~close(before, new, share)[place]].any()


def test_all_close_values_are_exchanged_where_that_is_possible() -> None:
    rng = np.random.default_rng(5)
    x = rng.lognormal(5, 1, 1000)
    first = RoundTo(column="x", base=10)
    step = SwapClose(columns=["x"], first=first, closer_than=0.1)
    of = data({"x": x})
    rounded, after = (np.array(released(one, of)["x"]) for one in (first, step))
    assert close(x, rounded, 0.1).mean() > 0.8
    assert close(x, after, 0.1).sum() == 0
    assert np.array_equal(np.sort(after), np.sort(rounded))
    assert np.corrcoef(after, x)[0, 1] > 0.9  # partners are as near as allowed


def test_within_strata_and_with_gaps() -> None:
    rng = np.random.default_rng(6)
    x = [None if i % 7 == 0 else float(v) for i, v in enumerate(rng.lognormal(5, 1, 200))]
    of = data({"x": x, "g": ["a", "b"] * 100})
    step = SwapClose(columns=["x"], first=ROUND, closer_than=0.1, strata=["g"])
    rounded, after = released(RoundTo(column="x", base=10), of)["x"], released(step, of)["x"]
    assert [v is None for v in after] == [v is None for v in x]
    for start in (0, 1):
        assert sorted(v for v in after[start::2] if v is not None) == sorted(
            v for v in rounded[start::2] if v is not None
        )


def test_structural_zeros_stay() -> None:
    x = [0.0, 0.0, 0.0, *np.linspace(50, 500, 40)]
    step = SwapClose(columns=["x"], first=ROUND, closer_than=0.2, zeros="keep")
    assert released(step, data({"x": x}))["x"][:3] == [0.0, 0.0, 0.0]


def test_the_first_method_must_fit() -> None:
    of = data({"x": [1.0, 2.0, 3.0]})
    assert "rows-change" in codes(
        SwapClose(columns=["x"], first={"method": "sample", "fraction": 0.5}, closer_than=0.1), of
    )
    broken = {"method": "round_to", "column": "nowhere", "base": 10}
    assert "unknown-column" in codes(SwapClose(columns=["x"], first=broken, closer_than=0.1), of)
    with pytest.raises(SchleierError):
        SwapClose(columns=["x"], first=ROUND, closer_than=0)
    with pytest.raises(SchleierError):
        SwapClose(columns=["x"], first={"method": "nothing_like_it"}, closer_than=0.1)


def test_the_limit_is_secret() -> None:
    step = SwapClose(columns=["x"], first=ROUND, closer_than=0.1)
    assert "closer_than" not in step.parameters(public=True)


def test_what_the_first_method_keeps_secret_stays_secret() -> None:
    step = SwapClose(columns=["x"], first={"method": "swap", "columns": ["x"], "share": 0.3}, closer_than=0.1)
    assert step.parameters(public=True)["first"] == {"method": "swap", "columns": ["x"]}
    assert step.parameters()["first"]["share"] == 0.3


@pytest.mark.parametrize("strata", [[], ["g"]])
def test_who_stays_too_close_is_counted_and_all_are_refused(strata: list[str]) -> None:
    rng = np.random.default_rng(1)
    first = {"method": "round_to", "column": "x", "base": 0.5}
    step = SwapClose(columns=["x"], first=first, closer_than=0.05, strata=strata)
    dense, g = 100 + rng.normal(0, 0.5, 100), ["a", "b"] * 50
    assert refusal(step, data({"g": g, "x": dense})) == "nothing-changes"
    x = np.concatenate([dense[:80], rng.uniform(200, 900, 20)])
    run = Run(key=KEY)
    after = np.array(released(step, data({"g": g, "x": x}), run)["x"])
    left = int((np.abs(after - x) < 0.05 * x).sum())
    told = next(note.facts for note in run.notes if "values_that_stay" in note.facts)
    assert told["values_that_stay"] == left > 0
    assert any(note.visibility == "public" and "caution" in note.facts for note in run.notes)


def test_what_the_first_method_changes_is_changed() -> None:
    first = {"method": "add_noise", "columns": ["income", "age"], "kind": "independent", "d": 2}
    step = SwapClose(columns=["income"], first=first, closer_than=0.05)
    assert step.changes(example_schema()) == ("income", "age")
