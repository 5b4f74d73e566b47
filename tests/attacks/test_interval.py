"""Means of sorted groups bound the values of their neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attacks.worlds import counts, table, tried
from schleier.attacks.interval import Interval
from schleier.core.measure import Case
from schleier.core.method import Method
from schleier.core.run import Run
from schleier.methods.microaggregate import Microaggregate

ALL = Interval(sensitive="x", targets="all", lower=0)


def means(x: Any, k: int = 3) -> np.ndarray:
    x = np.asarray(x, dtype=float)
    order = np.argsort(-x, kind="stable")
    result = np.empty(len(x))
    for who in np.array_split(order, len(x) // k):
        result[who] = x[who].mean()
    return result


def test_dense_values_are_found_and_every_claim_is_right() -> None:
    x = np.random.default_rng(1).uniform(90, 200, 900)
    found = tried(ALL, table(x=x), table(x=means(x)))
    claims, correct = counts(found)
    assert claims == correct and claims > 850
    assert found.detail["narrow"] == pytest.approx(claims / 900, abs=0.01) and found.detail["narrowest"] < 0.01


def test_values_far_apart_are_not() -> None:
    x = 2.0 ** np.arange(60)
    found = tried(ALL, table(x=x), table(x=means(x)))
    assert counts(found) == (0, 0) and found.detail["narrowest"] > 0.05


def test_strata_have_groups_of_their_own() -> None:
    rng = np.random.default_rng(2)
    x = rng.lognormal(5, 0.5, 600)
    branch = ["a"] * 300 + ["b"] * 300
    released = np.concatenate([means(x[:300]), means(x[300:])])
    data = table(x=x, branch=branch), table(x=released, branch=branch)
    apart = tried(ALL.model_copy(update={"strata": ("branch",)}), *data)
    claims, correct = counts(apart)
    assert claims == correct > 400
    claims, correct = counts(tried(ALL, *data))  # the groups of both strata interlace: bounds are no bounds
    assert correct < claims


def test_order_that_is_not_kept_is_no_bound() -> None:
    """Höhne 6.3: the attack does not work where order is not kept."""
    x = np.array([1200.0, 1210, 1220, 1230, 1240, 1250, 1260, 1270, 1280, 1290, 1300, 1490])
    new = np.repeat([1203.82, 1226.18, 1243.82, 1266.18, 1253.11, 1426.89], 2)
    from schleier.kernels.inference.intervals import intervals

    lower, upper = intervals(new)
    assert ((x < lower) | (x > upper)).any()


def test_gaps_are_no_claims() -> None:
    found = tried(ALL, table(x=[1.0, None, 2.0]), table(x=[1.5, None, 1.5]))
    assert counts(found) == (0, 0)


def test_who_is_not_in_the_release_is_not_claimed() -> None:
    x = np.random.default_rng(3).uniform(90, 200, 300)
    found = tried(ALL, table(x=x), table(keys=np.arange(150), x=means(x[:150])))
    assert found.detail["contained"] == 150 and found.detail["claims"] <= 150


def fitting(*steps: Method) -> list[Interval]:
    data = table(x=[1.0, 2, 3], y=[-1.0, 2, 3], branch=["a", "b", "c"])
    return Interval.fitting(Case(data, data, steps=steps))


def step(grouping: str, **more: Any) -> Microaggregate:
    return Microaggregate.model_validate({"columns": ["x", "y"], "k": 3, "grouping": grouping} | more)


def test_fits_the_sorted_groupings_only() -> None:
    for grouping in ("individual", "optimal", "safe_interval"):
        assert fitting(step(grouping, strata=["branch"])) == [
            Interval(sensitive="x", strata=("branch",), lower=0),
            Interval(sensitive="y", strata=("branch",)),
        ]
    assert [one.sensitive for one in fitting(step("one_variable", columns=["y", "x"]))] == ["y"]
    assert [one.sensitive for one in fitting(step("one_variable", blocks=[["x"], ["y"]]))] == ["x", "y"]
    for grouping in ("mdav", "best", "score", "component", "random"):
        assert fitting(step(grouping)) == []
    assert fitting() == []


def test_safe_intervals_withstand_it_and_plain_ones_do_not() -> None:
    """Höhne 3.2: with S = 0.05 no interval is narrower; as printed (published) some are."""
    x = np.random.default_rng(8).uniform(90, 200, 600)
    original = table(x=x)
    narrow = {}
    for name, more in {"individual": {}, "safe_interval": {}, "published": {"published": True}}.items():
        one = step(name if name != "published" else "safe_interval", columns=["x"], **more)
        found = tried(ALL, original, one.apply(original, Run(key=bytes(32))))
        narrow[name] = found.detail["narrowest"]
        assert counts(found)[0] == counts(found)[1]
        assert (counts(found)[0] == 0) == (name == "safe_interval")
    assert narrow["individual"] < narrow["published"] < 0.05 <= narrow["safe_interval"]
