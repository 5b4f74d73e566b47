"""Draws follow from the key, the step and the row, and from nothing else."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.engine import draw_prefix
from schleier.core.run import Run
from schleier.core.schema import ORDINAL, Column, Schema
from schleier.engine.duckdb import Duckdb

MANY = 20_000
# The largest distance between an empirical distribution of n draws and the true one exceeds this with a
# probability of one in a million (Dvoretzky, Kiefer, Wolfowitz; Massart's constant).
DISTANCE = math.sqrt(math.log(2 / 1e-6) / (2 * MANY))
# A correlation of n independent pairs has standard deviation 1 / sqrt(n): five of them.
CORRELATION = 5 / math.sqrt(MANY)

SCHEMA = Schema(columns=(Column(name="home", scale="nominal"),), row_key="id")


def people(count: int, engine: Duckdb, order: Any = None) -> Dataset:
    table = pa.table(
        {"id": [f"r{i}" for i in range(count)], "home": [None if i == 3 else i // 2 for i in range(count)]}
    )
    return Dataset.from_frame(table if order is None else table.take(pa.array(order)), SCHEMA, engine)


def draws(data: Dataset, run: Run, step: str = "s", purpose: str = "draw", by: str | None = None) -> dict[str, float]:
    with run.within(step):
        drawn = run.draw(data, "_u_", purpose, by)
    table = drawn.engine.arrays(drawn.frame.select("id", "_u_"))
    return dict(zip(table["id"].to_pylist(), table["_u_"].to_pylist(), strict=True))


def test_a_draw_is_the_hash_of_key_step_purpose_and_row(engine: Duckdb, key: bytes) -> None:
    run = Run(key=key)
    with run.within("s"):
        prefix = draw_prefix(run.subkey("draw"))
    found = draws(people(50, engine), run)
    for row, value in found.items():
        digest = hashlib.sha256(f"{prefix}{row}".encode()).hexdigest()
        assert value == int(digest[:13], 16) / 2**52


def test_draws_do_not_depend_on_the_order_of_rows(engine: Duckdb, key: bytes) -> None:
    order = np.random.default_rng(1).permutation(500)
    assert draws(people(500, engine, order), Run(key=key)) == draws(people(500, engine), Run(key=key))


def test_without_a_row_key_the_ordinal_of_the_row_keys_the_draw(engine: Duckdb, key: bytes) -> None:
    run = Run(key=key)
    schema = Schema(columns=(Column(name="home", scale="nominal"),))
    data = Dataset.from_frame(pa.table({"home": [7, 8, 9]}), schema, engine)
    drawn = run.draw(data, "_u_")
    table = engine.arrays(drawn.frame.select(ORDINAL, "_u_").sort(ORDINAL))
    prefix = draw_prefix(run.subkey("draw"))
    expected = [int(hashlib.sha256(f"{prefix}{i}".encode()).hexdigest()[:13], 16) / 2**52 for i in range(3)]
    assert table["_u_"].to_pylist() == expected


def test_draws_are_uniform(engine: Duckdb, key: bytes) -> None:
    found = np.sort(list(draws(people(MANY, engine), Run(key=key)).values()))
    assert found[0] >= 0 and found[-1] < 1
    steps = np.arange(MANY + 1) / MANY
    assert max((steps[1:] - found).max(), (found - steps[:-1]).max()) < DISTANCE


@pytest.mark.parametrize(
    ("changed", "other"),
    [("step", {"step": "t"}), ("purpose", {"purpose": "another"}), ("key", {})],
)
def test_another_label_gives_independent_draws(changed: str, other: dict[str, str], engine: Duckdb, key: bytes) -> None:
    data = people(MANY, engine)
    first = draws(data, Run(key=key))
    second = draws(data, Run(key=bytes(32) if changed == "key" else key), **other)
    assert not set(first.values()) & set(second.values())
    pairs = np.array([[first[row], second[row]] for row in first])
    assert abs(np.corrcoef(pairs.T)[0, 1]) < CORRELATION


def test_rows_of_a_unit_share_their_draw_and_missing_units_share_one(engine: Duckdb, key: bytes) -> None:
    found = draws(people(8, engine), Run(key=key), by="home")
    assert found["r0"] == found["r1"] != found["r2"] and found["r4"] == found["r5"]
    assert found["r3"] not in (found["r2"], found["r4"])


def test_drawing_leaves_the_dataset_as_it_was(engine: Duckdb, key: bytes) -> None:
    data = people(5, engine)
    Run(key=key).draw(data, "_u_")
    assert data.frame.collect_schema().names() == ["id", "home"]


def test_generators_follow_from_key_step_and_purpose(key: bytes) -> None:
    def first(run: Run, step: str = "", purpose: str = "p") -> int:
        with run.within(step):
            return int(run.rng(purpose).integers(2**62))

    same = first(Run(key=key))
    assert same == first(Run(key=key))
    assert len({same, first(Run(key=key), "s"), first(Run(key=key), purpose="q"), first(Run(key=bytes(32)))}) == 4


def test_a_run_makes_its_own_key_and_never_shows_it(key: bytes) -> None:
    assert len(Run().key) == 32 and Run().key != Run().key
    shown = repr(Run(key=key))
    assert key.hex() not in shown and repr(key) not in shown


@pytest.mark.parametrize("wrong", [b"", b"short", bytes(33)])
def test_a_key_of_another_length_is_refused(wrong: bytes) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Run(key=wrong)


def test_notes_belong_to_their_step_also_after_a_failure(key: bytes) -> None:
    run = Run(key=key)
    with pytest.raises(KeyError), run.within("outer"), run.within("inner"):
        run.note(n=1)
        raise KeyError
    run.note("restricted", n=2)
    assert [(note.visibility, note.step, note.facts) for note in run.notes] == [
        ("public", "inner", {"n": 1}),
        ("restricted", "", {"n": 2}),
    ]


def test_a_listener_hears_beginning_and_end() -> None:
    heard: list[tuple[str, int, int | None]] = []
    run = Run(listener=lambda *said: heard.append(said))
    with run.progress("reading"):
        heard.append(("between", 0, None))
    assert heard == [("reading", 0, None), ("between", 0, None), ("reading", 1, 1)]


def test_draws_survive_names_full_of_quotes(engine: Duckdb, key: bytes) -> None:
    name = """a"b'c`d.e"""
    schema = Schema(columns=(Column(name="x", scale="nominal"),), row_key=name)
    data = Dataset.from_frame(pa.table({name: [1, 2], "x": [1, 2]}), schema, engine)
    drawn = Run(key=key).draw(data, "_u_", by=name)
    assert engine.arrays(drawn.frame.select(nw.col("_u_")))["_u_"].null_count == 0
