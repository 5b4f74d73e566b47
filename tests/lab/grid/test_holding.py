"""Experiments that hardly differ are told alike: otherwise two of them judge a single claim."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lab.grids import DOORS, KEY
from schleier.core.trust.coarse import FEW
from schleier.core.trust.holding import Held
from schleier.kernels.statistics.sketches import apart, sketch
from schleier.lab.grid.cells import cells_of
from schleier.lab.grid.experiment import experiment
from schleier.lab.grid.holding import hold
from schleier.lab.grid.reading import read_grid
from schleier.lab.grid.results import public_report

RECIPE = """
[data]
file = "people.parquet"
[schema]
row_key = "id"
columns = [
  {name = "age", role = "quasi", scale = "discrete"},
  {name = "sex", role = "quasi", scale = "nominal"},
  {name = "job", role = "quasi", scale = "nominal"},
  {name = "income", role = "quasi", scale = "discrete"},
]
[[steps]]
method = "add_noise"
columns = ["income", "age"]
kind = "independent"
sd = {income = 600, age = 6}
"""
RELEASE = '[[releases]]\nname = "noise"\nrecipe = "recipe.toml"\n'
TECHNIQUE = '[[techniques]]\nattack = "distance_match"\nname = "{}"\ntargets = "all"\nwithin = {}\n'
NUMBERS = ("low", "high", "right", "outcome")


def ran(folder: Path, grid: str) -> tuple[Any, Any, dict[str, Any]]:
    """A grid on one release, done in this process."""
    rng = np.random.default_rng(5)
    people = {
        "id": [f"p{i}" for i in range(300)],
        "age": rng.integers(18, 90, 300),
        "sex": rng.choice(["f", "m"], 300),
        "job": rng.choice(list("abcdef"), 300),
        "income": rng.integers(500, 6000, 300),
    }
    pq.write_table(pa.table(people), folder / "people.parquet")
    (folder / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    (folder / "grid.toml").write_text(grid, encoding="utf-8")
    read = read_grid(folder / "grid.toml", DOORS.look, DOORS.look_at_file)
    cells = cells_of(read, "key")
    entry = cells[0].entry
    with DOORS.opens(entry.recipe, entry.folder, entry.original, entry.change, key=KEY) as case:
        return read, cells, {cell.digest: experiment(cell, case, KEY) for cell in cells}


def test_thresholds_written_as_techniques_judge_no_single_claim(tmp_path: Path) -> None:
    techniques = "".join(TECHNIQUE.format(f"d{i:02}", round(0.02 + 0.002 * i, 3)) for i in range(14))
    read, cells, results = ran(tmp_path, RELEASE + techniques)
    sketches = [np.frombuffer(bytes.fromhex(results[one.digest]["claimed"]["sketch"]), "<u4") for one in cells]
    own = [results[one.digest]["public"] for one in cells]
    made = [results[one.digest]["exact"]["runs"][0]["claims"] for one in cells]
    assert [int(one.sum()) for one in sketches] == made
    near = [
        (i, j)
        for i, j in combinations(range(len(cells)), 2)
        if min(made[i], made[j]) >= FEW and apart(sketches[i].astype(int), sketches[j].astype(int)[None])[0] < 10
    ]
    # Without the rule the attack succeeds: hardly a claim more, and another number.
    assert any(own[i]["right"] != own[j]["right"] for i, j in near)
    told = public_report(read.declared, cells, results, "1").cells
    held = hold(cells, results)
    references = sorted({one.place for one, many in zip(held, made, strict=True) if many >= FEW})
    assert len(references) > 1 and not set(combinations(references, 2)) & set(near)
    for i, one in enumerate(held):
        assert all(getattr(told[i], name) == getattr(told[one.place], name) for name in NUMBERS)
        assert one.place <= i and (told[i].as_at is None or told[i].as_at == one.place < i)


def test_membership_counts_hits_alone(tmp_path: Path) -> None:
    grid = RELEASE + '[[techniques]]\nattack = "membership"\ntargets = 200\n'
    _, _, results = ran(tmp_path, grid)
    (result,) = results.values()
    assert result["exact"]["hit_rate"] is result["exact"]["false_rate"] is None
    assert result["exact"]["hit_rate_interval"] is result["public"]["right"] is result["public"]["claimed"] is None


def test_of_what_was_not_heard_nothing_follows_from_numbers_of_claims(tmp_path: Path) -> None:
    """The claims of membership are those that are right: they may not decide what is compared, nor how."""
    techniques = [f'[[techniques]]\nattack = "membership"\nname = "m{n}"\ntargets = {n}\n' for n in (200, 230)]
    read, cells, results = ran(tmp_path, 'method = ["full", "none"]\n' + RELEASE + "".join(techniques))
    first, *others = hold(cells, results)
    assert first == Held(0) and others == [Held(0, told=False)] * len(others)
    report = public_report(read.declared, cells, results, "1")
    for cell in cells:
        runs = results[cell.digest]["exact"]["runs"]
        runs[0]["claims"] = 12
    assert public_report(read.declared, cells, results, "1") == report


def made_up(sets: list[set[int]], **more: Any) -> tuple[list[Any], dict[str, Any]]:
    """Experiments with these claims, as far as they are looked at."""
    cells, results = [], {}
    for i, claims in enumerate(sets):
        where = {"release": "r", "technique": f"t{i}", "keys": "", "knowledge": "k", "method": "full"}
        cells.append(SimpleNamespace(digest=str(i), **where))
        who = np.array(sorted(claims), dtype=np.float64)
        drawn = sketch(who, who).astype("<u4").tobytes().hex()
        runs = [{"claims": len(claims), "targets": 100}]
        claimed = {"kind": "_alias_", "sketch": drawn}
        results[str(i)] = {"exact": {"runs": runs}, "public": {}, "values": False, "claimed": claimed} | more
    return cells, results


def test_sets_are_compared_and_not_their_sizes() -> None:
    cells, results = made_up([set(range(30)), set(range(1, 31)), set(range(100, 130)), set(range(19)), set(range(39))])
    assert hold(cells, results) == [
        Held(0),
        Held(0),  # one claim for another
        Held(2),
        Held(3),  # of few claims nothing is told
        Held(0),
    ]


def test_what_was_told_first_stays_when_a_grid_grows() -> None:
    cells, results = made_up([set(range(30)), set(range(40)), set(range(54))])
    assert [one.place for one in hold(cells, results)] == [0, 0, 2]
    assert [one.place for one in hold(cells, results, ["1"])] == [1, 1, 1]
    assert [one.place for one in hold(cells, results, ["2", "1"])] == [0, 2, 2]


def test_eleven_further_claims_are_not_told_apart() -> None:
    """If all of them are right the set may be told two blocks higher, and whoever reads it knows that they are."""
    for more, places in ((11, [0, 0]), (19, [0, 0]), (20, [0, 1])):
        assert [one.place for one in hold(*made_up([set(range(100)), set(range(100 + more))]))] == places


def test_eleven_claims_in_place_of_eleven_others_are_not_told_apart() -> None:
    """They differ in 22 claims, and yet all eleven are right where eleven more are."""
    for other, places in ((11, [0, 0]), (19, [0, 0]), (20, [0, 1])):
        assert [one.place for one in hold(*made_up([set(range(100)), set(range(other, 100 + other))]))] == places


def compared(many: int) -> tuple[Any, list[Any], dict[str, Any]]:
    """A grid of pairs with and without knowledge of the method: the first differs clearly, if few others are tested."""
    cells, results = list[Any](), dict[str, Any]()
    for i in range(many):
        for method, right in (("full", 60 if i == 0 else 25), ("none", 40 if i == 0 else 25)):
            where = {"release": "r", "technique": f"t{i}", "threshold": None, "keys": "", "knowledge": "k"}
            cells.append(
                SimpleNamespace(digest=f"{i}{method}", method=method, coordinates=where | {"method": method}, **where)
            )
            who = np.arange(100, dtype=np.float64) + 1000 * len(cells)
            claimed = {"kind": "_alias_", "sketch": sketch(who, who).astype("<u4").tobytes().hex()}
            runs = [{"claims": 100, "targets": 200, "correct": right}]
            public = {
                "low": 0.0,
                "high": 0.5,
                "outcome": "better",
                "claimed": 0.5,
                "right": [0.0, 1.0],
            }
            results[cells[-1].digest] = {"exact": {"runs": runs}, "public": public, "values": False, "claimed": claimed}
    grid = SimpleNamespace(title="", releases=(), thresholds=(), keys={}, knowledge=(), method=("full", "none"), runs=1)
    return grid, cells, results


def test_two_publications_of_a_folder_do_not_differ_in_what_both_tell() -> None:
    """Numbers and words of cells, and where knowing the method helps, whatever comes later and wherever it is put."""
    grid, cells, results = compared(20)
    old = cells[:2]
    order = [cell.digest for cell in cells]
    first = public_report(grid, old, results, "1", order[:2], [2])
    grown = [*cells[2:], *old]
    second = public_report(grid, grown, results, "1", order, [2, len(order)])
    assert first.obscurity and first.cells == second.cells[-2:]
    assert set(first.obscurity) <= set(second.obscurity)
    assert not public_report(
        grid, grown, results, "1", order, [len(order)]
    ).obscurity  # told all at once it is not clear


def test_what_is_withheld_is_not_compared_either() -> None:
    """Where an attack tells nothing, neither does a comparison of two of them."""
    grid, cells, results = compared(1)
    assert public_report(grid, cells, results, "1").obscurity
    for one in results.values():
        one["public"] = None
    assert not public_report(grid, cells, results, "1").obscurity


@pytest.mark.parametrize("change", ["targets", "sketch"])
def test_what_cannot_be_told_as_another_is_not_told(change: str) -> None:
    cells, results = made_up([set(range(30)), set(range(35)), set(range(50))])
    for i, one in enumerate(results.values()):
        if change == "targets":
            one["exact"]["runs"][0]["targets"] += i
        else:
            one["claimed"] = {"kind": "inference", "sketch": None}
    last = Held(2) if change == "targets" else Held(0, told=False)  # who knows what was claimed there
    assert hold(cells, results) == [Held(0), Held(0, told=False), last]
