"""Models of population uniques and of individual risk on invented worlds: ``python -m bench.population_models``.

Draws samples from invented worlds, where it is known who is unique, and writes tables and pictures of
docs/guide/population-models.md and bench/population_models.json, on which the defaults of ``population_uniques`` and of
``individual_risk`` and the intervals of right links rest; those of uniques are made by bench.population_calibration.
Takes some minutes. Where the numbers of the intervals change, it says so: put the new ones into the code.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schleier.core.classes import Classes
from schleier.kernels.population import link_intervals
from schleier.kernels.population.link_intervals import FRACTIONS, LinkSum
from schleier.kernels.population.links import SMALL
from schleier.kernels.population.log_linear import shape
from schleier.kernels.population.models import Model, UniqueCount, count_by_models
from schleier.risk._individual_models import estimated
from schleier.world.geography import gazetteer
from schleier.world.population import World

Floats = NDArray[np.float64]
STORED = Path(__file__).with_suffix(".json")
PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
SAMPLED = FRACTIONS[:-1]
SAMPLES, FEWER = 20, 6
LARGEST = 400_000
"""Combinations of keys up to which the log-linear model is asked: it holds them all."""
COLUMNS = "land municipality age sex nationality marital schooling occupation industry household_size".split()


class Place(NamedTuple):
    """A world: how many persons, which one, and as many municipalities as a world of another size has."""

    persons: int
    seed: int
    places_of: int


class Study(NamedTuple):
    """Worlds, columns an attacker may know, and samples of each."""

    worlds: dict[str, Place]
    keys: dict[str, str]
    samples: int


STUDY = Study(
    {"towns": Place(1_200_000, 1, 1_200_000), "villages": Place(400_000, 2, 12_000_000)},
    {
        "short": "land age sex marital schooling",
        "place": "municipality age sex nationality",
        "work": "land age sex marital schooling occupation",
    },
    SAMPLES,
)
"""What is reported: 149 municipalities of 8,000 persons on average, and 1,457 of 275."""
APART = Study(
    {"apart": Place(800_000, 3, 800_000), "apart villages": Place(250_000, 4, 4_000_000)},
    {
        "family": "municipality age sex marital",
        "origin": "land age sex nationality marital household_size",
        "job": "age sex schooling occupation",
        "trade": "municipality sex schooling industry",
    },
    FEWER,
)
"""Other worlds and other columns, from which the intervals learn how far the models are off."""


class Drawn(NamedTuple):
    """One sample: the classes found in it, and how many persons of the population each has."""

    world: str
    keys: str
    fraction: float
    codes: NDArray[np.int32]
    sizes: NDArray[np.int64]
    persons: NDArray[np.int64]
    exact: float
    """Part of the population that was drawn."""


def population(place: Place) -> dict[str, NDArray[np.int32]]:
    """The columns of a world as codes; -1 is missing."""
    key = bytes([place.seed]) * 32
    parts: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for batch in World(place.persons, key, gazetteer(place.places_of, key)).batches():
        for name in COLUMNS:
            column = batch.column(name)
            coded = column.indices.fill_null(-1) if hasattr(column, "indices") else column
            parts[name].append(coded.to_numpy().astype(np.int32))
    return {name: np.concatenate(each) for name, each in parts.items()}


def draws(study: Study) -> Iterator[Drawn]:
    """Samples of persons, each drawn with the same chance."""
    for world, place in study.worlds.items():
        columns = population(place)
        for keys, names in study.keys.items():
            codes = np.stack([columns[name] for name in names.split()], axis=1)
            packed = np.zeros(len(codes), dtype=np.int64)
            for column in codes.T:
                packed = packed * (int(column.max()) + 2) + column + 1
            _, first, index, persons = np.unique(packed, return_index=True, return_inverse=True, return_counts=True)
            rng = np.random.Generator(np.random.Philox(key=place.seed))
            for fraction in SAMPLED:
                for _ in range(study.samples):
                    sizes = np.bincount(index[rng.random(len(index)) < fraction], minlength=len(first))
                    found = np.flatnonzero(sizes)
                    exact = float(sizes.sum() / len(index))
                    yield Drawn(world, keys, fraction, codes[first[found]], sizes[found], persons[found], exact)


class Row(NamedTuple):
    """What one model said of one sample."""

    world: str
    keys: str
    fraction: float
    model: str
    truth: float
    found: float
    low: float
    high: float
    of: float
    """Records that are unique in the sample."""


def uniques(drawn: Drawn, found: dict[Model, UniqueCount]) -> Iterator[Row]:
    """Records of the sample that are unique in the population, by every model."""
    truth, of = float((drawn.persons == 1).sum()), float((drawn.sizes == 1).sum())
    for model, one in found.items():
        yield Row(*drawn[:3], model, truth, one.expected, one.low, one.high, of)


class Said(NamedTuple):
    """What one model of individual risk said of one sample, and the truth."""

    world: str
    keys: str
    fraction: float
    model: str
    truth: float
    guessed: float
    """The truth about classes with few records."""
    found: LinkSum

    def row(self, off: dict[str, list[float]]) -> Row:
        """With the interval of a model that was so far off elsewhere."""
        far = float(np.interp(np.log(self.fraction), np.log(FRACTIONS), [*off[self.model], 0.0]))
        return Row(*self[:5], self.found.known + self.found.guessed, *self.found.interval(far), float(self.found.of))


def links(drawn: Drawn, alone: UniqueCount) -> Iterator[Said]:
    """Records somebody who guesses at random would link rightly, the sum of 1/F, by every model of individual risk."""
    parts = drawn.sizes / drawn.persons
    classes = Classes(tuple(map(str, range(drawn.codes.shape[1]))), (), drawn.codes, drawn.sizes)
    for model in link_intervals.OFF:
        if model == "log_linear" and np.prod([float(size) for size in shape(drawn.codes)]) > LARGEST:
            continue
        told = estimated(model, classes, drawn.sizes, drawn.sizes / drawn.exact, fitted=alone.fitted)
        one = told.linked(classes, drawn.sizes)
        if one is None:
            raise RuntimeError("all of the population is in the sample")
        yield Said(*drawn[:3], model, float(parts.sum()), float(parts[drawn.sizes <= SMALL].sum()), one)


def errors(rows: list[Row]) -> Floats:
    """log(estimate / truth), 0.5 added to both so that none counts; a model that fails says that all are unique."""
    found = [row.found if np.isfinite(row.found) else row.of for row in rows]
    return np.log((np.array(found) + 0.5) / (np.array([row.truth for row in rows]) + 0.5))


def summary(rows: list[Row], covered: bool = True) -> dict[str, Any]:
    """Bias (geometric mean of estimate / truth), root mean square error of its logarithm, coverage."""
    inside = [row.low <= row.truth <= row.high for row in rows if np.isfinite(row.low)]
    off = errors(rows)
    return {
        "bias": round(float(np.exp(off.mean())), 3),
        "rmse": round(float(np.sqrt((off**2).mean())), 3),
        **({"coverage": round(float(np.mean(inside)), 3) if inside else None} if covered else {}),
        "samples": len(rows),
    }


def summaries(rows: list[Row], covered: bool = True) -> dict[str, dict[str, Any]]:
    """By model: pooled, and by sampling fraction. Intervals of uniques are judged on populations that are not ours."""
    found: dict[str, dict[str, Any]] = {}
    for model in dict.fromkeys(row.model for row in rows):
        own = [row for row in rows if row.model == model]
        parts = {f"{f:g}": summary([row for row in own if row.fraction == f], covered) for f in SAMPLED}
        found[model] = {"pooled": summary(own, covered), **parts}
    return found


def links_off_by(said: list[Said]) -> dict[str, list[float]]:
    """How far a model of right links is off, as a standard deviation of log odds, by sampling fraction.

    Of the square of an error the model may take away what it says of itself.

    World by world and keys by keys, so that a model that is too modest here does not pay for one that errs there. A
    half is added: cases of the same world are alike, and if there were four that are not, a t distribution would need
    as much. No model is taken to be nearer than ``margins``: worlds that suit it are not all there are.
    """
    found: dict[str, list[float]] = {}
    for model in link_intervals.OFF:
        found[model] = []
        for fraction in SAMPLED:
            cases: dict[tuple[str, str], list[float]] = {}
            for one in said:
                if (one.model, one.fraction) == (model, fraction):
                    off = one.found.odds(one.found.guessed) - one.found.odds(one.guessed)
                    cases.setdefault((one.world, one.keys), []).append(off**2 - one.found.spread**2)
            beyond = [max(float(np.mean(case)), 0.0) for case in cases.values()]
            found[model].append(round(1.5 * float(np.sqrt(np.mean(beyond))), 2))
    return {model: [max(pair) for pair in zip(off, found["margins"], strict=True)] for model, off in found.items()}


def best(found: dict[str, dict[str, Any]]) -> str:
    """The model with the smallest error over all samples, of those that were asked about every sample."""
    most = max(one["pooled"]["samples"] for one in found.values())
    asked = [model for model, one in found.items() if one["pooled"]["samples"] == most]
    return min(asked, key=lambda model: float(found[model]["pooled"]["rmse"]))


def main() -> int:
    from bench.population_models_text import write_page, write_pictures

    links_off = links_off_by(_asked(APART)[1])
    alone, said = _asked(STUDY)
    linked = [one.row(links_off) for one in said]
    by_model, by_link = summaries(alone, covered=False), summaries(linked)
    stored = {
        "best": {"uniques": best(by_model), "links": best(by_link)},
        "uniques": by_model,
        "links": by_link,
        "small": {model: summary(rows) for model, rows in _small(linked).items()},
        "off": {"links": links_off},
    }
    STORED.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    write_page(stored)
    write_pictures(PICTURES, alone, linked)
    sys.stdout.write(f"best: {stored['best']}\n")
    used = {model: list(values[:-1]) for model, values in link_intervals.OFF.items()}
    if used != links_off:
        sys.stdout.write(f"the intervals use other numbers than were found apart: {links_off}\n")
    return 0 if used == links_off else 1


def _asked(study: Study) -> tuple[list[Row], list[Said]]:
    """What all models say of all samples."""
    alone, said = list[Row](), list[Said]()
    for drawn in draws(study):
        found = count_by_models(drawn.codes, drawn.sizes, drawn.exact)
        alone += uniques(drawn, found)
        said += links(drawn, found["margins"])
    return alone, said


def _small(rows: list[Row]) -> dict[str, list[Row]]:
    """By model: the samples whose combinations are few enough for the log-linear model."""
    few = {row[:3] for row in rows if row.model == "log_linear"}
    return {model: [row for row in rows if row.model == model and row[:3] in few] for model in link_intervals.OFF}


if __name__ == "__main__":
    sys.exit(main())
