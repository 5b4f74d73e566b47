from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.draft.names import _patterns, _stems, _told, meaning_of, spelt, stem_meaning
from schleier.draft.roles import Role
from schleier.report.language import Words

SAID = {
    "birth_date": ["Geburtsdatum", "geb_dat", "DOB", "date_of_birth", "birthDate", "Geb.-Datum"],
    "age": ["age", "ALTER", "Alter in Jahren", "age_years"],
    "person_name": ["Name", "vorname", "Nachname", "first_name", "lastName", "surname", "patient_name", "Firma"],
    "email": ["E-Mail", "email", "mail_adresse", "Email_Address"],
    "phone": ["Telefon", "tel", "phone_number", "Mobil", "Handynummer"],
    "address": ["Straße", "Hausnummer", "street", "address_1", "Anschrift"],
    "account": ["IBAN", "Kontonummer", "bank account"],
    "official_number": ["Steuer-ID", "SSN", "Rentenversicherungsnummer", "passport_no", "KVNR"],
    "household": ["HH_ID", "Haushaltsnummer", "household_id", "hid"],
    "household_size": ["Haushaltsgröße", "household size", "hhgr"],
    "children": ["Kinder", "number of children", "Kinderzahl"],
    "record": ["lfd. Nr.", "case_id", "record number", "product_id"],
    "person_number": ["id", "Kundennummer", "personId", "Kunden-Nr.", "Matrikelnummer", "patient_no", "userid"],
    "person": ["Lehrkraft", "pupil", "Vorgesetzter", "Sachbearbeiterin"],
    "postcode": ["PLZ", "zip", "Postleitzahl", "postal_code", "Wohnort_PLZ"],
    "place": ["Ort", "Wohnort", "Bundesland", "city", "county"],
    "sex": ["Geschlecht", "sex", "Gender"],
    "weight": ["weight", "Hochrechnungsfaktor", "pweight", "household_weights", "fnlwgt"],
    "money": ["Nettoeinkommen", "income_2019", "Gehalt", "Umsatz", "capital-gain", "Bruttolohn"],
    "health": ["Diagnose", "ICD10", "disease", "Medikamente", "AnzahlTodesfall", "Admission Type", "Aufnahmegrund"],
    "belief": ["Religion", "party", "Gewerkschaftsmitglied", "sex_life"],
    "free_text": ["Bemerkung", "comments", "Freitext"],
    "nationality": ["Staatsangehörigkeit", "native-country"],
    "industry": ["NACE", "Wirtschaftszweig", "workclass"],
    "event_date": ["Aufnahmedatum", "admission_date", "Datum", "Todesdatum"],
}


@pytest.mark.parametrize(("name", "meaning"), [(name, meaning) for meaning, names in SAID.items() for name in names])
def test_what_a_name_says(name: str, meaning: str) -> None:
    found = meaning_of(name)
    assert found is not None and found.name == meaning


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("date de naissance", "birth_date"),
        ("Prénom", "person_name"),
        ("état civil", "marital"),
        ("niveau d'études", "education"),
        ("sexo", "sex"),
        ("fecha_nacimiento", "birth_date"),
        ("Código Postal", "postcode"),
        ("estado_civil", "marital"),
        ("età", "age"),
        ("titolo_studio", "education"),
        ("codice fiscale", "official_number"),
        ("geboortedatum", "birth_date"),
        ("Geslacht", "sex"),
        ("huishoudgrootte", "household_size"),
        ("revenu_mensuel", "money"),
        ("enfermedad", "health"),
    ],
)
def test_neighbouring_languages(name: str, meaning: str) -> None:
    found = meaning_of(name)
    assert found is not None and found.name == meaning


@pytest.mark.parametrize(
    ("name", "meaning"),
    [("lenroll80", "employees"), ("fathoccup", "occupation"), ("nrooms", "dwelling"), ("lenrollcat", "employees")],
)
def test_words_under_what_was_computed_of_them(name: str, meaning: str) -> None:
    found = meaning_of(name)
    assert found is not None and found.name == meaning


@pytest.mark.parametrize(
    "name", ["q17", "x", "Zufriedenheit", "temperature", "Page", "average", "EmpSatisfaction", "job_satisfaction"]
)
def test_a_name_that_says_nothing(name: str) -> None:
    """Words count as a whole: there is an age in "average" and in "page"."""
    assert meaning_of(name) is None


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("name,age", "person_name"),
        ("Alter und Name", "person_name"),
        ("Geschlecht/Vorname", "person_name"),
        ("Telefon/Ort", "phone"),
        ("PLZ, Adresse", "address"),
        ("id;sex;age;job;town;zip;children;e-mail", "email"),
        ("Alter/Beruf", "age"),
        ("company size, name unknown", "employees"),
    ],
)
def test_of_several_things_in_one_column_the_one_that_names_people_counts(name: str, meaning: str) -> None:
    found = meaning_of(name)
    assert found is not None and found.name == meaning


def test_the_title_counts_when_the_name_says_nothing() -> None:
    assert (found := meaning_of("v217", "Alter der Person")) and found.name == "age"
    assert (found := meaning_of("sex", "Alter")) and found.name == "sex"


def test_every_meaning_can_be_told_in_both_languages() -> None:
    for meaning, _ in _patterns():
        for lang in ("en", "de"):
            assert f"draft.meaning.{meaning.name}" in Words.of(lang), meaning.name
        assert meaning.role in Role.__args__  # type: ignore[attr-defined]


def test_spelling() -> None:
    assert spelt("GrößeInCm") == "groesse in cm"


NAMES = [name for names in SAID.values() for name in names]


@given(
    st.lists(st.sampled_from([*NAMES, "q17", "x", "of", "2019"]), max_size=3), st.text("abcdeinrst_ 019", max_size=9)
)
def test_one_look_for_all_words_finds_what_a_look_for_each_does(parts: list[str], more: str) -> None:
    name = " ".join([*parts, more])
    written, together = spelt(name), spelt(name).replace(" ", "")
    ways = (re.Pattern.fullmatch, re.Pattern.search)
    each = tuple(tuple(one for one, pattern in _patterns() if fits(pattern, written)) for fits in ways)
    assert _told(written) == each
    assert stem_meaning(name) == next((one for one, stem in _stems() if stem.search(together)), None)
