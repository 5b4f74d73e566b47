"""Both files as columns that Splink compares: numbers, codes or words, and cells that stand for several values as sets.

Each column has levels: the same value, a cell that may hold it, nearly the same, or another one. A gap tells nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schleier.core.hierarchy.contract import ROOT
from schleier.core.hierarchy.lookup import value_text
from schleier.core.trust.possible import ends_of, may_hold

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.hierarchy import Hierarchy
    from schleier.core.trust.sides import Numbers

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]

NEAR = (0.1, 0.5)
"""Numbers are near when they differ by at most these shares of a standard deviation."""
SIMILAR = (0.92, 0.8)
"""Words are similar from these values of Jaro's and Winkler's measure on."""
WORDY = 50
"""Different words from which on a column of categories is compared letter by letter, too."""
RARE = 1e-12
"""Never and always are too much to say."""


@dataclass(frozen=True)
class Level:
    """One way in which a value and a cell can go together."""

    sql: str
    chance: float
    """Assumed share of the true pairs with this level."""
    often: str | None = None
    """The column whose frequencies say how often strangers have this level."""


@dataclass(frozen=True)
class Codes:
    """A column as numbers: values by their places, and sets of them."""

    known: Whole = field(repr=False)
    """The value of each target; -1 for a gap."""
    cells: Whole = field(repr=False)
    """That of each record: a value, -1 for a gap or a cell that may be anything, -2 downwards for sets."""
    holds: Flags = field(repr=False)
    """For each set (a row) whether it may hold each value (a column)."""

    @property
    def single(self) -> float:
        """Share of the released cells that are one value."""
        return float((self.cells >= 0).sum() / max((self.cells != -1).sum(), 1))

    def shares(self) -> Floats:
        """How often each value is found among all that are known, or released as they are."""
        both = np.concatenate([self.known[self.known >= 0], self.cells[self.cells >= 0]])
        counts = np.bincount(both, minlength=self.holds.shape[1]).astype(np.float64)
        return np.asarray(np.maximum(counts / max(counts.sum(), 1.0), RARE))

    def masses(self) -> Floats:
        """How often each set holds the value of a stranger."""
        return np.asarray(np.clip(self.holds @ self.shares(), RARE, 1.0))

    def agreement(self) -> float:
        """How often a target and a stranger have the same value, both as they are."""
        many = self.holds.shape[1]
        here, there = (np.bincount(side[side >= 0], minlength=many) for side in (self.known, self.cells))
        return float(here.astype(np.float64) @ there / max(len(self.known) * len(self.cells), 1))


@dataclass(frozen=True)
class Compared:
    """One column for Splink."""

    known: dict[str, pa.Array] = field(repr=False)
    cells: dict[str, pa.Array] = field(repr=False)
    gap: str
    """Condition of a pair that tells nothing."""
    levels: tuple[Level, ...]
    """From the same value to another one; the last is what is left."""
    often: dict[str, pa.Table] = field(repr=False)
    """By column how often strangers have each of its values."""
    codes: Codes = field(repr=False)


def compared_words(
    j: int, mine: pa.ChunkedArray, theirs: pa.ChunkedArray, error: float, hierarchy: Hierarchy | None, *, text: bool
) -> Compared:
    """A column of categories or of text."""
    import pyarrow as pa

    from schleier.core.classes.table import sorted_codes

    values, value = sorted_codes(mine)
    labels, label = sorted_codes(theirs)
    names, shown = _texts(values), _texts(labels)
    sets = _sets(labels, shown, set(names), hierarchy)
    words = sorted({*names, *(text for i, text in enumerate(shown) if i not in sets and text != ROOT)})
    place = {word: i for i, word in enumerate(words)}
    of_value = np.array([place[name] for name in names] + [-1], dtype=np.int64)
    of_label = np.array(
        [-2 - sets[i] if i in sets else place.get(text, -1) for i, text in enumerate(shown)] + [-1], dtype=np.int64
    )
    holds = np.zeros((len(sets), len(words)), dtype=np.bool_)
    if sets:
        holds[:, of_value[:-1]] = may_hold(labels.take(pa.array(list(sets))), values, hierarchy)
    codes = Codes(of_value[value], of_label[label], holds)
    similar = (text or len(words) > WORDY) and any(sign.isalpha() for name in names for sign in name)
    return _compared(
        j,
        codes,
        pa.array(words, pa.string()) if similar else pa.array(np.arange(len(words))),
        Level(f"list_contains(h{j}_r, v{j}_l)", 0.0),
        [f"jaro_winkler_similarity(x{j}_l, x{j}_r) >= {least}" for least in SIMILAR] if similar else [],
        error,
    )


def compared_numbers(j: int, numbers: Numbers, error: float) -> Compared:
    """A column whose differences mean something."""
    import pyarrow as pa

    low, high = numbers.low, numbers.high
    held, told = np.isfinite(numbers.known), np.isfinite(low) | np.isfinite(high)
    single = told & (low == high)
    points = np.unique(np.concatenate([numbers.known[held], low[single]]))
    known, cells = np.full(len(held), -1, dtype=np.int64), np.full(len(low), -1, dtype=np.int64)
    known[held] = np.searchsorted(points, numbers.known[held])
    cells[single] = np.searchsorted(points, low[single])
    sets, which = np.unique(np.column_stack([low, high])[told & ~single], axis=0, return_inverse=True)
    cells[told & ~single] = -2 - which.reshape(-1)
    codes = Codes(known, cells, (sets[:, :1] <= points) & (points <= sets[:, 1:]))
    usual = points[np.concatenate([known[held], cells[single]])]
    spread = float(usual.std()) if len(usual) else 0.0
    off = f"greatest(lo{j}_r - x{j}_l, x{j}_l - hi{j}_r)"
    near = [f"{off} <= {share * spread!r}" for share in NEAR] if spread > 0 else []
    found = _compared(j, codes, pa.array(points), Level(f"{off} <= 0", 0.0), near, error)
    nothing = pa.nulls(len(known), pa.float64())
    found.known.update({f"lo{j}": nothing, f"hi{j}": nothing})
    found.cells.update({f"lo{j}": pa.array(low, mask=~told), f"hi{j}": pa.array(high, mask=~told)})
    return found


def _compared(j: int, codes: Codes, values: pa.Array, fits: Level, alike: Sequence[str], error: float) -> Compared:
    """What all columns have: the value itself, sets that may hold it, and how often strangers have them."""
    import pyarrow as pa

    single, spared = codes.single, len(alike) / (len(alike) + 1)
    known, cells = {f"x{j}": values.take(_places(codes.known))}, {f"x{j}": values.take(_places(codes.cells))}
    levels = [Level(f"x{j}_l = x{j}_r", max(single, RARE) * (1 - error), f"x{j}")]
    often = {f"x{j}": pa.table({f"x{j}": values, f"tf_x{j}": codes.shares() * max(single, RARE)})}
    gap = f"x{j}_l IS NULL OR x{j}_r IS NULL"
    if len(codes.holds):
        known |= {f"s{j}": pa.nulls(len(codes.known), pa.int64()), f"v{j}": _places(codes.known)}
        cells |= {f"s{j}": _places(-2 - codes.cells), f"v{j}": pa.nulls(len(codes.cells), pa.int64())}
        known[f"h{j}"], cells[f"h{j}"] = pa.nulls(len(codes.known), pa.list_(pa.int64())), _lists(codes)
        gap = f"x{j}_l IS NULL OR (x{j}_r IS NULL AND s{j}_r IS NULL)"
        levels.append(Level(fits.sql, (1 - single) * (1 - error), f"s{j}"))
        often[f"s{j}"] = pa.table({f"s{j}": np.arange(len(codes.holds)), f"tf_s{j}": codes.masses() * (1 - single)})
    levels += [Level(sql, error * spared / len(alike)) for sql in alike]
    levels.append(Level("ELSE", error * (1 - spared)))
    return Compared(known, cells, gap, tuple(levels), often, codes)


def _sets(labels: pa.Array, shown: Sequence[str], names: set[str], hierarchy: Hierarchy | None) -> dict[int, int]:
    """Places of the labels that stand for several values, numbered: those that are written so, and nodes."""
    nodes = hierarchy is not None and not hierarchy.learns
    found = [
        i
        for i, text in enumerate(shown)
        if text != ROOT
        and text not in names
        and (nodes or (text.startswith("{") and text.endswith("}")) or ends_of(text) is not None)
    ]
    return {i: k for k, i in enumerate(found)}


def _texts(values: pa.Array) -> list[str]:
    return [str(value_text(value)) for value in values.to_pylist()]


def _places(codes: Whole) -> pa.Array:
    """Places, with a gap for whatever is below zero."""
    import pyarrow as pa

    return pa.array(codes, mask=codes < 0)


def _lists(codes: Codes) -> pa.Array:
    """For each record the values its set may hold; a gap where it has none."""
    import pyarrow as pa

    row, value = np.nonzero(codes.holds)
    ends = np.searchsorted(row, np.arange(len(codes.holds) + 1))
    lists = pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), pa.array(value))
    return lists.take(_places(-2 - codes.cells))
