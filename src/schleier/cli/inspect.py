"""The command that measures the risk of a file as it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from schleier.cli.shared import Json, Language, Quiet, app, language_of, print_json, say, table, with_exit_code
from schleier.core.system import as_typed

if TYPE_CHECKING:
    from schleier.report.inspection.text import Text

COLOURS = {"bad": "red", "mind": "yellow", "good": "green"}
SCHEMA = "schema.toml"


@app.command()
@with_exit_code
def inspect(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to look at.")],
    schema: Annotated[
        Path | None, typer.Option("--schema", "-s", help="Its schema or recipe; schema.toml beside it if left out.")
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Also write a page for people: a file .html.")] = None,
    measure: Annotated[
        list[str] | None, typer.Option("--measure", "-m", help="A further measure of risk; may be given several times.")
    ] = None,
    fraction: Annotated[
        float | None, typer.Option("--fraction", help="Part of the population that the file holds, for such measures.")
    ] = None,
    population: Annotated[
        int | None, typer.Option("--population", help="Persons in the population, in place of --fraction.")
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option("--records", help="Also write the risk of each record: a file .parquet, confidential."),
    ] = None,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Tell the risk of a file as it is: who stands alone, on which columns, and which changes would help most."""
    from rich.markup import escape

    from schleier.flow.inspect.inspect import inspect as looked
    from schleier.progress import Watch
    from schleier.report.inspection.page import write_page
    from schleier.report.inspection.text import text
    from schleier.report.language import Words

    lang = language_of(lang)
    words = Words.of(lang)  # a language that does not exist is said before a long look
    described = schema or _beside(file)
    with Watch(words, quiet=quiet or as_json) as watch:
        found = looked(
            file,
            described,
            measures=measure or (),
            fraction=fraction,
            population=population,
            records=records,
            listener=watch,
        )
    if html is not None:
        write_page(found, lang, html)
    if as_json:
        print_json({"ok": True, "inspection": found.model_dump(mode="json")})
    elif not quiet:
        _show(text(found, lang))
        if html is not None:
            say(f"\n[green]→[/] {escape(str(html))}")
        if records is not None:
            say("\n" + words.plain("cli.records_written", file=escape(str(records))))


def _beside(file: str) -> Path:
    """The schema in the folder of the file, or an error that says how to get one."""
    from schleier.core.address import Address
    from schleier.core.errors import SchemaError, stop

    address = Address.of(file)
    beside = address.path.with_name(SCHEMA)
    if address.variable or not beside.is_file():
        line = as_typed("schleier", "describe", file, "-o", SCHEMA if address.variable else str(beside))
        hint = f"write one with `{line}`, or name it with --schema"
        stop(SchemaError, "no-schema", "--schema", f"there is no {SCHEMA} beside the file", hint)
    return beside


def _show(shown: Text) -> None:
    from rich.markup import escape

    say(f"[bold {COLOURS[shown.mark]}]{escape(shown.headline)}[/]\n")
    for mark, sentence in shown.said:
        say(f"{mark} {escape(sentence)}")
    if shown.rows:
        say("")
        table(shown.head, shown.rows)
    say(f"\n[bold]{escape(shown.next_title)}[/]")
    for i, sentence in enumerate(shown.next, 1):
        say(f"{i}. {escape(sentence)}")
    if shown.recipe:
        say(f"\n[bold]{escape(shown.recipe_title)}[/]\n[dim]{escape(shown.recipe.strip())}[/]")
