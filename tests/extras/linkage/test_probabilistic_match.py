"""Likely matches: what is learnt, sets of values, gaps, similar words and numbers, and what the rules claim."""

from __future__ import annotations

import csv
import logging
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from copies import ROOT
from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.core.trust.sides import Numbers
from schleier.extras.linkage._candidates import costs_of, pairs_of, rules_to_learn
from schleier.extras.linkage._columns import Codes, compared_numbers, compared_words
from schleier.extras.linkage._model import Model, believable
from schleier.extras.linkage.attacks.probabilistic_match import ProbabilisticMatch
from schleier.kernels.linkage.penalties import nearest_records

KEY = bytes(range(32))
FEBRL = Path(os.environ.get("SCHLEIER_FEBRL4") or ROOT.parent / "shared" / "data" / "febrl4")
"""Two files of 5,000 made-up persons each, the second with typing errors; not part of the project."""
needs_splink = pytest.mark.skipif(find_spec("splink") is None, reason="needs Splink: pip install schleier[linkage]")


def weights(columns: list[Any]) -> dict[tuple[int, int], float]:
    """The weight of every pair."""
    targets, records = len(columns[0].codes.known), len(columns[0].codes.cells)
    places = np.divmod(np.arange(targets * records), records)
    found = Model(columns, prior=0.1, frequencies=True).weigh((), (), places, 1)
    return {(int(t), int(r)): float(w) for t, r, w in zip(*found, strict=True)}


def words(mine: list[Any], theirs: list[Any], *, text: bool = False) -> Any:
    return compared_words(0, pa.chunked_array([mine]), pa.chunked_array([theirs]), 0.05, None, text=text)


def numbers(mine: list[float], low: list[float], high: list[float]) -> Any:
    known = np.array(mine)
    return compared_numbers(0, Numbers(known, known.copy(), np.array(low), np.array(high)), 0.05)


@needs_splink
def test_the_weight_of_words_is_how_much_likelier_they_are_of_one_person() -> None:
    found = weights([words(["a", "b", None], ["a", "b", "b", "{a, b}", "*", None])])
    # Four cells tell something, a quarter of them several values. Of five values two are a.
    assert found[0, 0] == pytest.approx(np.log(0.75 * 0.95 / (0.75 * 2 / 5)))
    assert found[1, 1] == found[1, 2] == pytest.approx(np.log(0.75 * 0.95 / (0.75 * 3 / 5)))
    assert found[0, 3] == found[1, 3] == pytest.approx(np.log(0.25 * 0.95 / 0.25))
    assert found[0, 1] < 0
    assert found[0, 4] == found[0, 5] == found[2, 0] == found[2, 3] == found[2, 5] == 0  # nothing is known


@needs_splink
def test_a_wide_set_tells_less_than_a_narrow_one() -> None:
    values = [f"v{i}" for i in range(10)]
    found = weights([words(values, ["v0", "{v0, v1}", "{v0, v1, v2, v3, v4, v5}", "{v7}"])])
    assert found[0, 0] > found[0, 1] > found[0, 2] > 0 > found[0, 3]


@needs_splink
def test_near_numbers_and_similar_words_are_levels_of_their_own() -> None:
    ages = [20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 45.0]
    found = weights([numbers(ages, [45.0, 46.0, 52.0, 90.0, 40.0, np.nan], [45.0, 46.0, 52.0, 90.0, 49.0, np.nan])])
    assert found[6, 0] > found[6, 4] > found[6, 3]
    assert found[6, 1] > found[6, 3] and found[6, 2] > found[6, 3]
    assert found[6, 5] == 0
    names = ["neumann", "painter", "webb", "green", "clarke", "white"]
    letters = weights([words(names, ["neumann", "neuman", "webb", "grubb"], text=True)])
    assert letters[0, 0] > letters[0, 1] > letters[0, 2] and letters[0, 3] == letters[0, 2]


