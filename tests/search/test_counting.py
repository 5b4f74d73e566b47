"""Searches count as the criteria do: units, genuine records, values that are there, rows that are judged."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.core.classes.request import Request
from schleier.core.data import Dataset
from schleier.core.engine import Source
from schleier.core.errors import InfeasibleError
from schleier.core.method import Method
from schleier.core.registry import get
from schleier.core.run import Run
from schleier.core.schema import Column
from search.lattices import LEAVES, SCHEMA, cell_loss, dataset, nodes, rows

HOUSES = SCHEMA.model_copy(update={"columns": (*SCHEMA.columns, Column(name="house", role="unit", scale="nominal"))})
K3 = {"criterion": "k_anonymity", "k": 3}
SEARCHES = ["coarsen", "mondrian", "partition_bottom_up", "suppress_local"]
LIVED = [("p", "u", "0", "flu", "x")] * 4 + [("p", "u", "1", "flu", house) for house in "wzyv"]
LIVED += [("q", "v", "1", "flu", house) for house in "abcde"]


def step(word: str, *criteria: dict[str, Any], **more: Any) -> Method:
    k = {"k": 2} if word == "suppress_local" else {}
    found: Method = get("method", word)(criteria=list(criteria), **k, **more)
    return found


def cost(records: list[Any], levels: tuple[int, ...]) -> float:
    return sum(cell_loss(name, row[j], levels[j]) for row in records for j, name in enumerate(LEAVES))


def done(one: Method, data: Dataset) -> Dataset:
    return one.apply(data, Run(key=bytes(32)))


@pytest.mark.parametrize("word", SEARCHES)
def test_units_are_what_a_search_counts(word: str) -> None:
    """Four records of one house are one unit; the class of them is not good, though it holds enough records."""
    data = dataset(LIVED, HOUSES)
    released = done(step(word, K3), data)
    assert get("criterion", "k_anonymity")(k=3).holds(released)
    assert released.rows == 13
    by_records = done(step(word, K3 | {"count": "records"}), data)
    assert word == "suppress_local" or len(set(by_records.to_arrow()["c"].to_pylist())) == 2


def test_local_suppression_counts_units_without_a_criterion() -> None:
    released = done(get("method", "suppress_local")(k=3), dataset(LIVED, HOUSES))
    houses: dict[Any, set[Any]] = defaultdict(set)
    for *keys, _, house in zip(*released.to_arrow().to_pydict().values(), strict=True):
        houses[tuple(keys)].add(house)
    assert min(map(len, houses.values())) >= 3


@given(records=rows, houses=st.lists(st.sampled_from(["x", "y", "z", None]), min_size=30, max_size=30))
@settings(max_examples=15, deadline=None)
@pytest.mark.parametrize("word", ["mondrian", "partition_bottom_up", "suppress_local"])
def test_what_is_found_holds_by_units(word: str, records: list[Any], houses: list[str | None]) -> None:
    lived = dataset([(*row, house) for row, house in zip(records, houses, strict=False)], HOUSES)
    criterion = {"criterion": "k_anonymity", "k": 2}
    try:
        released = done(step(word, criterion), lived)
    except InfeasibleError:
        return
    assert get("criterion", "k_anonymity")(k=2).holds(released)


@pytest.mark.parametrize("word", SEARCHES)
def test_added_records_hide_nobody_from_a_search(word: str) -> None:
    """Three that look alike, two of them added: the one who is left must be hidden among others."""
    records = [("p", "u", "0", "flu")] * 3 + [("p", "u", "1", "flu")] * 4 + [("q", "v", "1", "flu")] * 5
    data = dataset(records)
    keys = data.engine.arrays(data.frame.sort("_row_").select("_row_"))["_row_"].slice(1, 2)
    marked = replace(data, added=data.engine.read(Source(pa.table({"_key_": keys}))))
    released = done(step(word, K3), marked)
    assert get("criterion", "k_anonymity")(k=3).holds(released)
    assert get("criterion", "k_anonymity")(k=3).holds(done(step(word, K3), data))


@pytest.mark.parametrize("word", SEARCHES)
def test_missing_values_make_no_class_diverse(word: str) -> None:
    records = [("p", "u", "0", ill) for ill in ("flu", "flu", None)]
    records += [(*keys, "1", ill) for keys in (("p", "u"), ("q", "v")) for ill in ("flu", "cold", "cold")]
    released = done(step(word, {"criterion": "l_diversity", "l": 2}), dataset(records))
    held: dict[Any, set[Any]] = defaultdict(set)
    for *keys, ill in zip(*released.to_arrow().to_pydict().values(), strict=True):
        held[tuple(keys)].add(ill)
    assert all(len(ills - {None}) >= 2 for ills in held.values())


@given(
    records=st.lists(
        st.tuples(*(st.sampled_from([*v, None]) for v in LEAVES.values()), st.sampled_from(["flu", "cold", None])),
        min_size=2,
        max_size=16,
    ),
    gaps=st.sampled_from(["ignore", "value"]),
    t=st.sampled_from([None, 0.2, 0.4]),
)
@settings(max_examples=40, deadline=None)
def test_the_compiled_search_finds_what_judging_every_node_finds(
    records: list[Any], gaps: str, t: float | None
) -> None:
    """A slow look at every node of the lattice, by the criterion itself."""
    one = {"criterion": "l_diversity", "l": 2} if t is None else {"criterion": "t_closeness", "t": t}
    data = dataset(records)
    search = get("method", "coarsen")
    criterion = get("criterion", str(one["criterion"]))(**{k: v for k, v in one.items() if k != "criterion"}, gaps=gaps)
    request = criterion.needs(data.schema)[0]
    tables = {levels: data.classes(request).at(levels) for levels in nodes()}
    good = {levels for levels, table in tables.items() if criterion.judge([table]).holds}
    try:
        levels = search(criteria=[one | {"gaps": gaps}]).fit(data, Run(key=bytes(32))).levels or {}
    except InfeasibleError:
        assert not good
        return
    chosen = tuple(levels.values())
    assert chosen in good
    assert cost(records, chosen) == pytest.approx(min(cost(records, levels) for levels in good))


@pytest.mark.parametrize("word", ["coarsen", "mondrian", "partition_bottom_up"])
def test_a_search_that_would_leave_every_row_out_is_not_done(word: str) -> None:
    records = [(None, "u", "0", "flu")] * 4 + [("p", None, "1", "flu")] * 4
    one = step(word, K3 | {"missing": "exclude"})
    if word != "coarsen":  # parts show what is missing as missing
        with pytest.raises(InfeasibleError):
            done(one, dataset(records))
        return
    released = done(one, dataset(records))
    assert released.classes(Request(("a", "b", "c"), missing="exclude")).records > 0
    assert get("criterion", "k_anonymity")(k=3, missing="exclude").holds(released)


def test_gaps_do_not_help_a_search_either() -> None:
    """Two blank rows once made every single person look like three."""
    records = [(a, b, c, "flu") for a in LEAVES["a"] for b in LEAVES["b"] for c in LEAVES["c"]] + [
        (None,) * 3 + ("flu",)
    ] * 2
    fitted = get("method", "coarsen")(criteria=[K3 | {"missing": "wildcard"}]).fit(dataset(records), Run(key=bytes(32)))
    assert any((fitted.levels or {}).values())
