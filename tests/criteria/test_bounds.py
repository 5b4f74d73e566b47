"""Where the parameters of criteria begin and end: a value that protects nobody is refused, its neighbour is taken."""

from __future__ import annotations

from typing import Any

import pytest

from bounds import REQUIRED, check_bounds

BOUNDS = [  # criterion, parameter, default, refused, taken
    ("alpha_k", "alpha", REQUIRED, [0, 1.01], [0.01, 1]),
    ("alpha_k", "k", REQUIRED, [1], [2]),
    ("average_risk", "threshold", REQUIRED, [0, 1.01], [0.01, 1]),
    ("beta_likeness", "beta", REQUIRED, [0], [0.01, 9]),
    ("category_threshold", "columns", REQUIRED, [[]], [["age"]]),
    ("category_threshold", "threshold", REQUIRED, [1], [2]),
    ("data_age", "years", REQUIRED, [0, 201], [0.01, 200]),
    ("delta_disclosure", "delta", REQUIRED, [0], [0.01, 9]),
    ("delta_presence", "delta_max", REQUIRED, [0, 1.01], [0.01, 1]),
    ("delta_presence", "delta_min", 0.0, [-0.01, 1], [0]),
    ("dominance", "n", REQUIRED, [0, 4], [1, 3]),
    ("dominance", "k", REQUIRED, [0, 100], [0.01, 99.9]),
    ("dominance", "contributors", 3, [0], [1]),
    ("dominance", "columns", REQUIRED, [[]], [["income"]]),
    ("highest_risk", "threshold", REQUIRED, [0, 1.01], [0.01, 1]),
    ("information_gain", "tolerated_gain", REQUIRED, [-0.01, 1], [0, 0.99]),
    ("k_anonymity", "k", REQUIRED, [1], [2]),
    ("k_map", "k", REQUIRED, [1], [2]),
    ("km_anonymity", "k", REQUIRED, [1], [2]),
    ("km_anonymity", "m", REQUIRED, [0, 11], [1, 10]),
    ("km_anonymity", "separator", None, [""], ["|"]),
    ("l_diversity", "l", REQUIRED, [1.9], [2]),
    ("l_diversity", "c", 1.0, [0], [0.01]),
    ("p_percent", "p", REQUIRED, [0], [0.01]),
    ("p_percent", "contributors", 3, [0], [1]),
    ("population_uniqueness", "threshold", REQUIRED, [0, 1], [0.01, 0.99]),
    ("population_uniqueness", "fraction", None, [0, 1.01], [0.01, 1]),
    ("population_uniqueness", "confident", True, [], [False]),
    ("profitability", "gain", REQUIRED, [-0.01, float("inf")], [0]),
    ("profitability", "cost", REQUIRED, [-0.01, float("inf")], [0]),
    ("profitability", "sanction", 0.0, [-0.01, float("inf")], [0]),
    ("profitability", "detection", 0.0, [-0.01, 1.01], [0, 1]),
    ("profitability", "alternative_cost", None, [-0.01, float("inf")], [0]),
    ("profitability", "alternative_success", None, [0, 1.01], [0.01, 1]),
    ("region_threshold", "threshold", REQUIRED, [1], [2]),
    ("t_closeness", "t", REQUIRED, [0, 1.01], [0.01, 1]),
]


@pytest.mark.parametrize(("word", "name", "default", "refused", "taken"), BOUNDS)
def test_bounds(word: str, name: str, default: Any, refused: list[Any], taken: list[Any]) -> None:
    check_bounds("criterion", word, name, default, refused, taken)
