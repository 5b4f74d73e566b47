"""Looks at a file nobody described, guesses what its columns are, and tries the guess on the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from schleier.core import registry
from schleier.core.address import at_sheet
from schleier.core.component import listed
from schleier.core.data import Dataset
from schleier.core.engine import Engine, Resources
from schleier.core.errors import DataError, stop
from schleier.core.failures import public
from schleier.core.format import Asked, Remark
from schleier.core.hierarchy import Hierarchy
from schleier.core.limits import COLUMNS, most_columns, refuse_size
from schleier.core.normal import alike, refuse_reserved
from schleier.core.pieces import purpose_of
from schleier.core.run import Listener, Run, new_key, silence
from schleier.core.schema import Column, Layout, Scale, Schema
from schleier.draft.as_read import asked_for, numbered, other_format
from schleier.draft.dependence import akin
from schleier.draft.facts import Facts, gather_facts
from schleier.draft.groups import exclusive_groups, like_the_others
from schleier.draft.heading import refuse_values_as_names
from schleier.draft.hierarchies import hierarchy_of
from schleier.draft.ready import ReadyDraft
from schleier.draft.reread import reread
from schleier.draft.roles import ColumnGuess, guess_all
from schleier.draft.steps import Purpose, classes_of, recipe_of
from schleier.draft.values import is_flag
from schleier.draft.why import Why
from schleier.flow.redundant import Redundant, redundant_keys
from schleier.flow.returning import WIDE, Returning, foresee
from schleier.flow.run.files import Files, released_as
from schleier.flow.run.frames import at_hand, is_named
from schleier.flow.run.reader import read

PLACES = ("place", "postcode", "region_code")
OTHER = {"en": "other", "de": "andere"}


@dataclass(frozen=True)
class Draft(ReadyDraft):
    """What was found out about a file: a schema with the reason for each guess, and a recipe to begin with."""

    file: str
    """Its name; empty when rows were given in Python."""
    records: int
    schema: Schema
    guesses: tuple[ColumnGuess, ...] = field(repr=False)
    """One for each column of the file, the row key among them."""
    alone: float | None
    """Share of the records that are unique on the guessed quasi-identifiers; where a column names units, of those that
    look like no record of another unit."""
    recipe: dict[str, Any] = field(repr=False)
    returning: tuple[Returning, ...] = ()
    """What names people or is known outside, and would come back through columns that stay."""
    left_out: tuple[str, ...] = ()
    """Columns of a kind that cannot be read, such as lists."""
    redundant: tuple[Redundant, ...] = ()
    """Keys that can be computed from other keys; the recipe leaves them out."""
    remarks: tuple[Remark, ...] = ()
    """How the file was read, where that is not as it stands there."""

    @property
    def units_left_out(self) -> tuple[str, ...]:
        """Columns of units that the drafted recipe leaves out, because too few units are alike as a whole."""
        gone = any(purpose_of(step) == "leave_units" for step in self.recipe.get("steps", ()))
        return self.schema.having("unit") if gone else ()

    @property
    def leaves_nothing(self) -> bool:
        """Whether the recipe leaves out every column until somebody judges one that is undecided."""
        return bool(self.schema.undecided) and {c.role for c in self.schema} <= {"undecided", "identifier"}

    def guess(self, name: str) -> ColumnGuess:
        """The guess for a column."""
        return next(guess for guess in self.guesses if guess.column.name == name)

    def _repr_html_(self) -> str:
        from schleier.draft.cards import show_draft

        return show_draft(self)


@public
def describe(
    file: Any,
    purpose: Purpose = Purpose(),  # noqa: B008  # frozen
    *,
    decided: Sequence[Column] = (),
    sheet: str = "",
    range: str = "",
    header: int | None = None,
    listener: Listener = silence,
) -> Draft:
    """A draft for a file, or a frame of pandas, Polars or Arrow; columns that were ``decided`` are taken as they are.

    Of a workbook ``sheet`` names the sheet, ``range`` the cells of the table ("B4:H200"), and ``header`` says how many
    rows name the columns; what is not said is found out, and told in the draft.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("name,age\\nAda,34\\nBen,36\\nCleo,31\\n")
    >>> [(column.name, column.role) for column in describe(path).schema]
    [('name', 'identifier'), ('age', 'quasi')]
    """
    with at_hand(file) as place:
        draft = _described(at_sheet(place, sheet), asked_for(range, header), purpose, decided, listener)
    return draft if is_named(file) else replace(draft, file="")


def _described(file: str, asked: Asked, purpose: Purpose, decided: Sequence[Column], listener: Listener) -> Draft:
    run = Run(new_key(), (), listener)
    engine = registry.get("engine", "duckdb")(Resources())
    files = Files(engine.work, again=True)
    try:
        run.expect("looking", "trying the guess", "drafting a recipe")
        with run.progress("looking"):
            files.ask(file, asked)
            kinds, layout = dict(files.head(file).kinds), files.head(file).layout
            refuse_size(DataError, file, "the columns of the file are", len(kinds), most_columns(), COLUMNS)
            entries = files.dictionary(file)
            unread, raw = _as_it_stands(file, kinds, layout, engine, files)
            if not raw.rows:
                stop(DataError, "no-rows", file, "the file has no rows", "there is nothing to describe")
            facts = gather_facts(raw, kinds, entries)
            refuse_values_as_names(facts, file)
            given = files.file(file)
            remarks = (*files.remarks(file, layout), *other_format(given))
            purpose = purpose.model_copy(update={"format": purpose.format or released_as(given)})
            guesses = numbered(_akin(raw, guess_all(facts, layout)), remarks)
        with run.progress("trying the guess"):
            guesses = _decided(guesses, decided)
            data, guesses = _tried(file, guesses, unread, purpose, engine, files)
        with run.progress("drafting a recipe"):
            known = set(unread.names)
            left_out = tuple(name for name in kinds if name not in known)
            back = foresee(raw.described(data.schema), run)
            drafted = _drafted(file, data, [_giving_back(guess, back) for guess in guesses], purpose)
            return replace(drafted, left_out=left_out, returning=back, remarks=remarks)
    finally:
        engine.close()


def _as_it_stands(
    file: str, kinds: dict[str, str], layout: Layout | None, engine: Engine, files: Files
) -> tuple[Schema, Dataset]:
    """The rows before anybody described them.

    A package shows 1.5 as 2 where it was told to: what is not whole becomes a number in ``kinds``.
    """
    while True:
        unread = _unread(kinds, layout)
        try:
            return unread, read(file, unread, engine, files)
        except DataError as error:
            broken = [p.message for p in error.problems if p.code == "not-whole"]
            whole = [name for name, kind in kinds.items() if kind == "integer"]
            names = [name for name in whole if any(f"'{name}'" in message for message in broken)]
            if not names:
                raise
            kinds |= dict.fromkeys(names, "number")


def _akin(raw: Dataset, guesses: list[ColumnGuess]) -> list[ColumnGuess]:
    """Columns nobody knows that say the same as a key, or belong to a group of flags with one in it, are keys."""
    roles = {guess.column.name: guess.column.role for guess in guesses}
    keys = [name for name, role in roles.items() if role == "quasi"]
    figures = [
        guess.column.name for guess in guesses if roles[guess.column.name] == "sensitive" and guess.column.numeric
    ]
    places = [guess.column.name for guess in guesses if guess.meaning is not None and guess.meaning.name in PLACES]
    unknown = [name for name, role in roles.items() if role == "undecided"]
    found = dict(akin(raw, unknown, keys, figures, [name for name in places if name in keys]))
    flags = [guess.column.name for guess in guesses if is_flag(guess.facts)]
    for group in (groups := exclusive_groups(raw, flags)):
        key = next((name for name in group if roles[name] == "quasi"), None)
        if key is not None:
            found |= {name: key for name in group if roles[name] == "undecided"}
    whys = {name: Why.of("akin", column=key) for name, key in found.items()}
    alike = like_the_others({name: "quasi" if name in found else roles[name] for name in flags}, groups)
    whys |= {name: Why.of("like_the_others") for name in alike}
    return [_as_key(guess, whys.get(guess.column.name)) for guess in guesses]


def _as_key(guess: ColumnGuess, why: Why | None) -> ColumnGuess:
    if why is None:
        return guess
    return replace(guess, column=guess.column.model_copy(update={"role": "quasi"}), why=(why,))


def _giving_back(guess: ColumnGuess, back: Sequence[Returning]) -> ColumnGuess:
    """A guess that also says which hidden columns come back through this one."""
    given = [one for one in back if guess.column.name in one.sources and not guess.is_key]
    more = (Why.of("gives_back", column=one.column, share=one.share) for one in given)
    return replace(guess, why=(*guess.why, *more)) if guess.why else guess


def _unread(kinds: dict[str, str], layout: Layout | None) -> Schema:
    """A schema that takes every column as it stands, but for those that cannot be read at all."""
    problems = refuse_reserved(kinds)
    if twice := alike(kinds):
        message = f"names of columns differ only in capitals: {listed(twice)}"
        problems.add("repeated-name", "data", message, "rename one of them")
    problems.raise_as(DataError)
    readable = {name: kind for name, kind in kinds.items() if kind not in ("list", "other")}
    if not readable:
        hint = "convert them to text or numbers"
        stop(DataError, "wrong-type", "data", "all columns hold values of a kind that cannot be read", hint)
    # A package stores codes as floating numbers too: only as numbers they can all be read.
    scales: dict[str, Scale] = {"number": "continuous", "decimal": "continuous"}
    columns = tuple(Column(name=name, scale=scales.get(kind, "nominal")) for name, kind in readable.items())
    others: Literal["error", "drop"] = "error" if len(readable) == len(kinds) else "drop"
    return Schema(columns=columns, layout=layout, others=others)


def _decided(guesses: Sequence[ColumnGuess], decided: Sequence[Column]) -> list[ColumnGuess]:
    chosen = {column.name: column for column in decided}
    return [
        replace(guess, column=chosen[name], why=(Why.of("decided"),), is_key=False)
        if (name := guess.column.name) in chosen
        else guess
        for guess in guesses
    ]


def _tried(
    file: Path | str, guesses: list[ColumnGuess], unread: Schema, purpose: Purpose, engine: Engine, files: Files
) -> tuple[Dataset, list[ColumnGuess]]:
    """The rows read as guessed. Columns whose values do not allow it are read otherwise, and all is tried again."""
    while True:
        schema = _schema(guesses, unread, purpose)
        try:
            return _needed(read(file, _looked_at(schema), engine, files)).described(schema), guesses
        except DataError as error:
            others = reread(guesses, error.problems)
            if others is None:
                raise
            guesses = others


def _needed(data: Dataset) -> Dataset:
    """The columns a recipe is drafted from, computed now where there are many others: every question plans them all."""
    wanted = [column.name for column in data.schema if column.role not in ("identifier", "plain", "undecided")]
    few = len(data.schema.columns) - len(wanted) <= WIDE
    return data if few else data.reframed(data.frame.select(data.schema.key, *wanted)).kept()


def _looked_at(schema: Schema) -> Schema:
    """The columns a recipe is drafted from, and those whose values may not be what was guessed."""
    texts = ("nominal", "ordinal", "place", "text")
    columns = tuple(c for c in schema if c.scale not in texts or c.role not in ("identifier", "plain", "undecided"))
    return schema.model_copy(update={"columns": columns, "others": "drop"}) if columns else schema


def _schema(guesses: Sequence[ColumnGuess], unread: Schema, purpose: Purpose) -> Schema:
    hierarchies: dict[str, Hierarchy] = {}
    columns = []
    for guess in guesses:
        if guess.is_key:
            continue
        found = hierarchy_of(guess, OTHER[purpose.language]) if guess.column.role == "quasi" else None
        if found is not None:
            hierarchies[guess.column.name] = found
        columns.append(guess.column.model_copy(update={"hierarchy": guess.column.name if found else None}))
    key = next((guess.column.name for guess in guesses if guess.is_key), None)
    if not columns:
        stop(DataError, "only-a-key", "data", "the file has one column, and it numbers the records")
    return Schema(
        columns=tuple(columns), row_key=key, layout=unread.layout, others=unread.others, hierarchies=hierarchies
    )


def _drafted(file: str, data: Dataset, guesses: list[ColumnGuess], purpose: Purpose) -> Draft:
    alone, classes, fitted = None, None, _fitted(data)
    if quasi := data.schema.quasi:
        classes = classes_of(fitted, quasi)
        alike = classes.sizes if classes.units is None else classes.units  # several records of one person hide nobody
        alone = float(classes.sizes[alike <= 1].sum()) / classes.records
    gone = redundant_keys(data)
    recipe = recipe_of(fitted, purpose, [one.column for one in gone], classes)
    return Draft(file, data.rows, data.schema, tuple(guesses), alone, recipe, redundant=gone)


def _fitted(data: Dataset) -> Dataset:
    """The data with hierarchies that learned what they learn from them."""
    import narwhals as nw

    hierarchies = {
        name: h.fit(*data.counts(nw.col(name))) if h.learns else h for name, h in data.schema.hierarchies.items()
    }
    return data.described(data.schema.model_copy(update={"hierarchies": hierarchies}))


__all__ = ["Draft", "Facts", "describe"]
