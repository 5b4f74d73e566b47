"""Logs of servers: lines of Apache, nginx, syslog, pairs of keys and values, or JSON; they become a CSV file."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from schleier.core.errors import DataError, Problem, stop
from schleier.core.format import NOTHING, Asked, Format
from schleier.core.limits import COLUMNS, most_columns, refuse_size
from schleier.formats._checks import check_file, check_names
from schleier.formats._inside import place_for, writing
from schleier.formats.json_lines import LONGEST, JsonLines

GLANCE = 200
"""Lines by which the kind of log is told."""
SHOWN = 5
"""Lines named in a message."""
MONTHS = {name: f"{i:02d}" for i, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}
_QUOTED = r'"(?P<{}>(?:[^"\\]|\\.)*)"'
_CLOCK = r"\[(?P<time>\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d) (?P<zone>[+-]\d{4})\]"
_TAIL = f"(?: {_QUOTED.format('referrer')} {_QUOTED.format('agent')}(?: {_QUOTED.format('forwarded')})?)?"
KINDS: Mapping[str, re.Pattern[str]] = {
    "access": re.compile(
        rf"(?P<address>\S+) (?P<identity>\S+) (?P<user>\S+) {_CLOCK} {_QUOTED.format('request')} "
        rf"(?P<status>\d{{3}}|-) (?P<bytes>\d+|-){_TAIL}"
    ),
    "nginx errors": re.compile(
        r"(?P<time>\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) \[(?P<level>[a-z]+)\] "
        r"(?P<process>\d+)#(?P<thread>\d+): (?P<message>.*)"
    ),
    "apache errors": re.compile(
        r"\[(?P<time>[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:.]+ \d{4})\] \[(?P<level>[\w:]+)\]"
        r"(?: \[pid (?P<process>[\d:tid ]+)\])?(?: \[client (?P<client>[^\]]+)\])? (?P<message>.*)"
    ),
    "syslog 5424": re.compile(
        r"<(?P<priority>\d{1,3})>1 (?P<time>\S+) (?P<host>\S+) (?P<program>\S+) (?P<process>\S+) (?P<kind>\S+) "
        r"(?P<data>-|(?:\[(?:[^\]\\]|\\.)*\])+)(?: (?P<message>.*))?"
    ),
    "syslog": re.compile(
        r"(?:<(?P<priority>\d{1,3})>)?"
        r"(?P<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)?) "
        r"(?P<host>\S+) (?P<program>[^\s:\[]+)(?:\[(?P<process>\d+)\])?: (?P<message>.*)"
    ),
}  # fmt: skip
"""How the lines of each kind are built, Apache's common and combined form and nginx's among them."""
_PAIR = re.compile(r'([A-Za-z_][\w.-]*)=(?:"((?:[^"\\]|\\.)*)"|([^\s"]*))(?:\s+|$)')
Fields = dict[str, str | None]
Reader = Callable[[str], Fields | None]


class Log(Format):
    """Logs of servers, ``.log``: every line must be of the kind that most of the first ones are.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "app.log").write_text("user=anna action=login\\nuser=bert action=\\"log out\\"\\n")
    >>> print(Log().unwrap(folder / "app.log", folder).read_text(), end="")
    user,action
    anna,login
    bert,log out
    """

    name = "log"
    suffixes = (".log",)
    reading = "unwrap"

    def unwrap(self, path: Path, folder: Path, part: str = "", asked: Asked = NOTHING) -> Path:
        """Write the fields of the lines as CSV into ``folder``; a hyphen that stands for nothing is missing."""
        check_file(path)
        first = [line for _, line in islice(_lines(path), GLANCE)]
        if sum(line.lstrip().startswith("{") for line in first) > len(first) / 2:
            return JsonLines().unwrap(path, folder, part, asked)
        names, read = _kind(path, first)
        place = place_for(folder, f"{path.stem}.csv")
        with _refusing(path) as bad, writing(place), place.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(names)
            for number, line in _lines(path):
                if (found := read(line)) is None:
                    bad.append(number)
                elif not bad:
                    writer.writerow([found.get(name) for name in names])
        return place


def _kind(path: Path, first: list[str]) -> tuple[list[str], Reader]:
    """The names of the fields, and what reads them from a line."""
    fits = {kind: sum(pattern.fullmatch(line) is not None for line in first) for kind, pattern in KINDS.items()}
    best = max(fits, key=lambda kind: fits[kind])
    if fits[best] > len(first) / 2:
        return list(KINDS[best].groupindex), lambda line: _matched(KINDS[best], line)
    if sum(_pairs(line) is not None for line in first) > len(first) / 2:
        names: dict[str, None] = {}
        for _, line in _lines(path):
            names |= dict.fromkeys(_pairs(line) or {})
            refuse_size(DataError, str(path), "the columns of the file are", len(names), most_columns(), COLUMNS)
        check_names([*names], str(path))
        return [*names], _pairs
    hint = "known are access and error logs of Apache and nginx, syslog, key=value pairs, and JSON lines"
    raise DataError(Problem("unknown-log", str(path), "most of the first lines are of no known kind of log", hint))


def _matched(pattern: re.Pattern[str], line: str) -> Fields | None:
    """The fields of a line; times as they sort."""
    found = pattern.fullmatch(line)
    if found is None:
        return None
    fields: Fields = {name: None if text in ("-", "") else text for name, text in found.groupdict().items()}
    fields["time"] = _sorted_time(fields["time"] or "")
    return fields


def _sorted_time(text: str) -> str:
    """The time of an access log with the year first; others are left as they are.

    >>> _sorted_time("10/Oct/2000:13:55:36"), _sorted_time("Oct 11 22:14:15")
    ('2000-10-10 13:55:36', 'Oct 11 22:14:15')
    """
    if re.fullmatch(r"\d\d/[A-Z][a-z]{2}/\d{4}:.*", text) and text[3:6] in MONTHS:
        return f"{text[7:11]}-{MONTHS[text[3:6]]}-{text[:2]} {text[12:]}"
    return text.replace("/", "-") if re.match(r"\d{4}/", text) else text


def _pairs(line: str) -> Fields | None:
    """The keys and values of a line that consists of nothing else, each key once."""
    found, at = Fields(), 0
    line = line.strip()
    while at < len(line):
        pair = _PAIR.match(line, at)
        if pair is None or pair[1] in found:
            return None
        quoted = pair[2]
        found[pair[1]] = (pair[3] or None) if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
        at = pair.end()
    return found or None


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines with their numbers; blank ones are none. Bytes that are no text stand there as codes."""
    with path.open("rb") as stream:
        for number, line in enumerate(iter(lambda: stream.readline(LONGEST), b""), 1):
            if len(line) >= LONGEST:
                stop(DataError, "broken-line", str(path), f"line {number} is too long to be read")
            text = line.decode("utf-8-sig" if number == 1 else "utf-8", "backslashreplace").rstrip("\r\n")
            if text.strip():
                yield number, text


@contextmanager
def _refusing(path: Path) -> Iterator[list[int]]:
    """Collects the numbers of lines that cannot be read, and refuses the file when there are any."""
    bad = list[int]()
    yield bad
    if bad:
        shown = ", ".join(map(str, bad[:SHOWN])) + (" ..." if len(bad) > SHOWN else "")
        message = f"{len(bad)} lines are not built like the others: {shown}"
        hint = "correct them, or take them out: what cannot be read cannot be protected"
        raise DataError(Problem("odd-lines", str(path), message, hint))
