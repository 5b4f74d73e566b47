"""Columns told by their values, by the code book of a survey, by parts of names, and by what says the same as a key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from schleier.core.data import Dataset
from schleier.core.schema import Column, Schema
from schleier.draft.codebooks import read_names
from schleier.draft.dependence import akin
from schleier.draft.describe import describe
from schleier.draft.groups import exclusive_groups
from schleier.draft.names import meaning_of
from schleier.draft.writing import reason
from schleier.report.language import Words

ROWS = 240
RANDOM = np.random.default_rng(16)
WORDS = ("Nordlicht", "Hagebau", "Eisen Kurz", "Optik", "Zwirn")
FIRMS = [f"{word} {form}" for word in WORDS for form in ("GmbH", "AG")]
ZONES = ["Upper East Side", "Battery Park", "Alphabet City", "Penn Station", "Kew Gardens", "Astoria Park", "Bay Ridge"]


def roles(folder: Path, **columns: Any) -> dict[str, str]:
    """The guessed role of each column."""
    file = folder / "file.csv"
    frame = pd.DataFrame({name: np.resize(np.asarray(values), ROWS) for name, values in columns.items()})
    frame.to_csv(file, index=False)
    return {guess.column.name: guess.column.role for guess in describe(file).guesses}


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("betrieb", [f"{firm} {i}" if i else firm for i in range(24) for firm in FIRMS][:ROWS], "identifier"),
        ("q1", FIRMS, "identifier"),
        ("q2", ["male", "female"], "quasi"),
        ("q3", ["Bayern", "Hessen", "Sachsen"], "quasi"),
        ("q4", ["GmbH", "AG", "KG", "e.K."], "quasi"),
        ("q5", ["Catholic", "Protestant", "none"], "sensitive"),
        ("q6", ["Germany", "Poland", "Turkey", "Other"], "quasi"),
        ("q7", ["red", "green", "blue"], "undecided"),
        ("hh_nr", np.repeat(np.arange(1000, 1000 + ROWS // 3), 3), "unit"),
        ("household", np.repeat(np.arange(1, 1 + ROWS // 3), 3), "unit"),
        ("family", RANDOM.permutation(np.resize(np.arange(1, 13), ROWS)), "quasi"),
        ("hh", RANDOM.permutation(np.resize(np.arange(1, 16), ROWS)), "quasi"),
        ("school_id", RANDOM.permutation(np.resize(np.arange(1, 13), ROWS)), "unit"),
        ("x8", np.round(RANDOM.uniform(0.4, 0.7, ROWS), 4), "undecided"),
        ("zone", ZONES * 5, "quasi"),
        ("q11", ZONES * 5, "undecided"),
        ("weight", RANDOM.normal(78, 12, ROWS).round(), "quasi"),
        ("Gewicht_Aufn", RANDOM.normal(78, 12, ROWS).round(), "quasi"),
        ("weight", RANDOM.uniform(200, 3000, ROWS).round(2), "weight"),
        ("str", ["a", "b", "c"], "undecided"),
        ("agegr", ["0-17", "18-64", "65+"], "quasi"),
        ("profit", np.unique(RANDOM.integers(-50_000, 900_000, 2 * ROWS))[:ROWS], "sensitive"),
        ("q9", np.unique(RANDOM.integers(-50_000, 900_000, 2 * ROWS))[:ROWS], "undecided"),
        ("q10", np.arange(5000, 5000 + ROWS), "identifier"),
        ("illinois", [0, 1, 1], "quasi"),
        ("yrsmarr", list(range(40)), "quasi"),
        ("covid", ["ja", "nein"], "sensitive"),
    ],
)
def test_what_a_column_is(name: str, values: Any, role: str, tmp_path: Path) -> None:
    assert roles(tmp_path, **{name: values}, other=RANDOM.normal(size=ROWS))[name] == role


def test_zones_of_many_trips_are_no_persons(tmp_path: Path) -> None:
    sides, file = ("North", "South", "Outer", "Inner"), tmp_path / "trips.csv"
    zones = [f"{side} {zone}" for side in sides for zone in ZONES]
    pd.DataFrame({"q1": zones * 90, "fare": RANDOM.normal(20, 5, len(zones) * 90)}).to_csv(file, index=False)
    assert describe(file).schema["q1"].role == "undecided"


def test_the_code_book_of_a_survey() -> None:
    book, found = read_names(["SERIALNO", "SPORDER", "PUMA", "AGEP", "SEX", "PINCP", "PWGTP", "DDRS"])
    assert book == "acs" and {name: one.role for name, one in found.items()} == {
        **dict.fromkeys(("PUMA", "AGEP", "SEX"), "quasi"),
        **dict.fromkeys(("PINCP", "DDRS"), "sensitive"),
        **{"SERIALNO": "unit", "SPORDER": "identifier", "PWGTP": "weight"},
    }


@pytest.mark.parametrize("names", [["PINCP"], ["pb150", "x", "y"], ["v001", "v002", "v003", "v004", "v005"]])
def test_single_names_are_in_a_book_by_chance(names: list[str]) -> None:
    assert read_names(names) == (None, {})


def test_incomes_of_a_census_name_nobody(tmp_path: Path) -> None:
    incomes = np.unique(RANDOM.integers(0, 300_000, 2 * ROWS))[:ROWS]
    found = roles(tmp_path, SERIALNO=np.arange(ROWS) // 2, AGEP=[30, 40], SCHL=[1, 2, 3], PINCP=incomes)
    assert (found["PINCP"], found["SCHL"]) == ("sensitive", "quasi")


def test_yes_and_no_weigh_nothing(tmp_path: Path) -> None:
    found = roles(tmp_path, a11_gew=[0, 2, 2], q_weight=[0.55, 1.25])  # east and west
    assert found == {"a11_gew": "undecided", "q_weight": "weight"}


def test_labels_of_a_package_are_read(tmp_path: Path) -> None:
    frame = pd.DataFrame({"v7": [1.0, 2.0] * 60, "v8": [1.0, 2.0, 3.0] * 40, "v9": [1.0, 2.0, 1.0, 1.0] * 30})
    pyreadstat.write_sav(
        frame,
        tmp_path / "file.sav",
        column_labels=["", "", "Wurde bei Ihnen jemals eine Depression diagnostiziert?"],
        variable_value_labels={"v7": {1: "Mann", 2: "Frau"}, "v8": {1: "evangelisch", 2: "katholisch", 3: "keine"}},
    )
    found = {guess.column.name: guess.column.role for guess in describe(tmp_path / "file.sav").guesses}
    assert found == {"v7": "quasi", "v8": "sensitive", "v9": "sensitive"}


def test_categories_with_words_are_no_persons_households_dates_or_weights(tmp_path: Path) -> None:
    titles = {
        "pidStrength": "Strength of party identification",
        "gross_household": "Gross household income",
        "country_birth": "Country of birth",
        "c_2": "Aufnahme eines Studiums vorstellbar?",
        "c_2_h": "",
        "a11_gew": "",
        "q7": "General election vote",
        "q8": "Incidents mentioned",
        "q9": "When people praise it, I feel good",
    }
    labels = {key: dict(enumerate(["one thing", "two", "three", "four", "five"], 1)) for key in titles}
    frame = pd.DataFrame(
        {name: np.random.default_rng(n).integers(1, 6, 120) for n, name in enumerate(titles)}, dtype=float
    )
    places = {"column_labels": list(titles.values()), "variable_value_labels": labels}
    pyreadstat.write_sav(frame, tmp_path / "file.sav", **places, variable_measure=dict.fromkeys(titles, "scale"))
    draft = describe(tmp_path / "file.sav")
    found = {guess.column.name: guess.meaning.name if guess.meaning else None for guess in draft.guesses}
    assert found == {
        "pidStrength": "belief",
        "gross_household": "money",
        "country_birth": "nationality",
        "c_2": None,
        "c_2_h": None,
        "a11_gew": None,
        "q7": "belief",
        "q8": None,
        "q9": None,
    }
    assert all(guess.column.scale == "nominal" and guess.column.labels for guess in draft.guesses)
    whys = {guess.column.name: reason(guess, Words.of("en"), 1) for guess in draft.guesses}
    assert whys["gross_household"] == 'By its label ("Gross household income") it is: income or money.'
    assert whys["country_birth"] == "By its name it is: nationality."
    assert whys["q8"] == 'Neither its label ("Incidents mentioned") nor its values tell what it is.'


def table(**columns: Any) -> Dataset:
    frame = pd.DataFrame({name: np.resize(np.asarray(values), ROWS) for name, values in columns.items()})
    return Dataset.from_frame(frame, Schema(columns=[Column(name=name, scale="nominal") for name in frame]))


def test_what_determines_a_key_or_follows_from_it_is_akin() -> None:
    age = RANDOM.integers(0, 90, ROWS)
    zone = RANDOM.integers(0, 30, ROWS)
    data = table(age=age, band=age // 15, region=zone // 6, zone=zone, coin=RANDOM.integers(0, 2, ROWS), one=[1])
    assert akin(data, ["band", "zone", "coin", "one"], ["age", "region"]) == {"band": "age", "zone": "region"}


def test_nearly_unique_columns_determine_everything_by_chance() -> None:
    data = table(sex=RANDOM.integers(0, 2, ROWS), amount=RANDOM.integers(0, 4000, ROWS))
    assert akin(data, ["amount"], ["sex"]) == {}


def test_flags_that_exclude_each_other_are_one_column(tmp_path: Path) -> None:
    place = RANDOM.integers(0, 4, ROWS)
    flags = {name: (place == i).astype(int) for i, name in enumerate(("iowa", "osu", "msu", "rest"))}
    found = roles(tmp_path, pay=RANDOM.normal(size=ROWS), **flags, coin=RANDOM.integers(0, 2, ROWS))
    assert {found[name] for name in flags} == {"quasi"} and found["coin"] == "undecided"


def test_rare_answers_exclude_each_other_without_belonging_together() -> None:
    rare = {f"x{i}": [int(j == i) for j in range(ROWS)] for i in range(5)}
    assert exclusive_groups(table(**rare), [*rare]) == []


@pytest.mark.parametrize(
    ("title", "meaning"),
    [("In your usual day, how active were you in the last twelve months", None), ("Year of birth", "birth_year")],
)
def test_a_long_question_is_not_about_every_word_in_it(title: str, meaning: str | None) -> None:
    found = meaning_of("q5", title)
    assert (found and found.name) == meaning
