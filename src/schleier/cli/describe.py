"""The command that guesses what the columns of a file are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from schleier.cli.drafting import File, Force, document, show, tell_files
from schleier.cli.shared import Json, Language, Quiet, app, language_of, print_json, with_exit_code


@app.command()
@with_exit_code
def describe(
    file: File,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the schema here, a recipe beside it.")] = None,
    sheet: Annotated[str, typer.Option("--sheet", help="Sheet of a workbook; else the first with content.")] = "",
    cells: Annotated[str, typer.Option("--range", help="Cells of the table in the sheet, such as B4:H200.")] = "",
    header: Annotated[
        int | None, typer.Option("--header", min=1, max=9, help="Rows of the sheet that name the columns.")
    ] = None,
    force: Force = False,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Guess what the columns of a file are, and draft a schema, hierarchies and a recipe."""
    from schleier.draft.describe import describe as drafted
    from schleier.draft.steps import Purpose
    from schleier.draft.writing import write_draft
    from schleier.progress import Watch
    from schleier.report.language import Words

    words = Words.of(language_of(lang))
    with Watch(words, quiet=quiet or as_json) as watch:
        purpose = Purpose.model_validate({"language": words.lang})
        draft = drafted(file, purpose, sheet=sheet, range=cells, header=header, listener=watch)
    written = write_draft(draft, out, out.parent / "recipe.toml", words.lang, force=force) if out else []
    if as_json:
        print_json({"ok": True, "files": [str(path) for path in written], **document(draft, words)})
    elif not quiet:
        show(draft, words)
        tell_files(written, words, draft)
