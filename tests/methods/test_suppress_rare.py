"""Local suppression: nothing rare remains, no gap is lonely, missing is a value."""

from __future__ import annotations

import datetime
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError, SchleierError
from schleier.core.registry import get
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.suppress_rare import SuppressRare
from schleier.testing import example_schema

Rows = list[tuple[Any, ...]]


def data(rows: Rows, engine: Any = None, types: Any = None) -> Dataset:
    names = [f"c{j}" for j in range(len(rows[0]))]
    schema = Schema(columns=[Column(name=name, role="quasi", scale="nominal") for name in names])
    columns = {name: pa.array([row[j] for row in rows], (types or {}).get(name)) for j, name in enumerate(names)}
    return Dataset.from_frame(pa.table(columns), schema, engine)


def suppressed(rows: Rows, engine: Any = None, types: Any = None, **parameters: Any) -> Rows:
    of = data(rows, engine, types)
    parameters.setdefault("columns", of.schema.names)
    run = Run(key=parameters.pop("key", bytes(32)))
    after = SuppressRare(**parameters).apply(of, run).to_arrow()
    return list(zip(*after.to_pydict().values(), strict=True))


def refusal(rows: Rows, **parameters: Any) -> str:
    with pytest.raises(InfeasibleError) as error:
        suppressed(rows, **parameters)
    return error.value.problems[0].code


def test_rare_combinations_are_blanked() -> None:
    rows = [("f", 1)] * 3 + [("m", 1)] * 3 + [("m", 2), ("f", 2), ("m", 3)]
    assert suppressed(rows, min_count=3) == [("f", 1)] * 3 + [("m", 1)] * 3 + [(None, None)] * 3


def test_never_a_lonely_gap() -> None:
    rows = [("a",)] * 5 + [("b",)] * 4 + [("c",)] * 4 + [("d",)]
    # one blanked record would stand alone: the smallest of the others joins it, in order of the values
    assert suppressed(rows, min_count=3) == [("a",)] * 5 + [(None,)] * 4 + [("c",)] * 4 + [(None,)]


def test_gaps_that_were_there_count() -> None:
    rows = [("a",)] * 3 + [(None,)] * 2 + [("b",)]
    assert suppressed(rows, min_count=3) == [("a",)] * 3 + [(None,)] * 3
    # gaps too few by themselves are rare as well
    assert suppressed([("a",)] * 3 + [("b",)] * 4 + [(None,)], min_count=3) == [(None,)] * 3 + [("b",)] * 4 + [(None,)]


def test_missing_is_a_value_of_its_own() -> None:
    rows = [("f", None)] * 3 + [("f", 1)] * 3 + [(None, 1)] * 3 + [("m", None)] * 2 + [(None, 2)]
    assert suppressed(rows, min_count=3) == [*rows[:9], (None, None), (None, None), (None, None)]


def test_only_the_target_is_blanked() -> None:
    rows = [("f", 1)] * 3 + [("f", 2), ("f", 3), ("f", 4)] + [("m", 1)] * 4
    wanted = [("f", 1)] * 3 + [("f", None)] * 3 + [("m", 1)] * 4
    assert suppressed(rows, min_count=3, target=["c1"]) == wanted


def test_the_target_is_filled_up_within_the_rest_of_the_key() -> None:
    rows = [("f", 1)] * 3 + [("f", 2)] * 4 + [("f", 3)] + [("m", 1)] * 3
    wanted = [("f", None)] * 3 + [("f", 2)] * 4 + [("f", None)] + [("m", 1)] * 3
    assert suppressed(rows, min_count=3, target=["c1"]) == wanted


STAFF: Rows = [("chairman",)] + [("clerk",)] * 40 + [("worker",)] * 59


