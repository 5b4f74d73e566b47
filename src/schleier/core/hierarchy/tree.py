"""A hierarchy written as nested tables with lists of leaves at the ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import field_validator

from schleier.core.errors import Problem
from schleier.core.hierarchy import lookup
from schleier.core.hierarchy.contract import ROOT, Hierarchy
from schleier.core.sql import Typed

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


class Tree(Hierarchy):
    """Leaves below labels below coarser labels; a short branch repeats its topmost label.

    >>> import pyarrow as pa
    >>> job = Tree(tree={"Health": {"Doctors": ["4711", "4712"], "Nurses": ["48"]}, "Trade": ["5"]})
    >>> [job.labels(pa.array([4711, 5]), level).to_pylist() for level in (1, 2, 3)]
    [['Doctors', 'Trade'], ['Health', 'Trade'], ['*', '*']]
    """

    keys: ClassVar[tuple[str, ...]] = ("tree",)

    tree: dict[str, Any]
    """Nested tables, coarsest label outside; at the ends lists of leaves."""

    @field_validator("tree", mode="before")
    @classmethod
    def _ends_are_lists(cls, tree: object) -> object:
        # Done by hand: the place in a pydantic error would spell out the labels on the way.
        if not isinstance(tree, Mapping):
            raise ValueError("a tree is written as a table of tables")
        return {str(label): _branch(below) for label, below in tree.items()}

    @property
    def depth(self) -> int:
        """Length of the longest branch, and the root."""
        return max(map(len, _paths(self.tree)), default=1)

    def problems(self, where: str) -> Iterator[Problem]:
        """Branches without leaves, leaves listed twice, labels with two parents."""
        bare, rows = _bare(self.tree), self._rows()
        if bare:
            yield Problem("hierarchy-empty", where, f"branches without leaves: {bare}")
        if rows:
            yield from lookup.problems(rows, where)

    def domain(self, values: pa.Array) -> pa.Array:
        """The leaves."""
        return lookup.leaves(self._rows())

    def covers(self, values: pa.Array) -> NDArray[np.bool_]:
        """Values that are leaves of the tree."""
        return lookup.covers(self._rows(), values)

    def coarser(self, values: pa.Array, level: int) -> pa.Array:
        """The label so many steps above the leaf."""
        return lookup.labels(self._rows(), values, level)

    def _may_be_label(self, words: pa.Array, level: int) -> NDArray[np.bool_]:
        return lookup.may_be_label(self._rows(), words, level)

    def sql(self, value: Typed, level: int) -> str | None:
        """The label of the level for each leaf."""
        return lookup.labels_sql(self._rows(), value, level)

    def _rows(self) -> list[tuple[str, ...]]:
        depth = self.depth
        return [(*path, *path[-1:] * (depth - len(path)), ROOT) for path in _paths(self.tree)]


def _branch(below: object) -> object:
    if isinstance(below, Mapping):
        return {str(label): _branch(further) for label, further in below.items()}
    leaves = [lookup.label_text(leaf) for leaf in below] if isinstance(below, list | tuple) else [None]
    if not all(isinstance(leaf, str) for leaf in leaves):
        raise ValueError("a branch ends in a list of texts or numbers")
    return leaves


def _paths(tree: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """From each leaf up to its topmost label."""
    for label, below in tree.items():
        if isinstance(below, Mapping):
            yield from ((*path, label) for path in _paths(below))
        else:
            yield from ((leaf, label) for leaf in below)


def _bare(below: Mapping[str, Any] | list[str]) -> int:
    """How many branches have nothing below them."""
    if not below:
        return 1
    return sum(map(_bare, below.values())) if isinstance(below, Mapping) else 0
