"""The direction of a record, known from a value or from its rank, takes back its shift."""

from __future__ import annotations

import numpy as np

from attacks.worlds import codes, counts, table, tried
from schleier.attacks.predictable_sign import PredictableSign

RNG = np.random.default_rng(2)
N, F, S = 4000, 0.11, 0.03
X, Y = RNG.lognormal(8, 1, N), RNG.lognormal(6, 1, N)


def test_one_known_value_gives_the_sign_and_the_shift_is_read_from_the_known_values() -> None:
    sign = RNG.choice([-1, 1], N)
    released = table(x=X * (1 + F * sign + RNG.normal(0, S, N)), y=Y * (1 + F * sign + RNG.normal(0, S, N)))
    told = tried(PredictableSign(sensitive="y", known="x", f=F), table(x=X, y=Y), released)
    read = tried(PredictableSign(sensitive="y", known="x"), table(x=X, y=Y), released)
    # (0.936 + 0.862) / 2 = 0.899, less the few signs that the spread turns over; sampling error 0.005
    assert abs(told.value - 0.899) < 0.02 and abs(read.value - told.value) < 0.02
    assert abs(told.detail["as_it_stands"] - 0.0228) < 0.01


def test_by_rank_the_largest_are_told_until_the_balance_turns() -> None:
    x = np.array([100.0, 60, 30, 20, 10, 5])
    released = np.array([90.0, 66, 33, 22, 9, 5.5])  # D-T13: the signs are - + + + - +
    found = tried(PredictableSign(sensitive="x", f=0.1, within=1e-9), table(x=x), table(x=released))
    assert counts(found) == (4, 4)


def test_a_random_first_sign_makes_the_same_claims_wrong() -> None:
    x = np.array([100.0, 60, 30, 20, 10, 5])
    found = tried(PredictableSign(sensitive="x", f=0.1), table(x=x), table(x=x * [1.1, 0.9, 0.9, 0.9, 1.1, 0.9]))
    assert counts(found) == (6, 1)  # one of the small ones happens to be shifted up in either case


def test_another_column_may_decide() -> None:
    x, y = np.array([100.0, 60, 1, 1]), np.array([1.0, 2, 3, 4])
    sign = np.array([-1, 1, 1, 1])
    found = tried(
        PredictableSign(sensitive="y", by="x", f=0.1, within=1e-9),
        table(x=x, y=y),
        table(x=x * (1 + 0.1 * sign), y=y * (1 + 0.1 * sign)),
    )
    assert counts(found) == (4, 4)


def test_gaps_and_records_left_out() -> None:
    original = table(x=[100.0, np.nan, 50.0], y=[1.0, 2.0, 3.0])
    released = table(keys=[0, 1], x=[90.0, np.nan], y=[0.9, 2.2])
    assert counts(tried(PredictableSign(sensitive="y", known="x", f=0.1), original, released)) == (1, 1)
    assert counts(tried(PredictableSign(sensitive="y", by="x", f=0.1), original, released)) == (1, 1)


def test_without_a_known_value_the_shift_must_be_told() -> None:
    schema = table(x=[1.0]).schema
    assert codes(PredictableSign(sensitive="x"), schema) == ["no-shift"]
    assert codes(PredictableSign(sensitive="x", f=0.1), schema) == []
    assert codes(PredictableSign(sensitive="x", known="x"), schema) == []
