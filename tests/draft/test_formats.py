from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from draft.people import health_number, iban
from schleier.draft.formats import (
    FORMS,
    Form,
    form_of,
    is_card_number,
    is_health_number,
    is_iban,
    is_pension_number,
    is_phone_number,
    is_tax_number,
    is_value_added_tax_number,
)

# Numbers that the issuing offices or standards print as examples.
PUBLISHED = {
    is_iban: ["DE89370400440532013000", "GB29 NWBK 6016 1331 9268 19", "FR1420041010050500013M02606"],
    is_tax_number: ["86095742719", "47036892816", "65929970489"],
    is_pension_number: ["15070649C103"],
    is_health_number: ["A123456780"],
    is_value_added_tax_number: ["DE136695976"],
    is_card_number: ["4111111111111111", "5555 5555 5555 4444", "378282246310005"],
}


@pytest.mark.parametrize(("check", "number"), [(check, n) for check, all_ in PUBLISHED.items() for n in all_])
def test_published_numbers_pass_and_every_other_last_digit_fails(check, number: str) -> None:
    assert check(number)
    others = [number[:-1] + digit for digit in "0123456789" if digit != number[-1]]
    assert not any(check(other) for other in others)


@given(st.integers(0, 9_999_999))
def test_made_numbers_pass(n: int) -> None:
    assert is_health_number(health_number(n)) and is_iban(iban(n))


EXAMPLES = {
    "street": ["Hauptstr.5", "12 High Street", "P.O. Box 7"],
    "person": ["Käthe Kühn", "KÜHN, K."],
    "common_name": ["Müller", "petra.k"],
    "addressed": ["Frau Öz kam"],
    "email": ["a@b.de"],
    "url": ["www.a"],
    "ip_address": ["10.0.0.1", "::"],
    "uuid": ["0b5a2b0e-8f3f-4a7e-9d0a-1d3a5f6b7c8d"],
    "social_security_number": ["123-45-6789"],
    "phone": ["0228/123456", "+4912345"],
    "plate": ["B-E 1"],
    "spaced": ["D E89 3704 0044 0532 0130 00", "15 070649 C 10 3", "A 123456780", "D E 136695976"],
}


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (["a@b.de", "c.d@e-f.org"], "email"),
        (["no answer"] * 20 + ["x@y.de"], "email"),
        (["https://example.org/me", "www.example.org"], "url"),
        (["10.0.0.1", "2001:db8::7"], "ip_address"),
        (["BN-AB 123", "K-XY 9", "B-E 1234E"], "plate"),
        (["+49 30 123456", "030/654321", "0228-99 33"], "phone"),
        (["123-45-6789", "987-65-4321"], "social_security_number"),
        (["0b5a2b0e-8f3f-4a7e-9d0a-1d3a5f6b7c8d"] * 2, "uuid"),
    ],
)
def test_a_column_of_some_form(values: list[str], name: str) -> None:
    found = form_of(values, np.ones(len(values), int))
    assert found is not None and found[0].name == name


@pytest.mark.parametrize(
    "values",
    [
        ["01067", "04109", "10115"],
        ["01.02.1990", "31.12.2001"],
        ["1234567", "7654321"],
        ["12.5", "7.25", "0.5"],
        ["Bonn", "Köln"],
        ["2020-01-31", "1999-12-01"],
        ["18-25", "26-40"],
        ["A12", "B17"],
    ],
)
def test_ordinary_columns_have_no_form(values: list[str]) -> None:
    assert form_of(values, np.ones(len(values), int)) is None


def test_chance_is_not_enough_for_check_digits() -> None:
    """One in ten random numbers passes a check digit: a column of them is not one of tax numbers."""
    rng = np.random.default_rng(1)
    numbers = [str(n) for n in rng.integers(10**10, 10**11, 2000)]
    assert 100 < sum(is_tax_number(n) for n in numbers) < 300
    assert form_of(numbers, np.ones(len(numbers), int)) is None


def test_a_date_is_no_telephone() -> None:
    assert not is_phone_number("01.02.1990") and is_phone_number("0171 2345678")


def test_every_form_has_words() -> None:
    from schleier.report.language import Words

    for lang in ("en", "de"):
        for form in FORMS:
            assert f"draft.form.{form.name}" in Words.of(lang)


@given(
    st.text("aZÄß@.:/w+0189-_ ,'deDE", max_size=20)
    | st.sampled_from([one for some in PUBLISHED.values() for one in some])
)
def test_what_a_form_needs_is_in_every_text_that_fits(text: str) -> None:
    for form in FORMS:
        if form.fits(text):
            assert len(text) >= form.least and form.needs.search(text), form.name


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_texts_of_a_form_have_what_it_needs(form: Form) -> None:
    texts = [text for texts in [*PUBLISHED.values(), *EXAMPLES.values()] for text in texts]
    fitting = [text for text in texts if form.fits(text)]
    assert fitting, "say an example"
    assert all(len(text) >= form.least and form.needs.search(text) for text in fitting)
