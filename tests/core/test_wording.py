"""Words in place of values are the same as one expression and as a join."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.schema import Column, Schema
from schleier.core.wording import MOST_VALUES, MOST_WORDS, worded

WORDS = st.sampled_from(["low", "high", "it's", None])


@given(st.lists(st.integers(0, 9) | st.none(), min_size=1), st.dictionaries(st.integers(0, 9), WORDS, min_size=1))
def test_every_value_gets_its_word(values: list[int | None], words: dict[int, str | None]) -> None:
    for kind, spelled in ((pa.int64(), values), (pa.string(), [None if v is None else f"v{v}" for v in values])):
        old = pa.array([v if kind == pa.int64() else f"v{v}" for v in words], kind)
        found = worded(nw.col("x"), old, pa.array(list(words.values()), pa.string()))
        if found is None:
            assert set(words.values()) == {None}
            continue
        told = nw.from_native(pa.table({"x": pa.array(spelled, kind)})).select(x=found)["x"].to_list()
        assert told == [None if v is None else words.get(v) for v in values]


@pytest.mark.parametrize("others", [None, "*"])
def test_both_ways_replace_alike(others: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    column = Column(name="x", scale="nominal")
    data = Dataset.from_frame(pa.table({"x": ["a", "b", None, "c", "a"]}), Schema(columns=[column]))
    values, words = pa.array(["a", "b"]), pa.array(["A", None])

    def replaced() -> list[Any]:
        found: list[Any] = data.replace("x", nw.col("x"), values, words, others=others).to_arrow()["x"].to_pylist()
        return found

    joined = replaced()
    monkeypatch.setattr(type(data.engine), "distributed", True)
    assert replaced() == joined == ["A", others, None, others, "A"]


def test_what_is_too_much_or_not_exact_is_joined() -> None:
    many, other = [str(i) for i in range(MOST_VALUES + 1)], pa.array([0.5])
    assert worded(nw.col("x"), pa.array(many), pa.array(["w"] * len(many))) is None
    assert worded(nw.col("x"), pa.array(many[: MOST_WORDS + 1]), pa.array(many[: MOST_WORDS + 1])) is None
    assert worded(nw.col("x"), other, pa.array(["w"])) is None
