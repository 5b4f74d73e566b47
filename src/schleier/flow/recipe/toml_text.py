"""Where the columns of a schema stand in its text: one can be changed, and all else stays as somebody wrote it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

KEY = re.compile(r'[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'')
SPACE = re.compile(r"[ \t]*")
BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|' r"'''.*?'{3,5}|" r'"(?:[^"\\\n]|\\.)*"|' r"'[^'\n]*'",
    re.DOTALL,
)
BARE = re.compile(r"[^,\]}#\n]+")
COLUMNS = ("schema", "columns")


class Unclear(ValueError):
    """The text is not written in a way that is understood here."""


@dataclass
class Entry:
    """One column in the text: where the value of each key stands."""

    inline: bool
    """Whether it stands in braces rather than under a heading of its own."""
    values: dict[str, tuple[int, int]] = field(default_factory=dict)


def changed_text(text: str, changes: Mapping[str, Mapping[str, str]]) -> str:
    """A schema with some keys of some columns set to TOML values; every other character stays.

    >>> print(changed_text('[[schema.columns]]\\nname = "a" # why\\n', {"a": {"role": '"plain"'}}))
    [[schema.columns]]
    name = "a" # why
    role = "plain"
    <BLANKLINE>
    """
    before = tomllib.loads(text)
    entries = list(_entries(text))
    columns = before.get("schema", {}).get("columns", [])
    if len(entries) != len(columns):
        raise Unclear
    edits: list[tuple[int, int, str]] = []
    for entry, column in zip(entries, columns, strict=True):
        if column.get("name") in changes:
            edits += _edits(text, entry, changes[column["name"]])
            column.update(
                tomllib.loads("\n".join(f"{key} = {value}" for key, value in changes[column["name"]].items()))
            )
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    try:
        after = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise Unclear from None
    if after != before:  # the columns in it were changed above as they should be
        raise Unclear
    return text


def _edits(text: str, entry: Entry, values: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    yield from ((*entry.values[key], value) for key, value in values.items() if key in entry.values)
    added = [f"{key} = {value}" for key, value in values.items() if key not in entry.values]
    if not added:
        return
    _, end = entry.values["role"] if "role" in entry.values else entry.values["name"]
    if entry.inline:
        yield end, end, "".join(f", {one}" for one in added)
        return
    stop = text.find("\n", end)
    stop = len(text) if stop < 0 else stop
    line = "\r\n" if text[:stop].endswith("\r") else "\n"
    stop -= len(line) - 1 if stop < len(text) else 0
    yield stop, stop, "".join(f"{line}{one}" for one in added)


def _entries(text: str) -> Iterator[Entry]:
    """The columns in the order in which they stand."""
    place, path, entry = _blank(text, 0), tuple[str, ...](), None
    while place < len(text):
        if text[place] == "[":
            many = text.startswith("[[", place)
            path, place = _path(text, _space(text, place + 1 + many))
            place += 1 + many
            entry = Entry(inline=False) if many and path == COLUMNS else None
            if entry is not None:
                yield entry
        else:
            key, place = _path(text, place)
            start = _space(text, place + 1)
            if (*path, *key) == COLUMNS and entry is None:
                yield from _inline(text, start)
            place = _value(text, start)
            if entry is not None and len(key) == 1:
                entry.values[key[0]] = (start, place)
        place = _blank(text, place)


def _inline(text: str, start: int) -> Iterator[Entry]:
    """The columns of an array of tables in braces."""
    if text[start] != "[":
        raise Unclear
    place = _blank(text, start + 1)
    while text[place] != "]":
        if text[place] != "{":
            raise Unclear
        entry, place = Entry(inline=True), _blank(text, place + 1)
        while text[place] != "}":
            key, place = _path(text, place)
            begin = _space(text, place + 1)
            place = _value(text, begin)
            if len(key) == 1:
                entry.values[key[0]] = (begin, place)
            place = _comma(text, place)
        yield entry
        place = _comma(text, place + 1)


def _path(text: str, place: int) -> tuple[tuple[str, ...], int]:
    """A dotted key, and where it ends: at the sign behind it."""
    parts = []
    while True:
        found = KEY.match(text, place)
        if found is None:
            raise Unclear
        name = found[0]
        parts.append(next(iter(tomllib.loads(f"{name} = 0"))))
        place = _space(text, found.end())
        if not text.startswith(".", place):
            return tuple(parts), place
        place = _space(text, place + 1)


def _value(text: str, place: int) -> int:
    """Where a value ends."""
    if text[place : place + 1] in ("[", "{"):
        closing, table = {"[": ("]", False), "{": ("}", True)}[text[place]]
        place = _blank(text, place + 1)
        while text[place : place + 1] != closing:
            if table:
                _, place = _path(text, place)
                place = _space(text, place + 1)
            place = _comma(text, _value(text, place))
        return place + 1
    found = STRING.match(text, place) or BARE.match(text, place)
    if found is None:
        raise Unclear
    return place + len(found[0].rstrip())


def _comma(text: str, place: int) -> int:
    """Behind a comma, if there is one."""
    place = _blank(text, place)
    return _blank(text, place + 1) if text.startswith(",", place) else place


def _space(text: str, place: int) -> int:
    found = SPACE.match(text, place)
    return found.end() if found else place


def _blank(text: str, place: int) -> int:
    """Behind spaces, line breaks and comments."""
    found = BLANK.match(text, place)
    return found.end() if found else place
