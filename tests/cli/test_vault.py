"""The commands of a vault and the one that reveals: what they do, say and refuse, and where the value goes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.foreign import english_words
from schleier.cli import app
from schleier.core.key_files import new_file, rotate_file
from schleier.core.key_shares import split_file
from schleier.core.vault.opening import secrets_in
from schleier.core.vault.vault import Vault

PLANTED = "Wilhelmine Planted-Identity"
PHRASE = "correct horse battery staple"


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two keys and a vault in which one person has a token."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.key", "b.key"):
        new_file(Path(name))
    assert run("vault new p.vault --key-file a.key")[0] == 0
    (tmp_path / "token").write_text(issue("p.vault", "a.key"), newline="")
    return tmp_path


def issue(vault: str, *keys: str) -> str:
    with Vault.open(Path(vault), *secrets_in([Path(key) for key in keys], "")) as one:
        return one.issue("person", [PLANTED]).tokens[0]


def run(line: str, typed: str = "") -> tuple[int, str, str]:
    found = CliRunner().invoke(app, line.split(), input=typed)
    assert not isinstance(found.exception, Exception) or isinstance(found.exception, SystemExit), found.exception
    return found.exit_code, found.stdout, found.stderr


def reveal(options: str, house: Path, token: str = "") -> tuple[int, str, str]:
    return run(f"reveal {token or (house / 'token').read_text()} --vault p.vault {options}")


def test_the_value_goes_to_the_output_and_nowhere_else(house: Path) -> None:
    assert reveal("--key-file a.key --reason case-17", house) == (0, PLANTED + "\n", "")
    log = (house / "p.vault.reveals.jsonl").read_text()
    assert json.loads(log)["reason"] == "case-17" and PLANTED not in log
    assert not any(PLANTED.encode() in file.read_bytes() for file in house.iterdir())
    assert run("vault verify p.vault --key-file a.key")[0] == 0
    (house / "p.vault.reveals.jsonl").write_text(log.replace("case-17", "case-18"), newline="")
    code, out, said = run("vault verify p.vault --key-file a.key")
    assert (code, out) == (4, "") and "the log of reversals is not what it was: line 1 was changed" in said
    assert reveal("--key-file a.key --reason case-19", house)[:2] == (4, "")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("--key-file b.key --reason case", "the vault cannot be opened with this secret"),
        ("--passphrase --reason case", "nothing was typed"),
        ("--reason case", "nothing is said about what opens the vault"),
        ("--key-file a.key --passphrase --reason case", "a key and a passphrase are named"),
        ("--key-file none.key --reason case", "there is no such file of a key"),
        ("--key-file a.key --second-key-file none.key --reason case", "there is no such file of a key"),
    ],
)
def test_nobody_gets_in_by_another_way(options: str, told: str, house: Path) -> None:
    code, out, said = reveal(options, house)
    assert code != 0 and out == "" and told in said and PLANTED not in said
    assert not (house / "p.vault.reveals.jsonl").exists()


def test_a_token_of_another_kind_is_refused(house: Path) -> None:
    code, out, said = reveal("--key-file a.key --reason case", house, "5d41402abc4b2a76b9719d911017c592")
    assert (code, out) == (4, "") and "this is no token of a vault" in said
    code, out, said = reveal("--key-file a.key --reason case", house, "a" * 26)
    assert (code, out) == (4, "") and "the vault does not know the token" in said


@pytest.mark.skipif(os.name == "nt", reason="modes tell nothing there")
def test_short_and_open_keys_are_refused(house: Path) -> None:
    (house / "short.key").write_text("00" * 16, newline="")
    (house / "short.key").chmod(0o600)
    (house / "a.key").chmod(0o640)
    assert "the key is too short" in run("vault info p.vault --key-file short.key")[2]
    assert "other users can read the file of the key" in run("vault info p.vault --key-file a.key")[2]


def test_a_rotated_key_still_opens_until_the_vault_is_rotated(house: Path) -> None:
    rotate_file(house / "a.key")
    assert reveal("--key-file a.key --reason case", house)[:2] == (0, PLANTED + "\n")
    assert run("vault rotate p.vault --key-file a.key --new-key-file a.key")[0] == 0
    lines = (house / "a.key").read_text().splitlines()
    (house / "old.key").write_text("\n".join(lines[:-1]), newline="")  # the first epoch alone
    (house / "old.key").chmod(0o600)
    assert "the vault cannot be opened" in run("vault info p.vault --key-file old.key")[2]
    assert reveal("--key-file a.key --reason case", house)[:2] == (0, PLANTED + "\n")


def test_a_split_key_needs_all_its_shares(house: Path) -> None:
    split_file(Path("b.key"), [Path("one"), Path("two")])
    assert run("vault rotate p.vault --key-file a.key --new-key-file b.key")[0] == 0
    code, out, said = reveal("--key-file one --reason case", house)
    assert code != 0 and out == "" and PLANTED not in said
    assert reveal("--key-file one --key-file one --reason case", house)[1] == ""
    assert reveal("--key-file one --key-file two --reason case", house)[:2] == (0, PLANTED + "\n")


def test_two_persons_must_agree(house: Path) -> None:
    assert run("vault new two.vault --key-file a.key --second-key-file b.key")[0] == 0
    token = issue("two.vault", "a.key")
    options = f"{token} --vault two.vault --key-file a.key --reason case"
    assert "two persons must agree" in run(f"reveal {options}")[2]
    assert "two persons must agree" in run(f"reveal {options} --second-key-file a.key")[2]
    assert run(f"reveal {options} --second-key-file b.key")[1] == PLANTED + "\n"


def test_a_passphrase_is_one_line_of_the_input(house: Path) -> None:
    assert run("vault new q.vault --passphrase", PHRASE + "\n")[0] == 0
    assert json.loads(run("vault info q.vault --passphrase --json", PHRASE + "\n")[1])["rows"] == 0
    code, _, said = run("vault info q.vault --passphrase", PHRASE + "x\n")
    assert code == 4 and PHRASE not in said
    assert "at least 12 characters" in run("vault new r.vault --passphrase", "geheim\n")[2]
    assert not (house / "r.vault").exists()


def test_a_copy_and_back(house: Path) -> None:
    assert run("vault export p.vault copy.vault --key-file a.key --new-passphrase", PHRASE + "\n")[0] == 0
    assert run("vault new back.vault --key-file b.key")[0] == 0
    joined = "vault import back.vault copy.vault --key-file b.key --other-passphrase --json"
    assert json.loads(run(joined, PHRASE + "\n")[1])["rows"] == 1
    assert issue("back.vault", "b.key") == (house / "token").read_text()


def test_one_person_is_erased_by_value_or_token(house: Path) -> None:
    erase = "vault erase p.vault --key-file a.key --reason request-4"
    assert "say who is erased" in run(f"{erase} --record x.json")[2]
    assert run(f"{erase} --domain person --record e.json", PLANTED + "\n")[0] == 0
    record = json.loads((house / "e.json").read_text())
    assert record["rows"] == 1 and PLANTED not in json.dumps(record)
    assert run("vault verify p.vault --key-file a.key --record e.json")[0] == 0
    (house / "f.json").write_text(json.dumps(record | {"at": "2020-01-01"}), newline="")
    assert "this vault did not sign the record" in run("vault verify p.vault --key-file a.key --record f.json")[2]
    token = issue("p.vault", "a.key")
    assert "there is a file of this name already" in run(f"{erase} --token {token} --record e.json")[2]
    assert issue("p.vault", "a.key") == token, "nothing is erased without a record"
    assert run(f"{erase} --token {token} --record g.json")[0] == 0
    assert "the vault does not know the token" in reveal("--key-file a.key --reason case", house, token)[2]


def test_a_new_epoch_and_the_end(house: Path) -> None:
    rotate = "vault rotate p.vault --key-file a.key --new-key-file b.key"
    assert "a mapping needs --epoch" in run(f"{rotate} --mapping m.csv")[2]
    assert run(f"{rotate} --epoch --mapping m.csv")[0] == 0
    _, line = (house / "m.csv").read_text().splitlines()
    assert line == f"person,{(house / 'token').read_text()},{issue('p.vault', 'b.key')}"
    assert run("vault destroy p.vault --key-file b.key --reason over --record end.json")[0] == 0
    assert not (house / "p.vault").exists()
    assert json.loads((house / "end.json").read_text())["rows"] == 2


@pytest.mark.parametrize(
    "line",
    [
        "vault new p.vault --key-file a.key",
        "vault info p.vault --key-file b.key",
        "vault info none.vault --key-file a.key",
        "vault info a.key --key-file a.key",
        "vault info p.vault",
        "vault erase p.vault --reason r --record x --key-file a.key",
        "vault erase p.vault --reason r --record x --key-file a.key --token x",
        "vault verify p.vault --key-file a.key --record a.key",
        "vault rotate p.vault --key-file a.key --new-key-file b.key --mapping m.csv",
        "vault new q.vault --key-file a.key --second-key-file a.key",
        "reveal aaaaaaaaaaaaaaaaaaaaaaaaaa --vault p.vault --key-file a.key --reason r",
        "reveal x --vault p.vault --key-file a.key --reason r",
        "vault info p.vault --key-file a.key",
        "vault verify p.vault --key-file a.key",
    ],
)
def test_they_speak_german(line: str, house: Path) -> None:
    _, out, said = run(f"--lang de {line}")
    assert english_words(out + said) <= {"reason"}, out + said
    assert out + said


def test_an_open_vault_is_told_in_one_sentence(house: Path) -> None:
    with Vault.open(Path("p.vault"), *secrets_in([Path("a.key")], "")):
        code, _, said = run("vault info p.vault --key-file a.key")
    assert code == 5 and "another process has the vault open" in said


def test_a_token_is_of_a_vault_or_of_a_recipe(house: Path) -> None:
    for options in ("", "--recipe r.toml", "--recipe r.toml --column a", "--vault p.vault --recipe r.toml"):
        code, out, said = run(f"reveal abc --reason case {options}")
        assert (code, out) == (2, "") and "say who made the token" in said
    code, _, said = run("reveal abc --reason case --recipe none.toml --column a --log log")
    assert code == 2 and "there is no such recipe" in said
