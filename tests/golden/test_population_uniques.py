"""Table 4.2 of Müller, Blien, Knoche and Wirth (1991), part A of the specification, T-09 (L7254-7281).

Per cent of population uniques for a share of sample uniques (rows) and a sampling fraction of 1 % and 0.2 %.
"""

from __future__ import annotations

import numpy as np
import pytest

from schleier.kernels.population.uniques import estimate, poisson_gamma

TABLE = {
    5: (0.05, 0.01),
    10: (0.11, 0.02),
    20: (0.25, 0.05),
    30: (0.43, 0.09),
    40: (0.66, 0.13),
    50: (0.99, 0.20),
    60: (1.48, 0.30),
    70: (2.28, 0.47),
    80: (3.85, 0.79),
    90: (8.26, 1.77),
    95: (15.97, 3.66),
}
GIVEN_UNIQUE = {  # W(U_p | U_s) by equation (3) with its sign put right, erratum E-01; the book prints a product
    5: (1.0521, 0.2105),
    50: (1.9802, 0.3992),
    80: (4.8077, 0.9921),
    95: (16.8067, 3.8536),
}


def share(percent: float, fraction: float) -> float:
    sizes, counts = np.array([1.0, 5.0]), np.array([percent * 10.0, (1000 - percent * 10.0) / 5])
    return float(poisson_gamma(sizes, counts[None], fraction)[0])


@pytest.mark.parametrize(("percent", "printed"), TABLE.items())
def test_table_4_2(percent: float, printed: tuple[float, float]) -> None:
    """Equation (5); three printed cells are off by 0.01 (erratum E-02)."""
    for fraction, wanted in zip((0.01, 0.002), printed, strict=True):
        assert 100 * share(percent, fraction) == pytest.approx(wanted, abs=0.006)


@pytest.mark.parametrize(("percent", "derived"), GIVEN_UNIQUE.items())
def test_given_that_it_is_unique_in_the_sample(percent: float, derived: tuple[float, float]) -> None:
    for fraction, wanted in zip((0.01, 0.002), derived, strict=True):
        assert 100 * share(percent, fraction) / (percent / 100) == pytest.approx(wanted, abs=6e-5)


@pytest.mark.parametrize(("percent", "wanted"), [(50, 0.44444), (80, 0.76190)])
def test_a_nearly_complete_file(percent: float, wanted: float) -> None:
    """T-09b (L7330-7340): a file that covers 80 % of the population."""
    assert share(percent, 0.8) == pytest.approx(wanted, abs=5e-6)


@pytest.mark.parametrize(("beta", "sample", "population"), [(2e-4, 0.6907, 0.1703), (1e-3, 0.3261, 0.0448)])
def test_with_a_known_number_of_cells(beta: float, sample: float, population: float) -> None:
    """T-09c: equations (1) and (2) for 50,000 cells, 20,000 persons and a sample of 2,000."""
    cells, n = 50_000, 2_000
    assert (1 + n * beta) ** -(1 + 1 / (cells * beta)) == pytest.approx(sample, abs=5e-5)
    sizes, counts = np.array([1.0, 4.0]), np.array([n * sample, n * (1 - sample) / 4])
    found = float(poisson_gamma(sizes, counts[None], 0.1, cells)[0])
    assert found == pytest.approx(population, abs=5e-4)  # the rounding of the share of sample uniques


def test_fewer_cells_than_uniques_is_impossible() -> None:
    found = poisson_gamma(np.array([1.0, 2.0]), np.array([[90.0, 5.0]]), 0.1, cells=50)
    assert np.isnan(found[0])


def test_the_table_through_the_front_door() -> None:
    found = estimate(np.array([1.0, 5.0]), np.array([500.0, 100.0]), 0.01, "poisson_gamma")
    assert 100 * found.share == pytest.approx(0.99, abs=0.006) and found.success
