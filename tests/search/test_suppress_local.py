"""Local suppression: k holds under both readings of a gap, few cells go, and the same key blanks the same cells."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.slow_suppression import fewest_alone, fewest_together, smallest
from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError, RecipeError, SchleierError
from schleier.core.registry import get
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.search.suppress_local import SuppressLocal

Rows = list[tuple[Any, ...]]
KEY = bytes(range(32))
MARKER = "zzz-planted-marker"


def data(rows: Rows, types: Any = None) -> Dataset:
    width = len(rows[0])
    schema = Schema(columns=[Column(name=f"c{j}", role="quasi", scale="nominal") for j in range(width)])
    columns = {f"c{j}": pa.array([row[j] for row in rows], types[j] if types else pa.string()) for j in range(width)}
    return Dataset.from_frame(pa.table(columns), schema)


def suppressed(rows: Rows, types: Any = None, key: bytes = KEY, **parameters: Any) -> Rows:
    after = SuppressLocal(**parameters).apply(data(rows, types), Run(key=key)).to_arrow()
    return list(zip(*after.to_pydict().values(), strict=True))


def lost(before: Rows, after: Rows) -> list[int]:
    """Cells lost in each column; everything else must be as it was."""
    for row, result in zip(before, after, strict=True):
        assert all(b is None or b == a for a, b in zip(row, result, strict=True))
    gaps = [[sum(row[j] is None for row in rows) for j in range(len(rows[0]))] for rows in (before, after)]
    return [late - early for early, late in zip(*gaps, strict=True)]


def refusal(rows: Rows, error: Any = InfeasibleError, **parameters: Any) -> Any:
    with pytest.raises(error) as caught:
        suppressed(rows, **parameters)
    return caught.value.problems[0]


def test_a_rare_record_is_joined_by_as_few_others_as_needed() -> None:
    rows = [("f", "baker")] * 9 + [("f", "smith")] + [("m", "smith")] * 4
    after = suppressed(rows, k=3)
    # the smith loses her trade, and two of the nine bakers lose theirs: never a lonely gap
    assert Counter(after) == {("f", "baker"): 7, ("f", None): 3, ("m", "smith"): 4}
    assert after[9] == ("f", None)


def test_as_a_wildcard_only_the_rare_record_loses() -> None:
    rows = [("f", "baker")] * 9 + [("f", "smith")] + [("m", "smith")] * 4
    assert suppressed(rows, k=3, missing="wildcard")[:9] == rows[:9]
    assert sum(lost(rows, suppressed(rows, k=3, missing="wildcard"))) == 1


def test_important_columns_are_kept() -> None:
    rows = [("f", "baker")] * 4 + [("m", "smith")] * 4 + [("m", "baker")]
    for missing in ("category", "wildcard"):
        first = lost(rows, suppressed(rows, k=3, missing=missing, importance={"c0": 10}))
        second = lost(rows, suppressed(rows, k=3, missing=missing, importance={"c1": 10}))
        assert first[0] == 0 < first[1]
        assert second[1] == 0 < second[0]


def test_other_key_other_records() -> None:
    rows = [("f", "baker")] * 60 + [("f", "smith")]
    assert suppressed(rows, k=3) == suppressed(rows, k=3)
    others = {tuple(suppressed(rows, k=3, key=bytes([i] * 32))) for i in range(5)}
    assert len(others) == 5


values = st.sampled_from(["a", "b", "c", None])
tables = st.integers(1, 4).flatmap(lambda width: st.lists(st.tuples(*[values] * width), min_size=1, max_size=14))


@given(tables, st.integers(2, 4), st.sampled_from(["category", "wildcard"]), st.booleans())
@settings(deadline=None, max_examples=60)
def test_k_holds_and_few_cells_go(rows: Rows, k: int, missing: str, some: bool) -> None:
    """An independent slow look at every pair, gaps from before included; and the exact optimum."""
    most = 2 if some and len(rows[0]) > 2 else None
    try:
        after = suppressed(rows, k=k, missing=missing, most=most)
    except InfeasibleError as error:
        code = error.problems[0].code
        if code == "fewer-than-k":
            assert len(rows) < k
        else:
            assert code == "all-rare"
        return
    assert smallest(after, missing, most) >= k
    criterion = get("criterion", "k_anonymity")(k=k, missing=missing)
    if most is None and missing == "category":  # as wildcards the gaps of others count here, for comparison only
        assert criterion.holds(data(after))
    costs, cells = [1.0] * len(rows[0]), sum(lost(rows, after))
    if missing == "wildcard":
        assert cells == round(fewest_alone(rows, costs, k, most))
    elif most is None:
        assert cells <= 1.1 * fewest_together(rows, costs, k) + 1e-6


def test_lent_gaps_hold_as_sdcmicro_counts() -> None:
    rows = [("a", "a", "a")] * 3 + [tuple(f"{(i * j) % 4}" for j in (1, 3, 7)) for i in range(12)]
    after = suppressed(rows, k=3, missing="wildcard", lend=True)
    assert smallest(after, "wildcard") >= 3
    assert sum(lost(rows, after)) <= sum(lost(rows, suppressed(rows, k=3, missing="wildcard")))


def test_combinations_of_some_keys_lose_less() -> None:
    rows = [(f"{i % 3}", f"{i // 3 % 3}", f"{i // 9 % 3}") for i in range(27)]
    assert suppressed(rows, k=3, most=2) == rows
    assert suppressed(rows, k=3, most=2, missing="wildcard") == rows
    assert sum(lost(rows, suppressed(rows, k=3))) >= 27


def test_numbers_and_duplicates_and_constants() -> None:
    rows = [(1, 5)] * 4 + [(1, 6)] * 2 + [(1, None)]
    after = suppressed(rows, types=[pa.int64(), pa.int64()], k=3)
    assert Counter(after) == {(1, 5): 4, (1, None): 3}
    same = [(1, 1)] * 3
    assert suppressed(same, types=[pa.int64(), pa.int64()], k=3) == same


def test_columns_that_are_called_like_working_ones_stay() -> None:
    columns = [Column(name="sex", role="quasi", scale="nominal"), Column(name="_lost_items", scale="discrete")]
    table = pa.table({"sex": ["f"] * 5 + ["m"] * 9, "_lost_items": range(14)})
    after = SuppressLocal(k=3).apply(Dataset.from_frame(table, Schema(columns=columns)), Run(key=KEY))
    assert after.to_arrow()["_lost_items"].to_pylist() == list(range(14))


def test_empty_table() -> None:
    schema = Schema(columns=[Column(name="x", role="quasi", scale="nominal")])
    empty = Dataset.from_frame(pa.table({"x": pa.array([], pa.string())}), schema)
    assert SuppressLocal(k=3).apply(empty, Run()).rows == 0


def test_too_few_records() -> None:
    problem = refusal([("a",)], k=2)
    assert (problem.code, problem.where) == ("fewer-than-k", "k")
    assert "lower k to 1" in problem.hint
    assert refusal([("a",)] * 4, k=5, missing="wildcard").code == "fewer-than-k"


def test_nothing_could_stay() -> None:
    for missing in ("category", "wildcard"):
        problem = refusal([(MARKER, "1"), ("b", "2"), ("c", "3")], k=3, missing=missing)
        assert problem.code == "all-rare"
        assert MARKER not in str(problem)


def test_k_of_the_criteria() -> None:
    rows = [("a",)] * 4 + [("b",)] * 2 + [("c",)] * 6
    criteria = tuple(get("criterion", "k_anonymity")(k=k) for k in (2, 3))
    after = SuppressLocal().apply(data(rows), Run(key=KEY, criteria=criteria)).to_arrow()
    assert smallest(list(zip(*after.to_pydict().values(), strict=True)), "category") == 3
    assert refusal(rows, RecipeError).code == "no-criteria"


def test_what_is_told() -> None:
    run = Run(key=KEY)
    rows = [("f", MARKER)] * 9 + [("f", "smith")] + [("m", "smith")] * 4
    SuppressLocal(k=3, importance={"c1": 1.5}).apply(data(rows), run)
    facts = {name: value for note in run.notes for name, value in note.facts.items()}
    assert facts == {
        "cells": 3,
        "cells_by_column": {"c0": 0, "c1": 3},
        "blanked_records": 3,
        "cost": 4.5,
        "cost_at_least": 1.0,  # her sex alone, if a gap could be anything
    }
    assert MARKER not in json.dumps(facts)


@pytest.mark.parametrize(("rare", "told"), [(3, False), (10, True)])
def test_a_sum_does_not_tell_what_few_are(rare: int, told: bool) -> None:
    """Beside "fewer than 10" of one column the sum of all would tell their number."""
    run = Run(key=KEY)
    rows = [("f", "smith")] * 20 + [("f", f"{n}") for n in range(12)] + [(f"{n}", "smith") for n in range(rare)]
    SuppressLocal(k=3).apply(data(rows), run)
    public = {name: value for note in run.notes if note.visibility == "public" for name, value in note.facts.items()}
    assert public["cells_by_column"] == {"c0": rare, "c1": 12}
    assert ("cells" in public, "cost" in public) == (told, told)
    assert any(note.facts.get("cells") == 12 + rare for note in run.notes)


def test_a_combination_that_was_not_there_loses_everything() -> None:
    fitted = SuppressLocal(k=2).fit(data([("a", "b")] * 3), Run(key=KEY))
    after = fitted.apply(data([("a", "b"), ("a", "c")]), Run(key=KEY)).to_arrow()
    assert after.to_pydict() == {"c0": ["a", None], "c1": ["b", None]}
    assert fitted.again() == SuppressLocal(k=2)
    assert "patterns" not in fitted.parameters(public=True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"k": 1},
        {"k": 3, "keys": ["x", "x"]},
        {"k": 3, "keys": ["x"], "importance": {"y": 2}},
        {"k": 3, "importance": {"x": 0}},
        {"k": 3, "importance": {"x": float("nan")}},
        {"k": 3, "most": 0},
        {"k": 3, "lend": True},
        {"k": 3, "lend": True, "missing": "wildcard", "most": 2},
        {"k": 3, "missing": "exclude"},
        {"k": 3, "keys": [f"x{i}" for i in range(17)]},
        {"k": 3, "patterns": "nonsense"},
    ],
)
def test_bad_parameters(wrong: Any) -> None:
    with pytest.raises(SchleierError):
        SuppressLocal(**wrong)


def test_problems_before_any_row_is_read() -> None:
    wide = Schema(columns=[Column(name=f"x{i}", role="quasi", scale="nominal") for i in range(17)])
    plain = Schema(columns=[Column(name="x", scale="nominal")])
    assert [p.code for p in SuppressLocal(k=3).problems(wide)] == ["too-many-keys"]
    assert [p.code for p in SuppressLocal(k=3).problems(plain)] == ["no-keys"]
    assert [p.code for p in SuppressLocal(k=3, importance={"y": 2}).problems(data([("a",)]).schema)] == ["not-a-key"]
    assert [p.code for p in SuppressLocal(k=3, keys=["y"]).problems(plain)] == ["unknown-column"]


ILL = Schema(
    columns=[
        *(Column(name=name, role="quasi", scale="nominal") for name in ("a", "b", "c")),
        Column(name="ill", role="sensitive", scale="nominal"),
    ]
)
letters = st.sampled_from(["x", "y", "z"])
L2 = {"criterion": "l_diversity", "l": 2}


@settings(max_examples=60)
@given(
    rows=st.lists(st.tuples(letters, letters, letters, st.sampled_from(["flu", "cold"])), min_size=3, max_size=30),
    missing=st.sampled_from(["category", "wildcard"]),
)
def test_diversity_is_reached_too(rows: Rows, missing: str) -> None:
    names = ILL.names
    table = pa.table({name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(names)})
    step = SuppressLocal(k=2, missing=missing, criteria=[L2 | {"missing": missing}])
    if len({row[3] for row in rows}) < 2:
        with pytest.raises(InfeasibleError):
            step.fit(Dataset.from_frame(table, ILL), Run(key=KEY))
        return
    before = Dataset.from_frame(table, ILL)
    try:
        fitted = step.fit(before, Run(key=KEY))
    except InfeasibleError as error:
        assert error.problems[0].code == "all-rare"
        return
    after = list(zip(*fitted.apply(before, Run(key=KEY)).to_arrow().to_pydict().values(), strict=True))
    for row in after:
        like = [
            other
            for other in after
            if all(
                p == q or (missing == "wildcard" and None in (p, q)) for p, q in zip(row[:3], other[:3], strict=True)
            )
        ]
        assert len(like) >= 2 and len({other[3] for other in like}) >= 2
    gaps = {name: sum(row[i] is None for row in after) for i, name in enumerate(names[:3])}
    assert fitted.cells == gaps and fitted.records == sum(None in row[:3] for row in after)


def test_the_recipe_asks_for_diversity() -> None:
    """Five records are alike in all keys and in their illness; nothing of that is left."""
    rows = [("x", "y", "z", "flu")] * 5 + [("x", "y", "x", "cold")] * 5
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate(ILL.names)})
    run = Run(key=KEY, criteria=(get("criterion", "l_diversity")(l=2),))
    fitted = SuppressLocal(k=3).fit(Dataset.from_frame(table, ILL), run)
    assert fitted.cells == {"a": 0, "b": 0, "c": 10}
    assert SuppressLocal(k=3).fit(Dataset.from_frame(table, ILL), Run(key=KEY)).cells == {"a": 0, "b": 0, "c": 0}
