"""JSON lines: one object of plain values in each line; it becomes a CSV file, line by line."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from schleier.core.errors import DataError, Problem, stop
from schleier.core.format import NOTHING, Asked, Format
from schleier.core.limits import COLUMNS, most_columns, refuse_size
from schleier.formats._checks import check_file, check_names
from schleier.formats._inside import place_for, writing

LONGEST = 1 << 24
"""Bytes of the longest line that is read."""
GLANCE = 10_000
"""Lines that usually show every name."""
HALF = re.compile("[\ud800-\udfff]")
"""Halves of characters, which JSON can write and no file can hold."""


def _none(_: str) -> None:
    """NaN and infinity, which are no JSON but are written all the same."""


AS_WRITTEN: dict[str, Any] = {"parse_int": str, "parse_float": str, "parse_constant": _none}
"""Numbers stay the text they are: nothing is rounded."""


class JsonLines(Format):
    """Text files with a JSON object in each line, ``.jsonl`` and ``.ndjson``; absent names and ``null`` are missing.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "people.jsonl").write_text('{"age": 30, "sex": "f"}\\n{"sex": null, "pay": 1.5}\\n')
    >>> print(JsonLines().unwrap(folder / "people.jsonl", folder).read_text(), end="")
    age,sex,pay
    30,f,
    ,,1.5
    """

    name = "json_lines"
    suffixes = (".jsonl", ".ndjson")
    reading = "unwrap"

    def unwrap(self, path: Path, folder: Path, part: str = "", asked: Asked = NOTHING) -> Path:
        """Write the objects as CSV into ``folder``: UTF-8, commas, numbers as they are written."""
        check_file(path)
        names = _names(path, GLANCE)
        place = place_for(folder, f"{path.stem}.csv")
        with writing(place):
            if not _write(path, names, place):  # a name that comes late: look at all of them first
                _write(path, _names(path, None), place)
        return place


def _write(path: Path, names: dict[str, None], place: Path) -> bool:
    """Write all objects; false when one has a name that is not among these."""
    known = [*names]
    with place.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(known)
        for number, found in _objects(path):
            if not found.keys() <= names.keys():
                return False
            fields = [_text(found.get(name)) for name in known]
            if any(field and not field.isascii() and HALF.search(field) for field in fields):
                raise _broken(path, number, "holds half of a character, which is no text")
            if fields in ([None], [""]):
                stream.write("\n")  # the writer would put quotes here: an empty text, where nothing is
            else:
                writer.writerow(fields)
    return True


def _names(path: Path, most: int | None) -> dict[str, None]:
    """The names in the first objects, in the order they come."""
    names: dict[str, None] = {}
    for _, found in islice(_objects(path), most):
        names |= dict.fromkeys(found)
        refuse_size(DataError, str(path), "the columns of the file are", len(names), most_columns(), COLUMNS)
    if not names:
        stop(DataError, "empty-file", str(path), "no object in the file has a value")
    check_names([*names], str(path))
    if any(HALF.search(name) for name in names):
        stop(DataError, "broken-line", str(path), "a name holds half of a character, which is no text")
    return names


def _objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects with the numbers of their lines; blank lines are none."""
    with path.open("rb") as stream:
        for number, line in enumerate(iter(lambda: stream.readline(LONGEST), b""), 1):
            if not line.strip(b"\xef\xbb\xbf \t\r\n" if number == 1 else None):
                continue
            if len(line) >= LONGEST:
                raise _broken(path, number, "is too long to be read")
            found = _parsed(line, path, number)
            if not isinstance(found, dict):
                raise _broken(path, number, "holds no object")
            if any(isinstance(value, dict | list) for value in found.values()):
                names = [name for name, value in found.items() if isinstance(value, dict | list)]
                _refuse_nested(path, number, names)
            yield number, found


def _parsed(line: bytes, path: Path, number: int) -> Any:
    """The value in a line; what the library says of a broken one may quote it and is never passed on."""
    try:
        return json.loads(line.decode("utf-8-sig"), object_pairs_hook=_unrepeated, **AS_WRITTEN)
    except UnicodeDecodeError:
        why = "is not UTF-8 text"
    except _RepeatedError:
        why = "has a name twice"
    except (ValueError, RecursionError):
        why = "is no JSON, or was cut off"
    raise _broken(path, number, why)


class _RepeatedError(Exception):
    """A name that occurs twice in an object."""


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _RepeatedError
    return found


def _text(value: str | bool | None) -> str | None:
    """A value as text; nothing where it is missing. Numbers are text already.

    >>> [_text(value) for value in ("a", True, None)]
    ['a', 'true', None]
    """
    return str(value).lower() if isinstance(value, bool) else value


def _refuse_nested(path: Path, number: int, names: list[str]) -> NoReturn:
    shown = ", ".join(f"'{name}'" for name in names[:5]) + (" ..." if len(names) > 5 else "")
    message = f"line {number} holds lists or objects inside its object: {shown}"
    hint = "write each of their values under a name of its own, or leave them out: a table has one value in a cell"
    stop(DataError, "nested-values", str(path), message, hint)


def _broken(path: Path, number: int, why: str) -> DataError:
    hint = "each line must hold one object such as {...}, and nothing else"
    return DataError(Problem("broken-line", str(path), f"line {number} {why}", hint))
