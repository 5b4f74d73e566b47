"""Exact matching finds what is there, and nothing in noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from schleier.attacks.exact_match import ExactMatch
from schleier.core.data import Dataset
from schleier.core.errors import DataError, InfeasibleError
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.statistics.trials import Trials
from schleier.methods.recode import Recode

ROWS = 3000
SCHEMA = Schema(
    row_key="id",
    columns=(
        Column(name="age", role="quasi", scale="discrete"),
        Column(name="job", role="quasi", scale="nominal"),
        Column(name="area", role="quasi", scale="place"),
        Column(name="pay", role="sensitive", scale="continuous"),
    ),
)
ATTACK = ExactMatch(targets=800)


def table(seed: int = 1, rows: int = ROWS) -> pa.Table:
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "id": np.arange(rows),
            "age": rng.integers(18, 90, rows),
            "job": [f"j{i}" for i in rng.integers(0, 40, rows)],
            "area": [f"a{i}" for i in rng.integers(0, 25, rows)],
            "pay": rng.normal(2000, 300, rows),
        }
    )


def loaded(rows: pa.Table) -> Dataset:
    return Dataset.from_frame(rows, SCHEMA)


def unique_share(rows: pa.Table) -> float:
    keys = list(zip(*(rows.column(name).to_pylist() for name in ("age", "job", "area")), strict=True))
    return sum(keys.count(key) == 1 for key in keys) / len(keys)


def test_identity_release_gives_away_every_unique_target() -> None:
    data = loaded(table())
    finding = ATTACK.measure(Case(data, data), Run(key=bytes(32)))
    low, high = Trials(finding.detail["correct"], 800).interval(z=4)
    assert low <= unique_share(table()) <= high
    assert finding.detail["claims"] == finding.detail["correct"]  # without errors every claim is right
    everyone = ExactMatch(targets=ROWS).measure(Case(data, data), Run(key=bytes(32)))
    assert everyone.detail["correct"] >= 0.99 * unique_share(table()) * ROWS


def test_noise_is_not_better_than_guessing() -> None:
    """Keys drawn anew have nothing to do with the people: over some keys no more hits than blind luck allows."""
    data = loaded(table())
    claims = correct = 0
    for seed in range(6):
        noise = table(seed=100 + seed).set_column(0, "id", pa.array(np.arange(ROWS)))
        found = ATTACK.measure(Case(data, loaded(noise)), Run(key=bytes([seed]) * 32)).detail
        claims, correct = claims + found["claims"], correct + found["correct"]
    # each claim is right with probability 1/ROWS: mean and five standard deviations of a Poisson count
    expected = claims / ROWS
    assert correct <= expected + 5 * np.sqrt(max(expected, 1))


def test_missing_keys_match_missing() -> None:
    """A few per cent of missing keys change the result by less than its interval: no key vanishes in a join."""
    whole = table()
    gone = np.random.default_rng(3).random(ROWS) < 0.05
    gaps = whole.set_column(
        2, "job", pa.array([None if g else v for g, v in zip(gone, whole.column("job").to_pylist(), strict=True)])
    )
    before = ATTACK.measure(Case(loaded(whole), loaded(whole)), Run(key=bytes(32)))
    after = ATTACK.measure(Case(loaded(gaps), loaded(gaps)), Run(key=bytes(32)))
    assert before.low is not None and before.high is not None
    assert abs(after.value - before.value) <= before.high - before.low
    assert after.detail["claims"] == after.detail["correct"]


def test_the_attacker_recodes_what_he_knows() -> None:
    data, run = loaded(table()), Run(key=bytes(32))
    step = Recode(column="age", breaks=[30, 50, 70])
    released = step.apply(data, run)
    with_report = ATTACK.measure(Case(data, released, steps=(step,)), run)
    without = ATTACK.measure(Case(data, released), run)
    assert with_report.value > 0 == without.value


def test_coarser_is_safer() -> None:
    data, run = loaded(table()), Run(key=bytes(32))
    steps = (Recode(column="age", breaks=[50]), Recode(column="area", map={f"a{i}": f"b{i % 2}" for i in range(25)}))
    released = data
    for step in steps:
        released = step.apply(released, run)
    safe = ATTACK.measure(Case(data, released, steps=steps), run)
    open_ = ATTACK.measure(Case(data, data), run)
    assert safe.value < 0.2 * open_.value


def test_a_file_with_errors_finds_fewer() -> None:
    data = loaded(table())
    entries = table().rename_columns(["entry", "age", "job", "area", "pay"]).drop_columns(["pay"])
    entries = entries.set_column(0, "entry", pa.array(np.arange(ROWS) + 50_000))
    age = entries.column("age").to_numpy() + (np.random.default_rng(5).random(ROWS) < 0.2)
    schema = SCHEMA.without(["pay"]).model_copy(update={"row_key": "entry"})
    known = Dataset.from_frame(entries.set_column(1, "age", pa.array(age)), schema, data.engine)
    truth = Dataset.from_frame(
        pa.table({"id": np.arange(0, ROWS, 2), "entry": np.arange(0, ROWS, 2) + 50_000}),
        Schema(columns=[Column(name="id", scale="discrete"), Column(name="entry", scale="discrete")]),
        data.engine,
    ).frame.select("id", "entry")
    attack = ExactMatch(targets="all", knowledge="file")
    found = attack.measure(Case(data, data, known=known, truth=truth), Run(key=bytes(32))).detail
    assert found["contained"] == ROWS // 2
    assert 0 < found["correct"] < found["claims"]
    nobody = truth.with_columns(entry=truth.collect_schema() and _shifted())
    with pytest.raises(DataError, match="nobody in common"):
        attack.measure(Case(data, data, known=known, truth=nobody), Run(key=bytes(32)))


def _shifted() -> object:
    import narwhals as nw

    return nw.col("entry") + 1_000_000


def test_too_many_targets_and_unknown_columns_are_refused() -> None:
    data = loaded(table(rows=50))
    with pytest.raises(InfeasibleError, match="only 50 rows"):
        ExactMatch(targets=51).measure(Case(data, data), Run())
    assert [p.code for p in ExactMatch(known=["agee"]).problems(SCHEMA)] == ["unknown-column"]
    with pytest.raises(DataError, match="no file"):
        ExactMatch(knowledge="file").measure(Case(data, data), Run())


def test_known_file_without_an_asked_column_is_refused() -> None:
    data = loaded(table(rows=50))
    known = replace(data, schema=SCHEMA.without(["job"]))
    with pytest.raises(DataError, match="no column 'job'"):
        ExactMatch(known=["job"], knowledge="file", targets=5).measure(Case(data, data, known=known), Run())


CODES = Schema(
    row_key="entry",
    columns=[Column(name=name, role="quasi", scale="nominal") for name in ("job", "area", "job_2", "area_2")],
)


def coded_twice(**options: object) -> dict[str, object]:
    """Five records; what is known of five persons, some of it under a second code only."""
    schema = Schema(row_key="id", columns=[Column(name=n, role="quasi", scale="nominal") for n in ("job", "area")])
    released = Dataset.from_frame(
        pa.table({"id": range(5), "job": ["a", "b", "c", "d", None], "area": ["x", "x", "y", "y", "z"]}), schema
    )
    known = pa.table(
        {
            "entry": range(5),
            "job": ["a", "q", "q", "d", "e"],
            "area": ["x", "x", "q", "q", "z"],
            "job_2": [None, "b", "c", None, None],
            "area_2": [None, None, "y", "y", None],
        }
    )
    held = Dataset.from_frame(known, CODES, released.engine)
    pairs = pa.table({"id": range(5), "entry": range(5)})
    ids = Schema(columns=[Column(name=name, scale="discrete") for name in ("id", "entry")])
    truth = Dataset.from_frame(pairs, ids, released.engine).frame.select("id", "entry")
    attack = ExactMatch(known=["job", "area"], targets="all", knowledge="file", **options)
    return attack.measure(Case(released, released, known=held, truth=truth), Run(key=bytes(32))).detail


def test_other_codes_find_whom_the_first_do_not() -> None:
    """By the first codes only entry 0; a gap in job_2 is the gap of record 4, and b and c are found under job_2."""
    both = {"job": ("job_2",), "area": ("area_2",)}
    assert coded_twice()["claims"] == 1
    missing = coded_twice(variants=both)
    assert [one["claims"] for one in missing["versions"]] == [1, 1, 2, 1]
    assert (missing["claims"], missing["correct"]) == (5, 5)
    first = coded_twice(variants=both, fallback="first")
    assert [one["claims"] for one in first["versions"]] == [1, 2, 2, 4]
    assert (first["claims"], first["correct"]) == (4, 4)  # the first again and again is one claim


def test_values_of_different_kinds_are_compared_as_text() -> None:
    """A code that one file holds as a number and the other as text is the same code; a gap is not the text \"\"."""
    schema = Schema(row_key="id", columns=[Column(name="age", role="quasi", scale="discrete")])
    words = Schema(row_key="entry", columns=[Column(name="age", role="quasi", scale="nominal")])
    released = Dataset.from_frame(pa.table({"id": [0, 1, 2], "age": [0, 17, None]}), schema)
    known = Dataset.from_frame(pa.table({"entry": [0, 1, 2], "age": ["0", "17", ""]}), words, released.engine)
    pairs = pa.table({"id": range(3), "entry": range(3)})
    ids = Schema(columns=[Column(name=name, scale="discrete") for name in ("id", "entry")])
    truth = Dataset.from_frame(pairs, ids, released.engine).frame.select("id", "entry")
    attack = ExactMatch(targets="all", knowledge="file")
    found = attack.measure(Case(released, released, known=known, truth=truth), Run(key=bytes(32))).detail
    assert (found["claims"], found["correct"], found["unmatched"]) == (2, 2, 1)


