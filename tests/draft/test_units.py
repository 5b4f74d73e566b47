"""Drafts release the number of a unit only where units are alike as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from draft.test_suggest import released
from schleier.core.pieces import purpose_of
from schleier.draft.describe import describe
from schleier.draft.suggest import suggest
from schleier.draft.suggest_text import promise
from schleier.draft.writing import recipe_text, write_draft
from schleier.flow.recipe.recipe import Recipe
from schleier.report.language import Words


def families(folder: Path, sizes: Sequence[int]) -> Path:
    """Households of these sizes, all members of any age."""
    rng = np.random.default_rng(5)
    home = np.repeat(np.arange(len(sizes)), sizes)
    table = {"hh_id": home, "age": rng.integers(0, 90, len(home)), "sex": rng.choice(["f", "m"], len(home))}
    pd.DataFrame(table).to_csv(folder / "people.csv", index=False)
    return folder / "people.csv"


def couples(folder: Path) -> Path:
    """Households that are all alike: two of one age, and a third."""
    home = np.repeat(np.arange(150), 3)
    table = {"hh_id": home, "age": np.tile([35, 35, 37], 150), "sex": np.tile(["f", "m", "m"], 150)}
    pd.DataFrame(table).to_csv(folder / "people.csv", index=False)
    return folder / "people.csv"


def purposes(entries: Sequence[dict[str, object]]) -> list[str | None]:
    return [purpose_of(entry) for entry in entries]


def test_a_draft_leaves_numbers_of_families_out_and_says_why(tmp_path: Path) -> None:
    file = families(tmp_path, [1, 2, 3, 4, 5] * 40)
    draft = describe(file)
    assert draft.units_left_out == ("hh_id",)
    steps = purposes(draft.recipe["steps"])
    assert "number_anew" not in steps and steps[-1] == "leave_units"  # the steps before it count units
    assert purposes(draft.recipe["criteria"]) == ["records_alike"]
    recipe = tmp_path / "recipe.toml"
    write_draft(draft, tmp_path / "schema.toml", recipe, "en")
    release = Recipe.from_file(recipe).run(out=tmp_path / "out")
    assert "hh_id" not in release.schema.names
    assert "compositions" not in [one.code for one in release.report.cautions]
    assert "Therefore their number is left out." in recipe.read_text(encoding="utf-8").replace("\n# ", " ")
    german = recipe_text(draft, tmp_path / "schema.toml", recipe, Words.of("de")).replace("\n# ", " ")
    assert "Deshalb entfällt ihre Nummer." in german


def test_members_of_one_unit_hide_nobody_although_its_number_is_left_out(tmp_path: Path) -> None:
    """Six visits of one patient look like six persons once nothing says whose they are."""
    rng = np.random.default_rng(1)
    own = np.repeat(np.arange(200), rng.integers(1, 8, 200))
    born = rng.integers(1930, 2010, 200)[own]
    pd.DataFrame({"patient_id": own, "birth_year": born, "sex": np.array(["f", "m"])[own % 2]}).to_csv(
        tmp_path / "visits.csv", index=False
    )
    draft = describe(tmp_path / "visits.csv")
    assert draft.units_left_out == ("patient_id",)
    write_draft(draft, tmp_path / "schema.toml", tmp_path / "recipe.toml", "en")
    kept = tmp_path / "kept.toml"
    text = (tmp_path / "recipe.toml").read_text(encoding="utf-8")
    kept.write_text(text.replace('roles = ["unit"]', 'columns = ["sex"]'), encoding="utf-8")
    rows = Recipe.from_file(kept).run().data.to_pandas()
    assert rows.groupby("birth_year", dropna=False)["patient_id"].nunique().min() >= 5


def test_a_draft_keeps_numbers_of_units_that_are_alike(tmp_path: Path) -> None:
    draft = describe(couples(tmp_path))
    assert draft.units_left_out == () and purposes(draft.recipe["steps"])[0] == "number_anew"
    assert purposes(draft.recipe["criteria"]) == ["records_alike", "units_alike"]
    assert "units_compared" in purposes(draft.recipe["measures"])
    write_draft(draft, tmp_path / "schema.toml", tmp_path / "recipe.toml", "en")
    release = Recipe.from_file(tmp_path / "recipe.toml").run()
    assert [one.holds for one in release.report.criteria] == [True, True] and "hh_id" in release.schema.names


@pytest.mark.parametrize("alike", [True, False])
def test_a_suggestion_does_the_same(tmp_path: Path, alike: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schleier.draft.suggest.SMALLEST", ())
    found = suggest(couples(tmp_path) if alike else families(tmp_path, [1, 2, 3, 4, 5] * 40), "public_use")
    assert found.unit == "hh_id" and found.chosen is not None
    recipe, rows = released(found, tmp_path)
    words = {one.entry["criterion"] for one in found.criteria if purpose_of(one.entry) == "units_alike"}
    assert bool(words) == alike == ("hh_id" in rows.columns)
    assert (found.chosen.alike or 0) >= found.profile.k or not alike
    assert recipe.problems() == []
    for lang, said in (
        ("en", "Therefore the column is left out in the end."),
        ("de", "Deshalb entfällt die Spalte am Ende."),
    ):
        assert (said in promise(found, Words.of(lang))) != alike
