"""What holds of uniqueness in any file: Müller, Blien, Knoche and Wirth (1991); part A, P-06, P-07, P-10 to P-12."""

from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.core.classes.request import Request
from schleier.core.data import Dataset
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.classes.coding import number_rows
from schleier.kernels.classes.uniqueness import entropy, unique_in_sample
from schleier.kernels.population.composition import ROWS, Parts, attacker_risk
from schleier.methods.recode import Recode
from schleier.methods.sample import Sample

SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=12).map(np.array)
PEOPLE = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20)


@given(SIZES, st.data())
def test_a_smaller_file_is_riskier_for_those_known_to_be_in_it(sizes: np.ndarray, data: st.DataObject) -> None:
    """P-06 (L6581-6593): at a fixed key more are unique in a smaller part, and the seventh attacker finds more."""
    values, counts = (each.astype(float) for each in np.unique(sizes, return_counts=True))
    small, large = sorted(data.draw(st.lists(st.integers(1, int(sizes.sum())), min_size=2, max_size=2)))
    less, more = (unique_in_sample(values, counts, drawn) for drawn in (large, small))
    assert less <= more + 1e-12
    assert unique_in_sample(values, counts, int(sizes.sum())) == pytest.approx((sizes == 1).sum() / sizes.sum())
    parts = Parts(1.0, 1.0, 0.9, 0.5, 0.5, less)
    assert attacker_risk(ROWS[6], parts) <= attacker_risk(ROWS[6], replace(parts, unique_in_release=more)) + 1e-12


@given(PEOPLE, st.data())
def test_unique_in_the_population_is_unique_in_a_part(people: list[tuple[int, int]], data: st.DataObject) -> None:
    """P-07 (L6297-6309)."""
    drawn = data.draw(st.sets(st.integers(0, len(people) - 1), min_size=1))
    numbers = number_rows(np.array(people, dtype=np.int32))
    part = numbers[sorted(drawn)]
    alone, alone_in_part = (np.flatnonzero(np.bincount(each, minlength=len(people)) == 1) for each in (numbers, part))
    assert set(alone) & set(part) <= set(alone_in_part)


def test_unique_in_a_part_is_not_unique_in_the_population() -> None:
    """P-07, the other way round: one of two twins is alone in a half."""
    assert unique_in_sample(np.array([2.0]), np.array([1.0]), 2) == 0
    assert unique_in_sample(np.array([2.0]), np.array([1.0]), 1) == 1


@given(SIZES)
def test_bound_of_the_entropy(sizes: np.ndarray) -> None:
    """P-10: at most ln min(N, C), reached where all combinations are equally frequent."""
    most = log(min(sizes.sum(), len(sizes)))
    assert -1e-12 <= entropy(sizes) <= most + 1e-12
    assert (entropy(sizes) == pytest.approx(most, abs=1e-9)) == (len(set(sizes.tolist())) == 1)


@settings(max_examples=8)
@given(PEOPLE, st.lists(st.sampled_from("pq"), min_size=4, max_size=4))
def test_coarser_columns(people: list[tuple[int, int]], into: list[str]) -> None:
    """P-11: never more combinations, and records that agreed still do."""
    schema = Schema(columns=[Column(name=name, role="quasi", scale="nominal") for name in ("x", "y")])
    columns = {name: [str(row[i]) for row in people] for i, name in enumerate(("x", "y"))}
    data = Dataset.from_frame(pa.table(columns), schema)
    coarse = Recode(column="x", map={str(i): to for i, to in enumerate(into)}).apply(data, Run())
    keys = Request(keys=("x", "y"))
    assert len(coarse.classes(keys)) <= len(data.classes(keys))
    after = coarse.to_arrow().to_pydict()
    pairs = list(zip(after["x"], after["y"], strict=True))
    assert all(a != b or p == q for a, p in zip(people, pairs, strict=True) for b, q in zip(people, pairs, strict=True))


def test_a_sample_holds_its_share_of_those_looked_for() -> None:
    """P-12: of 1,000 persons in both files a quarter is left when a quarter of 4,000 is; to four standard errors."""
    schema = Schema(columns=[Column(name="known", scale="discrete")])
    data = Dataset.from_frame(pa.table({"known": [1] * 1_000 + [0] * 3_000}), schema)
    left = sum(
        int(np.sum(Sample(fraction=0.25).apply(data, Run(key=bytes([key]) * 32)).to_arrow()["known"].to_numpy()))
        for key in range(4)
    )
    error = np.sqrt(4 * 1_000 * 0.25 * 0.75 * 3_000 / 3_999)  # hypergeometric
    assert abs(left - 4 * 250) < 4 * error
