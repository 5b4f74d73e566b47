"""A draft as files: the schema with a reason above every guess, its hierarchies beside it, and a recipe."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from schleier.core.address import Address
from schleier.core.errors import WriteError, stop
from schleier.core.hierarchy import Hierarchy
from schleier.core.schema import Column
from schleier.draft.describe import Draft
from schleier.draft.roles import Guess
from schleier.report.language import Words

WIDTH = 118
LONGEST = 60
"""Characters of a column's name in the name of a file."""


def write_draft(draft: Draft, schema: Path, recipe: Path, lang: str, *, force: bool = False) -> list[Path]:
    """Write schema, hierarchies and recipe; nothing that exists is replaced without ``force``."""
    words = Words.of(lang)
    files = {schema: schema_text(draft, schema, words)}
    files |= {schema.parent / place: text for place, text in hierarchy_files(draft, schema).items()}
    files[recipe] = recipe_text(draft, schema, recipe, words)
    if not force:
        refuse_existing(files)
    for path, text in files.items():
        _write(path, text)
    return list(files)


def refuse_existing(files: Iterable[Path]) -> None:
    """Stop when a file would be replaced: somebody may have worked on it."""
    there = [str(path) for path in files if path.exists()]
    if there:
        message = f"there is already a file {', '.join(there[:3])}"
        stop(WriteError, "exists", there[0], message, "choose another place with -o, or use --force")


def schema_text(draft: Draft, path: Path, words: Words) -> str:
    """The sections [data], [schema] and [hierarchies] of a recipe, with comments."""
    schema, places = draft.schema, _places(draft.schema.hierarchies)
    blocks = [
        _comment(words.plain("draft.head_schema", file=Address.of(draft.file).path.name, records=draft.records)),
        "[data]\n" + _line("file", _from(draft.file, path)),
        "[schema]\n" + "".join(_about_schema(draft, words)),
    ]
    if schema.layout is not None:
        blocks.append("[schema.layout]\n" + _lines(schema.layout.model_dump(exclude_defaults=True)))
    for guess in draft.guesses:
        if not guess.is_key:
            blocks.append(_comment(reason(guess, words)) + "[[schema.columns]]\n" + _column(schema[guess.column.name]))
    for name, hierarchy in schema.hierarchies.items():
        blocks.append(f"[hierarchies.{_key(name)}]\n" + _lines(_named(places[name], hierarchy)))
    return "\n".join(blocks)


def recipe_text(draft: Draft, schema: Path, path: Path, words: Words) -> str:
    """The recipe: steps and demands on top of the schema."""
    blocks = [
        _comment(words.plain("draft.head_recipe", schema=schema.name)),
        _line("extends", os.path.relpath(schema, path.parent)),
    ]
    told = set()
    for section, content in draft.recipe.items():
        if isinstance(content, Mapping):
            blocks.append(f"[{section}]\n" + _lines(content))
            continue
        for entry in content:
            word = next(iter(entry.values()))
            about = "" if word in told else _comment(words.plain(f"draft.step.{word}"))
            told.add(word)
            blocks.append(about + f"[[{section}]]\n" + _lines(entry))
    return "\n".join(blocks)


def hierarchy_files(draft: Draft, schema: Path) -> dict[str, str]:
    """Tables of categories, in the layout of ARX: one row for each value, coarser labels to the right."""
    files, places = {}, _places(draft.schema.hierarchies)
    for name, hierarchy in draft.schema.hierarchies.items():
        rows = getattr(hierarchy, "rows", None)
        if rows is not None:
            text = io.StringIO()
            csv.writer(text, delimiter=";", lineterminator="\n").writerows(rows)
            files[places[name]] = text.getvalue()
    return files


def reason(guess: Guess, words: Words, most: int | None = None) -> str:
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
    lines = []
    if draft.schema.row_key is not None:
        lines += [_comment(words.plain("draft.row_key")), _line("row_key", draft.schema.row_key)]
    if draft.left_out:
        lines += [_comment(left_out(draft, words)), _line("others", draft.schema.others)]
    return lines


def left_out(draft: Draft, words: Words) -> str:
    """Which columns cannot be read."""
    return words.plain("draft.left_out", n=len(draft.left_out), columns=", ".join(draft.left_out[:12]))


def _named(place: str, hierarchy: Hierarchy) -> dict[str, Any]:
    """A hierarchy in recipe syntax; one of many categories lies in a file of its own."""
    table = hierarchy.to_toml()
    if table.pop("rows", None) is not None:
        table = {"table": place, **table}
    return table


def _places(names: Iterable[str]) -> dict[str, str]:
    """A file for each hierarchy: names of columns may be long, and differ in marks that no file name can have."""
    places: dict[str, str] = {}
    for name in names:
        plain = "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in name)[:LONGEST]
        place, n = f"hierarchies/{plain}.csv", 1
        while place.lower() in (taken.lower() for taken in places.values()):
            place, n = f"hierarchies/{plain}-{n + 1}.csv", n + 1
        places[name] = place
    return places


def _from(file: str, path: Path) -> str:
    """An address as it is written in a file at ``path``."""
    address = Address.of(file)
    if address.variable:
        return str(address)
    return str(Address(os.path.relpath(address.path.absolute(), path.parent.absolute()), address.part))


def _column(column: Column) -> str:
    return _lines(column.model_dump(mode="json", exclude_defaults=True))


def _lines(table: Mapping[str, Any]) -> str:
    return "".join(_line(name, value) for name, value in table.items())


def _line(name: str, value: Any) -> str:
    import tomli_w

    if isinstance(value, Mapping):
        inside = ", ".join(_line(str(key), one).rstrip("\n") for key, one in value.items())
        return f"{_key(name)} = {{ {inside} }}\n"
    if isinstance(value, list | tuple):
        inside = ", ".join(_line("x", one).removeprefix("x = ").rstrip("\n") for one in value)
        return f"{_key(name)} = [{inside}]\n"
    return tomli_w.dumps({name: value})


def _key(name: str) -> str:
    import tomli_w

    return tomli_w.dumps({name: 0}).rpartition(" = ")[0]


def _comment(text: str) -> str:
    import textwrap

    return "".join(f"# {line}\n" for part in text.splitlines() for line in textwrap.wrap(part, WIDTH))


def _write(path: Path, text: str) -> None:
    """Write a file as a whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        stop(WriteError, "cannot-write", str(path), f"the file cannot be written: {reason}")
    finally:
        temporary.unlink(missing_ok=True)
