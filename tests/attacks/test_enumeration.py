"""Enumeration: what has few candidates is recovered from its digests, and nothing is from keyed ones."""

from __future__ import annotations

import base64
import hashlib
import hmac
import random
from collections.abc import Callable

import pyarrow as pa
import pytest

from schleier.attacks.enumeration import Enumeration
from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema

SCHEMA = Schema(columns=(Column(name="value", role="quasi", scale="text"),), row_key="id")
Make = Callable[[bytes], str]


def plain(value: bytes) -> str:
    return hashlib.sha256(value).hexdigest()


def keyed(value: bytes) -> str:
    return hmac.new(bytes(range(32)), value, "sha256").hexdigest()


def case(values: list[str], make: Make, *, came_so: bool = False) -> Case:
    keys = [f"r{i}" for i in range(len(values))]
    made = Dataset.from_frame(pa.table({"id": keys, "value": [make(one.encode()) for one in values]}), SCHEMA)
    true = Dataset.from_frame(pa.table({"id": keys, "value": values}), SCHEMA)
    return Case(made if came_so else true, made)


def found(what: Case, **more: object) -> Finding:
    return Enumeration(sensitive="value", targets="all", **more).measure(what, Run(key=bytes(32)))  # type: ignore[arg-type]


def births(many: int = 300) -> list[str]:
    draw = random.Random(2)
    return [
        f"{draw.randrange(1930, 2015)}-{draw.randrange(1, 13):02d}-{draw.randrange(1, 29):02d}" for _ in range(many)
    ]


def postcodes(many: int = 300) -> list[str]:
    draw = random.Random(3)
    return [f"{draw.randrange(1000, 99999):05d}" for _ in range(many)]


WAYS: dict[str, Make] = {
    "sha256": plain,
    "sha1, upper case": lambda one: hashlib.sha1(one).hexdigest().upper(),
    "md5": lambda one: hashlib.md5(one).hexdigest(),
    "base64": lambda one: base64.b64encode(hashlib.sha256(one).digest()).decode(),
    "url": lambda one: base64.urlsafe_b64encode(hashlib.sha1(one).digest()).decode().rstrip("="),
    "cut": lambda one: hashlib.sha256(one).hexdigest()[:16],
    "the end of it": lambda one: hashlib.sha256(one).hexdigest()[-20:],
    "salted": lambda one: hashlib.sha256(b"clinic" + one).hexdigest(),
    "salted behind": lambda one: hashlib.md5(one + b":clinic").hexdigest(),
    "weak key": lambda one: hmac.new(b"secret", one, "sha256").hexdigest(),
    "listed key": lambda one: hmac.new(b"k-17", one, "sha1").hexdigest(),
}


@pytest.mark.parametrize("way", WAYS)
def test_all_are_recovered_however_they_were_made(way: str) -> None:
    told = found(case(births(), WAYS[way]), salts=["clinic"], keys=["k-17"])
    assert (told.value, told.detail["correct"], told.detail["targets"]) == (1.0, 300, 300)
    assert told.detail["baseline"] < 0.05


@pytest.mark.parametrize("values", [births(), postcodes(), [f"10.{i % 7}.{i}.{255 - i}" for i in range(256)]])
def test_keyed_ones_are_not(values: list[str]) -> None:
    told = found(case(values, keyed), most=1000)
    assert told.detail["claims"] == told.detail["correct"] == 0 and told.detail["bits"] == 256


def test_beyond_the_first_candidates_the_trustee_says_which_would_be_found() -> None:
    addresses = [f"{i}.20.30.40" for i in range(250)]
    told = found(case(addresses, plain), most=100_000)
    assert told.value == 1.0 and told.detail["correct"] == 250
    assert told.detail["tried"] == 100_000 and told.detail["candidates"] == 2**32


def test_a_file_that_came_with_its_pseudonyms() -> None:
    told = found(case(postcodes(), plain, came_so=True))
    assert told.value == 1.0 and told.detail["claims"] == 300
    assert found(case(postcodes(), keyed, came_so=True), forms=["postcode"]).detail["claims"] == 0


def test_names_from_a_list_and_codes_from_a_pattern() -> None:
    names = ["Anna Berg", "Cem Demir", "Eva Fuchs"] * 20
    assert found(case([one.upper() for one in names], plain), words=["anna berg", "Cem Demir"]).detail["claims"] == 40
    codes = [f"K{i:03d}" for i in range(100)]
    assert found(case(codes, plain), patterns=["[A-Z][0-9]{3}"]).value == 1.0
    assert found(case(codes, plain), patterns=["[A-J][0-9]{3}"]).detail["claims"] == 0


def test_values_in_the_open_are_taken_as_they_stand() -> None:
    told = found(case(postcodes(), lambda one: one.decode()))
    assert told.value == 1.0 and told.detail["bits"] is None


def test_it_is_tried_by_itself_where_digests_are() -> None:
    assert [one.sensitive for one in Enumeration.fitting(case(births(), keyed))] == ["value"]
    assert Enumeration.fitting(case(births(), lambda one: one.decode())) == []


def test_nothing_recovered_is_told() -> None:
    what, values = case(births(), plain), births()
    told = found(what, words=["Anna Berg"])
    public = Enumeration(sensitive="value", words=["Anna Berg"]).disclose(what, Run(key=bytes(32)), told)
    said = told.model_dump_json() + public.model_dump_json() if public else ""
    assert said and not [one for one in (*values, "Anna", keyed(b""), plain(values[0].encode())) if one in said]
    attack = Enumeration(sensitive="value", words=["Anna Berg"], keys=["k-17"], salts=["clinic"])
    assert not {"words", "keys", "salts"} & attack.parameters(public=True).keys()
    assert "Anna" not in repr(attack) and "k-17" not in repr(attack)


def test_bad_patterns_are_named_before_a_row_is_read() -> None:
    odd = Enumeration(sensitive="value", patterns=["[0-9]{3}", "[0-9"])
    assert [(one.code, one.where) for one in odd.problems(SCHEMA)] == [("no-pattern", "patterns.1")]
    with pytest.raises(SchleierError):
        Enumeration(sensitive="value", forms=["shoe size"])  # type: ignore[list-item]


def test_missing_pseudonyms_are_nobody() -> None:
    keys, values = ["a", "b", "c", "d"], ["10115", "10117", None, "80331"]
    made = [None if one is None else plain(one.encode()) for one in values[:3]] + [None]
    both = [Dataset.from_frame(pa.table({"id": keys, "value": pa.array(some)}), SCHEMA) for some in (values, made)]
    told = found(Case(*both), forms=["postcode"])
    assert (told.detail["claims"], told.detail["correct"], told.detail["without_value"]) == (2, 2, 1)
