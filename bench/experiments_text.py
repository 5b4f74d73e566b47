"""The page of the experiments of 1991: what was found in the invented worlds, beside the tables of the book."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent.parent / "docs" / "guide" / "experiments-of-1991.md"
START, END = "<!-- made by bench/experiments.py: {} -->", "<!-- end -->"
NAMES = {"process_1": "1, medium", "process_2": "2, high", "process_3": "3, low", "process_4": "4, other structure"}
BOOK_MEASURES = {
    "as it is": "14, of them 4 right",
    "without the size of the municipality": "20, of them 2 right",
    "without any region": "24, of them 0 right",
    "fields in 13 groups": "18, of them 3 right (10 groups)",
    "birth years in fives": "22, of them 3 right",
    "75 % of the records": "9, of them 2 right",
    "50 % of the records": "6, of them 1 right",
}
BOOK_PHASES = {"13": ("20 %", "77 %", "1107"), "21": ("79 %", "97 %", "298"), "35": ("84 %", "99 %", "74")}
NOT_RUN = "not run"


def write_page(stored: Mapping[str, Any]) -> None:
    """Put every table between its marks; what was not run says so."""
    text = PAGE.read_text(encoding="utf-8")
    for name, made in tables(stored).items():
        mark = START.format(name)
        before, rest = text.split(mark)
        text = f"{before}{mark}\n{made}\n{END}{rest.split(END, 1)[1]}"
    PAGE.write_text(text, encoding="utf-8", newline="\n")


def tables(stored: Mapping[str, Any]) -> dict[str, str]:
    """All tables by name."""
    scholars, synthetic = stored.get("scholars"), stored.get("synthetic")
    survey = {name.removeprefix("survey-"): one for name, one in stored.items() if name.startswith("survey-")}
    made = {
        "cost": [_cost(stored)],
        "exact": _exact(scholars) if scholars else [NOT_RUN],
        "near": _near(scholars) if scholars else [NOT_RUN],
        "beliefs": _beliefs(scholars) if scholars and "beliefs" in scholars else [NOT_RUN],
        "measures": _measures(scholars) if scholars and "measures" in scholars else [NOT_RUN],
        "synthetic": _synthetic(synthetic["synthetic"]) if synthetic else [NOT_RUN],
        "survey": _survey(survey) if survey else [NOT_RUN],
        "survey near": _survey_near(survey.get("near")),
        "findings": _findings(scholars, synthetic, survey),
    }
    return {name: "\n".join(lines) for name, lines in made.items()}


def per_cent(one: Mapping[str, Any]) -> str:
    """A share with its interval.

    >>> per_cent({"n": 1, "of": 4, "share": 0.25, "low": 0.05, "high": 0.7})
    '25 % (5 to 70; 1 of 4)'
    """
    if not one["of"]:
        return "none"
    small = one["share"] < 0.02
    low, share, high = (f"{100 * one[name]:.{2 if small else 0}f}" for name in ("low", "share", "high"))
    return f"{share} % ({low} to {high}; {one['n']:,} of {one['of']:,})"


def _row(*cells: Any) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def _head(*cells: str) -> Iterator[str]:
    yield _row(*cells)
    yield "|---" * len(cells) + "|"


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _cost(stored: Mapping[str, Any]) -> str:
    making = {one["persons"]: one["making"] for one in stored.values()}
    parts = [f"{name} {one['cpu']} s and {one['peak']} GB" for name, one in stored.items()]
    made = ", ".join(f"{persons:,} persons in {seconds:.0f} s" for persons, seconds in making.items())
    return f"Processor time of making the world: {made}. Of the parts, with their largest memory: {'; '.join(parts)}."


def _exact(found: Mapping[str, Any]) -> Iterator[str]:
    tried = [process for process in NAMES if process in found]
    yield from _head("", "book", *(f"process {NAMES[process]}" for process in tried))
    each = [found[process]["exact"] for process in tried]
    samples = len(each[0]["records"])
    rows: dict[str, tuple[str, Any]] = {
        "records, a sample": ("169,368", lambda one: f"{_mean(one['records']):,.0f}"),
        "unique by ten keys": ("38.6 %", lambda one: f"{100 * _mean(one['unique_all']):.1f} %"),
        "records with values of the handbook": ("3,099", lambda one: f"{_mean(one['restricted']):,.0f}"),
        "of them unique": ("79.3 %", lambda one: f"{100 * _mean(one['unique_restricted']):.1f} %"),
        "persons in both files, a sample": ("53 (80 expected)", lambda one: f"{_mean(one['overlap']):.0f}"),
        "of them recorded alike in some version": (
            "19 % (10 of 53)",
            lambda one: per_cent(one["identical_any"]),
        ),
        "one-to-one assignments, a sample": ("14", lambda one: one["exact"]["per_sample"]),
        "of them right": ("29 % (4 of 14)", lambda one: per_cent(one["exact"]["right"])),
        "found, of those in both files": ("8 % (4 of 53)", lambda one: per_cent(one["exact"]["found"])),
        "found, of the handbook": ("0.05 % (4 of 7,983)", lambda one: per_cent(one["exact"]["of_known"])),
        "found, when it is known who took part": (
            "17 % (9 of 53)",
            lambda one: per_cent(one["participation"]["found"]),
        ),
        "wrong links then": (
            "0 of 9",
            lambda one: (
                f"{one['participation']['claims'] - one['participation']['right']['n']}"
                f" of {one['participation']['claims']}"
            ),
        ),
    }
    for name, (book, told) in rows.items():
        yield _row(name, book, *(told(one) for one in each))
    unique = [100 * one for one in found["handbook"]]
    yield ""
    yield f"Counts are of {samples} samples together, intervals are 95 %. The versions of the handbook are unique in"
    yield f"{min(unique):.0f} to {max(unique):.0f} % of their entries (book: 45 to 65 %), with all first codes in"
    yield f"{unique[0]:.0f} % (62.7 %)."


def _near(found: Mapping[str, Any]) -> Iterator[str]:
    tried = [process for process in NAMES if process in found]
    yield from _head("technique, version of the handbook", *(f"process {NAMES[process]}" for process in tried))
    names = list(dict.fromkeys(name for process in tried for name in found[process]["near"]))
    for name in names:
        cells = [found[process]["near"].get(name) for process in tried]
        yield _row(name.replace("file", "version"), *(per_cent(one["right"]) if one else "–" for one in cells))


def _beliefs(found: Mapping[str, Any]) -> Iterator[str]:
    yield from _head("errors the attacker reckons with", "claims", "right", "found of those in both files")
    for name, one in found["beliefs"].items():
        told = f"process {NAMES[name]}" if name in NAMES else f"process 2, {name}"
        yield _row(told, one["claims"], per_cent(one["right"]), per_cent(one["found"]))


def _measures(found: Mapping[str, Any]) -> Iterator[str]:
    yield from _head(
        "release", "book", "assignments, a sample", "right", "found", "unique", "unique, handbook's values"
    )
    for name, one in found["measures"].items():
        unique = [f"{100 * one[which]:.0f} %" for which in ("unique_all", "unique_restricted")]
        yield _row(
            name, BOOK_MEASURES[name], one["per_sample"], per_cent(one["right"]), per_cent(one["found"]), *unique
        )


def _synthetic(found: Mapping[str, Any]) -> Iterator[str]:
    yield from _head("technique", "claims", "right", "found of all asked")
    for name, one in found["own"].items():
        yield _row(f"{name}", one["claims"], per_cent(one["right"]), per_cent(one["found"]))
    yield ""
    yield f"Of {found['asked']:,} entries asked for, {found['identical']} are without any error. Right claims, at equal"
    yield "numbers of claims:"
    yield ""
    levels = found["levels"]
    yield from _head("technique", *(f"{level:,}" for level in levels))
    for name, curve in found["curves"].items():
        cells = [
            f"{right:,}" if claims >= level - 5 else f"{right:,} of {claims:,}"
            for level, (claims, right) in zip(levels, curve, strict=True)
        ]
        yield _row(name, *cells)


def _survey(found: Mapping[str, Any]) -> Iterator[str]:
    levels = {"none": "no mistakes", "census_microcensus": "rates of Table 4.4", "allbus": "rates of Table 4.3"}
    yield from _head(
        "keys",
        "errors",
        "unique, sample",
        "unique, survey",
        "assigned",
        "one to one",
        "right",
        "recorded alike",
        "found, taking part known",
    )
    for phase, book in BOOK_PHASES.items():
        yield _row(phase, "book", *book, "35" if phase == "35" else "–", "0", "0 of 10" if phase == "13" else "–", "–")
        for level, told in levels.items():
            if level not in found:
                yield _row(phase, told, *([NOT_RUN] * 7))
                continue
            one = found[level][phase]
            yield _row(
                phase, told, f"{100 * one['unique']:.0f} %", f"{100 * one['unique_known']:.0f} %",
                f"{one['assigned']:,.0f}", one["exact"]["per_sample"], per_cent(one["exact"]["right"]),
                per_cent(one["identical"]), per_cent(one["participation"]["found"]),
            )  # fmt: skip
    if allbus := found.get("allbus"):
        yield from _beside(allbus)


def _beside(found: Mapping[str, Any]) -> Iterator[str]:
    off, stairs, common = found["differences"], found["backstairs"], found["common"]
    alone, gone = stairs["21"], per_cent(stairs["13"]["gone"])
    yield ""
    yield "With the rates of Table 4.3 the records of a person differ in"
    yield f"{off['13']['mean']} of 13 keys on average (book: 2.3) and in {off['35']['mean']} of 35 (5.8)."
    yield f"Who is known to have taken part has {stairs['5']['median']:.0f} candidates by the five reliable keys"
    yield f"(book: 100 to 881, median 458). With 13 keys the own record is gone for {gone},"
    yield f"with 21 for {per_cent(alone['gone'])}."
    yield f"Of those alone with 21 keys {alone['alone_right']} of {alone['alone']['n']} are right."
    yield f"In all {common['samples']} samples of the Land both files have {common['least']} to {common['most']}"
    yield f"persons in common, {common['mean']:.1f} on average with a standard deviation of {common['deviation']:.1f};"
    yield f"independent draws would have {common['binomial']:.1f}."


def _survey_near(found: Mapping[str, Any] | None) -> Iterator[str]:
    if not found:
        yield NOT_RUN
        return
    yield from _head("technique, keys", "claims", "right", "found")
    for name, one in found.items():
        if isinstance(one, Mapping) and "right" in one:
            yield _row(name, one["claims"], per_cent(one["right"]), per_cent(one["found"]))


def _findings(scholars: Any, synthetic: Any, survey: Mapping[str, Any]) -> Iterator[str]:
    from bench.experiments_findings import findings

    yield from _head("finding of the book", "book", "here", "holds")
    for one in findings(scholars, synthetic["synthetic"] if synthetic else None, survey):
        yield _row(*one)