@needs_splink
def test_what_true_pairs_differ_in_is_learnt() -> None:
    """A column that is wrong in a third of the true pairs tells less than one that never is."""
    rng = np.random.default_rng(5)
    true = rng.integers(0, 40, (4, 600))
    said = np.where(rng.random((4, 600)) < np.array([[0], [0.33], [0], [0.33]]), rng.integers(0, 40, (4, 600)), true)
    made = [
        compared_words(j, pa.chunked_array([mine]), pa.chunked_array([file]), 0.1, None, text=False)
        for j, (mine, file) in enumerate(zip(said, true, strict=True))
    ]
    rules = rules_to_learn(made)
    assert len(rules) == 2 and not set(rules[0]) & set(rules[1])
    places = np.divmod(np.arange(100 * 600), 600)
    target, record, weight = Model(made, prior=0.1, frequencies=True).weigh((), rules, places, 1)
    agrees = said[:, target] == true[:, record]
    lone = agrees.sum(axis=0) == 1
    gains = [float(weight[lone & agrees[j]].mean() - weight[~agrees.any(axis=0)].mean()) for j in range(4)]
    assert min(gains[0], gains[2]) > max(gains[1], gains[3]) + 1


def test_what_cannot_be_believed_is_not() -> None:
    column = words(["a", "b"], ["a", "b"])
    told = [{"m_probability": 0.9, "u_probability": 0.5}, {"m_probability": 0.1, "u_probability": 0.5}]
    wrong = [{"m_probability": 0.3, "u_probability": 0.5}, {"m_probability": 0.7, "u_probability": 0.5}]
    assert believable(column, told) == [0.9, 0.1]
    for nothing in (wrong, (), [{}, {}]):
        assert believable(column, nothing) == pytest.approx([0.95, 0.05])


def test_candidates_are_the_likeliest_by_what_is_assumed() -> None:
    """The costs of all pairs order them as their weights do, by hand."""
    first = words(["a", "b", None], ["a", "b", "{a, b}", "c", None])
    second = compared_words(
        1, pa.chunked_array([["x", "y", "x"]]), pa.chunked_array([["x", "x", "y", "y", "x"]]), 0.05, None, text=False
    )
    near = nearest_records(costs_of([first, second]), 5)
    assert near.record[0, 0] == 0  # both agree
    assert near.record[1].tolist()[:1] == [2]  # a set that holds b, and y, before b with another letter
    assert near.record[0, -1] == 3  # neither agrees
    assert set(near.record[2][:3].tolist()) == {0, 1, 4}  # of the third only x is known


def test_wide_columns_are_compared_without_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    column = words(["a", "b", None, "d"], ["b", "a", "c", None])
    before = nearest_records(costs_of([column]), 1).record[:2]
    monkeypatch.setattr("schleier.extras.linkage._candidates.TABLE", 0)
    assert nearest_records(costs_of([column]), 1).record[:2].tolist() == before.tolist() == [[1], [0]]


def test_pairs_that_agree_are_counted() -> None:
    rng = np.random.default_rng(3)
    none = np.zeros((0, 3), dtype=np.bool_)
    columns = [Codes(rng.integers(-1, 3, 20), rng.integers(-1, 3, 30), none) for _ in range(2)]
    slow = sum(all(c.known[t] == c.cells[r] >= 0 for c in columns) for t in range(20) for r in range(30))
    assert pairs_of(columns) == slow > 0


def linked(mine: dict[str, Any], theirs: dict[str, Any], who: list[int], scales: dict[str, str]) -> Case:
    """A file, another about the same persons, and who is who."""
    columns = [Column(name=name, role="quasi", scale=scale) for name, scale in scales.items()]  # type: ignore[arg-type]
    ids, entries = [f"i{i}" for i in range(len(who))], [f"e{i}" for i in range(len(who))]
    file = Dataset.from_frame(pa.table({"id": ids, **theirs}), Schema(row_key="id", columns=columns))
    known = Dataset.from_frame(
        pa.table({"entry": entries, **mine}), Schema(row_key="entry", columns=columns), file.engine
    )
    pair = Schema(columns=[Column(name=name, scale="text") for name in ("id", "entry")])
    link = Dataset.from_frame(pa.table({"id": [ids[i] for i in who], "entry": entries}), pair, file.engine)
    return Case(file, file, known=known, truth=link.frame.select("id", "entry"))


