"""Totals with and without outliers."""

from __future__ import annotations

from attacks.worlds import counts, table, tried
from schleier.attacks.outlier_difference import OutlierDifference

ORIGINAL = table(x=[900.0, 10.0, 800.0, 700.0, 5.0, None], branch=["a", "a", "b", "b", "b", "a"])
RELEASED = table(x=[500.0, 10.0, 500.0, 500.0, 5.0, None], branch=["a", "a", "b", "b", "b", "a"])


def test_the_only_outlier_of_a_cell_is_told() -> None:
    attack = OutlierDifference(sensitive="x", by=("branch",), upper=500)
    found = tried(attack, ORIGINAL, RELEASED)
    assert counts(found) == (1, 1)
    assert found.detail["as_it_stands"] == 0.0


def test_several_outliers_hide_each_other() -> None:
    assert counts(tried(OutlierDifference(sensitive="x", upper=500), ORIGINAL, RELEASED)) == (0, 0)


def test_the_limit_is_found_when_it_is_not_told() -> None:
    x = [1.0, 2.0, 3.0] * 20 + [1000.0]
    assert counts(tried(OutlierDifference(sensitive="x"), table(x=x), table(x=x))) == (1, 1)
    assert counts(tried(OutlierDifference(sensitive="x"), table(x=x), table(x=[None] * 61))) == (0, 0)
