"""The command that attacks a finished release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from schleier.cli.shared import Json, Language, Quiet, app, key_of, language_of, print_json, say, with_exit_code

if TYPE_CHECKING:
    from schleier.flow.attack.attempt import Attempt

COLOURS = {"bad": "red", "mind": "yellow", "good": "green"}


@app.command()
@with_exit_code
def attack(
    release: Annotated[str, typer.Argument(metavar="RELEASE", help="Folder of a release, or a file with --schema.")],
    known: Annotated[
        str | None,
        typer.Option("--known", help="The file of persons that the attacker holds."),
    ] = None,
    technique: Annotated[
        list[str] | None,
        typer.Option(
            "--technique",
            "-t",
            help="An attack: NAME or NAME:PARAMETER=VALUE,...; may be given several times. All that fit if left out.",
        ),
    ] = None,
    techniques: Annotated[
        Path | None, typer.Option("--techniques", help="A TOML file with attacks, as in a recipe.")
    ] = None,
    original: Annotated[
        str | None, typer.Option("--original", help="The rows the release was made from, to judge the claims by.")
    ] = None,
    pairs: Annotated[
        str | None,
        typer.Option(
            "--pairs", help="Who is who, a file with two columns: a record of the release and an entry of --known."
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option("--by", help="A column by which persons are looked for; may be given several times."),
    ] = None,
    schema: Annotated[
        Path | None, typer.Option("--schema", "-s", help="The schema of a released file that has none beside it.")
    ] = None,
    key_file: Annotated[Path | None, typer.Option(help="File with a key: the same key draws the same persons.")] = None,
    public: Annotated[bool, typer.Option("--public", help="Leave out exact counts, which are confidential.")] = False,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Attack a finished release with a file of known persons, and let a trustee count who was found."""
    from schleier.flow.attack.attack import attack as attacked
    from schleier.flow.attack.techniques import techniques_from_file
    from schleier.progress import Watch
    from schleier.report.attempt import in_words
    from schleier.report.language import Words

    words = Words.of(language_of(lang))
    wanted = [*(techniques_from_file(techniques) if techniques is not None else ()), *(technique or ())]
    key = key_of(key_file)
    with Watch(words, quiet=quiet or as_json) as watch:
        found = attacked(
            release,
            known,
            wanted,
            original=original,
            pairs=pairs,
            by=by or (),
            schema=schema,
            key=key,
            public=public,
            listener=watch,
        )
    if as_json:
        told = in_words(found, words) if lang is not None and words.lang != "en" else found  # not by the surroundings
        print_json({"ok": True, "attempt": told.model_dump(mode="json")})
    elif not quiet:
        _show(found, lang)


def _show(found: Attempt, lang: str | None) -> None:
    from rich.markup import escape

    from schleier.cli.problems import reason
    from schleier.report.attempt import tell_attempt
    from schleier.report.language import Words, plain

    language = language_of(lang)
    told = tell_attempt(found, Words.of(language), lambda problem: reason(problem, language))
    say(f"[bold]{escape(plain(told.title))}[/]")
    for sentence in told.scene:
        say(f"  {escape(plain(sentence))}")
    for one in told.techniques:
        say(f"\n[bold {COLOURS[one.mark]}]{escape(plain(one.title))}[/]")
        for sentence in one.said:
            say(f"  {escape(plain(sentence))}")
    if told.notes:
        say("")
    for sentence in told.notes:
        say(f"[yellow]![/] {escape(plain(sentence))}")
