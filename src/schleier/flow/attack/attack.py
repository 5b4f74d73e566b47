"""Attacks a finished release: with a file an attacker may hold, and with the truth where somebody has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier import __version__
from schleier.core import registry
from schleier.core.attack import Attack
from schleier.core.engine import Resources
from schleier.core.errors import DataError, Problem, RecipeError, stop
from schleier.core.failures import public
from schleier.core.measure import Case, Measure
from schleier.core.pieces import made, piece
from schleier.core.run import Listener, Run, new_key, silence
from schleier.core.trust.coarse import hide_presence
from schleier.flow.attack.attempt import Attempt, Judge, Tried
from schleier.flow.attack.gathering import Gathering
from schleier.flow.attack.known import known_schema, read_known, refuse_other_codes
from schleier.flow.attack.subject import Subject, subject_of
from schleier.flow.attack.techniques import fitted, fitting, looking_by, misfits, techniques_of
from schleier.flow.attack.truth import Pairs, linked, nobody, pairs_of, same_key
from schleier.flow.release.release import Release
from schleier.flow.run.files import Files
from schleier.flow.run.frames import at_hand
from schleier.flow.run.measuring import Measured, measured, steady
from schleier.flow.run.remake import relink

if TYPE_CHECKING:
    from schleier.core.engine import Engine
    from schleier.core.schema import Schema

EVERY = "every_fitting_attack"
AUTO = str(piece(EVERY)["attack"])
"""Stands for all attacks that fit."""


@public
def attack(
    release: Release | Path | str,
    known: Any = None,
    techniques: Any = (),
    *,
    original: Any = None,
    pairs: Any = None,
    by: Sequence[str] = (),
    schema: Any = None,
    key: bytes | None = None,
    public: bool = False,
    listener: Listener = silence,
) -> Attempt:
    """Try techniques on a finished release, as somebody who holds the file ``known``; what came of it, in counts.

    ``techniques`` are attacks, entries such as ``{"attack": "exact_match"}``, or texts such as
    ``"distance_match:within=2"``; without them all that fit are tried. ``by`` names the columns persons are looked for
    by, for techniques that do not say it.

    Who is who is told by the ``original``, from which the release is made once more; the attacker's file then has its
    row key, or ``pairs`` says which entry is which. Or it is told by ``pairs`` alone: a Parquet file or a frame with
    the number of the record in the released file (``record``, from 1 on) or a column of it, and a column of ``known``.
    Without either, claims are counted and nobody judges them. With the ``original`` and no file the attacker knows
    true values.

    A release is a folder, its public part, or a file with its ``schema``. The same ``key`` draws the same targets.
    With ``public`` exact counts are left out, and it is no error when nobody of the file took part: that would tell.
    """
    with ExitStack() as open_files:
        here = open_files.enter_context
        given = _Given(
            release=here(at_hand(_place(release))),
            known=None if known is None else here(at_hand(known)),
            original=None if original is None else here(at_hand(original)),
            pairs=None if pairs is None else here(at_hand(pairs)),
            silent=public,
        )
        run = Run(key or new_key(), listener=listener)
        engine = here(closing(registry.get("engine", "duckdb")(Resources())))
        files = here(Files(engine.work))
        found = _attempt(given, techniques, tuple(by), schema, run, engine, files, here)
        return found.public() if public else found


@dataclass(frozen=True)
class _Given:
    """The files that were named, or lie in a private place."""

    release: str
    known: str | None
    original: str | None
    pairs: str | None
    silent: bool
    """Whether it stays unsaid that nobody of the file took part."""


@dataclass(frozen=True)
class _Scene:
    """A release and what is known about it, side by side."""

    case: Case
    subject: Subject
    judged_by: Judge
    unused: int | None = None


def _place(release: Any) -> Any:
    """A release in memory that was written is found in its folder."""
    if isinstance(release, Release):
        if release.path is None:
            message = "a release that was not written cannot be attacked later"
            stop(RecipeError, "not-a-release", "release", message, "run the recipe with out, or with [[attacks]] in it")
        return release.path
    return release


def _attempt(
    given: _Given,
    techniques: Any,
    by: tuple[str, ...],
    schema: Any,
    run: Run,
    engine: Engine,
    files: Files,
    here: Callable[[Any], Any],
) -> Attempt:
    found = Gathering()
    found.refuse(RecipeError, _asked(given))
    wanted = looking_by(found.part(lambda: techniques_of(techniques)) or (), by)
    found.refuse(DataError, () if given.original is not None else _needing_original(wanted))
    subject: Subject | None = found.part(lambda: here(subject_of(given.release, schema)))
    if subject is not None:
        found.refuse(DataError, _needs_all(subject, given))
        found.refuse(RecipeError, misfits(wanted, subject.released))
    described = found.part(lambda: _described(given, subject, engine, files, wanted)) if subject else None
    found.settle()
    assert subject is not None
    run.expect("reading", *(f"attacking: {one.word()}" for one in wanted))
    with run.progress("reading"):
        scene = _set(given, subject, described, engine, files, found)
        found.settle()
        assert scene is not None
        found.part(lambda: refuse_other_codes(scene.case, wanted, by, run))
        found.settle()
    tried = _tried(scene, wanted, by, run, found)
    found.settle()
    known = scene.case.known
    return Attempt(
        schleier=__version__,
        release=subject.name,
        records=scene.case.released.rows,
        persons=known.rows if known is not None else None,
        columns=tuple(name for name in known.schema.names if name in subject.released) if known is not None else (),
        judged_by=scene.judged_by,
        whole=subject.past is not None,
        tried=tuple(tried),
        automatic=not wanted,
        untold=subject.untold if known is not None else (),
        unused_pairs=scene.unused,
    )


def _asked(given: _Given) -> Iterator[Problem]:
    if given.known is None and given.original is None:
        hint = "name a file of persons (--known), or the original, for somebody who knows its values (--original)"
        yield Problem("no-knowledge", "known", "nobody said what the attacker knows", hint)
    if given.pairs is not None and given.known is None:
        hint = "name the file of known persons (--known), or leave the table out"
        yield Problem("no-knowledge", "pairs", "a table of who is who goes with a file of known persons", hint)


def _needing_original(wanted: Sequence[Measure]) -> Iterator[Problem]:
    """Techniques that are tried on persons who took part, and know their true values."""
    for i, one in enumerate(wanted):
        exact = not isinstance(one, Attack) or ("knowledge" in one.model_fields_set and one.knowledge == "exact")
        if exact and one.word() != AUTO:
            message = f"'{one.word()}' is tried on persons who took part, so it needs the original"
            hint = "name the original (--original), or leave the technique out"
            yield Problem("needs-original", f"techniques[{i}]", message, hint)


def _needs_all(subject: Subject, given: _Given) -> Iterator[Problem]:
    if given.original is not None and subject.past is None:
        message = "without its restricted part a release cannot be made once more, so its original says nothing"
        hint = (
            "name the whole folder; without it claims can be counted (leave --original out), and judged by a table of "
            "who is who (--pairs)"
        )
        yield Problem("incomplete-release", given.release, message, hint)


def _described(
    given: _Given, subject: Subject, engine: Engine, files: Files, wanted: Sequence[Measure]
) -> tuple[Schema, Pairs | None] | None:
    """What the attacker's file is, and the table of who is who; before a row is read."""
    if given.known is None or (given.original is not None and subject.past is None):
        return None
    path, key = given.known, subject.before.row_key if given.original is not None else None
    held = tuple(files.head(path).kinds)
    pairs = None if given.pairs is None else pairs_of(given.pairs, subject, engine, key, held)
    if given.original is not None and given.pairs is None and (key is None or key not in held):
        message = "the file of known persons does not say who is who: it has no row key of the original"
        hint = "name a table with the row key of the original and a key of that file (--pairs)"
        stop(DataError, "bad-pairs", "pairs", message, hint)
    entry = pairs.known if pairs is not None else key
    return known_schema(subject, path, files, entry, wanted), pairs


