"""The command that advises what to do with data, from the answers to a few questions."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from schleier.cli.drafting import Described, Force, Population, Year
from schleier.cli.shared import Json, Language, Quiet, app, language_of, print_json, say, with_exit_code
from schleier.core.errors import RecipeError, SchleierError, stop
from schleier.core.interrupts import Interrupted, Left

if TYPE_CHECKING:
    from schleier.draft.advice.questions import Point
    from schleier.draft.advise import Advice, Look
    from schleier.report.language import Words

WRONG, INFEASIBLE = 2, 3
Spoken = Literal["en", "de"]


@app.command()
@with_exit_code
def advise(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="The file, or FILE::PART; none if nothing is collected yet.")
    ] = None,
    schema: Described = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the advised recipe here.")] = None,
    answers: Annotated[
        Path | None,
        typer.Option("--answers", "-a", help="Answers in a TOML file, or in a recipe; only what is missing is asked."),
    ] = None,
    keep: Annotated[Path | None, typer.Option("--keep", help="Also write the answers here, for --answers.")] = None,
    population: Population = None,
    year: Year = None,
    force: Force = False,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> int:
    """Ask a few questions and advise: what to do, by which profile and parameters, why, and what it costs."""
    from schleier.cli.advising import document, show, tell
    from schleier.cli.dialogue import ask, keep_begun, somebody_there
    from schleier.draft.advice.questions import asked
    from schleier.draft.advice.rules import points
    from schleier.draft.advise import advise as advised
    from schleier.draft.advise import answers_from, look_at
    from schleier.draft.writing import refuse_existing
    from schleier.progress import Watch
    from schleier.report.language import Words

    words = Words.of(language_of(lang))
    spoken: Spoken = "de" if words.lang == "de" else "en"
    if not force:
        refuse_existing([path for path in (out, keep) if path is not None])
    if as_json and answers is None:
        message, hint = "with --json nobody can be asked", "give a file of answers with --answers"
        stop(RecipeError, "advice-ended", "--answers", message, hint)
    given = answers_from(answers) if answers is not None else {}
    unfinished = any(one.key not in given for one in asked(given)) and somebody_there()
    silent = as_json or (answers is not None and not unfinished)
    look = None
    if file is not None:
        with Watch(words, quiet=quiet or as_json) as watch:
            look = look_at(file, schema, language=spoken, listener=watch)
    if silent and not as_json and (wrong := points(given, look.found if look else {"found_file": "no"})):
        _say_open(wrong, look, words)
        return WRONG
    try:
        if not silent:
            ask(look, words, given)
        with Watch(words, quiet=quiet or as_json) as watch:
            advice = advised(
                file,
                given,
                schema=schema,
                population=population,
                language=spoken,
                year=year,
                look=look,
                listener=watch,
            )
        if not as_json and not (quiet and advice.reached):
            show(advice, words)
        if not silent and out is None and keep is None:
            out, keep = _places(advice, words)
    except (KeyboardInterrupt, SchleierError) as error:
        if silent:
            raise
        # nobody should have to answer all of it again
        options = {"--schema": schema, "--out": out, "--population": population, "--year": year, "--lang": lang}
        typed = [str(word) for pair in options.items() if pair[1] is not None for word in pair]
        kept = keep_begun(given, keep, ["schleier", "advise", *([file] if file else []), *typed], words)
        if kept and isinstance(error, KeyboardInterrupt):
            raise Left(error.number if isinstance(error, Interrupted) else signal.SIGINT) from None
        raise
    written = _written(advice, out, keep, force=force)
    code = 0 if advice.reached else INFEASIBLE
    if as_json:
        print_json(
            {"ok": advice.reached, "exit_code": code, "files": [str(path) for path in written], **document(advice)}
        )
    elif not (quiet and advice.reached):
        tell(advice, out if out in written else None, keep, words)
    return code


def _places(advice: Advice, words: Words) -> tuple[Path | None, Path | None]:
    """Where somebody wants to have the recipe, or the answers where there is none."""
    from schleier.cli.dialogue import ask_place, free_place

    if advice.suggestion is not None and advice.reached:
        return ask_place("advise.place", "recipe.toml", words), None
    return None, ask_place("advise.place_answers", str(free_place()), words)


def _written(advice: Advice, out: Path | None, keep: Path | None, *, force: bool) -> list[Path]:
    from schleier.draft.text import toml_lines, write_draft_file

    written = advice.write(out, force=force) if out is not None else []
    if keep is not None:
        write_draft_file(keep, toml_lines(advice.answers), private=True)  # a person wrote parts of it
        written.append(keep)
    return written


def _say_open(wrong: list[Point], look: Look | None, words: Words) -> None:
    """Everything that keeps the advice from being given, in the reader's language."""
    from rich.markup import escape

    from schleier.cli.problems import way_out

    say("[red]" + escape(words.plain("advise.no_advice", n=len(wrong))) + "[/]", aside=True)
    for one in wrong:
        place = one.problem.where.removeprefix("answers.") if one.problem.where != "answers" else ", ".join(one.keys)
        say(f"- [bold]{escape(place)}[/]: {escape(one.text[words.lang])}", aside=True)
        if one.problem.hint and "contradiction" not in one.problem.code:
            say(f"  [dim]{escape(way_out(one.problem, words.lang))}[/]", aside=True)
    if look is not None and look.special and any("special" in one.keys for one in wrong):
        say("  " + escape(words.plain("advise.special", columns=", ".join(look.special))), aside=True)
