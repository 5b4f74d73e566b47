"""People under headings that say nothing, and headings that say more than their values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from draft.people import iban
from schleier.core.errors import DataError
from schleier.draft.describe import describe
from schleier.draft.facts import MOST

ROWS = 300
FIRST = ["Anna", "Björn", "Carla", "David", "Eva", "Finn", "Greta", "Hans", "Ina", "Jonas"]
LAST = ["Müller", "Schmidt", "Schneider", "Fischer", "Weber", "Meyer", "Wagner", "Becker", "Schulz", "Hoffmann"]
TOLD = ["gut", "mittel", "schlecht"]


def table(folder: Path, **columns: Any) -> Path:
    pq.write_table(pa.table(columns), folder / "file.parquet")
    return folder / "file.parquet"


def role(folder: Path, name: str, values: Any) -> str:
    """The role of a column beside one that is always released."""
    draft = describe(table(folder, **{name: values, "beside": [1, 2, 3] * (len(values) // 3)}))
    return "row_key" if draft.schema.row_key == name else draft.schema[name].role


def repeated(values: list[Any]) -> list[Any]:
    return [values[n * 7 % len(values)] for n in range(ROWS)]


@pytest.mark.parametrize("heading", ["Feld1", "Teilnehmer", "Ansprechperson", "Kontakt", "Mitarbeiter", "pupil", "Q1"])
@pytest.mark.parametrize(
    "values",
    [
        FIRST,
        LAST,
        [name.upper() for name in LAST],
        [f"{last}, {first}" for last in LAST for first in FIRST],
        [f"{first} {last}" for last, first in zip(LAST, FIRST, strict=True)],
    ],
    ids=["first", "last", "capitals", "both", "ten"],
)
def test_names_are_found_under_any_heading(heading: str, values: list[str], tmp_path: Path) -> None:
    assert role(tmp_path, heading, repeated(values)) == "identifier"


@pytest.mark.parametrize(
    "value",
    [
        "please ask <ada@example.org>",
        "Frau Öztürk rief an",
        "mein Name ist Weber",
        f"bezahlt an {iban(7)} am Montag",
        f"{iban(8)[:4]} {iban(8)[4:8]} {iban(8)[8:12]} {iban(8)[12:16]} {iban(8)[16:20]} {iban(8)[20:]}",
    ],
)
def test_one_telling_text_among_categories_is_enough(value: str, tmp_path: Path) -> None:
    assert role(tmp_path, "info", [value, *(TOLD * 100)[1:]]) == "identifier"


def test_a_telling_text_is_found_behind_thousands_of_others(tmp_path: Path) -> None:
    texts = [f"kind {n % 900}" for n in range(8999)]
    assert role(tmp_path, "info", [*texts, "zz@example.org"]) == "identifier"
    assert role(tmp_path, "info", [*texts, "kind 5"]) == "undecided"


def test_very_many_different_texts_are_no_categories(tmp_path: Path) -> None:
    """The values of a column with very many are not all looked at, so what they are is not known."""
    assert role(tmp_path, "info", [f"w{n % (MOST + 10)}" for n in range(6 * MOST)]) == "identifier"


@pytest.mark.parametrize("values", [[f"Rosenweg {n}" for n in range(15)], [f"{n} High Street" for n in range(15)]])
def test_addresses(values: list[str], tmp_path: Path) -> None:
    assert role(tmp_path, "wo", repeated(values)) == "identifier"


@pytest.mark.parametrize(
    ("heading", "values"),
    [
        ("Ort", ["Bad Honnef", "Sankt Augustin", "Bonn"]),
        ("Farbe", ["Schwarz", "Braun", "Weiß", "Grün"]),
        ("state", ["Virginia", "Georgia", "North Carolina"]),
        ("Phase", ["Training 1", "Monitoring 2", "Arbeitsplatz 3"]),
        ("anrede", ["Herr", "Frau", "Frau Dr.", "Herr Prof. Dr."]),
    ],
)
def test_what_only_looks_like_people_is_kept(heading: str, values: list[str], tmp_path: Path) -> None:
    assert role(tmp_path, heading, repeated(values)) in ("undecided", "quasi")


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.string()])
def test_long_numbers_were_given_to_somebody(kind: pa.DataType, tmp_path: Path) -> None:
    numbers = repeated([10_000_001_947 + 97 * n for n in range(50)])
    assert (
        role(tmp_path, "merkmal", pa.array(map(str, numbers) if kind == pa.string() else numbers, kind)) == "identifier"
    )
    assert role(tmp_path, "Umsatz", pa.array(numbers, pa.int64())) == "sensitive"


def test_numbers_too_large_to_be_exact_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_text("x;y\n" + "".join(f"{2**53 + 1 + n % 3};{n % 3}\n" for n in range(60)) + "-5;1\n", encoding="utf-8")
    assert describe(path).schema["x"].scale == "nominal"


@pytest.mark.parametrize("heading", ["id", "pid", "Kundennummer", "Kunden-Nr.", "KdNr", "patient", "HH", "HaushaltsID"])
def test_numbers_of_persons_that_repeat_are_units(heading: str, tmp_path: Path) -> None:
    assert role(tmp_path, heading, [1000 + n // 10 for n in range(ROWS)]) == "unit"
    assert role(tmp_path, heading, list(range(ROWS))) == "row_key"


def test_numbers_of_few_persons_are_left_out(tmp_path: Path) -> None:
    assert role(tmp_path, "Kundennummer", repeated([4711, 4712, 4713])) == "identifier"


@pytest.mark.parametrize(
    ("heading", "values"),
    [
        ("Note", [1, 2, 3, 4, 5, 6]),
        ("Person", [1, 2, 3]),
        ("mobil", ["ja", "nein"]),
        ("facebook", [0, 1, 2, 3]),
        ("student", ["full time", "part time", "no"]),
        ("kunde", ["privat", "gewerblich"]),
        ("patient satisfaction", [1, 2, 3, 4, 5]),
        ("haushalt", [1, 2, 3, 4]),
    ],
)
def test_a_heading_is_not_believed_against_the_values(heading: str, values: list[Any], tmp_path: Path) -> None:
    assert role(tmp_path, heading, repeated(values)) == "undecided"


@pytest.mark.parametrize("heading", ["paid", "Kontostand", "Betrag"])
def test_amounts_are_no_identifiers(heading: str, tmp_path: Path) -> None:
    assert role(tmp_path, heading, [n * 1.25 for n in range(ROWS)]) == "sensitive"


@pytest.mark.parametrize("heading", ["Umsatz", "Feld1"])
def test_amounts_written_as_texts_are_amounts(heading: str, tmp_path: Path) -> None:
    assert role(tmp_path, heading, [f"{n}.000,50 €" for n in range(ROWS)]) == "sensitive"


@pytest.mark.parametrize(("name", "role_of"), [("name2", "identifier"), ("PLZ1", "quasi"), ("Kontakt 2", "identifier")])
def test_a_number_behind_a_name_changes_nothing(name: str, role_of: str, tmp_path: Path) -> None:
    assert role(tmp_path, name, repeated(["53113", "53115", "50667", "10115"])) == role_of


@pytest.mark.parametrize(
    "line",
    ["Müller;20;3.5", "ada@example.org;20;x", "Ada;01.02.1980;x", "+49 228 123456;a;b"],
)
def test_a_file_without_a_header_is_refused_without_a_value(line: str, tmp_path: Path) -> None:
    rows = "".join(f"{LAST[n % 10]};{21 + n};{n}.25\n" for n in range(60))
    (tmp_path / "file.csv").write_text(line + "\n" + rows, encoding="utf-8")
    with pytest.raises(DataError, match="look like values") as caught:
        describe(tmp_path / "file.csv")
    assert not [value for value in line.split(";") if len(value) > 2 and value in str(caught.value)]


@pytest.mark.parametrize("head", ["land;2019;2020;2021", "1;2;3;4", "Auto;Rad;Bus;Bahn"])
def test_years_items_and_answers_are_names(head: str, tmp_path: Path) -> None:
    first = "" if head[0] != "A" else "Auto;Rad;;\n"
    rows = first + "".join(f"{n % 7};{n % 5};{n};{n}\n" if not first else "Auto;;Bus;Bahn\n" for n in range(30))
    (tmp_path / "file.csv").write_text(head + "\n" + rows, encoding="utf-8")
    assert len(describe(tmp_path / "file.csv").guesses) == 4
