"""Columns that were left out and can be computed all the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.combine import Combine
from schleier.methods.drop import Drop
from schleier.methods.ratio import Ratio
from schleier.risk.rebuildable import Rebuildable

N = 400
RNG = np.random.default_rng(3)
HOME, ABROAD, STAFF = (RNG.lognormal(4, 1, N) for _ in range(3))


def data(**columns: Any) -> Dataset:
    schema = Schema(columns=[Column(name=name, scale="continuous", role="sensitive") for name in columns])
    return Dataset.from_frame(pa.table(columns), schema)


def found(original: Dataset, released: Dataset, **parameters: Any) -> Finding:
    return Rebuildable(**parameters).measure(Case(original, released), Run(key=bytes(32)))


DATA = data(home=HOME, abroad=ABROAD, all=HOME + ABROAD, share=HOME / (HOME + ABROAD), staff=STAFF)


@pytest.mark.parametrize(
    ("gone", "how", "by"),
    [
        (("home", "share"), "linear", {"all", "abroad"}),
        (("home", "abroad"), "product", {"all", "share"}),
        (("abroad", "share"), "linear", {"all", "home"}),
    ],
)
def test_a_column_that_follows_is_found(gone: tuple[str, ...], how: str, by: set[str]) -> None:
    finding = found(DATA, Drop(columns=gone).apply(DATA, Run()))
    told = finding.detail["rebuildable"][gone[0]]
    assert told["how"] == how and set(told["from"]) == by and told["share"] == 1.0
    assert finding.value >= 1 and f"'{gone[0]}'" in finding.text


def test_a_ratio_is_found() -> None:
    original = data(all=HOME, part=ABROAD, share=ABROAD / HOME)
    told = found(original, original.drop("share")).detail["rebuildable"]["share"]
    assert (told["how"], told["from"]) == ("ratio", ["part", "all"])


def test_what_does_not_follow_is_not_found() -> None:
    finding = found(DATA, DATA.drop("home", "all", "share"))
    assert finding.value == 0 and finding.detail["rebuildable"] == {}
    assert finding.detail["looked_at"] == ["home", "all", "share"]
    assert "none of them" in finding.text


def test_methods_that_leave_columns_out() -> None:
    original = DATA.drop("share", "staff")
    assert (
        found(original, Combine(columns=["home", "abroad"], into="sum").apply(original.drop("all"), Run())).value == 1
    )
    only = data(home=HOME, abroad=ABROAD, staff=STAFF)
    assert found(only, Ratio(columns=["home", "abroad"]).apply(only, Run())).value == 0
    assert found(only, Combine(columns=["home", "abroad"], into="sum").apply(only, Run())).value == 0


def test_rounded_shares_still_tell_nearly_everything() -> None:
    original = data(home=HOME, all=HOME + ABROAD)
    released = data(share=np.round(HOME / (HOME + ABROAD), 3), all=HOME + ABROAD)
    assert found(original, released).value == 1
    assert found(original, released, within=1e-6).value == 0


def test_gaps_zeros_and_constants() -> None:
    home = HOME.copy()
    home[::3] = 0.0
    gaps = [None if i % 20 == 0 else value for i, value in enumerate(ABROAD)]
    original = data(home=home, abroad=gaps, all=home + ABROAD, one=np.ones(N))
    finding = found(original, original.drop("all", "one"))
    assert set(finding.detail["rebuildable"]) == {"all"}, "a constant needs nothing released"


def test_a_few_records_prove_nothing() -> None:
    original = data(a=[1.0, 2.0, 3.0], b=[2.0, 4.0, 6.0])
    assert found(original, original.drop("b")).value == 0


def test_named_columns_and_a_part_of_the_records() -> None:
    finding = found(DATA, DATA.drop("home", "all"), columns=["home"], records=100)
    assert finding.detail["looked_at"] == ["home"]
    assert 50 < finding.detail["records"] < 150
