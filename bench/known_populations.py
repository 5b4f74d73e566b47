"""Persons of whom all are known, and samples of them: files from a folder, and two populations drawn from tables."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]
LISTED = Path(__file__).with_suffix(".toml")
TABLES = Path(__file__).parent / "tables"
FRACTIONS = (0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.6)
DRAWN_SETS = 5
"""Random key sets of each population, of two to eight columns."""
SMALLEST = 100
"""Records a sample must have."""


class Population(NamedTuple):
    """Columns as codes (-1 is missing), sets of keys, and the unit each person belongs to."""

    name: str
    columns: dict[str, Codes]
    sets: tuple[tuple[str, ...], ...]
    unit: Codes | None = None
    whole: str = "households"
    source: str = ""

    @property
    def persons(self) -> int:
        """How many there are."""
        return len(next(iter(self.columns.values())))


class Sample(NamedTuple):
    """The classes of a sample, and how many each has in the population: persons, or units where these are counted."""

    population: str
    kind: str
    """Whether the keys are plain ones or drawn at random."""
    keys: tuple[str, ...]
    fraction: float
    drawn: str
    """persons; households or establishments: whole ones, members counted; units: whole ones, counted themselves."""
    codes: Codes
    sizes: NDArray[np.int64]
    members: NDArray[np.int64]
    exact: float
    """Part of the population that was drawn."""


def populations(folder: Path | None) -> Iterator[Population]:
    """Those of the list that lie in the folder, then the two that are drawn from tables."""
    for one in tomllib.loads(LISTED.read_text(encoding="utf-8"))["population"]:
        if folder is not None and (folder / one["file"]).exists():
            yield _read(folder / one["file"], one)
    yield pennsylvania()
    yield causes()


def _read(path: Path, one: dict[str, Any]) -> Population:
    import pyarrow.csv as pc

    names = one["columns"].split()
    unit = one.get("unit")
    table = pc.read_csv(
        path,
        parse_options=pc.ParseOptions(delimiter=one.get("separator", ",")),
        convert_options=pc.ConvertOptions(
            include_columns=[*names, *([unit] if unit else [])], strings_can_be_null=True
        ),
    )

    def coded(name: str) -> Codes:
        column = table[name].combine_chunks().dictionary_encode()
        return np.asarray(column.indices.fill_null(-1).to_numpy().astype(np.int32))

    sets = tuple(tuple(keys.split()) for keys in one["sets"])
    columns = {name: coded(name) for name in names}
    whole = one.get("whole", "households")
    return Population(one["name"], columns, sets, coded(unit) if unit else None, whole, one["from"])


def pennsylvania(persons: int = 120_000) -> Population:
    """Persons by county, race, sex and age, drawn from the census of 2000: ages are even inside the published groups.

    Source: 2000 decennial census, 67 counties by race, sex and four groups of age, as in the R package SpatialEpi
    (pennLC). One in a hundred of the 12.3 million.
    """
    rng = np.random.Generator(np.random.Philox(key=67))
    names, table = _table("pennsylvania")
    place = rng.choice(table.size, persons, p=(table / table.sum()).ravel())
    county, group = np.divmod(place, len(names))
    parts = [name.split() for name in names]
    first = np.array([int(part[2].split("-")[0]) for part in parts])
    last = np.array([int(part[2].split("-")[1]) for part in parts])
    columns = {
        "county": county,
        "race": np.array([part[0] == "white" for part in parts])[group],
        "sex": np.array([part[1] == "men" for part in parts])[group],
        "age": rng.integers(first[group], last[group] + 1),
        "birth_month": rng.integers(0, 12, persons),
    }
    sets = ("county sex age", "county race sex age", "county race sex birth_month", "race sex age birth_month")
    return _made("pennsylvania", columns, sets, "drawn from a table: county, race, sex and age, Pennsylvania 2000")


def causes() -> Population:
    """Deaths of 1974 to 1977 by sex, age and cause, in a land by its size.

    Source: 53,182 suicides in West Germany (Heuer 1979: Selbstmord bei Kindern und Jugendlichen), as in the R package
    vcd. Ages are even inside groups of five years; lands by the populations the example world has.
    """
    from schleier.world.codes import LANDS

    rng = np.random.Generator(np.random.Philox(key=1974))
    names, table = _table("causes")
    counts = table.ravel().astype(np.int64)
    place = np.repeat(np.arange(table.size), counts)
    age, group = np.divmod(place, len(names))
    millions = np.array([size for _, size, _ in LANDS.values()])
    columns = {
        "sex": group // (len(names) // 2),
        "cause": group % (len(names) // 2),
        "age": 10 + 5 * age + rng.integers(0, 5, len(place)),
        "land": rng.choice(len(millions), len(place), p=millions / millions.sum()),
        "year": rng.integers(1974, 1978, len(place)),
    }
    sets = ("sex age cause", "sex age land", "sex age cause land", "sex cause land year")
    return _made(
        "causes", columns, sets, "drawn from a table: suicides by sex, age and cause, West Germany 1974 to 1977"
    )


def _table(name: str) -> tuple[list[str], NDArray[np.float64]]:
    with (TABLES / f"{name}.csv").open(encoding="utf-8") as lines:
        head, *rows = csv.reader(lines)
    return head[1:], np.array([[float(cell) for cell in row[1:]] for row in rows])


def _made(name: str, columns: dict[str, NDArray[Any]], sets: tuple[str, ...], source: str) -> Population:
    coded = {key: column.astype(np.int32) for key, column in columns.items()}
    return Population(name, coded, tuple(tuple(keys.split()) for keys in sets), source=source)


def key_sets(population: Population, seed: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The plain sets, and others drawn at random."""
    yield from (("plain", keys) for keys in population.sets)
    rng, names = np.random.Generator(np.random.Philox(key=seed)), list(population.columns)
    seen = {frozenset(keys) for keys in population.sets}
    for _ in range(20):
        keys = tuple(rng.permutation(names)[: rng.integers(2, 9)])
        if frozenset(keys) not in seen and len(seen) < len(population.sets) + DRAWN_SETS:
            seen.add(frozenset(keys))
            yield "random", tuple(str(key) for key in keys)


