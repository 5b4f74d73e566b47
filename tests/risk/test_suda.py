"""Special uniques: a case worked out by hand, an oracle, weights, and what must always hold."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.errors import DataError, SchleierError
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.classes.combinations import largest
from schleier.risk import suda as measured
from schleier.risk._suda_matches import Matches
from schleier.risk.combinations import Combinations
from schleier.risk.suda import Suda

NAMES = ("sex", "age", "region")
SCHEMA = Schema(columns=tuple(Column(name=name, role="quasi", scale="nominal") for name in NAMES))
WEIGHTED = Schema(columns=(*SCHEMA.columns, Column(name="w", role="weight", scale="continuous")))
SIX = pa.table(
    {
        "sex": ["f", "f", "m", "m", "m", "f"],
        "age": ["30", "30", "30", "40", "40", "50"],
        "region": ["A", "B", "A", "A", "A", "B"],
    }
)


def found(table: pa.Table, schema: Schema = SCHEMA, run: Run | None = None, **parameters: Any) -> Finding:
    data = Dataset.from_frame(table, schema)
    return Suda(**parameters).measure(Case(data, data), run or Run())


def weighted(weights: list[Any], table: pa.Table = SIX) -> pa.Table:
    return table.append_column("w", pa.array(weights, pa.float64()))


def test_records_by_tenths_of_their_risk() -> None:
    """From each tenth on, up to the next; certainty belongs to the last."""
    told = Matches(9, 1, 0.5, 0.5, 0.5, np.array([0.0, 0.05, 0.125, 0.19, 0.5, 0.59, 0.75, 0.95, 1.0])).details()[
        "dis_suda"
    ]
    assert told["from"] == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    assert told["records"] == [1, 2, 0, 0, 0, 2, 0, 1, 0, 2]
    assert (told["highest"], told["average"]) == (1.0, pytest.approx(4.154 / 8, abs=1e-3))


def test_six_records_worked_out_by_hand() -> None:
    """Record 1 is alone in {sex, region}; 2 in {age, region}; 3 in {sex, age}; 6 in {age}; 4 and 5 are a pair. One
    column counts 2, two columns 1. Two persons in the pair at a half stand for two outside: DIS = 4 / (4 + 2)."""
    finding = found(SIX, fraction=0.5)
    assert finding.value == 4 / 6
    assert finding.text == (
        "4 of 6 records (66.67%) are alone already in at most 3 out of 3 known columns; "
        "a match with a unique record is right with probability 66.67%."
    )
    detail = finding.detail
    assert (detail["unique"], detail["n"], detail["pairs"], detail["dis"]) == (4, 4, 1, 4 / 6)
    assert detail["by_size"] == [
        {"columns": 1, "minimal_uniques": 1, "records": 1},
        {"columns": 2, "minimal_uniques": 3, "records": 3},
        {"columns": 3, "minimal_uniques": 0, "records": 0},
    ]
    assert {name: one["score_share"] for name, one in detail["columns"].items()} == {
        "sex": 0.4,
        "age": 0.8,
        "region": 0.4,
    }
    assert detail["worst"] == ["age", "region", "sex"]
    assert detail["scores"] == {"highest": 2.0, "median": 1.0, "from": [1.0, 2.0], "records": [3, 1]}
    assert detail["looked_at"] == 7 and not detail["cut"]


values = st.sampled_from(["a", "b", "c", "d", None])
tables = st.lists(st.tuples(values, values, values), max_size=25).map(
    lambda rows: pa.table({name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(NAMES)})
)


def slowly(table: pa.Table, most: int) -> list[list[tuple[str, ...]]]:
    """The minimal uniques of each record; a missing value is a value."""
    rows = table.to_pylist()

    def sizes(columns: tuple[str, ...]) -> Counter[Any]:
        return Counter(tuple(row[name] for name in columns) for row in rows)

    counts = {columns: sizes(columns) for size in range(most + 1) for columns in combinations(NAMES, size)}

    def alone(row: dict[str, Any], columns: tuple[str, ...]) -> bool:
        return counts[columns][tuple(row[name] for name in columns)] == 1

    def minimal(row: dict[str, Any], columns: tuple[str, ...]) -> bool:
        return alone(row, columns) and not any(
            alone(row, part) for part in combinations(columns, len(columns) - 1) if part
        )

    return [[columns for columns in counts if columns and minimal(row, columns)] for row in rows]


@given(tables, st.integers(1, 3))
@settings(deadline=None, max_examples=20)
def test_as_counted_slowly(table: pa.Table, most: int) -> None:
    run = Run()
    detail = found(table, run=run, most=most, fraction=0.1).detail
    own = slowly(table, most)
    every = [columns for each in own for columns in each]
    assert detail["n"] == sum(map(bool, own))
    assert detail["minimal_uniques"] == len(every)
    for size, one in enumerate(detail["by_size"], 1):
        assert one["minimal_uniques"] == sum(len(columns) == size for columns in every)
        assert one["records"] == sum(min(map(len, each), default=0) == size for each in own)
    weight = {1: {1: 1}, 2: {1: 2, 2: 1}, 3: {1: 2, 2: 1, 3: 1}}[most]
    scores = [sum(weight[len(columns)] for columns in each) for each in own]
    assert sum(detail["scores"]["records"]) == detail["n"]
    assert detail["scores"]["highest"] == max(scores, default=0)
    for name, one in detail["columns"].items():
        assert one["minimal_uniques"] == sum(name in columns for columns in every)
        assert one["score_share"] == pytest.approx(
            sum(weight[len(columns)] for columns in every if name in columns) / (sum(scores) or 1)
        )
        rows = [
            row[name] for row, each in zip(table.to_pylist(), own, strict=True) if name in {c for m in each for c in m}
        ]
        assert one["values"] == len(set(rows))
        by_value: Counter[Any] = Counter()
        for row, each in zip(table.to_pylist(), own, strict=True):
            by_value[row[name]] += sum(weight[len(columns)] for columns in each if name in columns)
        held = [sum(sorted(by_value.values())[-many:]) for many in range(1, one["half"] + 1)]
        assert [2 * score >= by_value.total() for score in held] == [False] * (len(held) - 1) + [True] * bool(held)
        assert bool(held) == bool(by_value.total())  # the fewest values that hold half of the score
    (make,) = run.by_record.values()
    records = Dataset.from_frame(table, SCHEMA).engine.arrays(make().sort(SCHEMA.key))
    assert records.column("score").to_pylist() == scores
    assert records.column("minimal_uniques").to_pylist() == [len(each) for each in own]


@given(tables)
@settings(deadline=None, max_examples=8)
def test_value_is_that_of_combinations_and_of_all_columns_that_of_uniques(table: pa.Table) -> None:
    data = Dataset.from_frame(table, SCHEMA)
    case = Case(data, data)
    for most in (1, 2, 3):
        assert found(table, most=most).value == Combinations(most=most).measure(case, Run()).value
    assert found(table).detail["n"] == found(table).detail["unique"]


def test_dis_suda_shares_out_dis_and_is_kept_by_record_only() -> None:
    run = Run()
    detail = found(SIX, run=run, fraction=0.5).detail
    (make,) = run.by_record.values()
    frame = make()
    assert isinstance(frame, nw.LazyFrame)
    table = Dataset.from_frame(SIX, SCHEMA).engine.arrays(frame.sort("_row_"))
    risks = np.array(table.column("dis_suda").to_pylist())
    assert (risks[[3, 4]] == 0).all()
    single = risks[[0, 1, 2, 5]]
    assert (1 / single - 1).mean() == pytest.approx(1 / detail["dis"] - 1)
    assert single.argmax() == 3  # the one alone by its age
    assert detail["dis_suda"]["highest"] == single.max()
    assert sum(detail["dis_suda"]["records"]) == 4
    shares = np.array([table.column(f"share_{name}").to_pylist() for name in NAMES])
    assert shares[:, 5].tolist() == [0, 1, 0] and shares[:, 3].tolist() == [0, 0, 0]
    assert table.column_names[0] == "_row_" and "age" not in table.column_names


def test_fraction_population_and_equal_weights_say_the_same() -> None:
    one = found(SIX, fraction=0.25).detail
    assert one["dis"] == 4 / (4 + 2 * 3) == one["dis_unweighted"] and one["weighted_share"] is None
    other = found(SIX, population=24).detail
    equal = found(weighted([4.0] * 6), WEIGHTED).detail
    scaled = found(weighted([1.0] * 6), WEIGHTED, fraction=0.25).detail
    for each in (other, equal, scaled):
        assert each["dis"] == pytest.approx(one["dis"]) and each["fraction"] == 0.25
    assert equal["weighted_share"] == pytest.approx(4 / 6)


def test_weights_are_decimal_and_both_readings_are_shown() -> None:
    """The pair stands for 1.5 + 2.25 persons, 1.75 of them outside; 4 of 11.75 persons on average are not."""
    detail = found(weighted([2.0, 2.0, 2.0, 1.5, 2.25, 2.0]), WEIGHTED).detail
    assert detail["dis"] == pytest.approx(4 / (4 + 1.75))
    assert detail["dis_unweighted"] == pytest.approx(4 / (4 + 2 * (11.75 / 6 - 1)))
    assert detail["weighted_share"] == pytest.approx(8 / 11.75)


def test_without_a_fraction_the_file_is_everybody() -> None:
    assert [problem.code for problem in Suda().problems(SCHEMA)] == []
    detail = found(SIX).detail
    assert (detail["fraction"], detail["dis"], detail["dis_suda"]["average"]) == (1.0, 1.0, 1.0)
    assert detail["cautions"] == ["no_fraction", "columns"]


def test_few_pairs_and_none_are_said() -> None:
    assert found(SIX, fraction=0.1).detail["cautions"] == ["few_pairs", "columns"]
    alone = found(SIX.slice(0, 3), fraction=0.1).detail
    assert alone["cautions"] == ["no_pairs", "columns"] and alone["dis"] == 1
    ages = [str(i) for i in range(100)]
    table = pa.table(
        {"sex": ["f"] * 100, "age": ages[:40] + [age for age in ages[40:70] for _ in (1, 2)], "region": ["A"] * 100}
    )
    assert found(table, fraction=0.1).detail["cautions"] == ["columns"]


@pytest.mark.parametrize("fraction", [0.0, -1.0, 1.5])
def test_bad_fractions_are_problems(fraction: float) -> None:
    assert [problem.code for problem in Suda(fraction=fraction).problems(SCHEMA)] == ["bad-fraction"]
    assert [problem.code for problem in Suda(fraction=0.5, population=9).problems(SCHEMA)] == ["two-fractions"]


def test_bad_weights_and_a_population_too_small_are_errors() -> None:
    with pytest.raises(DataError) as caught:
        found(weighted([1.0, None, 2.0, 0.0, 2.0, None]), WEIGHTED)
    assert [problem.code for problem in caught.value.problems] == ["missing-weights", "bad-weights"]
    with pytest.raises(DataError) as caught:
        found(SIX, population=5)
    assert [problem.code for problem in caught.value.problems] == ["few-persons"]


def test_rows_with_a_gap_can_be_left_out() -> None:
    table = pa.table({"sex": ["f", None, "m"], "age": ["1", "1", "1"], "region": ["A", "A", "A"]})
    assert found(table).detail["n"] == 3
    run = Run()
    detail = found(table, run=run, missing="exclude").detail
    assert (detail["records"], detail["n"]) == (2, 2)
    (make,) = run.by_record.values()
    scores = Dataset.from_frame(table, SCHEMA).engine.arrays(make().sort("_row_")).column("score").to_pylist()
    assert scores == [2.0, None, 2.0]
    with pytest.raises(SchleierError):
        Suda(missing="wildcard")


def test_nobody_and_nothing() -> None:
    for table in (pa.concat_tables([SIX, SIX]), SIX.slice(0, 0)):
        finding = found(table, fraction=0.1)
        assert finding.value == 0 and finding.detail["cautions"] == [] and finding.detail["worst"] == []
        assert finding.detail["scores"] == {"highest": 0.0, "median": 0.0, "from": [], "records": []}
        assert finding.detail["dis"] == finding.detail["dis_suda"]["average"] == 0
    one = found(SIX.slice(0, 1), fraction=0.1).detail
    assert (one["n"], one["minimal_uniques"], one["scores"]["highest"]) == (1, 3, 6.0)


def test_scores_are_binned_in_steps_of_one_two_and_five() -> None:
    detail = found(SIX, fraction=0.1).detail["scores"]
    assert sum(detail["records"]) == 4 and set(detail["from"]) <= {1.0, 2.0, 5.0}
    small = measured._spread(np.array([0.02, 0.3, 0.49999, 5.0, 1e6]))
    assert small["from"][0] == 0.02 and small["from"][-1] == 1e6
    assert dict(zip(small["from"], small["records"], strict=True))[0.2] == 2


def test_scores_of_the_ihsn_with_one_column_are_nothing() -> None:
    detail = found(SIX, keys=["age"], scoring="ihsn", fraction=0.5).detail
    assert detail["n"] == 1 and detail["scores"]["highest"] == 0 and detail["dis_suda"]["highest"] > 0


def test_too_many_combinations_are_cut_and_it_is_said() -> None:
    names = [f"k{i:02d}" for i in range(50)]
    schema = Schema(columns=tuple(Column(name=name, role="quasi", scale="nominal") for name in names))
    table = pa.table({name: [str(i % 7), "x", "y", "x"] for i, name in enumerate(names)})
    detail = found(table, schema, fraction=0.5).detail
    assert (detail["most"], detail["cut"], detail["looked_at"]) == (2, True, 50 + 1225)
    assert "cut" in detail["cautions"]
    assert largest(25, 1_000_000, 3, measured.LOOKED_AT, measured.WORK) == 3
    assert largest(20_000, 10**9, 3, measured.LOOKED_AT, measured.WORK) == 1
    few = found(SIX, keys=["age", "sex"], most=9).detail
    assert (few["most"], few["cut"], few["looked_at"]) == (2, False, 3)


def test_no_keys_is_a_problem() -> None:
    plain = Schema(columns=(Column(name="x", scale="nominal"),))
    assert [problem.code for problem in Suda().problems(plain)] == ["no-keys"]
    assert [problem.code for problem in Suda(keys=["y"]).problems(plain)] == ["unknown-column"]
    with pytest.raises(SchleierError):
        Suda(most=0)


def test_weights_tell_nothing_where_everybody_is_in_the_file() -> None:
    detail = found(weighted([1.0, 2.0, 3.0, 9.0, 9.0, 4.0]), WEIGHTED, fraction=1).detail
    assert detail["dis"] == detail["dis_unweighted"] == 1.0


def test_left_out_records_do_not_make_weights_heavier() -> None:
    some = pa.table({name: [*SIX[name].to_pylist(), None] for name in NAMES})
    table = weighted([2.0] * 6 + [100.0], some)
    given = found(table, WEIGHTED, missing="exclude", population=112).detail
    assert given["dis"] == found(table, WEIGHTED, missing="exclude").detail["dis"] == 4 / (4 + 2)
