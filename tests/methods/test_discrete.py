"""Categories, whole numbers and strata for methods on numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.change.keyed import KeyedDraws
from schleier.kernels.change.sullivan import forward, mode, to_category
from schleier.methods._discrete import Discrete
from schleier.methods._strata import changed_numbers

KEY = bytes(range(32))


class Halve(Discrete):
    """Numbers become half as large; for tests."""

    factor: float = 0.5

    def apply(self, data: Dataset, run: Run) -> Dataset:
        step = self.model_copy(update=self.learn(data, run))
        return changed_numbers(step, data, run, lambda numbers, stratum, draws: numbers * self.factor)


class Exchanging(Halve):
    """A method that has no use for Sullivan's columns; for tests."""

    ways = ("within", "number")


def data(table: dict[str, Any], **scales: str) -> Dataset:
    columns = [Column(name=name, scale=scales.get(name, "nominal")) for name in table]
    return Dataset.from_frame(pa.table(table), Schema(columns=columns))


def result(step: Halve, of: Dataset) -> dict[str, list[Any]]:
    return step.apply(of, Run(key=KEY)).to_arrow().to_pydict()


ROWS = {"sex": ["f", "m", None, "f", "m", "m"], "n": [3, 5, 7, None, 1, 5], "x": [1.0, 2.0, 3.0, 4.0, None, 0.0]}
SCALES = {"n": "discrete", "x": "continuous"}


def test_whole_numbers_are_rounded_or_become_amounts() -> None:
    of = data(ROWS, **SCALES)
    assert result(Halve(columns=["n", "x"]), of)["n"] == [2, 3, 4, None, 1, 3]
    assert result(Halve(columns=["n"], round="none"), of)["n"] == [1.5, 2.5, 3.5, None, 0.5, 2.5]
    assert Halve(columns=["n"], round="none").after(of.schema)["n"].scale == "continuous"
    kept = result(Halve(columns=["n"], round="controlled"), of)["n"]
    assert sum(value for value in kept if value is not None) == 11  # 10.5, and halves go up
    assert kept[3] is None


def test_numbered_categories_stay_categories() -> None:
    of = data({"school": ["high", "basic", None, "middle"]})
    labelled = of.described(of.schema.changed("school", labels={"basic": "", "middle": "", "high": ""}))
    assert result(Halve(columns=["school"], categories="number"), labelled)["school"] == [
        "middle",  # 3 / 2 = 1.5, and halves go up
        "basic",  # 0.5
        None,
        "basic",
    ]
    assert result(Halve(columns=["school"], categories="number", factor=9), labelled)["school"] == ["high"] * 2 + [
        None,
        "high",
    ]


@pytest.mark.parametrize("values", [["a", "b", "a", None, "c"], [4, 4, None, 9, 1], [True, False, None, True, True]])
@pytest.mark.parametrize("way", ["number", "sullivan"])
def test_what_is_not_changed_comes_back(values: list[Any], way: Any) -> None:
    of = data({"c": values})
    assert result(Halve(columns=["c"], categories=way, factor=1), of)["c"] == values


def test_one_category_and_none_at_all() -> None:
    for values in (["a", "a"], pa.nulls(2, pa.string())):
        of = data({"c": values})
        found = result(Halve(columns=["c"], categories="sullivan"), of)["c"]
        assert found == of.to_arrow()["c"].to_pylist()


def test_categories_within_split_the_rows_and_stay() -> None:
    of = data({"sex": ["f"] * 4 + ["m"] * 3, "n": [1, 1, 1, 1, 1, 1, 1]}, n="discrete")
    found = result(Halve(columns=["sex", "n"], categories="within", round="controlled"), of)
    assert found["sex"] == ["f"] * 4 + ["m"] * 3
    assert (sum(found["n"][:4]), sum(found["n"][4:])) == (2, 2)  # 2 and 1.5


def test_small_strata_are_pooled() -> None:
    sexes = ["f"] * 4 + ["m", None, "d"]
    run, of = Run(key=KEY), data({"sex": sexes, "n": [1] * 7}, n="discrete")
    found = Halve(columns=["n"], strata=["sex"], round="controlled").apply(of, run).to_arrow()["n"].to_pylist()
    assert sum(found[4:]) == 2  # one stratum of three: 1.5
    assert run.notes[0].facts == {"strata": 4, "strata_pooled": 3}
    with pytest.raises(InfeasibleError) as error:
        result(Halve(columns=["n"], strata=["sex"]), data({"sex": ["f"] * 4 + ["m"], "n": [1] * 5}, n="discrete"))
    assert error.value.problems[0].code == "small-pool"


def codes(step: Discrete, **scales: str) -> set[str]:
    schema = data(ROWS, **SCALES, **scales).schema
    return {problem.code for problem in step.problems(schema)}


def test_what_is_wrong_is_said_at_once() -> None:
    assert codes(Exchanging(columns=["sex", "n"], categories="sullivan")) == {"categories-refused"}
    assert codes(Exchanging(columns=["sex", "n"], categories="number")) == set()
    assert codes(Halve(columns=["sex", "n"])) == {"not-numeric"}
    assert codes(Halve(columns=["sex"], categories="within")) == {"nothing-to-change"}
    assert codes(Halve(columns=["n"], strata=["x", "n"])) == {"continuous-strata", "strata-change"}
    assert codes(Halve(columns=["gone"])) == {"unknown-column"}
    assert codes(Halve(columns=["n"], strata=["gone"])) == {"unknown-column"}


@given(st.lists(st.integers(0, 4), min_size=1, max_size=60), st.integers(0, 2**40))
def test_sullivan_there_and_back(values: list[int], number: int) -> None:
    found = np.array(values)
    shares = np.bincount(found, minlength=5)[:4] / len(found)
    draws = KeyedDraws(KEY, np.arange(len(found)) + number)
    lots = np.stack([draws.uniform(str(i)) for i in range(4)], axis=1)
    columns = forward(found, shares, lots)
    assert ((columns > 0) & (columns < 1)).all()
    assert (to_category(columns, shares) == found).all()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=40))
def test_the_commonest_category_represents(rows: list[tuple[int, int]]) -> None:
    found = np.array([row[0] for row in rows], np.int64)
    groups = np.array([row[1] for row in rows], np.int64)
    chosen = mode(found, groups, KeyedDraws(KEY, np.arange(len(rows))).uniform("tie"))
    for group in set(groups.tolist()):
        counts = np.bincount(found[groups == group])
        winners = set(chosen[groups == group].tolist())
        assert len(winners) == 1
        assert counts[winners.pop()] == counts.max()


def test_draws_belong_to_the_row_and_not_to_its_place() -> None:
    rows = np.array([5, 2**40, 6, 0, -3])
    draws = KeyedDraws(KEY, rows)
    for i, row in enumerate(rows):
        assert KeyedDraws(KEY, np.array([row])).uniform("x")[0] == draws.uniform("x")[i]
    assert (draws.uniform("x") != draws.uniform("y")).all()
    many = KeyedDraws(KEY, np.arange(100_000)).uniform("x")
    counts = np.histogram(many, 50, (0, 1))[0]
    assert ((counts - 2000) ** 2 / 2000).sum() < 100  # chi square of 49 degrees: 100 is one in fifty thousand
    assert abs(np.corrcoef(many[1:], many[:-1])[0, 1]) < 4 / np.sqrt(len(many))
    assert np.abs(KeyedDraws(KEY, np.arange(10_000)).normal("x", 0.5)).max() <= 0.5
