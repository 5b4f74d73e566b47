"""Published numbers on cost and benefit: Müller, Blien, Knoche and Wirth (1991); part B of the specification, 3.6."""

from __future__ import annotations

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.schema import Column, Schema
from schleier.criteria.profitability import Profitability

SCHEMA = Schema(columns=[Column(name="x", role="quasi", scale="nominal")])
INTERVIEW = 150
"""DM per person (L11358-11360, L13558)."""


def gain_in_a_class_of(size: int, **amounts: float) -> float:
    data = Dataset.from_frame(pa.table({"x": ["a"] * size}), SCHEMA)
    level = Profitability(**amounts).check(data).level
    assert level is not None
    return level


@pytest.mark.parametrize(
    ("total", "correct", "difference"),
    [
        (62_000, 4, -15_350),  # exact matching: L13527-13577; 3.6, gain formula example
        (261_000, 3, -86_850),  # discriminant analysis: Table 9.9, L14789-14812; 87,000 DM per person
    ],
)
@pytest.mark.parametrize("worth", [20_000, 1_000_000])
def test_an_interview_is_cheaper(total: float, correct: int, difference: float, worth: float) -> None:
    """G_A = N_A + K_B - K_A - N_B = K_B - K_A for equal benefits (L10692-10749), whatever they are."""
    each = total / correct
    assert gain_in_a_class_of(
        1, gain=worth, cost=each, alternative_cost=INTERVIEW, alternative_success=1
    ) == pytest.approx(difference)


def test_fishing_against_own_research() -> None:
    """P_D = 0.001 against P_A = 0.1 per attempt (L11351-11356)."""
    amounts = {"gain": 10_000.0, "cost": 1.0, "alternative_cost": 10.0, "alternative_success": 0.1}
    per_attempt = gain_in_a_class_of(1000, **amounts)
    assert per_attempt == pytest.approx((10_000 * 0.001 - 1) - (10_000 * 0.1 - 10))


def test_the_scholars_with_a_price_that_would_pay() -> None:
    """Without another way, 15,500 DM are too much unless a person is worth more than that."""
    assert gain_in_a_class_of(1, gain=15_500, cost=15_500) == 0
    assert gain_in_a_class_of(1, gain=15_501, cost=15_500) == 1
