"""Published numbers on incompatible columns: Müller, Blien, Knoche and Wirth (1991).

Specification, part B, 3.1 to 3.5 and 3.11; part C, T7, T10, T11, T18 and C-RK-2. L is the line of the scanned text.
"""

from __future__ import annotations

from math import ceil

import pytest

from schleier.kernels.linkage.retest import attribute
from schleier.kernels.population.compatibility import (
    all_compatible,
    alternative_rate,
    deviations,
    expected_deviations,
    implied_p,
)
from schleier.kernels.population.composition import trials_needed
from schleier.risk._rates import presets

COUNTS = (4, 1, 0, 4, 2, 14, 2, 10, 8, 13, 38, 17, 12, 10, 28, 12, 25, 20, 69, 11)
"""Persons of 154 who answered differently, in the order of Table 4.3 (3.1, derived)."""
UK = ("household_size", "tenure", "cars", "employed", "occupation")


@pytest.mark.parametrize(("keys", "printed"), [(10, 0.3487), (20, 0.1216), (30, 0.0424)])
def test_one_rate_of_a_tenth(keys: int, printed: float) -> None:
    """L8126-8133."""
    assert all_compatible(0.1, keys) == pytest.approx(printed, abs=5e-5)


def test_every_twenty_fourth_record() -> None:
    """L8141."""
    assert 1 / all_compatible(0.1, 30) == pytest.approx(23.59, abs=5e-3)


@pytest.mark.parametrize(("keys", "share"), [(1, 0.9), (2, 0.81), (5, 0.59), (8, 0.43), (10, 0.35)])
def test_overview_13_1(keys: int, share: float) -> None:
    """L21285-21304."""
    assert round(all_compatible(0.1, keys), 2) == share


def test_table_4_3() -> None:
    """L7926-7952: all percentages are counts of 154 persons; L8163 and L8178: every ninth record, a fifth."""
    rates = presets()["allbus"]
    assert [round(100 * n / 154, 1) for n in COUNTS] == pytest.approx([100 * rate for rate in rates.values()])
    assert all_compatible(list(rates.values())) == pytest.approx(0.110445, abs=5e-7)
    without = [rate for name, rate in rates.items() if name != "income"]
    assert all_compatible(without) == pytest.approx(0.200082, abs=5e-7)
    assert sum(rates.values()) / 20 == pytest.approx(0.09735, abs=5e-6)


@pytest.mark.parametrize(
    ("preset", "share", "differ"),
    [
        ("census_microcensus", 0.5090, None),
        ("census_microcensus_answered", 0.6712, None),
        ("process_1", 0.3229, 1.051),
        ("process_2", 0.0993, 1.859),
        ("process_3", 0.6085, 0.479),
        ("process_4", 0.2973, 1.077),
    ],
)
def test_other_published_rates(preset: str, share: float, differ: float | None) -> None:
    """Table 4.4 (L8002-8035) and Table 9.4 (L13952-13980); the products are derived (3.2)."""
    rates = list(presets()[preset].values())
    assert len(rates) == 10
    assert all_compatible(rates) == pytest.approx(share, abs=5e-5)
    assert differ is None or expected_deviations(rates) == pytest.approx(differ, abs=5e-4)


TABLE_4_4 = {
    "birth_year": (3.3, 3.3, 2.7, 0.6, 0.0, 0.0),
    "marital_status": (2.1, 1.4, 0.6, 0.8, 0.7, 0.0),
    "position_in_household": (8.4, 5.0, 4.4, 0.6, 0.7, 2.0),
    "nationality": (1.2, 0.5, 4.4, 0.6, 0.7, 2.0),
    "second_home": (8.3, 3.5, 2.1, 1.4, 1.9, 2.6),
    "employed": (7.4, 5.2, 3.5, 1.7, 2.2, 0.0),
    "main_income_source": (11.3, 9.4, 5.1, 4.3, 1.6, 0.3),
    "second_job": (2.4, 2.4, 1.9, 0.5, 0.0, 0.0),
    "industry": (10.2, 4.1, 2.7, 1.5, 3.6, 2.5),
    "occupational_status": (10.0, 4.0, 2.9, 1.1, 3.5, 2.5),
}
"""Columns 1 to 6 in per cent (L8002-8035): all, answered, error of the census, of the microcensus, gaps of either."""
RESIDUALS = {"position_in_household": (0.7, 0.0), "second_home": (0.3, 0.0), "industry": (0.0, -0.1)}
"""Where the print contradicts itself: (1) - (2) - (5) - (6), and (2) - (3) - (4)."""


