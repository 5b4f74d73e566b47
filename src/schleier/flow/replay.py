"""Does with other rows what a release did with its own: the fitted steps, the criteria judged again, fresh draws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from schleier.core.atomic import whole_file
from schleier.core.failures import public
from schleier.core.run import Listener, Note, silence
from schleier.flow.query import Dialect, Query, query
from schleier.flow.release.past import Past
from schleier.flow.release.release import Release
from schleier.flow.run.runner import REPLAY, run
from schleier.flow.run.sequence import After


@public
def replay(
    release: Path | str,
    source: Any,
    *,
    out: Path | str | None = None,
    force: bool = False,
    engine: str | None = None,
    listener: Listener = silence,
    after: After = (),
    after_k: int | None = None,
) -> Release:
    """Anonymise other rows (a file, an address or a frame) with the fitted steps of a release.

    The rows of the release itself give the same release once more. For others everything random is drawn anew, with a
    key that follows from the run key and from all of these rows: otherwise what is the same in both releases (noise,
    numbers of units, order) would tell which records belong together, and cancel out.

    The criteria are judged and the measures taken on the new rows. What was about the old rows only is left
    out, which the audit notes: files of control and of known persons, attacks with them or with further releases,
    the table of a database. ``after`` and ``after_k``: see ``Recipe.run``.
    """
    past = Past.of(release)
    return run(
        past.recipe,
        source,
        out=out,
        key=past.key,
        force=force,
        engine=engine,
        listener=listener,
        notes=[Note("restricted", REPLAY, {"left_out": what}) for what in past.left_out],
        key_of=past.audit.source_fingerprint,
        after=after,
        after_k=after_k,
    )


def sql(release: Path | str, dialect: Dialect = "duckdb", *, table: str = "input", partial: bool = False) -> Query:
    """The fitted steps of a release as one query over a table with the columns of the original."""
    past = Past.of(release)
    return query(past.recipe.schema, past.recipe.steps, past.audit.types, dialect=dialect, table=table, partial=partial)


def write_query(query: Query, path: Path) -> None:
    """Write a query to a file that only its owner can read, as a whole or not at all."""
    with whole_file(path, private=True) as place:
        place.write_text(query.text, encoding="utf-8", newline="\n")
