"""Whether an amount can be computed from others: sums, products and ratios that are there, and noise that is not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.inference.rebuilding import Formula, best_linear, best_product, hits

AMOUNTS = st.lists(st.sampled_from([-200.0, -100.0, 0.0, 100.0, 200.0, 400.0]), min_size=1, max_size=8)


@given(AMOUNTS, st.data())
def test_hits_one_by_one(wanted: list[float], data: st.DataObject) -> None:
    """Near is a share of the value; of a zero, of the median of the others."""
    off = data.draw(st.lists(st.sampled_from([0.0, 12.5, -25.0, 25.5]), min_size=len(wanted), max_size=len(wanted)))
    sizes = sorted(abs(value) for value in wanted if value)
    middle = float(np.median(sizes)) if sizes else 0.0
    slow = [abs(gap) <= 0.125 * (abs(value) or middle) for value, gap in zip(wanted, off, strict=True)]
    assert hits(np.array(wanted), np.array(wanted) + np.array(off), 0.125) == pytest.approx(sum(slow) / len(slow))


def test_hits_of_nothing() -> None:
    assert hits(np.array([]), np.array([]), 0.1) == 0.0


def columns(seed: int = 1, rows: int = 50) -> np.ndarray:
    return np.random.default_rng(seed).lognormal(5, 1, (rows, 4))


def test_a_sum_is_found_with_its_columns() -> None:
    """Parts, a constant column, a total that is needless: two columns and a constant are enough, the larger first."""
    given_ = columns()
    wanted = 3 * given_[:, 2] - given_[:, 0] + 7
    found = best_linear(wanted, np.column_stack([given_, np.full(50, 1e6)]), 0.01, 0.9)
    assert (found.share, found.how, found.places, found.text) == (1.0, "linear", (2, 0), "{0} + {1}")


@pytest.mark.parametrize("spoiled", [0, 1, 40])
def test_deviating_records_do_not_spoil_it(spoiled: int) -> None:
    given_ = columns(8, 400)
    wanted = 2 * given_[:, 1] + given_[:, 3]
    wanted[:spoiled] *= 1000
    found = best_linear(wanted, given_, 0.01, 0.85)
    assert found.share == pytest.approx(1 - spoiled / 400) and set(found.places) == {1, 3}


def test_noise_is_not_met() -> None:
    assert best_linear(columns(3)[:, 0], columns(2), 0.01, 0.9) == Formula()


def test_what_does_not_vary_explains_nothing() -> None:
    wanted = columns(4)[:, 0]
    # A column whose digits vary by rounding alone is a constant.
    rounded = 1e6 * (1 + np.finfo(float).eps * np.resize([0, 1], 50))[:, None]
    for given_ in (np.full((50, 2), 5.0), np.zeros((50, 1)), np.empty((50, 0)), rounded):
        assert best_linear(wanted, given_, 0.01, 0.9) == Formula()


def test_columns_that_say_the_same_are_taken_once() -> None:
    x = columns(5)[:, 0]
    found = best_linear(2 * x + 1, np.column_stack([x, 10 * x, -x]), 0.01, 0.9)
    assert found.share == 1.0 and len(found.places) == 1


@pytest.mark.parametrize(
    ("made", "how", "places"),
    [
        (lambda x: 4 * x[:, 1] * x[:, 3], "product", (1, 3)),
        (lambda x: x[:, 3] / x[:, 0], "ratio", (3, 0)),
        (lambda x: 0.5 * x[:, 0] / x[:, 3], "ratio", (0, 3)),
    ],
)
def test_a_product_or_a_ratio_is_found(made: object, how: str, places: tuple[int, int]) -> None:
    """The constant is the median, which ten in fifty do not move."""
    x = columns(6)
    wanted = made(x)  # type: ignore[operator]
    found = best_product(wanted, x, 0.01, 0.75)
    assert (found.share, found.how, found.places) == (1.0, how, places)
    spoiled = best_product(np.where(np.arange(50) < 10, wanted * 3, wanted), x, 0.01, 0.75)
    assert (spoiled.share, spoiled.how, spoiled.places) == (0.8, how, places)
    assert best_product(wanted, x[:, :1], 0.01, 0.75) == Formula()


def test_zeros_and_gaps_do_no_harm() -> None:
    """A row whose product is zero tells nothing of the constant; two rows that do are needed."""
    x = columns(7)
    x[:5, 1] = 0.0
    found = best_product(2 * x[:, 0] * x[:, 1], x, 0.01, 0.9)
    assert (found.share, found.how, found.places) == (1.0, "product", (0, 1))
    ratio = np.where(x[:, 1] > 0, x[:, 0] / np.where(x[:, 1] > 0, x[:, 1], 1), 9.0)
    found = best_product(ratio, x, 0.01, 0.9)
    assert (found.share, found.how, found.places) == (0.9, "ratio", (0, 1))
    alone = np.zeros((3, 2))
    alone[0] = 1.0
    assert best_product(np.array([1.0, 5.0, 6.0]), alone, 0.01, 0.3) == Formula()
    alone[1] = 1.0
    assert best_product(np.array([1.0, 1.0, 6.0]), alone, 0.01, 0.3).places == (0, 1)
