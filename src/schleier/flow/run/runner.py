"""Runs a recipe: read, fit and apply the steps, judge, measure, write. Fails closed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core import registry
from schleier.core.address import Address, spelled
from schleier.core.caution import Caution
from schleier.core.classes.judgement import judge_all
from schleier.core.criterion import Breach, Verdict
from schleier.core.data import Dataset
from schleier.core.engine import Engine, Resources
from schleier.core.errors import DataError, InfeasibleError, Problems, RecipeError, stop
from schleier.core.failures import public
from schleier.core.format import Target
from schleier.core.leftovers import private_folder, remove
from schleier.core.measure import Case, Finding
from schleier.core.method import Method
from schleier.core.run import Listener, Note, Run, new_key, silence
from schleier.core.visible import Visible
from schleier.flow.recipe.check import Outlook, check, refuse
from schleier.flow.recipe.keyring import keyring
from schleier.flow.release.edge import canonical
from schleier.flow.release.fingerprint import fingerprint
from schleier.flow.release.publish import publish
from schleier.flow.release.register import Register
from schleier.flow.release.release import Release, directory
from schleier.flow.release.table import release_table
from schleier.flow.returning import WORD, looking
from schleier.flow.run.cautions import HINT, for_access
from schleier.flow.run.earlier import entered, look_back
from schleier.flow.run.examine import examine
from schleier.flow.run.files import File, Files, released_as
from schleier.flow.run.frames import at_hand
from schleier.flow.run.knowledge import further, knowledge
from schleier.flow.run.measuring import Measured, measured, steady
from schleier.flow.run.populations import populations
from schleier.flow.run.reader import read
from schleier.flow.run.remake import Remade
from schleier.flow.run.sequence import After, Demand, Sequel, demand
from schleier.flow.run.states import State, states_of, unchanged
from schleier.flow.run.steps import take

if TYPE_CHECKING:
    from schleier.flow.recipe.recipe import Recipe

REPLAY = "replay"
"""Label of what a replay decides by itself: the key of other rows, and what it leaves out."""


@dataclass(frozen=True)
class RunOutcome:
    """Everything a run found, before it is written."""

    recipe: Recipe
    run: Run
    original: Dataset
    released: Dataset
    steps: tuple[Method, ...]
    """The fitted steps."""
    labels: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    findings: tuple[Measured, ...]
    attacks: tuple[Measured, ...]
    records: int
    fingerprint: str
    """Of the original rows."""
    key_from: str
    """Where the run key came from, as the audit tells it."""
    not_compared: Visible | None = None
    """What comparisons could not look at; none when nothing was compared."""
    sequel: Sequel | None = None
    """What was found about it and earlier releases, where that was asked for."""
    returning: Finding | None = None
    """What comes back through released columns, as everybody may read it."""
    beside: tuple[Caution, ...] = ()
    """What keeps it from being safe together with earlier releases."""


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
    register = Register(Path(listed)) if (listed := recipe.release.listed_in) is not None else None
    with Files() as files:
        before = states_of(recipe.data.files.values())
        outlook = check(recipe, header=source is None, files=files)
        refuse(outlook.problems)
        session.keys = keyring(recipe)
        recipe = _in_format(recipe, None if source is not None else files.file(recipe.data.file or ""))
        key_from = "new" if not key else "given" if key_of is None else "release"
        place = Path(out) if out is not None else None
        job = Job(recipe, source, session, outlook, files, before, key_from, key_of, wanted, register, place)
        if out is None:
            if recipe.release.table is not None:
                stop(RecipeError, "no-folder", "release.table", "a table is written together with a folder", "say out")
            folder = private_folder()
            try:
                return _release(job, folder, keep=False)
            finally:
                remove(folder)
        with (
            entered(register, Path(out)) as digest,
            release_table(recipe.release.table, recipe.data.file) as target,
            directory(Path(out), force=force, key=lambda: session.key) as partial,
        ):
            release = _release(job, partial, keep=True, target=target)
            digest.append(release.audit.digest)
        return replace(release, path=Path(out))


def _in_format(recipe: Recipe, file: File | None) -> Recipe:
    """The recipe with the format of the release said."""
    said = replace(
        recipe, release=recipe.release.model_copy(update={"format": recipe.release.format or released_as(file)})
    )
    vars(said)["outlook"] = recipe.outlook  # what lies ahead is the same, and was learned already
    return said


@dataclass(frozen=True)
class Job:
    """What a run begins with: a recipe that was checked, and what the check learned."""

    recipe: Recipe
    source: Any = field(repr=False)
    """Rows given in Python; nothing when the recipe names a file."""
    run: Run
    outlook: Outlook
    files: Files
    """The files that were looked at."""
    before: dict[Address, State]
    """The state of all files before the first look."""
    key_from: str
    key_of: str | None
    wanted: Demand | None = None
    """What it must meet together with earlier releases."""
    register: Register | None = None
    """Where releases of the same source are listed."""
    out: Path | None = None


def _release(job: Job, folder: Path, *, keep: bool, target: Target | None = None) -> Release:
    with _engine(job.recipe, folder) as engine, unchanged(job.before):
        return publish(_transform(job, engine), folder, keep=keep, target=target)


@contextmanager
def _engine(recipe: Recipe, folder: Path) -> Iterator[Engine]:
    """An engine whose staged and spilled rows lie inside the unfinished release and vanish with it."""
    work = folder / "work"
    work.mkdir(mode=0o700)
    resources = Resources(work, recipe.engine.memory_limit, recipe.engine.threads)
    engine = registry.get("engine", recipe.engine.name, "engine.name")(resources)
    try:
        yield engine
    finally:
        engine.close()
    work.rmdir()


def _transform(job: Job, engine: Engine) -> RunOutcome:
    recipe, session, files = job.recipe, job.run, job.files
    session.expect(*_parts(recipe))
    with session.progress("reading"):
        # Before the rows: what is wrong with them is said at once.
        people = populations(recipe, engine, files, job.outlook.tables)
        rows = _rows(job, engine)
        original, records = replace(rows, populations=people), rows.rows
        vars(original)["rows"] = records  # counted once
        if records == 0:
            stop(DataError, "no-rows", "data", "the file has no rows")
        content, key_from = _keyed(job, original)
    data, steps, labels = take(original, recipe.steps, session, again=job.key_of is not None)
    data = replace(canonical(data), populations=_canonical(data.populations))
    with session.progress("judging"):
        if recipe.steps and (recipe.measures or recipe.attacks):  # many will ask: the steps are taken once
            data = data.kept()
        verdicts = for_access(judge_all(data, recipe.criteria, original), recipe.release.access)
    _refuse_broken(verdicts)
    before = look_back(job, Remade(original, data), steps, labels, records)
    control = recipe.data.control
    known, truth = knowledge(recipe, engine, files)
    apart = read(control, recipe.schema, engine, files) if control else None
    case = Case(original, data, apart, steps, known, truth, {**further(recipe, data.schema, engine), **before.releases})
    open_file = recipe.release.access == "public"
    findings = measured(recipe.measures, case, session, "measuring", open_file=open_file)
    wanted = (*recipe.attacks, *before.attacks(recipe.attacks, records))
    attacks = steady(measured(wanted, case, session, "attacking", open_file=open_file))
    told = [one.public for one in findings if one.exact.name == WORD]  # or else it is measured in any case
    told = told or [one.public for one in measured(looking(case), case, session, "measuring", open_file=open_file)]
    compared = case.visible if "visible" in vars(case) else None
    return RunOutcome(
        recipe,
        session,
        original,
        data,
        steps,
        labels,
        verdicts,
        findings,
        attacks,
        records,
        content,
        key_from,
        compared,
        before.sequel,
        next(iter(told), None),
        tuple(before.cautions),
    )


def _parts(recipe: Recipe) -> list[str]:
    """What a run will do, as far as the recipe tells."""
    steps = [f"step {i + 1} of {len(recipe.steps)}" for i in range(len(recipe.steps))]
    measures = [f"measuring: {measure.word()}" for measure in recipe.measures]
    attacks = [f"attacking: {attack.word()}" for attack in recipe.attacks]
    again = [] if any(measure.word() == WORD for measure in recipe.measures) else [f"measuring: {WORD}"]
    return ["reading", *steps, "judging", *measures, *attacks, *again, "writing"]


def _keyed(job: Job, original: Dataset) -> tuple[str, str]:
    """The fingerprint of the rows, and where the key came from; a key that belongs to other rows is replaced first.

    Draws that are the same for two waves of one person would cancel out when the waves are subtracted.
    """
    content = fingerprint(original, job.run, exact=True)
    if job.key_of in (None, content):
        return content, job.key_from
    with job.run.within(REPLAY):
        job.run.key = job.run.subkey(content)
    return fingerprint(original, job.run, exact=True), "derived"


def _rows(job: Job, engine: Engine) -> Dataset:
    if job.source is None:
        return read(job.recipe.data.file or "", job.recipe.schema, engine, job.files)
    return Dataset.from_frame(job.source, job.recipe.schema, engine)


def _canonical(people: Mapping[str, Dataset]) -> dict[str, Dataset]:
    return {name: canonical(one) for name, one in people.items()}


def _refuse_broken(verdicts: tuple[Verdict, ...]) -> None:
    """A release that breaks a criterion is never written."""
    found = Problems()
    for i, verdict in enumerate(verdicts):
        if not verdict.holds:
            place, hint = f"criteria[{i}] ({verdict.criterion})", "coarsen more, suppress, or drop columns"
            if verdict.category_holds is False and not verdict.bad_classes:  # everybody is no reader for wildcards
                found.extend([Breach("wildcard-public", place, verdict.text, f"{HINT}; nothing was written", verdict)])
            else:
                found.extend([Breach("criterion-broken", place, verdict.text, f"{hint}; nothing was written", verdict)])
    found.raise_as(InfeasibleError)


@public
def verify(path: Any, recipe: Recipe) -> tuple[Verdict, ...]:
    """Whether an existing file, or a frame, meets the criteria of a recipe and is otherwise as its release would be.

    Columns and entries a release would not have, an empty file, and values that the rules of the recipe would still
    change are refused. Criteria that look at a population table need the fitted recipe of the release,
    ``restricted/transformation.toml``.
    """
    with at_hand(path) as place:
        return examine(place, recipe).verdicts
