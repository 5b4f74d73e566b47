"""The direction of a record, known from a value or from its rank, takes back its shift."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attacks.worlds import codes, counts, table, tried
from schleier.attacks.predictable_sign import PredictableSign
from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.methods.multiply_noise import MultiplyNoise

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


def noisy(data: Dataset, key: int, **more: Any) -> Case:
    parameters: dict[str, Any] = {"columns": ["x"], "kind": "controlled", "f": F, "s": 0.01} | more
    run = Run(key=bytes([key]) * 32)
    step = MultiplyNoise(**parameters).fit(data, run)
    return Case(data, step.apply(data, run), steps=(step,))


def by_size(case: Case, run: Run) -> Finding:
    (attack,) = PredictableSign.fitting(case)
    return attack.measure(case, run)


def test_nobody_reads_a_drawn_first_sign_from_the_finding() -> None:
    x = np.random.default_rng(1).pareto(1.1, 400) * 1000 + 10
    x[0] = x.max() * 3  # more than all the others: every sign follows from the first
    told, signs = [], set()
    for key in range(8):
        case, run = noisy(table(x=x), key), Run()
        found = by_size(case, run)
        told.append((found.value, found.low, found.high, counts(found), found.detail["difference"] > 0.3))
        (note,) = (note for note in run.notes if "right_if_minus" in note.facts)
        assert note.visibility == "restricted"
        first = 1 if case.released.to_pandas()["x"][0] > x[0] else -1
        signs.add(first)
        right = (note.facts["right_if_minus"], note.facts["right_if_plus"])
        assert right[::first] < right[::-first] and max(right) > 390 and min(right) < 10
        assert "average over both" in found.text and found.detail["averaged"]
    assert signs == {-1, 1} and set(told) == {(0.5, told[0][1], told[0][2], (400, 200), True)}


def test_a_shift_too_small_to_matter_is_undone_with_either_sign() -> None:
    case = noisy(table(x=[1000.0, 400, 300, 200, 100, 50]), 1, f=0.005, s=0.001)
    assert by_size(case, Run()).value == 1.0


def test_a_first_sign_that_everybody_knows_is_not_averaged() -> None:
    case = noisy(table(x=[1000.0, 400, 300, 200, 100, 50]), 1, random_first_sign=False, s=1e-6)
    found = by_size(case, Run())
    assert found.value == 1.0 and "averaged" not in found.detail


@pytest.mark.parametrize(("public", "claims"), [((), 3), (("f",), 4)])
def test_the_number_of_claims_tells_a_published_shift_only(public: tuple[str, ...], claims: int) -> None:
    case = noisy(table(x=[100.0, 60, 30, 20, 10, 5]), 1, f=0.1, s=1e-6, random_first_sign=False, public=public)
    assert counts(by_size(case, Run())) == (claims, claims)


def test_sizes_count_within_the_strata_of_the_step() -> None:
    x = np.array([100.0, 60, 30, 20, 1000.0, 600, 300, 200, 7, 5, 9])
    data = table(x=x, branch=["a"] * 4 + ["b"] * 4 + ["c", "d", "e"])  # the last are pooled
    case = noisy(data, 1, strata=["branch"], s=1e-6, random_first_sign=False, public=["f"], min_stratum=3, f=0.1)
    assert counts(by_size(case, Run())) == (8, 8)
