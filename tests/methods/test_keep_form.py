"""Pseudonyms of the same form: round trips, check digits, and what is refused."""

from __future__ import annotations

from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.core.errors import SchleierError
from schleier.core.keys import Key
from schleier.kernels.pseudonyms import check_digits as check
from schleier.methods._forms import FORMS
from schleier.methods.keep_form import KeepForm

KEY = Key(bytes(range(32)))


def step(kind: str, **more: Any) -> KeepForm:
    return KeepForm(column="number", key="k", domain="d", kind=kind, **more)


def spelled(kind: str, *values: str, **more: Any) -> list[str]:
    found: list[str] = step(kind, **more).pseudonyms(pa.array(values, pa.string()), KEY).to_pylist()
    return found


def refused(kind: str, *values: str, **more: Any) -> str:
    with pytest.raises(SchleierError) as caught:
        spelled(kind, *values, **more)
    assert not any(value in str(caught.value) for value in values if len(value) > 3)
    return caught.value.problems[0].code


def iban(country: str, account: str) -> str:
    right = check.two_digits_97(check.numerals_of(account + country))[0]
    return f"{country}{right:02d}{account}"


CHARACTERS = "123456789" + ascii_uppercase + ascii_lowercase
DIGITS = st.text("0123456789", min_size=10, max_size=10)
NUMBERS = {
    "digits": st.text("0123456789-", min_size=12, max_size=16).filter(lambda word: sum(map(str.isdigit, word)) >= 6),
    "letters": st.text("abcXYZ0123456789 .", min_size=8, max_size=14)
    .map(lambda word: " ".join(word.split()))
    .filter(lambda word: sum(map(str.isalnum, word)) >= 6),
    "iban": st.builds(iban, st.just("DE"), st.text("0123456789", min_size=18, max_size=18)),
    "health": st.builds(
        lambda letter, rest: f"{letter}{rest}{check.health(check.numerals_of(letter + rest))[0]}",
        st.sampled_from("ABZ"),
        st.text("0123456789", min_size=8, max_size=8),
    ),
    "pension": st.builds(
        lambda date, letter, rest: f"{date}{letter}{rest}{check.pension(check.numerals_of(date + letter + rest))[0]}",
        st.text("0123456789", min_size=8, max_size=8),
        st.sampled_from("AMZ"),
        st.text("0123456789", min_size=2, max_size=2),
    ),
    "tax": st.permutations("0123456789")
    .filter(lambda digits: digits[0] != "0" and digits[9] != digits[0])
    .map(lambda digits: "".join([*digits[:9], digits[0]]))
    .map(lambda word: f"{word}{check.mod_11_10(check.numerals_of(word))[0]}"),
    "card": DIGITS.map(lambda word: f"41111{word}").map(lambda word: f"{word}{check.luhn(check.numerals_of(word))[0]}"),
    "phone": st.builds(lambda start, rest: start + rest, st.sampled_from(("+49", "0", "0049", "")), DIGITS),
}


def test_every_kind_is_tried() -> None:
    assert set(NUMBERS) == set(FORMS)


@pytest.mark.parametrize("kind", FORMS)
def test_round_trip_form_and_check_digits(kind: str) -> None:
    @settings(max_examples=25)
    @given(st.lists(NUMBERS[kind], min_size=1, max_size=8, unique=True))
    def holds(values: list[str]) -> None:
        one = step(kind, reason="a test")
        plain = one.comparable(pa.array(values))
        found = one.pseudonyms(pa.array(values), KEY)
        assert one.reveal(found, KEY).equals(plain)
        assert len(set(found.to_pylist())) == len(set(plain.to_pylist()))
        shape = str.maketrans(CHARACTERS, "0" * 9 + "A" * 26 + "a" * 26)
        for before, after in zip(plain.to_pylist(), found.to_pylist(), strict=True):
            assert before.translate(shape) == after.translate(shape)
        if kind == "card":
            assert all(check.luhn(check.numerals_of(word[:-1]))[0] != int(word[-1]) for word in found.to_pylist())
        elif FORMS[kind].right:
            assert one.comparable(found).equals(found)  # right, or it would be refused
        if kind == "iban":
            assert [word[:2] + word[4:12] for word in found.to_pylist()] == [v[:2] + v[4:12] for v in plain.to_pylist()]

    holds()


