"""What verifying a file found, check by check, as continuous integration wants it: in JUnit's XML."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from schleier.core.atomic import whole_file
from schleier.core.errors import DataError, InfeasibleError, Problem, SchleierError
from schleier.report.terminal import verdict_line

if TYPE_CHECKING:
    from schleier.core.criterion import Criterion
    from schleier.flow.run.examine import Examination
    from schleier.report.language import Words

FILE, RECORDS, DIGEST, REPORT = "file", "records", "digest", "report"
OWN = {"other-records": RECORDS, "other-digest": DIGEST}
"""Problems that have a check of their own; those of criteria do, too, all others are of the file."""
PLACE = re.compile(r"criteria\[(\d+)\]")
JUNIT = {"failed": "failure", "error": "error", "skipped": "skipped"}


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: counts and names of columns, never a value."""

    name: str
    outcome: Literal["passed", "failed", "error", "skipped"] = "passed"
    text: str = ""
    """What is wrong, or why it was not looked at."""


def names_of(criteria: Sequence[Criterion]) -> list[str]:
    """What the checks of criteria are called; where one occurs again, or is that of another check, its place is told.

    So no check ever hides another one.

    >>> from schleier.core.registry import get
    >>> names_of([get("criterion", "k_anonymity")(k=k, name=name) for k, name in ((2, None), (3, None), (4, "strict"))])
    ['criteria[0] k_anonymity', 'criteria[1] k_anonymity', 'strict']
    """
    plain = [one.name or one.word() for one in criteria]
    times = Counter([FILE, RECORDS, DIGEST, REPORT, *plain])
    alone = [times[name] == 1 and not PLACE.match(name) for name in plain]
    return [name if alone[i] else f"criteria[{i}] {name}" for i, name in enumerate(plain)]


def found_checks(found: Examination, names: Sequence[str], words: Words) -> list[Check]:
    """The checks of a file that was not refused."""
    checks = [Check(FILE)]
    unseen = words.plain(f"cli.not_compared.{found.not_compared[0]}") if found.not_compared else ""
    for name in (RECORDS, DIGEST):
        checks.append(Check(name, "skipped", unseen) if name in found.not_compared else Check(name))
    for name, verdict in zip(names, found.verdicts, strict=True):
        checks.append(Check(name) if verdict.holds else Check(name, "failed", verdict_line(verdict, words)))
    return checks


def refused_checks(
    error: SchleierError, names: Sequence[str], words: Words, tell: Callable[[Problem], str] = str
) -> list[Check]:
    """The checks of a file that was refused; what nobody could look at any more says so."""
    wrong: dict[str, list[str]] = {}
    for problem in error.problems:
        place = PLACE.match(problem.where)
        of_criterion = place is not None and int(place[1]) < len(names) and problem.code == "criterion-broken"
        name = names[int(place[1])] if place and of_criterion else OWN.get(problem.code, FILE)
        wrong.setdefault(name, []).append(tell(problem))
    outcome: Literal["failed", "error"] = "failed" if isinstance(error, DataError | InfeasibleError) else "error"
    unseen = words.plain("cli.not_judged")
    told = {name: Check(name, outcome, "\n".join(texts)) for name, texts in wrong.items()}
    others = {FILE: Check(FILE), **{name: Check(name, "skipped", unseen) for name in (RECORDS, DIGEST, *names)}}
    return list((others | told).values())


def write_junit(checks: Sequence[Check], file: str, out: Path) -> None:
    """Write the checks of a file as JUnit's XML, whole or not at all."""
    from xml.etree import ElementTree as Xml

    counts = {kind: str(sum(check.outcome == kind for check in checks)) for kind in JUNIT}
    numbers = {"tests": str(len(checks)), "failures": counts["failed"], "errors": counts["error"]}
    root = Xml.Element("testsuites", numbers)
    suite = Xml.SubElement(root, "testsuite", {"name": "schleier", **numbers, "skipped": counts["skipped"]})
    for check in checks:
        case = Xml.SubElement(suite, "testcase", {"classname": _legal(f"schleier.{file}"), "name": _legal(check.name)})
        if check.outcome != "passed":
            lines = list(_lines(check.text))
            told = Xml.SubElement(case, JUNIT[check.outcome], {"message": lines[0]})
            told.text = "\n".join(lines)
    Xml.indent(root)
    with whole_file(out) as place:
        place.write_bytes(Xml.tostring(root, "utf-8", xml_declaration=True) + b"\n")


def _lines(text: str) -> Iterator[str]:
    yield from map(_legal, text.splitlines() or [""])


def _legal(text: str) -> str:
    """A text without the characters that XML cannot hold."""
    return re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "�", text)
