"""Range over spread: judged by the figures of two surveys, told in words only."""

from __future__ import annotations

import numpy as np
import pytest

from schleier.utility.swap_suitability import SwapSuitability, suitability
from utility.tables import audit, data, found


@pytest.mark.parametrize(
    ("over_sd", "over_mean", "word"),
    [(5, 3, "usable"), (11, 16, "usable"), (50, 20, "unusable"), (20, 300, "unusable"), (12, 5, "doubtful")],
)
def test_limits_of_the_source(over_sd: float, over_mean: float, word: str) -> None:
    """L886: 5 to 11 and 3 to 16 in the housing survey, 50 to 100 and 300 to 2700 in the cost structure survey."""
    assert suitability(over_sd, over_mean) == word


def test_skewed_columns_are_unusable_and_their_range_is_secret() -> None:
    even, skewed = np.linspace(10, 20, 5000), np.append(np.ones(4999), 1e6)
    table = data(rent=even, turnover=skewed)
    finding = found(SwapSuitability(), table, table)
    assert finding.detail["columns"] == {"rent": "usable", "turnover": "unusable"}
    assert finding.value == 0.5
    facts = audit(SwapSuitability(), table, table)["columns"]
    assert facts["rent"]["range_over_sd"] == pytest.approx(10 / even.std())
    assert "range_over" not in finding.model_dump_json()


def test_columns_that_do_not_spread() -> None:
    table = data(x=[3.0, 3.0], y=[-1.0, 1.0])
    finding = found(SwapSuitability(), table, table)
    assert finding.detail["not_comparable"] == ["x"]
    assert finding.detail["columns"] == {"y": "unusable"}  # the mean is zero: no window follows from it
