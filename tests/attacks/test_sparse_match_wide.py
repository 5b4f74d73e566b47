"""Items that are columns: a slow oracle, the identity, noise, outsiders, hidden and coarse cells, words, files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from schleier.attacks._wide import wide_baskets
from schleier.attacks.sparse_match import SparseMatch
from schleier.core.data import Dataset
from schleier.core.engine import Source
from schleier.core.measure import Case, Finding
from schleier.core.registry import get
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.core.trust.trustee import ALIAS, TARGET
from schleier.kernels.linkage.baskets import best_units

KEY = bytes(range(32))
ITEMS = tuple(f"i{n:02}" for n in range(60))


def people(rows: int = 300, seed: int = 1, engine: Any = None, first: int = 0, *, absent: Any = 0) -> Dataset:
    """Invented ratings from 1 to 5, a column for each article: some are rated by many, most by few."""
    rng = np.random.default_rng(seed)
    shares = 0.5 / np.arange(1, len(ITEMS) + 1) ** 0.5
    table: dict[str, Any] = {"id": pa.array(np.arange(rows) + first)}
    for name, share in zip(ITEMS, shares, strict=True):
        there, stars = rng.random(rows) < share, rng.integers(1, 6, rows)
        table[name] = pa.array([int(s) if t else absent for t, s in zip(there, stars, strict=True)], pa.int64())
    columns = [Column(name=name, role="quasi", scale="discrete") for name in ITEMS]
    return Dataset.from_frame(pa.table(table), Schema(row_key="id", columns=columns), engine)


@pytest.fixture(scope="module")
def file() -> Dataset:
    return people()


def tried(case: Case, **how: Any) -> Finding:
    usual = {"items": 6, "targets": "all", "near": dict.fromkeys(ITEMS, 1.5)}
    return SparseMatch(**{**usual, **how}).measure(case, Run(key=KEY))


@pytest.mark.parametrize("absent", [0, None])
def test_a_few_ratings_find_their_record(absent: Any) -> None:
    """The release is the file as it is: six of some seven ratings are enough, whether zeros or gaps mean absence."""
    data = people(absent=absent)
    told = tried(Case(data, data))
    assert told.value > 0.85 and told.detail["false_share"] < 0.03
    assert told.detail["targets"] == told.detail["records"] == 300


def test_zeros_and_gaps_say_the_same() -> None:
    (zeros, gaps), counts = (people(absent=absent) for absent in (0, None)), ("claims", "correct")
    assert [tried(Case(zeros, zeros)).detail[n] for n in counts] == [tried(Case(gaps, gaps)).detail[n] for n in counts]


def test_a_release_about_something_else_is_no_better_than_guessing(file: Dataset) -> None:
    told = tried(Case(file, people(seed=77, engine=file.engine)), eccentricity=0)
    assert told.detail["contained"] == 300 and told.detail["claims"] > 250
    assert told.detail["correct"] <= 9  # one is expected by chance; 10 or more: 1e-7


def test_outsiders_are_claimed_less_often_the_more_is_demanded(file: Dataset) -> None:
    others = people(200, seed=9, engine=file.engine, first=10**6)
    shares = [tried(Case(file, file, control=others), eccentricity=e).detail for e in (0.0, 1.5, 3.0)]
    claims = [one["control_claims"] for one in shares]
    assert shares[0]["control_targets"] == 200 and claims[0] > 0.9 and claims[0] > claims[1] > claims[2]


def test_knowledge_may_be_rough_and_partly_wrong(file: Dataset) -> None:
    exact, rough = tried(Case(file, file)).value, tried(Case(file, file), off=dict.fromkeys(ITEMS, 1), wrong=1).value
    assert 0.4 < rough < exact
    assert tried(Case(file, file), items=2, wrong=1).value < 0.3


def hide(file: Dataset, share: float, seed: int = 5) -> Dataset:
    """The same records with cells hidden at random."""
    rng = np.random.default_rng(seed)
    table = file.engine.arrays(file.frame.select("id", *ITEMS)).sort_by("id")
    for place, name in enumerate(ITEMS, 1):
        gone = pa.array(rng.random(len(table)) < share)
        table = table.set_column(place, name, pc.if_else(gone, None, table[name]))
    return Dataset.from_frame(table, file.schema, file.engine)


def test_a_hidden_cell_is_unknown_and_not_absent(file: Dataset) -> None:
    """Whoever took gaps for absences would find fewer."""
    import narwhals as nw

    hidden = hide(file, 0.3)
    taken = hidden.mutate(**{name: nw.col(name).fill_null(0) for name in ITEMS})
    found, absent = (tried(Case(file, one), eccentricity=0.5).value for one in (hidden, taken))
    assert found > absent + 0.05 and found > 0.4


def test_where_gaps_mean_absence_the_steps_say_that_some_are_hidden() -> None:
    """Then every gap may be the item: a unit with one loses less against one that has it for certain."""
    data = people(absent=None)
    released = hide(data, 0.5)
    step = get("method", "suppress_rare")(columns=list(ITEMS), min_count=2)
    told, untold = (tried(Case(data, released, steps=steps)).detail for steps in ((step,), ()))
    assert told["claims"] < untold["claims"] and told["false_share"] < untold["false_share"]


def coarse(file: Dataset, labels: dict[int, str]) -> Dataset:
    """The same records with labels in place of numbers."""
    table = file.engine.arrays(file.frame.select("id", *ITEMS))
    for place, name in enumerate(ITEMS, 1):
        table = table.set_column(place, name, pa.array([labels[one] for one in table[name].to_pylist()]))
    columns = [column.model_copy(update={"scale": "ordinal"}) for column in file.schema]
    return Dataset.from_frame(table, file.schema.model_copy(update={"columns": tuple(columns)}), file.engine)


def test_coarse_cells_fit_what_they_may_be(file: Dataset) -> None:
    exact = tried(Case(file, file)).value
    halves = coarse(file, {0: "0", 1: "1-2", 2: "1-2", 3: "3-5", 4: "3-5", 5: "3-5"})
    blurred = coarse(file, {0: "0-2", 1: "0-2", 2: "0-2", 3: "3-5", 4: "3-5", 5: "3-5"})
    shares = [tried(Case(file, one)).value for one in (halves, blurred)]
    assert exact > shares[0] > shares[1] > 0.1
    assert tried(Case(file, coarse(file, dict.fromkeys(range(6), "*")))).detail["claims"] == 0


def test_words_and_switches_are_items_too() -> None:
    rng = np.random.default_rng(3)
    rows, names = 200, [f"d{n}" for n in range(30)]
    table: dict[str, Any] = {"id": list(range(rows))}
    columns = []
    for n, name in enumerate(names):
        there = rng.random(rows) < 0.2
        if n % 3 == 0:
            table[name] = pa.array([bool(one) for one in there])
        elif n % 3 == 1:
            table[name] = pa.array(["1" if one else "0" for one in there])
        else:
            table[name] = pa.array([str(rng.choice(["J45", "M10", "I10"])) if one else None for one in there])
        columns.append(Column(name=name, role="quasi", scale="nominal"))
    data = Dataset.from_frame(pa.table(table), Schema(row_key="id", columns=columns))
    told = SparseMatch(items=6, targets="all", eccentricity=0.5).measure(Case(data, data), Run(key=KEY))
    assert told.value > 0.8 and told.detail["false_share"] < 0.05


def test_scores_equal_the_slow_way() -> None:
    """Cells: a number, 0 (absent), None (unknown, as there are zeros), an interval that may be 0."""
    cells = [[3, 0, "1-2"], [1, None, "0-2"], [0, 4, "0"], [3, 4, None], [None, 0, "3-5"]]
    mine = [[3, 4, 2], [1, 0, 4], [None, 4, 0]]
    names = ("a", "b", "c")
    own = [Column(name=name, role="quasi", scale="discrete") for name in names]
    seen = [*own[:2], Column(name="c", role="quasi", scale="ordinal")]

    def data(rows: Any, key: str, columns: Any) -> Dataset:
        table = {name: [row[i] for row in rows] for i, name in enumerate(names)}
        kinds = pa.table({key: pa.array(np.arange(len(rows), dtype=np.float64)), **table})
        schema = Schema(columns=columns)
        made = Dataset.from_frame(kinds.drop_columns([key]), schema)
        return made.reframed(made.engine.read(Source(kinds)))

    near = dict.fromkeys(names, 2.0)
    released, known = data(cells, ALIAS, seen), data(mine, TARGET, own)
    both = wide_baskets(released, known, names, frozenset(), 9, {}, near, 0, np.random.default_rng(1))
    found = best_units(both.known, both.released, both.meeting, both.like, 3, 5)

    def ends(cell: Any) -> tuple[float, float] | None:
        if cell is None:
            return -np.inf, np.inf
        if isinstance(cell, str) and "-" in cell:
            low, high = cell.split("-")
            return float(low), float(high)
        return None if float(cell) == 0 else (float(cell), float(cell))

    for i, target in enumerate(mine):
        scores = np.zeros(5)
        for c, value in enumerate(target):
            if not value:
                continue
            spans = [ends(row[c]) for row in cells]
            sure = [span is not None and span[0] > 0 for span in spans]
            for r, span in enumerate(spans):
                if span is not None:
                    holders = sum(sure) if sure[r] else sum(one is not None for one in spans)
                    off = max(span[0] - value, value - span[1], 0.0)
                    scores[r] += np.exp(-off / 2) / np.log(max(holders, 2))
        first, second = sorted(scores, reverse=True)[:2]
        assert found.best[i] == pytest.approx(first) and found.second[i] == pytest.approx(second)
        assert found.spread[i] == pytest.approx(scores.std())


def test_a_file_of_known_persons_may_lack_columns(file: Dataset) -> None:
    some = file.engine.arrays(file.frame.select("id", *ITEMS[:50])).slice(0, 200).rename_columns(["entry", *ITEMS[:50]])
    known = Dataset.from_frame(
        some, file.schema.without(ITEMS[50:]).model_copy(update={"row_key": "entry"}), file.engine
    )
    pair = Schema(columns=[Column(name=name, scale="text") for name in ("id", "entry")])
    truth = Dataset.from_frame(pa.table({"id": some["entry"], "entry": some["entry"]}), pair, file.engine)
    case = Case(file, file, known=known, truth=truth.frame.select("id", "entry"))
    told = tried(case, knowledge="file")
    assert told.value > 0.8 and told.detail["targets"] == 200
    made = SparseMatch(items=6, targets="all", knowledge="file", near=dict.fromkeys(ITEMS, 1.5)).unjudged(
        case, Run(key=KEY)
    )
    assert made == (200, told.detail["claims"])


def test_it_is_tried_where_most_cells_are_empty(file: Dataset) -> None:
    (one,) = SparseMatch.fitting(Case(file, file))
    assert (one.item, one.known[-1], one.together) == (None, ITEMS[-1], False) and not list(one.problems(file.schema))
    few = file.schema.without(ITEMS[15:])
    assert SparseMatch.fitting(Case(file.described(few), file.described(few))) == []


def test_wrong_parameters_are_named(file: Dataset) -> None:
    found = SparseMatch(known=ITEMS[:3], near={"i07": 1}, items=2, wrong=2).problems(file.schema)
    assert [one.code for one in found] == ["not-a-key", "all-wrong"]
    assert [one.code for one in SparseMatch(known=["i99"]).problems(file.schema)] == ["unknown-column"]
