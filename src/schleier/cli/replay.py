"""The command that does with other rows what a release did with its own, or says it in SQL."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from schleier.cli.releasing import release_json, tell_release
from schleier.cli.shared import (
    After,
    AfterK,
    Json,
    Language,
    Quiet,
    app,
    earlier,
    language_of,
    print_json,
    say,
    with_exit_code,
)


@app.command()
@with_exit_code
def replay(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="Folder of the release to repeat.")],
    source: Annotated[str | None, typer.Argument(metavar="FILE", help="The other rows: a file or an address.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder of the new release; file of the SQL.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing release.")] = False,
    engine: Annotated[str | None, typer.Option(help="duckdb or spark; overrides the recipe.")] = None,
    after: After = None,
    after_k: AfterK = None,
    sql: Annotated[str | None, typer.Option(help="Write a query instead: duckdb, postgres or spark.")] = None,
    table: Annotated[str, typer.Option(help="With --sql: the table of original rows.")] = "input",
    partial: Annotated[bool, typer.Option("--partial", help="With --sql: leave out what SQL cannot say.")] = False,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Anonymise other rows with the fitted steps of a release; --after judges them together with earlier releases."""
    from schleier.core.errors import RecipeError, stop

    if sql is not None:
        if source is not None:
            stop(RecipeError, "bad-option", "--sql", "a query needs no rows: leave the file out")
        if after:
            stop(RecipeError, "bad-option", "--after", "a query judges nothing: leave the option out")
        _query(release, sql, table, out, partial=partial, lang=lang, quiet=quiet, as_json=as_json)
    elif source is None or out is None:
        stop(RecipeError, "bad-option", "replay", "say which file to anonymise, and with --out where to")
    else:
        judged = _Judged(earlier(after), after_k)
        _replay(release, source, out, judged, force=force, engine=engine, lang=lang, quiet=quiet, as_json=as_json)


class _Judged(NamedTuple):
    """Earlier releases to judge the new one with."""

    after: dict[Path | str, str | None]
    k: int | None


def _replay(
    release: Path,
    source: str,
    out: Path,
    judged: _Judged,
    *,
    force: bool,
    engine: str | None,
    lang: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    from schleier.flow.release.past import Past
    from schleier.flow.replay import replay
    from schleier.progress import Watch
    from schleier.report.language import Words

    left_out = Past.of(release).left_out
    with Watch(Words.of(language_of(lang)), quiet=quiet or as_json) as watch:
        made = replay(
            release,
            source,
            out=out,
            force=force,
            engine=engine,
            listener=watch,
            after=judged.after,
            after_k=judged.k,
        )
    if as_json:
        print_json(release_json(made, out) | {"left_out": list(left_out)})
    elif not quiet:
        tell_release(made, out, Words.of(language_of(lang)), left_out)


def _query(
    release: Path,
    dialect: str,
    table: str,
    out: Path | None,
    *,
    partial: bool,
    lang: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    import sys

    from rich.markup import escape

    from schleier.core.errors import RecipeError, stop
    from schleier.flow.query import DIALECTS
    from schleier.flow.replay import sql, write_query
    from schleier.report.language import Words

    known = next((one for one in DIALECTS if one == dialect), None)
    if known is None:
        hint = f"there are: {', '.join(DIALECTS)}"
        stop(RecipeError, "unknown-dialect", "--sql", f"there is no dialect '{dialect}'", hint)
    query = sql(release, known, table=table, partial=partial)
    if out is not None:
        write_query(query, out)
    if as_json:
        print_json(
            {"ok": True, "left_out": query.left_out, "columns_left_out": query.columns_left_out}
            | ({"sql": query.text} if out is None else {"path": str(out)})
        )
        return
    if out is None:
        sys.stdout.write(query.text)
    if not quiet:
        words, aside = Words.of(language_of(lang)), out is None  # beside a query on the terminal
        if out is not None:
            say(words.plain("cli.wrote_query", file=escape(str(out))))
        for step in query.left_out:
            say("  " + words.plain("cli.not_in_sql", step=escape(step)), aside=aside)
        for column in query.columns_left_out:
            say("  " + words.plain("cli.not_returned", column=escape(column)), aside=aside)
