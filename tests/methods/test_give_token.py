"""Keyed tokens: what they are, where they are the same, and that nothing else tells of the key."""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.errors import RecipeError, SchleierError
from schleier.core.keys import Key
from schleier.core.pseudonym import refuse_shared
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.give_token import GiveToken

KEY = Key(bytes(range(32)))


def step(**more: Any) -> GiveToken:
    return GiveToken(**{"column": "person", "key": "k", "domain": "persons", **more})


def tokens(values: list[str | None], **more: Any) -> list[str | None]:
    schema = Schema(columns=[Column(name="person", role="identifier", scale="nominal")])
    data = Dataset.from_frame(pa.table({"person": pa.array(values, pa.string())}), schema)
    after = step(**more).apply(data, Run(keys={"k": KEY}))
    assert after.schema["person"].role == "unit"
    found: list[str | None] = after.to_arrow()["person"].to_pylist()
    return found


def test_a_token_is_the_beginning_of_an_hmac() -> None:
    tag = hmac.new(KEY.derive("persons", "token"), b"0071", hashlib.sha256).digest()
    assert tokens(["0071"]) == [base64.b32encode(tag).decode().lower()[:26]]
    assert tokens(["0071"], alphabet="hex", length=64) == [tag.hex()]


@given(st.lists(st.one_of(st.none(), st.text("ab1é ", max_size=4)), min_size=1, max_size=12))
def test_equal_values_have_equal_tokens_and_no_others(values: list[str | None]) -> None:
    plain = [None if value is None else " ".join(value.split()) for value in values]
    found = tokens(values)
    assert [token is None for token in found] == [value is None for value in values]
    pairs = set(zip(plain, found, strict=True))
    assert len(pairs) == len({p for p, _ in pairs}) == len({f for _, f in pairs})


@pytest.mark.parametrize(("alphabet", "length"), [("base32", 51), ("hex", 64), ("digits", 36), ("letters", 24)])
def test_every_alphabet_gives_the_declared_length(alphabet: str, length: int) -> None:
    found = tokens([f"p{i}" for i in range(200)], alphabet=alphabet, length=length)
    assert {len(token or "") for token in found} == {length} and len(set(found)) == 200
    with pytest.raises(RecipeError):
        step(alphabet=alphabet, length=length + 1)


def test_forms_of_one_name_are_one_person_as_declared() -> None:
    composed, apart = "Zo\u00eb", "Zoe\u0308"
    assert tokens([composed]) == tokens([apart]) == tokens([composed], normal=[])
    assert tokens([composed], normal=[]) != tokens([apart], normal=[])
    assert tokens(["ADA"], normal=["case"]) == tokens(["ada"], normal=["case"]) and tokens(["ADA"]) != tokens(["ada"])


def test_a_value_may_be_asked_for_twice() -> None:
    one, two, three = step().pseudonyms(pa.array(["0071", "0072", "0071"]), KEY).to_pylist()
    assert one == three != two


def test_key_domain_epoch_and_project_decide() -> None:
    value = pa.array(["0071"])
    keys = [KEY, Key(bytes(range(32)), 2), Key(bytes(range(32)), 1, "other"), Key(bytes(range(1, 33)))]
    found = {step(domain=domain).pseudonyms(value, key)[0].as_py() for key in keys for domain in ("a", "b")}
    assert len(found) == 8


@given(st.lists(st.text(max_size=40), min_size=1, max_size=5, unique=True))
def test_what_can_be_undone_is_undone_and_all_else_is_nothing(values: list[str]) -> None:
    one = step(undo=True, normal=[])
    found = one.pseudonyms(pa.array(values), KEY)
    assert one.reveal(found, KEY).to_pylist() == values
    assert one.reveal(found, Key(bytes(range(1, 33)))).null_count == len(values)
    assert one.reveal(pa.array(["nonsense", "", None, "aaaaaaaa"]), KEY).null_count == 4


def test_a_digest_is_not_undone() -> None:
    with pytest.raises(RecipeError, match="nobody can undo"):
        step().reveal(pa.array(["x"]), KEY)


def test_two_sites_agree_on_ten_thousand_persons_without_a_list() -> None:
    """Each hospital has the key and its own rows in its own order and spelling, and nothing else (K-013)."""
    persons = [f"Person {i:05d} 19{i % 100:02d}-01-01" for i in range(10_000)]
    here, there = persons, [f"  {person.upper()} " for person in reversed(persons)]
    rules = {"normal": ["nfkc", "blanks", "case"]}
    one, two = tokens(list(here), **rules), tokens(list(there), **rules)
    assert one == two[::-1] and len(set(one)) == 10_000
    assert set(one).isdisjoint(hashlib.sha256(person.lower().encode()).hexdigest()[:26] for person in persons)


def test_numbers_are_refused_with_the_way_out() -> None:
    schema = Schema(columns=[Column(name="person", role="identifier", scale="discrete")])
    (problem,) = step().problems(schema)
    assert problem.code == "not-a-name" and "leading zeros" in problem.message and "nominal" in problem.hint


def test_short_tokens_that_two_persons_share_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schleier.methods.give_token.LEAST_BITS", 8)
    short = step(alphabet="digits", length=8)
    monkeypatch.setattr(GiveToken, "spell", lambda self, values, key: pa.array(["1"] * len(values)))
    with pytest.raises(SchleierError, match="1 of the pseudonyms"):
        short.pseudonyms(pa.array(["a", "b"]), KEY)


def test_only_whole_pseudonyms_are_shared_not_their_ends() -> None:
    values = pa.array([f"v{i}" for i in range(70_000)])
    words = [f"{i:08d}{i % 69_999:08d}" for i in range(70_000)]  # the first and the last end alike
    refuse_shared(values, pa.array(words), "step")
    with pytest.raises(SchleierError, match="1 of the pseudonyms stand"):
        refuse_shared(values, pa.array([*words[:-1], words[0]]), "step")