def test_as_few_as_are_needed_are_drawn() -> None:
    """K-037: 100 staff, one chairman: afterwards at least k records have a gap; 3 of them where 41 had one before."""
    assert Counter(suppressed(STAFF, min_count=3))[(None,)] == 41
    drawn = suppressed(STAFF, min_count=3, further="drawn", key=bytes(32))
    assert drawn[0] == (None,) and Counter(drawn)[(None,)] == 3
    assert suppressed(STAFF, min_count=3, further="drawn", key=bytes(32)) == drawn
    assert suppressed(STAFF, min_count=3, further="drawn", key=bytes(31) + b"1") != drawn


def test_nobody_becomes_rare_by_being_drawn_from() -> None:
    rows = [("a",)] * 4 + [("b",)] * 3 + [("c",)]
    # one of a can be spared, which is not enough: the smallest joins as a whole
    assert Counter(suppressed(rows, min_count=3, further="drawn")) == {("a",): 4, (None,): 4}
    assert Counter(suppressed([*rows, ("a",)], min_count=3, further="drawn")) == {("a",): 3, ("b",): 3, (None,): 3}


def test_every_record_that_can_be_spared_is_drawn_alike() -> None:
    """Two of 37 clerks and 56 workers; four standard errors over 40 keys."""
    workers = [
        Counter(suppressed(STAFF, min_count=3, further="drawn", key=i.to_bytes(32, "big")))[("worker",)]
        for i in range(40)
    ]
    gone, share = 59 * 40 - sum(workers), 56 / 93
    assert abs(gone - 80 * share) < 4 * (80 * share * (1 - share)) ** 0.5


def test_units_are_drawn_as_a_whole() -> None:
    names = ["home", "job"]
    homes = [f"h{i // 2}" for i in range(80)]
    table = pa.table({"home": [*homes, "x"], "job": ["clerk"] * 80 + ["chairman"]})
    columns = [Column(name="home", role="unit", scale="nominal"), Column(name="job", role="quasi", scale="nominal")]
    of = Dataset.from_frame(table, Schema(columns=columns))
    step, run = SuppressRare(columns=["job"], min_count=3, further="drawn"), Run(key=bytes(32))
    after = step.apply(of, run).to_arrow().select(names).to_pydict()
    blank = [home for home, job in zip(*after.values(), strict=True) if job is None]
    assert len(blank) == 7 and set(Counter(blank).values()) == {1, 2}  # three homes of two, and the chairman
    assert run.notes[-1].facts["blanked_records"] == 7


def test_drawn_records_are_drawn_again_with_the_same_key() -> None:
    of, run = data(STAFF), Run(key=bytes(32))
    fitted = SuppressRare(columns=["c0"], min_count=3, further="drawn").fit(of, run)
    assert fitted.blanked == 3 and "drawn" not in fitted.parameters(public=True)
    again = SuppressRare.model_validate(fitted.parameters())
    assert again.apply(of, Run(key=bytes(32))).to_arrow() == fitted.apply(of, run).to_arrow()
    assert fitted.sql(of.schema, {"c0": "text"}) is None
    other = fitted.again().apply(data(STAFF[1:]), Run(key=bytes(32))).to_arrow()["c0"]
    assert other.null_count == 0  # no gap, no company


def test_what_cannot_be_helped_is_refused() -> None:
    assert refusal([("f", 1)] * 3 + [("m", 1)], min_count=3, target=["c1"]) == "too-rare"
    assert refusal([("a",), ("b",)], min_count=3) == "too-rare"
    assert refusal([("a",), ("b",), ("c",)], min_count=2) == "all-rare"
    assert refusal([("a",)] * 2 + [("b",)], min_count=2) == "all-rare"
    assert refusal([(None,)] * 5 + [("b",)], min_count=2) == "all-rare"


def test_nothing_to_do() -> None:
    assert suppressed([("a",)] * 3, min_count=3) == [("a",)] * 3
    assert suppressed([(None,)] * 3, min_count=3, types={"c0": pa.string()}) == [(None,)] * 3


values = st.sampled_from(["a", "b", "c", None])


