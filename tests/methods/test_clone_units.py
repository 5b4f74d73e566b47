"""Rare records get look-alikes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from methods.small import KEY, codes, done, small
from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.change.parts import similar
from schleier.methods.clone_units import CloneUnits

TABLE = {
    "who": ["A", "B", "C", "D", "E"],
    "firm": [1, 1, 2, 3, 3],
    "land": ["n", "n", "n", "s", None],
    "x": [101, 203, 307, 400, None],
    "zero": [0.0, 1.0, 2.0, 0.0, -5.0],
    "drug": ["p", "p", "q", "q", "r"],
    "w": [3.0, 3.0, 3.0, 6.0, 9.0],
}
DATA = small(
    TABLE,
    who=("text", "identifier"),
    firm=("nominal", "unit"),
    land="nominal",
    x="discrete",
    drug="nominal",
    w=("continuous", "weight"),
)


def step(**more: Any) -> CloneUnits:
    return CloneUnits(**({"keys": ["land"], "min_count": 2, "spread": 0.2} | more))


def test_clones_share_keys_and_have_similar_amounts() -> None:
    found = done(step(), DATA)
    assert len(found["land"]) == 5 + 2 * 2, "one record of the south and one of nowhere, each with two clones"
    places = [i for i, land in enumerate(found["land"]) if land == "s"]
    assert len(places) == 3 and len({found["firm"][i] for i in places}) == 3, "a clone is another unit"
    original, *clones = places
    assert (found["x"][original], found["w"][original]) == (400, 2.0)
    assert "who" not in found, "a clone has no name, so nobody has one"
    for i in clones:
        assert 40 <= abs(found["x"][i] - 400) <= 80, "between half of the spread and all of it"
        assert found["zero"][i] == 0.0 and found["drug"][i] == "q"
    assert sum(found["w"]) == pytest.approx(sum(TABLE["w"]))
    nowhere = [i for i, land in enumerate(found["land"]) if land is None]
    assert [found["x"][i] for i in nowhere] == [None] * 3, "missing stays missing"
    assert all(found["zero"][i] < 0 for i in nowhere), "signs stay"


def test_weights_may_stay_and_what_is_worth_knowing_varies() -> None:
    found = done(step(share_weights=False, clones=20, vary=["drug"]), DATA)
    of = [i for i, land in enumerate(found["land"]) if land == "s"]
    assert {found["w"][i] for i in of} == {6.0}
    assert {found["drug"][i] for i in of} == {"p", "q", "r"}


def test_nothing_rare_changes_nothing_but_is_told() -> None:
    run = Run(key=KEY)
    after = step(min_count=2, keys=["firm2"]).apply(_with(DATA), run)
    assert after.to_arrow().num_rows == 5
    assert run.notes[0].facts["cloned_records"] == 0


def _with(data: Dataset) -> Dataset:
    table = data.to_arrow().append_column("firm2", pa.array(["a"] * 5))
    return Dataset.from_frame(table, Schema(columns=(*data.schema.columns, Column(name="firm2", scale="nominal"))))


def test_two_steps_make_different_keys() -> None:
    """A clone of a clone, and a second clone of the same record, are records of their own."""
    run, data = Run(key=KEY), DATA
    for name, least in (("one", 2), ("two", 9)):
        with run.within(name):
            data = step(name=name, keys=["x"], clones=1, min_count=least).apply(data, run)
    keys = data.engine.arrays(data.frame.select(data.schema.key))[data.schema.key].to_pylist()
    assert len(keys) == len(set(keys)) == 20


def test_text_keys_and_units() -> None:
    schema = Schema(
        row_key="id", columns=[Column(name="u", role="unit", scale="nominal"), Column(name="k", scale="nominal")]
    )
    data = Dataset.from_frame(pa.table({"id": ["a", "b"], "u": ["x", None], "k": ["p", "q"]}), schema)
    found = done(step(keys=["k"]), data)
    assert found["k"].count("p") == 3 and len(set(found["u"])) == 4  # x, two new ones, and nobody


def test_clones_keep_to_the_steps_in_which_amounts_are_written() -> None:
    """Among amounts in whole hundreds any other amount is a clone's."""
    table = {
        "k": ["a"] * 6 + ["b"],
        "euros": [700.0, 300, 200, 500, 800, 100, 1200],
        "cents": [0.1, 0.3, 1.2, 7, 0.7, 1, 2.9],
    }
    found = done(step(keys=["k"], clones=30), small(table, k="nominal"))
    assert all(value % 100 == 0 for value in found["euros"])
    assert all(value == round(value, 1) for value in found["cents"]), "and 3 * 0.1 is 0.3"
    assert 1200.0 not in found["euros"][7:]
    broken = done(step(keys=["k"]), small(table | {"euros": [1 / 3, 0.1, 7, 2, 5, 8, 1200]}, k="nominal"))
    assert all(value % 1 for value in broken["euros"][7:])


def test_small_whole_numbers_go_up_and_down() -> None:
    """Else the original is always the smallest of its look-alikes."""
    table = {"k": ["a"] * 4 + ["b", "c", "c"], "kids": [0, 1, 4, 5, 3, 1, 1], "rooms": [1, 2, 4, 5, 3, 1, 1]}
    found = done(step(keys=["k"], clones=40, min_count=3), small(table, k="nominal", kids="discrete", rooms="discrete"))
    of = {k: [i for i, key in enumerate(found["k"]) if key == k] for k in ("b", "c")}
    assert {found["kids"][i] for i in of["b"]} == {2, 3, 4}
    assert {found["kids"][i] for i in of["c"]} == {0, 1, 2}, "zero occurs in this column"
    assert {found["rooms"][i] for i in of["c"]} == {1, 2}, "and not in this one"


@pytest.mark.parametrize("units", [[f"U{i}" for i in range(6)], list(range(6))])
def test_units_do_not_tell_clones(units: list[Any]) -> None:
    table = {"u": units, "k": ["a"] * 5 + ["b"]}
    found = done(step(keys=["k"]), small(table, u=("nominal", "unit"), k="nominal"))
    kind = type(units[0])
    assert sorted(found["u"], key=int) == [kind(i) for i in range(1, 9)], "all are numbered anew"
    rare = [int(u) for u, k in zip(found["u"], found["k"], strict=True) if k == "b"]
    assert sorted(rare) != [6, 7, 8], "in random order"


@given(
    amounts=st.lists(st.integers(-1000, 1000), min_size=1, max_size=10),
    draw=st.floats(0, 1, exclude_max=True),
    spread=st.floats(0.01, 0.9),
)
def test_similar_is_never_the_same(amounts: list[int], draw: float, spread: float) -> None:
    old = np.array(amounts, dtype=np.float64)
    new = similar(old, np.full(len(old), draw), spread, 1.0)
    assert ((new == old) == (old == 0)).all()
    assert (np.sign(new) == np.sign(old)).all()
    assert (np.abs(new - old) <= np.maximum(spread * np.abs(old) + 0.5, 1.0)).all()


def test_contradictions_are_refused() -> None:
    for more in ({"spread": 0}, {"spread": 1}, {"clones": 0}, {"min_count": 1}, {"vary": ["land"]}):
        with pytest.raises(SchleierError):
            step(**more)
    assert codes(step(keys=["w"]), DATA.schema) == ["not-cloned"]
    assert codes(step(public=["clones"]), DATA.schema) == ["not-secret"]
    assert "spread" not in step().parameters(public=True)
    assert "spread" in step(public=["spread"]).parameters(public=True)
