"""The commands on what was released: verify, digest, hand-over."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from schleier.cli.shared import Json, Language, Quiet, app, language_of, print_json, say, with_exit_code

if TYPE_CHECKING:
    from schleier.core.errors import SchleierError
    from schleier.flow.recipe.recipe import Recipe
    from schleier.flow.run.examine import Examination


@app.command()
@with_exit_code
def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to look at, or the folder of a release.")],
    recipe: Annotated[
        Path | None,
        typer.Option("--recipe", "-r", help="The recipe whose criteria it must meet; a release has its own."),
    ] = None,
    report: Annotated[Path | None, typer.Option(help="The report.json the file must agree with.")] = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="XML", help="Also write the checks as JUnit's XML.")
    ] = None,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> int:
    """Is a file what a recipe would release? Exit code 0 if so, 3 if a criterion is broken, 4 if it is another file."""
    from schleier.core.errors import SchleierError
    from schleier.flow.run.examine import examine_by

    if junit is not None:
        _refuse_inputs(junit, [path for path in (file, recipe, report) if path is not None])
    try:
        found, judged = examine_by(file, recipe, report)
    except SchleierError as error:
        if junit is not None:
            _write_refusal(error, file, recipe, junit, language_of(lang))
        raise
    if junit is not None:
        _write_checks(found, judged, file, junit, language_of(lang))
    holds = all(verdict.holds for verdict in found.verdicts)
    if as_json:
        print_json({"ok": holds, **_told(found)})
    elif not quiet:
        _tell(found, language_of(lang))
    return 0 if holds else 3


@app.command()
@with_exit_code
def digest(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A released file; ARCHIVE.zip::FILE for one that was handed over.")
    ],
    schema: Annotated[Path | None, typer.Option(help="Its schema; schema.toml beside it when absent.")] = None,
    lang: Language = None,
    as_json: Json = False,
) -> None:
    """Print the digest of a released file: the one in its report, whatever the format."""
    from schleier.flow.recipe.schema_file import schema_from_file
    from schleier.flow.run.beside import REPORT, SCHEMA, documents_beside
    from schleier.flow.run.examine import digest_of_file, report_from_file

    with documents_beside(file) as folder:
        described = schema or folder / SCHEMA
        report = described.with_name(REPORT)
        told = report_from_file(report) if report.is_file() else None
        found = digest_of_file(file, schema_from_file(described), told)
    if as_json:
        print_json({"ok": True, "digest": found.hexdigest(), "records": found.rows})
    else:
        sys.stdout.write(found.hexdigest() + "\n")


@app.command("hand-over")
@with_exit_code
def hand_over(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="Folder of a release.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The zip archive to write.")],
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Pack the public part of a release, and nothing else, into a zip archive."""
    from rich.markup import escape

    from schleier.flow.release.hand_over import hand_over as pack
    from schleier.flow.run.examine import report_from_file
    from schleier.report.html import tell_front
    from schleier.report.language import Words, plain

    names = pack(release, file, force=force)
    report = report_from_file(release / "public" / "report.json")
    if as_json:
        cautions = [one.code for one in report.cautions]
        print_json({"ok": True, "path": str(file), "files": list(names), "cautions": cautions})
    elif not quiet:
        words = Words.of(language_of(lang))
        say(words.plain("cli.packed", file=escape(str(file)), names=escape(", ".join(names))))
        front = tell_front(report, words)
        if front.mark != "good":
            colour = "red" if front.mark == "bad" else "yellow"
            said = words.plain("cli.packed_mind", headline=plain(front.headline))
            say(f"[{colour}]![/] {escape(said)}")


def _told(found: Examination) -> dict[str, Any]:
    return {
        "criteria": [verdict.model_dump(mode="json") for verdict in found.verdicts],
        "records": found.records,
        "not_compared": list(found.not_compared),
        "not_checked": list(found.not_checked),
    }


def _refuse_inputs(out: Path, given: list[Path]) -> None:
    """What is looked at is never written over, nor is anything put into the folder of a release."""
    from schleier.core.errors import RecipeError, stop

    place = out.resolve()
    if any(place.is_relative_to(one.resolve()) for one in given):
        message, hint = "this would write over what is looked at", "choose another name for the XML"
        stop(RecipeError, "bad-option", "--junit", message, hint)


def _write_checks(found: Examination, judged: Recipe, file: Path, out: Path, lang: str) -> None:
    from schleier.report.checks import found_checks, names_of, write_junit
    from schleier.report.language import Words

    write_junit(found_checks(found, names_of(judged.criteria), Words.of(lang)), file.name, out)


def _write_refusal(error: SchleierError, file: Path, recipe: Path | None, out: Path, lang: str) -> None:
    """The checks of a file that was refused, with those criteria that are known."""
    from contextlib import suppress

    from schleier.cli.problems import sentence
    from schleier.core.errors import SchleierError, WriteError
    from schleier.flow.recipe.recipe import Recipe
    from schleier.report.checks import names_of, refused_checks, write_junit
    from schleier.report.language import Words

    names: list[str] = []
    with suppress(SchleierError):
        names = names_of(Recipe.from_file(recipe).criteria) if recipe is not None else []
    checks = refused_checks(error, names, Words.of(lang), lambda one: sentence(one, lang))
    try:
        write_junit(checks, file.name, out)
    except WriteError as unwritten:  # beside the refusal, not in its place
        raise type(error)([*error.problems, *unwritten.problems]) from None


def _tell(found: Examination, lang: str) -> None:
    from rich.markup import escape

    from schleier.cli.releasing import verdict_word
    from schleier.report.language import Words
    from schleier.report.terminal import verdict_line

    words = Words.of(lang)
    for verdict in found.verdicts:
        said = escape(verdict_line(verdict, words))
        say(f"{verdict_word(verdict, words)} {escape(verdict.name or verdict.criterion)}: {said}")
    if found.not_checked:
        say(words.plain("cli.not_checked", steps=escape(", ".join(found.not_checked))))
    if found.not_compared:
        say(words.plain(f"cli.not_compared.{found.not_compared[0]}"))