@given(
    st.lists(st.tuples(values, st.sampled_from([1, 2, None])), min_size=1, max_size=40),
    st.integers(2, 4),
    st.sampled_from(["combination", "drawn"]),
)
def test_afterwards_nothing_is_rare(rows: Rows, least: int, further: str) -> None:
    types = {"c0": pa.string(), "c1": pa.int64()}
    try:
        after = suppressed(rows, min_count=least, types=types, further=further)
    except InfeasibleError:
        return
    assert min(Counter(after).values()) >= least
    assert all(new in (old, (None, None)) for old, new in zip(rows, after, strict=True))
    if min(Counter(rows).values()) >= least:
        assert after == rows


@given(st.lists(st.tuples(values, values, values), min_size=1, max_size=40), st.integers(2, 3))
def test_afterwards_nothing_is_rare_when_a_part_is_blanked(rows: Rows, least: int) -> None:
    types = dict.fromkeys(("c0", "c1", "c2"), pa.string())
    try:
        after = suppressed(rows, min_count=least, target=["c2", "c0"], types=types, further="drawn")
    except InfeasibleError:
        return
    assert min(Counter(after).values()) >= least
    assert all(new in (old, (None, old[1], None)) for old, new in zip(rows, after, strict=True))


def test_a_replay_blanks_what_it_does_not_know() -> None:
    fitted = SuppressRare(columns=["c0"], min_count=2).fit(data([("a",)] * 2 + [("b",)] * 2), Run())
    after = fitted.apply(data([("a",), ("new",), (None,)]), Run())
    assert after.to_arrow()["c0"].to_pylist() == ["a", None, None]
    assert fitted.fit(data([("x",)]), Run()) == fitted


def test_what_is_published() -> None:
    run = Run()
    step = SuppressRare(columns=["c0"], min_count=2)
    fitted = step.fit(data([("common",)] * 2 + [("rare-1",), ("rare-2",)]), run)
    fitted.apply(data([("common",)]), run)
    assert fitted.parameters(public=True) == {"columns": ["c0"], "min_count": 2, "blanked": 2}
    assert "kept" in fitted.parameters()
    assert run.notes[-1].facts == {"columns": ["c0"], "blanked_records": 2}


MIXED: Rows = [
    (1.5, datetime.date(2020, 1, 1), True, 7),
    (1.5, datetime.date(2020, 1, 1), True, 7),
    (None, datetime.date(2021, 1, 1), None, None),
    (None, datetime.date(2021, 1, 1), None, None),
    (0.1, None, False, 0),
    (0.2, None, False, 0),
]


def test_all_kinds_of_values() -> None:
    assert suppressed(MIXED, min_count=2) == MIXED[:4] + [(None,) * 4] * 2


@pytest.mark.spark
def test_equal_on_spark(spark: Any) -> None:
    engine = get("engine", "spark")()
    assert suppressed(MIXED, engine, min_count=2) == suppressed(MIXED, min_count=2)
    further = {"min_count": 3, "further": "drawn"}
    assert suppressed(STAFF, engine, **further) == suppressed(STAFF, **further)
    stamps: Rows = [(datetime.datetime(2020, 1, 1, 12), "x")] * 2 + [(None, "y")] * 2 + [(None, "z")] * 2
    after = suppressed(stamps, engine, min_count=2)
    assert [row[0] is None for row in after] == [False, False, True, True, True, True]
    engine.close()


@pytest.mark.parametrize(
    "parameters",
    [
        {"columns": ["a"], "min_count": 1},
        {"columns": [], "min_count": 2},
        {"columns": ["a", "a"], "min_count": 2},
        {"columns": ["a"], "target": ["b"], "min_count": 2},
        {"columns": ["a"], "min_count": 2, "kept": "nonsense"},
        {"columns": ["a"], "min_count": 2, "kept": "bm9uc2Vuc2U="},
        {"columns": ["a"]},
    ],
)
def test_bad_parameters(parameters: dict[str, Any]) -> None:
    with pytest.raises(SchleierError):
        SuppressRare(**parameters)


def test_unknown_columns() -> None:
    step = SuppressRare(columns=["sex", "regionn"], min_count=2)
    assert [problem.code for problem in step.problems(example_schema())] == ["unknown-column"]
