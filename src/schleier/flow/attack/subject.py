"""What is attacked: a whole release, the part of it that was handed over, or a file somebody describes."""

from __future__ import annotations

import filecmp
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from schleier.core import registry
from schleier.core.address import Address
from schleier.core.component import listed
from schleier.core.errors import DataError, Problem, RecipeError, SchemaError, SchleierError, stop
from schleier.core.method import Method
from schleier.core.schema import Schema
from schleier.core.system import as_typed
from schleier.flow.recipe.entries import component
from schleier.flow.recipe.parts import schema_of
from schleier.flow.recipe.schema_file import schema_from_file
from schleier.flow.release.past import Past
from schleier.flow.release.release import MANIFEST, damaged_files
from schleier.flow.release.standing import demand_alone
from schleier.flow.run.beside import REPORT, SCHEMA, documents_beside
from schleier.flow.run.examine import digest_of_file, report_from_file
from schleier.flow.run.files import Files, format_of
from schleier.flow.run.reader import fit, read, untitled

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.engine import Engine
    from schleier.flow.release.documents import Report, ReportedStep

PUBLIC, RESTRICTED = "public", "restricted"


@dataclass(frozen=True)
class Subject:
    """A released file, and what is known of how it was made."""

    name: str
    """The last part of its address."""
    file: str
    released: Schema
    """Of the released rows."""
    before: Schema
    """Of the rows before the steps; the same one where nobody can tell."""
    steps: tuple[Method, ...] = ()
    """What an attacker reads of how values were recoded."""
    untold: tuple[str, ...] = ()
    """Steps whose report does not say enough to repeat them."""
    open_file: bool = False
    """Whether everybody has the file."""
    past: Past | None = None
    """All that is needed to make it once more; nothing where the restricted part is not there."""
    guard: Literal["", "'"] = ""

    def rows(self, engine: Engine) -> Dataset:
        """The released rows, numbered in the order of the file."""
        return read(self.file, untitled(self.released), engine, guard=self.guard)


@contextmanager
def subject_of(release: Path | str, schema: Any = None) -> Iterator[Subject]:
    """The subject at an address; refused where it is no release, or not as it was released."""
    address = Address.of(release)
    folder = address.path
    if address.variable or not folder.is_dir():
        with documents_beside(release) as beside:
            yield _file(str(release), beside, schema)
    elif (folder / MANIFEST).is_file() and (folder / RESTRICTED).is_dir():
        if schema is not None:
            stop(RecipeError, "bad-option", "schema", "a whole release has its own schema: leave the option out")
        yield _whole(folder)
    else:
        yield _handed_over(folder, schema)


def _whole(folder: Path) -> Subject:
    past = Past.of(folder, "an attack on a release needs all of it, or its public part alone")
    demand_alone(folder)
    recipe, form = past.recipe, past.recipe.release.format
    return Subject(
        name=folder.name,
        file=str(folder / PUBLIC / Path(past.report.file).name),
        released=_unkeyed(recipe.after()),
        before=recipe.schema,
        steps=recipe.steps,
        open_file=recipe.release.access == "public",
        past=past,
        guard=registry.get("format", form).guard if form else "",
    )


def _handed_over(folder: Path, schema: Any) -> Subject:
    """The public part of a release: in its own folder, or beside a manifest that names it."""
    public = folder / PUBLIC if (folder / MANIFEST).is_file() else folder
    if not (public / REPORT).is_file():
        message = f"the folder is no release: it has neither {MANIFEST} nor {REPORT}"
        stop(DataError, "not-a-release", str(folder), message, "name the folder of a release, or a file with --schema")
    _demand_unchanged(folder)
    report = report_from_file(public / REPORT)
    return replace(_described(str(public / Path(report.file).name), public, report, schema), name=folder.name)


