"""Mondrian: parts that meet the criteria, labels that tell the truth, cuts as LeFevre describes them."""

from __future__ import annotations

import datetime
import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.errors import DataError, InfeasibleError, RecipeError, SchleierError
from schleier.core.registry import get
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.replay import replay
from schleier.search.mondrian import Mondrian
from schleier.testing import example_schema, example_table
from search.parts import KEY, SCHEMA, data_of, least_diverse, released, rows_of, smallest, truthful
from search.slow_mondrian import Slow

MODES = ("strict", "relaxed")


def k_anonymous(k: int, **more: Any) -> list[dict[str, Any]]:
    return [{"criterion": "k_anonymity", "k": k, **more}]


def table(columns: dict[str, pa.Array], **scales: str) -> Dataset:
    schema = Schema(columns=[Column(name=name, role="quasi", scale=scales.get(name, "discrete")) for name in columns])
    return Dataset.from_frame(pa.table(columns), schema)


def column(values: list[Any], k: int, scale: str = "discrete", kind: Any = None, **more: Any) -> list[Any]:
    data = table({"x": pa.array(values, kind)}, x=scale)
    return [row[0] for row in released(Mondrian(criteria=k_anonymous(k), **more), data)]


@given(rows=rows_of(least=2), k=st.integers(2, 6))
def test_strict_cuts_are_those_of_the_slow_recursion(rows: list[Any], k: int) -> None:
    if len(rows) < k:
        return
    found = [row[:3] for row in released(Mondrian(criteria=k_anonymous(k)), data_of(rows))]
    wanted = Slow(rows, k).boxes
    pairs = set(zip(found, wanted, strict=True))
    assert len(pairs) == len({label for label, _ in pairs}) == len({box for _, box in pairs})


