"""The vault: the same token for the same value, whole or not at all, and nothing to read in any file."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schleier.core.errors import DataError, EngineError, RecipeError, SchleierError, WriteError
from schleier.core.vault import sealing
from schleier.core.vault.erasing import erase
from schleier.core.vault.moving import destroy, export, join, rotate
from schleier.core.vault.proof import is_signed
from schleier.core.vault.revealing import demand_sound, reveal
from schleier.core.vault.sealing import Sealer, spelled
from schleier.core.vault.secret import Secret
from schleier.core.vault.vault import Vault

KEY, OTHER, SECOND = bytes(range(32)), bytes(range(1, 33)), bytes(range(2, 34))
PLANTED = "Wilhelmine Planted-Identity"
LOCK = Secret.of_key(KEY)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "persons.vault"


@pytest.fixture
def vault(place: Path) -> Iterator[Vault]:
    with Vault.new(place, LOCK) as made:
        yield made


def codes(error: pytest.ExceptionInfo[SchleierError]) -> list[str]:
    return [problem.code for problem in error.value.problems]


def everything(folder: Path) -> bytes:
    """The bytes of all files, and their names."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return b"".join(str(file).encode() + file.read_bytes() for file in files)


def written(value: str) -> list[bytes]:
    """How a value could be written in a file."""
    return [value.encode(), value.encode("utf-16-le"), value.encode().hex().encode()]


def test_a_domain_gives_a_value_one_token_for_ever_and_domains_differ(place: Path) -> None:
    with Vault.new(place, LOCK) as vault:
        first = vault.issue("person", ["Ada", "Bo", "Ada"])
    with Vault.open(place, LOCK) as vault:
        again = vault.issue("person", ["Bo", "Cy", "Ada"])
        doctor = vault.issue("doctor", ["Ada"])
        assert (first.new, again.new, doctor.new) == (2, 1, 1)
        assert first.tokens == [first.tokens[0], first.tokens[1], first.tokens[0]]
        assert again.tokens[::2] == first.tokens[1::-1]
        assert len({*first.tokens, *again.tokens, *doctor.tokens}) == 4
        assert vault.facts.rows == 4


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(st.text(max_size=40), max_size=30), domain=st.text("abä \x80", min_size=1, max_size=20))
def test_whatever_was_issued_comes_back(vault: Vault, values: list[str], domain: str) -> None:
    tokens = vault.issue(domain, values).tokens
    assert [vault.original(token) for token in tokens] == values
    assert len(set(tokens)) == len(set(values))
    assert vault.issue(domain, values).tokens == tokens