def _set(
    given: _Given,
    subject: Subject,
    described: tuple[Schema, Pairs | None] | None,
    engine: Engine,
    files: Files,
    found: Gathering,
) -> _Scene | None:
    """Read everything, and link it where there is a truth."""
    schema, pairs = described or (None, None)
    path = given.known
    known = None
    if path is not None and schema is not None:
        known = found.part(lambda: read_known(path, schema, engine, files))
    if given.original is not None and subject.past is not None:
        past, place = subject.past, given.original
        again = found.part(lambda: relink(past, place, engine))
        if again is None or (known is None and path is not None):
            return None
        original, released = again.original, again.released
        truth, unused = None, None
        if known is not None:
            truth, unused = same_key(original), None
            if pairs is not None:
                truth, unused = linked(pairs, original, known, silent=given.silent)
        case = Case(original, released, None, past.recipe.steps, known, truth, silent=given.silent)
        return _Scene(case, subject, "original", unused)
    rows = found.part(lambda: subject.rows(engine))
    if rows is None or known is None:
        return None
    truth, unused = (nobody(engine), None) if pairs is None else linked(pairs, rows, known, silent=given.silent)
    judge: Judge = "nobody" if pairs is None else "pairs"
    case = Case(known, rows, None, subject.steps, known, truth, silent=given.silent)
    return _Scene(case, subject, judge, unused)


