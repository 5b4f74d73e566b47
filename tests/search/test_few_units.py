"""Choices that leave too few units are passed over quickly: what is found is the same as if each had been tried."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.flow.recipe.entries import component
from schleier.search import _units


def households(seed: int, *, alike: bool = False, rows: int = 120) -> Dataset:
    """Members of households, some of them without a number of theirs; or six of each that look the same."""
    rng = np.random.Generator(np.random.Philox(key=seed))
    numbers = [int(n) if n < 40 else None for n in rng.integers(0, 44, rows)]
    table: dict[str, Any] = {"hh": numbers, "age": rng.integers(20, 60, rows), "sex": rng.choice(["m", "f"], rows)}
    if alike:
        homes = np.arange(rows) // 6
        table = {"hh": homes, "age": 20 + 2 * homes, "sex": np.where(homes % 2, "m", "f")}
    columns = [
        Column(name="hh", role="unit", scale="nominal"),
        Column(name="age", role="quasi", scale="discrete", hierarchy="age"),
        Column(name="sex", role="quasi", scale="nominal", hierarchy="sex"),
    ]
    hierarchies: dict[str, Any] = {"age": {"intervals": [5, 10, 20]}, "sex": {"prefix": [0]}}
    return Dataset.from_frame(pa.table(table), Schema(columns=columns, hierarchies=hierarchies))


def found(data: Dataset, k: int, share: float) -> Any:
    asked = {"criteria": [{"criterion": "k_anonymity", "k": k}], "max_suppressed": share}
    try:
        step = component("method", {"method": "coarsen", **asked}, "steps").fit(data, Run(bytes(32)))
    except InfeasibleError as error:
        return [one.code for one in error.problems]
    return step.levels, step.suppressed_records, step.kept


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("k", "share"), [(3, 0.0), (4, 0.3), (30, 0.2)])
def test_what_is_passed_over_would_not_have_done(
    seed: int, k: int, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = found(households(seed), k, share)
    monkeypatch.setattr(_units._Crowd, "surely_gone", lambda *_: 0)
    assert quick == found(households(seed), k, share)


def test_rows_are_not_labelled_for_what_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    settled = _units.settled

    def counted(*given: Any) -> Any:
        calls.append(given)
        return settled(*given)

    monkeypatch.setattr(_units, "settled", counted)
    found(households(1, alike=True), 4, 0.0)
    quick = len(calls)
    monkeypatch.setattr(_units._Crowd, "surely_gone", lambda *_: 0)
    found(households(1, alike=True), 4, 0.0)
    assert quick == 1 and len(calls) - quick > 1