@pytest.mark.parametrize("mode", MODES)
@given(rows=rows_of(), k=st.integers(2, 6), shuffled=st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_every_part_is_large_enough_and_its_labels_are_true(
    mode: str, rows: list[Any], k: int, shuffled: random.Random
) -> None:
    step = Mondrian(criteria=k_anonymous(k), mode=mode)
    if len(rows) < k:
        with pytest.raises(InfeasibleError):
            released(step, data_of(rows))
        return
    after = released(step, data_of(rows))
    assert smallest(after) >= k
    assert truthful(rows, after)
    order = list(range(len(rows)))
    shuffled.shuffle(order)
    assert released(step, data_of([rows[i] for i in order])) == [after[i] for i in order]


@pytest.mark.parametrize("mode", MODES)
@given(rows=rows_of(least=12), kind=st.sampled_from(["l_diversity", "t_closeness"]))
@settings(max_examples=25)
def test_other_criteria_hold_in_every_class(mode: str, rows: list[Any], kind: str) -> None:
    demand = {"criterion": kind, **({"l": 2} if kind == "l_diversity" else {"t": 0.3})}
    step = Mondrian(criteria=[*k_anonymous(2), demand], mode=mode)
    if kind == "l_diversity" and len({row[-1] for row in rows}) < 2:
        return
    data = data_of(rows)
    after = step.apply(data, Run(KEY))
    found = released(step, data)
    assert smallest(found) >= 2
    assert truthful(rows, found)
    assert get("criterion", kind)(**{key: value for key, value in demand.items() if key != "criterion"}).holds(after)
    if kind == "l_diversity":
        assert least_diverse(found) >= 2


def test_a_cut_that_would_break_k_is_not_made() -> None:
    assert column([1, 2, 3, 4, 5], 3) == ["*"] * 5
    assert column([1, 1, 1, 4, 5], 3) == ["*"] * 5
    assert column([1, 1, 1, 4, 5, 6], 3) == ["1", "1", "1", ">=4", ">=4", ">=4"]


def test_equal_values_stay_together_only_when_strict() -> None:
    ages, kids = [30] * 6, [0, 1, 2, 3, 4, 5]
    data = table({"age": pa.array([*ages, 31]), "kids": pa.array([*kids, 9])})
    importance = {"age": 100.0}
    strict = released(Mondrian(criteria=k_anonymous(3), importance=importance), data)
    relaxed = released(Mondrian(criteria=k_anonymous(3), importance=importance, mode="relaxed"), data)
    # strict: no cut of age leaves three on either side, so the number of children is cut
    assert {row[0] for row in strict if row[1] == "<3"} == {"30"}
    assert {row[0] for row in relaxed} == {"30", "*"}


def test_labels_of_numbers() -> None:
    whole = column([0, 1, 20, 25, 31, 33, 70, 90], 2)
    assert whole == ["<20", "<20", "20-29", "20-29", "30-69", "30-69", ">=70", ">=70"]
    broken = column([0.5, 1.0, 20.25, 25.0, 31.5, 33.0, 70.0, 90.0], 2, "continuous")
    assert broken == ["<20", "<20", "[20, 30)", "[20, 30)", "[30, 70)", "[30, 70)", ">=70", ">=70"]
    assert column([7, 7, 8, 8], 2) == ["7", "7", "8", "8"]
    assert column([-9, -8, -3, -2, 4, 5, 7, 9], 2)[1:3] == ["<-3", "-3 to -1"]


def test_labels_of_dates() -> None:
    days = [datetime.date(year, 5, 17) for year in range(1950, 2030, 10)]
    inner = [*["1970-01-01 to 1989-12-31"] * 2, *["1990-01-01 to 2009-12-31"] * 2]
    assert column(days, 2, "time") == [*["<1970-01-01"] * 2, *inner, *[">=2010-01-01"] * 2]
    moments = [datetime.datetime(2020, 1, 1, hour) for hour in range(1, 9)]
    assert column(moments, 2, "time")[2] == "[2020-01-01T03:00:00, 2020-01-01T05:00:00)"


def test_lists_name_their_values_unless_they_are_long() -> None:
    words = [*["a"] * 4, *["b"] * 3, "c", "d", "e"]
    assert column(words, 3, "nominal") == [*["a"] * 4, *["b"] * 3, *["{c, d, e}"] * 3]
    many = [*["a"] * 40, *(f"w{i:02d}" for i in range(30))]
    assert column(many, 30, "nominal") == [*["a"] * 40, *["*"] * 30]


def test_a_tree_shows_branches_and_keeps_small_ones_together() -> None:
    towns = [*["Bonn"] * 3, *["Köln"] * 3, *["Kiel"] * 2, "Husum", "Ulm"]
    rows = [(30, "cook", town, "a") for town in towns]
    shown = [row[2] for row in released(Mondrian(criteria=k_anonymous(3)), data_of(rows))]
    # one from the south alone would be too few: the smallest other branch stays with it
    assert shown == [*["Bonn"] * 3, *["Köln"] * 3, *["*"] * 4]


def test_missing_is_a_value_of_its_own() -> None:
    assert column([1, 2, 3, 4, None, None], 2) == ["<3", "<3", ">=3", ">=3", None, None]
    # too few for a part of their own: they are shown with the lowest values, as anything
    assert column([1, 2, 3, 4, 5, 6, None], 2)[-3:] == [">=5", ">=5", "*"]
    assert column([None, None, None], 2, kind=pa.int64()) == [None, None, None]


def test_constant_columns_and_duplicates_stay() -> None:
    assert column([5] * 7, 3) == ["5"] * 7
    assert column(["x"] * 7, 3, "nominal") == ["x"] * 7


def test_importance_decides_what_is_cut_first() -> None:
    data = table({"a": pa.array([0, 0, 9, 9]), "b": pa.array([0, 9, 0, 9])})
    one, other = (released(Mondrian(criteria=k_anonymous(2), importance={name: 2.0}), data) for name in "ab")
    assert one == [("0", "*"), ("0", "*"), ("9", "*"), ("9", "*")]
    assert other == [("*", "0"), ("*", "9"), ("*", "0"), ("*", "9")]


def test_weights_are_counted_where_the_criterion_says_so() -> None:
    schema = Schema(
        columns=[Column(name="x", role="quasi", scale="discrete"), Column(name="w", role="weight", scale="continuous")]
    )
    data = Dataset.from_frame(pa.table({"x": [1, 2, 3, 4], "w": [10.0, 10.0, 1.0, 1.0]}), schema)
    heavy = released(Mondrian(criteria=k_anonymous(5, count="weights")), data)
    assert [row[0] for row in heavy] == ["*"] * 4  # three and four stand for two persons
    light = released(Mondrian(criteria=k_anonymous(2, count="weights")), data)
    assert [row[0] for row in light] == ["1", "2", ">=3", ">=3"]
    # weights that one criterion asks for are no excuse for too few records in another
    both = released(Mondrian(criteria=[*k_anonymous(2, count="weights"), *k_anonymous(2)]), data)
    assert [row[0] for row in both] == ["<3", "<3", ">=3", ">=3"]


def test_the_loss_is_less_than_with_one_part() -> None:
    data, notes = Dataset.from_frame(example_table(), example_schema()), []
    for k in (2, 5, 20, 80):  # there are so many households
        run = Run(KEY)
        Mondrian(criteria=k_anonymous(k)).fit(data, run)
        notes.append(run.notes[0].facts["mean_width"])
    assert notes == sorted(notes)
    assert 0 < notes[0] < notes[2] < notes[3] == 1.0


def test_criteria_of_the_recipe_are_used_when_there_are_no_others() -> None:
    data = table({"x": pa.array([1, 2, 3, 4])})
    goals = get("criterion", "k_anonymity")(k=2), get("criterion", "category_threshold")(columns=["y"], threshold=9)
    after = Mondrian(columns=["x"]).apply(data, Run(KEY, goals[:1]))
    assert after.to_arrow()["x"].to_pylist() == ["<3", "<3", ">=3", ">=3"]
    with pytest.raises(RecipeError, match="nothing says what the result must meet"):
        Mondrian().apply(data, Run(KEY))


def test_new_rows_fall_into_the_box_that_covers_them() -> None:
    rows = [(age, "cook", town, "a") for age in (10, 20, 30, 40) for town in ("Bonn", "Köln", "Kiel", "Husum")]
    step = Mondrian(criteria=k_anonymous(4))
    fitted = step.fit(data_of(rows), Run(KEY))
    assert fitted.fit(data_of(rows), Run(KEY)) is fitted
    later = [
        (35, "cook", "Essen", "a"),
        (10, "cook", "Ulm", "a"),
        (10, "smith", "Bonn", "a"),
        (None, "cook", "Bonn", "a"),
    ]
    found = released(fitted, data_of(later))
    assert found[0][:3] == (">=30", "cook", "west")  # Essen is new, its area is not
    assert [row[:3] for row in found[1:]] == [("*", "*", "*")] * 3
    known = [row[:3] for row in released(fitted, data_of(rows))]
    assert known == [row[:3] for row in released(fitted, data_of([*rows, *later]))][: len(rows)]


@pytest.mark.parametrize("mode", MODES)
@given(rows=rows_of(least=6), others=rows_of(least=1))
@settings(max_examples=25)
def test_labels_of_new_rows_are_true(mode: str, rows: list[Any], others: list[Any]) -> None:
    fitted = Mondrian(criteria=k_anonymous(3), mode=mode).fit(data_of(rows), Run(KEY))
    assert truthful(others, released(fitted, data_of(others)))
    assert released(Mondrian.model_validate_json(fitted.model_dump_json()), data_of(rows)) == released(
        fitted, data_of(rows)
    )


def test_again_refuses_rows_that_leave_a_part_too_small() -> None:
    fitted = Mondrian(criteria=k_anonymous(2)).fit(table({"x": pa.array([1, 2, 3, 4])}), Run(KEY))
    with pytest.raises(InfeasibleError, match="smallest class holds 1 record"):
        fitted.again().apply(table({"x": pa.array([1, 2, 3])}), Run(KEY))
    assert fitted.again().fit(table({"x": pa.array([1, 1, 4, 4])}), Run(KEY)).parts == 2


def test_values_of_another_type_are_refused_without_quoting_them() -> None:
    fitted = Mondrian(criteria=k_anonymous(2)).fit(table({"x": pa.array([1, 2, 3, 4])}), Run(KEY))
    with pytest.raises(DataError, match="another kind") as error:
        fitted.apply(table({"x": pa.array(["marker", "marker"])}, x="nominal"), Run(KEY))
    assert "marker" not in repr(error.value)
    numbers = fitted.apply(table({"x": pa.array([1.0, 2.5, 3.0])}, x="continuous"), Run(KEY)).to_arrow()
    assert numbers["x"].to_pylist() == ["<3", "<3", ">=3"]


def test_more_than_there_are_is_refused_with_the_level_reached() -> None:
    with pytest.raises(InfeasibleError, match="holds 4 records; at least 5 are required") as error:
        column([1, 2, 3, 4], 5)
    assert error.value.problems[0].code == "unreachable"
    assert error.value.problems[0].hint
    with pytest.raises(InfeasibleError, match="1 record"):
        column([1], 2)
    rows = [(age, "cook", "Bonn", "a") for age in range(10)]
    with pytest.raises(InfeasibleError, match="1 different value of"):
        released(Mondrian(criteria=[{"criterion": "l_diversity", "l": 2}]), data_of(rows))


def test_what_no_part_decides_is_judged_at_the_end() -> None:
    rows = [(age, "cook", "Bonn", "a") for age in range(10)]
    step = Mondrian(criteria=[*k_anonymous(2), {"criterion": "average_risk", "threshold": 0.2}])
    with pytest.raises(InfeasibleError, match="all together"):
        released(step, data_of(rows))


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(DataError, match="no rows"):
        released(Mondrian(criteria=k_anonymous(2)), data_of([]))


def test_values_outside_the_hierarchy_are_counted_not_told() -> None:
    rows = [(1, "cook", town, "a") for town in ("Bonn", "Köln", "Atlantis", "Bonn")]
    with pytest.raises(DataError, match="1 values of column 'town'") as error:
        released(Mondrian(criteria=k_anonymous(2)), data_of(rows))
    assert "Atlantis" not in str(error.value)
    lenient = SCHEMA.hierarchies["town"].model_copy(update={"outside": "root"})
    schema = SCHEMA.model_copy(update={"hierarchies": {"town": lenient}})
    shown = [row[2] for row in released(Mondrian(criteria=k_anonymous(2)), data_of(rows * 2, schema))]
    assert shown == ["Bonn", "Köln", "Atlantis", "Bonn"] * 2


def problems(schema: Schema = SCHEMA, **parameters: Any) -> set[str]:
    return {problem.code for problem in Mondrian(**parameters).problems(schema)}


def test_problems_are_told_before_a_row_is_read() -> None:
    assert problems(criteria=k_anonymous(2)) == set()
    assert problems(criteria=k_anonymous(2), columns=["age", "agee"]) == {"unknown-column", "keys-not-searched"}
    assert problems(criteria=k_anonymous(2), columns=["age"]) == {"keys-not-searched"}
    assert problems(criteria=k_anonymous(2), importance={"disease": 2.0}) == {"not-a-key"}
    assert problems(criteria=k_anonymous(2, keys=[["nobody"]])) == {"unknown-column"}
    every = ["age", "job", "town", "disease"]
    assert problems(columns=every, criteria=[{"criterion": "l_diversity", "l": 2}]) == {"sensitive-key"}
    plain = Schema(columns=[Column(name="x", scale="nominal"), Column(name="w", role="weight", scale="continuous")])
    assert problems(plain) == {"no-keys"}
    assert problems(plain, columns=["w"]) == {"weight"}


@pytest.mark.parametrize(
    "parameters",
    [
        {"columns": ["a", "a"]},
        {"importance": {"a": 0.0}},
        {"mode": "loose"},
        {"cuts": "no table"},
        {"boxes": "no table"},
        {"axes": {"a": "no table"}},
        {"criteria": [{"criterion": "no_such"}]},
        {"columns": [f"c{i}" for i in range(63)]},
    ],
)
def test_refuses(parameters: dict[str, Any]) -> None:
    with pytest.raises(SchleierError):
        Mondrian(**parameters)


def test_a_release_can_be_replayed(tmp_path: Path) -> None:
    recipe = Recipe.from_toml("""
        [data]
        [[schema.columns]]
        name = "age"
        role = "quasi"
        scale = "discrete"
        [[schema.columns]]
        name = "job"
        role = "quasi"
        scale = "nominal"
        [[steps]]
        method = "mondrian"
        importance = { age = 2.0 }
        [[criteria]]
        criterion = "k_anonymity"
        k = 3
    """)
    people = pa.table({"age": list(range(20, 60)), "job": ["cook", "smith"] * 20})
    first = recipe.run(people, out=tmp_path / "one", key=KEY)
    assert first.report.criteria[0].level >= 3
    public = (tmp_path / "one" / "public" / "report.json").read_text(encoding="utf-8")
    assert "cuts" not in json.loads(public)["steps"][0]["parameters"]
    again = replay(tmp_path / "one", people, out=tmp_path / "two")
    assert again.report.criteria == first.report.criteria
    assert again.data.to_arrow().equals(first.data.to_arrow())
    with pytest.raises(InfeasibleError, match="the learned parts break it"):
        replay(tmp_path / "one", people.slice(0, 4), out=tmp_path / "three")
