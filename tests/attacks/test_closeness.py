"""How many values were hardly changed."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from attacks.worlds import counts, table, tried
from schleier.attacks.closeness import Closeness
from schleier.core.measure import Case
from schleier.core.run import Run

RNG = np.random.default_rng(8)


def test_the_share_of_plain_noise() -> None:
    n, x = 4000, RNG.lognormal(7, 1, 4000)
    found = tried(Closeness(sensitive="x", targets="all"), table(x=x), table(x=x * RNG.normal(1, 0.1, n)))
    expected = math.erf(0.5 / math.sqrt(2))
    assert abs(found.value - expected) < 4 * math.sqrt(expected * (1 - expected) / n)
    assert found.value == found.detail["as_it_stands"]


def test_the_smallest_change() -> None:
    original, released = table(x=[100.0, 0.0, -50.0]), table(x=[110.0, 0.0, -51.0])
    found = tried(Closeness(sensitive="x", targets="all"), original, released)
    assert counts(found) == (3, 2) and found.detail["all_changed"] is False
    assert tried(Closeness(sensitive="x", within=0.01, targets="all"), original, released).detail["all_changed"] is True
    nothing = tried(Closeness(sensitive="x", targets="all"), table(x=[0.0, np.nan]), table(x=[1.0, 1.0]))
    assert nothing.detail["all_changed"] is None and counts(nothing) == (1, 0)


def test_the_smallest_change_is_a_secret_of_the_method() -> None:
    run, case = Run(), Case(table(x=[100.0, -50.0]), table(x=[110.0, -51.0]))
    found = Closeness(sensitive="x", targets="all").measure(case, run)
    assert "0.02" not in found.model_dump_json()
    (note,) = (note for note in run.notes if "least_change" in note.facts)
    assert (note.visibility, note.facts["least_change"]) == ("restricted", 0.02)


def test_no_rows() -> None:
    found = tried(Closeness(sensitive="x", targets="all"), table(x=[]), table(x=[]))
    assert (found.value, found.low, found.high, found.detail["baseline"]) == (0.0, 0.0, 1.0, 0.0)
    assert tried(Closeness(sensitive="x", targets="all"), table(x=[1.0]), table(x=[])).detail["claims"] == 0


CELL = st.tuples(st.sampled_from([0.0, 1.0, -2.0, 10.0, None]), st.sampled_from([0.0, 1.04, -2.2, 10.0, None]))


@settings(max_examples=30, deadline=None)
@given(st.lists(CELL, min_size=1, max_size=12))
def test_equals_the_slow_way(rows: list[tuple[float | None, float | None]]) -> None:
    true, seen = zip(*rows, strict=True)
    found = tried(Closeness(sensitive="x", targets="all"), table(x=list(true)), table(x=list(seen))).detail
    held = [(t, s) for t, s in rows if t is not None]
    assert (found["targets"], found["without_value"]) == (len(held), len(rows) - len(held))
    assert found["claims"] == sum(s is not None for _, s in held)
    assert found["correct"] == sum(s is not None and abs(s - t) <= 0.05 * abs(t) for t, s in held)


def test_no_value_is_told() -> None:
    data = table(x=[4242.25] * 60, branch=["MARKER"] * 60)
    said = tried(Closeness(sensitive="x", targets="all"), data, data).model_dump_json()
    assert "4242" not in said and "MARKER" not in said
