"""A suggestion runs as it is, keeps the rules of its profile, and says nothing of the values."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from schleier.cli import app
from schleier.core.errors import DataError, RecipeError, SchemaError
from schleier.draft.profile import Profile
from schleier.draft.suggest import NODES, Suggestion, suggest
from schleier.draft.suggest_text import write_suggestion
from schleier.flow.recipe.recipe import Recipe

ROWS = 300
CODES = ["53117", "53121", "53229", "50667", "10115"]


def people(folder: Path, **more: object) -> Path:
    rng = np.random.default_rng(11)
    days = rng.integers(0, 25_000, ROWS)
    table = {
        "name": [f"Person {n}" for n in range(ROWS)],
        "age": np.concatenate([rng.integers(20, 89, ROWS - 4), [91, 92, 95, 99]]),
        "born": [date.fromordinal(date(1930, 1, 1).toordinal() + int(day)).isoformat() for day in days],
        "plz": rng.choice(CODES, ROWS),
        "sex": rng.choice(["f", "m"], ROWS),
        "town": rng.choice(["Bonn", "Rees"], ROWS),
        "diagnosis": rng.choice(["flu", "cold", "none"], ROWS),
        "income": np.round(rng.lognormal(7.7, 0.5, ROWS), 2),
    }
    pd.DataFrame(table | more).to_csv(folder / "people.csv", index=False)
    return folder / "people.csv"


def released(found: Suggestion, folder: Path, lang: str = "en") -> tuple[Recipe, pd.DataFrame]:
    assert found.chosen is not None
    write_suggestion(found, found.chosen, folder / "recipe.toml", lang, force=False)
    recipe = Recipe.from_file(folder / "recipe.toml")
    assert recipe.problems() == []
    typed = recipe.release.model_copy(update={"format": "parquet"})
    replace(recipe, release=typed).run(out=folder / "release", key=bytes(32))
    (file,) = (folder / "release" / "public").glob("*.parquet")
    return recipe, pq.read_table(file).to_pandas()


@pytest.mark.parametrize("profile", Profile.names())
def test_the_recipe_runs_as_it_is(tmp_path: Path, profile: str) -> None:
    recipe, rows = released(suggest(people(tmp_path), profile), tmp_path)
    smallest = recipe.criteria[0].parameters()["k"]
    assert smallest == Profile.of(profile).k
    keys = [name for name in ("age", "born", "plz", "sex", "town") if name in rows]
    assert rows.groupby(keys, dropna=False).size().min() >= smallest
    assert "name" not in rows


def test_in_german(tmp_path: Path) -> None:
    recipe, _ = released(suggest(people(tmp_path), "safe_harbor", language="de"), tmp_path, "de")
    text = (tmp_path / "recipe.toml").read_text(encoding="utf-8")
    assert "# Nichts wird genauer als auf das Jahr gesagt" in text
    assert recipe.release.language == "de"


def test_the_list_of_safe_harbor_is_kept(tmp_path: Path) -> None:
    found = suggest(people(tmp_path), "safe_harbor")
    assert {"method": "top_code", "column": "age", "upper": 90} in [step.entry for step in found.steps]
    _, rows = released(found, tmp_path)
    assert "town" not in rows  # nobody said how many people live there
    assert all(re.fullmatch(r"(?:<=)?\d{4}|\d{3}\*|\*", year) for year in rows["born"])
    assert all(re.fullmatch(r"\d\*|\*", zone) for zone in rows["plz"])


def test_with_inhabitants_places_are_as_fine_as_they_may_be(tmp_path: Path) -> None:
    table = tmp_path / "inhabitants.csv"
    lines = [f"{code};{20_000 if code[:3] != '101' else 60_000}" for code in CODES]
    table.write_text("plz;inhabitants\n" + "\n".join(lines) + "\n", encoding="utf-8")
    found = suggest(people(tmp_path), "safe_harbor", population=table)
    rows = found.draft.schema.hierarchies[found.draft.schema["plz"].hierarchy or ""].to_toml()["rows"]
    assert {row[0]: row[1] for row in rows} == {
        "53117": "531*",
        "53121": "531*",
        "53229": "532*",
        "50667": "506*",
        "10115": "101*",
    }
    _, released_rows = released(found, tmp_path)
    assert set(released_rows["plz"]) <= {"531*", "532*", "506*", "101*", "5*", "1*", "*"}


def test_few_very_old_people_lower_the_limit(tmp_path: Path) -> None:
    ages = np.concatenate([np.tile(np.arange(20, 89), 5)[: ROWS - 3], [89, 91, 92]])
    found = suggest(people(tmp_path, age=ages), "safe_harbor")
    (limit,) = [step.entry["upper"] for step in found.steps if step.entry.get("column") == "age"]
    assert (ages > limit).sum() >= 3 > (ages > limit + 1).sum()


def test_internet_addresses_that_stay_are_cut_to_their_network(tmp_path: Path) -> None:
    file = people(tmp_path, ip=[f"203.0.{n % 4 * 64}.{n % 200}" for n in range(ROWS)])
    schema = tmp_path / "schema.toml"
    schema.write_text(
        '[schema]\nothers = "drop"\ncolumns = [{ name = "ip", role = "quasi", scale = "nominal" },'
        ' { name = "sex", role = "quasi", scale = "nominal" }]\n',
        encoding="utf-8",
    )
    _, rows = released(suggest(file, "safe_harbor", schema=schema), tmp_path)
    assert set(rows["ip"]) == {f"203.0.{n}.0/18" for n in (0, 64, 128, 192)}


def test_a_schema_keeps_its_hierarchies_and_gets_those_it_lacks(tmp_path: Path) -> None:
    schema = tmp_path / "schema.toml"
    schema.write_text(
        """
