"""What the records that a person could be say about a value, against going through them one by one."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.inference.candidates import candidates, likeliest, typical, within_share

KEYS = st.tuples(st.integers(-1, 2), st.integers(-1, 1))


@given(
    st.sets(KEYS, min_size=1, max_size=5), st.lists(st.tuples(KEYS, st.integers(-1, 2), st.integers(1, 3)), max_size=10)
)
def test_candidates_one_by_one(known: set[tuple[int, int]], records: list[tuple[tuple[int, int], int, int]]) -> None:
    """A missing key, of the person or of the record, may be anything."""
    asked = sorted(known)
    slow: dict[tuple[int, int], int] = defaultdict(int)
    for place, person in enumerate(asked):
        for keys, item, amount in records:
            if all(a == b or -1 in (a, b) for a, b in zip(person, keys, strict=True)):
                slow[place, item] += amount
    found = candidates(
        np.array(asked, dtype=np.int32),
        np.array([record[0] for record in records], dtype=np.int32).reshape(-1, 2),
        np.array([record[1] for record in records], dtype=np.int64),
        np.array([record[2] for record in records], dtype=np.int64),
    )
    assert list(zip(*(part.tolist() for part in found), strict=True)) == [(*at, slow[at]) for at in sorted(slow)]


ENTRIES = st.dictionaries(st.tuples(st.integers(0, 3), st.integers(-1, 3)), st.integers(1, 3), max_size=12)


@given(ENTRIES, st.lists(st.integers(1, 3), min_size=4, max_size=4))
def test_the_likeliest_item_one_by_one(entries: dict[tuple[int, int], int], totals: list[int]) -> None:
    """Most records, then the larger total, then the first; records without an item count as misses."""
    order = sorted(entries)
    columns = (np.array([key[i] for key in order], dtype=np.int64) for i in range(2))
    item, share = likeliest(
        *columns, np.array([entries[key] for key in order], dtype=np.int64), np.array(totals, dtype=np.int64), 4
    )
    for place in range(4):
        here = {which: amount for (where, which), amount in entries.items() if where == place}
        held = {which: amount for which, amount in here.items() if which >= 0}
        best = min(held, key=lambda which: (-held[which], -totals[which], which), default=-1)
        assert item[place] == best
        assert share[place] == pytest.approx(held[best] / sum(here.values()) if held else 0.0)


def test_ties_go_to_the_larger_total_then_to_the_first() -> None:
    places, amounts = np.zeros(3, dtype=np.int64), np.full(3, 2)
    items = np.arange(3)
    assert likeliest(places, items, amounts, np.array([4, 9, 5]), 1)[0].tolist() == [1]
    assert likeliest(places, items, amounts, np.array([4, 9, 9]), 1)[0].tolist() == [1]
    assert likeliest(places, items[::-1], amounts, np.array([4, 4, 4]), 1)[0].tolist() == [0]


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from([-90.0, 0.0, 80.0, 100.0, np.nan]), st.integers(1, 3)), max_size=8
    ),
    st.sampled_from([0.0, 0.1, 0.25]),
)
def test_the_typical_value_one_by_one(rows: list[tuple[int, float, int]], within: float) -> None:
    places, values, amounts = (np.array([row[i] for row in rows]) for i in range(3))
    mean, share = typical(places.astype(np.int64), values.astype(float), amounts.astype(np.int64), within, 3)
    for place in range(3):
        each = [value for where, value, amount in rows for _ in range(amount) if where == place]
        held = [value for value in each if not np.isnan(value)]
        if not held:
            assert np.isnan(mean[place]) and share[place] == 0
            continue
        middle = sum(held) / len(held)
        assert mean[place] == pytest.approx(middle)
        close = [abs(mean[place] - value) <= within * abs(value) for value in held]
        assert share[place] == pytest.approx(sum(close) / len(each))


def test_near_is_a_share_of_the_true_value() -> None:
    true = np.array([100.0, 100.0, -100.0, -100.0, 0.0, 0.0])
    claimed = np.array([125.0, 125.5, -75.0, -74.5, 0.0, 0.1])
    assert within_share(claimed, true, 0.25).tolist() == [True, False, True, False, True, False]
