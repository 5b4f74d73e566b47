"""Who is recognised, on made-up persons of another world than that of the weights."""

from __future__ import annotations

import numpy as np
import pytest

from schleier.core.errors import DataError
from schleier.extras.pseudonyms import _veiled
from schleier.extras.pseudonyms._filters import COMPARED, field_filters, frequency_attack, record_filter
from schleier.extras.pseudonyms._fitting import scored, tally
from schleier.extras.pseudonyms._generated import Errors, World, trial
from schleier.extras.pseudonyms._identity import FIELDS, Identity, identity_of
from schleier.extras.pseudonyms._likeness import levels
from schleier.extras.pseudonyms._model import keys_of, model
from schleier.extras.pseudonyms._phonetics import cologne

ANNA = {"given_name": "Anna", "surname": "Groß", "birth_date": "3.10.1990", "postcode": "55116", "town": "Mainz"}
SEED = 4711


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Wikipedia", "3412"),
        ("Mueller-Luedenscheidt", "65752682"),
        ("Breschnew", "17863"),
        ("Meyer", "67"),
        ("Heinz Classen", "068586"),
        ("Acker", "047"),
        ("Xaver", "4837"),
        ("Philipp", "351"),
        ("", ""),
    ],
)
def test_how_names_sound(name: str, code: str) -> None:
    """Examples of the published rules."""
    assert cologne(name) == code


def test_ways_of_writing_are_equal() -> None:
    other = {
        "given_name": " ANNA",
        "surname": "gross",
        "birth_date": "1990-10-03",
        "postcode": "55 116",
        "town": "MAINZ",
    }
    assert identity_of(ANNA) == identity_of(other)
    assert identity_of({**ANNA, "surname": "Dr. Mu\u0308ller"}) == identity_of({**ANNA, "surname": "Mueller"})


@pytest.mark.parametrize(
    ("fields", "codes"),
    [
        ({**ANNA, "birth_date": "31.02.1990"}, {"bad-birth-date"}),
        ({**ANNA, "town": "x" * 201, "surname": "a\x00b"}, {"bad-identity-field"}),
        ({**ANNA, "insurance": "A123456780"}, {"unknown-identity-field"}),
        ({"given_name": "Anna", "surname": "Berg"}, {"too-little-identity"}),
        ({"town": "Mainz", "postcode": "55116", "birth_date": "3.10.1990"}, {"too-little-identity"}),
    ],
)
def test_what_is_no_identity_is_refused_without_a_value(fields: dict[str, str], codes: set[str]) -> None:
    with pytest.raises(DataError) as caught:
        identity_of(fields)
    assert {problem.code for problem in caught.value.problems} == codes
    assert not any(value in str(caught.value) for value in fields.values() if len(value) > 3)


def test_levels_see_exchanged_names_marriages_and_typing() -> None:
    anna = identity_of(ANNA)
    assert levels(anna, anna._replace(given_name="gross", surname="anna"))["surname"] == "crossed"
    assert levels(anna, anna._replace(surname="berg", birth_name="gross"))["surname"] == "birth"
    assert levels(anna, anna._replace(birth_date="19900310"))["birth_date"] == "near"
    assert levels(anna, anna._replace(town="", postcode=""))["place"] == "missing-missing"
    assert levels(anna, anna._replace(surname="gros"))["surname"] == "close"
    assert repr(anna) == "Identity(...)", "no value in a trace"


def test_two_writings_share_a_key_unless_all_is_different() -> None:
    anna = identity_of(ANNA)
    for change in ({"given_name": "berta"}, {"surname": "x"}, {"birth_date": ""}, {"postcode": "", "town": ""}):
        assert set(keys_of(anna)) & set(keys_of(anna._replace(**change)))
    assert not set(keys_of(anna)) & set(keys_of(Identity("otto", "kurz", "", "19500101", "10115", "berlin")))


def test_thresholds_of_made_up_persons_hold_on_others() -> None:
    held, come, place = trial(World(SEED), 1200, Errors())
    told = tally(model(), scored(model(), held, come), place, len(held))
    assert told.get("wrong", 0) == 0 and told["certain"] >= 0.93, told


def test_the_nearest_decides_only_when_nobody_else_is_as_near_and_more_must_agree_in_a_large_register() -> None:
    enough = model().certain + 1
    assert model().decide({7: enough}, 1000) == ("certain", 7)
    assert model().decide({7: enough, 8: enough - 1}, 1000) == ("tentative", 7)
    assert model().decide({7: enough}, 10_000_000)[0] != "certain"
    assert model().decide({7: model().new - 1}, 1000) == ("new", None)


@pytest.mark.parametrize("fields", [True, False])
def test_keyed_filters_know_persons_again(fields: bool) -> None:
    chosen = _veiled.fields_model() if fields else _veiled.records_model()
    held, come, place = trial(World(SEED), 600, Errors())
    found = chosen.decided(chosen.scores(held, come, b"k" * 32))
    right = ((found == place) & (place >= 0)).sum() / (place >= 0).sum()
    assert right >= (0.9 if fields else 0.75) and ((found >= 0) & (found != place)).sum() <= 1
    other = chosen.of_filters(
        _veiled.filtered(come, b"k" * 32, fields=fields), _veiled.filtered(held, b"x" * 32, fields=fields)
    )
    assert (chosen.decided(other) >= 0).sum() == 0, "under different keys nobody is known"


def test_counting_equal_filters_names_the_most_common_names_of_fields_but_of_no_records() -> None:
    world = World(SEED)
    people = [world.person() for _ in range(800)]
    names = [one.given_name for one in people]
    often = {name: names.count(name) for name in names}
    single = [field_filters(one, b"k" * 32)[COMPARED.index("given_name")] for one in people]
    right, guess = frequency_attack(single, names, often)
    assert right > guess, "the attack works: field-level filters are for partners who are trusted to keep the key"
    whole, _ = frequency_attack([record_filter(one, b"k" * 32) for one in people], names, often)
    assert whole <= guess


def test_filters_are_likely_to_be_empty_for_missing_fields_only() -> None:
    empty = field_filters(Identity("anna"), b"k" * 32)
    assert [any(one) for one in empty] == [True, False, False, False, False]
    assert len(FIELDS) == 6 and np.isfinite(model().certain)
