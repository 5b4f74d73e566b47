"""Risks composed after Übersicht 4.1 of Müller, Blien, Knoche and Wirth (1991), L6623-6655; part A, T-13 and T-09b."""

from __future__ import annotations

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.classes.thinning import expected_per_place
from schleier.kernels.population.composition import ROWS, Parts, attacker_risk, certainty
from schleier.risk.composed_risk import ComposedRisk

UNIQUE = 1 / 101
"""Equation (5) for a sampling fraction of 1 % and a half of the records unique."""
WANTED = {1: 6.836e-7, 3: 3.4523e-5, 6: 3.4523e-3, 7: 0.17434}


def test_t_13() -> None:
    parts = Parts(0.01, 0.01, 0.9**10, UNIQUE, certainty(UNIQUE, 0.5), 0.5)
    for number, wanted in WANTED.items():
        assert attacker_risk(ROWS[number - 1], parts) == pytest.approx(wanted, rel=2e-4)
    printed = Parts(0.01, 0.01, 0.9**10, UNIQUE, certainty(UNIQUE, 0.5, published=True), 0.5)
    assert attacker_risk(ROWS[0], printed) == pytest.approx(1.709e-7, rel=5e-4)


def half_unique(**more: object) -> Finding:
    """200 records, half of them unique; a sample of one in a hundred."""
    keys = [f"u{i}" for i in range(100)] + ["pair"] * 100
    data = Dataset.from_frame(pa.table({"x": keys}), Schema(columns=[Column(name="x", role="quasi", scale="nominal")]))
    asked = ComposedRisk(fraction=0.01, compatibility=0.9**10, model="poisson_gamma", **more)
    return asked.measure(Case(data, data), Run(key=bytes(32)))


@pytest.mark.parametrize(
    ("number", "attacker"),
    [
        (1, {}),
        (3, {"knowledge": "total"}),
        (6, {"strategy": "fishing", "knowledge": "total"}),
        (7, {"participation": True}),
    ],
)
def test_t_13_through_the_front_door(number: int, attacker: dict[str, object]) -> None:
    found = half_unique(**attacker)
    assert found.detail["row"] == number
    assert found.value == pytest.approx(WANTED[number], rel=2e-4)


def test_t_13_as_printed() -> None:
    assert half_unique(published=True).value == pytest.approx(1.709e-7, rel=5e-4)


@pytest.mark.parametrize(("share", "quotient", "product"), [(0.5, 0.88889, 0.22222), (0.8, 0.95238, 0.60952)])
def test_t_09b(share: float, quotient: float, product: float) -> None:
    """L7330-7340: a file that covers 80 %; the print takes the product, which is no probability of anything."""
    unique = 1 / (1 + (1 / share - 1) / 0.8)
    assert certainty(unique, share) == pytest.approx(quotient, abs=5e-6)
    assert certainty(unique, share, published=True) == pytest.approx(product, abs=5e-6)


CASES = (100, 193, 382, 393, 395, 521, 522, 592, 678, 881)
"""T8, Table 9.14 (L16175-16200): records with the same five keys as each of ten persons."""


def test_regional_thinning() -> None:
    """L16217-16226: North Rhine-Westphalia in places of 100,000: 160 parts, and one of ten becomes single."""
    expected = expected_per_place(CASES, 100_000, 16_000_000)
    assert 16_000_000 / 100_000 == 160
    assert [count for count, each in zip(CASES, expected, strict=True) if each < 1] == [100]
    assert expected[0] == 100 / 160
