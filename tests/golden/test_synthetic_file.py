"""The test of Müller, Blien, Knoche and Wirth (1991) on a file made for it: 9.2.3.5, Table 9.8 (L14612-14692).

Part B, 2.17 and 3.14: some records of a file get errors of process 4 and are looked for in the file itself, by somebody
who knows the process. There 145 of 500 were assigned at 0.99, 123 rightly, 52 of these with deviating values. Here: at
least a fifth assigned, four fifths of these rightly, and a third of those with deviating values.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.attacks.discriminant_match import DiscriminantMatch
from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.population.published_rates import published_rates
from schleier.lab.mistakes import preset, spoil

WIDTHS = {
    "municipality_size": 9, "sex": 2, "age": 61, "birth_half_year": 2, "industry": 15, "occupational_status": 4,
    "occupation": 26, "activity": 5, "field_of_study": 71, "region": 16,
}  # fmt: skip
"""Übersicht 8.2 (L12335-12362)."""
SKEWED = ("industry", "occupation", "activity")
ROWS, ASKED = 4000, 180
KEY = bytes(32)


@cache
def design() -> tuple[Case, Case]:
    """The file and some of its records with errors; and only those of them that have any."""
    rng = np.random.default_rng(1987)
    codes = {n: (rng.zipf(1.6, ROWS) - 1) % w if n in SKEWED else rng.integers(0, w, ROWS) for n, w in WIDTHS.items()}
    table: dict[str, Any] = {n: c + 20 if n == "age" else [f"{one:02d}" for one in c] for n, c in codes.items()}
    columns = [Column(name=n, role="quasi", scale="discrete" if n == "age" else "nominal") for n in WIDTHS]
    file = Dataset.from_frame(pa.table({"id": np.arange(ROWS), **table}), Schema(row_key="id", columns=columns))
    chosen = rng.choice(ROWS, ASKED, replace=False)
    own = pa.table({"entry": np.arange(ROWS), **table}).take(chosen)
    entries = Dataset.from_frame(own, Schema(row_key="entry", columns=columns), file.engine)
    process = preset("process_4", {name: name for name in WIDTHS})
    known = spoil(entries, process, Run(key=KEY))
    wrong = known.engine.arrays(known.frame.select("entry", *WIDTHS)).sort_by("entry")
    before = own.sort_by("entry")
    differs = np.any([np.asarray(wrong[n]) != np.asarray(before[n]) for n in WIDTHS], axis=0)
    assert differs.mean() == pytest.approx(
        1 - 0.2973, abs=5 * np.sqrt(0.21 / ASKED)
    )  # 3.2: free of errors in process 4
    pair = Schema(columns=[Column(name=name, scale="discrete") for name in ("id", "entry")])
    same = Dataset.from_frame(pa.table({"id": chosen, "entry": chosen}), pair, file.engine).frame.select("id", "entry")
    some = Dataset.from_frame(wrong.filter(pa.array(differs)), known.schema, file.engine)
    return Case(file, file, known=known, truth=same), Case(file, file, known=some, truth=same)


@pytest.mark.parametrize("variant", ["simple", "full"])
def test_table_9_8(variant: Any) -> None:
    rates = dict(published_rates()["process_4"]) | {"age": 1.5 * np.sqrt(0.1) / (61 / np.sqrt(12))}
    rates["sex"] = max(rates["sex"], 0.002)
    attack = DiscriminantMatch(targets="all", knowledge="file", errors=rates, variant=variant)
    every, deviating = (attack.measure(case, Run(key=KEY)).detail for case in design())
    assert every["claims"] >= 0.2 * ASKED
    assert every["correct"] >= 0.8 * every["claims"]
    assert deviating["correct"] >= every["correct"] / 3
