"""A draft as files: the schema with a reason above every guess, its hierarchies beside it, and a recipe."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from schleier.core.address import Address
from schleier.core.errors import WriteError, stop
from schleier.core.hierarchy import Hierarchy
from schleier.core.pieces import purpose_of
from schleier.core.schema import Column
from schleier.core.system import seen_from
from schleier.draft.describe import Draft
from schleier.draft.roles import ColumnGuess
from schleier.draft.text import comment, key, line, toml_lines, write_draft_file
from schleier.report.language import Words

LONGEST = 60
"""Characters of a column's name in the name of a file."""


def write_draft(draft: Draft, schema: Path, recipe: Path, lang: str, *, force: bool = False) -> list[Path]:
    """Write schema, hierarchies and recipe; nothing that exists is replaced without ``force``."""
    words = Words.of(lang)
    files = {schema: schema_text(draft, schema, words)}
    files |= {schema.parent / place: text for place, text in hierarchy_files(draft).items()}
    files[recipe] = recipe_text(draft, schema, recipe, words)
    if not force:
        refuse_existing(files)
    for path, text in files.items():
        write_draft_file(path, text)
    return list(files)


def refuse_existing(files: Iterable[Path]) -> None:
    """Stop when a file would be replaced: somebody may have worked on it."""
    there = [str(path) for path in files if path.exists()]
    if there:
        message = f"there is already a file {', '.join(there[:3])}"
        stop(WriteError, "exists", there[0], message, "choose another place with -o, or use --force")


def schema_text(draft: Draft, path: Path, words: Words, avoid: Collection[str] = ()) -> str:
    """The sections [data], [schema] and [hierarchies] of a recipe, with comments."""
    schema, places = draft.schema, hierarchy_places(draft.schema.hierarchies, avoid)
    guessed = any(guess.why for guess in draft.guesses)
    head = words.plain("draft.head_schema", file=shown_name(draft, words), records=draft.records)
    blocks = [
        *([comment(head)] if guessed else []),
        *map(comment, read_so(draft, words)),
        *(["[data]\n" + line("file", address_from(draft.file, path))] if draft.file else []),
        "[schema]\n" + "".join(_about_schema(draft, words)),
    ]
    if schema.layout is not None:
        blocks.append("[schema.layout]\n" + toml_lines(schema.layout.model_dump(exclude_defaults=True)))
    for guess in draft.guesses:
        if not guess.is_key:
            blocks.append(comment(reason(guess, words)) + "[[schema.columns]]\n" + _column(schema[guess.column.name]))
    for name, hierarchy in schema.hierarchies.items():
        blocks.append(f"[hierarchies.{key(name)}]\n" + toml_lines(named(places[name], hierarchy)))
    return "\n".join(blocks)


def recipe_text(draft: Draft, schema: Path, path: Path, words: Words) -> str:
    """The recipe: steps and demands on top of the schema."""
    blocks = [
        comment(words.plain("draft.head_recipe", schema=schema.name)),
        line("extends", seen_from(path.parent, schema)),
    ]
    told = set()
    for section, content in draft.recipe.items():
        if isinstance(content, Mapping):
            blocks.append(f"[{section}]\n" + toml_lines(content))
            continue
        for entry in content:
            purpose = purpose_of(entry)
            about = "" if purpose in told else comment(words.plain(f"draft.piece.{purpose}"))
            told.add(purpose)
            blocks.append(about + f"[[{section}]]\n" + toml_lines(entry))
    return "\n".join(blocks)


def hierarchy_files(draft: Draft, avoid: Collection[str] = ()) -> dict[str, str]:
    """Tables of categories, in the layout of ARX: one row for each value, coarser labels to the right."""
    files, places = {}, hierarchy_places(draft.schema.hierarchies, avoid)
    for name, hierarchy in draft.schema.hierarchies.items():
        rows = getattr(hierarchy, "rows", None)
        if rows is not None:
            text = io.StringIO()
            csv.writer(text, delimiter=";", lineterminator="\n").writerows(rows)
            files[places[name]] = text.getvalue()
    return files


def reason(guess: ColumnGuess, words: Words, most: int | None = None) -> str:
    """Why a column is taken for what it is taken for; the weightiest reason comes first."""
    return " ".join(words.plain(f"draft.why.{why.key}", **said(why.values, words)) for why in guess.why[:most])


def said(values: Mapping[str, Any], words: Words) -> dict[str, Any]:
    """What is filled into a reason, in the language of the reader."""
    shown = dict(values)
    if "share" in shown:
        shown["share"] = words.share(shown["share"]).unescape()
    for group in ("form", "meaning"):
        if group in shown:
            shown[group] = words.plain(f"draft.{group}.{shown[group]}")
    return shown


def _about_schema(draft: Draft, words: Words) -> list[str]:
    found = []
    if draft.schema.row_key is not None:
        found += [comment(words.plain("draft.row_key")), line("row_key", draft.schema.row_key)]
    if draft.left_out:
        found.append(comment(unreadable_columns(draft, words)))
    if draft.schema.others != "error":
        found.append(line("others", draft.schema.others))
    return found


def shown_name(draft: Draft, words: Words) -> str:
    """What the file is called; rows given in Python have no name."""
    return Address.of(draft.file).path.name if draft.file else words.plain("draft.rows")


def read_so(draft: Draft, words: Words) -> list[str]:
    """How the file was read, where that is not as it stands there; one sentence each."""
    return [words.plain(f"draft.read.{remark.key}", **remark.values) for remark in draft.remarks]


def unreadable_columns(draft: Draft, words: Words) -> str:
    """Which columns cannot be read."""
    return words.plain("draft.left_out", n=len(draft.left_out), columns=", ".join(draft.left_out[:12]))


def named(place: str, hierarchy: Hierarchy) -> dict[str, Any]:
    """A hierarchy in recipe syntax; one of many categories lies in a file of its own."""
    table = hierarchy.to_toml()
    if table.pop("rows", None) is not None:
        table = {"table": place, **table}
    return table


def hierarchy_places(names: Iterable[str], avoid: Collection[str] = ()) -> dict[str, str]:
    """A file for each hierarchy: names of columns may be long, and differ in marks that no file name can have."""
    places: dict[str, str] = {}
    for name in names:
        plain = "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in name)[:LONGEST]
        place, n = f"hierarchies/{plain}.csv", 1
        while place.lower() in (taken.lower() for taken in (*places.values(), *avoid)):
            place, n = f"hierarchies/{plain}-{n + 1}.csv", n + 1
        places[name] = place
    return places


def address_from(file: str, path: Path) -> str:
    """An address as it is written in a file at ``path``."""
    address = Address.of(file)
    if address.variable:
        return str(address)
    return str(Address(seen_from(path.parent, address.path), address.part))


def _column(column: Column) -> str:
    told = {"name": column.name, "role": column.role, "judged": column.judged}  # said even where they are the usual
    return toml_lines(told | column.model_dump(mode="json", exclude_defaults=True))
