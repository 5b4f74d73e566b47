"""Losses of whole tables, the front of risk and loss, lattices that are too large, and why nothing can be met."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.core.classes.request import Request
from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError
from schleier.core.hierarchy import parse
from schleier.core.loss import Coarsened
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.search.coarsen import Coarsen
from search.lattices import LEAVES, SCHEMA, dataset, failing, keys_at, mean_loss, nodes, rows, weighed_loss

TABLE_LOSSES = [
    {"measure": "discernibility_loss"},
    {"measure": "ambiguity_loss"},
    {"measure": "divergence_loss"},
    {"measure": "class_size_loss", "k": 2},
    {"measure": "classification_loss", "target": "ill"},
    {"measure": "generalised_loss", "aggregate": "max"},
    {"measure": "generalised_loss", "aggregate": "geometric"},
    {"measure": "generalised_loss", "aggregate": "rank", "weights": {"b": 0.5}},
    {"measure": "generalised_loss", "balance": 0.2},
    {"measure": "generalised_loss", "balance": 0.0, "aggregate": "rank"},
    {"measure": "precision_loss", "balance": 0.9, "aggregate": "geometric"},
    {"measure": "entropy_loss", "balance": 0.8},
    {"measure": "class_size_loss", "balance": 0.1},
    {"measure": "class_size_loss", "balance": 0.8},
    {"measure": "classification_loss", "target": "ill", "balance": 0.3},
    {"measure": "classification_loss", "target": "ill", "balance": 0.8},
    {"measure": "height_loss", "weights": {"a": 2.5}},
]


@settings(max_examples=12)
@given(records=rows, share=st.sampled_from([0.0, 0.3, 1.0]))
@pytest.mark.parametrize("loss", TABLE_LOSSES, ids=lambda loss: "-".join(map(str, loss.values())))
def test_any_loss_is_made_as_small_as_an_exhaustive_search_can(loss: Any, records: list[Any], share: float) -> None:
    data, run = dataset(records), Run(key=bytes(32))
    budget = min(int(share * len(records) + 1e-9), len(records) - 1)
    step = Coarsen(criteria=[{"criterion": "k_anonymity", "k": 2}], loss=loss, max_suppressed=share)
    classes = data.classes(Request(keys=tuple(LEAVES), sensitive=("ill",)))
    best = None
    for levels in nodes():
        node = Coarsened.at(classes, levels)
        bad = node.table.sizes < 2
        if node.table.sizes[bad].sum() <= budget and not bad.all():
            cost = step.loss.of(Coarsened.at(classes, levels, bad))
            best = cost if best is None else min(best, cost)
    if best is None:
        with pytest.raises(InfeasibleError):
            step.fit(data, run)
        return
    step.fit(data, run)
    assert run.notes[0].facts["loss"] == pytest.approx(best) and run.notes[0].facts["proven"]


@settings(max_examples=40)
@given(
    records=rows,
    share=st.sampled_from([0.3, 1.0]),
    balance=st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0]),
    aggregate=st.sampled_from(["mean", "max", "rank"]),
)
def test_balance_and_rank_are_what_their_page_says(
    records: list[Any], share: float, balance: float, aggregate: str
) -> None:
    budget = min(int(share * len(records) + 1e-9), len(records) - 1)
    costs = []
    for levels in nodes():
        keys = keys_at(records, levels)
        bad = failing(keys, ["flu"] * len(records), ["flu"] * len(records), 2)
        if sum(bad) <= budget and not all(bad):
            lost = sorted((weighed_loss(records, levels, bad, name, balance) for name in LEAVES), reverse=True)
            by_rank = (lost[0] + lost[1] / 1e3 + lost[2] / 1e6) / 1.001001
            costs.append({"mean": sum(lost) / 3, "max": lost[0], "rank": by_rank}[aggregate])
    loss = {"measure": "generalised_loss", "balance": balance, "aggregate": aggregate}
    step = Coarsen(criteria=[{"criterion": "k_anonymity", "k": 2}], loss=loss, max_suppressed=share)
    run = Run(key=bytes(32))
    if not costs:
        with pytest.raises(InfeasibleError):
            step.fit(dataset(records), run)
        return
    step.fit(dataset(records), run)
    assert run.notes[0].facts["loss"] == pytest.approx(min(costs), abs=1e-9) and run.notes[0].facts["proven"]


@settings(max_examples=25)
@given(records=rows, share=st.sampled_from([0.0, 0.3]))
def test_the_front_is_every_node_that_is_not_beaten(records: list[Any], share: float) -> None:
    budget = min(int(share * len(records) + 1e-9), len(records) - 1)
    ills = [row[3] for row in records]
    points = set()
    for levels in nodes():
        keys = keys_at(records, levels)
        for k in range(1, len(records) + 1):
            bad = failing(keys, ills, ills, k)
            if sum(bad) <= budget and not all(bad):
                smallest = min(Counter(key for key, gone in zip(keys, bad, strict=True) if not gone).values())
                points.add((round(1 / smallest, 9), round(mean_loss(records, levels, bad), 9)))
    expected = {
        (risk, loss)
        for risk, loss in points
        if not any(r <= risk and c <= loss and (r, c) != (risk, loss) for r, c in points)
    }
    step = Coarsen(criteria=[{"criterion": "k_anonymity", "k": 2}], max_suppressed=share)
    found = step.choices(dataset(records), Run(key=bytes(32)))
    assert {(round(point.risk, 9), round(point.loss, 9)) for point in found.front} == expected
    assert all(point.proven for point in found.front)


def test_what_was_looked_at_can_be_drawn() -> None:
    records = [("p", "u", "0", "flu"), ("q", "v", "0", "flu"), ("s", "w", "1", "flu")] * 3
    found = Coarsen(criteria=[{"criterion": "k_anonymity", "k": 4}]).choices(dataset(records), Run(key=bytes(32)))
    assert found.explored.column_names == [*LEAVES, "_loss_", "_suppressed_", "_met_"]
    met = [row for row in found.explored.to_pylist() if row["_met_"]]
    assert found.best is not None and min(row["_loss_"] for row in met) == pytest.approx(found.best.loss)
    assert found.best.levels in [{name: row[name] for name in LEAVES} for row in met]


def test_a_choice_without_proof_is_as_good_on_a_small_lattice(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [(a, b, c, "flu") for a in "pqrs" for b in "uvw" for c in "01" for _ in range(ord(a) % 3 + ord(b) % 2)]
    losses = []
    for largest in (1_000_000, 1):
        monkeypatch.setattr("schleier.search.coarsen.LARGEST", largest)
        run = Run(key=bytes(32))
        step = Coarsen(criteria=[{"criterion": "k_anonymity", "k": 4}], max_suppressed=0.1, heuristic=True)
        step.fit(dataset(records), run)
        losses.append(run.notes[0].facts)
    proven, guessed = losses
    assert guessed["loss"] == pytest.approx(proven["loss"])
    assert guessed["bound"] <= proven["loss"] + 1e-12


def wide(keys: int) -> Dataset:
    names = [f"x{i}" for i in range(keys)]
    columns = [Column(name=n, role="quasi", scale="discrete", hierarchy="x") for n in names]
    table = {n: [(7 * row * (i + 3) + row // 5) % 40 for row in range(400)] for i, n in enumerate(names)}
    schema = Schema(columns=columns, hierarchies={"x": parse({"intervals": [2**i for i in range(1, 9)]})})
    return Dataset.from_frame(pa.table(table), schema)


def test_a_lattice_of_a_million_million_nodes() -> None:
    step = Coarsen(criteria=[{"criterion": "k_anonymity", "k": 5}], max_suppressed=0.05, time_limit=2)
    with pytest.raises(InfeasibleError, match=r"1,000,000,000,000 nodes.*heuristic = true"):
        step.fit(wide(12), Run(key=bytes(32)))
    run = Run(key=bytes(32))
    fitted = step.model_copy(update={"heuristic": True}).fit(wide(12), run)
    facts = run.notes[0].facts
    assert facts["nodes"] == 10**12 and 0 < facts["bound"] <= facts["loss"] < 1 and not facts["proven"]
    table = fitted.apply(wide(12), run).to_arrow()
    counts = Counter(zip(*(column.to_pylist() for column in table.itercolumns()), strict=True))
    assert min(counts.values()) >= 5 and 400 - len(table) == fitted.suppressed_records <= 20


def test_what_is_unreachable_names_column_level_and_way_out() -> None:
    """The column without hierarchy is in the way; what can be reached, and what it costs to get there, is said."""
    columns = [*(c for c in SCHEMA.columns if c.name != "c"), Column(name="c", role="quasi", scale="nominal")]
    schema = SCHEMA.model_copy(update={"columns": tuple(columns)})
    data = dataset([("p", "u", "flu", "0")] * 37 + [("q", "v", "flu", "1")] * 3, schema)
    with pytest.raises(InfeasibleError) as caught:
        Coarsen(criteria=[{"criterion": "k_anonymity", "k": 5}]).fit(data, Run(key=bytes(32)))
    (problem,) = caught.value.problems
    assert problem.where == "criteria[0] (k_anonymity)" and "smallest class holds 3 records" in problem.message
    assert problem.hint == (
        "lower k to 3; column 'c' is in the way: give its hierarchy a coarser level, or "
        "drop it; or allow max_suppressed = 0.075"
    )
    fitted = Coarsen(criteria=[{"criterion": "k_anonymity", "k": 5}], max_suppressed=0.075).fit(
        data, Run(key=bytes(32))
    )
    assert fitted.suppressed_records == 3


def test_criteria_that_contradict_each_other_are_all_named() -> None:
    data = dataset([("p", "u", "0", "flu")] * 6)
    criteria = [
        {"criterion": "k_anonymity", "k": 5},
        {"criterion": "l_diversity", "l": 2},
        {"criterion": "k_anonymity", "k": 9},
    ]
    with pytest.raises(InfeasibleError) as caught:
        Coarsen(criteria=criteria, max_suppressed=1.0).fit(data, Run(key=bytes(32)))
    assert [problem.where for problem in caught.value.problems] == [
        "criteria[1] (l_diversity)",
        "criteria[2] (k_anonymity)",
    ]
