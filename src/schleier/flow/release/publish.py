"""Writes a release: the file in canonical order, its schema, report and audit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier import __version__
from schleier.core import registry
from schleier.core.address import Address
from schleier.core.amount import FEWER, LEAST, hide_few, in_tens
from schleier.core.keys import KeySource
from schleier.core.measure import Measure
from schleier.core.method import Method
from schleier.core.run import Note
from schleier.core.schema import Column, Layout, Schema
from schleier.core.sql import types_of
from schleier.core.trust.aim import LEFT_OUT
from schleier.core.trust.outsiders import rows_for_outsiders, verdict_for_outsiders
from schleier.core.units import has_several
from schleier.flow.correct import touched, withheld
from schleier.flow.recipe.stages import stages
from schleier.flow.recipe.writing import recipe_toml, schema_table, toml
from schleier.flow.release.contents import ORDERS, joining_columns, occurring, only_occurring, possible_orders, varying
from schleier.flow.release.digest import Digest, digest_of
from schleier.flow.release.documents import (
    FEWEST,
    Audit,
    Report,
    ReportedColumn,
    ReportedOverride,
    ReportedSequel,
    ReportedStep,
)
from schleier.flow.release.edge import batches, write_rows, written_schema
from schleier.flow.release.records import write_by_record
from schleier.flow.release.release import Release, to_json, write_text
from schleier.flow.release.unchanged import nothing_changed, unchanged_columns
from schleier.flow.returning import WIDE
from schleier.flow.run.cautions import Judged, cautions, keys_of, linkable

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.criterion import Verdict
    from schleier.core.format import Format, Target
    from schleier.core.visible import Visible
    from schleier.flow.recipe.recipe import DataSection, ReleaseSection
    from schleier.flow.run.runner import RunOutcome
    from schleier.flow.run.sequence import Sequel


def publish(outcome: RunOutcome, folder: Path, *, keep: bool, target: Target | None = None) -> Release:
    """Fill ``folder`` with the release, and a table if there is one; without ``keep`` only what the digest needs."""
    recipe, data, run = outcome.recipe, outcome.released, outcome.run
    form = registry.get("format", recipe.release.format)()
    name = f"data{form.suffixes[0]}"
    public, restricted = folder / "public", folder / "restricted"
    public.mkdir()
    restricted.mkdir(mode=0o700)
    rows = public / name if recipe.release.format == "parquet" else restricted / "rows.parquet"
    with run.progress("writing"):
        content = write_rows(data, run, rows)
        digest = digest_of(batches(rows), data.schema)
        found = occurring(rows, data.schema.columns)
        released = _published(data.schema, found, form)
        if target is not None:
            target.fill(batches(rows), written_schema(rows), released.columns)
        walked = tuple(stages(outcome.original.schema, outcome.steps))
        unchanged = unchanged_columns(outcome, walked)
        judged = Judged(
            original=outcome.original.schema,
            released=data.schema,
            stages=walked,
            labels=outcome.labels,
            verdicts=outcome.verdicts,
            same=nothing_changed(outcome, digest.rows, unchanged),
            carrying=varying(rows, keys_of(outcome.verdicts)),
            weighing=varying(rows, data.schema.having("weight")),
            together=has_several(data),
            as_collected=[name for name in data.schema.having("unit") if name in unchanged],
            joining=joining_columns(rows, data, keys_of(outcome.verdicts)),
            declared=recipe.declared,
            returning=outcome.returning,
            beside=outcome.beside,
            file=name,
            source=recipe.data.file,
        )
    # Who reads the report need not hold the file: a value that is rare there is not named here.
    least = 1 if recipe.release.access == "public" else LEAST
    columns = only_occurring(data.schema.columns, found, least)
    told = digest.rows >= FEWEST and (least == 1 or possible_orders(rows, data.schema.names) >= ORDERS)
    report = _report(outcome, name, digest, columns, judged, unchanged, tell_digest=told)
    audit = _audit(outcome, digest, content)
    release = Release(
        report, audit, released, language=recipe.release.language, cautions=cautions(replace(judged, near=True))
    )
    if not keep:
        return replace(release, rows=_table(rows))
    if recipe.release.format != "parquet":
        form.write(batches(rows), written_schema(rows), public / name, released.layout, released.columns)
        rows.unlink()
    write_text(public / "schema.toml", toml(schema_table(released)))
    write_text(public / "report.json", to_json(report))
    for word, renderer in registry.every("renderer").items():
        write_text(public / f"report.{word}", renderer().render(report, recipe.release.language))
    write_text(restricted / "audit.json", to_json(audit))
    write_by_record(run, data.engine, restricted / "records")
    attacks = tuple(map(_everywhere, recipe.attacks))
    again = replace(
        recipe,
        steps=tuple(map(_with_vault, recipe.steps)),
        data=_anywhere(recipe.data),
        attacks=attacks,
        release=_listed(recipe.release),
        keys={name: _at_hand(source, run.keys[name].epoch) for name, source in recipe.keys.items()},
    )
    write_text(restricted / "recipe.toml", recipe_toml(again))
    write_text(
        restricted / "transformation.toml", recipe_toml(replace(again, steps=tuple(map(_with_vault, outcome.steps))))
    )
    return release


def _anywhere(data: DataSection) -> DataSection:
    """The files by their whole path: the copy of a recipe lies in another folder than the recipe."""
    files = {name: str(Address.of(file, Path.cwd())) for name, file in data.files.items()}
    return data.model_copy(update=files)


def _at_hand(source: KeySource, epoch: int) -> KeySource:
    """The file of a key by its whole path, and the epoch that was used: the key may be rotated meanwhile."""
    place = {} if source.file is None else {"file": str(Path(source.file).absolute())}
    return source.model_copy(update={"epoch": epoch, **place})


def _with_vault(step: Method) -> Method:
    """A step with the vault it needs by its whole path."""
    named = getattr(step, "vault", None)
    return step.model_copy(update={"vault": str(Address.of(named, Path.cwd()))}) if isinstance(named, str) else step


def _listed(release: ReleaseSection) -> ReleaseSection:
    """The register by its whole path."""
    named = release.listed_in
    return release.model_copy(update={"listed_in": str(Path(named).resolve())} if named is not None else {})


def _everywhere(attack: Measure) -> Measure:
    """An attack with the further releases it compares by their whole path."""
    named = getattr(attack, "releases", ())
    return attack.model_copy(update={"releases": tuple(str(Address.of(n, Path.cwd())) for n in named)} if named else {})


def _table(path: Path) -> pa.Table:
    import pyarrow as pa

    return pa.Table.from_batches(batches(path), written_schema(path))


def _published(schema: Schema, found: Mapping[str, Counter[str]], form: Format) -> Schema:
    """The schema of the released file: no row key, no hierarchies (they may hold learned values), no other labels.

    Codes for "missing" became gaps: no released row has them, and an odd one is somebody's value.
    """
    gone = {"hierarchy": None, "missing": ()}
    columns = tuple(
        c.model_copy(update=gone | ({} if c.scale == "time" else {"date": None}))
        for c in only_occurring(schema.columns, found)
    )
    layout = (schema.layout or Layout()).model_copy(update={"guard": form.guard}) if form.guard else schema.layout
    return schema.model_copy(update={"columns": columns, "row_key": None, "hierarchies": {}, "layout": layout})


def _report(
    outcome: RunOutcome,
    name: str,
    digest: Digest,
    columns: Sequence[Column],
    judged: Judged,
    unchanged: tuple[str, ...],
    *,
    tell_digest: bool,
) -> Report:
    released, original = outcome.released.schema, outcome.original.schema
    is_open = outcome.recipe.release.access == "public"
    rows = digest.rows if is_open else rows_for_outsiders(digest.rows, outcome.steps)
    steps = []
    for stage, label in zip(judged.stages, outcome.labels, strict=True):
        step = stage.step
        facts = [n.facts for n in outcome.run.notes if n.step == label and n.visibility == "public"]
        steps.append(
            ReportedStep(
                method=step.word(),
                label=label,
                columns=step.uses(stage.before),
                parameters=hide_few(step.parameters(public=True), step.counts),
                facts=tuple(hide_few(facts, step.counts)),
                changed=touched(step, stage.before, stage.after),
                same_rows=step.same_rows(),
                withheld=withheld(step),
            )
        )
    return Report(
        schleier=__version__,
        file=name,
        digest=digest.hexdigest() if tell_digest else "",
        records_read=outcome.records,
        records_released=rows,
        state="pseudonymous" if linkable(judged.stages, released) else "",
        made_rows=any(step.makes_rows() for step in outcome.steps),
        columns=tuple(
            ReportedColumn(
                **c.model_dump(include={"name", "title", "role", "scale", "decimals", "labels", "judged_on"}),
                kind=digest.kinds.get(c.name, ""),
                judged="" if c.role == "undecided" else c.judged,
            )
            for c in columns
        ),
        columns_left_out=tuple(n for n in original.names if n not in released),
        steps=tuple(steps),
        criteria=outcome.verdicts if is_open else _coarsely(outcome),
        after=_after(outcome.sequel),
        unchanged=unchanged,
        cautions=cautions(judged),
        too_wide=len(original.columns) > WIDE and outcome.returning is None,
        findings=tuple(one.public for one in outcome.findings if one.public is not None),
        not_compared=_not_compared(outcome.not_compared, rows),
        findings_withheld=tuple(one.exact.name for one in outcome.findings if one.public is None),
        attacks=tuple(one.public for one in outcome.attacks if one.public is not None),
        attacks_withheld=tuple(dict.fromkeys(one.exact.name for one in outcome.attacks if one.public is None)),
        attacks_left_out=tuple(dict.fromkeys(w for n in outcome.run.notes for w in n.facts.get(LEFT_OUT, ()))),
        **outcome.recipe.release.model_dump(include={"title", "purpose", "access", "protection"}),
        control=outcome.recipe.data.control is not None,
        overrides=tuple(ReportedOverride(where=o.where, reason=o.reason) for o in outcome.recipe.overrides),
    )


def _coarsely(outcome: RunOutcome) -> tuple[Verdict, ...]:
    both = zip(outcome.verdicts, outcome.recipe.criteria, strict=True)
    made = any(step.makes_rows() for step in outcome.steps)
    return tuple(verdict_for_outsiders(verdict, one.model_dump(), one.goal, made_rows=made) for verdict, one in both)


def _after(sequel: Sequel | None) -> ReportedSequel | None:
    if sequel is None:
        return None
    earlier = sum(one.in_both is not None for one in sequel.comparisons)
    return ReportedSequel(
        earlier=earlier,
        k=sequel.k,
        level=sequel.level,
        units=sequel.units,
        k_alone=sequel.k_alone,
        criteria=sequel.criteria,
    )


def _not_compared(visible: Visible | None, released: int) -> dict[str, str]:
    """By column, in tens, and under no name for whole records.

    The other records of a column that is not shown at all had a gap in the original: an exact count would tell how many
    there were, even a single one.
    """
    if visible is None:
        return {}
    found = {"": visible.records} | {
        name: in_tens(count, released) if count >= LEAST else count for name, count in visible.cells.items()
    }
    return {name: str(count) if count >= LEAST else FEWER for name, count in found.items() if count}


def _audit(outcome: RunOutcome, digest: Digest, content: str) -> Audit:
    return Audit(
        schleier=__version__,
        run_key=outcome.run.key.hex(),
        key_from=outcome.key_from,
        source_fingerprint=outcome.fingerprint,
        release_fingerprint=content,
        digest=digest.hexdigest(),
        engine=outcome.recipe.engine.name,
        source=outcome.recipe.data.file or "rows given in Python",
        types=types_of(outcome.original),
        steps=tuple({"method": step.word(), **step.parameters()} for step in outcome.steps),
        findings=tuple(one.exact for one in outcome.findings),
        attacks=tuple(one.exact for one in outcome.attacks),
        after=tuple(map(asdict, outcome.sequel.comparisons)) if outcome.sequel else (),
        notes=tuple(_note(note) for note in outcome.run.notes),
        advice=outcome.recipe.advice.model_dump(mode="json") if outcome.recipe.advice else None,
    )


def _note(note: Note) -> dict[str, Any]:
    return {"visibility": note.visibility, "step": note.step, **note.facts}
