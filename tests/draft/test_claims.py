"""What a proposal says at its head is what its steps and demands do; what could not be demanded is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from draft.test_suggest import released
from schleier.draft.describe import describe
from schleier.draft.suggest import suggest
from schleier.draft.suggest_text import promise
from schleier.draft.writing import write_draft
from schleier.flow.recipe.decide import decide
from schleier.report.language import Words


def people(folder: Path, rows: int = 300, **more: object) -> Path:
    rng = np.random.default_rng(8)
    table = {"age": rng.integers(20, 80, rows), "sex": rng.choice(["f", "m"], rows), **more}
    pd.DataFrame(table).to_csv(folder / "people.csv", index=False)
    return folder / "people.csv"


def said(file: Path, profile: str, lang: str = "en", k: int | None = None) -> str:
    return promise(suggest(file, profile, k=k), Words.of(lang))


def test_without_a_sensitive_column_nothing_is_promised_about_it(tmp_path: Path) -> None:
    text = said(people(tmp_path), "public_use")
    assert "No column has the role sensitive" in text and "must not share" not in text
    assert "Keine Spalte hat die Rolle sensitive" in said(people(tmp_path), "public_use", "de")


def test_sensitive_columns_are_named_and_of_numbers_more_is_said(tmp_path: Path) -> None:
    words = said(people(tmp_path, diagnosis=["flu", "cold"] * 150), "public_use")
    assert "must not share one value of diagnosis." in words and "Of numbers" not in words
    numbers = said(people(tmp_path, income=np.round(np.linspace(900, 4000, 300), 2)), "public_use")
    assert "must not share one value of income. Of numbers this only says" in numbers


def test_a_larger_class_is_said(tmp_path: Path) -> None:
    assert "at least 4 others" in said(people(tmp_path), "public_use")
    assert "at least 11 others" in said(people(tmp_path), "public_use", k=12)
    assert "Nobody may be unique" in said(people(tmp_path), "internal")
    assert "darf niemand einzigartig sein" in said(people(tmp_path), "internal", "de")


def test_without_weights_categories_are_not_promised(tmp_path: Path) -> None:
    text = said(people(tmp_path), "scientific_use")
    assert "There is no column of weights" in text and "Every category" not in text
    weighted = said(people(tmp_path, weight=np.linspace(900.5, 1100.5, 300)), "scientific_use")
    assert "Every category of age, sex stands for at least 5,000 people" in weighted
    assert "no column of weights" not in weighted


@pytest.mark.parametrize("mean", [1, 10**6])
def test_weights_that_are_no_population_are_told(tmp_path: Path, mean: int) -> None:
    file = people(tmp_path, weight=np.linspace(0.5, 1.5, 300) * mean)
    for lang, sentence in (("en", "The weights (column weight) do not add up"), ("de", "Die Gewichte (Spalte weight)")):
        text = said(file, "scientific_use", lang)
        assert sentence in text and "Every category" not in text and "Jede Ausprägung" not in text


def test_a_sample_that_could_not_be_drawn_is_not_promised(tmp_path: Path) -> None:
    assert "Not all records are handed out" in said(people(tmp_path), "scientific_use")
    words = people(tmp_path, weight=["light", "heavy"] * 150)  # there is no name left for the weights of the sample
    schema = tmp_path / "schema.toml"
    write_draft(describe(words), schema, tmp_path / "recipe.toml", "en")
    decide(schema, ["weight"], "plain")
    found = suggest(words, "scientific_use", schema=schema)
    assert "sample" not in [step.entry["method"] for step in found.steps]
    text = promise(found, Words.of("en"))
    assert "No sample could be drawn" in text and "Not all records" not in text


@pytest.mark.parametrize("profile", ["public_use", "internal"])
def test_units_are_counted_where_there_are_some(tmp_path: Path, profile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schleier.draft.suggest.SMALLEST", ())  # what the profile asks for is enough here
    rng = np.random.default_rng(3)
    own = np.repeat(np.arange(60), 6)
    ages, sexes = rng.integers(20, 80, 60)[own], rng.choice(["f", "m"], 60)[own]
    file = people(tmp_path, rows=360, age=ages, sex=sexes, person_id=own)
    found = suggest(file, profile)
    assert found.unit == "person_id" and found.chosen is not None
    assert found.before.highest == 1.0  # six rows of one person do not hide her
    (entry,) = [one.entry for one in found.criteria if one.entry["criterion"] == "k_anonymity"]
    assert entry == {"name": "units", "criterion": "k_anonymity", "k": found.profile.k, "count": "units"}
    recipe, rows = released(found, tmp_path)
    persons = rows.groupby(["age", "sex"], dropna=False)["person_id"].nunique()
    assert persons.min() >= found.profile.k
    assert persons.min() == round(1 / found.chosen.risk.highest)  # type: ignore[union-attr]
    assert recipe.problems() == []
    text = (tmp_path / "recipe.toml").read_text(encoding="utf-8")
    assert "Units are counted (column person_id), not records" in text


def test_without_units_records_are_counted(tmp_path: Path) -> None:
    found = suggest(people(tmp_path), "public_use")
    assert found.unit is None and found.criteria == ()
    assert "nits are counted" not in promise(found, Words.of("en"))
