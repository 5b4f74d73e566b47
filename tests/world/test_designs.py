"""The designs of a real experiment: the same key makes the same files, and these are as the source describes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from schleier.cli import app
from schleier.core.errors import DataError
from schleier.flow.recipe.recipe import Recipe
from schleier.world import questions
from schleier.world.areas import areas, land
from schleier.world.design_files import FEWEST, write_design
from schleier.world.designs import AMBIGUOUS, SCHOLAR_KEYS, Design, Drawn, Maker
from schleier.world.files import write_world
from schleier.world.people import BLOCK
from schleier.world.recorded import recorded, variables
from schleier.world.scholars import NO_SECOND, TEACHER
from schleier.world.stream import Stream

KEY = bytes(range(32))
PERSONS = 1_000_000


@pytest.fixture(scope="module")
def scholars() -> Drawn:
    return Maker("scholars", PERSONS, KEY, sampled=0.02).draw()


@pytest.fixture(scope="module")
def survey() -> Drawn:
    return Maker("survey", 400_000, KEY, sampled=0.02).draw()


def test_clusters_are_small_and_in_one_place() -> None:
    lived = areas(Stream(KEY, 0), 0, BLOCK, land(KEY))
    homes = np.unique(np.stack([lived.cluster, lived.at.index]), axis=1)
    sizes = np.bincount(homes[0])
    assert set(np.unique(sizes)[1:-1]) <= {*range(1, 31)} and sizes.max() <= 30
    for part in (lived.cluster, lived.district):
        both = np.unique(np.stack([part, lived.at.place]), axis=1)
        assert both.shape[1] == part.max() + 1  # one place each
    assert len(lived.at.index) == BLOCK and (np.diff(lived.district) >= 0).all()


def test_a_rare_part_of_the_population_is_in_the_handbook(scholars: Drawn) -> None:
    """L14047: about 20,000 of 17 million; the handbook lists 7,983 of them."""
    teachers = pc.sum(pc.equal(scholars.released["occupation"].cast(pa.string()), TEACHER)).as_py()
    expected = 0.02 * 20_000 * PERSONS / 17_000_000
    assert abs(teachers - expected) < 6 * np.sqrt(expected)  # clusters in university towns scatter more than Poisson
    assert scholars.known.num_rows == round(7_983 * PERSONS / 17_000_000)
    assert pc.count_distinct(scholars.known["person"]).as_py() == scholars.known.num_rows


def test_second_codes_are_as_often_absent_as_in_the_handbook(scholars: Drawn) -> None:
    n = scholars.known.num_rows
    for name in AMBIGUOUS:
        first, second = (scholars.known[c].combine_chunks().cast(pa.string()) for c in (name, f"{name}_2"))
        share = second.null_count / n
        assert abs(share - NO_SECOND[name]) <= 5 * np.sqrt(0.25 / n)
        assert pc.sum(pc.equal(first, second)).as_py() in (0, None)
    alone = np.all(
        [scholars.known[f"{name}_2"].is_null().to_numpy() for name in AMBIGUOUS if name != "activity"], axis=0
    )
    assert abs(alone.mean() - 0.42) < 5 * np.sqrt(0.25 / n)  # L13782-13787


def test_what_is_recorded_differs_as_published(scholars: Drawn) -> None:
    """Process 2 for those with second codes (Table 9.4), process 1 for all others."""
    told = recorded(scholars.released, "scholars", KEY)
    n = told.num_rows
    for name, rate in {"size_class": 0.05, "birth_half": 0.1, "region": 0.05, "birth_year": 0.1}.items():
        off = pc.sum(pc.not_equal(told[name].cast(pa.string()), scholars.released[name].cast(pa.string()))).as_py()
        assert abs(off / n - rate) < 5 * np.sqrt(rate * (1 - rate) / n)
    mine = scholars.released.filter(scholars.released["activity_2"].is_valid())
    said = told.filter(scholars.released["activity_2"].is_valid())
    off = pc.sum(pc.not_equal(said["activity"].cast(pa.string()), mine["activity"].cast(pa.string()))).as_py()
    assert abs(off / mine.num_rows - 0.575) < 5 * np.sqrt(0.25 / mine.num_rows)


def test_samples_are_disjoint_and_others_do_not_change_them() -> None:
    one, three = (Maker("scholars", FEWEST, KEY, sampled=0.2, samples=n).draw().released for n in (1, 3))
    assert three.filter(pc.equal(three["sample"], 0)).combine_chunks().equals(one.combine_chunks())
    assert pc.count_distinct(three["person"]).as_py() == three.num_rows > 2 * one.num_rows


def test_partners_and_children_are_those_of_the_household(survey: Drawn) -> None:
    assert {many: len(keys) for many, keys in questions.PHASES.items()} == {13: 13, 21: 21, 35: 35}
    assert len(questions.ALL_KEYS) == 42
    rows = survey.released.select(
        ["household", "sex", "birth_year", "hours", *questions.PARTNER_KEYS, *questions.CHILD_KEYS]
    )
    people = rows.slice(0, 3000).to_pylist()
    homes: dict[int, list[dict[str, Any]]] = {}
    for person in people:
        homes.setdefault(person["household"], []).append(person)
    couples = [h for h in homes.values() if len(h) > 1 and h[0]["partner_employed"] is not None]
    assert len(couples) > 100
    assert all(h[0]["partner_hours"] == h[1]["hours"] and h[1]["partner_hours"] == h[0]["hours"] for h in couples)
    for home in couples[:-1]:
        born = sorted(person["birth_year"] for person in home[2:])
        assert [home[0][f"child_birth_year_{n}"] for n in range(1, len(born) + 1)] == born


def test_a_sample_point_has_ten_grown_persons(survey: Drawn) -> None:
    years = survey.known["birth_year"].to_numpy()
    assert years.min() >= questions.YEAR - 55 and years.max() <= questions.YEAR - 18
    persons = survey.known["person"].to_numpy()
    assert len(persons) == round(2_685 * 400_000 / 17_000_000)
    # neighbours have near numbers: there are about as many places as tens of persons
    assert (np.diff(persons) > 3_000).sum() + 1 <= -(-len(persons) // 10)
    assert set(variables("survey")) == set(questions.ALL_KEYS) and set(variables("scholars")) == set(SCHOLAR_KEYS)


@pytest.mark.parametrize("design", ["scholars", "survey"])
def test_the_files_can_be_released_and_attacked(design: Design, tmp_path: Path) -> None:
    rows = write_design(design, 60_000, tmp_path, KEY, sampled=0.3)
    sample, named, truth = (pq.read_table(tmp_path / f"{n}.parquet") for n in ("sample", "identification", "truth"))
    assert rows == {"sample": len(sample), "identification": len(named), "truth": len(truth)}
    assert not {"person", "activity_2", "_drawn_"} & {*sample.column_names} and "person" not in named.column_names
    recipe = Recipe.from_file(tmp_path / "recipe.toml")
    assert recipe.problems() == []
    found = recipe.run(key=KEY).audit.attacks
    assert [one.detail["contained"] for one in found] == [len(truth)] * (1 if design == "scholars" else 3)
    if design == "scholars":
        assert len(found[0].detail["versions"]) == 16


def test_the_same_key_makes_the_same_files(tmp_path: Path) -> None:
    for place, key in (("a", KEY), ("b", KEY), ("c", bytes(32))):
        write_design("survey", FEWEST, tmp_path / place, key, sampled=0.1)
    read = [pq.read_table(tmp_path / place / "sample.parquet") for place in "abc"]
    assert read[0].equals(read[1]) and not read[0].equals(read[2])


@pytest.mark.parametrize(("persons", "sampled"), [(1000, 0.01), (30_000_000, 0.01), (20_000, 0.0)])
def test_impossible_designs_are_refused(persons: int, sampled: float, tmp_path: Path) -> None:
    with pytest.raises(DataError):
        write_design("scholars", persons, tmp_path, KEY, sampled=sampled)


def test_the_command_makes_a_design_and_without_one_the_same_world_as_before(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text(KEY.hex(), encoding="utf-8")
    key.chmod(0o600)
    for out, more in (("design", ["--design", "scholars"]), ("plain", [])):
        told = CliRunner().invoke(
            app, ["world", "-n", "20000", "-o", str(tmp_path / out), "--key-file", str(key), *more]
        )
        assert told.exit_code == 0, told.output
        # Nobody of so small a handbook is in the sample: a run would be refused, so none is proposed.
        assert ("schleier run" in told.output) == (out == "plain")
        assert ("Nobody of the file of names" in told.output) == (out == "design")
    write_world(20_000, tmp_path / "known", KEY)
    assert (tmp_path / "plain" / "survey.parquet").read_bytes() == (tmp_path / "known" / "survey.parquet").read_bytes()
    assert (tmp_path / "design" / "sample.parquet").exists() and not (
        tmp_path / "design" / "population.parquet"
    ).exists()
