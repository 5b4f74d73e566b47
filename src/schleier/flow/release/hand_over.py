"""Packs what may go out of a release, and nothing else."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

from schleier.core.atomic import whole_file
from schleier.core.errors import WriteError, stop
from schleier.flow.release.release import MANIFEST
from schleier.flow.release.standing import demand_sealed, demand_whole, documents

PUBLIC = "public/"
BEGINNING = (1980, 1, 1, 0, 0, 0)
"""The date of every file inside: when a release was packed is nobody's business, and the bytes stay the same."""


def hand_over(folder: Path | str, out: Path | str, *, force: bool = False) -> tuple[str, ...]:
    """Pack the public files of a whole release into a zip archive; their names.

    The same release gives the same bytes. Only files are packed that the manifest names, as it knows them.
    """
    folder, out = Path(folder), Path(out)
    demand_whole(folder, "pack the release where it was made, with its restricted part")
    demand_sealed(folder, documents(folder)[1])
    if folder.resolve() in out.resolve().parents:
        stop(WriteError, "inside-release", str(out), "the archive would lie inside the release", "choose another place")
    if out.is_dir():
        stop(WriteError, "exists", str(out), "this is a folder", "name the file to write, such as release.zip")
    if out.exists() and not force:
        stop(WriteError, "exists", str(out), "the file already exists", "choose another name, or use --force")
    named = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
    names = sorted(name for name in named if name.startswith(PUBLIC))
    with whole_file(out) as place, zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            info = zipfile.ZipInfo(name.removeprefix(PUBLIC), BEGINNING)
            info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
            with (folder / name).open("rb") as source, archive.open(info, "w", force_zip64=True) as target:
                shutil.copyfileobj(source, target)
    return tuple(name.removeprefix(PUBLIC) for name in names)
