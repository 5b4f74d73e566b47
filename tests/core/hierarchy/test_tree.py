from __future__ import annotations

import tomllib

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hierarchy.reducing import nested
from schleier.core.hierarchy import parse
from schleier.core.hierarchy.tree import Tree

JOBS = """
[tree]
Trade = ["5", 6]
Health.Nurses = ["48"]
Health.Doctors.Surgeons = ["4711"]
Health.Doctors.Others = ["4712", "4713"]
"""


def test_branches_of_unequal_depth_repeat_their_topmost_label() -> None:
    job = parse(tomllib.loads(JOBS))
    assert job.depth == 4
    assert list(job.problems("")) == []
    values = pa.array(["4711", "48", "6", "7"])
    assert [job.labels(values, level).to_pylist() for level in range(1, 5)] == [
        ["Surgeons", "Nurses", "Trade", None],
        ["Doctors", "Health", "Trade", None],
        ["Health", "Health", "Trade", None],
        ["*", "*", "*", None],
    ]


def test_leaves_given_as_numbers_match_text_and_numbers() -> None:
    tree = Tree(tree={"small": [1, 2.0], "large": ["30"]})
    assert tree.to_toml() == {"tree": {"small": ["1", "2"], "large": ["30"]}}
    assert tree.labels(pa.array([1, 2, 30]), 1).to_pylist() == ["small", "small", "large"]
    assert tree.labels(pa.array([1.0, 2.5]), 1).to_pylist() == ["small", None]


@st.composite
def trees(draw: st.DrawFn) -> dict[str, object]:
    """Trees in which every label and every leaf occurs once."""
    names = iter(range(10_000))

    def branch(depth: int) -> object:
        if depth == 0 or draw(st.booleans()):
            return [f"leaf{next(names)}" for _ in range(draw(st.integers(1, 3)))]
        return {f"label{next(names)}": branch(depth - 1) for _ in range(draw(st.integers(1, 3)))}

    return {f"top{next(names)}": branch(3) for _ in range(draw(st.integers(1, 3)))}


@given(trees())
def test_any_tree_of_different_names_is_sound_and_nests(tree: dict[str, object]) -> None:
    hierarchy = Tree(tree=tree)
    assert list(hierarchy.problems("")) == []
    leaves = [path[0] for path in hierarchy._rows()]
    assert hierarchy.covers(pa.array(leaves)).all()
    nested(hierarchy, pa.array(leaves))
    assert parse(hierarchy.to_toml()) == hierarchy


@pytest.mark.parametrize(
    ("tree", "codes"),
    [
        ({}, ["hierarchy-empty"]),
        ({"SECRET": []}, ["hierarchy-empty"]),
        ({"SECRET": {}, "a": ["b"]}, ["hierarchy-empty"]),
        ({"a": ["SECRET"], "b": ["SECRET"]}, ["hierarchy-duplicate", "hierarchy-not-nested"]),
        ({"a": ["SECRET", "SECRET"]}, ["hierarchy-duplicate"]),
        ({"a": {"SECRET": ["1"]}, "b": {"SECRET": ["2"]}}, ["hierarchy-not-nested"]),
        ({"a": {"SECRET": ["1"]}, "SECRET": ["2"]}, ["hierarchy-not-nested"]),
    ],
)
def test_problems_are_counted_and_never_quoted(tree: dict[str, object], codes: list[str]) -> None:
    problems = list(Tree(tree=tree).problems("hierarchies.job"))
    assert [problem.code for problem in problems] == codes
    assert not any("SECRET" in str(problem) for problem in problems)
