"""Vectors of the specification after Höhne (2010) for methods that reduce information. L: line of the source."""

from __future__ import annotations

from math import comb

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.combine import Combine
from schleier.methods.index_numbers import IndexNumbers
from schleier.methods.ratio import Ratio
from schleier.methods.sample import Sample


@pytest.mark.parametrize(("size", "n", "printed"), [(6, 3, 0.2), (100, 10, 0.0090909)])
def test_chance_that_both_ends_are_in_the_sample(size: int, n: int, printed: float) -> None:
    """S-T6, L512: P(min and max in sample) = n(n-1)/(N(N-1)), by drawing in each of 2,000 strata: to four errors."""
    strata, chance = 2_000, comb(size - 2, n - 2) / comb(size, n)
    assert chance == pytest.approx(printed, abs=5e-8)
    columns = [Column(name="stratum", scale="discrete"), Column(name="x", scale="discrete")]
    table = pa.table({"stratum": np.repeat(np.arange(strata), size), "x": np.tile(np.arange(size), strata)})
    data = Dataset.from_frame(table, Schema(columns=columns))
    taken = Sample(fraction=n / size, strata=["stratum"]).apply(data, Run(key=bytes(32))).to_arrow()
    ends = np.isin(taken["x"].to_numpy(), [0, size - 1])
    both = np.bincount(taken["stratum"].to_numpy(), weights=ends, minlength=strata) == 2
    assert abs(both.mean() - chance) < 4 * np.sqrt(chance * (1 - chance) / strata)


def test_foreign_turnover_from_total_and_share() -> None:
    """L476: total turnover times the share of foreign turnover is foreign turnover. T03 leaves the total out."""
    columns = [Column(name=name, scale="continuous") for name in ("total", "foreign")]
    data = Dataset.from_frame(pa.table({"total": [200.0, 50.0], "foreign": [60.0, 5.0]}), Schema(columns=columns))
    released = Ratio(columns=["foreign"], of="total").apply(data, Run())
    assert released.to_arrow().to_pydict() == {"foreign": [0.3, 0.1]}
    assert [share * total for share, total in zip([0.3, 0.1], [200.0, 50.0], strict=True)] == [60.0, 5.0]


def test_home_and_foreign_turnover_become_one() -> None:
    """T02, L458-L460: domestic and foreign turnover are released as total turnover."""
    columns = [Column(name=name, scale="discrete") for name in ("home", "foreign")]
    data = Dataset.from_frame(pa.table({"home": [140, 45], "foreign": [60, 5]}), Schema(columns=columns))
    released = Combine(columns=["home", "foreign"], into="turnover").apply(data, Run())
    assert released.to_arrow().to_pydict() == {"turnover": [200, 50]}


def test_index_numbers() -> None:
    """T04, L468-L472: I_it = 100 x_it / x_i,t0; a base of zero or none has no index."""
    columns = [Column(name=name, scale="continuous") for name in ("t0", "t1")]
    table = pa.table({"t0": [80.0, 0.0, None], "t1": [100.0, 5.0, 5.0]})
    released = IndexNumbers(columns=["t0", "t1"], base="t0").apply(
        Dataset.from_frame(table, Schema(columns=columns)), Run()
    )
    assert released.to_arrow().to_pydict() == {"t1": [125.0, None, None]}
