"""Looks at a finished file without the original: is it what the recipe, and the report, say of it?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from schleier.core import registry
from schleier.core.address import spelled
from schleier.core.classes.judgement import judge_all
from schleier.core.component import listed
from schleier.core.criterion import Breach, Verdict
from schleier.core.data import tally
from schleier.core.engine import Resources
from schleier.core.errors import DataError, Problem, Problems, RecipeError, stop
from schleier.core.limits import small_text
from schleier.core.normal import logical
from schleier.core.schema import Schema
from schleier.core.system import as_typed
from schleier.core.trust.outsiders import rows_for_outsiders
from schleier.flow.release.digest import Digest, digest_of
from schleier.flow.release.documents import Report
from schleier.flow.release.edge import batches, canonical
from schleier.flow.release.standing import demand_alone, demand_sealed, demand_whole, documents, fitted_recipe
from schleier.flow.run.cautions import for_access
from schleier.flow.run.files import Files, Head
from schleier.flow.run.populations import populations_after
from schleier.flow.run.reader import fit, head_of, read, untitled
from schleier.flow.run.rules import chains, unchecked, unsettled

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.flow.recipe.recipe import Recipe

DOUBT = 1e-12
"""Part of a number by which programs differ that write and read it."""
OTHER_HINT = "is it the file of this report, unchanged?"
INEXACT_HINT = f"{OTHER_HINT} Where its format cannot tell all values apart, verify the folder of the release"


@dataclass(frozen=True)
class Examination:
    """What was found about a file that is not refused."""

    verdicts: tuple[Verdict, ...]
    records: int
    not_compared: tuple[str, ...]
    """What of "records" and "digest" was not compared with a report."""
    not_checked: tuple[str, ...]
    """Steps with a published rule whose result was not checked."""


def examine(
    path: Path | str, recipe: Recipe, report: Report | None = None, digest: str = "", *, sealed: bool = False
) -> Examination:
    """Judge a file by the criteria of a recipe; everything that makes it another file than the release is refused.

    ``digest`` is what the audit knows where a ``report`` withholds it; of a ``sealed`` file every byte is known.
    """
    path = spelled(path)
    if not recipe.criteria:
        message = "the recipe has no criteria, so there is nothing to judge the file by"
        hint = (
            "add [[criteria]] (schleier criteria lists them), or name another recipe with --recipe; "
            f"whether it is the file of a report, its digest tells: schleier digest {as_typed(path)}"
        )
        stop(RecipeError, "no-criteria", "criteria", message, hint)
    released = recipe.after().model_copy(update={"row_key": None, "others": "drop"})
    resources = Resources(None, recipe.engine.memory_limit, recipe.engine.threads)
    with closing(registry.get("engine", "duckdb")(resources)) as engine, Files(engine.work) as files:
        name = recipe.release.format
        guard = registry.get("format", name).guard if name else files.file(path).form.guard
        head = head_of(path, untitled(released), files, guard)
        problems = _misfits(path, released, head, len(files.extras(path)))
        data = read(path, untitled(released), engine, files, guard=guard)
        records = data.rows
        if not records:
            problems.add("no-rows", str(path), "the file has no rows", "no release is empty")
            problems.raise_as(DataError)
        looked = [(chain.labels, unsettled(data, chain)) for chain in chains(recipe)]
        problems.extend(_still_changed(looked, str(path)))
        problems.extend(_finer(data, report, str(path)))
        wanted = (report.digest or digest) if report else ""
        told = records if recipe.release.access == "public" else rows_for_outsiders(records, recipe.steps)
        if report is not None and report.records_released not in (records, told):
            message = f"the file has {records} records, the report speaks of {report.records_released}"
            problems.add("other-records", str(path), message, OTHER_HINT)
        elif wanted and _digest(data, report).hexdigest() != wanted:
            exact = files.file(path).form.exact
            if (
                sealed and not exact
            ):  # a package does not keep everything apart, but these are the bytes that were written
                wanted = ""
            else:
                message = "the digest of the file is not that of the report"
                problems.add("other-digest", str(path), message, OTHER_HINT if exact else INEXACT_HINT)
        people = populations_after(recipe, engine)
        judged = replace(data, populations={name: canonical(one) for name, one in people.items()})
        verdicts = for_access(judge_all(judged, recipe.criteria), recipe.release.access)
    if problems.found:
        problems.extend(_broken(verdicts))
    problems.raise_as(DataError)
    missing = ("records", "digest") if report is None else () if wanted else ("digest",)
    checked = {label for labels, counts in looked if counts is not None for label in labels}
    return Examination(verdicts, records, missing, unchecked(recipe, checked))


def examine_by(file: Path, recipe: Path | None, report: Path | None = None) -> tuple[Examination, Recipe]:
    """Examine a file by the recipe and report that are named, or a whole release by its own; with that recipe."""
    from schleier.flow.recipe.recipe import Recipe

    demanded = Recipe.from_file(recipe) if recipe is not None else None
    if file.is_dir():
        if report is not None:
            stop(RecipeError, "bad-option", "--report", "a release has its own report: leave the option out")
        return examine_release(file, demanded), demanded or fitted_recipe(file)
    if demanded is None:
        hint = f"name it with --recipe; whether it is the file of a report: schleier digest {as_typed(str(file))}"
        stop(RecipeError, "bad-option", "--recipe", "say by which recipe to judge the file", hint)
    return examine(file, demanded, report_from_file(report) if report is not None else None), demanded


def examine_release(folder: Path, recipe: Recipe | None = None) -> Examination:
    """Examine the file of a whole release: its files, its seal, its report and audit must agree, too.

    Without a recipe its own fitted one is taken.
    """
    demand_whole(folder, "a release is verified with its restricted part, else name its file and --report")
    demand_alone(folder)
    report, audit = documents(folder)
    demand_sealed(folder, audit)
    file = folder / "public" / Path(report.file).name
    return examine(file, recipe or fitted_recipe(folder), report, audit.digest, sealed=True)


def report_from_file(path: Path) -> Report:
    """The report of a release, as it was handed over."""
    found = None
    with suppress(OSError, ValueError):  # said outside: what a file holds may be quoted there
        found = Report.model_validate_json(small_text(path, DataError, str(path)))
    if found is None:
        stop(DataError, "bad-report", str(path), "this is no report of a release", "name its report.json")
    return found


def digest_of_file(path: Path | str, schema: Schema, report: Report | None = None) -> Digest:
    """The digest of a released file that a schema describes, over its logical content.

    A ``report`` tells as what to take values that the file stores as text.
    """
    with closing(registry.get("engine", "duckdb")(Resources())) as engine:
        return _digest(read(path, untitled(schema.model_copy(update={"row_key": None})), engine), report)


def _digest(data: Dataset, report: Report | None) -> Digest:
    """Over the rows in the order of the file."""
    kinds = {column.name: column.kind for column in report.columns} if report else None
    place = data.engine.work / "digest.parquet"
    data.engine.write(data.frame, place, [data.schema.key], data.schema.names)
    return digest_of(batches(place), data.schema, kinds)


def _misfits(path: Path | str, released: Schema, head: Head, beside: int) -> Problems:
    """Columns and entries that a release would not have; stops when those it would have are not there."""
    found = Problems()
    extra = [name for name in head.kinds if name not in released.names]
    if extra:
        # Where no name is known the file may have no header, and its "names" are the values of a person.
        named = listed(extra) if len(extra) < len(head.kinds) else f"none of its {len(extra)} columns is known"
        message, hint = (
            f"the file has columns that the release would not have: {named}",
            "take them out, or verify another file",
        )
        found.add("unreleased-columns", str(path), message, hint)
    if beside:
        message = (
            f"the file carries more than its table: {beside} entries, notes or sheets that the release would not have"
        )
        found.add("unreleased-entries", str(path), message, "write the table alone into a new file")
    misfit = fit(head, released)
    if misfit.found:
        found.extend(misfit.found)
        found.raise_as(DataError)
    return found


def _still_changed(looked: Sequence[tuple[tuple[str, ...], dict[str, int] | None]], where: str) -> Iterator[Problem]:
    for labels, counts in looked:
        for column, count in (counts or {}).items():
            message = f"{count} values of column '{column}' are not as a release has them after {listed(labels)}"
            yield Problem("rule-not-applied", where, message, "release the file with `schleier run`")


def _finer(data: Dataset, report: Report | None, where: str) -> Iterator[Problem]:
    """Columns that tell more than a release does: further digits, or the hour of a day."""
    import narwhals as nw

    types = {name: logical(dtype) for name, dtype in data.frame.collect_schema().items()}
    days = {column.name for column in report.columns if column.kind == "date"} if report else set()
    for name in (name for name in data.schema.names if name in days and types[name] == "time"):
        message = f"column '{name}' holds points in time where the release has days"
        yield Problem("finer-values", where, message, "verify the file as it was released")
    rounded = [c.name for c in data.schema if c.decimals is not None and types[c.name] == "number"]
    if not rounded:
        return
    both = canonical(data.mutate(**{f"_{name}_": nw.col(name) for name in rounded}))
    gaps = {name: (nw.col(name) - nw.col(f"_{name}_")).abs() for name in rounded}
    finer = {name: tally(gap > DOUBT * (nw.col(name).abs() + 1.0)) for name, gap in gaps.items()}
    for name, count in both.totals(**finer).items():
        if count:
            message = f"{count} values of column '{name}' have more decimals than the schema declares"
            yield Problem("finer-values", where, message, "release the file with `schleier run`")


def _broken(verdicts: Sequence[Verdict]) -> Iterator[Problem]:
    for i, verdict in enumerate(verdicts):
        if not verdict.holds:
            where, hint = f"criteria[{i}] ({verdict.criterion})", "coarsen more, suppress, or drop columns"
            yield Breach("criterion-broken", where, verdict.text, hint, verdict)
