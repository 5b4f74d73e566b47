"""Measures and attacks on a finished table: what they find, and what of it everybody may read."""

from __future__ import annotations

from dataclasses import dataclass

from schleier.core.measure import Case, Finding, Measure
from schleier.core.run import Run
from schleier.core.trust.outsiders import for_outsiders


@dataclass(frozen=True)
class Measured:
    """What a measure or an attack found, and what of it may be published."""

    exact: Finding
    public: Finding | None


def run(
    recipe: Recipe,
    source: Any = None,
    *,
    out: Path | str | None = None,
    key: bytes | None = None,
    force: bool = False,
    engine: str | None = None,
    listener: Listener = silence,
    notes: Iterable[Note] = (),
    key_of: str | None = None,
    after: After = (),
    after_k: int | None = None,
) -> Release:
    """See ``Recipe.run``; ``notes`` are known before it starts.

    ``key_of`` is the fingerprint of the rows whose key it is: others draw with a key of their own, derived from it.
    """
    recipe = recipe.on(engine)
    if source is None and recipe.data.file is None:
        stop(RecipeError, "no-data", "data.file", "the recipe names no file and no rows were given")
    if isinstance(source, str | Path):
        recipe = replace(recipe, data=recipe.data.model_copy(update={"file": spelled(source)}))
        source = None
    wanted = demand(recipe, after, after_k)
    session = Run(key or new_key(), recipe.criteria, listener, list(notes))
    with Files() as files:
        before = states_of(recipe.data.files.values())
        outlook = check(recipe, header=source is None, files=files)
        refuse(outlook.problems)
        recipe = _in_format(recipe, None if source is not None else files.file(recipe.data.file or ""))
        key_from = "new" if not key else "given" if key_of is None else "release"
        job = Job(recipe, source, session, outlook, files, before, key_from, key_of, wanted)
        if out is None:
            if recipe.release.table is not None:
                stop(RecipeError, "no-folder", "release.table", "a table is written together with a folder", "say out")
            folder = private_folder()
            try:
                return _release(job, folder, keep=False)
            finally:
                remove(folder)
        with (
            release_table(recipe.release.table, recipe.data.file) as target,
            directory(Path(out), force=force, key=lambda: session.key) as partial,
        ):
            release = _release(job, partial, keep=True, target=target)
        return replace(release, path=Path(out))


def _in_format(recipe: Recipe, file: File | None) -> Recipe:
    """The recipe with the format of the release said."""
    said = replace(
        recipe, release=recipe.release.model_copy(update={"format": recipe.release.format or released_as(file)})
    )
    vars(said)["outlook"] = recipe.outlook  # what lies ahead is the same, and was learned already
    return said


def measured(
    measures: tuple[Measure, ...], case: Case, session: Run, what: str, *, open_file: bool
) -> tuple[Measured, ...]:
    """Every measure, or attack, with its parts; of a file that is not open, outsiders read less."""
    found = []
    for entry in measures:
        with session.within(entry.label(case.released.schema)):
            parts = entry.parts(case, session)
        for measure in parts:
            label = measure.label(case.released.schema)
            with session.within(label), session.progress(f"{what}: {measure.word()}"):
                exact = measure.measure(case, session)
                public = measure.disclose(case, session, exact)
            if public is not None and not open_file:
                public = for_outsiders(public, measure, case.released.rows)
            found.append(Measured(exact, public))
    return tuple(found)
