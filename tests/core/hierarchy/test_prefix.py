from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hierarchy.reducing import nested, reduced, same_after_reduce
from schleier.core.hierarchy.prefix import Prefix

LEVELS = st.sets(st.integers(0, 12), min_size=1).map(lambda kept: tuple(sorted(kept, reverse=True)))
# DuckDB ends a text at no character but cannot be handed NUL or halves of surrogate pairs.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=15)


@given(LEVELS, st.lists(TEXTS, min_size=1))
def test_levels_nest_and_reducing_changes_nothing(kept: tuple[int, ...], texts: list[str]) -> None:
    hierarchy = Prefix(prefix=kept)
    assert list(hierarchy.problems("")) == []
    nested(hierarchy, pa.array(texts))
    same_after_reduce(hierarchy, pa.array(texts))


@given(st.integers(1, 12), st.lists(TEXTS, min_size=1, unique=True))
def test_equal_labels_mean_equal_beginnings(kept: int, texts: list[str]) -> None:
    labels = Prefix(prefix=(kept,)).labels(pa.array(texts), 1).to_pylist()
    assert [label[:-1] for label in labels] == [text[:kept] for text in texts]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_all_layouts_of_text(kind: pa.DataType) -> None:
    assert Prefix(prefix=(2,)).labels(pa.array(["äöü"], kind), 1).to_pylist() == ["äö*"]


def test_whole_numbers_are_codes_and_others_are_not() -> None:
    hierarchy = Prefix(prefix=(2, 1))
    assert hierarchy.labels(pa.array([53117, -53]), 1).to_pylist() == ["53*", "-5*"]
    same_after_reduce(hierarchy, pa.array([53117, -53]))
    assert hierarchy.covers(pa.array([1.5])).tolist() == [False]
    assert hierarchy.labels(pa.array([1.5]), 1).to_pylist() == [None]


@pytest.mark.parametrize(("kept", "depth"), [((4, 3, 2, 0), 4), ((4, 3, 2), 4), ((0,), 1), ((1,), 2)])
def test_the_root_is_appended_when_absent(kept: tuple[int, ...], depth: int) -> None:
    hierarchy = Prefix(prefix=kept)
    assert hierarchy.depth == depth
    assert hierarchy.labels(pa.array(["123"]), depth).to_pylist() == ["*"]
    (roots,) = reduced(hierarchy, pa.array(["123", "456"]), depth)
    assert len(set(roots.to_pylist())) == 1


@pytest.mark.parametrize(
    ("kept", "codes"),
    [
        ((), ["hierarchy-empty"]),
        ((2, 2), ["hierarchy-not-nested"]),
        ((2, 3), ["hierarchy-not-nested"]),
        ((0, 2), ["hierarchy-not-nested"]),
        ((2, -1), ["hierarchy-width"]),
        ((-1, 2), ["hierarchy-width", "hierarchy-not-nested"]),
    ],
)
def test_problems(kept: tuple[int, ...], codes: list[str]) -> None:
    assert [problem.code for problem in Prefix(prefix=kept).problems("")] == codes
