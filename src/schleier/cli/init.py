"""The guided dialogue that writes a first schema and recipe."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from schleier.cli.dialogue import typed_in
from schleier.cli.drafting import File, Force, show, tell_files
from schleier.cli.shared import Language, Quiet, app, language_of, say, with_exit_code
from schleier.core.errors import RecipeError, stop

if TYPE_CHECKING:
    from schleier.core.schema import Column
    from schleier.draft.describe import Draft
    from schleier.draft.steps import Purpose
    from schleier.report.language import Words


@dataclass(frozen=True)
class Dialogue:
    """Questions in one language; a silent one answers them all with their defaults."""

    words: Words
    silent: bool

    def ask(self, key: str, default: str = "", choices: Sequence[str] = (), **values: Any) -> str:
        """The answer to a question, asked again until it is one of the choices."""
        from rich.markup import escape

        if self.silent:
            return default
        say(f"[dim]{escape(self.words.plain(f'init.{key}_why', **values))}[/]")
        while True:
            try:
                question = self.words.plain(f"init.{key}", **values)
                answer = typed_in(question, default, shown=bool(default))
            except typer.Abort:
                stop(RecipeError, "dialogue-ended", "init", self.words.plain("init.ended"))
            if not choices or answer in choices:
                return answer
            say(escape(self.words.plain("init.not_among", choices=", ".join(choices))))

    def number(self, key: str, default: int) -> int:
        """A whole number from 2 on."""
        while True:
            answer = self.ask(key, str(default))
            if answer.isdecimal() and int(answer) >= 2:
                return int(answer)
            say(self.words.plain("init.not_a_number"))


@app.command()
@with_exit_code
def init(
    file: File,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for schema.toml and recipe.toml.")] = Path(),
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Take all defaults, ask nothing.")] = False,
    force: Force = False,
    lang: Language = None,
    quiet: Quiet = False,
) -> None:
    """Begin a release: a few questions, then a schema and a recipe to go on with."""
    from rich.markup import escape

    from schleier.draft.describe import describe
    from schleier.draft.writing import refuse_existing, write_draft
    from schleier.progress import Watch
    from schleier.report.language import Words

    words = Words.of(language_of(lang))
    schema, recipe = out / "schema.toml", out / "recipe.toml"
    if not force:
        refuse_existing([schema, recipe])
    dialogue = Dialogue(words, silent=yes)
    if not yes:
        say(escape(words.plain("init.welcome")))
    purpose = _purpose(dialogue, file)
    with Watch(words, quiet=quiet) as watch:
        draft = describe(file, purpose, listener=watch)
    if not quiet:
        say(escape(words.plain("init.columns")))
        show(draft, words)
    decided = [] if yes else _corrected(draft, dialogue)
    if decided:
        with Watch(words, quiet=quiet) as watch:
            draft = describe(file, purpose, decided=decided, listener=watch)
    written = write_draft(draft, schema, recipe, words.lang, force=force)
    if not quiet:
        tell_files(written, words, draft)


def _purpose(dialogue: Dialogue, file: str) -> Purpose:
    from schleier.core import registry
    from schleier.core.address import Address
    from schleier.draft.profile import Profile
    from schleier.draft.steps import Protection, Purpose
    from schleier.flow.run.files import Files, released_as

    profiles = Profile.for_access()
    about = {
        "title": dialogue.ask("title", Address.of(file).path.stem),
        "purpose": dialogue.ask("purpose"),
        "access": profiles[dialogue.ask("profile", next(iter(profiles)), list(profiles))],
        "protection": dialogue.ask("protection", "normal", get_args(Protection)),
        "language": dialogue.words.lang,
    }
    k = dialogue.number("k", Purpose.model_validate(about).smallest)
    formats = [name for name, form in registry.every("format").items() if form.writes]
    with Files() as files:
        usual = released_as(files.file(file))
    form = dialogue.ask("format", usual, formats, formats=", ".join(formats))
    return Purpose.model_validate(about | {"k": k, "format": form})


def _corrected(draft: Draft, dialogue: Dialogue) -> list[Column]:
    """The columns somebody knows better about."""
    from rich.markup import escape

    from schleier.core.schema import Role

    decided: dict[str, Column] = {}
    while name := dialogue.ask("column"):
        guess = next((guess for guess in draft.guesses if guess.column.name == name), None)
        if guess is None:
            say(escape(dialogue.words.plain("init.unknown_column", column=name)))
            continue
        role = dialogue.ask("role", guess.column.role, get_args(Role), column=name)
        judged = {"judged": "person", "judged_on": datetime.datetime.now(tz=datetime.UTC).astimezone().date()}
        decided[name] = guess.column.model_copy(update={"role": role} | (judged if role != "undecided" else {}))
    return list(decided.values())
