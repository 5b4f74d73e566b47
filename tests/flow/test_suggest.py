"""Alternatives: what they say of risk and loss is what the released rows say, and rows are grouped once."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pyarrow as pa
import pytest

from schleier.core import registry
from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.criterion import Criterion
from schleier.core.data import Dataset
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.flow.memory import CachedDataset
from schleier.flow.suggest import Alternative, Risk, _no_worse, alternatives, risk_of


def people(rows: int = 300, sensitive: bool = False) -> Dataset:
    rng = np.random.default_rng(7)
    columns = [
        Column(name="age", role="quasi", scale="discrete", hierarchy="age"),
        Column(name="plz", role="quasi", scale="place", hierarchy="plz"),
        Column(name="sick", role="sensitive" if sensitive else "plain", scale="nominal"),
    ]
    schema = Schema(columns=columns, hierarchies={"age": {"intervals": [5, 20]}, "plz": {"prefix": [2, 1]}})
    table = {
        "age": rng.integers(20, 80, rows),
        "plz": rng.choice(["53117", "53121", "50667", "10115"], rows),
        "sick": np.where(np.arange(rows) < 3, "yes", "no"),
    }
    return Dataset.from_frame(pa.table(table), schema)


def k(least: int = 2) -> Criterion:
    found: Criterion = registry.get("criterion", "k_anonymity")(k=least)
    return found


def counted(data: Dataset) -> Counter[tuple[object, ...]]:
    table = data.to_arrow()
    return Counter(zip(*(table.column(key).to_pylist() for key in data.schema.quasi), strict=True))


def test_risk_is_that_of_the_rows() -> None:
    data = people()
    sizes = list(counted(data).values())
    risk = risk_of(data)
    assert risk.records == 300
    assert risk.unique == pytest.approx(sum(size == 1 for size in sizes) / 300)
    assert risk.highest == 1 / min(sizes)
    assert risk.average == pytest.approx(sum(size * (1 / size) for size in sizes) / 300)
    assert risk.expected == pytest.approx(len(sizes))


def visits(persons: int = 60, each: int = 6) -> Dataset:
    """Persons with several rows each, all with the same keys."""
    rng = np.random.default_rng(5)
    columns = [
        Column(name="person", role="unit", scale="nominal"),
        Column(name="age", role="quasi", scale="discrete", hierarchy="age"),
        Column(name="sex", role="quasi", scale="nominal"),
    ]
    schema = Schema(columns=columns, hierarchies={"age": {"intervals": [5, 20]}})
    ages, sexes = rng.integers(20, 80, persons), rng.choice(["f", "m"], persons)
    own = np.repeat(np.arange(persons), each)
    table = {"person": own.astype(str), "age": ages[own], "sex": sexes[own]}
    return Dataset.from_frame(pa.table(table), schema)


def units_of(data: Dataset) -> dict[tuple[object, ...], set[str]]:
    table, found = data.to_arrow().to_pydict(), defaultdict[tuple[object, ...], set[str]](set)
    for age, sex, person in zip(table["age"], table["sex"], table["person"], strict=True):
        found[age, sex].add(person)
    return found


def test_risk_counts_units_where_there_are_some() -> None:
    data = visits()
    own, rows, risk = units_of(data), counted(data), risk_of(data)
    assert min(map(len, own.values())) == 1 and min(rows.values()) == 6  # the other way nobody would stand alone
    assert (risk.records, risk.highest) == (360, 1.0)
    assert risk.unique == pytest.approx(sum(rows[key] for key in own if len(own[key]) == 1) / 360)
    assert risk.average == pytest.approx(sum(rows[key] / len(own[key]) for key in own) / 360)


@pytest.mark.parametrize("share", [0.0, 0.05])
def test_alternatives_reach_units(share: float) -> None:
    data, by_units = visits(), registry.get("criterion", "k_anonymity")(k=2, count="units")
    for one in alternatives(data, [by_units], [(3, share), (5, share)]):
        assert one.risk is not None and one.risk.highest <= 1 / one.k
        own = by_units.model_copy(update={"k": one.k})
        asked = [k(one.records).model_copy(update={"count": "records"})] if one.records else []
        released = registry.get("method", "coarsen")(max_suppressed=share).apply(data, Run(criteria=(*asked, own)))
        assert min(map(len, units_of(released).values())) == 1 / one.risk.highest >= one.k
        assert not one.proven or not one.records


def test_too_few_units_are_not_reachable() -> None:
    by_units = registry.get("criterion", "k_anonymity")(k=2, count="units")
    (one,) = alternatives(visits(persons=4), [by_units], [(5, 0.05)])
    assert not one.works and one.problems


def test_an_alternative_is_what_the_step_does() -> None:
    data = people()
    for one in alternatives(data, [k()], [(3, 0.0), (10, 0.05), (20, 0.05)]):
        run = Run(criteria=(k(one.k),))
        released = registry.get("method", "coarsen")(max_suppressed=one.max_suppressed).apply(data, run)
        sizes = list(counted(released).values())
        assert one.risk is not None and min(sizes) >= one.k
        assert one.risk.highest == 1 / min(sizes)
        assert one.left_out == 300 - sum(sizes) <= one.max_suppressed * 300
        assert {name for name, _, _ in one.levels} == {"age", "plz"}
        assert all(0 <= level <= depth == 3 for _, level, depth in one.levels)


def test_what_may_be_left_out_costs_less_and_more_protection_costs_more() -> None:
    wanted = [(least, share) for least in (3, 10, 20) for share in (0.0, 0.05)]
    found = {(one.k, one.max_suppressed): one.loss for one in alternatives(people(), [k()], wanted)}
    for least in (3, 10, 20):
        assert found[least, 0.05] <= found[least, 0.0]
    for share in (0.0, 0.05):
        assert found[3, share] <= found[10, share] <= found[20, share]


def test_other_criteria_stay_as_they_are() -> None:
    diverse = registry.get("criterion", "l_diversity")(l=2)
    (alone,) = alternatives(people(sensitive=True), [k()], [(3, 0.0)])
    (both,) = alternatives(people(sensitive=True), [k(), diverse], [(3, 0.0)])
    assert alone.loss < both.loss


def test_what_cannot_be_reached_says_why() -> None:
    many, few = alternatives(people(), [k()], [(301, 0.0), (3, 0.0)])
    assert not many.works and few.works
    assert {problem.code for problem in many.problems} == {"unreachable"}
    assert many == Alternative(301, 0.0, problems=many.problems)


def test_a_lattice_that_is_too_large_is_searched_in_part() -> None:
    names = [f"c{i}" for i in range(9)]
    columns = [Column(name=name, role="quasi", scale="discrete", hierarchy="wide") for name in names]
    schema = Schema(columns=columns, hierarchies={"wide": {"intervals": [1, 2, 4, 8, 16, 32]}})
    data = Dataset.from_frame(pa.table({name: [1, 2, 3, 4] for name in names}), schema)
    (one,) = alternatives(data, [k()], [(2, 0.0)])
    assert one.works and one.nodes == 8**9 > 1_000_000
    assert 0 < one.looked_at < one.nodes and one.risk is not None and one.risk.highest <= 1 / 2


def test_rows_are_grouped_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, Request]] = []
    group = Dataset.classes

    def classes(self: Dataset, request: Request) -> Classes:
        asked.append((id(self.frame), request))
        return group(self, request)

    monkeypatch.setattr(Dataset, "classes", classes)
    data = people()
    alternatives(data, [k()], [(3, 0.0), (5, 0.0), (10, 0.0), (20, 0.0)])
    assert sum(frame == id(data.frame) for frame, _ in asked) == 1


def test_other_rows_are_counted_for_themselves() -> None:
    import narwhals as nw

    data = people()
    shared = CachedDataset.of(data)
    request = Request(keys=("plz",))
    assert shared.classes(request).records == 300
    some = shared.filter(nw.col("plz") == "53117")
    assert isinstance(some, CachedDataset)
    assert some.classes(request).records == counted(data.filter(nw.col("plz") == "53117")).total()
    assert shared.classes(request).records == 300


def test_what_meets_a_stricter_demand_for_less_is_taken() -> None:
    risk = Risk(10, 0.0, 0.1, 0.1)
    strict, lax = Alternative(5, 0.0, risk, loss=0.4), Alternative(3, 0.05, risk, loss=0.6, proven=False)
    taken = _no_worse(lax, [strict, lax])
    assert (taken.k, taken.max_suppressed, taken.loss, taken.proven) == (3, 0.05, 0.4, False)
    assert _no_worse(strict, [strict, lax]) is strict
