"""Zip archives: one member is read, named where there are several."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

from schleier.core.errors import DataError, Problem, SchleierError, stop
from schleier.core.format import NOTHING, Asked, Format
from schleier.core.limits import UNPACKED, most_unpacked, refuse_size
from schleier.formats._checks import check_file
from schleier.formats._inside import copied, place_for

SHOWN = 20
"""Names listed in a message."""
ENCRYPTED = 0x1


class Zip(Format):
    """An archive; ``data.zip::people.csv`` names a member where there are several.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with zipfile.ZipFile(folder / "data.zip", "w") as archive:
    ...     archive.writestr("2020/people.csv", "age")
    ...     archive.writestr("2020/readme.md", "Hello")
    >>> Zip().unwrap(folder / "data.zip", folder, part="people.csv").name
    'people.csv'
    """

    name = "zip"
    suffixes = (".zip",)
    reading = "unwrap"
    parts = True

    def unwrap(self, path: Path, folder: Path, part: str = "", asked: Asked = NOTHING) -> Path:
        """Write a member into ``folder``; whatever path its name tells, it comes to lie there."""
        check_file(path)
        try:
            with zipfile.ZipFile(path) as archive:
                member = _member(archive, path, part)
                if member.flag_bits & ENCRYPTED:
                    hint = "unpack it with its password and give the file inside"
                    stop(DataError, "encrypted", str(path), "the archive is protected by a password", hint)
                most = most_unpacked(path.stat().st_size)
                refuse_size(DataError, str(path), "the bytes inside are", member.file_size, most, UNPACKED)
                with archive.open(member) as stream:
                    return copied(stream, place_for(folder, member.filename), path)
        except (SchleierError, MemoryError):
            raise
        except NotImplementedError:
            message = "the archive is packed in a way that cannot be read"
            problem = Problem("broken-file", str(path), message, "pack it again as a plain zip archive")
        except Exception:  # a broken archive makes the library fail in many ways
            problem = Problem("broken-file", str(path), "this is not a zip archive, or it is damaged or cut off")
        raise DataError(problem)


def _member(archive: zipfile.ZipFile, path: Path, part: str) -> zipfile.ZipInfo:
    """The member that is meant: by its whole name, else by its last part."""
    members = [info for info in archive.infolist() if not info.is_dir() and not _is_clutter(info.filename)]
    if not members:
        stop(DataError, "empty-file", str(path), "there is no file in the archive")
    meant = [info for info in members if info.filename == part]
    meant = meant or [info for info in members if not part or _last(info.filename) == part]
    if len(meant) == 1:
        return meant[0]
    message = f"there is no file '{part}' in the archive" if part and not meant else "the archive holds several files"
    hint = f"name one, {path.name}::{_last(members[0].filename)} for example; there are: {_listed(members)}"
    raise DataError(Problem("unknown-part" if part else "several-parts", str(path), message, hint))


def _is_clutter(name: str) -> bool:
    """What systems put into archives for themselves."""
    return name.startswith("__MACOSX/") or _last(name).startswith(".")


def _last(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]


def _listed(members: Sequence[zipfile.ZipInfo]) -> str:
    names = [member.filename for member in members]
    return ", ".join(names[:SHOWN]) + (" ..." if len(names) > SHOWN else "")
