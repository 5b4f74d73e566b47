"""Names written together or cut short, and what values and neighbours tell of columns that must not be learned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.schema import Column, Schema
from schleier.draft.dependence import akin
from schleier.draft.facts import Facts
from schleier.draft.names import meaning_of
from schleier.draft.roles import guess_all
from schleier.draft.values import are_amounts, value_meaning


def facts(name: str, values: list[Any], kind: str = "text") -> Facts:
    """A column with these values, each as often."""
    counts = np.full(len(values), 30)
    return Facts(name, kind, 30 * len(values), 0, len(values), pa.array(values), counts, whole=True)


def roles(*columns: Facts) -> dict[str, str]:
    """The guessed role of each column."""
    return {guess.column.name: guess.column.role for guess in guess_all(columns, None)}


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("momed", "education"),
        ("avginc", "money"),
        ("lnwg", "money"),
        ("prpblck", "ethnicity"),
        ("fwhte", "ethnicity"),
        ("rlgn", "belief"),
        ("mrtl", "marital"),
        ("studage", "age"),
        ("repht", "body"),
        ("poorhlth", "health"),
        ("readscr", "scores"),
    ],
)
def test_parts_of_joined_names(name: str, meaning: str) -> None:
    found = meaning_of(name)
    assert found is not None and found.name == meaning


@pytest.mark.parametrize("name", ["Feld", "trans", "story", "posted", "zinc", "usage", "Voltage", "ht1x", "celltypes"])
def test_words_of_their_own_are_no_parts(name: str) -> None:
    assert meaning_of(name) is None


@pytest.mark.parametrize(
    "values",
    [
        ["$1,200", "$80", "($75.50)"],
        ["1.200 €", "80,50 €", "k. A."],
        ["EUR 12", "EUR 1 500"],
        ["€110.5M", "€400K"],
        ["Less than $40K", "$40K - $60K", "$120K +"],
        ["1 200 CHF", "90.- Fr"],
    ],
)
def test_a_currency_makes_amounts(values: list[str]) -> None:
    column = facts("q1", values)
    (guess,) = guess_all([column], None)
    assert are_amounts(column)
    assert (guess.column.role, guess.column.scale, guess.why[0].key) == ("sensitive", "nominal", "currency")


@pytest.mark.parametrize(
    "values",
    [["12", "80"], ["A$", "B$"], ["3 Frauen", "2 Euronen"], ["she paid $12 when she came to see us again", "x" * 41]],
)
def test_what_is_no_amount(values: list[str]) -> None:
    assert not are_amounts(facts("q1", values))


def test_codes_of_diagnoses_and_opinions_are_told_by_their_values() -> None:
    assert roles(facts("nd", ["E11.90", "I10.00", "F32.1"]))["nd"] == "sensitive"
    assert roles(facts("q4", ["strongly agree", "agree", "disagree"]))["q4"] == "sensitive"
    assert value_meaning(facts("shelf", ["A11", "B10", "C32"])) is None


def test_a_time_beside_an_event_is_a_follow_up() -> None:
    time, status = facts("time", ["12", "80", "93"]), facts("status", ["0", "1"])
    assert roles(time, status) == {"time": "sensitive", "status": "sensitive"}
    assert roles(status) == {"status": "undecided"}


def test_a_flag_named_after_an_occupation_tells_it() -> None:
    assert roles(facts("web_developer", ["0", "1"]))["web_developer"] == "quasi"


def test_a_count_of_doctors_is_one_of_visits() -> None:
    assert roles(facts("doctor", [str(n) for n in range(17)]))["doctor"] == "sensitive"


def test_a_year_with_fractions_is_no_year_of_survey() -> None:
    assert roles(facts("year", ["1999", "2000", "2001"]))["year"] == "undecided"
    assert roles(facts("year", [f"{n / 7:.3f}" for n in range(1, 20)]))["year"] == "quasi"


def test_a_figure_of_a_place_tells_the_place() -> None:
    rows = pa.table(
        {"county": ["a", "b", "c", "d"] * 60, "income": [3.0, 4.0, 3.0, 5.0] * 60, "own": [1.0, 2.0, 3.0] * 80}
    )
    data = Dataset.from_frame(rows, Schema(columns=[Column(name=n, scale="nominal") for n in rows.column_names]))
    assert akin(data, [], [], ["income", "own"], ["county"]) == {"income": "county"}


@pytest.mark.parametrize("name", ["bodyweight_kg", "weight_lbs", "Gewicht in kg", "start_weight_pounds"])
def test_what_is_weighed_is_no_sampling_weight(name: str) -> None:
    assert roles(facts(name, [f"{n / 4}" for n in range(200, 300)]))[name] == "quasi"


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("emails_clicked", [str(n) for n in range(20)], "undecided"),
        ("checking_account", ["little", "moderate", "rich"], "sensitive"),
        ("account", [f"10{n}4477{n}" for n in range(20)], "identifier"),
    ],
)
def test_what_could_reach_nobody_names_nobody(name: str, values: list[str], role: str) -> None:
    assert roles(facts(name, values))[name] == role
