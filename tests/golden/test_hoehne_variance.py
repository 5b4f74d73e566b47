"""Vectors of the specification for what comes with microaggregation (after Höhne 2010, 3.2 and 3.3)."""

from __future__ import annotations

import numpy as np
import pytest

from bench.hoehne_microaggregation import ERRORS, apart, root, trial
from schleier.kernels.change.restoration import restored
from schleier.kernels.grouping.centroid_groups import mdav
from schleier.kernels.grouping.group_values import standardised
from schleier.kernels.grouping.sorted_groups import ratio
from schleier.kernels.grouping.two_halves import preserved_together
from schleier.kernels.grouping.two_values import ENLARGED, PLAIN, by_sign, preserved, two_values
from schleier.kernels.inference.intervals import intervals, member_bounds, relative_widths


def test_two_values_for_each_group() -> None:
    """S-T1, Tabelle 1 (L1521-L1537), k=4, g_1=2, and its digits; the order of groups 2 and 3 is violated."""
    x = np.array([1200.0, 1210, 1220, 1230, 1240, 1250, 1260, 1270, 1280, 1290, 1300, 1490])
    new, _ = preserved(x, 4, floor=True)
    full = [1203.819660, 1226.180340, 1243.819660, 1266.180340, 1253.109264, 1426.890736]
    assert new == pytest.approx(np.repeat(full, 2), abs=5e-7)
    assert x[:4].std() == pytest.approx(11.180339887498949) and x[8:].std() == pytest.approx(86.89073598491383)
    assert new.mean() == pytest.approx(1270) and new.std() == pytest.approx(72.91547618075786)
    assert new[8] < new[7]


def test_uneven_parts() -> None:
    """D-T12: [10,12,15,20,43], g_1=3 and g_1=2; mean 20, sd 11.983321743."""
    group = np.array([10.0, 12, 15, 20, 43])
    assert two_values(group, 3) == pytest.approx((10.215659, 34.676512), abs=5e-7)
    assert two_values(group, 2) == pytest.approx((5.323488, 29.784341), abs=5e-7)
    new, _ = preserved(group, 5, floor=True)
    assert (new.mean(), new.std()) == pytest.approx((20, 11.983321743), abs=5e-9)


def test_a_group_that_cannot_stay_above_zero() -> None:
    """D-T12: [1,2,3,4,5,165] is negative with g_1=3 and with g_1=4: its records get their mean."""
    group = np.array([1.0, 2, 3, 4, 5, 165])
    assert two_values(group, 3) == pytest.approx((-30.387637, 90.387637), abs=5e-7)
    assert two_values(group, 4) == pytest.approx((-12.700507, 115.401015), abs=5e-7)
    new, how = by_sign(group, 6)
    assert new.tolist() == [30.0] * 6 and (how == PLAIN).all()
    # beside a larger group it is joined with that one, and mean and variance stay
    more = np.append(group, [170.0, 175, 180, 185, 190, 195])
    new, how = by_sign(more, 6)
    assert (how == ENLARGED).all() and new.min() >= 0
    assert (new.mean(), new.std()) == pytest.approx((more.mean(), more.std()))


def test_halves_share_all_columns() -> None:
    """M13, several columns (L1382-L1442): mean and variance exact in each group, halves alike, columns may oppose.

    If one half always got the upper values, as L1392 warns, covariances inside groups would all be √(Var Var).
    """
    rng = np.random.default_rng(2)
    x = rng.multivariate_normal([50, 50, 50], [[9, 6, -6], [6, 9, -6], [-6, -6, 9]], 1200)
    new, how = preserved_together(x, 6)
    assert not how.any() and np.unique(new, axis=0, return_counts=True)[1].min() >= 3
    assert len(np.unique(x, axis=0)) == 1200
    assert new.mean(axis=0) == pytest.approx(x.mean(axis=0)) and new.var(axis=0) == pytest.approx(x.var(axis=0))
    groups = mdav(standardised(x), 6)
    for group in range(groups.max() + 1):
        old, now = x[groups == group], new[groups == group]
        assert now.mean(axis=0) == pytest.approx(old.mean(axis=0)) and now.std(axis=0) == pytest.approx(old.std(axis=0))
        assert len(np.unique(now, axis=0)) == 2
    before, after = np.corrcoef(x.T), np.corrcoef(new.T)
    assert np.abs(before - after).max() < 0.01
    one_half = np.empty_like(x)  # as L1392 warns: the first half is always the upper one
    for group in range(groups.max() + 1):
        rows = np.flatnonzero(groups == group)
        first = (new[rows] == new[rows[0]]).all(axis=1)
        m, s = x[rows].mean(axis=0), x[rows].std(axis=0)
        a, b = first.sum(), (~first).sum()
        one_half[rows] = np.where(first[:, None], m + np.sqrt(b / a) * s, m - np.sqrt(a / b) * s)
    assert one_half.var(axis=0) == pytest.approx(x.var(axis=0))
    assert np.corrcoef(one_half.T)[0, 2] > after[0, 2] + 0.015 > before[0, 2] + 0.005


def test_kims_correction() -> None:
    """D-T11: o and a1 give a2; the second one shows negative values."""
    a2 = restored(np.array([10.0, 20, 30, 40, 100]), np.array([12.0, 18, 33, 36, 111]))
    assert a2 == pytest.approx([13.387685, 18.710148, 32.016306, 34.677537, 101.208324], abs=5e-7)
    assert (a2.mean(), a2.std()) == pytest.approx((40, 31.6227766))
    o = np.array([1.0, 2, 3, 4, 5, 6, 10, 20, 300])
    a2 = restored(o, np.repeat(o.reshape(3, 3).mean(axis=1), 3))
    assert a2 == pytest.approx(np.repeat([-29.104647, -23.582648, 169.687295], 3), abs=5e-7)


