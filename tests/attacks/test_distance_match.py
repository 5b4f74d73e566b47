"""Near matches: the worked example, sets of values, gaps and mistakes, and what the rules claim."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from golden.test_overview_3_3 import FILE, KNOWLEDGE, V, people
from schleier.attacks.distance_match import DistanceMatch
from schleier.attacks.exact_match import ExactMatch
from schleier.core.data import Dataset
from schleier.core.errors import DataError
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.core.trust.sides import Words, sides_of
from schleier.core.trust.trustee import ALIAS, TARGET
from schleier.testing import example_schema, example_table

KEY = bytes(range(32))


def claimed(**how: Any) -> dict[str, str]:
    """Who is claimed to be which record in the worked example, by the names there."""
    file = people(FILE, "id")
    known = people(KNOWLEDGE, "entry", file.engine)
    import narwhals as nw

    released = file.mutate(**{ALIAS: nw.col("id")})
    wanted = known.mutate(**{TARGET: nw.col("entry")})
    claims = DistanceMatch(**how).claim(released, wanted, V, Run(key=KEY))
    rows = file.engine.arrays(claims.pairs).to_pylist()
    return {row[TARGET]: row[ALIAS] for row in rows}


def test_the_worked_example_by_hamming() -> None:
    """T-11: L, M, O and Q have ties; the nearest of N is E, not B as by Euclid."""
    assert claimed(metric="hamming") == {"H": "H", "I": "I", "K": "G", "N": "E", "P": "D"}
    assert claimed(metric="hamming", within=1) == {"H": "H", "I": "I", "K": "G", "N": "E"}
    assert claimed(metric="hamming", within=0) == {"H": "H", "I": "I"}


def test_the_worked_example_by_euclid() -> None:
    """T-11: squared distances of the codes as they are, which is S = I; L and Q have ties."""
    spread = {name: float(np.std([row[j] for row in FILE.values()])) ** 2 for j, name in enumerate(V)}
    told = {"H": "H", "I": "I", "K": "G", "M": "A", "N": "B", "O": "G", "P": "D"}
    assert claimed(metric="euclid", weights=spread) == told
    assert claimed(metric="euclid", weights=spread, within=3.01) == {n: told[n] for n in "HIKM"}


def test_each_record_once() -> None:
    greedy = claimed(metric="hamming", rule="greedy")
    assert len(set(greedy.values())) == len(greedy) == 9
    mutual = claimed(metric="hamming", rule="mutual")
    assert mutual == {"H": "H", "I": "I", "K": "G", "N": "E", "P": "D"} == claimed(metric="hamming", rule="mutual")
    whole = claimed(metric="hamming", rule="assignment")
    assert len(set(whole.values())) == len(whole) == 9

    def cost(pairs: dict[str, str]) -> int:
        return sum(sum(a != b for a, b in zip(KNOWLEDGE[p], FILE[r], strict=True)) for p, r in pairs.items())

    assert cost(whole) <= cost(greedy)


def test_fishing_looks_for_the_person_of_each_record() -> None:
    found = claimed(metric="hamming", search="records", within=1)
    # B and F of the file are as near to Q: both claim that person, and one claim of a person is kept for each record
    assert {"H", "I", "K", "N"} <= set(found)


WAYS: list[tuple[str, Any]] = [
    ("mondrian", {"criteria": [{"criterion": "k_anonymity", "k": 4}]}),
    ("mondrian", {"criteria": [{"criterion": "k_anonymity", "k": 40}]}),
    ("partition_bottom_up", {"criteria": [{"criterion": "k_anonymity", "k": 4}]}),
    ("coarsen", {"criteria": [{"criterion": "k_anonymity", "k": 4}]}),
    ("suppress_local", {"k": 4}),
    ("recode", {"column": "age", "level": 2}),
    ("recode", {"column": "born", "level": 2}),
]


@pytest.mark.parametrize(("word", "how"), WAYS, ids=[f"{word}-{i}" for i, (word, _) in enumerate(WAYS)])
def test_whatever_coarsens_a_cell_it_may_still_be_the_true_value(word: str, how: Any) -> None:
    import narwhals as nw

    from schleier.core import registry

    declared = registry.get("method", word)
    data = Dataset.from_frame(example_table(), example_schema())
    released = declared(**how).apply(data, Run(key=KEY))
    names = ("age", "sex", "region", "born")
    key = data.schema.key
    known = data.mutate(**{TARGET: nw.col(key)})
    shown = released.mutate(**{ALIAS: nw.col(key)})
    sides = sides_of(shown, known, names, "anything")
    places = {alias: i for i, alias in enumerate(sides.records.to_pylist())}
    spots = np.array([places.get(target, -1) for target in sides.targets.to_pylist()])
    here = spots >= 0
    assert here.sum() > 100
    for column in sides.columns.values():
        if isinstance(column, Words):
            assert column.meets[column.cells[spots[here]], column.known[here]].all()
        else:
            assert (column.low[spots[here]] <= column.upto[here]).all()
            assert (column.known[here] <= column.high[spots[here]]).all()


def world(rows: int = 400, mistakes: float = 0.0, seed: int = 3) -> tuple[Dataset, Dataset, Any]:
    """A file, what somebody knows of the same persons with some mistakes, and who is who."""
    rng = np.random.default_rng(seed)
    widths = {"job": 30, "town": 40, "school": 6, "age": 70, "kids": 5}
    table = {name: rng.integers(0, width, rows) for name, width in widths.items()}
    wrong = {n: np.where(rng.random(rows) < mistakes, rng.integers(0, widths[n], rows), v) for n, v in table.items()}
    scales: dict[str, Any] = {"age": "discrete", "kids": "discrete"}
    columns = [Column(name=n, role="quasi", scale=scales.get(n, "nominal")) for n in widths]

    def texts(values: Any) -> dict[str, Any]:
        return {n: v if n in scales else [f"{n}{one}" for one in v] for n, v in values.items()}

    file = Dataset.from_frame(
        pa.table({"id": [f"i{i}" for i in range(rows)], **texts(table)}), Schema(row_key="id", columns=columns)
    )
    known = Dataset.from_frame(
        pa.table({"entry": [f"e{i}" for i in range(rows)], **texts(wrong)}),
        Schema(row_key="entry", columns=columns),
        file.engine,
    )
    link = pa.table({"id": [f"i{i}" for i in range(rows)], "entry": [f"e{i}" for i in range(rows)]})
    pair = Schema(columns=[Column(name=name, scale="text") for name in ("id", "entry")])
    return file, known, Dataset.from_frame(link, pair, file.engine).frame.select("id", "entry")


@pytest.mark.parametrize("metric", ["hamming", "gower", "euclid", "lambert", "mahalanobis"])
def test_mistakes_hinder_exact_matching_but_not_this(metric: Any) -> None:
    file, known, truth = world(mistakes=0.15)
    case = Case(file, file, known=known, truth=truth)
    exact = ExactMatch(targets="all", knowledge="file").measure(case, Run(key=KEY))
    near = DistanceMatch(targets="all", knowledge="file", metric=metric, rule="mutual").measure(case, Run(key=KEY))
    assert exact.detail["correct"] < 0.55 * 400  # 0.85^5 = 0.44 of them agree in all five columns
    assert near.detail["correct"] > 1.5 * exact.detail["correct"]
    assert near.detail["false_share"] < 0.2


def test_noise_is_no_better_than_guessing() -> None:
    file, _, truth = world()
    _, other, _ = world(seed=77)
    known = Dataset(other.frame, other.schema, other.engine)
    moved = Dataset.from_frame(known.engine.arrays(known.frame), known.schema, file.engine)
    case = Case(file, file, known=moved, truth=truth)
    for rule in ("best", "greedy", "mutual", "assignment"):
        found = DistanceMatch(targets="all", knowledge="file", rule=rule).measure(case, Run(key=KEY)).detail
        assert found["correct"] <= 8  # one is expected by chance; 9 or more: 1e-6


@pytest.mark.parametrize("missing", ["category", "anything"])
def test_a_record_that_is_the_same_is_nearer_than_one_that_may_be_anybodys(missing: Any) -> None:
    columns = [Column(name="sex", role="quasi", scale="nominal"), Column(name="age", role="quasi", scale="discrete")]
    table = pa.table({"sex": ["f", None, "m"], "age": [30, 40, None]})
    file = Dataset.from_frame(table, Schema(columns=columns))
    attack = DistanceMatch(targets="all", metric="hamming", missing=missing, within=0)
    found = attack.measure(Case(file, file), Run(key=KEY)).detail
    # Whoever is 40 may be the man without an age, and he may be 40: but each has a record that is the same.
    assert (found["claims"], found["correct"]) == (3, 3)


@pytest.mark.parametrize("metric", ["hamming", "gower", "euclid", "lambert"])
def test_gaps_do_not_hide_whom_an_exact_match_finds(metric: Any) -> None:
    file, _, _ = world()
    table, rng = file.engine.arrays(file.frame.select("id", *file.schema.names)), np.random.default_rng(5)
    held = {
        n: [None if n != "id" and rng.random() < 0.2 else v for v in table[n].to_pylist()] for n in table.column_names
    }
    gaps = Dataset.from_frame(pa.table(held), file.schema, file.engine)
    for case, least in ((Case(gaps, gaps), 1.0), (Case(file, gaps), 2.0)):  # a gap in both files is the same
        exact = ExactMatch(targets="all").measure(case, Run(key=KEY)).detail["correct"]
        near = DistanceMatch(targets="all", metric=metric, within=0).measure(case, Run(key=KEY)).detail
        assert near["correct"] >= least * exact and near["claims"] <= 1.02 * near["correct"]


def test_weights_and_errors_are_for_known_columns() -> None:
    schema = Schema(columns=[Column(name="sex", role="quasi", scale="nominal")])
    found = list(DistanceMatch(weights={"age": 2}, errors={"age": 0.1}).problems(schema))
    assert [one.where for one in found] == ["weights", "errors"]


@pytest.mark.parametrize("wrong", [{"within": -1}, {"metric": "cosine"}, {"errors": {"a": 0}}, {"candidates": 0}])
def test_bad_parameters(wrong: Any) -> None:
    from schleier.core.errors import SchleierError

    with pytest.raises((SchleierError, DataError, ValueError)):
        DistanceMatch(**wrong)
