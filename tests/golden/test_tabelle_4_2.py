"""Tabelle 4.2 and the Poisson-gamma model of Müller, Blien, Knoche and Wirth (1991), 4.2.3 (L7154-7352).

Specification, part A: T-09 (L7254-7281), T-09b (L7330-7340), T-09c, P-08, erratum E-01 (L7196): the printed conditional
probability is a product where it should be a quotient.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.population.composition import certainty
from schleier.kernels.population.models import count_population_uniques
from schleier.kernels.population.uniques import poisson_gamma
from schleier.risk.population_uniques import PopulationUniques

FRACTIONS = (0.01, 0.002)
PRINTED = {  # per cent unique in the sample: not given that (1 %, 0.2 %), given that (1 %, 0.2 %)
    5: (0.05, 0.01, 0.00, 0.00),
    10: (0.11, 0.02, 0.01, 0.00),
    20: (0.25, 0.05, 0.05, 0.01),
    30: (0.43, 0.09, 0.13, 0.03),
    40: (0.66, 0.13, 0.27, 0.05),
    50: (0.99, 0.20, 0.50, 0.10),
    60: (1.48, 0.30, 0.89, 0.18),
    70: (2.28, 0.47, 1.60, 0.33),
    80: (3.85, 0.79, 3.08, 0.64),
    90: (8.26, 1.77, 7.43, 1.59),
    95: (15.97, 3.66, 15.17, 3.48),
}
QUOTIENTS = {
    5: (1.0521, 0.2105),
    10: (1.1099, 0.2222),
    20: (1.2469, 0.2499),
    30: (1.4225, 0.2855),
    40: (1.6556, 0.3329),
    50: (1.9802, 0.3992),
    60: (2.4631, 0.4985),
    70: (3.2573, 0.6636),
    80: (4.8077, 0.9921),
    90: (9.1743, 1.9646),
    95: (16.8067, 3.8536),
}


def sizes(percent: int) -> np.ndarray:
    """A sample of 1,000 with so many per cent of uniques; the others in classes of five."""
    return np.array([1] * (percent * 10) + [5] * ((1000 - percent * 10) // 5))


def both(percent: int, fraction: float, published: bool) -> tuple[float, float]:
    """W(U_p) and W(U_p | U_s) in per cent."""
    members = sizes(percent)
    found = count_population_uniques(
        np.arange(len(members), dtype=np.int32)[:, None], members, fraction, "poisson_gamma"
    )
    share = found.expected / 1000
    return 100 * share, 100 * certainty(share, percent / 100, published=published)


@pytest.mark.parametrize("percent", PRINTED)
def test_all_44_cells_as_printed(percent: int) -> None:
    """41 cells by rounding, three are off by 0.01 (E-02): 0.006 points."""
    one, two = (both(percent, fraction, published=True) for fraction in FRACTIONS)
    assert (one[0], two[0], one[1], two[1]) == pytest.approx(PRINTED[percent], abs=0.006)


@pytest.mark.parametrize("percent", QUOTIENTS)
def test_the_quotients_that_should_have_been_printed(percent: int) -> None:
    found = [both(percent, fraction, published=False)[1] for fraction in FRACTIONS]
    assert found == pytest.approx(QUOTIENTS[percent], abs=6e-5)


@pytest.mark.parametrize("published", [True, False])
def test_the_table_through_the_measure(published: bool) -> None:
    schema = Schema(columns=[Column(name="x", role="quasi", scale="discrete")])
    members = sizes(80)
    data = Dataset.from_frame(pa.table({"x": np.repeat(np.arange(len(members)), members)}), schema)
    one = PopulationUniques(fraction=0.01, model="poisson_gamma", published=published)
    finding = one.measure(Case(data, data), Run())
    assert 100 * finding.value == pytest.approx(3.85, abs=0.006)
    assert 100 * finding.detail["given_unique"] == pytest.approx(3.08 if published else 4.8077, abs=0.006)
    assert ("published" in finding.detail["cautions"]) == published
    assert finding.detail["models"]["pitman"]["given_unique"] >= finding.detail["models"]["pitman"]["share"]


@pytest.mark.parametrize(
    ("percent", "share", "product", "quotient"), [(50, 0.44444, 0.22222, 0.88889), (80, 0.76190, 0.60952, 0.95238)]
)
def test_a_nearly_complete_file(percent: int, share: float, product: float, quotient: float) -> None:
    """T-09b: a file that covers 80 %; the book prints 44.4 and 76 %, "certainty" 22.2 and 61 %."""
    assert both(percent, 0.8, published=True) == pytest.approx((100 * share, 100 * product), abs=6e-4)
    assert both(percent, 0.8, published=False)[1] == pytest.approx(100 * quotient, abs=6e-4)


@pytest.mark.parametrize(
    ("beta", "sample", "population", "given_", "product"),
    [(2e-4, 0.6907, 0.1703, 0.2465, 0.1176), (1e-3, 0.3261, 0.0448, 0.1374, 0.0146)],
)
def test_simulation_confirms_the_quotient(
    beta: float, sample: float, population: float, given_: float, product: float
) -> None:
    """T-09c: C = 50,000 cells, N = 20,000, n = 2,000; equations (1) and (2) and their quotient against 40 worlds."""
    cells, everybody, drawn, alpha = 50_000, 20_000, 2_000, 1 / (50_000 * beta)
    assert (1 + drawn * beta) ** -(1 + alpha) == pytest.approx(sample, abs=5e-5)
    assert (1 + everybody * beta) ** -(1 + alpha) == pytest.approx(population, abs=5e-5)
    rng = np.random.default_rng(9)
    counts = []
    for _ in range(40):
        persons = rng.poisson(everybody * rng.gamma(alpha, beta, cells))
        found = rng.binomial(persons, drawn / everybody)
        alone = found == 1
        counts.append((alone.sum(), found.sum(), (persons == 1).sum(), persons.sum(), (alone & (persons == 1)).sum()))
    seen = np.array(counts, dtype=float)

    def ratio(top: int, bottom: int) -> tuple[float, float]:
        """A pooled ratio and its standard error over the worlds."""
        value = seen[:, top].sum() / seen[:, bottom].sum()
        return value, float((seen[:, top] - value * seen[:, bottom]).std() * np.sqrt(40) / seen[:, bottom].sum())

    for (value, error), wanted in ((ratio(0, 1), sample), (ratio(2, 3), population), (ratio(4, 0), given_)):
        assert abs(value - wanted) < 4 * error + 5e-5
    value, error = ratio(4, 0)
    assert abs(value - product) > 20 * error, "the printed product is far away"
    # And back: from the share of sample uniques and the number of cells to that of population uniques.
    column, many = np.array([1.0, 4.0]), np.array([[drawn * sample, drawn * (1 - sample) / 4]])
    assert poisson_gamma(column, many, 0.1, cells)[0] == pytest.approx(population, abs=5e-4)


@given(st.floats(0.001, 0.999), st.floats(1e-4, 1.0))
def test_properties_of_equation_5(unique: float, fraction: float) -> None:
    """P-08: falls with N/n, equals the share in the sample for n = N, rises with it, and a quotient of at most 1."""

    def share(p: float, f: float) -> float:
        return float(poisson_gamma(np.array([1.0, 2.0]), np.array([[p, (1 - p) / 2]]), f)[0])

    found = [share(unique, f) for f in (fraction / 4, fraction / 2, fraction)]
    assert all(low < high for low, high in pairwise(found))
    assert share(unique, 1.0) == pytest.approx(unique)
    assert share(unique / 2, fraction) < share(unique, fraction)
    assert found[-1] <= certainty(found[-1], unique) <= 1
    assert certainty(found[-1], unique, published=True) <= found[-1], "what the book says of it, and is wrong"
