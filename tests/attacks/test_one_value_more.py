"""What everybody reads tells no hidden value to whoever knows all others: claims from true sums would."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.registry import get
from schleier.core.run import Run
from schleier.core.schema import Column, Schema

ROWS, CAP = 300, 5000.0
SCHEMA = Schema(
    row_key="id",
    columns=[
        Column(name="sex", role="quasi", scale="nominal"),
        Column(name="income", role="sensitive", scale="continuous"),
    ],
)


def case(highest: float) -> Case:
    """Incomes that are capped: whatever the highest is, the release is the same."""
    income = np.random.default_rng(4).uniform(800.0, CAP, ROWS)
    income[7] = highest
    rows = {"id": [f"p{i:03}" for i in range(ROWS)], "sex": ["fm"[i % 2] for i in range(ROWS)]}
    original = Dataset.from_frame(pa.table({**rows, "income": income}), SCHEMA)
    capped = pa.table({**rows, "income": np.minimum(income, CAP)})
    return Case(original, Dataset.from_frame(capped, SCHEMA, original.engine))


def findings(word: str, highest: float, **how: object) -> tuple[Finding, Finding | None]:
    attack = get("attack", word)(sensitive="income", by=["sex"], targets="all", **how)
    exact = attack.measure(seen := case(highest), Run(key=bytes(32)))
    return exact, attack.disclose(seen, Run(key=bytes(32)), exact)


def test_one_hidden_value_moves_many_claims() -> None:
    right = [findings("total_deficit", highest)[0].detail["correct"] for highest in (CAP + 10, CAP + 100, CAP + 400)]
    assert right[0] > right[1] + 10 > right[2] + 20  # so that blocks of ten would tell the value


@pytest.mark.parametrize(
    ("word", "how"),
    [("total_deficit", {}), ("outlier_difference", {"upper": CAP + 50})],
)
def test_nothing_of_it_is_public(word: str, how: dict[str, object]) -> None:
    assert [findings(word, highest, **how)[1] for highest in (CAP + 10, CAP + 400)] == [None, None]
