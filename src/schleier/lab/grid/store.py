"""The folder of a grid: a small file for each cell that is done, so that nothing is done twice.

``restricted/`` holds exact counts, the key and the files of the cells, for its owner alone; ``public/`` holds
what everybody may read.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schleier.core.atomic import cannot_write, whole_file
from schleier.core.errors import RecipeError, WriteError, stop
from schleier.core.run import KEY_BYTES, new_key
from schleier.core.system import let_go, locked

FORMAT = "schleier-grid-1"
GRID, KEY, CELLS, LOCK = "restricted/grid.json", "restricted/key", "restricted/cells", "restricted/grid.lock"
RESULTS, PUBLIC, PAGE = "restricted/results.json", "public/grid.json", "public/grid.html"
HINT = "choose another folder with --out"


@dataclass(frozen=True)
class Store:
    """The folder, and the key that its draws follow from."""

    folder: Path
    key: bytes

    @property
    def fingerprint(self) -> str:
        """Of the key: the same key, the same results."""
        return hashlib.sha256(b"schleier grid key\0" + self.key).hexdigest()

    def claim(self, cells: Sequence[str]) -> list[str]:
        """Say whose folder it is, and tell the cells in the order in which they came.

        A grid may grow; one that lacks cells of before, or has others, is another grid.
        """
        told = _read(self.folder / GRID)
        before = told.get("cells", []) if told else []
        if before and not set(before) <= set(cells):
            message = "the folder holds results of another grid, or its files have changed since"
            stop(WriteError, "other-grid", str(self.folder), message, f"{HINT}, or remove it")
        order = list(dict.fromkeys((*before, *cells)))
        self._note(order, self.published())
        return order

    def published(self) -> list[int]:
        """How many cells, the first that came, each publication told so far."""
        told = _read(self.folder / GRID)
        return list(told.get("published", [])) if told else []

    def publish(self, order: Sequence[str]) -> list[int]:
        """Say that all cells are told from now on, before they are: what was told once is told so again."""
        rounds = self.published()
        rounds += [len(order)] if not rounds or rounds[-1] < len(order) else []
        self._note(order, rounds)
        return rounds

    def _note(self, order: Sequence[str], rounds: Sequence[int]) -> None:
        about = {"format": FORMAT, "key": self.fingerprint, "cells": list(order), "published": list(rounds)}
        self.write(GRID, about)

    def result(self, cell: str) -> dict[str, Any] | None:
        """What came of a cell; nothing when it is not done, or when its file is not whole."""
        found = _read(self.folder / CELLS / f"{cell}.json")
        return found["result"] if found and found.get("cell") == cell and "result" in found else None

    def keep(self, cell: str, result: dict[str, Any]) -> None:
        """Write what came of a cell, as a whole or not at all."""
        self.write(f"{CELLS}/{cell}.json", {"format": FORMAT, "cell": cell, "result": result})

    def write(self, place: str, document: dict[str, Any]) -> None:
        """Write a document as a whole or not at all; a restricted one for its owner alone."""
        with whole_file(self.folder / place, private=place.startswith("restricted/")) as path:
            text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
            path.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def open_store(folder: Path, key: bytes | None) -> Iterator[Store]:
    """The folder of a grid, new or one to go on with; one process at a time, and never a folder of something else."""
    _refuse_others(folder)
    try:
        (folder / "public").mkdir(parents=True, exist_ok=True)
        for place in ("restricted", CELLS):
            (folder / place).mkdir(mode=0o700, exist_ok=True)
            (folder / place).chmod(0o700)
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError as error:
        raise cannot_write(error, folder, "folder") from error
    if not locked(handle):
        os.close(handle)
        stop(WriteError, "busy", str(folder), "another run is writing this folder", "wait for it to end, or " + HINT)
    try:
        for left in (folder / CELLS).glob("*.partial-*"):  # of a process that was killed while it wrote
            shutil.rmtree(left, ignore_errors=True)
        yield Store(folder, _key(folder, key))
    finally:
        let_go(handle, folder / LOCK)


def _refuse_others(folder: Path) -> None:
    """A folder that holds anything, and no grid, is somebody's."""
    try:
        held = any(folder.iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise cannot_write(error, folder, "folder") from error
    if any((folder / place).is_symlink() for place in ("public", "restricted", CELLS)):
        message = "what is written there would go to another place: a folder in it is a link"
        stop(WriteError, "not-a-grid", str(folder), message, HINT)
    whole = {"public", "restricted"} >= {one.name for one in folder.iterdir()}
    if held and not (whole and (folder / "restricted").is_dir() and not (folder / "release.json").exists()):
        stop(WriteError, "not-a-grid", str(folder), "the folder holds something else than results of a grid", HINT)


def _key(folder: Path, given: bytes | None) -> bytes:
    """The key of the folder: the one that was given, that of before, or a new one."""
    before = b""
    with suppress(OSError, ValueError):
        before = bytes.fromhex((folder / KEY).read_text(encoding="ascii").strip())
    if len(before) == KEY_BYTES:
        if given not in (None, before):
            message = "the results in this folder were drawn with another key"
            stop(RecipeError, "other-key", "--key-file", message, f"leave the option out, or {HINT}")
        return before
    key = given or new_key()
    with whole_file(folder / KEY, private=True) as place:
        place.write_text(key.hex() + "\n", encoding="ascii", newline="\n")
    return key


def _read(path: Path) -> dict[str, Any] | None:
    """A document of ours; nothing when there is none, or when it is not whole."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("format") == FORMAT else None
