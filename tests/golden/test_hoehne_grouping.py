"""Vectors of the specification for the groupings of microaggregation (after Höhne 2010, 2.2.6, 3.1, 3.2, annex 1)."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.grouping.test_sorted_groups import intervals
from kernels.slow_microaggregation import Slow
from schleier.kernels.grouping.centroid_groups import centroid, max_distance, mdav
from schleier.kernels.grouping.group_values import means, squared_error, standardised
from schleier.kernels.grouping.leaves import build, far
from schleier.kernels.grouping.sorted_groups import cut, fixed, optimal, ratio, safe


def test_groups_of_table_1() -> None:
    """S-T1 (L1521-L1537): k=4, group means 1215, 1255, 1340; sds 11.2, 11.2, 86.9."""
    x = np.array([1200.0, 1210, 1220, 1230, 1240, 1250, 1260, 1270, 1280, 1290, 1300, 1490])
    groups = fixed(x, 4)
    assert sorted(set(means(x, groups).tolist())) == [1215.0, 1255.0, 1340.0]
    assert [round(float(x[groups == g].std()), 1) for g in (2, 1, 0)] == [11.2, 11.2, 86.9]
    assert x.mean() == means(x, groups).mean() == 1270


def test_bounds_attack_on_three_groups() -> None:
    """S-T2 (L1249-L1262): means 100000, 99000, 90000 of three: group 2 lies between 97000 and 100000."""
    x = np.repeat([100000.0, 99000, 90000], 3)
    widths = intervals(x, np.repeat([0, 1, 2], 3))
    assert widths == pytest.approx([3000 / 102000, 3000 / 100000, (99000 - 72000) / 99000])


@pytest.mark.parametrize("count", [6, 12, 18, 60])
def test_comparisons_of_maximum_distance(count: int) -> None:
    """S-T3 (L1102-L1112), k=3: n³/18 + 7n²/12 + 5n/6; 6→38, 60→14150."""
    x = np.random.default_rng(1).normal(size=(count, 2))
    slow = Slow(x, 3, "max_distance")
    assert slow.run() == max_distance(x, 3).tolist()
    assert slow.compared == count**3 / 18 + 7 * count**2 / 12 + 5 * count / 6
    assert {6: 38, 60: 14150}.get(count, slow.compared) == slow.compared


@pytest.mark.parametrize(("count", "wanted"), [(6, 11), (60, 1235), (120, 4875), (300, 30195)])
def test_comparisons_of_centroid_distance(count: int, wanted: int) -> None:
    """S-T4: n²/3 + 2n/3 - 5, the printed table being a slip (ERR-7)."""
    x = np.random.default_rng(1).normal(size=(count, 1))
    slow = Slow(x, 3, "centroid")
    assert slow.run() == centroid(x, 3).tolist()
    assert slow.compared == wanted == count**2 / 3 + 2 * count / 3 - 5


def test_hansen_mukherjee() -> None:
    """D-T8: optimal groups, costs f(h) and last sizes L(h) of two small files, and what fixed groups cost."""
    x = np.array([1.0, 2, 3, 10, 11, 12, 13, 50, 51, 52, 90])
    groups, cost, last = cut(x[:, None], 3)
    assert groups.tolist() == [0] * 3 + [1] * 4 + [2] * 4
    assert last[3:].tolist() == [3, 4, 5, 3, 4, 3, 3, 3, 4]
    assert cost[3:] == pytest.approx([2, 50, 89.2, 4, 7, 1027.2, 942, 9, 1149.75])
    assert squared_error(x[:, None], fixed(x, 3)) == pytest.approx(2015.8667, abs=5e-5)
    assert squared_error(x[:, None], fixed(-x, 3)) == pytest.approx(2970.8)
    x = np.array([2.0, 4, 5, 7, 20, 21, 22, 23, 40, 41, 60])
    groups, cost, last = cut(x[:, None], 3)
    assert groups.tolist() == [0] * 4 + [1] * 4 + [2] * 3
    assert last[3:].tolist() == [3, 4, 5, 3, 3, 4, 5, 3, 3]
    assert cost[3:] == pytest.approx([4.6667, 13, 205.2, 126.6667, 15, 18, 291.8, 219.6667, 272], abs=5e-5)
    assert squared_error(x[:, None], optimal(x, 3)) == pytest.approx(272)
    assert squared_error(x[:, None], fixed(x, 3)) == pytest.approx(461.2)
    assert squared_error(x[:, None], fixed(-x, 3)) == pytest.approx(1101.4667, abs=5e-5)


def test_safe_interval_groups() -> None:
    """D-T9, S=0.05: sizes 3, 3, 7, 4, means 900, 499, 466.714286, 192.25, with both rules; fixed groups are unsafe."""
    x = np.array([1000.0, 900, 800, 500, 499, 498, 497, 496, 495, 494, 493, 492, 300, 290, 280, 100, 99])
    for published in (True, False):
        groups = safe(x, 3, ratio(0.05, 3, published))
        assert np.bincount(groups).tolist() == [3, 3, 7, 4]
        found = [means(x, groups)[groups == g][0] for g in range(4)]
        assert found == pytest.approx([900, 499, 466.714286, 192.25], abs=5e-7)
        assert intervals(x, groups).min() > 0.05
    plain = fixed(x, 3)
    assert [means(x, plain)[plain == g][0] for g in range(5)] == pytest.approx([900, 499, 496, 493, 213.8])
    assert intervals(x, plain)[1:4] == pytest.approx([9 / 505, 6 / 499, 9 / 496])


@pytest.mark.parametrize(("share", "printed", "strict"), [(0.05, 0.0331, 0.0501), (0.1, 0.0657, 0.1017)])
def test_the_published_ratio_is_too_small(share: float, printed: float, strict: float) -> None:
    """D-T10: dense data, 2000 x U(90, 200): the published rule leaves 2S/3, the strict one keeps S (ERR-8)."""
    x = np.random.default_rng(1).uniform(90, 200, 2000)
    weak = intervals(x, safe(x, 3, ratio(share, 3, published=True))).min()
    assert weak == pytest.approx(printed, abs=0.002) and weak < share
    kept = intervals(x, safe(x, 3, ratio(share, 3, published=False))).min()
    assert kept == pytest.approx(strict, abs=0.003) and kept >= share


def test_nine_points() -> None:
    """D-T18: M07 and M08 find {1,2,3},{4,5,6},{7,8,9}; SSE 0.083923902; record 5 first, squared distance 3.7076."""
    x = np.array([(1, 1), (1.2, 0.9), (0.8, 1.1), (10, 10), (10.5, 9.5), (9.4, 10.2), (5, 1), (5.2, 1.3), (4.9, 0.6)])
    z = standardised(x)
    for groups in (centroid(z, 3), max_distance(z, 3), mdav(z, 3)):
        assert len({tuple(np.flatnonzero(groups == g)) for g in range(3)} & {(0, 1, 2), (3, 4, 5), (6, 7, 8)}) == 3
        assert squared_error(z, groups) == pytest.approx(0.083923902, abs=5e-10)
        middle = np.column_stack([means(x[:, j], groups) for j in range(2)])
        assert middle[[0, 3, 6]] == pytest.approx(np.array([(1, 1), (9.966667, 9.9), (5.033333, 0.966667)]), abs=5e-7)
    first, distance = far(build(z, np.arange(9)), np.zeros(2))
    assert first == 4 and distance == pytest.approx(3.7076, abs=5e-5)


def test_identities() -> None:
    """D-T19: splitting lemma (2.2.6-5), variance lost = F(T)/n, A² = A, A1 = 1."""
    x = np.random.default_rng(2).lognormal(size=(60, 2))
    groups = mdav(x, 3)
    matrix = (groups[:, None] == groups) / np.bincount(groups)[groups][:, None]
    assert matrix @ matrix == pytest.approx(matrix) and matrix.sum(axis=1) == pytest.approx(np.ones(60))
    shared = np.column_stack([means(x[:, j], groups) for j in range(2)])
    assert matrix @ x == pytest.approx(shared)
    lost = (x.var(axis=0) - shared.var(axis=0)).sum()
    assert lost == pytest.approx(squared_error(x, groups) / 60)
    part = np.random.default_rng(3).random(60) < 0.3
    gap = [np.sum((x.mean(axis=0) - x[side].mean(axis=0)) ** 2) * side.sum() for side in (part, ~part)]
    assert squared_error(x, np.zeros(60, np.int64)) - squared_error(x, part.astype(np.int64)) == pytest.approx(sum(gap))


def test_moores_identity() -> None:
    """D-T19, theorem 4 (annex 2): exact where mean and variance of each column are kept (M03, then M12)."""
    rng = np.random.default_rng(4)
    o = rng.normal(size=(120, 2)) @ np.array([[1, 0.7], [0, 0.71]])
    a = np.column_stack([means(o[:, j], fixed(o[:, j], 12)) for j in range(2)])
    a = (a - a.mean(axis=0)) * o.std(axis=0) / a.std(axis=0)
    o = o - o.mean(axis=0)
    r = [float(np.corrcoef(o[:, j], a[:, j])[0, 1]) for j in range(2)]
    e, f = a[:, 0] - r[0] * o[:, 0], a[:, 1] - r[1] * o[:, 1]
    left = np.mean(a[:, 0] * a[:, 1])
    right = r[0] * r[1] * np.mean(o[:, 0] * o[:, 1]) + np.mean(e * a[:, 1]) + np.mean(f * a[:, 0]) - np.mean(e * f)
    assert left == pytest.approx(right, abs=1e-14)
    assert r[0] < 0.999
