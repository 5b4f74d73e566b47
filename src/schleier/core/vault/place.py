"""Where the file of a vault may lie: outside every release, in nobody else's sight, and not behind a link."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from schleier.core.errors import DataError, Problem, SchleierError, stop
from schleier.core.system import is_mine, open_to_others

MANIFEST = "release.json"
"""What makes a folder a release."""
GROWING = re.compile(r".+\.partial-[0-9a-f]{8}", re.DOTALL)
"""The name of a release that is being written."""
BESIDE = ("-journal", "-wal", "-shm")
"""Files that SQLite keeps beside its own."""


def demand_place(path: Path, kind: type[SchleierError] = DataError) -> None:
    """Stop when a vault must not lie there; everything that is wrong is said at once."""
    if problems := list(_wrong_place(path)):
        raise kind(problems)


def demand_file(path: Path) -> None:
    """Stop when there is no vault that this user alone can read."""
    problems = list(_wrong_place(path))
    try:
        about = path.lstat()
    except (OSError, ValueError):
        stop(DataError, "no-vault", str(path), "there is no such vault", "make one with: schleier vault new FILE")
    if not (stat.S_ISREG(about.st_mode) or stat.S_ISLNK(about.st_mode)):
        problems.append(Problem("not-a-vault", str(path), "this is no vault", "a vault is a single file"))
    elif stat.S_ISREG(about.st_mode) and (open_to_others(about) or not is_mine(about)):
        hint = "a vault is for its owner alone: chmod 600, and a new key if others may have read it"
        problems.append(Problem("open-vault", str(path), "other users can read or own the vault", hint))
    if problems:
        raise DataError(problems)


def _wrong_place(path: Path) -> Iterator[Problem]:
    for file in (path, *(path.with_name(path.name + ending) for ending in BESIDE)):
        if file.is_symlink():
            hint = "name the file itself: a link can be turned to another file by others"
            yield Problem("linked-vault", str(file), "the vault, or a file beside it, is only a link", hint)
    folders = {*path.absolute().parents, *Path(os.path.realpath(path)).parents}
    if any((folder / MANIFEST).exists() or GROWING.fullmatch(folder.name) for folder in folders):
        hint = "keep it in a folder of its own: people zip and hand over the folders of releases"
        yield Problem("vault-in-release", str(path), "a vault must not lie inside a release", hint)
