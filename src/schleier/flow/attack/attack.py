"""Attacks a finished release: with a file an attacker may hold, and with the truth where somebody has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier import __version__
from schleier.core import registry
from schleier.core.attack import Attack
from schleier.core.engine import Resources
from schleier.core.errors import DataError, Problem, RecipeError, stop
from schleier.core.failures import public
from schleier.core.measure import Measure
from schleier.core.run import Listener, Run, new_key, silence
from schleier.flow.attack.attempt import Attempt
from schleier.flow.attack.gathering import Gathering
from schleier.flow.attack.known import alike, refuse_other_codes
from schleier.flow.attack.scene import Given, describe, look_at, set_scene
from schleier.flow.attack.subject import Subject, is_same, subject_of
from schleier.flow.attack.techniques import looking_by, misfits, techniques_of
from schleier.flow.attack.trying import AUTO, try_all
from schleier.flow.release.release import Release
from schleier.flow.run.files import Files
from schleier.flow.run.frames import at_hand

if TYPE_CHECKING:
    from schleier.core.engine import Engine
    from schleier.core.schema import Schema

BESIDE = {"known": "the file of known persons", "original": "the original"}
"""Files that must be others than the release."""


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
        given = Given(
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


def _place(release: Any) -> Any:
    """A release in memory that was written is found in its folder."""
    if isinstance(release, Release):
        if release.path is None:
            message = "a release that was not written cannot be attacked later"
            stop(RecipeError, "not-a-release", "release", message, "run the recipe with out, or with [[attacks]] in it")
        return release.path
    return release


def _attempt(
    given: Given,
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
    named = found.part(lambda: techniques_of(techniques))
    wanted = looking_by(named or (), by)
    chosen_by = by if named == () or any(one.word() == AUTO for one in wanted) else ()  # no technique tells of them
    found.refuse(DataError, () if given.original is not None else _needing_original(wanted))
    subject: Subject | None = found.part(lambda: here(subject_of(given.release, schema)))
    look_at(given, subject, files, found)
    described = None
    if subject is not None:
        found.refuse(DataError, _needs_all(subject, given))
        found.refuse(RecipeError, misfits(wanted, subject.released))
        found.refuse(RecipeError, _unknown(chosen_by, subject.released))
        described = describe(given, subject, files, wanted, chosen_by, found)
    found.settle()
    assert subject is not None
    run.expect("reading", *(f"attacking: {one.word()}" for one in wanted))
    with run.progress("reading"):
        scene = set_scene(given, subject, described, engine, files, found)
        if scene is not None:
            case = scene.case
            found.part(lambda: refuse_other_codes(case, wanted, by, run))
        found.settle()
        assert scene is not None
    done = try_all(scene, wanted, by, run)
    known = scene.case.known
    return Attempt(
        schleier=__version__,
        release=subject.name,
        records=scene.case.released.rows,
        persons=known.rows if known is not None else None,
        columns=tuple(name for name in known.schema.names if name in subject.released) if known is not None else (),
        alike=alike(subject, files.head(given.known).kinds) if given.known is not None else {},
        judged_by=scene.judged_by,
        whole=subject.past is not None,
        tried=tuple(done.tried),
        left_out=tuple(done.left_out),
        automatic=not wanted,
        untold=subject.untold if known is not None else (),
        unused_pairs=scene.unused,
    )


def _asked(given: Given) -> Iterator[Problem]:
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


def _needs_all(subject: Subject, given: Given) -> Iterator[Problem]:
    same = [(where, whose) for where, whose in BESIDE.items() if is_same(subject, getattr(given, where))]
    for where, whose in same:
        message = f"{whose} is the same file as the release: nothing was anonymised in it"
        hint = (
            "name the file that was released; for an attacker who knows true values name the whole folder of the "
            "release, and its original (--original)"
        )
        yield Problem("nothing-anonymised", where, message, hint)
    if given.original is not None and subject.past is None and not same:
        message = "without its restricted part a release cannot be made once more, so its original says nothing"
        hint = (
            "name the whole folder; without it claims can be counted (leave --original out), and judged by a table of "
            "who is who (--pairs)"
        )
        yield Problem("incomplete-release", given.release, message, hint)


def _unknown(by: Sequence[str], released: Schema) -> Iterator[Problem]:
    """Columns to look by that the release lacks."""
    yield from (replace(released.unknown(name), where="by") for name in by if name not in released)
