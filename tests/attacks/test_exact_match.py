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
    """Keys drawn anew have nothing to do with the people: over 20 keys no more hits than blind luck allows."""
    data = loaded(table())
    claims = correct = 0
    for seed in range(20):
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
