"""Small releases made by hand, and a way to try attacks on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Role, Scale, Schema

KEY = bytes(32)
ROLES: dict[str, tuple[Role, Scale]] = {
    "branch": ("quasi", "nominal"),
    "region": ("quasi", "place"),
    "owner": ("unit", "nominal"),
    "weight": ("weight", "continuous"),
    "ill": ("sensitive", "nominal"),
}
"""Every other column is a sensitive number."""


def table(keys: Any = None, **columns: Any) -> Dataset:
    """A dataset with these columns; the row key counts from 0 unless given."""
    rows = len(next(iter(columns.values())))
    meant = {name: ROLES.get(name, ("sensitive", "continuous")) for name in columns}
    described = [Column(name=name, role=role, scale=scale) for name, (role, scale) in meant.items()]
    ids = np.arange(rows) if keys is None else np.array(keys, dtype=np.int64)
    plain = {n: pa.array(v, pa.string() if _words(n) else pa.float64(), from_pandas=True) for n, v in columns.items()}
    return Dataset.from_frame(pa.table({"id": ids, **plain}), Schema(row_key="id", columns=described))


def _words(name: str) -> bool:
    return ROLES.get(name, ("", "continuous"))[1] != "continuous"


def tried(attack: Any, original: Dataset, released: Dataset, **more: Any) -> Finding:
    """The finding of an attack, always with the same key."""
    found: Finding = attack.measure(Case(original, released, **more), Run(key=KEY))
    return found


def counts(finding: Finding) -> tuple[int, int]:
    """Claims, and those that are right."""
    return finding.detail["claims"], finding.detail["correct"]


def codes(attack: Any, schema: Schema) -> list[str]:
    """What is wrong with an attack for a table."""
    return [problem.code for problem in attack.problems(schema)]
