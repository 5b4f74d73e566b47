"""Small files to compare: original and release with a row key, and what a measure says of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding, Measure
from schleier.core.run import Run
from schleier.core.schema import Column, Schema


def data(table: Any = None, **columns: Any) -> Dataset:
    """A dataset: ``w`` is the weight, columns of text are nominal, all others continuous."""
    arrow = pa.Table.from_pandas(table, preserve_index=False) if table is not None else pa.table(columns)
    described = [
        Column(
            name=field.name,
            role="weight" if field.name == "w" else "plain",
            scale="nominal" if pa.types.is_string(field.type) or pa.types.is_large_string(field.type) else "continuous",
        )
        for field in arrow.schema
    ]
    return Dataset.from_frame(arrow, Schema(columns=described))


def found(measure: Measure, before: Dataset, after: Dataset, run: Run | None = None) -> Finding:
    return measure.measure(Case(before, after), run or Run(key=bytes(32)))


def audit(measure: Measure, before: Dataset, after: Dataset) -> dict[str, Any]:
    """What the measure leaves in the restricted audit; nothing of it is public."""
    run = Run(key=bytes(32))
    found(measure, before, after, run)
    assert [note.visibility for note in run.notes] == ["restricted"]
    return run.notes[0].facts


def sample(rows: int = 200, key: int = 1, gaps: bool = True) -> pd.DataFrame:
    """Three columns that depend on each other, a group and a weight; some values missing."""
    rng = np.random.Generator(np.random.Philox(key=key))
    x = rng.normal(10, 2, rows)
    y = 3 * x + rng.normal(0, 4, rows)
    frame = pd.DataFrame({"x": x, "y": y, "z": np.exp(rng.normal(0, 1, rows)) - x / 10})
    frame["g"] = np.where(rng.random(rows) < 0.4, "a", "b")
    frame["w"] = rng.integers(1, 6, rows).astype(float)
    if gaps:
        frame.loc[rng.random(rows) < 0.1, "x"] = np.nan
        frame.loc[rng.random(rows) < 0.1, "z"] = np.nan
    return frame


def noisy(frame: pd.DataFrame, key: int = 2, strength: float = 0.3) -> pd.DataFrame:
    """The same records with noise on the numbers."""
    rng = np.random.Generator(np.random.Philox(key=key))
    changed = frame.copy()
    for name in ("x", "y", "z"):
        changed[name] += rng.normal(0, strength * frame[name].std(), len(frame))
    return changed


def three(value: float) -> float:
    """As the report shows a distance."""
    return float(f"{abs(value):.3g}")