def world(mistakes: float, seed: int = 3, rows: int = 300) -> Case:
    rng = np.random.default_rng(seed)
    widths = {"job": 30, "town": 40, "school": 6, "age": 70, "kids": 5}
    true = {name: rng.integers(0, width, rows) for name, width in widths.items()}
    who = rng.permutation(rows)
    said = {n: np.where(rng.random(rows) < mistakes, rng.integers(0, widths[n], rows), v[who]) for n, v in true.items()}
    scales = {n: "discrete" if n in ("age", "kids") else "nominal" for n in widths}
    return linked(said, true, who.tolist(), scales)


@pytest.fixture(scope="module")
def mistaken() -> Case:
    return world(0.15)


@needs_splink
@pytest.mark.parametrize("rule", ["best", "greedy", "mutual", "assignment"])
def test_mistakes_do_not_hinder_it(mistaken: Case, rule: Any) -> None:
    found = ProbabilisticMatch(targets="all", knowledge="file", rule=rule, threshold=0.8)
    told = found.measure(mistaken, Run(key=KEY)).detail
    assert told["correct"] > 0.7 * 300  # 0.44 of them agree in all five columns
    assert told["false_share"] < 0.1


@needs_splink
def test_noise_is_no_better_than_guessing() -> None:
    found = ProbabilisticMatch(targets="all", knowledge="file", threshold=0.5, learn=False)
    assert found.measure(world(1.0), Run(key=KEY)).detail["correct"] <= 8  # one is expected; 9 or more: 1e-6


@needs_splink
def test_blocking_looks_at_nothing_else(mistaken: Case) -> None:
    case = mistaken
    every = ProbabilisticMatch(targets="all", knowledge="file").measure(case, Run(key=KEY)).detail
    some = ProbabilisticMatch(targets="all", knowledge="file", blocking=[["job", "town"]])
    told = some.measure(case, Run(key=KEY)).detail
    assert 0 < told["correct"] < 0.85 * every["correct"]  # 0.72 of them agree in both


@needs_splink
def test_nothing_is_said_and_nothing_is_left(capfd: Any, tmp_path: Path, monkeypatch: Any, caplog: Any) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    level = logging.getLogger("splink").level
    case = world(0.15)
    before = set(tmp_path.rglob("*"))
    with caplog.at_level(logging.DEBUG):
        ProbabilisticMatch(targets="all", knowledge="file").measure(case, Run(key=KEY))
    assert set(tmp_path.rglob("*")) == before
    assert capfd.readouterr() == ("", "") and not [one for one in caplog.records if one.name.startswith("splink")]
    assert logging.getLogger("splink").level == level


def test_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "splink", None)
    with pytest.raises(SchleierError, match=r"schleier\[linkage\]"):
        ProbabilisticMatch(targets=5, knowledge="file").measure(world(0.1), Run(key=KEY))


def test_errors_and_blocking_are_for_known_columns() -> None:
    schema = Schema(columns=[Column(name="sex", role="quasi", scale="nominal")])
    found = list(ProbabilisticMatch(errors={"age": 0.1}, blocking=[["age", "sex"]]).problems(schema))
    assert [one.where for one in found] == ["errors", "blocking"]


@pytest.mark.parametrize("wrong", [{"threshold": 1}, {"threshold": 0}, {"errors": {"a": 0}}, {"candidates": 0}])
def test_bad_parameters(wrong: Any) -> None:
    with pytest.raises((SchleierError, ValueError)):
        ProbabilisticMatch(**wrong)


@needs_splink
@pytest.mark.skipif(not FEBRL.is_dir(), reason="needs the files febrl_4a.csv and febrl_4b.csv: SCHLEIER_FEBRL4")
def test_the_files_of_febrl_are_linked() -> None:
    def read(name: str) -> dict[str, list[str | None]]:
        with (FEBRL / name).open(encoding="utf-8") as file:
            head, *rows = ([cell.strip() or None for cell in row] for row in csv.reader(file))
        return {str(column): [row[j] for row in rows] for j, column in enumerate(head)}

    file, other = read("febrl_4a.csv"), read("febrl_4b.csv")
    place = {str(name).split("-")[1]: i for i, name in enumerate(file.pop("rec_id"))}
    who = [place[str(name).split("-")[1]] for name in other.pop("rec_id")]
    case = linked(other, file, who, dict.fromkeys(file, "text"))
    told = ProbabilisticMatch(targets="all", knowledge="file").measure(case, Run(key=KEY)).detail
    assert told["correct"] > 0.99 * told["claims"] and told["correct"] > 0.99 * 5000