def samples(population: Population, seed: int = 1) -> Iterator[Sample]:
    """Every key set with every fraction: persons are drawn; where there are units, also whole units."""
    rng = np.random.Generator(np.random.Philox(key=seed + 1_000))
    for kind, keys in key_sets(population, seed):
        codes = np.stack([population.columns[name] for name in keys], axis=1)
        _, first, index = np.unique(_packed(codes), return_index=True, return_inverse=True)
        for fraction in FRACTIONS:
            for drawn in ("persons",) if population.unit is None else ("persons", population.whole, "units"):
                found = _drawn(population, codes[first], index.ravel(), fraction, drawn, rng)
                sample = Sample(population.name, kind, keys, fraction, drawn, *found)
                if sample.sizes.sum() >= SMALLEST:
                    yield sample


def _drawn(
    population: Population,
    codes: Codes,
    index: NDArray[np.int64],
    fraction: float,
    drawn: str,
    rng: np.random.Generator,
) -> tuple[Codes, NDArray[np.int64], NDArray[np.int64], float]:
    if drawn == "persons" or population.unit is None:
        taken = rng.random(len(index)) < fraction
    else:
        taken = (rng.random(int(population.unit.max()) + 1) < fraction)[population.unit]
    if drawn == "units" and population.unit is not None:
        # A unit is counted once in each class it is in.
        pairs, first = np.unique(population.unit.astype(np.int64) * len(codes) + index, return_index=True)
        index, taken = pairs % len(codes), taken[first]
    members = np.bincount(index, minlength=len(codes))
    sizes = np.bincount(index[taken], minlength=len(codes))
    found = np.flatnonzero(sizes)
    return codes[found], sizes[found], members[found], float(sizes.sum() / len(index))


def _packed(codes: Codes) -> NDArray[np.int64]:
    packed = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:
        packed = packed * (int(column.max()) + 2) + column + 1
        if int(packed.max()) > 1 << 40:
            packed = np.unique(packed, return_inverse=True)[1].ravel().astype(np.int64)
    return packed