def test_bounds_of_neighbours() -> None:
    """S-T2 (L1249-L1262): means 100000, 99000, 90000 of three units each; 72000 when the third group is the last."""
    means, sizes = np.array([100_000.0, 99_000, 90_000]), np.array([3, 3, 3])
    lower, upper = member_bounds(means, sizes)
    assert upper.tolist() == [102_000, 100_000, 99_000]
    assert lower.tolist() == [99_000, 97_000, 72_000]
    # what comes after does not change the first two, nor the upper bound of the third
    lower, upper = member_bounds(np.append(means, 50_000.0), np.append(sizes, 3))
    assert upper[:3].tolist() == [102_000, 100_000, 99_000] and lower[:2].tolist() == [99_000, 97_000]


def test_ratios_of_neighbouring_means() -> None:
    """S-T6, S = 5 %: 1.0167 or 98.36 % (L1219) put a member 5 % above the next mean; 1.0169, 98.3 % (L1247), below."""
    above, below = 1 + 0.05 / 3, ratio(0.05, 3, published=True)
    assert (round(above, 4), round(below, 4)) == (1.0167, 1.0169)
    assert (round(100 / above, 2), round(100 / below, 1)) == (98.36, 98.3)
    _, upper = member_bounds(np.array([above, 1.0]), np.array([3, 3]))
    assert upper[0] == pytest.approx(1.05)  # 3p - 2
    lower, _ = member_bounds(np.array([1.0, 1 / below]), np.array([3, 3]))
    assert lower[1] == pytest.approx(0.95)  # 3/p - 2
    assert ratio(0.05, 3, published=False) > below  # neither is enough (erratum 8)


X = [1000.0, 900, 800, 500, 499, 498, 497, 496, 495, 494, 493, 492, 300, 290, 280, 100, 99]


def released(sizes: list[int]) -> np.ndarray:
    ends = np.cumsum(sizes)
    return np.concatenate([np.full(n, np.mean(X[end - n : end])) for n, end in zip(sizes, ends, strict=True)])


def test_intervals_of_plain_and_safe_groups() -> None:
    """D-T9: intervals after plain groups of three (unsafe: 1.8 %, 1.2 %, 1.8 %) and after safe ones, S=0.05."""
    plain = released([3, 3, 3, 3, 5])
    lower, upper = intervals(plain, 0.0)
    firsts = [0, 3, 6, 9, 12]
    assert lower[firsts] == pytest.approx([499, 496, 493, 487, 0])
    assert upper[firsts] == pytest.approx([1702, 505, 499, 496, 493])
    assert relative_widths(lower, upper)[[3, 6, 9]] == pytest.approx([0.018, 0.012, 0.018], abs=5e-4)
    assert intervals(plain)[0][12] == pytest.approx(-903)
    lower, upper = intervals(released([3, 3, 7, 4]), 0.0)
    firsts = [0, 3, 6, 13]
    assert lower[firsts] == pytest.approx([499, 466.714286, 273, 0])
    assert upper[firsts] == pytest.approx([1702, 563.571429, 499, 466.714286])
    assert (relative_widths(lower, upper) > 0.05).all()


def safe_groups(x: np.ndarray, p: float) -> np.ndarray:
    """Appendix B, M06: a group takes further records until its mean is below that of the one before by p."""
    groups, at = [[0, 3]], 3
    while len(x) - at >= 3:
        one, before = [at, at + 3], x[groups[-1][0] : groups[-1][1]].mean() / p
        while x[one[0] : one[1]].mean() > before and one[1] < len(x):
            one[1] += 1
        if x[one[0] : one[1]].mean() > before:
            groups[-1][1] = at = len(x)
            break
        groups.append(one)
        at = one[1]
    groups[-1][1] = len(x)
    return np.concatenate([np.full(end - start, x[start:end].mean()) for start, end in groups])


# The smallest of a dozen to forty widths differs from one set of values to the next; so much over 60 sets.
@pytest.mark.parametrize(
    ("s", "known", "spread"), [(0.05, (0.0331, 0.0342, 0.0501), 0.00015), (0.1, (0.0657, 0.0702, 0.1017), 0.0018)]
)
def test_only_the_strict_ratio_withstands_all_three_rules(s: float, known: tuple[float, ...], spread: float) -> None:
    """D-T10: 2000 values from U(90,200): the published ratio leaves narrower intervals than S, the strict one none."""
    x = np.sort(np.random.default_rng(5).uniform(90, 200, 2000))[::-1]
    ratios = (3 / (3 - s), (3 - 2 * s) / (3 - 3 * s), (1 - s) ** -0.5)
    found = [relative_widths(*intervals(safe_groups(x, p), 0.0)).min() for p in ratios]
    assert found == pytest.approx(known, abs=spread)
    assert found[0] < found[1] < s <= found[2]


@pytest.mark.parametrize("n", [12, 120, 1200])
def test_correlations_of_simulated_files(n: int) -> None:
    """9.4: 250 sets of n records; errors of correlations and lost variance as known from 2,000 sets."""
    found = trial(n)
    assert max(apart(n, found)) < ERRORS
    off = root(found.released["variance kept"] - found.original)[0]
    assert off < root(found.original - 0.7)[0]  # the anonymisation error is below the sampling error
    assert found.variance["variance kept"] == pytest.approx(np.ones(250))
