"""k-way tables: pandas as oracle, missing as a category, bins, weights, limits."""

from __future__ import annotations

from itertools import combinations

import pandas as pd

from schleier.utility.marginals import Marginals
from utility.tables import data, found, sample, three


def tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    old = pd.DataFrame({"a": list("xxyyzz"), "b": ["1", "2", "1", "2", "1", None], "c": list("pppqqq")})
    new = old.copy()
    new.loc[0, "a"], new.loc[5, "b"] = "y", "2"
    return old, new


def test_like_pandas() -> None:
    old, new = tables()
    moved = []
    for names in combinations("abc", 2):
        first, second = (f.fillna("-").groupby(list(names)).size() / 6 for f in (old, new))
        moved.append(first.sub(second, fill_value=0).abs().sum() / 2)
    finding = found(Marginals(columns=["a", "b", "c"], k=2), data(old), data(new))
    assert finding.value == three(sum(moved) / 3)
    assert finding.detail["largest"] == three(max(moved))
    assert finding.detail["largest_cell"] == three(1 / 6)


def test_single_columns_and_too_many_tables() -> None:
    old, new = tables()
    finding = found(Marginals(columns=["a", "b", "c"], k=1, most=2), data(old), data(new))
    assert (finding.detail["compared"], finding.detail["left_out"]) == (2, 1)
    assert finding.value == three(1 / 6)
    assert found(Marginals(columns=["a"], k=3), data(old), data(old)).detail["k"] == 1


def test_numbers_are_cut_into_classes_of_the_original() -> None:
    old = sample(gaps=False)
    new = old.copy()
    new["x"] = old["x"].max() + 1
    assert found(Marginals(columns=["x"], k=1, bins=10), data(old), data(new)).value == 0.9
    assert found(Marginals(columns=["x", "y"], k=2), data(old), data(old)).value == 0.0


def test_weights_and_subgroups() -> None:
    old = data(a=list("xxyy"), g=list("pqpq"), w=[3.0, 1.0, 1.0, 3.0])
    new = data(a=list("xxyy"), g=list("pqpq"), w=[1.0] * 4)
    finding = found(Marginals(columns=["a"], k=1, weighted=True, by=["g"], least=2), old, new)
    assert finding.value == 0.0
    assert finding.detail["by"]["worst"] == 0.25


def test_nothing_to_count() -> None:
    empty = data(sample(3).iloc[:0])
    assert found(Marginals(columns=["x"]), empty, empty).detail["compared"] == 0
