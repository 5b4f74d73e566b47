"""Numbers on the attacks that come with noise, PRAM and replacement (Höhne 2010)."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from attacks.worlds import counts, table, tried
from schleier.attacks.closeness import Closeness
from schleier.attacks.majority_vote import MajorityVote
from schleier.attacks.predictable_sign import PredictableSign
from schleier.attacks.rescale import Rescale
from schleier.kernels.inference.restoration import majority

F, S, N = 0.11, 0.03, 6000
NORMAL = NormalDist()


@pytest.mark.parametrize(("releases", "expected"), [(1, 0.8), (3, 0.896), (5, 0.942), (11, 0.988)])
def test_majority_vote_of_pram(releases: int, expected: float) -> None:
    """6.6 (e): q = 0.8: 0.8/0.896/0.942/0.988 for L = 1/3/5/11."""
    exact = sum(math.comb(releases, i) * 0.8**i * 0.2 ** (releases - i) for i in range(releases // 2 + 1, releases + 1))
    assert round(exact, 3) == expected
    stays = np.random.default_rng(releases).random((20_000, releases)) < 0.8
    right = float((majority(np.where(stays, 1, 0)) == 1).mean())
    assert abs(right - exact) < 4 * math.sqrt(exact * (1 - exact) / 20_000)


def test_majority_vote_through_the_trustee() -> None:
    """6.6 (e) again, with five releases and the whole experiment."""
    rng = np.random.default_rng(5)
    ill = rng.choice(["yes", "no"], N)
    other = np.where(ill == "yes", "no", "yes")
    first, *more = [table(ill=np.where(rng.random(N) < 0.8, ill, other)) for _ in range(5)]
    names = tuple(map(str, range(4)))
    attack = MajorityVote(sensitive="ill", releases=names, targets="all")
    found = tried(attack, table(ill=ill), first, further=dict(zip(names, more, strict=True)))
    assert abs(found.value - 0.94208) < 4 * math.sqrt(0.942 * 0.058 / N)


def test_one_known_value_discloses_a_unit_with_a_constant_factor() -> None:
    """N10, (4.2-4), L2191-L2206: x_ij^o = x_ij^a (x_il^o / x_il^a)."""
    rng = np.random.default_rng(6)
    x, y, factor = rng.lognormal(8, 1, N), rng.lognormal(6, 2, N), rng.normal(1, 0.2, N)
    attack = Rescale(known="x", sensitive="y", targets="all", within=1e-9)
    assert counts(tried(attack, table(x=x, y=y), table(x=x * factor, y=y * factor))) == (N, N)


@pytest.mark.parametrize(("sign", "expected"), [(1, 0.936), (-1, 0.862)])
def test_the_sign_leak_of_mixture_noise(sign: int, expected: float) -> None:
    """N11 caveat: with (0.11, 0.03) 93.6 % (w = +1) and 86.2 % (w = -1) are within 5 %, 2.3 % before."""
    exact = 2 * NORMAL.cdf(0.05 * (1 + sign * F) / S) - 1
    assert round(exact, 3) == expected
    rng = np.random.default_rng(7 + sign)
    y = rng.lognormal(6, 2, N)
    released = y * (1 + F * sign + rng.normal(0, S, N))
    # The known column without a spread of its own: the sign is certain.
    known = table(x=np.full(N, 100.0), y=y)
    attack = PredictableSign(sensitive="y", known="x", f=F, targets="all")
    found = tried(attack, known, table(x=np.full(N, 100.0 * (1 + F * sign)), y=released))
    assert abs(found.value - exact) < 4 * math.sqrt(exact * (1 - exact) / N)


@pytest.mark.parametrize(("t", "expected"), [(0.05, 0.0228), (0.1, 0.369), (0.2, 0.9987)])
def test_the_share_of_values_that_mixture_noise_hardly_changes(t: float, expected: float) -> None:
    """N11: Phi((t - f) / s) - Phi((-t - f) / s) = 2.28 %, 36.9 %, 99.87 %; measured as 6.7 says."""
    exact = NORMAL.cdf((t - F) / S) - NORMAL.cdf((-t - F) / S)
    assert exact == pytest.approx(expected, abs=6e-4)
    rng = np.random.default_rng(9)
    x = rng.lognormal(8, 1, N)
    released = table(x=x * (1 + F * rng.choice([-1, 1], N) + rng.normal(0, S, N)))
    found = tried(Closeness(sensitive="x", within=t, targets="all"), table(x=x), released)
    assert abs(found.value - exact) < 4 * math.sqrt(exact * (1 - exact) / N)


def test_the_signs_of_the_largest_units_are_predictable() -> None:
    """N13 security caveat and D-T13: w = - + + + + - ..., the first five follow from the sizes alone."""
    x = np.array([1000.0, 400, 300, 200, 100, 50, 25, 10, 5, 1])
    released = np.array([900, 440, 330, 220, 110, 45, 27.5, 11, 5.5, 1.1])
    found = tried(PredictableSign(sensitive="x", f=0.1, within=1e-9), table(x=x), table(x=released))
    assert counts(found) == (5, 5)


def test_truncated_noise_guarantees_a_change() -> None:
    """6.7: N05 has a minimum change, plain noise has none."""
    rng = np.random.default_rng(10)
    x, w = rng.lognormal(8, 1, N), rng.normal(0, 0.15, 20 * N)
    factors = 1 + w[(np.abs(w) >= 0.01) & (np.abs(w) <= 0.6)][:N]
    attack = Closeness(sensitive="x", targets="all", within=0.0099)
    assert tried(attack, table(x=x), table(x=x * factors)).detail["all_changed"]
    assert not tried(attack, table(x=x), table(x=x * (1 + w[:N]))).detail["all_changed"]
