"""Persons on file: in a file and on a server, the same answers; nothing readable on the disk, nothing lost."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest

from schleier.core.errors import DataError, InfeasibleError, InternalError, SchleierError
from schleier.extras.pseudonyms import _clerk as clerk
from schleier.extras.pseudonyms._database import Lite, store_at
from schleier.extras.pseudonyms._desk import Desk
from schleier.extras.pseudonyms._pid import valid
from schleier.extras.pseudonyms._register import Answer, Person, Register
from schleier.extras.pseudonyms._seal import Seal
from schleier.extras.pseudonyms._tables import IDENTITY

from .conftest import KEY, Open

ANNA = {"given_name": "Anna", "surname": "Großmann", "birth_date": "3.10.1990", "postcode": "55116", "town": "Mainz"}
OTTO = {"given_name": "Otto", "surname": "Kurz", "birth_date": "1950-01-01", "postcode": "10115", "town": "Berlin"}
SIMILAR = {"given_name": "Anna", "surname": "Großmann", "postcode": "10115", "town": "Berlin"}
"""The same name, but not the same person for certain."""


def enrolled(register: Register, *people: dict[str, str], tentative: bool = True) -> list[Answer]:
    register.store.begin()
    try:
        found = register.enrol([Person.of(one) for one in people], tentative=tentative)
    except BaseException:
        register.store.rollback()
        raise
    register.store.commit()
    return found


def test_a_person_has_one_pseudonym_however_he_is_written(register: Register) -> None:
    first, other, again, typo = enrolled(register, ANNA, OTTO, ANNA, {**ANNA, "surname": "Grosman"})
    assert first.decision == other.decision == "new" and valid(first.pid) and valid(other.pid)
    assert again == typo == Answer(first.pid, "certain") and other.pid != first.pid
    assert enrolled(register, {**ANNA, "given_name": "Großmann", "surname": "Anna"}) == [Answer(first.pid, "certain")]


def test_what_is_doubtful_waits_for_a_clerk(register: Register) -> None:
    (anna,) = enrolled(register, ANNA)
    with pytest.raises(InfeasibleError) as caught:
        enrolled(register, SIMILAR, tentative=False)
    assert [one.code for one in caught.value.problems] == ["unsure-identity"]
    (doubtful,) = enrolled(register, SIMILAR)
    assert doubtful.decision == "tentative" and doubtful.pid != anna.pid
    (doubt,) = clerk.doubts(register)
    assert (doubt["pid"], doubt["other"]) == (doubtful.pid, anna.pid)
    assert doubt["of_other"] == [ANNA] and doubt["of_pid"] == [SIMILAR]
    assert clerk.settle(register, doubt["id"], same=True) == anna.pid == register.root(doubtful.pid)
    assert enrolled(register, SIMILAR) == [Answer(anna.pid, "certain")], "both pseudonyms lead to one"
    assert clerk.split(register, doubtful.pid) == doubtful.pid == register.root(doubtful.pid)
    assert enrolled(register, SIMILAR, ANNA) == [Answer(doubtful.pid, "certain"), Answer(anna.pid, "certain")]


def test_twins_are_never_one_person_for_certain_where_names_are_doubted(register: Register) -> None:
    register.doubt_names = True
    first, twin, again = enrolled(register, ANNA, {**ANNA, "given_name": "Berit"}, ANNA)
    assert twin.decision == "tentative" and twin.pid != first.pid and again == Answer(first.pid, "certain")
    (doubt,) = clerk.doubts(register)
    assert (doubt["pid"], doubt["other"]) == (twin.pid, first.pid)
    with pytest.raises(InfeasibleError):
        enrolled(register, {**ANNA, "given_name": "Clara"}, tentative=False)


def test_persons_whom_a_clerk_tells_apart_stay_apart(register: Register) -> None:
    anna, doubtful = enrolled(register, ANNA, SIMILAR)
    assert clerk.settle(register, clerk.doubts(register)[0]["id"], same=False) == doubtful.pid
    assert clerk.doubts(register) == [] and register.root(doubtful.pid) != anna.pid
    assert enrolled(register, SIMILAR) == [Answer(doubtful.pid, "certain")]


def test_what_a_clerk_cannot_do_is_refused(register: Register) -> None:
    (anna,) = enrolled(register, ANNA)
    asked: list[tuple[Callable[[], object], str]] = [
        (lambda: clerk.merge(register, anna.pid, anna.pid), "same-person"),
        (lambda: clerk.merge(register, anna.pid, "22222222"), "unknown-pid"),
        (lambda: clerk.split(register, anna.pid), "not-merged"),
        (lambda: clerk.settle(register, 99, same=True), "unknown-doubt"),
    ]
    for ask, code in asked:
        with pytest.raises(SchleierError) as caught:
            ask()
        assert [one.code for one in caught.value.problems] == [code]


def test_an_erased_person_is_gone_from_every_table(register: Register) -> None:
    anna, doubtful, otto = enrolled(register, ANNA, SIMILAR, OTTO)
    clerk.merge(register, doubtful.pid, anna.pid)
    assert sorted(clerk.erase(register, doubtful.pid)) == sorted([anna.pid, doubtful.pid])
    for table, left in (("person", 1), ("writing", 1), ("doubt", 0)):
        assert register.store.ask(f"SELECT count(*) FROM {table}") == [(left,)]
    with pytest.raises(DataError):
        register.root(anna.pid)
    assert enrolled(register, OTTO)[0].pid == otto.pid and enrolled(register, ANNA)[0].decision == "new"


def test_values_have_one_pseudonym_per_domain(register: Register) -> None:
    asked = [f"A{number:09d}" for number in range(300)]
    register.store.begin()
    first = register.values("ward", asked + asked[:5])
    register.store.commit()
    assert first[300:] == first[:5] and len(set(first)) == 300 and all(map(valid, first))
    assert register.values("ward", asked[::-1]) == first[:300][::-1]
    assert not set(register.values("laboratory", asked)) & set(first)


def test_another_key_opens_nothing(reopen: Open, register: Register) -> None:
    enrolled(register, ANNA)
    with pytest.raises(DataError) as caught:
        Register(register.store, Seal(bytes(32)))
    assert [one.code for one in caught.value.problems] == ["wrong-service-key"]
    assert repr(Seal(KEY)) == "Seal(...)"


def test_a_changed_or_moved_row_is_not_opened(register: Register) -> None:
    enrolled(register, ANNA, OTTO)
    (one, _), (other, sealed) = register.store.ask("SELECT id, sealed FROM writing ORDER BY id")
    register.store.do("UPDATE writing SET sealed = ? WHERE id = ?", [(sealed, one)])
    with pytest.raises(DataError) as caught:
        clerk.written(register, register.store.ask("SELECT pid FROM writing WHERE id = ?", one)[0][0])
    assert [problem.code for problem in caught.value.problems] == ["wrong-service-key"] and other != one


def test_nothing_that_was_written_of_a_person_stands_on_the_disk(tmp_path: Path) -> None:
    register = Register(store_at(str(tmp_path), "identity", IDENTITY), Seal(KEY))
    enrolled(register, ANNA, OTTO)
    register.store.begin()
    register.values("ward", ["INSURANCE4711"])
    register.store.commit()
    files = [file for file in tmp_path.iterdir() if file.suffix != ".db-shm"]
    told = b"".join(file.read_bytes() for file in files).lower()
    planted = [*ANNA.values(), *OTTO.values(), *Person.of(ANNA).normal, *Person.of(OTTO).normal, "INSURANCE4711"]
    assert not [value for value in planted if len(value) > 3 and value.lower().encode() in told]
    assert all(file.stat().st_mode & 0o077 == 0 for file in files)
    sealed = register.store.ask("SELECT sealed FROM writing")
    clerk.erase(register, enrolled(register, ANNA)[0].pid)
    register.store.forget()
    after = b"".join(file.read_bytes() for file in files)
    assert sum(bytes(row[0]) in after for row in sealed) == 1, "of two rows, the erased one is gone, journal and all"
    register.store.close()


def test_the_audit_tells_what_was_changed_afterwards(register: Register) -> None:
    for number in range(3):
        register.audit.write("ward", "enrol", number)
    assert [one["many"] for one in register.audit.entries(0, 9)] == [0, 1, 2] and register.audit.whole()
    register.store.do("UPDATE entry SET many = 7 WHERE id = ?", [(2,)])
    assert not register.audit.whole()
    register.store.do("UPDATE entry SET many = 1 WHERE id = ?", [(2,)])
    assert register.audit.whole()
    register.store.do("DELETE FROM entry WHERE id = ?", [(2,)])
    assert not register.audit.whole()


def test_two_desks_and_many_clients_double_nobody(reopen: Open) -> None:
    """Each person and value comes from every client at once, through two processes' worth of connections."""
    desks = [Desk(reopen()), Desk(reopen())]
    people = [
        {**ANNA, "given_name": name, "surname": name[::-1] * 2} for name in ("Katharina", "Wolfgang", "Bronislav")
    ]
    found: list[list[object]] = []

    def client(number: int) -> None:
        desk = desks[number % 2]
        asked: list[Future[object]] = [desk.ask(lambda at, one=one: at.enrol([Person.of(one)])) for one in people]  # type: ignore[misc]
        asked += [desk.ask(lambda at: at.values("ward", [f"{i}" for i in range(20)]))]
        found.append([one.result(60) for one in asked])

    threads = [threading.Thread(target=client, args=(number,)) for number in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    for desk in desks:
        desk.ask(lambda at: at.store.ask("SELECT 1")).result(60)
    pids = {tuple(one[0].pid for one in answers[:3]) for answers in found}  # type: ignore[index]
    assert len(found) == 8 and len(pids) == 1 and len(set(*pids)) == 3
    assert len({tuple(answers[3]) for answers in found}) == 1  # type: ignore[arg-type]


def test_a_refused_or_broken_job_spoils_no_other(tmp_path: Path) -> None:
    desk = Desk(Register(Lite(tmp_path / "identity.db", IDENTITY), Seal(KEY)))

    def broken(register: Register) -> None:
        register.values("ward", ["half"])
        raise ValueError("SECRETVALUE")

    gate = threading.Event()
    first = desk.ask(lambda _: gate.wait(60))
    good = desk.ask(lambda at: at.values("ward", ["a"]))
    bad, refused = desk.ask(broken), desk.ask(lambda at: at.root("22222222"))
    also = desk.ask(lambda at: at.values("ward", ["a", "b"]))
    gate.set()
    assert first.result(60) and good.result(60)[0] == also.result(60)[0]
    with pytest.raises(InternalError) as caught:
        bad.result(60)
    assert "SECRETVALUE" not in str(caught.value)
    with pytest.raises(DataError):
        refused.result(60)
    desk.close()
    with sqlite3.connect(tmp_path / "identity.db") as link:
        assert link.execute("SELECT count(*) FROM known").fetchone() == (2,)


KILLED = """
import sys
from schleier.extras.pseudonyms._database import store_at
from schleier.extras.pseudonyms._desk import Desk
from schleier.extras.pseudonyms._register import Register
from schleier.extras.pseudonyms._seal import Seal
from schleier.extras.pseudonyms._tables import IDENTITY

desk = Desk(Register(store_at(sys.argv[1], "identity", IDENTITY), Seal(bytes(range(32)))))
number = int(sys.argv[2])
while True:
    values = [str(number + i) for i in range(5)]
    told = desk.ask(lambda at: at.values("ward", values)).result()
    sys.stdout.write("".join(f"{value} {pid}\\n" for value, pid in zip(values, told)))
    sys.stdout.flush()
    number += 5
"""


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    told: dict[str, str] = {}
    for start, lines in ((0, 3), (1000, 21), (2000, 58)):
        with subprocess.Popen(
            [sys.executable, "-c", KILLED, str(tmp_path), str(start)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            for _ in range(lines):
                process.stdout.readline()
            process.kill()
            rest = process.stdout.read()
        told |= dict(line.split() for line in rest.splitlines() if len(line.split()) == 2 and len(line.split()[1]) == 8)
    register = Register(store_at(str(tmp_path), "identity", IDENTITY), Seal(KEY))
    assert told, "some lines were still in the pipe"
    assert register.values("ward", list(told)) == list(told.values())
    register.store.close()
