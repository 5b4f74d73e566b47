"""The log of reversals: who, when, which, why, and never the value; whoever touches it is found out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from schleier.core.errors import DataError
from schleier.core.vault.log import Chain, Log
from schleier.core.vault.revealing import demand_sound, reveal
from schleier.core.vault.secret import Secret
from schleier.core.vault.vault import Vault

LOCK = Secret.of_key(bytes(32))
PLANTED = "Wilhelmine Planted-Identity"


@pytest.fixture
def asked(tmp_path: Path) -> tuple[Path, Path, list[str]]:
    """A vault whose three tokens were revealed, and its log."""
    place = tmp_path / "persons.vault"
    with Vault.new(place, LOCK) as vault:
        tokens = vault.issue("person", [PLANTED, "Ada", "Bo"]).tokens
        for number, token in enumerate(tokens):
            reveal(vault, token, f"request {number}")
    return place, place.with_name("persons.vault.reveals.jsonl"), tokens


def test_it_says_who_when_which_and_why(asked: tuple[Path, Path, list[str]]) -> None:
    place, log, tokens = asked
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    assert [entry["token"] for entry in entries] == tokens
    assert [entry["reason"] for entry in entries] == ["request 0", "request 1", "request 2"]
    assert all(entry["who"] and entry["at"] and entry["outcome"] == "revealed" for entry in entries)
    assert PLANTED not in log.read_text()
    with Vault.open(place, LOCK) as vault:
        assert demand_sound(vault) == {"rows": 3, "log": 3}
        with pytest.raises(DataError) as error:
            reveal(vault, "a" * 26, "request 4")
        assert error.value.problems[0].code == "unknown-token"
        assert vault.log.entries()[-1]["outcome"] == "unknown"


def without(number: int) -> Callable[[list[bytes]], list[bytes]]:
    return lambda lines: [line for place, line in enumerate(lines) if place != number]


TAMPERED: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "first line gone": without(0),
    "middle line gone": without(1),
    "last line gone": without(2),
    "all gone": lambda lines: [],
    "two last gone": lambda lines: lines[:1],
    "another reason": lambda lines: [lines[0].replace(b"request 0", b"request 9"), *lines[1:]],
    "turned round": lambda lines: lines[::-1],
    "said twice": lambda lines: [*lines, lines[2]],
    "a line of somebody": lambda lines: [*lines, b'{"line": 4}'],
    "no JSON": lambda lines: [*lines, b"x"],
    "cut off": lambda lines: [*lines[:2], lines[2][:-1]],
}


@pytest.mark.parametrize("how", TAMPERED)
def test_whoever_touches_it_is_found_out(how: str, asked: tuple[Path, Path, list[str]]) -> None:
    place, log, tokens = asked
    log.write_bytes(b"".join(line + b"\n" for line in TAMPERED[how](log.read_bytes().splitlines())))
    with Vault.open(place, LOCK) as vault:
        with pytest.raises(DataError) as error:
            demand_sound(vault)
        assert [problem.code for problem in error.value.problems] == ["changed-log"]
        with pytest.raises(DataError):  # and nothing is revealed any more
            reveal(vault, tokens[0], "request 5")


def test_a_chain_made_anew_without_the_key_is_found_out(asked: tuple[Path, Path, list[str]]) -> None:
    place, log, tokens = asked
    log.unlink()
    forged, chain = Log(log, bytes(32)), Chain()
    for token in tokens:
        chain = forged.add(chain, {"token": token, "reason": "another"})
    with Vault.open(place, LOCK) as vault, pytest.raises(DataError):
        demand_sound(vault)


def test_a_kill_between_log_and_vault_loses_nothing(asked: tuple[Path, Path, list[str]]) -> None:
    place, log, tokens = asked
    with Vault.open(place, LOCK) as vault:
        vault.log.add(vault.facts.log, {"token": tokens[0], "reason": "killed before the vault heard of it"})
        log.write_bytes(log.read_bytes() + b'{"half a li')
        assert reveal(vault, tokens[1], "request 6") == "Ada"
        assert demand_sound(vault)["log"] == 5
        assert len(log.read_text().splitlines()) == 5


def test_a_reason_is_given_and_does_not_name_the_person(asked: tuple[Path, Path, list[str]]) -> None:
    place, log, tokens = asked
    with Vault.open(place, LOCK) as vault:
        with pytest.raises(DataError) as error:
            reveal(vault, "no token", " ")
        assert [problem.code for problem in error.value.problems] == ["no-reason", "no-token"]
        with pytest.raises(DataError) as error:
            reveal(vault, tokens[0], f"call of {PLANTED.upper()}")
        assert [problem.code for problem in error.value.problems] == ["value-in-reason"]
        assert "PLANTED" not in str(error.value).upper()
    assert "PLANTED" not in log.read_text().upper()
    assert '"outcome":"refused"' in log.read_text().splitlines()[-1], "whoever tries a name so is on record"


def test_a_log_that_others_can_read_is_refused(asked: tuple[Path, Path, list[str]]) -> None:
    place, log, tokens = asked
    log.chmod(0o644)
    with Vault.open(place, LOCK) as vault, pytest.raises(DataError) as error:
        reveal(vault, tokens[0], "request 7")
    assert error.value.problems[0].code == "open-log"


def test_an_empty_value_is_in_no_reason(tmp_path: Path) -> None:
    with Vault.new(tmp_path / "a.vault", LOCK) as vault:
        assert reveal(vault, vault.issue("person", [""]).tokens[0], "request 8") == ""
