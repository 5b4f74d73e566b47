"""Lines of TOML with comments, and how a drafted file is written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from schleier.core.atomic import cannot_write, whole_file

WIDTH = 118


def toml_lines(table: Mapping[str, Any]) -> str:
    """A table, one line for each key."""
    return "".join(line(name, value) for name, value in table.items())


def line(name: str, value: Any) -> str:
    """One key with its value; tables inside it stay on the line."""
    import tomli_w

    if isinstance(value, Mapping):
        inside = ", ".join(line(str(key), one).rstrip("\n") for key, one in value.items())
        return f"{key(name)} = {{ {inside} }}\n"
    if isinstance(value, list | tuple):
        inside = ", ".join(line("x", one).removeprefix("x = ").rstrip("\n") for one in value)
        return f"{key(name)} = [{inside}]\n"
    return tomli_w.dumps({name: value})


def key(name: str) -> str:
    """A name as a key of TOML, quoted where it must be."""
    import tomli_w

    return tomli_w.dumps({name: 0}).rpartition(" = ")[0]


def comment(text: str) -> str:
    """A text as comment lines."""
    import textwrap

    return "".join(f"# {line}\n" for part in text.splitlines() for line in textwrap.wrap(part, WIDTH))


def write_draft_file(path: Path, text: str, *, private: bool = False) -> None:
    """Write a file as a whole or not at all; a private one can be read by its owner alone."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(error, path, "file") from error
    with whole_file(path, private=private) as place:
        place.write_text(text, encoding="utf-8", newline="\n")