def _tried(scene: _Scene, wanted: Sequence[Measure], by: tuple[str, ...], run: Run, found: Gathering) -> list[Tried]:
    """Every technique that can be tried here; what is wrong with some of them is said at once."""
    case, tried = scene.case, list[tuple[Tried, Measured | None]]()
    for entry in wanted or [made(EVERY)]:
        for one in fitted(looking_by(_parts(entry, scene, run), by), case):
            told = found.part(partial(_try, scene, one, run))
            tried += [told] if told is not None else []
    found.settle()
    if not tried:
        message, hint = "no technique fits this release and this file", "name one (--technique), or more columns (--by)"
        stop(DataError, "no-attack-fits", "techniques", message, hint)
    judged = iter(steady([told for _, told in tried if told is not None]))
    return [one if told is None else one.model_copy(update={"public": next(judged).public}) for one, told in tried]


def _parts(entry: Measure, scene: _Scene, run: Run) -> Sequence[Measure]:
    """What is tried in place of an entry; to choose all attacks that fit one must see the original."""
    if entry.word() == AUTO and scene.judged_by != "original":
        return tuple(fitting(scene.case, scene.subject.before))
    with run.within(entry.label(scene.case.released.schema)):
        return entry.parts(scene.case, run)


def _try(scene: _Scene, one: Measure, run: Run) -> tuple[Tried, Measured | None]:
    case, parameters = scene.case, one.parameters(public=True)
    if isinstance(one, Attack) and _nobody_can_judge(scene.judged_by, one):
        with run.within(one.label(case.released.schema)), run.progress(f"attacking: {one.word()}"):
            targets, claims = one.unjudged(case, run)
        return Tried(attack=one.word(), parameters=parameters, targets=targets, claims=claims), None
    open_file = scene.subject.open_file
    hide = partial(hide_presence, asked=_asked_about(one, case))
    (told,) = measured((one,), case, run, "attacking", open_file=open_file, hide=hide)
    return Tried(attack=one.word(), parameters=parameters, exact=told.exact), told


def _asked_about(one: Measure, case: Case) -> int | None:
    """Of how many entries of the file something is asked, whoever took part."""
    wanted = getattr(one, "targets", None)
    return wanted if isinstance(wanted, int) or case.known is None else case.known.rows


def _nobody_can_judge(judge: Judge, one: Attack) -> bool:
    return judge == "nobody" or (judge == "pairs" and not one.judged_by_pairs())
