"""PRAM: probabilities, blocks, joint changes, one draw per unit, refusals."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from methods.swapping import KEY, codes, data, refusal, released
from schleier.core.errors import SchleierError
from schleier.core.hierarchy import parse
from schleier.core.packing import unpacked
from schleier.core.run import Run
from schleier.kernels.change.transitions import direct, even, invariant, origin_chances, slots, stochastic, two_stage
from schleier.methods.pram import Pram

counted = st.lists(st.integers(1, 500), min_size=1, max_size=8).map(lambda n: np.array(n, dtype=np.float64))
alphas = st.floats(0.01, 0.99)
OWN = {"a": {"a": 0.7, "b": 0.3}, "b": {"b": 0.6, "a": 0.4}}


@given(counted, alphas)
def test_frequencies_are_invariant(counts: Any, alpha: float) -> None:
    """Section 12, PRAM invariant: frequencies in expectation, T'P = T'."""
    for matrix in (invariant(counts, alpha), direct(counts, alpha), two_stage(even(len(counts), alpha), counts)):
        assert stochastic(matrix)
        assert counts @ matrix == pytest.approx(counts, rel=1e-9)


@given(counted, alphas)
def test_the_way_back_is_a_distribution(counts: Any, alpha: float) -> None:
    assert stochastic(origin_chances(even(len(counts), alpha), counts))


def test_nobody_to_come_back_from() -> None:
    first = np.array([[1.0, 0.0], [1.0, 0.0]])  # everybody becomes the first category
    assert origin_chances(first, np.array([3.0, 1.0])).tolist() == [[0.75, 0.25], [0.0, 1.0]]


@given(counted, alphas, st.integers(0, 3))
def test_slots_draw_with_the_probabilities(counts: Any, alpha: float, spare: int) -> None:
    matrix = invariant(counts, alpha)
    source, target = np.nonzero(matrix)
    size = len(counts) + spare
    found = slots(source, target, matrix[source, target], size)
    again = np.zeros_like(matrix)
    np.add.at(again, (found.origin, found.below), found.limit / size)
    np.add.at(again, (found.origin, found.above), (1 - found.limit) / size)
    assert again == pytest.approx(matrix, abs=1e-12)


@pytest.mark.parametrize("kind", ["invariant", "direct", "two_stage"])
def test_records_change_as_often_as_they_should(kind: str) -> None:
    n = 20_000
    words = ["a"] * (n // 2) + ["b"] * (n * 3 // 10) + ["c"] * (n // 5)
    of = data({"x": words})
    after = released(Pram(columns=["x"], matrix_kind=kind, alpha=0.4), of)["x"]
    counts = np.array([n / 2, n * 0.3, n / 5])
    matrix = {
        "invariant": lambda: invariant(counts, 0.4),
        "direct": lambda: direct(counts, 0.4),
        "two_stage": lambda: two_stage(even(3, 0.4), counts),
    }[kind]()
    seen = Counter(zip(words, after, strict=True))
    for i, old in enumerate("abc"):
        for j, new in enumerate("abc"):
            error = math.sqrt(counts[i] * matrix[i, j] * (1 - matrix[i, j]))
            assert seen[old, new] == pytest.approx(counts[i] * matrix[i, j], abs=4.5 * error)


def test_an_own_matrix_is_used_as_it_is() -> None:
    of = data({"x": ["a"] * 4000 + ["b"] * 4000})
    after = released(Pram(columns=["x"], matrix_kind="own", matrix=OWN), of)["x"]
    assert Counter(after[:4000])["b"] == pytest.approx(1200, abs=4.5 * math.sqrt(4000 * 0.21))
    assert Counter(after[4000:])["a"] == pytest.approx(1600, abs=4.5 * math.sqrt(4000 * 0.24))


def test_missing_stays_and_zeros_are_categories() -> None:
    values = [0, 1, None, 2] * 50
    after = released(Pram(columns=["x"], alpha=0.9), data({"x": values}))["x"]
    assert [v is None for v in after] == [v is None for v in values]
    assert set(after) == {0, 1, 2, None}
    assert after != values


def test_strata_have_a_matrix_each() -> None:
    of = data({"x": ["a", "b"] * 100 + ["c", "d"] * 100 + ["e"] * 3, "g": ["u"] * 200 + [None] * 200 + ["v"] * 3})
    after = released(Pram(columns=["x"], alpha=0.8, strata=["g"]), of)["x"]
    assert set(after[:200]) == {"a", "b"} and set(after[200:400]) == {"c", "d"} and after[400:] == ["e"] * 3


def test_blocks_of_categories() -> None:
    words = ["a", "b", "c", "d", "e"] * 60
    after = released(Pram(columns=["x"], alpha=0.9, blocks=[["a", "b"], ["c", "d"]]), data({"x": words}))["x"]
    pairs = set(zip(words, after, strict=True))
    assert pairs == {(o, n) for block in ("ab", "cd", "e") for o in block for n in block}


def test_blocks_of_a_hierarchy() -> None:
    words = ["11", "12", "21", "22"] * 60
    of = data({"x": words}, tree={"x": "place"}, hierarchies={"place": parse({"prefix": [1, 0]})})
    after = released(Pram(columns=["x"], alpha=0.9, level=1), of)["x"]
    assert all(old[0] == new[0] for old, new in zip(words, after, strict=True))
    assert after != words
    assert "no-hierarchy" in codes(Pram(columns=["x"], alpha=0.9, level=1), data({"x": words}))


def test_jointly_only_combinations_that_occur() -> None:
    x, y = ["a", "a", "b"] * 80, ["1", "2", "3"] * 80
    after = released(Pram(columns=["x", "y"], alpha=0.8), data({"x": x, "y": y}))
    assert set(zip(after["x"], after["y"], strict=True)) == {("a", "1"), ("a", "2"), ("b", "3")}


def test_one_draw_per_unit() -> None:
    units = [i // 4 for i in range(800)]
    words = ["abc"[unit % 3] for unit in units]
    of = data({"x": words, "u": units}, unit=("u",))
    together = released(Pram(columns=["x"], alpha=0.7), of)["x"]
    assert all(len({together[4 * u + i] for i in range(4)}) == 1 for u in range(200))
    assert together != words
    apart = released(Pram(columns=["x"], alpha=0.7, whole_units=False), of)["x"]
    assert any(len({apart[4 * u + i] for i in range(4)}) > 1 for u in range(200))


def test_what_is_learned_corrects() -> None:
    """Published probabilities give T_o back in expectation; here exactly, from the expected T_a."""
    of, run = data({"x": ["a"] * 70 + ["b"] * 30}), Run(key=KEY)
    fitted = Pram(columns=["x"], matrix_kind="own", matrix=OWN, public=["categories", "chances"]).fit(of, run)
    told = fitted.parameters(public=True)
    assert "matrix" not in told and {"categories", "chances"} <= set(told)
    chances, words = unpacked(told["chances"]), unpacked(told["categories"])["x"].to_pylist()
    matrix = np.zeros((2, 2))
    matrix[chances["_from_"].to_numpy(), chances["_to_"].to_numpy()] = chances["_chance_"].to_numpy()
    assert words == ["a", "b"] and matrix.tolist() == [[0.7, 0.3], [0.4, 0.6]]
    assert np.linalg.solve(matrix.T, np.array([70 * 0.7 + 30 * 0.4, 70 * 0.3 + 30 * 0.6])) == pytest.approx([70, 30])


def test_alpha_is_secret() -> None:
    step = Pram(columns=["x"], alpha=0.4)
    assert "alpha" not in step.parameters(public=True)
    assert "not-secret" in codes(step.model_copy(update={"public": ("columns",)}), data({"x": ["a"]}))


def test_other_rows_need_known_categories() -> None:
    old, new = data({"x": ["a", "b"] * 20}), data({"x": ["a", "b", "z"] * 20})
    fitted = Pram(columns=["x"], alpha=0.4).fit(old, Run(key=KEY)).again()
    assert refusal(fitted, new) == "unknown-category"
    after = released(fitted.lenient(), new)["x"]
    assert after[2::3] == [None] * 20 and None not in after[::3]


def test_bad_matrices() -> None:
    of = data({"x": ["a", "b"] * 5, "y": [1.5] * 10, "weight": [1.0] * 10})
    broken = {"a": {"a": 0.7, "b": 0.4}, "b": {"b": 1.2, "a": -0.2}}
    assert "not-stochastic" in codes(Pram(columns=["x"], matrix_kind="own", matrix=broken), of)
    assert "not-square" in codes(Pram(columns=["x"], matrix_kind="own", matrix={"a": {"b": 1.0}}), of)
    only = {"a": {"a": 1.0}}
    assert refusal(Pram(columns=["x"], matrix_kind="own", matrix=only), of) == "matrix-misfit"
    wide = OWN | {"b": {"b": 0.5, "c": 0.5}, "c": {"c": 1.0}}
    assert refusal(Pram(columns=["x"], matrix_kind="own", matrix=wide), of) == "matrix-misfit"
    assert {"not-categories"} <= codes(Pram(columns=["y"], alpha=0.1), of)
    assert {"not-categories"} <= codes(Pram(columns=["weight"], alpha=0.1), of)


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"alpha": 1.0}, "less than 1"),
        ({}, "either alpha or a matrix"),
        ({"alpha": 0.2, "matrix": OWN}, "own matrix needs"),
        ({"alpha": 0.2, "matrix_kind": "own"}, "needs a matrix"),
        ({"alpha": 0.2, "blocks": [["a"], ["a"]]}, "one block only"),
        ({"alpha": 0.2, "blocks": [["a"]], "level": 1}, "not both"),
        ({"alpha": 0.2, "strata": ["x"]}, "must differ"),
    ],
)
def test_what_cannot_be_meant(given: dict[str, Any], word: str) -> None:
    with pytest.raises(SchleierError, match=word):
        Pram(columns=["x"], **given)


def test_too_many_categories() -> None:
    of = data(pa.table({"x": [f"w{i}" for i in range(2500)]}))
    assert refusal(Pram(columns=["x"], alpha=0.2), of) == "too-many-categories"


def test_hardly_any_change_is_told_and_none_is_refused() -> None:
    """De Wolf's matrix lets as many leave each category as fit the smallest: here, one record."""
    words = ["a"] * 500 + ["b"] * 499 + ["z"]
    run = Run(key=KEY)
    released(Pram(columns=["c"], alpha=0.9, matrix_kind="direct", whole_units=False), data({"c": words}), run)
    assert any(n.visibility == "public" and "rarest" in str(n.facts.get("caution")) for n in run.notes)
    told = next(n for n in run.notes if "expected_changes" in n.facts)
    assert told.visibility == "restricted" and told.facts["expected_changes"] == pytest.approx(2.7)
    table = data({"g": words, "c": words})
    assert refusal(Pram(columns=["c"], alpha=0.5, strata=["g"], whole_units=False), table) == "nothing-changes"
    run = Run(key=KEY)
    released(Pram(columns=["c"], alpha=0.5, whole_units=False), data({"c": ["a", "b"] * 50}), run)
    assert not any("caution" in n.facts for n in run.notes)
