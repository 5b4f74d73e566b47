"""Areas with enough inhabitants, from a table that says how many people live where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core import registry
from schleier.core.engine import Resources
from schleier.core.errors import DataError, stop
from schleier.core.hierarchy import ROOT
from schleier.core.schema import Column, Schema
from schleier.draft.hierarchies import is_coded
from schleier.draft.names import meaning_of, spelt
from schleier.flow.run.reader import read, read_header

if TYPE_CHECKING:
    from collections.abc import Collection

INHABITANTS = (
    "inhabitants",
    "population",
    "einwohner",
    "einwohnerzahl",
    "bevoelkerung",
    "persons",
    "personen",
    "count",
)
LONGEST = 3
"""Characters of a postcode or region code that are kept at most."""


@dataclass(frozen=True)
class Places:
    """How many people live in each place, for every column of places that the table has."""

    people: Mapping[str, Mapping[str, float]]

    def of(self, column: str, meaning: str | None) -> Mapping[str, float] | None:
        """The places in a column of the file: of the same name, else of the same meaning when there is only one."""
        if column in self.people:
            return self.people[column]
        alike = [name for name in self.people if meaning and (m := meaning_of(name)) is not None and m.name == meaning]
        return self.people[alike[0]] if len(alike) == 1 else None


def inhabitants_by_place(file: Path | str) -> Places:
    """The table of inhabitants: one column of numbers that is called so, the others are places."""
    kinds, _, layout = read_header(file)
    counts = [name for name in kinds if spelt(name) in INHABITANTS]
    names = [name for name in kinds if name not in counts]
    if len(counts) != 1 or not names:
        message = "the table must have columns of places and one of inhabitants"
        stop(DataError, "bad-population", str(file), message, "call the latter 'inhabitants' or 'population'")
    columns = (*(Column(name=name, scale="place") for name in names), Column(name=counts[0], scale="continuous"))
    engine = registry.get("engine", "duckdb")(Resources())
    try:
        table = read(file, Schema(columns=columns, layout=layout), engine).to_arrow().to_pydict()
    finally:
        engine.close()
    if any(number is None or number < 0 for number in table[counts[0]]):
        hint = "remove such lines, or correct them"
        stop(DataError, "bad-population", str(file), "a number of inhabitants is missing or negative", hint)
    people: dict[str, dict[str, float]] = {name: defaultdict(float) for name in names}
    for name in names:
        for place, number in zip(table[name], table[counts[0]], strict=True):
            if place is not None:
                people[name][str(place).strip()] += number
    return Places({name: dict(found) for name, found in people.items()})


def zones(people: Mapping[str, float], least: float) -> dict[str, str]:
    """The area of each code: the longest first characters, three at most, that all leave enough people.

    An area is divided only when each of its parts has enough: otherwise what is left over would be a part by itself.

    >>> zones({"53117": 15_000, "53221": 9_000, "50667": 30_000}, 20_000)
    {'53117': '53*', '53221': '53*', '50667': '506*'}
    >>> zones({"53117": 15_000, "50667": 30_000}, 20_000)
    {'53117': '5*', '50667': '5*'}
    """

    def divided(codes: Collection[str], kept: int) -> dict[str, str]:
        parts: dict[str, list[str]] = defaultdict(list)
        for code in codes:
            parts[code[: kept + 1]].append(code)
        whole = dict.fromkeys(codes, f"{next(iter(codes))[:kept]}{ROOT}")
        if kept == LONGEST or any(sum(people[code] for code in part) < least for part in parts.values()):
            return whole
        return {code: zone for part in parts.values() for code, zone in divided(part, kept + 1).items()}

    return divided(list(people), 0) if people else {}


def large(people: Mapping[str, float], least: float, other: str) -> dict[str, str]:
    """The name of each place that is large enough; the small ones together, with the next larger until they are.

    >>> large({"Bonn": 330_000, "Rees": 21_000, "Wachtberg": 20_500, "Rheinbach": 4_000}, 20_000, "other")
    {'Bonn': 'Bonn', 'Rees': 'Rees', 'Wachtberg': 'other', 'Rheinbach': 'other'}
    """
    small: list[str] = []
    for name in sorted(people, key=lambda name: people[name]):
        enough = not small or sum(people[one] for one in small) >= least
        if people[name] >= least and enough:
            break
        small.append(name)
    return {name: other if name in small else name for name in people}


def rows_of(people: Mapping[str, float], least: float, other: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A hierarchy whose first level are the areas, and one that goes on from there."""
    coded = is_coded(list(people))
    area = zones(people, least) if coded else large(people, least, other)
    first = {"rows": [[place, zone, ROOT] for place, zone in area.items()], "outside": "root"}
    if set(area.values()) == {ROOT}:
        first = {"rows": [[place, ROOT] for place in area], "outside": "root"}
    return first, {"prefix": [1] if coded and max(map(len, area.values())) > len("5*") else [0]}
