"""A release that stands: its folder as a whole, its documents, and the seal of its manifest."""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import NoReturn

from pydantic import ValidationError

from schleier.core.component import listed
from schleier.core.errors import DataError, Problem, RecipeError, SchleierError, stop
from schleier.core.run import KEY_BYTES
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.documents import Audit, Report
from schleier.flow.release.release import MANIFEST, damaged_files, strangers
from schleier.flow.release.seal import SEAL, seal_of

TRANSFORMATION, AUDIT, REPORT = "restricted/transformation.toml", "restricted/audit.json", "public/report.json"


def demand_whole(folder: Path, hint: str = "") -> None:
    """Stop when a folder is not a whole release, and say what is wrong with it."""
    if not folder.is_dir():
        stop(DataError, "not-a-release", str(folder), "there is no such folder")
    problems = list(_wrong(folder, hint))
    if problems:
        raise DataError(problems)


def demand_alone(folder: Path) -> None:
    """Stop when files lie in the public part of a release that are not of it."""
    if added := [name for name in strangers(folder) if name.startswith("public/")]:
        message = f"files lie in its public part that are not of the release: {listed(added)}"
        stop(DataError, "changed-release", str(folder), message, "take them out")


def documents(folder: Path) -> tuple[Report, Audit]:
    """Report and audit of a whole release."""
    try:
        audit = Audit.model_validate_json((folder / AUDIT).read_bytes())
        report = Report.model_validate_json((folder / REPORT).read_bytes())
        key = bytes.fromhex(audit.run_key)
    except (ValidationError, ValueError):
        key = b""
    if len(key) != KEY_BYTES:  # said outside the handler: what a file holds may be quoted there
        _not_understood(folder)
    return report, audit


def fitted_recipe(folder: Path) -> Recipe:
    """The recipe of a whole release, with all that its steps learned."""
    recipe = None
    with suppress(SchleierError):
        recipe = Recipe.from_file(folder / TRANSFORMATION)
    return recipe or _not_understood(folder)


def _not_understood(folder: Path) -> NoReturn:
    message, hint = "its restricted files cannot be understood", "was it made by another version of Schleier?"
    stop(RecipeError, "bad-release", str(folder), message, hint)


def demand_sealed(folder: Path, audit: Audit) -> None:
    """Stop when the manifest does not carry the seal of the run key: somebody else wrote it."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    if not hmac.compare_digest(
        str(manifest.get(SEAL, "")).encode(), seal_of(manifest, bytes.fromhex(audit.run_key)).encode()
    ):
        message = f"{MANIFEST} does not carry the seal of the run key: it was not written by the run of this release"
        stop(DataError, "broken-seal", str(folder), message, "use an unchanged copy")


def _wrong(folder: Path, hint: str) -> Iterator[Problem]:
    where = str(folder)
    try:
        files = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
        names = set(map(str, files.keys()))
    except FileNotFoundError:
        yield Problem("not-a-release", where, f"the folder is no release: it has no {MANIFEST}")
        return
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        yield Problem("not-a-release", where, f"its {MANIFEST} cannot be read")
        return
    odd = sorted(name for name in names if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts)
    if odd:
        yield Problem("not-a-release", where, f"its {MANIFEST} names files outside the release: {listed(odd)}")
        return
    absent, changed = damaged_files(folder, files)
    unsigned = sorted({TRANSFORMATION, AUDIT, REPORT} - names)
    if absent:
        yield Problem("incomplete-release", where, f"files of the release are not there: {listed(absent)}", hint)
    if changed:
        message = f"files are not as the release left them: {listed(changed)}"
        yield Problem("changed-release", where, message, "use an unchanged copy")
    if unsigned:
        yield Problem("incomplete-release", where, f"the release does not name its files {listed(unsigned)}")
