"""One cell: what the holder learns, against the obvious way to count it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from lab.grids import DOORS, GRID, KEY, MARKER, write_grid
from schleier.core.measure import Case
from schleier.core.trust.coarse import FEW
from schleier.kernels.statistics.trials import Trials, holm, more_often
from schleier.lab.grid.cells import Cell, cells_of
from schleier.lab.grid.experiment import experiment
from schleier.lab.grid.reading import read_grid
from schleier.lab.grid.results import _trials, slopes_of

MISTAKES = """
[[knowledge]]
name = "wrong regions"
mistakes = {columns = {region = {mistake = "category", rate = 0.3}}}
"""


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The cells of a grid, with an open release."""
    text = 'runs = 2\nmethod = ["full", "none"]\n' + GRID + '[[knowledge]]\nname = "true"\n' + MISTAKES
    path = write_grid(tmp_path_factory.mktemp("grid"), text)
    cells = cells_of(read_grid(path, DOORS.look, DOORS.look_at_file), "key")
    entry = cells[0].entry
    with DOORS.opens(entry.recipe, entry.folder, entry.original, entry.change, key=KEY) as case:
        yield cells, case


def chosen(cells: tuple[Cell, ...], **where: str) -> Cell:
    return next(one for one in cells if all(getattr(one, axis) == value for axis, value in where.items()))


def test_rates_follow_from_the_counts(grid: tuple[tuple[Cell, ...], Case]) -> None:
    cells, case = grid
    cell = chosen(cells, keys="three", knowledge="wrong regions", method="full")
    result = experiment(cell, case, KEY)
    exact = result["exact"]
    first, second = exact["runs"]
    assert first != second and first["targets"] == second["targets"] == 100
    assert exact["hit_rate"] == first["correct"] / first["claims"] == 1 - exact["false_rate"]
    assert exact["found_of_targets"] == exact["found_of_contained"] == 1 - exact["missed_rate"] == exact["value"]
    # Both definitions over several runs (2.13): different pairs, and the mean of the runs.
    together = exact["together"]
    assert together["mean_hit_rate"] == pytest.approx(sum(r["correct"] / r["claims"] for r in (first, second)) / 2)
    assert max(first["claims"], second["claims"]) <= together["claims"] <= first["claims"] + second["claims"]
    assert together["hit_rate"] == together["correct"] / together["claims"]
    assert sum(exact["causes"].values()) == first["claims"] - first["correct"]
    assert all(0 <= one <= 1 for one in exact["bias"].values()) and set(exact["bias"]) == {"age", "sex", "region"}
    assert MARKER not in json.dumps(result)
    assert first["claims"] >= FEW and result["public"]["right"] is not None
    assert all(round(20 * end, 9).is_integer() for end in (result["public"]["low"], result["public"]["high"]))


def test_one_run_finds_the_same_pairs_again(grid: tuple[tuple[Cell, ...], Case]) -> None:
    cells, case = grid
    cell = replace(chosen(cells, keys="three", knowledge="true", method="full"), runs=2)
    exact = experiment(cell, case, KEY)["exact"]  # nothing is drawn anew where nothing is wrong
    assert exact["runs"][0] == exact["runs"][1]
    assert exact["together"]["claims"] == exact["runs"][0]["claims"]


def test_what_only_the_published_steps_open_is_security_by_obscurity(grid: tuple[tuple[Cell, ...], Case]) -> None:
    cells, case = grid
    pair = [chosen(cells, release="fine", keys="three", knowledge="true", method=one) for one in ("full", "none")]
    results = {one.digest: experiment(one, case, KEY) for one in pair}
    with_it, without = (results[one.digest]["exact"]["runs"][0]["correct"] for one in pair)
    assert with_it > 50 and without < 10  # ages are released as intervals, he has numbers: only gaps still agree
    assert [clear for _, clear in slopes_of(pair, {digest: _trials(one) for digest, one in results.items()})] == [True]


def test_equal_success_is_no_obscurity() -> None:
    from scipy.stats import fisher_exact

    a, b = Trials(30, 100), Trials(22, 100)
    assert more_often(a, b) == pytest.approx(fisher_exact([[30, 70], [22, 78]], alternative="greater").pvalue)
    assert holm([more_often(a, a), 0.0], 0.05) == [False, True]
