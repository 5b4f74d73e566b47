"""Parts of a unit add up to it when nobody looks like them."""

from __future__ import annotations

from attacks.worlds import counts, table, tried
from schleier.attacks.sum_restore import SumRestore

ALL = SumRestore(sensitive="x", known=("branch", "region"), targets="all")
ORIGINAL = table(x=[100.0, 7.0, 5.0], branch=["a", "b", "b"], region=["r", "s", "s"])


def test_a_unique_unit_is_restored_and_others_are_not() -> None:
    released = table(
        x=[30.0, 7.0, 5.0, 50.0, 20.0],
        branch=["a", "b", "b", "a", "a"],
        region=["r", "s", "s", "r", "r"],
    )
    found = tried(ALL, ORIGINAL, released)
    assert counts(found) == (3, 1) and found.detail["baseline"] < 0.5


def test_nothing_is_claimed_where_nobody_matches_or_a_part_has_no_value() -> None:
    released = table(keys=[0, 1], x=[None, 7.0], branch=["a", "c"], region=["r", "s"])
    assert counts(tried(ALL, ORIGINAL, released)) == (0, 0)


def test_missing_matches_missing() -> None:
    data = table(x=[1.0, 2.0], branch=[None, "a"], region=["r", "r"])
    assert counts(tried(ALL, data, data)) == (2, 2)