def _demand_unchanged(folder: Path) -> None:
    """Stop when a file of the public part is not as the manifest says, where there is one."""
    if not (folder / MANIFEST).is_file():
        return
    named = None
    try:
        named = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
        public = {name: digest for name, digest in named.items() if name.startswith(f"{PUBLIC}/") and ".." not in name}
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        public = {}
    if not public:
        stop(DataError, "not-a-release", str(folder), f"its {MANIFEST} cannot be read")
    absent, changed = damaged_files(folder, public)
    if absent or changed:
        message = f"files are not as the release left them: {listed([*absent, *changed])}"
        stop(DataError, "changed-release", str(folder), message, "use an unchanged copy")


def _file(file: str, beside: Path, schema: Any) -> Subject:
    """A file with its documents beside it, or with a schema that somebody gives."""
    if not Address.of(file).variable and not Address.of(file).path.exists():
        stop(DataError, "not-a-release", file, "there is no such folder or file")
    report = report_from_file(beside / REPORT) if (beside / REPORT).is_file() else None
    if schema is None and not (beside / SCHEMA).is_file():
        line = as_typed("schleier", "describe", file, "-o", SCHEMA)
        hint = f"write one with `{line}`, and name it with --schema"
        stop(SchemaError, "no-schema", "schema", f"there is no {SCHEMA} beside the file", hint)
    return _described(file, beside, report, schema)


def _described(file: str, beside: Path, report: Report | None, schema: Any) -> Subject:
    released = _unkeyed(_schema(schema) if schema is not None else schema_from_file(beside / SCHEMA))
    form = format_of(Address.of(file))
    wanted = report.digest if report is not None and schema is None and form.exact else ""
    if wanted and digest_of_file(file, released, report).hexdigest() != wanted:
        message = "the digest of the file is not that of the report"
        stop(DataError, "other-digest", file, message, "is it the file of this report, unchanged?")
    steps, untold = _published(report.steps if report else (), released)
    return Subject(
        name=Address.of(file).path.name,
        file=file,
        released=released,
        before=released,
        steps=steps,
        untold=untold,
        open_file=report is not None and report.access == "public",
    )


def misdescribed(subject: Subject, files: Files) -> Iterator[Problem]:
    """What the columns of a released file are not that its schema says, which may be that of the original."""
    wrong = fit(files.head(subject.file, subject.released.layout), subject.released).found
    line = as_typed("schleier", "describe", subject.file, "-o", SCHEMA)
    hint = (
        f"a schema of the original does not describe what was released: write one with `{line}`, and name it with "
        "--schema"
    )
    for one in wrong[:-1]:
        yield replace(one, where=subject.name, hint="")  # the way out once, for all
    for one in wrong[-1:]:
        yield Problem(one.code, subject.name, one.message, hint)


def is_same(subject: Subject, place: str | None) -> bool:
    """Whether a file that should stand beside a released one is the same, byte for byte."""
    if place is None or subject.past is not None:
        return False
    one, other = Address.of(subject.file), Address.of(place)
    if one.variable or other.variable or not (one.path.is_file() and other.path.is_file()):
        return False
    return filecmp.cmp(one.path, other.path, shallow=False)


def _schema(given: Any) -> Schema:
    from schleier.core.errors import Problems

    found = Problems()
    schema = schema_of(given, found)
    found.raise_as(SchemaError)
    return schema


def _unkeyed(schema: Schema) -> Schema:
    """Of the released rows, which have no row key."""
    return schema.model_copy(update={"row_key": None, "others": "drop"})


def _published(steps: Sequence[ReportedStep], schema: Schema) -> tuple[tuple[Method, ...], tuple[str, ...]]:
    """Rules that can be repeated as the report tells them, and the labels of those that cannot.

    After a rule that cannot be repeated no further one of the same columns is: it would meet other values.
    """
    found, untold, lost = list[Method](), list[str](), set[str]()
    for told in steps:
        if not set(told.columns) & set(schema.names):  # of columns that are gone
            continue
        step = None
        try:
            step = component("method", {"method": told.method, **told.parameters}, told.label)
            sound = not list(step.problems(schema)) and not lost & set(told.columns)
        except SchleierError:
            sound = False
        if step is not None and not step.declares("rule"):
            continue
        if sound and step is not None:
            found.append(step)
        else:
            untold.append(told.label)
            lost |= set(told.columns)
    return tuple(found), tuple(untold)
