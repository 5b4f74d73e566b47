"""Who owns all records of a group but one knows the last one."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from attacks.worlds import counts, table, tried
from schleier.attacks.owner_subtraction import OwnerSubtraction
from schleier.kernels.inference.restoration import remaining

ALL = OwnerSubtraction(sensitive="x", owner="owner")


def test_two_of_three_belong_together() -> None:
    x = [1.0, 2.0, 9.0, 10.0, 20.0, 30.0]
    original = table(x=x, owner=["a", "a", "b", "c", "d", "e"])
    released = table(x=[4.0, 4.0, 4.0, 20.0, 20.0, 20.0], owner=["a", "a", "b", "c", "d", "e"])
    found = tried(ALL, original, released)
    assert counts(found) == (1, 1) and found.detail["as_it_stands"] == 0.0


def test_a_group_of_two_tells_both_and_a_record_without_owner_is_its_own() -> None:
    original = table(x=[1.0, 5.0, 2.0, 8.0], owner=["a", "b", None, None])
    released = table(x=[3.0, 3.0, 5.0, 5.0], owner=["a", "b", None, None])
    assert counts(tried(ALL, original, released)) == (4, 4)


def test_groups_by_columns() -> None:
    data = table(x=[1.0, 2.0, 3.0], owner=["a", "b", "c"], branch=["p", "p", "q"])
    assert counts(tried(ALL.model_copy(update={"group": ("branch",)}), data, data)) == (2, 2)


MEMBER = st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(1, 9))


@settings(max_examples=60, deadline=None)
@given(st.lists(MEMBER, max_size=12))
def test_equals_the_slow_way(rows: list[tuple[int, int, int]]) -> None:
    groups, owners, true = (np.array([row[i] for row in rows], dtype=np.int64) for i in range(3))
    seen = true + 1.0
    slow = []
    for group, owner, _ in rows:
        members = [row for row in rows if row[0] == group]
        others = [o for _, o, _ in members if o != owner]
        left = [row for row in members if row[1] != owner]
        if Counter(others) and len(set(others)) == 1 and len(left) == len(members) - 1:
            slow.append(sum(row[2] + 1.0 for row in members) - sum(row[2] for row in left))
        else:
            slow.append(np.nan)
    assert np.array_equal(remaining(groups, owners, true.astype(float), seen), slow, equal_nan=True)
