"""What every loss promises a search, and that the same number is found in the released file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from schleier.core import registry
from schleier.core.cell_loss import CellLoss
from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.data import Dataset
from schleier.core.hierarchy import ROOT, parse
from schleier.core.loss import Coarsened, Loss
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.testing import example_schema, example_table

RUN = Run(key=bytes(32))
KEYS = ("town", "job", "age", "sex")
SCHEMA = Schema(
    row_key="id",
    columns=(
        Column(name="town", role="quasi", scale="nominal", hierarchy="town"),
        Column(name="job", role="quasi", scale="nominal", hierarchy="job"),
        Column(name="age", role="quasi", scale="discrete", hierarchy="age"),
        Column(name="sex", role="quasi", scale="nominal"),
        Column(name="ill", role="sensitive", scale="nominal"),
    ),
    hierarchies={
        "town": parse(
            {"rows": [["p", "P", "X", "*"], ["q", "P", "X", "*"], ["r", "R", "X", "*"], ["s", "S", "Y", "*"]]}
        ),
        "job": parse({"rows": [["u", "U", "*"], ["v", "U", "*"], ["w", "W", "*"]], "outside": "root"}),
        "age": parse({"balanced": [4, 2]}),  # learned from the data
    },
)
FIELDS = {
    "town": ["p", "q", "r", "s", None],
    "job": ["u", "v", "w", "unheard of", None],
    "age": [20, 21, 30, 35, 40, 55, 60, None],
    "sex": ["f", "m", None],
    "ill": ["flu", "cold", None],
}
records = st.lists(st.tuples(*map(st.sampled_from, FIELDS.values())), min_size=1, max_size=25)
LOSSES = [name for name in registry.names("measure") if issubclass(registry.get("measure", name), Loss)]
AGGREGATES = ("mean", "geometric", "sum", "max", "rank")
BALANCES = (0.5, 0.0, 0.2, 0.9, 1.0)
TARGET = {"classification_loss": {"target": "ill"}}


def made(word: str, **parameters: Any) -> Any:
    return registry.get("measure", word)(**TARGET.get(word, {}), **parameters)


def dataset(rows: list[tuple[Any, ...]]) -> Dataset:
    types = [pa.int64() if name == "age" else pa.string() for name in FIELDS]
    columns = {n: pa.array([row[i] for row in rows], types[i]) for i, n in enumerate(FIELDS)}
    return Dataset.from_frame(pa.table({"id": [f"r{i}" for i in range(len(rows))], **columns}), SCHEMA)


def classes(data: Dataset, keys: tuple[str, ...] = KEYS) -> Classes:
    """Class table with the learned hierarchy filled in, as a search makes it."""
    import narwhals as nw

    age = SCHEMA.hierarchies["age"].fit(*data.counts(nw.col("age")))
    fitted = SCHEMA.model_copy(update={"hierarchies": {**SCHEMA.hierarchies, "age": age}})
    return data.described(fitted).classes(Request(keys=keys, sensitive=("ill",)))


def in_memory(rows: list[tuple[Any, ...]], keys: tuple[str, ...] = KEYS) -> Classes:
    """The same without an engine: many random tables are made."""
    from schleier.core.classes.groups import from_groups
    from schleier.core.classes.parts import Parts

    types = {name: pa.int64() if name == "age" else pa.string() for name in FIELDS}
    table = pa.table({n: pa.array([row[i] for row in rows], types[n]) for i, n in enumerate(FIELDS)})
    ages = table["age"].combine_chunks().drop_null()
    found = ages.value_counts()
    age = SCHEMA.hierarchies["age"].fit(found.field("values"), found.field("counts").to_numpy())
    hierarchies = {**SCHEMA.hierarchies, "age": age}
    count = ([], "count_all")
    grouped = table.group_by(list(keys)).aggregate([count]).rename_columns([*keys, "_n_"])
    by_ill = table.group_by([*keys, "ill"]).aggregate([count]).rename_columns([*keys, "ill", "_n_"])
    used = [hierarchies.get(SCHEMA[name].hierarchy or "") for name in keys]
    return from_groups(Parts(grouped, {"ill": (by_ill, ("ill",))}, None), keys, used)


def depths(fine: Classes) -> list[int]:
    return [h.depth if h else 0 for h in fine.hierarchies]


@st.composite
def losses(draw: st.DrawFn, word: str) -> Any:
    columns = draw(st.lists(st.sampled_from(KEYS), unique=True))
    fields, given_ = registry.get("measure", word).model_fields, dict[str, Any]()
    if "balance" in fields:
        given_["balance"] = draw(st.sampled_from(BALANCES))
    if "weights" in fields:
        given_["weights"] = draw(st.dictionaries(st.sampled_from(KEYS), st.sampled_from([0.5, 1.0, 3.0])))
    if "aggregate" in fields:
        given_["aggregate"] = draw(st.sampled_from(AGGREGATES))
    return made(word, columns=tuple(columns), **given_)


@pytest.mark.parametrize("word", LOSSES)
@settings(max_examples=60, deadline=None)
@given(data=st.data(), rows=records)
def test_no_coarser_node_is_cheaper_than_the_floor(word: str, data: st.DataObject, rows: list[Any]) -> None:
    loss, fine = data.draw(losses(word)), in_memory(rows)
    tops = depths(fine)
    levels = [data.draw(st.integers(0, top)) for top in tops]
    coarser = [data.draw(st.integers(level, top)) for level, top in zip(levels, tops, strict=True)]
    here, there = Coarsened.at(fine, levels), Coarsened.at(fine, coarser)

    def some_bad(node: Coarsened) -> Coarsened:
        size = len(node.table)
        bad = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
        return Coarsened.at(fine, node.levels, np.array(bad, dtype=np.bool_))

    floor = loss.floor(here)
    assert loss.floor(some_bad(here)) == floor
    assert floor <= loss.of(there) + 1e-12
    dropped = some_bad(there)
    assert floor <= loss.of(dropped) + 1e-12
    assert 0.0 <= loss.of(dropped) <= 1.0


@pytest.mark.parametrize("word", LOSSES)
@settings(max_examples=30, deadline=None)
@given(data=st.data(), rows=records)
def test_nothing_is_left_when_all_is_dropped(word: str, data: st.DataObject, rows: list[Any]) -> None:
    fine = in_memory(rows)
    node = Coarsened.at(fine, [0] * 4)
    gone = Coarsened.at(fine, [0] * 4, np.ones(len(node.table), dtype=np.bool_))
    for plain in [made(word, aggregate=a) for a in AGGREGATES] if _cells(word) else [made(word)]:
        loss = _balanced(plain, data.draw(st.sampled_from(BALANCES)))
        assert loss.of(gone) == pytest.approx(1.0, abs=1e-12)
        if _cells(word) or word in ("ambiguity_loss", "divergence_loss", "height_loss"):
            assert loss.of(node) == 0.0  # all is as it was


@pytest.mark.parametrize("word", LOSSES)
def test_an_empty_table_has_nothing_to_lose(word: str) -> None:
    data = dataset([("p", "u", 20, "f", "flu")])
    fine = classes(data)
    nobody = fine.only(np.zeros(len(fine), dtype=np.bool_))
    loss, node = made(word), Coarsened.at(nobody, [1, 1, 1, 0])
    assert loss.of(node) == loss.floor(node) == 0.0
    assert loss.about(SCHEMA, KEYS).of(node) == 0.0


def _cells(word: str) -> bool:
    return issubclass(registry.get("measure", word), CellLoss)


def _balanced(loss: Any, balance: float) -> Any:
    return loss.model_copy(update={"balance": balance}) if "balance" in type(loss).model_fields else loss


def release(rows: list[Any], node: Coarsened) -> Dataset:
    """What a recoding to these levels would release: built row by row from the hierarchies."""
    fine, out = node.fine, []
    spots = {tuple(row): i for i, row in enumerate(fine.codes.tolist())}
    values = [[None if v is None else v for v in column.to_pylist()] for column in fine.values]
    for number, row in enumerate(rows):
        own = [row[list(FIELDS).index(name)] for name in fine.keys]
        code = tuple(-1 if v is None else values[j].index(v) for j, v in enumerate(own))
        if node.bad[node.place[spots[code]]]:
            continue
        cells: list[Any] = [f"r{number}"]
        for j, value in enumerate(own):
            hierarchy, level = fine.hierarchies[j], node.levels[j]
            if level == 0 or hierarchy is None:
                cells.append(None if value is None else str(value))
            elif level == hierarchy.depth:
                cells.append(ROOT)
            elif value is None:
                cells.append(None)
            else:
                cells.append(hierarchy.labels(pa.array([value]), level)[0].as_py() or ROOT)
        out.append((*cells, row[-1]))
    names = ["id", *fine.keys, "ill"]
    table = pa.table({name: pa.array([row[i] for row in out], pa.string()) for i, name in enumerate(names)})
    columns = [Column(name=c.name, role=c.role, scale="nominal") for c in SCHEMA if c.name in names]
    return Dataset.from_frame(table, Schema(row_key="id", columns=tuple(columns)))


def told_apart(node: Coarsened) -> bool:
    """Whether the labels that stay are those of one level only: the root apart, a file does not tell its levels."""
    stay = node.table.only(~node.bad)
    for j, (hierarchy, level) in enumerate(zip(node.fine.hierarchies, node.levels, strict=True)):
        shown = {stay.values[j][code].as_py() for code in stay.codes[:, j] if code >= 0} - {ROOT}
        for finer in range(level if hierarchy and shown else 0):
            leaves = hierarchy.domain(node.fine.values[j])
            labels = hierarchy.labels(leaves, finer) if finer else leaves.cast(pa.string())
            if shown <= set(labels.to_pylist()):
                return False
    return True


def tells_levels(node: Coarsened) -> bool:
    """Whether every column shows a label of its level: gaps and the root stand on several ones."""
    stay = node.table.only(~node.bad)
    for j, (hierarchy, level) in enumerate(zip(node.fine.hierarchies, node.levels, strict=True)):
        shown = {stay.values[j][code].as_py() if code >= 0 else None for code in stay.codes[:, j]}
        if hierarchy and not (level == hierarchy.depth and None in shown) and not shown - {None, ROOT}:
            return False
    return True


@pytest.mark.parametrize("word", LOSSES)
@settings(max_examples=4, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(data=st.data(), rows=records)
def test_the_file_shows_what_the_search_reported(word: str, data: st.DataObject, rows: list[Any]) -> None:
    original = dataset(rows)
    fine = classes(original)
    levels = [data.draw(st.integers(0, top)) for top in depths(fine)]
    size = len(Coarsened.at(fine, levels).table)
    bad = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    node = Coarsened.at(fine, levels, np.array(bad, dtype=np.bool_))
    assume(told_apart(node))
    released = release(rows, node)
    aggregate = data.draw(st.sampled_from(AGGREGATES))
    loss = made(word, aggregate=aggregate, weights={"job": 3.0}) if _cells(word) else made(word)
    loss = _balanced(loss, data.draw(st.sampled_from(BALANCES)))
    assume(tells_levels(node) or not (word == "height_loss" or (_cells(word) and loss.balance < 0.5)))
    settled = loss.about(SCHEMA, KEYS)
    found = loss.measure(Case(original, released), RUN).value
    if _cells(word) and aggregate == "sum":
        found /= sum(loss.weight(name) for name in settled.columns)
    assert found == pytest.approx(settled.of(node), abs=1e-9)


@pytest.mark.parametrize(("word", "aggregate"), [(w, a) for w in LOSSES for a in (AGGREGATES if _cells(w) else ("",))])
def test_the_release_of_a_search_shows_what_it_noted(word: str, aggregate: str) -> None:
    data = Dataset.from_frame(example_table(), example_schema()).drop("household")  # whole units would be dropped
    target = {"target": "disease"} if word in TARGET else {}
    cells = {"aggregate": aggregate, "weights": {"age": 2.0}} if aggregate else {}
    loss, run = {"measure": word, **target, **cells}, Run(key=bytes(32))
    step = registry.get("method", "coarsen")(
        criteria=[{"criterion": "k_anonymity", "k": 3}], loss=loss, max_suppressed=0.1
    )
    released = step.apply(data, run)
    noted = next(note.facts["loss"] for note in run.notes if "loss" in note.facts)
    found = step.loss.measure(Case(data, released), RUN).value
    assert released.rows < data.rows
    assert found / (3.0 if aggregate == "sum" else 1.0) == pytest.approx(noted)


def test_only_sums_over_cells_are_additive() -> None:
    assert {a: made("generalised_loss", aggregate=a).additive for a in AGGREGATES} == {
        "mean": True,
        "geometric": False,
        "sum": True,
        "max": False,
        "rank": False,
    }
    assert not made("generalised_loss", balance=0.4).additive
    assert not made("discernibility_loss").additive


def test_a_loss_says_which_histograms_it_wants() -> None:
    assert made("classification_loss").histograms(SCHEMA) == ("ill",)
    assert made("generalised_loss").histograms(SCHEMA) == ()


def test_columns_are_settled_for_a_search() -> None:
    assert made("generalised_loss").about(SCHEMA, KEYS).columns == ("town", "job", "age")
    assert made("discernibility_loss").about(SCHEMA, KEYS).columns == KEYS
    assert made("generalised_loss", columns=("age",)).about(SCHEMA, ("town", "sex")).columns == ("town", "sex")
    assert made("generalised_loss").about(SCHEMA, ("sex",)).columns == ("sex",)


def test_names_what_is_wrong() -> None:
    loss = made("generalised_loss", columns=("town", "town", "nowhere"), weights={"job": 0.0, "other": 1.0})
    codes = sorted(problem.code for problem in loss.problems(SCHEMA))
    assert codes == ["bad-weight", "equal-columns", "unknown-column", "unknown-column"]
    loss = made("classification_loss", columns=("ill",))
    assert [problem.code for problem in loss.problems(SCHEMA)] == ["target-is-key"]
    loss = registry.get("measure", "classification_loss")(target="sex")
    assert [problem.code for problem in loss.problems(SCHEMA)] == ["target-is-key"]
