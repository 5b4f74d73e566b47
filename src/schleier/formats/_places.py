"""Where the fields of a fixed-width file stand: its dictionary, a CSV file or a simple one of Stata."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from schleier.core.dictionary import Entry
from schleier.core.errors import DataError, Problem, Problems, stop
from schleier.formats._checks import check_file
from schleier.formats._detect import decode_sample, encoding_of, separators

NEEDED, ALLOWED = ("name", "start", "width"), ("name", "start", "width", "decimals", "title", "labels")
INFIX = re.compile(r"(?:(?:byte|int|long|float|double|str\d*)\s+)?(\w+)\s+(\d+)(?:-(\d+))?")
INFILE = re.compile(
    r"_column\((\d+)\)\s+(?:(?:byte|int|long|float|double|str\d+)\s+)?(\w+)\s+%(\d+)(?:\.(\d+))?[sfg]\s*"
    r'(?:"(.*)")?'
)


@dataclass(frozen=True)
class Place:
    """One field: the columns of characters it fills."""

    name: str
    start: int
    """Its first character, counted from 1."""
    width: int
    decimals: int = 0
    """Digits after a decimal mark that is not written."""
    title: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def end(self) -> int:
        """Its last character."""
        return self.start + self.width - 1

    @property
    def entry(self) -> Entry:
        """What the dictionary says of the column."""
        return Entry(self.title, self.labels)


def field_places(path: Path, part: str) -> list[Place]:
    """The fields of a data file, by the dictionary that is named or lies beside it; all problems at once."""
    found = Problems()
    dictionary = _dictionary(path, part)
    read = _stata if dictionary.suffix.lower() == ".dct" else _table
    places = list(read(dictionary, found))
    if not places and not found.found:
        found.add("bad-dictionary", str(dictionary), "the dictionary describes no field")
    found.extend(_clashes(places, dictionary))
    found.raise_as(DataError)
    return places


def _dictionary(path: Path, part: str) -> Path:
    beside = [path.with_suffix(".dictionary.csv"), path.with_suffix(".dct")]
    for place in [path.parent / part] if part else beside:
        if place.exists():
            check_file(place)
            return place
    if part:
        stop(DataError, "no-dictionary", str(path), f"there is no dictionary '{part}' beside the file")
    hint = f"write {beside[0].name} with the columns {', '.join(NEEDED)}, or name one: {path.name}::DICTIONARY"
    raise DataError(Problem("no-dictionary", str(path), "nothing says where its fields stand", hint))


def _text(path: Path) -> str:
    content = path.read_bytes()
    try:
        return decode_sample(content, encoding_of(content))
    except UnicodeDecodeError:
        problem = Problem("broken-encoding", str(path), "the dictionary is no text")
    raise DataError(problem)


def _table(path: Path, found: Problems) -> Iterator[Place]:
    """A dictionary as a table: a row for each field."""
    _, _, rows, _ = separators(_text(path), whole=True)
    header = [name.strip().lower() for name in rows[0]] if rows else []
    unknown = [str(place) for place, name in enumerate(header, 1) if name not in ALLOWED]
    absent = [name for name in NEEDED if name not in header]
    hint = f"there are: {', '.join(ALLOWED)}"
    if unknown:
        found.add("bad-dictionary", str(path), f"these columns have unknown names: {', '.join(unknown)}", hint)
    if absent:
        found.add("bad-dictionary", str(path), f"there is no column {', '.join(absent)}", hint)
    if len(set(header)) < len(header):
        found.add("bad-dictionary", str(path), "a column occurs twice")
    if unknown or absent:
        return
    for number, row in enumerate(rows[1:], 2):
        said = dict(zip(header, (text.strip() for text in row), strict=False))
        faults = [*_faults(said, len(row) <= len(header))]
        found.extend(Problem("bad-dictionary", f"{path}, row {number}", fault) for fault in faults)
        if not faults:
            labels = dict(_label(pair) for pair in said.get("labels", "").split("|") if pair)
            whole = {name: int(said.get(name) or 0) for name in ("start", "width", "decimals")}
            yield Place(said["name"], **whole, title=said.get("title", ""), labels=labels)


def _faults(said: Mapping[str, str], fits: bool) -> Iterator[str]:
    """What is wrong with a row of a dictionary."""
    if not fits:
        yield "there are more values than columns"
    if not said.get("name"):
        yield "the field has no name"
    for word in ("start", "width"):
        if not re.fullmatch("[1-9][0-9]{0,6}", said.get(word, "")):
            yield f"{word} must be a whole number from 1 on"
    if not re.fullmatch("[0-9]?", said.get("decimals", "")):
        yield "decimals must be a digit, or empty"
    if not all("=" in pair for pair in said.get("labels", "").split("|") if pair):
        yield "labels are written 1=male|2=female"


def _label(pair: str) -> tuple[str, str]:
    code, _, word = pair.partition("=")
    return code.strip(), word.strip()


def _stata(path: Path, found: Problems) -> Iterator[Place]:
    """A dictionary of Stata in which each line says where one field stands."""
    text = re.sub(r"/\*.*?\*/", "", _text(path), flags=re.DOTALL)
    head, _, body = text.partition("{")
    if not re.search(r"\bdictionary\b", head):
        found.add("bad-dictionary", str(path), "this is no dictionary of Stata")
        return
    for number, line in enumerate(body.partition("}")[0].splitlines(), head.count("\n") + 1):
        line = re.sub(r"//.*|^\s*\*.*", "", line).strip()  # noqa: PLW2901  # without its comment
        infix, infile = INFIX.fullmatch(line), INFILE.fullmatch(line)
        if infix:
            start, end = int(infix[2]), int(infix[3] or infix[2])
            yield Place(infix[1], start, end - start + 1)
        elif infile:
            yield Place(infile[2], int(infile[1]), int(infile[3]), int(infile[4] or 0), infile[5] or "")
        elif line:
            hint = "write a dictionary in CSV instead"
            found.add("bad-dictionary", f"{path}, line {number}", "this does not just say where a field stands", hint)


def _clashes(places: list[Place], path: Path) -> Iterator[Problem]:
    """Names that repeat, and fields that share characters."""
    names = [place.name.lower() for place in places]
    for name in sorted({place.name for place in places if names.count(place.name.lower()) > 1}):
        yield Problem("bad-dictionary", str(path), f"more than one field is called '{name}'")
    for place in (place for place in places if place.width < 1 or place.start < 1):
        yield Problem("bad-dictionary", str(path), f"the field '{place.name}' ends before it begins")
    ordered = sorted(places, key=lambda place: place.start)
    for one, other in pairwise(ordered):
        if other.start <= one.end:
            yield Problem("bad-dictionary", str(path), f"the fields '{one.name}' and '{other.name}' overlap")
