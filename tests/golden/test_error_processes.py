"""The error processes of Table 9.4, made: Müller, Blien, Knoche and Wirth (1991), 9.2.2; part B, 3.11.

L is the line of the scanned text; the shares m without a second code are derived by inversion.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from schleier.core.data import Dataset
from schleier.core.run import Run
from schleier.core.schema import Column, Scale, Schema
from schleier.kernels.population.published_rates import published_rates
from schleier.lab.kinds import Alternative
from schleier.lab.mistakes import preset, spoil

WITHOUT = {"industry": 0.735, "occupation": 0.7365, "activity": 0.0, "field_of_study": 0.6333}
PROCESSES = ("process_1", "process_2", "process_3", "process_4")
VARIABLES = tuple(published_rates()["process_1"])
SECONDS = {name: f"{name}_2" for name in WITHOUT}
ROWS = 20_000


def scholars() -> Dataset:
    """Persons with ten variables, and second codes for as many as the source says; no second code equals a first."""
    rng = np.random.default_rng(4)
    table = {name: pa.array([f"{i:02}" for i in rng.integers(0, 40, ROWS)]) for name in VARIABLES}
    table |= {"sex": pa.array(rng.choice(["f", "m"], ROWS)), "age": pa.array(rng.integers(25, 70, ROWS))}
    for name, m in WITHOUT.items():
        without = np.arange(ROWS) < round(m * ROWS)
        table[f"{name}_2"] = pa.array(["x" + code.as_py() for code in table[name]], mask=rng.permutation(without))
    scale: dict[str, Scale] = {"age": "discrete"}
    columns = [Column(name=name, role="quasi", scale=scale.get(name, "nominal")) for name in table]
    return Dataset.from_frame(pa.table(table), Schema(columns=columns))


SCHOLARS = scholars()


@pytest.mark.parametrize(
    ("a", "m", "g"), [(0.15, 0.0, 0.575), (0.20, 0.735, 0.306), (0.15, 0.7365, 0.2620), (0.10, 0.6333, 0.2650)]
)
def test_a_second_code_is_taken_by_half(a: float, m: float, g: float) -> None:
    """G = a + 0.5 (1 - m) (1 - a), L15237-15274."""
    assert Alternative(rate=a, second="b").differs(m) == pytest.approx(g, abs=5e-5)


@pytest.mark.parametrize("process", PROCESSES)
def test_table_9_4_is_what_differs(process: str) -> None:
    """L13952-13980: as many values differ as printed, within five standard deviations."""
    mistakes = preset(process, {name: name for name in VARIABLES}, SECONDS)
    before, after = SCHOLARS.to_arrow(), spoil(SCHOLARS, mistakes, Run(key=bytes(32))).to_arrow()
    for name, rate in published_rates()[process].items():
        found = pc.mean(pc.not_equal(after[name], before[name]).cast(pa.float64())).as_py()
        assert abs(found - rate) <= 5 * np.sqrt(rate * (1 - rate) / ROWS) + 5e-5, name  # printed to a tenth per cent


@pytest.mark.parametrize("process", ["process_2", "process_4"])
def test_second_codes_are_taken_in_processes_2_and_4_only(process: str) -> None:
    names = {name: name for name in WITHOUT}
    assert all(one.mistake == "alternative" for (one,) in preset(process, names, SECONDS).columns.values())
    assert all(one.mistake != "alternative" for (one,) in preset("process_1", names, SECONDS).columns.values())
    plain = preset(process, names).columns
    assert {name: one.rate for name, (one,) in plain.items()} == {n: published_rates()[process][n] for n in WITHOUT}


def test_every_published_rate_has_a_way_to_go_wrong() -> None:
    for name, rates in published_rates().items():
        assert set(preset(name, {variable: variable for variable in rates}).columns) == set(rates)