def test_what_cannot_be_tried_is_refused_at_once() -> None:
    many = {"pay": ("a", "b"), **{name: tuple(f"{name}{i}" for i in range(40)) for name in ("age", "job")}}
    attack = ExactMatch(known=["age", "job"], variants=many)
    assert [p.code for p in attack.problems(SCHEMA)] == ["not-a-key", "variants-without-file", "too-many-versions"]
    wide = Schema(columns=[Column(name=f"c{i}", role="quasi", scale="nominal") for i in range(40)])
    assert [p.code for p in ExactMatch(sub_keys=4).problems(wide)] == ["too-many-sub-keys"]
    assert not list(ExactMatch(sub_keys=3).problems(wide))
    with pytest.raises(DataError, match="no column 'nowhere'"):
        coded_twice(variants={"job": ("nowhere",)})


def test_only_the_holder_reads_what_stands_behind_keys() -> None:
    data = loaded(table())
    case, run = Case(data, data), Run(key=bytes(32))
    attack = ExactMatch(targets=800, sub_keys=2)
    exact = attack.measure(case, run)
    public = attack.disclose(case, run, exact)
    assert public is not None and len(exact.detail["sub_keys"]) == 6
    hidden = ("sub_keys", "one_to_one", "many_to_one", "unmatched", "identical", "ambiguous_records")
    assert all(public.detail[name] is None and exact.detail[name] is not None for name in hidden)
