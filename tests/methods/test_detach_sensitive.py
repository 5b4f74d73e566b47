"""Sensitive values that belong to a class: permuted in it, or in a table of their own (Bitkom 2020, B-013)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.small import codes, done, small
from schleier.core.errors import InfeasibleError, SchleierError
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.detach_sensitive import DetachSensitive
from schleier.risk.attribute_risk import AttributeRisk

KINDS = {"k": ("nominal", "quasi"), "x": ("nominal", "sensitive"), "y": ("discrete", "sensitive"), "i": "discrete"}
CLASS = {"k": ["g"] * 4, "x": ["a", "a", "b", "c"]}


def by_class(table: dict[str, list[Any]], *names: str) -> Counter[Any]:
    return Counter(zip(*(table[name] for name in ("k", *names)), strict=True))


@settings(max_examples=10, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["p", "q", None]), st.sampled_from(["a", "b", None]), st.integers(0, 3)),
        min_size=3,
        max_size=12,
    ),
    st.booleans(),
)
def test_the_values_of_a_class_stay_in_it(rows: list[tuple[Any, ...]], together: bool) -> None:
    rows = rows * 3  # every class is large enough
    table = {name: [row[i] for row in rows] for i, name in enumerate("kxy")} | {"i": list(range(len(rows)))}
    data = small(table, **KINDS)
    found = done(DetachSensitive(together=together), data)
    assert (found["k"], found["i"]) == (table["k"], table["i"])
    assert by_class(found, "x") == by_class(table, "x") and by_class(found, "y") == by_class(table, "y")
    if together:
        assert by_class(found, "x", "y") == by_class(table, "x", "y")


def test_all_orders_are_equally_likely() -> None:
    """Which of three records gets whose value: each of six orders about 100 times in 600 classes, to four errors."""
    rows = 600
    table = {"k": [str(i // 3) for i in range(3 * rows)], "x": ["abc"[i % 3] for i in range(3 * rows)]}
    found = done(DetachSensitive(columns=["x"], keys=["k"]), small(table, k="nominal", x="nominal"))["x"]
    orders = Counter("".join(found[i : i + 3]) for i in range(0, 3 * rows, 3))
    assert len(orders) == 6
    assert all(abs(count - rows / 6) < 4 * (rows * 5 / 36) ** 0.5 for count in orders.values())


def test_columns_part_company_unless_together() -> None:
    table = {"k": ["g"] * 60, "x": [str(i) for i in range(60)], "y": list(range(60))}
    data = small(table, **KINDS)
    for together, same in ((True, 60), (False, 10)):
        found = done(DetachSensitive(together=together), data)
        pairs = sum(x == str(y) for x, y in zip(found["x"], found["y"], strict=True))
        assert pairs == 60 if together else pairs <= same  # one pair by chance, on average


def test_two_tables() -> None:
    """B-013: a class of (a, a, b, c) is told as a 2, b 1, c 1; the best guess is right with probability 0.5."""
    table = {"k": [*CLASS["k"], "f", "f", "f"], "x": [*CLASS["x"], "c", "c", None]}
    data = small(table, **KINDS)
    keys = done(DetachSensitive(table="keys"), data)
    assert keys == {"k": table["k"], "class": [2] * 4 + [1] * 3}  # in the order of the keys
    values = done(DetachSensitive(table="values"), data)
    told = set(zip(values["class"], values["x"], values["count"], strict=True))
    assert told == {(2, "a", 2), (2, "b", 1), (2, "c", 1), (1, "c", 2), (1, None, 1)}
    one = small(CLASS, **KINDS)
    best = AttributeRisk().measure(Case(one, one), Run()).detail["hits"]
    assert best == max(count for number, _, count in told if number == 2) / 4 == 0.5


def test_small_classes_and_wrong_parameters_are_refused() -> None:
    with pytest.raises(InfeasibleError, match="fewer than 3"):
        done(DetachSensitive(), small({"k": ["g", "g"], "x": ["a", "b"]}, **KINDS))
    schema = Schema(columns=[Column(name="k", role="quasi", scale="nominal"), Column(name="x", scale="nominal")])
    assert codes(DetachSensitive(), schema) == ["no-sensitive"]
    assert codes(DetachSensitive(columns=["k"]), schema) == ["sensitive-key"]
    bare = Schema(columns=[Column(name="x", role="sensitive", scale="nominal")])
    assert codes(DetachSensitive(), bare) == ["no-keys"]
    several = DetachSensitive(columns=["x", "y"], keys=["k"], table="values")
    whole = small(CLASS | {"y": [1, 2, 3, 4]}, **KINDS).schema
    assert codes(several, whole) == ["several-detached"]
    assert codes(DetachSensitive(table="keys", into="k"), whole) == ["name-taken"]
    one = DetachSensitive(columns=["x"], keys=["k"], table="values", into="n", count="N")
    assert codes(one, whole) == ["name-taken"]
    with pytest.raises(SchleierError, match="must differ"):
        DetachSensitive(columns=["k"], keys=["k"])