@pytest.mark.parametrize("column", [name for name in TABLE_4_4 if name != "nationality"])
def test_whose_error_it_is(column: str) -> None:
    """Table 4.4, columns 3 to 6, from 1,000 persons recorded three times by the rule of L8048-8055."""
    total, answered, census, micro, gap_census, gap_micro = TABLE_4_4[column]
    kinds = [("b", "a", "a"), ("a", "b", "a"), (None, "a", "a"), ("a", "a", None)]
    counts = [round(10 * share) for share in (census, micro, gap_census, gap_micro)]
    persons = [kind for kind, count in zip(kinds, counts, strict=True) for _ in range(count)]
    persons += [("a", "a", "a")] * (1000 - len(persons))
    found = attribute(*zip(*persons, strict=True))
    assert (100 * found.single, 100 * found.repeated) == pytest.approx((census, micro))
    assert (100 * found.missing_single, 100 * found.missing_repeated) == pytest.approx((gap_census, gap_micro))
    more, other = RESIDUALS.get(column, (0.0, 0.0))
    assert answered - 100 * found.deviating == pytest.approx(other, abs=1e-9)
    assert total - 100 * found.total == pytest.approx(more + other, abs=1e-9)
    named = {"census_microcensus": total, "census_microcensus_answered": answered}
    assert all(presets()[name][column] == pytest.approx(rate / 100) for name, rate in named.items())


def test_a_row_that_was_copied() -> None:
    """Print error: columns 3 to 6 of nationality repeat the row above, and do not add up to its columns 1 and 2."""
    wrong = TABLE_4_4["nationality"]
    assert wrong[2:] == TABLE_4_4["position_in_household"][2:]
    assert sum(wrong[2:4]) == pytest.approx(5.0) and wrong[1] == 0.5


def test_british_census() -> None:
    """L8037-8061; occupation in six categories."""
    assert all_compatible([presets()["uk_census"][name] for name in UK]) == pytest.approx(0.7313, abs=5e-5)


def test_process_2_is_process_1_with_a_second_coding() -> None:
    """T10: G = a + (1 - m)(1 - a) / 2 for the four columns with alternatives."""
    shares = {"industry": 0.735, "occupation": 0.7365, "activity": 0.0, "field_of_study": 0.6333}
    one, two = presets()["process_1"], presets()["process_2"]
    for name, m in shares.items():
        assert alternative_rate(one[name], m) == pytest.approx(two[name], abs=5e-4)
    assert all(one[name] == two[name] for name in one if name not in shares)


def test_the_scholars() -> None:
    """3.2: ten of 53 true pairs are the same in ten columns."""
    assert implied_p(10, 53, 10) == pytest.approx(0.1536, abs=5e-5)


@pytest.mark.parametrize(
    ("percent", "counts", "mean", "independent"),
    [
        ((22.1, 38.7, 28.2, 8.8, 2.2), (40, 70, 51, 16, 4), 1.303, 0.250),
        ((20.8, 33.1, 31.2, 14.3, 0.6), (32, 51, 48, 22, 1), 1.408, 0.222),
    ],
)
def test_table_9_13(percent: tuple[float, ...], counts: tuple[int, ...], mean: float, independent: float) -> None:
    """T7 (L16091-16127): eleven columns asked again; independent errors would leave a few more persons without any."""
    assert sum(percent) == pytest.approx(100)
    assert [100 * n / sum(counts) for n in counts] == pytest.approx(percent, abs=0.05)
    assert sum(i * share for i, share in enumerate(percent)) / 100 == pytest.approx(mean, abs=5e-4)
    assert deviations(mean / 11, 11)[0] == pytest.approx(independent, abs=5e-4)
    assert percent[0] / 100 < deviations(mean / 11, 11)[0]


def test_mass_fishing() -> None:
    """T18 (L21169-21176): 4 right and 10 wrong of 7,983 scholars; for 100 right links some 200,000 persons."""
    found = trials_needed(100, tried=7983, correct=4, false=10)
    assert (found.tries, found.false, found.links) == (199_575, 250, 350)


def test_at_least_six_participants() -> None:
    """C-RK-2 (L22470-22488): 9 of 53 persons who are known to have taken part are found."""
    assert ceil(trials_needed(1, tried=53, correct=9).tries) == 6
