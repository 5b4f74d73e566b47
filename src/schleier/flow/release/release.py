"""A release: rows, report and audit, and the directory that holds all of it or nothing."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.atomic import cannot_write, partial_of
from schleier.core.caution import Caution
from schleier.core.data import Dataset
from schleier.core.errors import WriteError, stop
from schleier.core.interrupts import uninterrupted
from schleier.core.leftovers import forget, note, remove
from schleier.core.schema import Schema
from schleier.core.shown import Shown
from schleier.core.system import flush, let_go, locked, same_file
from schleier.flow.release.documents import Audit, Report
from schleier.flow.release.seal import SEAL, seal_of

if TYPE_CHECKING:
    import pyarrow as pa

MANIFEST = "release.json"
HINT_FORCE = "choose another folder, or use --force (force=True) to replace it"


@dataclass(frozen=True)
class Release(Shown):
    """What a run produced: the rows in release order, the report, the audit."""

    report: Report
    audit: Audit
    schema: Schema
    """The schema of the released rows."""
    path: Path | None = None
    """The directory, when it was written."""
    language: str = "en"
    """Language in which it shows itself."""
    cautions: tuple[Caution, ...] = field(default=(), repr=False)
    """The reservations of the report, with commands as they can be typed where it was made."""
    rows: pa.Table | None = field(default=None, repr=False)
    """The rows, when no directory was written."""

    @property
    def data(self) -> Dataset:
        """The released rows as a dataset; nothing ties them to the rows of the original."""
        if self.rows is not None:
            return Dataset.from_frame(self.rows, self.schema)
        if self.path is None:
            stop(WriteError, "no-rows", "release", "the release holds no rows")
        from schleier.flow.run.reader import read

        return read(self.path / "public" / self.report.file, self.schema)


@contextmanager
def directory(out: Path, *, force: bool, key: Callable[[], bytes] | None = None) -> Iterator[Path]:
    """A folder to fill that becomes ``out`` as a whole when the block ends, or vanishes when it fails.

    The manifest is sealed with the run ``key``, asked for at the end: rows may decide which one it is. One writer at a
    time (lock file); leftovers of a killed run are put right first. With ``force`` the old release stays in place
    until the new one stands.
    """
    out = out.resolve()
    with _lock(out):
        partial = partial_of(out)
        note(partial)
        try:
            repair(out)
            if out.exists() and not force:
                stop(WriteError, "exists", str(out), "the output directory already exists", HINT_FORCE)
            if out.exists() and strangers(out):
                message = f"the folder holds {len(strangers(out))} files that are not part of the release"
                stop(WriteError, "strangers", str(out), message, "move them elsewhere, or choose another folder")
            if out.exists() and not is_release(out):
                message = "the folder is not a release of Schleier and will not be replaced"
                stop(WriteError, "not-a-release", str(out), message, "choose another folder")
            partial.mkdir(mode=0o700)
            yield partial
            _close(partial, key() if key else None)
            with uninterrupted():
                _put_in_place(partial, out)
        except OSError as error:
            raise cannot_write(error, out, "folder") from error
        finally:
            remove(partial)


def is_release(path: Path) -> bool:
    """Whether a folder is a whole release: its manifest is there and every file is as it says."""
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        return all(_sha256(path / name) == digest for name, digest in manifest["files"].items())
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return False


def damaged_files(path: Path, files: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Files of a manifest that are not there, and those that are not as it says."""
    absent = [name for name in files if not (path / name).is_file()]
    changed = [name for name in files if name not in absent and _sha256(path / name) != files[name]]
    return sorted(absent), sorted(changed)


def strangers(path: Path) -> list[str]:
    """Files in the folder of a release that its manifest does not name: somebody put them there and may want them."""
    try:
        known = json.loads((path / MANIFEST).read_text(encoding="utf-8"))["files"].keys() | {MANIFEST}
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return []  # not a release at all, which is said elsewhere
    found = (file.relative_to(path).as_posix() for file in path.rglob("*") if not file.is_dir())
    return sorted(name for name in found if name not in known)


def repair(out: Path) -> None:
    """Put right what a killed run left behind; only ever called under the lock."""
    for old in _left_behind(out, "old"):
        if out.exists() or not is_release(old):  # replaced, or killed while it was being removed
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.rename(out)
    for partial in _left_behind(out, "partial"):
        shutil.rmtree(partial, ignore_errors=True)


def _left_behind(out: Path, word: str) -> list[Path]:
    """Folders a run made beside ``out``; a folder somebody called ``release.old-2023`` is none of ours."""
    ours = re.compile(re.escape(f"{out.name}.{word}-") + "[0-9a-f]{8}")
    return sorted(path for path in out.parent.iterdir() if ours.fullmatch(path.name))


def write_text(path: Path, text: str) -> None:
    """Write a small file of a release."""
    path.write_text(text, encoding="utf-8", newline="\n")


def to_json(document: Any) -> str:
    """A document as readable JSON, the same for the same content."""
    return json.dumps(document.model_dump(mode="json"), ensure_ascii=False, indent=2) + "\n"


def _close(partial: Path, key: bytes | None) -> None:
    """Flush every file, then write the manifest last: without it the folder is no release."""
    files = sorted(file for file in partial.rglob("*") if file.is_file())
    digests = {}
    for file in files:
        digests[file.relative_to(partial).as_posix()] = _sha256(file)
        if file.is_relative_to(partial / "restricted"):
            file.chmod(0o600)  # whoever copies the folder need not keep the mode of its room
        flush(file)
    manifest = partial / MANIFEST
    content: dict[str, Any] = {"format": "schleier-release-1", "files": digests}
    sealed = content | ({SEAL: seal_of(content, key)} if key else {})
    write_text(manifest, json.dumps(sealed, indent=2) + "\n")
    for path in (manifest, *(folder for folder in partial.rglob("*") if folder.is_dir()), partial):
        flush(path)
    partial.chmod(0o755)


def _put_in_place(partial: Path, out: Path) -> None:
    """Rename; between the two renames of a replacement the old release waits under another name for repair."""
    old = out.with_name(out.name + partial.name.removeprefix(out.name).replace(".partial-", ".old-"))
    try:
        if out.exists():
            out.rename(old)
        partial.rename(out)
    except BaseException:
        if old.exists() and not out.exists():
            old.rename(out)  # what stood before still stands
        raise
    flush(out.parent)
    shutil.rmtree(old, ignore_errors=True)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _lock(out: Path) -> Iterator[None]:
    """Only one run writes a folder; the system releases the lock of a killed run."""
    path = out.with_name(f"{out.name}.lock")
    with uninterrupted():
        handle = _held(path, out)
    try:
        yield
    finally:
        let_go(handle, path)
        forget(path)


def _held(path: Path, out: Path) -> int:
    """The lock file of a folder, open and locked."""
    while True:
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise cannot_write(error, out, "folder") from error
        if not locked(handle):
            os.close(handle)
            hint = "wait for it to end, or choose another folder"
            stop(WriteError, "busy", str(out), "another run is writing this folder", hint)
        if same_file(handle, path):
            note(path)
            return handle
        os.close(handle)  # the run before us removed its lock file while we were opening it
