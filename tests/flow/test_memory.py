"""Class tables are remembered as long as nothing they depend on changes."""

from __future__ import annotations

import narwhals as nw
import pytest

from schleier.core.classes.request import Request
from schleier.core.data import Dataset
from schleier.core.schema import Schema
from schleier.flow.memory import CachedDataset
from schleier.testing import example_schema, example_table

WIDE = Request(keys=("age", "sex"), sensitive=("disease",))


@pytest.fixture
def groups(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """What rows were really grouped for."""
    asked, real = list[Request](), Dataset.classes
    monkeypatch.setattr(Dataset, "classes", lambda self, request: asked.append(request) or real(self, request))
    return asked


@pytest.fixture
def data() -> CachedDataset:
    return CachedDataset.of(Dataset.from_frame(example_table(), example_schema()))


def test_the_same_question_is_answered_from_memory(data: CachedDataset, groups: list[Request]) -> None:
    first, narrow = data.classes(WIDE), data.classes(Request(keys=("age", "sex")))
    again = data.classes(WIDE)
    assert groups == [WIDE]
    assert (again.sizes == first.sizes).all() and list(again.histograms) == ["disease"]
    assert not narrow.histograms and narrow.records == first.records


def test_other_hierarchies_share_the_memory_and_are_seen(data: CachedDataset, groups: list[Request]) -> None:
    data.classes(WIDE)
    schema = Schema(columns=data.schema.columns, hierarchies={"decades": {"intervals": [10]}})
    schema = schema.changed("age", hierarchy="decades")
    other = data.described(schema).classes(WIDE)
    assert groups == [WIDE]
    assert other.hierarchies[0] is not None and other.hierarchies[0] == schema.hierarchies["decades"]
    assert data.classes(WIDE).hierarchies[0] != other.hierarchies[0]


def test_a_changed_column_is_not_remembered(data: CachedDataset, groups: list[Request]) -> None:
    data.classes(WIDE)
    data.described(data.schema.changed("disease", scale="ordinal")).classes(WIDE)
    assert groups == [WIDE, WIDE]


def test_other_rows_begin_anew_and_remember_for_themselves(data: CachedDataset, groups: list[Request]) -> None:
    data.classes(WIDE)
    some = data.filter(nw.col("sex") == "f")
    assert some.classes(WIDE).records < data.classes(WIDE).records
    assert some.classes(WIDE).records == some.rows
    assert groups == [WIDE, WIDE]
