"""Data shuffling: the model's order, the original's values."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import spearmanr

from methods.swapping import codes, data, refusal, released
from schleier.kernels.change.shuffling import drawn_scores, normal_scores
from schleier.methods.shuffle import Shuffle

N = 4000


def people() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(11)
    age = rng.integers(18, 80, N)
    income = np.exp(7 + 0.03 * age + 0.5 * rng.standard_normal(N))
    rent = income**0.6 * np.exp(0.3 * rng.standard_normal(N))
    return {"age": age, "income": income, "rent": rent}


def test_values_stay_and_rank_correlations_come_out() -> None:
    before = people()
    after = released(Shuffle(columns=["income", "rent"], model=["age"]), data(before))
    for name in ("income", "rent"):
        assert sorted(after[name]) == sorted(before[name].tolist())
    for a, b in (("age", "income"), ("age", "rent"), ("income", "rent")):
        old, new = spearmanr(before[a], before[b])[0], spearmanr(after[a], after[b])[0]
        assert new == pytest.approx(old, abs=4.5 / math.sqrt(N) + 0.01)


def test_new_values_tell_nothing_beyond_the_model() -> None:
    """Given age the new income says nothing of the old one: both are scores of age plus something independent."""
    before = people()
    after = np.array(released(Shuffle(columns=["income"], model=["age"]), data(before))["income"])
    old, new, age = (normal_scores(v.astype(float)) for v in (before["income"], after, before["age"]))
    left = [v - age * (age @ v) / (age @ age) for v in (old, new)]
    assert abs(np.corrcoef(*left)[0, 1]) < 4.5 / math.sqrt(N)


def test_categories_can_be_in_the_model() -> None:
    rng = np.random.default_rng(3)
    place = np.array(["north", "south", "west"])[rng.integers(0, 3, N)]
    wage = rng.lognormal(0, 0.5, N) * np.select([place == "north", place == "south"], [1.0, 3.0], 9.0)
    words: list[str | None] = place.tolist()
    words[5] = None
    after = np.array(released(Shuffle(columns=["wage"], model=["place"]), data({"wage": wage, "place": words}))["wage"])
    means = [np.log(after[place == word]).mean() for word in ("north", "south", "west")]
    assert means[0] < means[1] < means[2]


def test_without_a_model_columns_keep_their_connection() -> None:
    before = people()
    after = released(Shuffle(columns=["income", "rent"]), data(before))
    assert spearmanr(after["income"], after["rent"])[0] > 0.7
    assert abs(spearmanr(after["income"], before["income"])[0]) < 4.5 / math.sqrt(N)


def test_collinear_and_constant_columns_do_no_harm() -> None:
    before = people()
    before |= {"twice": 2 * before["age"], "one": np.ones(N)}
    after = released(Shuffle(columns=["income", "one"], model=["age", "twice"]), data(before))
    assert sorted(after["income"]) == sorted(before["income"].tolist()) and set(after["one"]) == {1.0}


def test_too_few_records_for_a_model_are_ordered_at_random() -> None:
    x = np.array([[1.0], [np.nan]])
    found, explained = drawn_scores(x, np.zeros((2, 0)), np.random.default_rng(1))
    assert found.shape == (2, 1) and explained.tolist() == [0.0]


def test_gaps_stay() -> None:
    x = [1.0, None, 3.0, 4.0, None, 6.0]
    of = data({"x": x, "y": [None, 1, 2, 3, 4, 5]})
    after = released(Shuffle(columns=["x"], model=["y"]), of)["x"]
    assert [v is None for v in after] == [v is None for v in x]


def test_refusals() -> None:
    of = data(pa.table({"x": list(range(300)), "w": [f"w{i % 150}" for i in range(300)]}))
    assert "model-change" in codes(Shuffle(columns=["x"], model=["x"]), of)
    assert "unknown-column" in codes(Shuffle(columns=["x"], model=["nowhere"]), of)
    assert refusal(Shuffle(columns=["x"], model=["w"]), of) == "too-many-categories"


@pytest.mark.parametrize("noise", [0.0, 1e-4])
def test_a_model_that_knows_the_values_is_refused(noise: float) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    table = data({"x": x, "m": 2 * x + 1 + noise * rng.normal(size=200)})
    assert refusal(Shuffle(columns=["x"], model=["m"]), table) == "nothing-changes"
