"""Forms of identifiers, and what digests look like."""

from __future__ import annotations

import base64
import hashlib
import random

import pytest

from schleier.kernels.pseudonyms.check_digits import health, numerals_of, pension
from schleier.kernels.pseudonyms.digests import KINDS
from schleier.kernels.pseudonyms.forms import guess_writings, writings
from schleier.kernels.pseudonyms.shapes import Shape, shape_of


def test_candidates_look_like_what_they_are() -> None:
    draw = random.Random(11)
    for written in writings():
        texts = [written.space.text(draw.randrange(written.space.count)).decode() for _ in range(30)]
        assert all(written.looks.fullmatch(text) for text in texts), written
        for text in texts:
            assert text.encode() in written.space
            if written.form == "pension_number":
                assert int(text[-1]) == int(pension(numerals_of(text[:-1]))[0])
            if written.form == "health_number":
                assert int(text[-1]) == int(health(numerals_of(text[:-1]))[0])


def test_published_identifiers_are_among_the_candidates() -> None:
    """The examples of SGB VI 147 and SGB V 290, as ``check_digits`` has them."""
    for form, text in (("health_number", "A123456780"), ("pension_number", "15070649C103")):
        (written,) = writings([form])  # type: ignore[list-item]
        assert written.looks.fullmatch(text)
        assert text.encode() in written.space
        wrong = f"{text[:-1]}{(int(text[-1]) + 1) % 10}"
        assert wrong.encode() not in written.space and text[:-1].encode() not in written.space


@pytest.mark.parametrize(
    ("values", "forms"),
    [
        (["10.0.0.1", "192.0.2.255"], {"ipv4"}),
        (["300.1.1.1"], set()),
        (["10115", "80331"], {"postcode"}),
        (["1980-02-29"], {"birth_date"}),
        (["01701234567", "01601234567"], {"phone"}),
        (["M-AB 123", "SÜW-X 9"], {"plate"}),
        (["5X41"], {"taxi"}),
        (["Anna", "Berta"], set()),
        ([], set()),
    ],
)
def test_forms_are_guessed_by_their_looks(values: list[str], forms: set[str]) -> None:
    assert {one.form for one in guess_writings(values)} == forms


@pytest.mark.parametrize("length", [8, 10, 16, 20, 32])
def test_digests_are_known_by_their_looks(length: int) -> None:
    cut = [hashlib.sha512(b"%d" % i).digest()[:length] for i in range(60)]
    for written, how in (
        ([one.hex() for one in cut], "hex"),
        ([one.hex().upper() for one in cut], "hex"),
        ([base64.b64encode(one).decode() for one in cut], "base64"),
        ([base64.urlsafe_b64encode(one).decode().rstrip("=") for one in cut], "base64"),
        ([base64.b32encode(one).decode() for one in cut], "base32"),
    ):
        if how == "base32" and length < 10:
            continue
        shape = shape_of(written)
        assert shape == Shape(how, length)
        assert [shape.read(one) for one in written] == cut
        assert shape.is_whole == any(kind.length == length for kind in KINDS.values())


@pytest.mark.parametrize(
    "values",
    [
        ["10115", "80331"],
        [f"{i:08d}" for i in range(200)],
        ["Schneider", "Hofmann", "Bergmann"],
        ["1980-01-01", "1999-12-31"],
        [f"Person {i}" for i in range(50)],
        [f"h{i:06d}" for i in range(50)],
        [],
    ],
)
def test_other_values_are_no_digests(values: list[str]) -> None:
    assert shape_of(values) is None
