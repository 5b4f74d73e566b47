"""Gaps in classes against integer programs: never more than a tenth above the best, mostly the best itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.slow_suppression import fewest_alone, fewest_together, smallest
from schleier.kernels.classes.packed import Packed, met
from schleier.kernels.suppression.cells import lent_gaps, own_gaps, price
from schleier.kernels.suppression.search import common_gaps

Table = tuple[list[tuple[int, ...]], list[float], int]
GAP = -1


def table(seed: int, fewest: int = 4, most: int = 12) -> Table:
    """Rows of codes with and without gaps, what cells are worth, and k."""
    rng = np.random.default_rng(seed)
    columns, k = int(rng.integers(3, 5)), int(rng.integers(2, 5))
    rows = int(rng.integers(max(fewest, k), most + 1))
    codes = np.stack([rng.integers(0, rng.integers(2, 5), rows) for _ in range(columns)], axis=1)
    codes[rng.random(codes.shape) < rng.choice([0, 0, 0.1])] = GAP
    costs = [1.0] * columns if rng.random() < 0.6 else [float(w) for w in rng.integers(1, 5, columns)]
    return [tuple(row) for row in codes.tolist()], costs, k


def classes(rows: list[tuple[int, ...]]) -> tuple[np.ndarray, np.ndarray]:
    codes, sizes = np.unique(np.array(rows, dtype=np.int32), axis=0, return_counts=True)
    return codes, sizes.astype(np.int64)


def released(codes: np.ndarray, who: np.ndarray, gaps: np.ndarray, counts: np.ndarray) -> list[tuple[int, ...]]:
    result = []
    for i, blank, n in zip(who.tolist(), gaps.tolist(), counts.tolist(), strict=True):
        row = tuple(GAP if blank >> j & 1 else value for j, value in enumerate(codes[i].tolist()))
        result += [row] * n
    return result


def together(rows: list[tuple[int, ...]], costs: list[float], k: int, seed: int = 1) -> tuple[float, list]:
    codes, sizes = classes(rows)
    who, gaps, counts = common_gaps(codes, sizes, costs, k, own_gaps(codes, sizes, costs, k, len(costs)), seed)
    assert np.bincount(who, counts, len(sizes)).tolist() == sizes.tolist()
    missing = ((codes == GAP) << np.arange(len(costs))).sum(axis=1)
    assert not (missing[who] & gaps).any()  # nothing is blanked that is missing already: each gap is a cell
    spent = sum(price(b, costs) * n for b, n in zip(gaps.tolist(), counts.tolist(), strict=True))
    return spent, released(codes, who, gaps, counts)


@pytest.mark.parametrize("seed", range(60))
def test_gaps_in_common_cost_hardly_more_than_the_best(seed: int) -> None:
    rows, costs, k = table(seed)
    spent, after = together(rows, costs, k)
    assert smallest(after, "category", gap=GAP) >= k
    assert spent <= 1.1 * fewest_together(rows, costs, k, GAP) + 1e-6


@pytest.mark.parametrize("seed", range(100, 106))
def test_also_on_tables_of_thirty_rows(seed: int) -> None:
    rows, costs, k = table(seed, 20, 30)
    spent, after = together(rows, costs, k)
    assert smallest(after, "category", gap=GAP) >= k
    assert spent <= 1.1 * fewest_together(rows, costs, k, GAP) + 1e-6


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("most", [None, 2])
def test_gaps_alone_are_the_cheapest(seed: int, most: int | None) -> None:
    rows, costs, k = table(seed)
    codes, sizes = classes(rows)
    gaps = own_gaps(codes, sizes, costs, k, most or len(costs))
    spent = sum(price(b, costs) * n for b, n in zip(gaps.tolist(), sizes.tolist(), strict=True))
    assert spent == pytest.approx(fewest_alone(rows, costs, k, most, GAP))
    assert smallest(released(codes, np.arange(len(sizes)), gaps, sizes), "wildcard", most, GAP) >= k
    if most is None:
        assert spent <= fewest_together(rows, costs, k, GAP) + 1e-6  # the bound the report tells


@given(st.integers(0, 10**6))
@settings(deadline=None)
def test_lent_gaps_cost_no_more_and_hold(seed: int) -> None:
    rows, costs, k = table(seed, 4, 40)
    codes, sizes = classes(rows)
    own = own_gaps(codes, sizes, costs, k, len(costs))
    lent = lent_gaps(codes, sizes, costs, k, own)
    assert ((own == 0) == (lent == 0)).all()  # who is rare loses something
    assert all(price(a, costs) <= price(b, costs) for a, b in zip(lent.tolist(), own.tolist(), strict=True))
    assert smallest(released(codes, np.arange(len(sizes)), lent, sizes), "wildcard", gap=GAP) >= k


def test_lending_saves_cells() -> None:
    # alone the last row must lose two cells; with one it is like the two rows before, which lose their first one
    rows = [(0, 1, 0)] * 3 + [(2, 1, 0), (3, 1, 0), (1, 1, 5)]
    codes, sizes = classes(rows)
    own = own_gaps(codes, sizes, [1, 1, 1], 3, 3)
    lent = lent_gaps(codes, sizes, [1, 1, 1], 3, own)
    cells = [sum(int(mask).bit_count() * n for mask, n in zip(gaps, sizes, strict=True)) for gaps in (own, lent)]
    assert cells == [4, 3]


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=30)
def test_larger_tables_hold_and_are_never_below_the_bound(seed: int) -> None:
    """More records than are put together again and again: those of large classes stay, the others are annealed."""
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.geometric(0.3, 5000).clip(max=20) - rng.integers(1, 3) for _ in range(3)], axis=1)
    rows = [tuple(row) for row in codes.clip(min=GAP).tolist()]
    spent, after = together(rows, [1.0, 2.0, 1.0], 3, seed)
    assert smallest(after, "category", gap=GAP) >= 3
    codes, sizes = classes(rows)
    own = own_gaps(codes, sizes, [1.0, 2.0, 1.0], 3, 3)
    bound = sum(price(b, [1.0, 2.0, 1.0]) * n for b, n in zip(own.tolist(), sizes.tolist(), strict=True))
    assert spent >= bound


def test_same_seed_same_gaps() -> None:
    rows, costs, k = table(7, 30, 30)
    assert together(rows, costs, k, 5) == together(rows, costs, k, 5)


def test_keys_wider_than_a_word() -> None:
    """Eight columns of a thousand values take more than 64 bits."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 1000, (300, 8)).astype(np.int32)
    codes[:, 0] = np.arange(300) % 1000
    codes[200:] = codes[:100]
    codes[200:, 7] = 999
    codes[0, 7] = 999  # so that the width is there
    packed = Packed.of(codes)
    assert packed.words.shape[1] == 2
    for blank in (0, 128, 7):
        kept = [j for j in range(8) if not blank >> j & 1]
        wanted = [sum(bool((a == b).all()) for b in codes[:, kept]) for a in codes[:, kept]]
        found = met(packed.words, packed.words, np.ones(300, dtype=np.int64), packed.kept(blank))
        assert found.tolist() == wanted


def test_two_blank_rows_would_satisfy_a_wildcard_on_paper() -> None:
    """Why gaps of others do not count by default: k - 1 empty records are like everybody, and hide nobody."""
    rows = [(i, i, i) for i in range(20)] + [(GAP, GAP, GAP)] * 2
    assert smallest(rows, "wildcard", gap=GAP) == 3
