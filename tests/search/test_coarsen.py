from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schleier as sl
from schleier.core.classes.request import Request
from schleier.core.criterion import Limits
from schleier.core.data import Dataset
from schleier.core.errors import DataError, InfeasibleError, RecipeError
from schleier.core.hierarchy import parse
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.criteria.k_anonymity import KAnonymity
from schleier.criteria.l_diversity import LDiversity
from schleier.criteria.t_closeness import TCloseness
from schleier.search._goals import Demand
from schleier.search._optimum import Search
from schleier.search.coarsen import Coarsen
from schleier.utility.generalised_loss import GeneralisedLoss
from search.lattices import LEAVES, SCHEMA, dataset, exhaustive, rows

RUN = Run(key=bytes(32))


@settings(max_examples=60)
@given(records=rows, k=st.integers(2, 4), share=st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_the_result_is_that_of_an_exhaustive_search(records: list[Any], k: int, share: float) -> None:
    data, run = dataset(records), Run(key=bytes(32))
    step = Coarsen(criteria=[{"criterion": "k_anonymity", "k": k}], max_suppressed=share)
    expected = exhaustive(records, k, int(share * len(records) + 1e-9))
    if expected is None:
        with pytest.raises(InfeasibleError):
            step.fit(data, run)
        return
    fitted = step.fit(data, run)
    assert run.notes[0].facts["loss"] == pytest.approx(expected)
    released = fitted.apply(data, run)
    assert len(records) - released.rows == fitted.suppressed_records
    counts = Counter(zip(*(released.to_arrow()[name].to_pylist() for name in LEAVES), strict=True))
    assert min(counts.values()) >= k


FURTHER = {
    "diversity": ({"criterion": "l_diversity", "l": 2}, {"different": 2}),
    "closeness": ({"criterion": "t_closeness", "t": 0.4}, {"far": 0.4}),
}


@settings(max_examples=60)
@given(records=rows, share=st.sampled_from([0.0, 0.2, 0.5, 1.0]), which=st.sampled_from(["diversity", "closeness"]))
def test_further_criteria_are_searched_exactly_too(records: list[Any], share: float, which: str) -> None:
    data, run = dataset(records), Run(key=bytes(32))
    criterion, told = FURTHER[which]
    step = Coarsen(criteria=[{"criterion": "k_anonymity", "k": 2}, criterion], max_suppressed=share)
    expected = exhaustive(records, 2, int(share * len(records) + 1e-9), **told)
    if expected is None:
        with pytest.raises(InfeasibleError):
            step.fit(data, run)
        return
    step.fit(data, run)
    assert run.notes[0].facts["loss"] == pytest.approx(expected)


@settings(max_examples=40)
@given(records=rows, share=st.sampled_from([0.0, 0.3, 1.0]))
def test_what_the_walk_cannot_judge_is_judged_node_by_node(records: list[Any], share: float) -> None:
    """The same criteria, once as the walk knows them and once as if it knew nothing of them."""
    schema = SCHEMA
    budget = min(int(share * len(records) + 1e-9), len(records) - 1)
    criteria = [KAnonymity(k=2), LDiversity(l=2), TCloseness(t=0.45)]
    found = []
    for known in (True, False):
        demands = [Demand(c, c.needs(schema), c.limits(schema) if known else Limits()) for c in criteria]
        classes = dataset(records).classes(Request(keys=tuple(LEAVES), sensitive=("ill",)))
        best = Search(classes, demands, GeneralisedLoss(), budget, list(LEAVES)).best()
        found.append(None if best is None else round(best.cost, 9))
    assert found[0] == found[1]


@settings(max_examples=30)
@given(records=rows, seconds=st.sampled_from([1e-7, 1e-6, 1e-5, 10.0]))
def test_a_time_limit_tells_how_far_from_the_best_the_result_can_be(records: list[Any], seconds: float) -> None:
    data, run = dataset(records), Run(key=bytes(32))
    step = Coarsen(criteria=[{"criterion": "k_anonymity", "k": 2}], max_suppressed=0.5, time_limit=seconds)
    best = exhaustive(records, 2, min(len(records) // 2, len(records) - 1))
    if best is None:
        with pytest.raises(InfeasibleError):
            step.fit(data, run)
        return
    step.fit(data, run)
    facts = run.notes[0].facts
    assert facts["bound"] - 1e-9 <= best <= facts["loss"] + 1e-9
    assert not facts["proven"] or facts["loss"] == pytest.approx(best)
    assert facts["proven"] or seconds < 10


def test_a_hierarchy_that_does_not_cover_a_value(tmp_path: Path) -> None:
    data = Dataset.from_frame(pa.table({"a": ["p", "zz"], "b": ["u", "u"], "c": ["0", "0"], "ill": ["x", "x"]}), SCHEMA)
    with pytest.raises(DataError, match="1 values of column 'a' are not covered") as caught:
        Coarsen(criteria=[{"criterion": "k_anonymity", "k": 2}]).fit(data, RUN)
    assert "zz" not in str(caught.value)


def test_k_larger_than_the_file() -> None:
    data = dataset([("p", "u", "0", "flu")] * 3)
    with pytest.raises(InfeasibleError, match="holds 3 records; at least 4 are required"):
        Coarsen(criteria=[{"criterion": "k_anonymity", "k": 4}]).fit(data, RUN)


def test_no_criteria_is_no_search() -> None:
    with pytest.raises(RecipeError, match="nothing says what the result must meet"):
        Coarsen().fit(dataset([("p", "u", "0", "flu")] * 3), RUN)


def test_records_are_counted_where_another_criterion_counts_weights() -> None:
    columns = [*SCHEMA.columns, Column(name="w", role="weight", scale="continuous")]
    schema = SCHEMA.model_copy(update={"columns": tuple(columns)})
    rows = {"a": ["p", "q", "s"], "b": ["u"] * 3, "c": ["0"] * 3, "ill": ["x"] * 3, "w": [9.0] * 3}
    data = Dataset.from_frame(pa.table(rows), schema)
    criteria = [{"criterion": "k_anonymity", "k": 2}, {"criterion": "k_anonymity", "k": 5, "count": "weights"}]
    fitted = Coarsen(criteria=criteria).fit(data, Run(key=bytes(32)))
    assert fitted.levels == {"a": 3, "b": 0, "c": 0}


def test_a_row_that_a_criterion_leaves_out_does_not_fail_it() -> None:
    """Under "exclude" the lonely record with a gap is nobody's business; as a category it would be."""
    data = dataset([("p", "u", "0", "flu")] * 3 + [(None, "v", "0", "flu")])
    left_out = {"criterion": "k_anonymity", "k": 2, "missing": "exclude"}
    assert Coarsen(criteria=[left_out]).fit(data, RUN).levels == {"a": 0, "b": 0, "c": 0}
    assert Coarsen(criteria=[left_out | {"missing": "category"}]).fit(data, RUN).levels != {"a": 0, "b": 0, "c": 0}


def test_a_sensitive_column_is_no_key() -> None:
    step = Coarsen(columns=["a", "ill"], criteria=[{"criterion": "l_diversity", "l": 2, "keys": [["a"]]}])
    with pytest.raises(RecipeError, match="both key and sensitive: 'ill'"):
        step.fit(dataset([("p", "u", "0", "flu")] * 3), RUN)


def test_criteria_on_other_columns_are_refused() -> None:
    step = Coarsen(columns=["a", "b"], criteria=[{"criterion": "k_anonymity", "k": 2, "keys": [["a", "c"]]}])
    with pytest.raises(RecipeError, match="not searched: 'c'"):
        step.fit(dataset([("p", "u", "0", "flu")] * 3), RUN)


def test_a_lattice_that_is_too_large() -> None:
    names = [f"x{i}" for i in range(9)]
    steps = parse({"intervals": [2**i for i in range(1, 9)]})
    columns = [Column(name=n, role="quasi", scale="discrete", hierarchy="x") for n in names]
    table = pa.table({n: [1, 2, 3] for n in names})
    data = Dataset.from_frame(table, Schema(columns=columns, hierarchies={"x": steps}))
    with pytest.raises(InfeasibleError, match=r"1,000,000,000 nodes"):
        Coarsen(criteria=[{"criterion": "k_anonymity", "k": 2}]).fit(data, RUN)


def test_the_criteria_of_the_recipe_are_taken(tmp_path: Path) -> None:
    rows = "\n".join(f"{20 + n % 37},{'fm'[n % 2]}" for n in range(200))
    (tmp_path / "people.csv").write_text("age,sex\n" + rows + "\n", encoding="utf-8")
    (tmp_path / "recipe.toml").write_text(
        """
        [data]
        file = "people.csv"
        [schema]
        columns = [
          { name = "age", role = "quasi", scale = "discrete", hierarchy = "age" },
          { name = "sex", role = "quasi", scale = "nominal" },
        ]
        [hierarchies]
        age = { intervals = [5, 10, 20] }
        [[steps]]
        method = "coarsen"
        [[criteria]]
        criterion = "k_anonymity"
        k = 10
        [[measures]]
        measure = "generalised_loss"
        """,
        encoding="utf-8",
    )
    recipe = sl.Recipe.from_file(tmp_path / "recipe.toml")
    release = recipe.run(out=tmp_path / "release", key=bytes(32))
    assert release.report.criteria[0].holds
    facts = release.report.steps[0].facts
    found, levels = facts[0], facts[1]["levels"]
    assert levels["sex"] == 0 and levels["age"] in (1, 2) and found["proven"]
    assert release.report.findings[0].value == pytest.approx(found["loss"] * 2, abs=1e-6) or found["loss"] > 0
    again = sl.replay(tmp_path / "release", tmp_path / "people.csv", out=tmp_path / "again")
    assert again.audit.digest == release.audit.digest


def test_what_is_outside_joins_those_that_are_at_the_root_already() -> None:
    """Two ways to the root below the top are one class, in the search as in the release."""
    hierarchies = {
        "b": parse({"rows": [["u", "U", "*"], ["v", "U", "*"], ["w", "*", "*"]], "outside": "root"}),
        "c": parse({"rows": [["0", "*"], ["1", "*"]]}),
    }
    columns = [Column(name=name, role="quasi", scale="nominal", hierarchy=name) for name in hierarchies]
    schema = Schema(columns=columns, hierarchies=hierarchies)
    data = Dataset.from_frame(pa.table({"b": ["u", "v", "w", "zz"], "c": ["0", "0", "1", "1"]}), schema)
    fitted = Coarsen(criteria=[{"criterion": "k_anonymity", "k": 2}]).fit(data, Run(key=bytes(32)))
    assert fitted.levels == {"b": 1, "c": 0}


@settings(max_examples=40)
@given(
    records=rows,
    share=st.sampled_from([0.0, 0.3, 0.6, 1.0]),
    distance=st.sampled_from(["equal", "ordered", "kullback_leibler", "jensen_shannon"]),
    missing=st.sampled_from(["category", "exclude"]),
)
def test_every_distance_survives_suppression(records: list[Any], share: float, distance: str, missing: str) -> None:
    criteria = [
        {"criterion": "k_anonymity", "k": 2, "missing": missing},
        {"criterion": "t_closeness", "t": 0.4, "distance": distance},
    ]
    step, data = Coarsen(criteria=criteria, max_suppressed=share), dataset(records)
    try:
        fitted = step.fit(data, Run(key=bytes(32)))
    except InfeasibleError:
        return
    left = fitted.apply(data, Run(key=bytes(32)))
    assert all(criterion.holds(left) for criterion in step.criteria)


def test_a_loss_of_some_keys_on_a_lattice_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schleier.search.coarsen.LARGEST", 1)
    monkeypatch.setattr("schleier.search._greedy.GROUP", 3)
    loss = {"measure": "generalised_loss", "columns": ["a"]}
    step = Coarsen(criteria=[{"criterion": "k_anonymity", "k": 2}], loss=loss, heuristic=True)
    fitted = step.fit(dataset([("p", "u", "0", "flu"), ("p", "v", "1", "flu")] * 3), Run(key=bytes(32)))
    assert fitted.levels is not None and fitted.levels["a"] == 0


def test_a_time_limit_holds_where_nodes_are_judged_one_by_one() -> None:
    import time

    names = [f"x{i}" for i in range(6)]
    columns = [Column(name=n, role="quasi", scale="discrete", hierarchy="x") for n in names]
    columns.append(Column(name="w", role="weight", scale="continuous"))
    table = {n: [(7 * row * (i + 3) + row // 5) % 40 for row in range(2000)] for i, n in enumerate(names)}
    schema = Schema(columns=columns, hierarchies={"x": parse({"intervals": [2**i for i in range(1, 7)]})})
    data = Dataset.from_frame(pa.table(table | {"w": [1.5] * 2000}), schema)
    step = Coarsen(
        criteria=[{"criterion": "k_anonymity", "k": 300, "count": "weights"}], max_suppressed=0.2, time_limit=0.2
    )
    run, start = Run(key=bytes(32)), time.process_time()
    step.fit(data, run)
    assert not run.notes[0].facts["proven"]
    assert time.process_time() - start < 60  # without the limit it takes many minutes