def test_many_values_get_the_same_tags_as_few(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [f"Person {i}".encode() * (i % 5) for i in range(300)]
    few = Sealer(KEY, "a").tags(1, "person", values)
    monkeypatch.setattr(sealing, "MANY", 1)
    assert Sealer(KEY, "a").tags(1, "person", values) == few
    assert Sealer(KEY, "a").tags(2, "person", values[1:2]) != few[1:2]


def test_nobody_is_in_any_file_nor_in_what_objects_say_of_themselves(vault: Vault, tmp_path: Path) -> None:
    token = vault.issue("domain of the planted", [PLANTED]).tokens[0]
    assert reveal(vault, token, "request 17") == PLANTED
    export(vault, tmp_path / "copy.vault", Secret.of_key(OTHER))
    row = vault.row_of(token)
    said = repr(
        (vault, vault.facts, vault._sealer, row, vault.issue("domain of the planted", [PLANTED]), LOCK, vault.log)
    )
    for text in (PLANTED, "domain of the planted", KEY.hex(), vault.facts.signing):
        assert not any(form in everything(tmp_path) for form in written(text))
        assert text not in said
    assert KEY not in everything(tmp_path)


def test_an_erased_person_is_in_no_byte_of_file_and_journal(place: Path) -> None:
    with Vault.new(place, LOCK) as vault:
        tokens = vault.issue("person", [f"Person {i}" for i in range(3000)]).tokens
        rows = {token: stored for stored, row in vault.rows() for token in [spelled(row.token)]}
        for i in (0, 1500, 2999):
            row = rows[tokens[i]]
            assert row.tag in place.read_bytes()
            record = erase(vault, "request 4", value=f"Person {i}", domain="person")
            assert record["rows"] == 1
            assert is_signed(record, vault.head["verifies"])
            assert not is_signed(record | {"rows": 2}, vault.head["verifies"])
            left = everything(place.parent)  # the journal of the open vault is among it
            assert not any(part in left for part in (row.tag, row.token, row.sealed, row.sealed[:24], row.sealed[-24:]))
            assert vault.original(tokens[i]) is None
        assert vault.original(tokens[7]) == "Person 7"
        assert demand_sound(vault)["rows"] == 2997
        assert erase(vault, "r", token=tokens[7])["rows"] == 1
        with pytest.raises(DataError) as error:
            erase(vault, "r", token=tokens[7])
        assert codes(error) == ["not-in-vault"]


def test_the_byte_search_would_find_what_is_left(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    vault.issue("person", [PLANTED])
    monkeypatch.setattr(vault.table, "remove", lambda tags: 1)
    with pytest.raises(SchleierError) as error:
        erase(vault, "r", value=PLANTED, domain="person")
    assert codes(error) == ["not-erased"]


def test_another_process_is_told_that_the_vault_is_open(vault: Vault, place: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom schleier.core.vault.vault import Vault\n"
        "from schleier.core.vault.secret import Secret\n"
        "try:\n    Vault.open(Path(sys.argv[1]), Secret.of_key(bytes(range(32))))\n"
        "except Exception as error:\n    sys.exit(error.problems[0].code)\n"
    )
    run = subprocess.run([sys.executable, "-c", program, str(place)], capture_output=True, text=True, check=False)
    assert run.stderr.strip() == "vault-locked"
    with pytest.raises(EngineError):
        Vault.open(place, LOCK)
    vault.close()
    Vault.open(place, LOCK).close()


def test_a_full_disk_issues_nothing(vault: Vault, place: Path) -> None:
    before = vault.issue("person", ["Ada"]).tokens
    pages = vault.table.link.execute("PRAGMA page_count").fetchone()[0]
    vault.table.link.execute(f"PRAGMA max_page_count = {pages + 20}")
    with pytest.raises(WriteError) as error:
        vault.issue("person", [f"Person {i}" for i in range(60_000)])
    assert codes(error) == ["disk-full"]
    assert vault.facts.rows == vault.table.count() == 1
    vault.table.link.execute("PRAGMA max_page_count = 1000000")
    assert vault.issue("person", ["Ada"]).tokens == before
    vault.close()
    with Vault.open(place, LOCK) as again:
        assert demand_sound(again)["rows"] == 1


def test_what_was_acknowledged_outlives_a_kill(place: Path) -> None:
    Vault.new(place, LOCK).close()
    program = (
        "import sys\nfrom pathlib import Path\nfrom schleier.core.vault.vault import Vault\n"
        "from schleier.core.vault.secret import Secret\n"
        "vault = Vault.open(Path(sys.argv[1]), Secret.of_key(bytes(range(32))))\n"
        "i = int(sys.argv[2])\n"
        "while True:\n    names = [f'Person {i + j}' for j in range(50)]\n"
        "    print(i, *vault.issue('person', names).tokens, flush=True)\n    i += 50\n"
    )
    known: dict[int, list[str]] = {}
    for kill in range(6):
        start = 1_000_000 * kill
        child = subprocess.Popen(
            [sys.executable, "-c", program, str(place), str(start)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout
        for _ in range(1 + 3 * kill):  # a moment that does not depend on the machine
            number, *tokens = child.stdout.readline().split()
            known[int(number)] = tokens
        child.send_signal(signal.SIGKILL) if hasattr(signal, "SIGKILL") else child.kill()
        for line in child.stdout:
            number, *tokens = line.split()
            if len(tokens) == 50 and line.endswith("\n"):
                known[int(number)] = tokens
        child.wait()
        child.stdout.close()
    with Vault.open(place, LOCK) as vault:
        for number, tokens in known.items():
            assert vault.issue("person", [f"Person {number + j}" for j in range(50)]) == (tokens, 0)
        assert demand_sound(vault)["rows"] % 50 == 0


def test_a_wrong_secret_and_a_changed_file_are_told_in_the_same_words(place: Path, tmp_path: Path) -> None:
    phrase = Secret.of_passphrase("  correct horse battery staplé ")
    with Vault.new(place, phrase) as vault:
        vault.issue("person", [PLANTED])
    Vault.open(place, Secret.of_passphrase(unicodedata.normalize("NFD", "correct horse battery staplé"))).close()
    changed = tmp_path / "changed.vault"
    shutil.copy2(place, changed)
    link = sqlite3.connect(changed)
    link.execute("UPDATE vault SET key = zeroblob(length(key))")
    link.commit()
    link.close()
    said = set()
    for file, secret in ((place, Secret.of_passphrase("another passphrase")), (place, LOCK), (changed, phrase)):
        with pytest.raises(DataError) as error:
            Vault.open(file, secret)
        said |= {(problem.code, problem.message, problem.hint) for problem in error.value.problems}
    assert len(said) == 1
    assert next(iter(said))[0] == "wrong-secret"


def test_secrets_that_protect_nothing_are_refused(place: Path) -> None:
    with pytest.raises(RecipeError) as error:
        Vault.new(place, Secret.of_passphrase("geheim"))
    assert codes(error) == ["short-passphrase"]
    with pytest.raises(RecipeError):
        Secret.of_key(b"short")
    with pytest.raises(RecipeError) as error:
        Vault.new(place, LOCK, KEY)
    assert codes(error) == ["same-key"]
    assert not place.exists()


def test_a_vault_is_never_inside_a_release_nor_behind_a_link(tmp_path: Path, place: Path) -> None:
    release = tmp_path / "release"
    (release / "restricted").mkdir(parents=True)
    (release / "release.json").write_text("{}", newline="")
    (tmp_path / "way").symlink_to(release)
    for inside in (release / "a.vault", release / "restricted" / "a.vault", tmp_path / "way" / "a.vault"):
        with pytest.raises(RecipeError) as error:
            Vault.new(inside, LOCK)
        assert codes(error) == ["vault-in-release"]
    growing = tmp_path / "out.partial-0123abcd"
    growing.mkdir()
    (growing / "a.vault").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RecipeError) as error:
        Vault.new(growing / "a.vault", LOCK)
    assert codes(error) == ["linked-vault", "vault-in-release"]
    with Vault.new(place, LOCK) as vault:
        vault.issue("person", ["Ada"])
        with pytest.raises(RecipeError):
            export(vault, release / "copy.vault", LOCK)
    shutil.copy2(place, release / "moved.vault")
    with pytest.raises(DataError) as wrong:
        Vault.open(release / "moved.vault", LOCK)
    assert codes(wrong) == ["vault-in-release"]
    (tmp_path / "link.vault").symlink_to(place)
    with pytest.raises(DataError) as wrong:
        Vault.open(tmp_path / "link.vault", LOCK)
    assert codes(wrong) == ["linked-vault"]
    place.with_name("persons.vault-journal").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DataError) as wrong:
        Vault.open(place, LOCK)
    assert codes(wrong) == ["linked-vault"]


def test_what_is_no_whole_vault_is_not_opened(place: Path, tmp_path: Path) -> None:
    with Vault.new(place, LOCK) as vault:
        vault.issue("person", [f"Person {i}" for i in range(500)])
    content = place.read_bytes()
    foreign = tmp_path / "foreign.db"
    link = sqlite3.connect(foreign)
    link.execute("CREATE TABLE people (name TEXT)")
    link.commit()
    link.close()
    trick = tmp_path / "trick.vault"
    shutil.copy2(place, trick)
    link = sqlite3.connect(trick)
    link.execute("CREATE TRIGGER keep AFTER DELETE ON rows BEGIN SELECT 1; END")
    link.commit()
    link.close()
    for name, text in {
        "text": b"no vault",
        "empty": b"",
        "half": content[: len(content) // 2],
        "cut": content[:-1],
    }.items():
        (tmp_path / f"{name}.vault").write_bytes(text)
    for file in (foreign, trick, *(tmp_path / f"{name}.vault" for name in ("text", "empty", "half", "cut"))):
        file.chmod(0o600)
        with pytest.raises(DataError) as error:
            Vault.open(file, LOCK)
        assert codes(error) == ["damaged-vault"], file
    with pytest.raises(DataError) as error:
        Vault.open(tmp_path / "none.vault", LOCK)
    assert codes(error) == ["no-vault"]
    with pytest.raises(DataError) as error:
        Vault.open(tmp_path, LOCK)
    assert codes(error) == ["not-a-vault"]


@pytest.mark.skipif(os.name == "nt", reason="modes tell nothing there")
def test_a_vault_that_others_can_read_is_refused(place: Path) -> None:
    Vault.new(place, LOCK).close()
    assert place.stat().st_mode & 0o777 == 0o600
    place.chmod(0o640)
    with pytest.raises(DataError) as error:
        Vault.open(place, LOCK)
    assert codes(error) == ["open-vault"]


@pytest.mark.parametrize(
    "change", ["UPDATE rows SET sealed = zeroblob(60)", "UPDATE rows SET sealed = 'x'", "DELETE FROM rows"]
)
def test_a_corrupt_row_stops_everything(place: Path, change: str) -> None:
    with Vault.new(place, LOCK) as vault:
        tokens = vault.issue("person", [PLANTED, "Ada"]).tokens
    link = sqlite3.connect(place)
    link.execute(f"{change} WHERE tag = (SELECT min(tag) FROM rows)")
    link.commit()
    link.close()
    with Vault.open(place, LOCK) as vault:
        with pytest.raises(DataError) as error:
            demand_sound(vault)
        assert codes(error) == ["damaged-vault"]
        if not change.startswith("DELETE"):
            with pytest.raises(DataError) as error:
                vault.issue("person", [PLANTED, "Ada", "Bo"])
            assert codes(error) == ["damaged-vault"]
            assert vault.facts.rows == vault.table.count() == 2
        assert PLANTED not in str(error.value)
        assert {vault.original(token) for token in tokens if _readable(vault, token)} <= {PLANTED, "Ada", None}


def _readable(vault: Vault, token: str) -> bool:
    try:
        vault.original(token)
    except DataError:
        return False
    return True


def test_rows_cannot_change_places(place: Path) -> None:
    with Vault.new(place, LOCK) as vault:
        vault.issue("person", [PLANTED, "Ada"])
        (one, _), (other, _) = vault.rows()
        with vault.change():
            vault.table.remove([one.tag, other.tag])
            vault.table.add([one._replace(sealed=other.sealed), other._replace(sealed=one.sealed)])
        with pytest.raises(DataError) as error:
            vault.issue("person", ["Ada"])
        assert codes(error) == ["damaged-vault"]


def test_a_copy_opens_with_its_own_secret_and_can_be_joined(vault: Vault, place: Path, tmp_path: Path) -> None:
    tokens = vault.issue("person", ["Ada", "Bo"]).tokens
    copy = tmp_path / "copy.vault"
    assert export(vault, copy, Secret.of_passphrase("a passphrase of some words")) == 2
    with pytest.raises(DataError):
        Vault.open(copy, LOCK)
    with pytest.raises(WriteError):
        export(vault, copy, LOCK)
    with Vault.open(copy, Secret.of_passphrase("a passphrase of some words")) as other:
        assert other.issue("person", ["Bo", "Ada"]) == (tokens[::-1], 0)
        more = other.issue("person", ["Cy"]).tokens
        assert (join(vault, other), join(vault, other)) == (1, 0)
        assert vault.original(more[0]) == "Cy"
        erase(vault, "r", value="Ada", domain="person")
        with pytest.raises(DataError) as error:
            join(vault, other)
        assert codes(error) == ["older-than-erasure"]
        assert vault.original(tokens[0]) is None
    vault.close()
    assert {file.name for file in tmp_path.iterdir()} == {"copy.vault", "persons.vault"}


def test_vaults_that_disagree_are_not_joined(vault: Vault, tmp_path: Path) -> None:
    vault.issue("person", ["Ada", "Bo"])
    with Vault.new(tmp_path / "other.vault", Secret.of_key(OTHER)) as other:
        other.issue("person", ["Cy", "Ada"])
        with pytest.raises(DataError) as error:
            join(vault, other)
        assert codes(error) == ["vaults-differ"]
        assert vault.facts.rows == vault.table.count() == 2
        other.issue("number", ["1"], ["case"])
        vault.issue("number", ["1"], [])
        with pytest.raises(DataError) as error:
            join(vault, other)
        assert codes(error) == ["other-form"]


def test_a_new_key_keeps_tokens_and_a_new_epoch_gives_others(vault: Vault, place: Path, tmp_path: Path) -> None:
    old = vault.issue("person", ["Ada", "Bo"]).tokens
    before = [stored for stored, _ in vault.rows()]
    reveal(vault, old[0], "request 1")
    assert rotate(vault, Secret.of_key(OTHER)) == 2
    assert vault.issue("person", ["Ada", "Bo"]) == (old, 0)
    assert not any(part in everything(tmp_path) for row in before for part in row)
    mapping = tmp_path / "mapping.csv"
    assert rotate(vault, Secret.of_key(OTHER), epoch=True, mapping=mapping) == 4
    new = vault.issue("person", ["Ada", "Bo"])
    assert new.new == 0
    assert not {*new.tokens} & {*old}
    assert [vault.original(token) for token in (*old, *new.tokens)] == ["Ada", "Bo", "Ada", "Bo"]
    lines = mapping.read_text().splitlines()
    assert {*lines} == {"domain,old,new", *(f"person,{a},{b}" for a, b in zip(old, new.tokens, strict=True))}
    assert mapping.stat().st_mode & 0o077 == 0 or os.name == "nt"
    assert reveal(vault, old[0], "request 2") == "Ada"
    assert erase(vault, "r", value="Ada", domain="person")["rows"] == 2
    vault.close()
    with pytest.raises(DataError) as error:
        Vault.open(place, LOCK)
    assert codes(error) == ["wrong-secret"]
    with Vault.open(place, Secret.of_key(OTHER)) as vault:
        assert demand_sound(vault) == {"rows": 2, "log": 2}


def test_a_destroyed_vault_leaves_a_signed_record_alone(vault: Vault, place: Path, tmp_path: Path) -> None:
    vault.issue("person", ["Ada"])
    public = vault.head["verifies"]
    record = destroy(vault, tmp_path / "end.json", "the study is over")
    assert is_signed(record, public)
    assert [file.name for file in tmp_path.iterdir()] == ["end.json"]
    with pytest.raises(DataError):
        Vault.open(place, LOCK)


def test_two_persons_must_agree(place: Path, tmp_path: Path) -> None:
    Vault.new(place, LOCK, SECOND).close()
    with Vault.open(place, LOCK) as vault:  # one is enough to give tokens
        tokens = vault.issue("person", ["Ada", PLANTED]).tokens
        assert vault.issue("person", [PLANTED, "Bo"]).tokens[0] == tokens[1]
        assert [row.content for _, row in vault.rows() if b"Ada" in row.content] == []
        for second in ((), (KEY,), (OTHER, KEY)):
            with pytest.raises(DataError) as error:
                reveal(vault, tokens[1], "request 3", second)
            assert codes(error) == ["two-persons"]
        with pytest.raises(DataError):
            rotate(vault, Secret.of_key(OTHER))
        assert reveal(vault, tokens[1], "request 3", (OTHER, SECOND)) == PLANTED
        rotate(vault, Secret.of_key(OTHER), [SECOND])
        export(vault, tmp_path / "copy.vault", LOCK, [SECOND])
        assert vault.issue("person", ["Ada"]).tokens == tokens[:1]
        assert vault.original(tokens[0], [SECOND]) == "Ada"
        assert erase(vault, "r", token=tokens[0])["rows"] == 1
    with Vault.open(tmp_path / "copy.vault", LOCK) as copy:
        assert copy.original(tokens[1], [SECOND]) == PLANTED
        assert copy.facts.second


def test_a_domain_is_looked_up_in_one_way(vault: Vault) -> None:
    vault.issue("person", ["ada"], ["case"])
    with pytest.raises(RecipeError) as error:
        vault.issue("person", ["Ada"], [])
    assert codes(error) == ["other-form"]
    with pytest.raises(RecipeError) as error:
        vault.issue("", ["Ada"])
    assert codes(error) == ["bad-domain"]
