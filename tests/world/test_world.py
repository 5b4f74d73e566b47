"""The example world: the same key makes the same people, and they hang together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from schleier.core.errors import DataError
from schleier.flow.recipe.recipe import Recipe
from schleier.world.files import write_world
from schleier.world.geography import gazetteer
from schleier.world.people import BLOCK
from schleier.world.population import World

PERSONS = BLOCK + 5_000
KEY = bytes(range(32))


@pytest.fixture(scope="module")
def world() -> World:
    return World(PERSONS, KEY, gazetteer(PERSONS, KEY))


@pytest.fixture(scope="module")
def people(world: World) -> pa.Table:
    return pa.Table.from_batches(world.batches())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("world")
    write_world(PERSONS, place, KEY)
    return place


def test_any_block_can_be_made_alone(world: World, people: pa.Table) -> None:
    assert world.block(1).equals(pa.Table.from_batches([*world.batches()][1:]).to_batches()[0])
    assert len(people) == PERSONS


def test_the_key_decides(world: World) -> None:
    again = World(PERSONS, KEY, gazetteer(PERSONS, KEY))
    other = World(PERSONS, bytes(32), gazetteer(PERSONS, bytes(32)))
    assert again.block(0).equals(world.block(0))
    assert not other.block(0).column("age").equals(world.block(0).column("age"))


def test_households_stay_together_in_one_place(people: pa.Table) -> None:
    home = people.column("household").to_numpy()
    assert (np.diff(home) >= 0).all()
    places = people.group_by("household").aggregate([("municipality", "count_distinct"), ("person", "count")])
    assert pc.max(places.column("municipality_count_distinct")).as_py() == 1
    assert pc.max(places.column("person_count")).as_py() <= 6


def test_columns_hang_together(people: pa.Table) -> None:
    working = people.filter(pc.is_valid(people.column("occupation")))
    pay = {
        row["schooling"]: row["income_mean"]
        for row in working.group_by("schooling").aggregate([("income", "mean")]).to_pylist()
    }
    assert pay["basic"] < pay["middle"] < pay["upper"] < pay["degree"]
    children = people.filter(pc.less(people.column("age"), 15))
    assert set(pc.unique(children.column("marital").cast(pa.string())).to_pylist()) == {"single"}
    assert pc.max(children.column("income")).as_py() == 0
    widowed = people.filter(pc.equal(people.column("marital").cast(pa.string()), "widowed"))
    assert pc.mean(widowed.column("age")).as_py() > 60


def test_there_are_rare_people(people: pa.Table) -> None:
    share = pc.mean(pc.equal(people.column("disease").cast(pa.string()), "Huntington").cast(pa.float64())).as_py()
    # one in 8,000: within five standard deviations of the binomial count
    expected = 0.000125
    assert abs(share - expected) < 5 * np.sqrt(expected / PERSONS)
    sizes = np.sort(gazetteer(10_000_000, KEY).shares)[::-1]
    assert sizes[0] > 100 * np.median(sizes)


def test_weights_add_up_to_the_population(folder: Path) -> None:
    survey = pq.read_table(folder / "survey.parquet")
    weights = survey.group_by("household").aggregate([("weight", "sum")]).column("weight_sum").to_numpy()
    # Horvitz-Thompson: households are drawn independently, so the variance is about the sum of squared totals
    assert abs(weights.sum() - PERSONS) < 5 * np.sqrt((weights**2).sum())


def test_truth_links_the_same_people(folder: Path) -> None:
    survey, named, truth = (pq.read_table(folder / f"{n}.parquet") for n in ("survey", "identification", "truth"))
    assert "person" not in survey.column_names + named.column_names
    record = {r["record"]: r for r in survey.select(["record", "sex", "age"]).to_pylist()}
    entry = {e["entry"]: e for e in named.select(["entry", "sex", "age"]).to_pylist()}
    links = truth.to_pylist()
    assert len(links) > 500
    assert all(record[link["record"]]["sex"] == entry[link["entry"]]["sex"] for link in links)
    same = [record[k["record"]]["age"] == entry[k["entry"]]["age"] for k in links]
    assert 0.85 < np.mean(same) < 0.99  # the file with names has errors of its own


def test_the_recipe_of_the_world_is_sound(folder: Path) -> None:
    assert Recipe.from_file(folder / "recipe.toml").problems() == []


def test_gazetteer_and_codes_nest(folder: Path) -> None:
    rows = [line.split(";") for line in (folder / "gazetteer.csv").read_text(encoding="utf-8").splitlines()[1:]]
    codes = [row[0] for row in rows]
    assert len(set(codes)) == len(codes) == len({row[1] for row in rows})
    assert all(row[2] == row[0][:5] and row[3] == row[0][:2] for row in rows)
    assert abs(sum(int(row[4]) for row in rows) - PERSONS) <= len(rows)


@pytest.mark.parametrize(("persons", "sampled", "known"), [(10, 0.1, 0.1), (5000, 0.0, 0.1), (5000, 0.1, 1.5)])
def test_impossible_worlds_are_refused(persons: int, sampled: float, known: float, tmp_path: Path) -> None:
    with pytest.raises(DataError):
        write_world(persons, tmp_path, KEY, sampled=sampled, known=known)


def test_the_smallest_world_can_be_released_and_attacked(tmp_path: Path) -> None:
    write_world(3_000, tmp_path, KEY)
    recipe = Recipe.from_file(tmp_path / "unprotected.toml")
    release = recipe.run(key=KEY)
    assert [finding.name for finding in release.report.attacks] == ["exact_match", "exact_match"]
    neighbour, register = release.audit.attacks
    assert neighbour.value > register.value > 0
    assert [finding.detail["outcome"] for finding in release.report.attacks] == ["alarm", "better"]


def test_names_remarks_and_rare_people_stay_out_of_the_public_documents(folder: Path, tmp_path: Path) -> None:
    Recipe.from_file(folder / "recipe.toml").run(out=tmp_path / "out", key=KEY)
    said = "".join(
        (tmp_path / "out" / "public" / name).read_text(encoding="utf-8")
        for name in ("report.json", "report.html", "schema.toml")
    )
    named = pq.read_table(folder / "identification.parquet", columns=["name"]).column("name")
    remarks = pq.read_table(folder / "survey.parquet", columns=["remark"]).column("remark")
    for words in (named, remarks):
        assert not [word for word in pc.unique(words.drop_null()).to_pylist() if word in said]
    assert "Huntington" not in said
    assert KEY.hex() not in said
