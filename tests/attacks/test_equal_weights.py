"""Most records of a weight show the category of their stratum."""

from __future__ import annotations

import numpy as np

from attacks.worlds import counts, table, tried
from schleier.attacks.equal_weights import EqualWeights

ALL = EqualWeights(sensitive="ill", weight="weight", targets="all")


def test_the_dominating_category_of_a_weight_is_the_true_one() -> None:
    ill, weight = ["a"] * 5 + ["b"] * 4, [1.0] * 5 + [2.0] * 4
    original = table(ill=ill, weight=weight)
    released = table(ill=["a", "b", "a", "a", "b", "b", "b", "a", "b"], weight=weight)
    found = tried(ALL, original, released)
    assert counts(found) == (9, 9)
    assert found.detail["as_it_stands"] == 6 / 9


def test_small_and_mixed_groups_are_left_alone() -> None:
    data = table(ill=["a", "a", "a", "b", "b", "c", "c", "a"], weight=[1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0])
    assert counts(tried(ALL, data, data))[0] == 6  # two records of weight 1 are too few
    assert counts(tried(ALL.model_copy(update={"sure": 0.7}), data, data))[0] == 0
    assert counts(tried(ALL.model_copy(update={"smallest": 1, "sure": 1.0}), data, data)) == (2, 2)


def test_gaps_count_as_records_that_do_not_agree() -> None:
    data = table(ill=["a", "a", None, None], weight=[1.0] * 4)
    assert counts(tried(ALL, data, data)) == (2, 2)
    assert counts(tried(ALL.model_copy(update={"sure": 0.51}), data, data)) == (0, 0)
    nobody = table(ill=np.array([], dtype=object), weight=np.array([]))
    assert counts(tried(ALL, nobody, nobody)) == (0, 0)