[schema]
others = "drop"
columns = [
  { name = "age", role = "quasi", scale = "discrete", hierarchy = "ages" },
  { name = "sex", role = "quasi", scale = "nominal" },
  { name = "income", role = "sensitive", scale = "continuous" },
]
[hierarchies]
ages = { intervals = [10, 30] }
""",
        encoding="utf-8",
    )
    found = suggest(people(tmp_path), "public_use", schema=schema)
    assert found.draft.schema.hierarchies["ages"].to_toml() == {"intervals": [10, 30]}
    assert found.draft.schema["sex"].hierarchy == "sex"
    recipe, rows = released(found, tmp_path)
    assert set(rows.columns) == {"age", "sex", "income"}
    assert recipe.schema.others == "drop"
    assert "guess" not in (tmp_path / "recipe.toml").read_text(encoding="utf-8")


def test_sensitive_values_must_differ_where_the_profile_asks_for_it(tmp_path: Path) -> None:
    """Numbers too: where all who look alike earn the same, it is told as well."""
    found = suggest(people(tmp_path), "public_use")
    assert [one.entry for one in found.criteria] == [
        {"name": "different values", "criterion": "l_diversity", "l": 2, "sensitive": ["diagnosis", "income"]}
    ]
    _, rows = released(found, tmp_path)
    keys = [name for name in ("age", "born", "plz", "sex", "town") if name in rows]
    assert rows.groupby(keys, dropna=False)[["diagnosis", "income"]].nunique(dropna=False).min().min() >= 2


def test_categories_stand_for_enough_people_where_there_are_weights(tmp_path: Path) -> None:
    found = suggest(people(tmp_path, weight=np.linspace(900.5, 1100.5, ROWS)), "scientific_use")
    (entry,) = [one.entry for one in found.criteria]
    assert entry["criterion"] == "category_threshold" and entry["threshold"] == 5000
    assert set(entry["columns"]) == {"age", "born", "plz", "sex", "town"}
    assert found.steps[-1].entry["method"] == "sample"


def test_a_larger_k_is_written_down(tmp_path: Path) -> None:
    found = suggest(people(tmp_path), "public_use", k=12, max_suppressed=0.1)
    assert found.chosen is not None
    assert (found.chosen.k, found.chosen.max_suppressed) == (12, 0.1)
    recipe, _ = released(found, tmp_path)
    assert recipe.criteria[0].parameters()["k"] == 12
    assert recipe.steps[-1].parameters()["max_suppressed"] == 0.1


def test_a_smaller_k_than_that_of_the_profile_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecipeError) as caught:
        suggest(people(tmp_path), "public_use", k=4)
    assert [problem.code for problem in caught.value.problems] == ["k-below-profile"]


def test_a_k_that_no_share_reaches_gives_way_to_the_next(tmp_path: Path) -> None:
    file = tmp_path / "few.csv"
    file.write_text("age,sex\n" + "".join(f"{20 + n},f\n" for n in range(4)), encoding="utf-8")
    found = suggest(file, "public_use")
    assert found.chosen is None
    assert {one.k for one in found.alternatives if one.works} == {3}


def test_without_keys_there_is_nothing_to_search(tmp_path: Path) -> None:
    file = tmp_path / "plain.csv"
    file.write_text("q1,q2\n" + "".join(f"{n % 3},{n % 2}\n" for n in range(50)), encoding="utf-8")
    with pytest.raises(SchemaError) as caught:
        suggest(file, "public_use")
    assert [problem.code for problem in caught.value.problems] == ["no-keys"]


def test_a_schema_of_another_file(tmp_path: Path) -> None:
    schema = tmp_path / "schema.toml"
    schema.write_text('[schema]\ncolumns = [{ name = "height", role = "quasi", scale = "discrete" }]\n', "utf-8")
    with pytest.raises(DataError):
        suggest(people(tmp_path), "public_use", schema=schema)


def test_many_keys_get_fewer_levels(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    table = {
        f"date{i}": pd.to_datetime(300 * rng.integers(0, 30, 200), unit="D").strftime("%Y-%m-%d") for i in range(10)
    }
    pd.DataFrame(table).to_csv(tmp_path / "dates.csv", index=False)
    found = suggest(tmp_path / "dates.csv", "internal")
    assert found.chosen is not None
    assert len(found.chosen.levels) == 10
    assert 3**10 <= math.prod(depth + 1 for _, _, depth in found.chosen.levels) <= NODES


@pytest.mark.parametrize(("lang", "head"), [("en", "What leads on:"), ("de", "So geht es weiter:")])
def test_where_nothing_can_be_reached_the_ways_on_are_told(lang: str, head: str, tmp_path: Path) -> None:
    file = tmp_path / "few.csv"
    file.write_text("age,sex\n30,f\n40,m\n", encoding="utf-8")
    ended = CliRunner().invoke(app, ["suggest", str(file), "--profile", "public_use", "--lang", lang])
    told = " ".join(ended.stdout.split())
    assert ended.exit_code == 3 and head in told
    for line in ("--max-suppressed 0.2", "--profile scientific_use", "--out drafted/schema.toml"):
        assert line in told
