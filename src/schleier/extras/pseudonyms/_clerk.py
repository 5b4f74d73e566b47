"""What people decide about persons on file: who is the same after all, who is not, and who is forgotten."""

from __future__ import annotations

from typing import Any

from schleier.core.errors import DataError, InfeasibleError, stop
from schleier.extras.pseudonyms._register import Register

MOST = 200


def doubts(register: Register, after: int = 0, most: int = MOST) -> list[dict[str, Any]]:
    """Tentative persons and whom they may be, both as they were written."""
    rows = register.store.ask(
        "SELECT id, pid, other FROM doubt WHERE state = 'open' AND id > ? ORDER BY id LIMIT ?", after, min(most, MOST)
    )
    return [
        {"id": row, "pid": pid, "other": other, "of_pid": written(register, pid), "of_other": written(register, other)}
        for row, pid, other in rows
    ]


def written(register: Register, pid: str) -> list[dict[str, str]]:
    """All writings of the person behind a pseudonym, and of those merged into it."""
    rows = register.store.among("SELECT id, sealed FROM writing WHERE pid", family(register, pid))
    return [register.seal.opened(bytes(sealed), row)[1] for row, sealed in sorted(rows, key=lambda one: int(one[0]))]


def family(register: Register, pid: str) -> list[str]:
    """A pseudonym and all that were merged into it."""
    found = [pid]
    for one in found:
        found += [str(row[0]) for row in register.store.ask("SELECT pid FROM person WHERE root = ?", one)]
    return found


def settle(register: Register, doubt: int, *, same: bool) -> str:
    """Decide a doubt; the pseudonym that counts afterwards."""
    found = register.store.ask("SELECT pid, other FROM doubt WHERE id = ? AND state = 'open'", doubt)
    if not found:
        stop(DataError, "unknown-doubt", "doubt", "there is no such open doubt", "list the open ones")
    pid, other = (register.root(str(one)) for one in found[0])
    if same and pid != other:
        merge(register, pid, other)
    register.store.do("UPDATE doubt SET state = ? WHERE id = ?", [("same" if same else "apart", doubt)])
    left = register.store.ask("SELECT 1 FROM doubt WHERE pid = ? AND state = 'open'", found[0][0])
    if not left:
        register.store.do("UPDATE person SET state = 'sure' WHERE pid = ?", [(found[0][0],)])
    return register.root(str(found[0][0]))


def merge(register: Register, pid: str, into: str) -> str:
    """Two pseudonyms are of one person: both stay valid, and lead to the second."""
    gone, kept = register.root(pid), register.root(into)
    if gone == kept:
        hint = "they are of one person already"
        stop(InfeasibleError, "same-person", "pid", "both pseudonyms are of the same person", hint)
    register.store.do("UPDATE person SET root = ? WHERE pid = ?", [(kept, gone)])
    return kept


def split(register: Register, pid: str) -> str:
    """Undo the merging of a pseudonym: what was written under it is another person again."""
    if register.root(pid) == pid:
        stop(InfeasibleError, "not-merged", "pid", "this pseudonym was not merged into another", "name the merged one")
    register.store.do("UPDATE person SET root = NULL, state = 'sure' WHERE pid = ?", [(pid,)])
    return pid


def erase(register: Register, pid: str) -> list[str]:
    """Forget a person: all writings, traces, doubts and pseudonyms; the pseudonyms that led to him are told."""
    names = family(register, register.root(pid))
    store = register.store
    rows = [(int(row[0]),) for row in store.among("SELECT id FROM writing WHERE pid", names)]
    store.do("DELETE FROM trace WHERE writing = ?", rows)
    store.do("DELETE FROM writing WHERE id = ?", rows)
    for one in names:
        store.do("DELETE FROM doubt WHERE pid = ? OR other = ?", [(one, one)])
        store.do("DELETE FROM person WHERE pid = ?", [(one,)])
    return names
