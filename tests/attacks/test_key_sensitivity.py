"""Sensitivity of keys: counted by hand and the slow way, coarse cells, noise, what everybody reads, and no names."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.attacks.key_sensitivity import KeySensitivity
from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.linkage.possible import Numbers, Words, sole_records
from schleier.testing import example_schema, example_table

KEY = bytes(range(32))


def small(job: Any = None, engine: Any = None) -> Dataset:
    columns = [
        Column(name="sex", role="quasi", scale="nominal"),
        Column(name="age", role="quasi", scale="discrete"),
        Column(name="job", role="plain", scale="nominal"),
        Column(name="town", role="plain", scale="nominal"),
    ]
    table = pa.table(
        {
            "id": pa.array(range(4), pa.int64()),
            "sex": ["f", "f", "m", "m"],
            "age": [30, 30, 40, 50],
            "job": job or ["a", "b", "a", "a"],
            "town": ["x", "x", "x", "x"],
        }
    )
    return Dataset.from_frame(table, Schema(row_key="id", columns=columns), engine)


def test_counted_by_hand() -> None:
    data = small()
    told = KeySensitivity(targets="all").measure(Case(data, data), Run(key=KEY))
    detail = told.detail
    assert (told.value, detail["known"], detail["further"]) == (0.5, ["sex", "age"], ["job", "town"])
    assert (detail["found_without"], detail["most_telling"]) == ([0.5, 0.0], "age")
    assert (detail["found_with"], detail["most_dangerous"]) == ([1.0, 0.5], "job")
    assert (detail["k"], detail["k_without"], detail["k_with"]) == (1, [1, 2], [1, 1])
    assert (detail["telling_pair"], detail["found_with_pair"]) == (["job", "town"], 1.0)


ROW = st.tuples(st.integers(0, 1), st.sampled_from([1.0, 2.0]), st.integers(0, 1), st.integers(0, 1))


@settings(max_examples=100, deadline=None)
@given(st.lists(ROW, min_size=1, max_size=4), st.lists(ROW, min_size=1, max_size=8))
def test_sets_equal_the_slow_way(mine: Any, theirs: Any) -> None:
    def words(j: int) -> Words:
        return Words(np.array([r[j] for r in mine]), np.array([r[j] for r in theirs]), np.eye(2, dtype=np.bool_))

    known, seen = (np.array([row[1] for row in rows]) for rows in (mine, theirs))
    found = sole_records([words(0), Numbers(known, known, seen, seen), words(2), words(3)], 2)
    sets = [(0, 1), (1,), (0,), (0, 1, 2), (0, 1, 3), (0, 1, *next(combinations((2, 3), 2)))]
    for i, one in enumerate(mine):
        for s, some in enumerate(sets):
            fits = [r for r, other in enumerate(theirs) if all(one[j] == other[j] for j in some)]
            assert found.count[i, s] == min(len(fits), 2)
            assert found.record[i, s] == (fits[0] if fits else -1)


def test_coarse_cells_are_sets_of_values() -> None:
    from schleier.core.registry import get

    data = Dataset.from_frame(example_table(), example_schema())
    coarse = get("method", "mondrian")(criteria=[{"criterion": "k_anonymity", "k": 5}]).apply(data, Run(key=KEY))
    attack = KeySensitivity(further=["born", "schooling"], targets="all")
    open_, told = (attack.measure(Case(data, one), Run(key=KEY)) for one in (data, coarse))
    assert told.value < 0.05 < open_.value and told.detail["k"] >= 5
    assert told.detail["found_with"][0] > 0.9  # a date of birth that was overlooked undoes it
    assert told.detail["most_dangerous"] == "born" and told.detail["k_with"][0] == 1


def test_a_release_about_others_is_at_chance() -> None:
    first = Dataset.from_frame(example_table(480).slice(0, 240), example_schema())
    table = example_table(480).slice(240).set_column(0, "id", example_table()["id"])
    noise = Dataset.from_frame(table, example_schema(), first.engine)
    told = KeySensitivity(targets="all").measure(Case(first, noise), Run(key=KEY))
    assert told.detail["contained"] == 240
    assert told.detail["correct"] <= 6  # of few claims one in 240 is right by chance
    assert max(told.detail["found_with"]) * 240 <= 6


def test_everybody_reads_steps() -> None:
    data = Dataset.from_frame(example_table(), example_schema())
    attack, case, run = KeySensitivity(further=["born"], targets="all"), Case(data, data.filter(_all())), Run(key=KEY)
    public = attack.disclose(case, run, attack.measure(case, run))
    assert public is not None
    for part in ("without", "with"):
        assert public.detail[f"found_{part}"] is None
        assert all(round(share * 20, 6) == round(share * 20) for share in public.detail[f"claims_{part}_share"])
    assert "found_with_pair" not in public.detail or public.detail["found_with_pair"] is None


def _all() -> Any:
    import narwhals as nw

    return nw.col("sex").is_in(["f", "m"])


def test_wrong_parameters_are_named() -> None:
    codes = [p.code for p in KeySensitivity(known=["age"], further=["age"]).problems(small().schema)]
    assert codes == ["known-already"]


def test_no_person_is_told() -> None:
    run, data = Run(key=KEY), small(["MARKER", "b", "a", "a"])
    told = KeySensitivity(targets="all").measure(Case(data, data), run)
    assert "MARKER" not in told.model_dump_json() + repr(run.notes)


def test_what_a_set_finds_stays_with_the_holder() -> None:
    """Pairs who are alike by their age, and are told apart by flags: three pairs by the first, none by the last.

    Two flags that differ in one claim, and are told a block apart, would judge it.
    """
    pairs = np.repeat(np.arange(100), 2)
    odd = np.arange(200) % 2
    flags = {"f01": odd * (pairs < 3), "f02": odd * (pairs < 60), "f03": odd * 0}
    columns = [
        Column(name="age", role="quasi", scale="discrete"),
        *(Column(name=name, role="plain", scale="nominal") for name in flags),
    ]
    table = pa.table({"id": np.arange(200), "age": pairs, **{name: one.astype(str) for name, one in flags.items()}})
    data = Dataset.from_frame(table, Schema(row_key="id", columns=columns))
    attack, case, run = KeySensitivity(targets="all"), Case(data, data), Run(key=KEY)
    exact = attack.measure(case, run)
    assert exact.detail["claims_with"] == [6, 120, 0]
    public = attack.disclose(case, run, exact)
    assert public is not None and public.detail["claims_with"] is public.detail["found_with"] is None
    assert public.detail["claims_with_share"] == [0.0, 0.6, 0.0] and public.detail["most_dangerous"] == "f02"
    fewer = exact.model_copy(update={"detail": {**exact.detail, "found_with": [0.0, 119 / 200, 0.0]}})
    assert attack.disclose(case, run, fewer) == public
