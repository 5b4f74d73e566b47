"""Where the parameters of risk measures begin and end, and what they are when nobody says anything."""

from __future__ import annotations

from typing import Any

import pytest

from bounds import REQUIRED, check_bounds

BOUNDS = [  # measure, parameter, default, refused, taken
    ("anonymity_level", "tolerated", 0.05, [-0.01, 1], [0, 0.99]),
    ("anonymity_level", "k", 3, [1], [2]),
    ("anonymity_level", "targets", 10_000, [0], [1, "all"]),
    ("attribute_risk", "within", 0.05, [0, 1], [0.01, 0.99]),
    ("combinations", "most", 3, [0], [1]),
    ("combinations", "limit", 0.05, [-0.01, 1], [0, 0.99]),
    ("danger", "rare", None, [0], [1]),
    ("danger", "few", 3, [0], [1]),
    ("danger", "compatibility", 1.0, [-0.01, 1.01], [0, 1]),
    ("individual_risk", "threshold", 0.1, [0, 1.01], [0.01, 1]),
    ("journalist", "threshold", 0.09, [0, 1], [0.01, 0.99]),
    ("k_map_risk", "k", REQUIRED, [1], [2]),
    ("local_density", "few", 1, [0], [1]),
    ("outlier_risk", "within", 0.05, [0, 1], [0.01, 0.99]),
    ("outlier_risk", "targets", 10_000, [0], [1, "all"]),
    ("population_uniques", "cells", None, [0], [1]),
    ("prosecutor", "threshold", 0.09, [0, 1], [0.01, 0.99]),
    ("rebuildable", "within", 0.01, [0, 1], [0.001, 0.99]),
    ("rebuildable", "share", 0.9, [0, 1.01], [0.01, 1]),
    ("rebuildable", "records", 20_000, [99], [100]),
    ("separation", "most", 2, [0], [1]),
    ("separation", "separates", 0.9, [0, 1.01], [0.01, 1]),
    ("separation", "adds", 0.05, [0, 1.01], [0.01, 1]),
    ("separation", "records", 100_000, [99], [100]),
    ("suda", "most", 4, [0], [1]),
    ("uniqueness", "least", 10, [0], [1]),
    ("useful_links", "within", 0.05, [0, 1], [0.01, 0.99]),
    ("useful_links", "share", 0.9, [0, 1.01], [0.01, 1]),
    ("useful_links", "targets", 10_000, [0], [1, "all"]),
]


@pytest.mark.parametrize(("word", "name", "default", "refused", "taken"), BOUNDS)
def test_bounds(word: str, name: str, default: Any, refused: list[Any], taken: list[Any]) -> None:
    check_bounds("measure", word, name, default, refused, taken)
