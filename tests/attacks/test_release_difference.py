"""Several releases at once: a published vector, the strict rule by hand, and nothing where all cut the same way."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.attacks.release_difference import ReleaseDifference
from schleier.core.data import Dataset
from schleier.core.errors import DataError
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema

KEY = bytes(32)
SCHEMA = Schema(row_key="id", columns=[Column(name="age", role="quasi", scale="nominal")])


def people(ages: list[Any], ids: Any = None, engine: Any = None) -> Dataset:
    keys = list(range(len(ages))) if ids is None else list(ids)
    return Dataset.from_frame(
        pa.table({"id": pa.array(keys, pa.int64()), "age": pa.array(ages, pa.string())}), SCHEMA, engine
    )


def tried(released: Dataset, *others: Dataset, original: Dataset | None = None, **how: Any) -> Finding:
    further = {str(i): one for i, one in enumerate(others)}
    attack = ReleaseDifference(**{"targets": "all", **how})
    return attack.measure(Case(original or released, released, further=further), Run(key=KEY))


def test_two_of_six_stand_alone() -> None:
    """Bitkom B-020: ages 29 to 34; pairs in one file and threes in the other single out 31 and 32."""
    original = people([str(age) for age in range(29, 35)])
    pairs = people(["29-30"] * 2 + ["31-32"] * 2 + ["33-34"] * 2, engine=original.engine)
    threes = people(["29-31"] * 3 + ["32-34"] * 3, engine=original.engine)
    found = tried(threes, pairs, original=original, fewer_than=3)
    assert (found.detail["correct"], found.detail["targets"], found.value) == (2, 6, pytest.approx(1 / 3))
    assert (found.detail["alone_here"], found.detail["smallest"]) == (0, 1)
    assert (found.detail["few_here"], found.detail["few"]) == (0, 6)  # 2-anonymous is the better one of both
    alone = tried(threes, original=original).detail
    assert (alone["correct"], alone["releases"], alone["smallest"]) == (0, 0, 3)


cells = st.sampled_from(["a", "b", "c", None])


@given(rows=st.lists(st.tuples(cells, cells, cells, st.booleans()), min_size=1, max_size=60))
@settings(max_examples=12, deadline=None)
def test_it_is_a_count_of_equal_rows(rows: list[tuple[Any, Any, Any, bool]]) -> None:
    """Absence from the third file is a value; a gap is one, too."""
    first = people([row[0] for row in rows])
    second = people([row[1] for row in rows], engine=first.engine)
    there = [i for i, row in enumerate(rows) if row[3]]
    third = people([rows[i][2] for i in there], there, first.engine)
    looks = [(a, b, c if there else "absent", there) for a, b, c, there in rows]
    sizes, here = Counter(looks), Counter(row[0] for row in rows)
    found = tried(first, second, third, fewer_than=3).detail
    assert found["correct"] == sum(sizes[one] == 1 for one in looks)
    assert found["few"] == sum(sizes[one] < 3 for one in looks)
    assert found["alone_here"] == sum(here[row[0]] == 1 for row in rows)
    assert found["smallest"] == min(sizes.values())


def test_the_same_cuts_tell_nothing_more() -> None:
    rng = np.random.default_rng(1)
    ages = [f"{10 * int(n)}" for n in rng.integers(2, 8, 600)]
    first = people(ages)
    found = tried(first, people(ages, engine=first.engine), people(ages, engine=first.engine)).detail
    assert found["correct"] == found["alone_here"] == 0 and found["releases"] == 2


def test_other_cuts_tell_more_and_everybody_reads_shares() -> None:
    ages = range(300)
    first = people([str(age // 6) for age in ages])
    second = people([str((age + 3) // 7) for age in ages], engine=first.engine)
    case, run, attack = Case(first, first, further={"x": second}), Run(key=KEY), ReleaseDifference(targets="all")
    exact = attack.measure(case, run)
    assert exact.detail["alone_here"] == exact.detail["few_here"] == 0
    assert exact.detail["correct"] > 10 and exact.detail["few"] > 100
    public = attack.disclose(case, run, exact)
    assert public is not None and public.detail["smallest"] is None and public.detail["correct"] is None
    assert public.detail["few_share"] == round(round(public.detail["few_share"] / 0.05) * 0.05, 2)
    assert [one.targets for one in ReleaseDifference.fitting(case)] == [1000]
    assert ReleaseDifference.fitting(Case(first, first)) == []


def test_files_without_keys_are_left_out_and_no_keys_are_refused() -> None:
    first = people(["a", "b"])
    plain = Schema(row_key="id", columns=[Column(name="pay", role="sensitive", scale="discrete")])
    other = Dataset.from_frame(pa.table({"id": [0, 1], "pay": [1, 2]}), plain, first.engine)
    assert tried(first, other).detail["releases"] == 0
    with pytest.raises(DataError, match="knows nothing"):
        tried(other)
    assert [one.code for one in ReleaseDifference().problems(plain)] == ["no-keys"]


def test_who_is_alone_with_another_value_is_not_found() -> None:
    """Ages were changed: in both files everybody is alone, but only 31 and 33 still fit what is known of them."""
    original = people(["29", "30", "31", "32", "33"])
    changed = people(["30", "29", "31", "34-35", "33-36"], engine=original.engine)
    found = tried(changed, original=original).detail
    assert (found["claims"], found["correct"]) == (5, 2)
    gaps = people(["30", None, "31", "34-35", "33-36"], engine=original.engine)
    assert tried(gaps, original=original).detail["correct"] == 3  # a gap may be anything