def test_other_keys_domains_and_kinds_give_other_pseudonyms() -> None:
    value = pa.array(["0123456789"])
    said = {
        KeepForm(column="n", key="k", domain=domain, kind=kind, reason="a test").pseudonyms(value, key)[0].as_py()
        for domain in ("a", "b")
        for kind in ("digits", "phone")
        for key in (KEY, Key(bytes(range(1, 33))))
    }
    assert len(said) == 8


def test_spaces_and_small_letters_make_no_difference() -> None:
    one, two = spelled("iban", "DE89 3704 0044 0532 0130 00", "de89370400440532013000", reason="a test")
    assert one == two and len(one) == 22


def test_wrong_check_digits_are_refused_kept_or_repaired() -> None:
    right, wrong = "DE89370400440532013000", "DE88370400440532013000"
    assert refused("iban", wrong) == "wrong-check-digit"
    assert spelled("iban", wrong, wrong="repair") == spelled("iban", right)
    (kept,) = spelled("iban", wrong, wrong="keep")
    assert kept[4:] == spelled("iban", right)[0][4:] and refused("iban", kept) == "wrong-check-digit"
    assert step("iban", wrong="keep").reveal(pa.array([kept]), KEY).to_pylist() == [wrong]
    (broken,) = spelled("iban", right, valid=False)
    assert refused("iban", broken) == "wrong-check-digit"


def test_behind_what_is_no_pseudonym_is_nothing() -> None:
    right = "DE89370400440532013000"
    (found,) = spelled("iban", right)
    wrong = found[:-1] + str((int(found[-1]) + 1) % 10)  # nobody got it: its check digits are wrong
    given = pa.array([found, wrong, "XXX", "DE00", "", None, "call me", f"{found[:4]} {found[4:]}"])
    assert step("iban").reveal(given, KEY).to_pylist() == [right, *[None] * 6, right]
    assert step("digits").reveal(pa.array(["12345", "é"]), KEY).to_pylist() == [None, None]


def test_what_has_another_form_or_too_few_words_is_refused() -> None:
    assert refused("digits", "12345") == "few-words" == refused("letters", "ab12")
    assert refused("tax", "8609574271") == refused("tax", "11111111111") == "odd-form"
    assert refused("health", "1234567890") == refused("phone", "call me later") == "odd-form"
    assert refused("letters", "Müller-Lüdenscheidt") == "odd-form"


def test_no_pseudonym_is_a_number_that_somebody_has(tmp_path: Path) -> None:
    values = [f"1{i:06d}" for i in range(3000)]  # of a million numbers, some three thousand are met by chance
    assert refused("phone", *values) == "live-number"
    assert len(set(spelled("phone", *values, reason="test numbers of our own"))) == 3000
    (one,) = spelled("phone", "0171 1234567")
    live = tmp_path / "live.txt"
    live.write_text(f"\n0800 {one[4:]}\n{one[:3]} {one[3:]}\n")
    assert refused("phone", "0171 1234567", live=str(live)) == "live-number"


def test_many_values_of_many_shapes_keep_their_rows() -> None:
    rng = np.random.default_rng(5)
    values = ["".join(rng.choice(list("ab12-"), 7)) + "3456789" for _ in range(2000)]
    values = list(dict.fromkeys(values))
    together = spelled("letters", *values)
    assert together[7:9] == spelled("letters", *values[7:9]) and together[-1:] == spelled("letters", values[-1])


def test_a_tax_number_obeys_the_rule_of_digits() -> None:
    (found,) = spelled("tax", "86095742719")
    counts = sorted(found[:10].count(digit) for digit in "0123456789")
    assert found[0] != "0" and counts in ([0, *[1] * 8, 2], [0, 0, *[1] * 7, 3])


def test_long_columns_of_several_forms_are_turned_as_their_parts_are() -> None:
    """More than is worked on at once, some with marks; a pseudonym that is a number of the column is found."""
    values = [f"+49{number:010d}" for number in range(70_000)] + ["0049 30/1234567", "(030) 1234567"]
    found = spelled("phone", *values, reason="a test")
    assert found[-2:] == spelled("phone", "+49301234567", "0301234567", reason="a test")
    assert found[69_990:70_000] == spelled("phone", *values[69_990:70_000], reason="a test")
    assert refused("phone", *values[:2000], found[0]) == "live-number"
    plain = step("phone").comparable(pa.array(values))
    assert step("phone").reveal(pa.array(found), KEY).equals(plain)
