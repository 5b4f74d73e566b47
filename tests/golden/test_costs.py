"""Published numbers on cost and benefit: Müller, Blien, Knoche and Wirth (1991); part B of the specification, 3.6."""

from __future__ import annotations

from math import inf

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.schema import Column, Schema
from schleier.criteria.profitability import Profitability
from schleier.kernels.population.composition import trials_needed
from schleier.kernels.population.yields import advantage, expected_overlap, persons_needed

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


@pytest.mark.parametrize(
    ("asking", "linking", "persons", "ratio"),
    [
        (0.1, 0.001, 1, 100),  # L11259-11265
        (0.75, 0.5, 1, 1.5),  # L11288-11294, with knowledge of who took part
        (0.75, 0.5, 10, 57.665),
    ],
)
def test_to_learn_all_of_them(asking: float, linking: float, persons: int, ratio: float) -> None:
    assert 10 ** advantage(asking, linking, persons) == pytest.approx(ratio, abs=5e-4)


def test_chances_too_small_for_a_computer() -> None:
    """L11265-11270: 10^-300 against 10^-100 for a hundred persons; computed in logarithms."""
    assert advantage(0.1, 0.001, 100) == pytest.approx(200)
    assert advantage(0.1, 0.001, 1000) == pytest.approx(2000)
    assert (advantage(0.1, 0.0), advantage(0.0, 0.1), advantage(0.0, 0.0)) == (inf, -inf, 0)


def test_yield_of_a_file() -> None:
    """L8776-8791: of 1,000 persons one is linked; a hundred need 100,000, and a million if a tenth is of any use."""
    assert 1 / persons_needed(1, 0.01, 0.1) == pytest.approx(0.001)
    assert persons_needed(100, 0.01, 0.1) == pytest.approx(100_000)
    assert persons_needed(100, 0.01, 0.1, share=0.1) == pytest.approx(1_000_000)
    assert (persons_needed(1, 0.01, 0.0), persons_needed(0, 0.01, 0.0)) == (inf, 0)


def test_persons_in_both_files() -> None:
    """Part B: L8854-8856, L8949-8951, L10297-10304; part C: T2 (L15637-15640), T21, and two samples (L19278-19284)."""
    assert expected_overlap(2_000, 0.01) == pytest.approx(20)
    assert persons_needed(1, 0.01, 1.0) == pytest.approx(100)  # so many more interviews
    assert [expected_overlap(n, 0.01) for n in (600, 800)] == pytest.approx([6, 8])  # fewer than ten
    assert [round(expected_overlap(n, 0.01)) for n in (2_685, 7_983)] == [27, 80]
    assert expected_overlap(1, 0.01, 0.002) == pytest.approx(0.01 * 0.002)


def test_fishing() -> None:
    """L11351-11356 and L11011-11015: for ten persons 10,000 records (100,000 entries in ten columns) or 100."""
    assert trials_needed(10, tried=1000, correct=1).tries == 10_000
    assert trials_needed(10, tried=10, correct=1).tries == 100
