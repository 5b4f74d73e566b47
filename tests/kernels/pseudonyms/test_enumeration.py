"""Every candidate is found by its digest, however it was made and cut, and nothing else is."""

from __future__ import annotations

import hashlib
import hmac
import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.kernels.pseudonyms import enumeration
from schleier.kernels.pseudonyms.candidates import Space, is_pattern, listed, pattern
from schleier.kernels.pseudonyms.digests import KINDS
from schleier.kernels.pseudonyms.enumeration import Recipe, enumerate_space
from schleier.kernels.pseudonyms.shapes import Algorithm

WORDS = st.lists(st.binary(max_size=12), min_size=1, max_size=5, unique=True).map(tuple)


def made(recipe: Recipe, value: bytes) -> bytes:
    """The slow and obvious way."""
    text = recipe.before + value + recipe.behind
    keyed = recipe.key is not None
    return (
        hmac.new(recipe.key or b"", text, recipe.algorithm).digest()
        if keyed
        else hashlib.new(recipe.algorithm, text).digest()
    )


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("key", [None, b"", b"weak", b"long" * 40])
@pytest.mark.parametrize("around", [(b"", b""), (b"salt", b"-x"), (b"s" * 60, b""), (b"a" * 30, b"b" * 150)])
def test_every_way_to_make_a_digest(name: Algorithm, key: bytes | None, around: tuple[bytes, bytes]) -> None:
    recipe, codes = Recipe(name, *around, key), pattern("[A-Z][0-9]{3}")
    some = [0, 1, 15, 16, 17, 999, 12_345, 25_999]
    for cut in (4, 8, 16):
        whole = [made(recipe, codes.text(number)) for number in some]
        first, last = [one[:cut] for one in whole], [one[-cut:] for one in whole]
        expected = {place: (number, 1) for place, number in enumerate(some)}
        assert enumerate_space(codes, recipe, first) == expected
        assert enumerate_space(codes, recipe, last, last=True) == expected


@settings(max_examples=40, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=4), st.binary(max_size=70), st.sampled_from(list(KINDS)), st.data())
def test_any_space(parts: list[tuple[bytes, ...]], before: bytes, name: Algorithm, data: st.DataObject) -> None:
    space, recipe = Space(tuple(parts)), Recipe(name, before=before)
    texts = [b"".join(words) for words in product(*parts)]
    assert [space.text(number) for number in range(space.count)] == texts
    number = data.draw(st.integers(0, space.count - 1))
    found = enumerate_space(space, recipe, [made(recipe, texts[number]), made(recipe, b"\xff none of them \xff")])
    assert set(found) == {0} and texts[found[0][0]] == texts[number]
    assert enumerate_space(space, recipe, [made(recipe, texts[number])], many=texts.index(texts[number])) == {}


def test_check_digits_follow_from_all_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """In many small tasks, too."""
    monkeypatch.setattr(enumeration, "AT_ONCE", 37)
    digits = tuple(b"%d" % i for i in range(10))
    odd = Space((digits,) * 4, ((*range(10),), (*range(0, 30, 3),), (*range(10),), (*range(0, 70, 7),)))
    assert odd.text(1234) == b"1234" + b"%d" % ((1 + 6 + 3 + 28) % 10)
    told: list[int] = []
    numbers = random.Random(5).sample(range(10_000), 20)
    wanted = [made(Recipe("sha1", behind=b"!"), odd.text(number)) for number in numbers]
    found = enumerate_space(odd, Recipe("sha1", behind=b"!"), [*wanted, bytes(20)], told=told.append)
    assert found == {place: (number, 1) for place, number in enumerate(numbers)}
    assert told[-1] == 10_000 and told == sorted(told)


def test_short_digests_fit_several_candidates() -> None:
    same = listed(["a", "b", "a"])
    assert same.count == 2
    assert enumerate_space(same, Recipe(), [made(Recipe(), b"a")[:3]]) == {}
    twice = Space(((b"a", b"aa"), (b"", b"a")))  # "aa" in two ways
    assert enumerate_space(twice, Recipe(), [made(Recipe(), b"aa")[:4]]) == {0: (1, 2)}


def test_who_listens_can_stop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumeration, "AT_ONCE", 100)
    told: list[int] = []

    def stop(done: int) -> None:
        told.append(done)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        enumerate_space(pattern("[0-9]{9}"), Recipe(), [bytes(32)], told=stop)
    assert told == [100]


@pytest.mark.parametrize("text", ["", "[", "[0-9", "x{0}", "{3}", "[]", "a{100}"])
def test_what_is_no_pattern(text: str) -> None:
    assert not is_pattern(text)


def test_addresses_of_a_network() -> None:
    """A part of the whole space; all of it belongs to the bench."""
    from schleier.kernels.pseudonyms.forms import writings

    (written,) = writings(["ipv4"])
    numbers = random.Random(3).sample(range(1 << 21), 200)
    texts = [written.space.text(number) for number in numbers]
    assert all(written.looks.fullmatch(text.decode()) for text in texts)
    found = enumerate_space(written.space, Recipe(), [made(Recipe(), text) for text in texts], many=1 << 21)
    assert [number for number, _ in found.values()] == numbers
