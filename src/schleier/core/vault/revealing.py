"""Authorised reversal: written to the log before anybody reads the value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from schleier.core.errors import DataError, Problem, Problems, stop
from schleier.core.system import user_name
from schleier.core.vault.sealing import told
from schleier.core.vault.table import DAMAGED_HINT
from schleier.core.vault.vault import Vault, now

LONGEST_REASON = 1000


def reveal(vault: Vault, token: str, reason: str, second: Sequence[bytes] = ()) -> str:
    """The value behind a token. The log says who asked when, for which token, and why; never the value."""
    problems = Problems()
    problems.extend(wrong_reason(reason))
    if told(token) is None:
        hint = "a token of a vault has 26 letters and digits"
        problems.add("no-token", "TOKEN", "this is no token of a vault", hint)
    problems.raise_as(DataError)
    opened = vault.opener(second)
    row = vault.row_of(token)
    value = None if row is None else opened(row).decode()
    refuse_value(reason, value, lambda: note(vault, {"token": token, "reason": "", "outcome": "refused"}))
    note(vault, {"token": token, "reason": reason, "outcome": "unknown" if value is None else "revealed"})
    if value is None:
        hint = "it belongs to another vault, or the person was erased"
        stop(DataError, "unknown-token", "TOKEN", "the vault does not know the token", hint)
    return value


def wrong_reason(reason: str) -> Iterator[Problem]:
    """What is wrong with a reason before anything is looked up."""
    if not reason.strip() or len(reason) > LONGEST_REASON:
        message = f"a reason has 1 to {LONGEST_REASON} characters"
        yield Problem("no-reason", "--reason", message, "name the request, such as its file number")


def refuse_value(reason: str, value: str | None, write: Callable[[], object]) -> None:
    """Stop where a reason would carry the value into the log; the refusal is written there, for it confirms a guess."""
    if value is not None and value.strip() and value.casefold() in reason.casefold():
        write()
        stop(DataError, "value-in-reason", "--reason", "the reason holds the value itself", "name the request instead")


def entry(facts: dict[str, Any]) -> dict[str, Any]:
    """A line for the log: who asks, and when."""
    return {"at": now(), "who": user_name(), **facts}


def note(vault: Vault, facts: dict[str, Any]) -> None:
    """One more line in the log, and in the vault how far it goes."""
    chain = vault.log.read(vault.facts.log)
    chain = vault.log.add(chain, entry({"vault": vault.identity} | facts))
    with vault.change():
        vault.know(log_lines=chain.lines, log_last=chain.last)


def demand_sound(vault: Vault) -> dict[str, int]:
    """Check everything: the structures of the file, every row, and the log; how many of each there are."""
    found, log = list[Problem](), 0
    with vault.table.reading():
        sound = vault.table.is_sound()
    try:
        rows = sum(1 for _ in vault.rows()) if sound else -1
        if rows != vault.facts.rows:
            stop(DataError, "damaged-vault", str(vault.path), "rows of the vault are missing or damaged", DAMAGED_HINT)
    except DataError as error:
        found.extend(error.problems)
    try:
        log = vault.log.read(vault.facts.log).lines
    except DataError as error:
        found.extend(error.problems)
    if found:
        raise DataError(found)
    return {"rows": vault.facts.rows, "log": log}
