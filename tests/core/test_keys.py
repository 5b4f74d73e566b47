"""Long-lived keys: files, epochs, derivation, shares; nothing of them is ever told."""

from __future__ import annotations

import copy
import pickle
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from schleier.core import key_files
from schleier.core.errors import RecipeError
from schleier.core.key_files import new_file, read_secrets, rotate_file, secrets_of, text_of
from schleier.core.key_shares import join_files, split_file
from schleier.core.keys import SALT, Key, KeySource, find_key
from schleier.core.run import Run

SECRET = bytes(range(32))


def refused(code: str, text: str) -> None:
    with pytest.raises(RecipeError) as caught:
        secrets_of(text, "keys.people")
    assert [problem.code for problem in caught.value.problems] == [code]


def test_derivation_is_hkdf_over_what_cannot_be_confused() -> None:
    key = Key(SECRET, 2, "study")
    info = b"use" + b"\0\0\0\5token" + b"\0\0\0\5study" + b"\0\0\0\7persons" + (2).to_bytes(8, "big")
    assert key.derive("persons", "token") == HKDF(SHA256(), 32, SALT, info).derive(SECRET)
    others = [Key(SECRET, 1, "study"), Key(SECRET, 2, "other"), Key(SECRET[::-1], 2, "study")]
    moved = {key.derive("ersons", "tokenp"), key.derive("token", "persons"), key.derive("persons", "token\0")}
    assert len({key.derive("persons", "token"), *moved, *(o.derive("persons", "token") for o in others)}) == 7
    assert len(key.derive("persons", "token", 64)) == 64


def test_a_key_shows_its_id_alone() -> None:
    key = Key(SECRET)
    assert repr(key) == f"Key(id='{key.id}', epoch=1)"
    assert SECRET.hex() not in repr(Run(keys={"people": key})) and key.id not in repr(Run(keys={"people": key}))
    assert copy.deepcopy(key) is key and key == Key(SECRET) != Key(SECRET, 2)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="never written down"):
            pickle.dumps(key, protocol)


def test_a_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "people.key"
    held = new_file(file)
    assert file.stat().st_mode & 0o777 == 0o600 and read_secrets(file, "") == held
    with pytest.raises(RecipeError) as caught:
        new_file(file)
    assert caught.value.problems[0].code == "key-there" and read_secrets(file, "") == held
    file.chmod(0o640)
    with pytest.raises(RecipeError) as caught:
        KeySource(file=str(file)).key()
    assert caught.value.problems[0].code == "key-open" and held[1].hex() not in str(caught.value)


def test_rotation_keeps_what_old_tokens_need(tmp_path: Path) -> None:
    file = tmp_path / "people.key"
    new_file(file)
    first = KeySource(file=str(file)).key()
    rotate_file(file)
    assert KeySource(file=str(file), epoch=1).key() == first
    assert (KeySource(file=str(file)).key().epoch, file.stat().st_mode & 0o777) == (2, 0o600)
    assert [one.epoch for one in KeySource(file=str(file)).every()] == [1, 2]
    with pytest.raises(RecipeError, match="no epoch 3"):
        KeySource(file=str(file), epoch=3).key()


def test_of_two_who_make_a_key_at_once_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, first = tmp_path / "people.key", list[object]()
    whole = key_files.whole_file

    def meanwhile(*path: Any, **more: Any) -> Any:
        monkeypatch.setattr(key_files, "whole_file", whole)
        with suppress(RecipeError):
            first.append(new_file(file))  # just before the other one writes
        return whole(*path, **more)

    monkeypatch.setattr(key_files, "whole_file", meanwhile)
    with suppress(RecipeError):
        first.append(new_file(file))
    assert len(first) == 1 and read_secrets(file, "") == first[0], (
        "the key that somebody was told of is not overwritten"
    )


def test_a_failed_write_leaves_no_empty_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(key_files, "whole_file", full)
    with pytest.raises(OSError, match="No space"):
        new_file(tmp_path / "people.key")
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_not_rotated(tmp_path: Path) -> None:
    file, link = tmp_path / "people.key", tmp_path / "link.key"
    held = new_file(file)
    link.symlink_to(file)
    with pytest.raises(RecipeError) as caught:
        rotate_file(link)
    assert caught.value.problems[0].code == "key-link" and link.is_symlink() and read_secrets(file, "") == held


def test_what_is_no_key_is_refused() -> None:
    refused("key-short", SECRET[:31].hex())
    refused("key-weak", "00" * 32)
    refused("key-weak", text_of({1: SECRET, 2: SECRET}))
    refused("key-broken", "correct horse battery staple")
    refused("key-broken", f"1 {SECRET.hex()}\n1 {SECRET[::-1].hex()}")
    refused("key-broken", "ab" * 65 + "cdef0123456789")
    refused("key-broken", "")


def test_the_environment_holds_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PEOPLE_KEY", SECRET.hex())
    assert find_key("env:PEOPLE_KEY", {}) == Key(SECRET) == KeySource(env="PEOPLE_KEY").key()
    monkeypatch.delenv("PEOPLE_KEY")
    with pytest.raises(RecipeError) as caught:
        KeySource(env="PEOPLE_KEY").key("keys.people")
    assert [problem.code for problem in caught.value.problems] == ["no-key"]


def test_only_all_shares_together_are_the_key(tmp_path: Path) -> None:
    file, shares = tmp_path / "people.key", [tmp_path / name for name in ("anna", "ben", "cora")]
    new_file(file)
    rotate_file(file)
    held = read_secrets(file, "")
    split_file(file, shares)
    texts = [share.read_text() for share in shares]
    assert all(share.stat().st_mode & 0o777 == 0o600 for share in shares)
    assert not any(secret.hex() in text for secret in held.values() for text in texts)
    assert join_files(shares[::-1], tmp_path / "joined.key") == held == read_secrets(tmp_path / "joined.key", "")
    for wrong in (shares[:2], [shares[0], shares[0], shares[1]], [shares[0]]):
        with pytest.raises(RecipeError) as caught:
            join_files(wrong, tmp_path / "none.key")
        assert caught.value.problems[0].code == "key-shares"
    last = texts[2].rstrip()
    shares[2].chmod(0o600)
    shares[2].write_text(last[:-1] + ("0" if last[-1] != "0" else "1"))
    with pytest.raises(RecipeError, match="was changed"):
        join_files(shares, tmp_path / "none.key")
    assert not (tmp_path / "none.key").exists()


def test_splitting_overwrites_nothing(tmp_path: Path) -> None:
    file, there = tmp_path / "people.key", tmp_path / "there"
    new_file(file)
    there.write_text("mine")
    for shares in ([tmp_path / "a"], [tmp_path / "a", tmp_path / "a"], [tmp_path / "a", there]):
        with pytest.raises(RecipeError):
            split_file(file, shares)
        assert not (tmp_path / "a").exists() and there.read_text() == "mine"
