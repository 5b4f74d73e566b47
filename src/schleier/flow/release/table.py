"""A release that also goes into a table of a database: the table is confirmed when the folder stands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from schleier.core.address import Address
from schleier.core.errors import Problem, RecipeError, SchleierError, WriteError, stop
from schleier.core.format import Target
from schleier.flow.run.files import format_of


@contextmanager
def release_table(address: str | None, source: str | None = None) -> Iterator[Target | None]:
    """The table of a release, refused at once if it exists; confirmed when the block ends, gone when it fails.

    The block puts the folder in its place. So there is never a table without its folder; should the database
    not confirm the table at the very end, the folder stands and the error says so.
    """
    if address is None:
        yield None
        return
    place = Address.of(address)
    if source is not None and not place.variable and place.path.resolve() == Address.of(source).path.resolve():
        message = "the table would be written into the file that the original rows come from"
        stop(RecipeError, "same-file", "release.table", message, "choose another database")
    form = format_of(place)
    if not form.fills:
        stop(RecipeError, "no-tables", "release.table", f"a {form.name} file has no tables to write to")
    target = form.target(place.path, place.part)
    try:
        yield target
        _confirm(target, address)
    finally:
        target.close()


def _confirm(target: Target, address: str) -> None:
    try:
        target.commit()
    except SchleierError as error:
        first = error.problems[0]
        message = f"the folder of the release stands, but the database did not confirm the table: {first.message}"
        hint = "see whether it is there; if not, fill it from the released file"
        raise WriteError(Problem("table-not-confirmed", address, message, hint)) from None
