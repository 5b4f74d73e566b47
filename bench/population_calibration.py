"""How far models of population uniques are off on populations that nobody here has made, and intervals that know it.

``python -m bench.population_calibration FOLDER`` draws samples of the populations in the folder (those that
known_populations.toml lists) and of two that are drawn from published tables. It learns the ends of the intervals from
them, which go to src/schleier/kernels/population/unique_intervals.json, and writes what comes out where each population
is left out in turn to population_calibration.json and to docs/guide/population-models.md. Takes some minutes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.known_populations import FRACTIONS, Sample, populations, samples
from schleier.kernels.population.models import FEWEST, MODELS, Model, UniqueCount, highest
from schleier.kernels.population.unique_intervals import STORED as CONSTANTS
from schleier.kernels.population.unique_intervals import Calibration, features, log_odds

Floats = NDArray[np.float64]
STORED = Path(__file__).with_suffix(".json")
QUANTILE = 0.95
"""Of the errors, where the ends lie before they are moved out."""
COVERED = 0.97
"""Part of the samples of a population that the ends are moved out for, when they were learned without it."""
BUT = 1
"""For so many populations they are not moved out so far."""
PROMISED = (0.01, 0.3)
"""Fractions the figures of the whole are about."""


class Cell(NamedTuple):
    """One sample: what is true of it, and what the models say."""

    population: str
    kind: str
    keys: int
    fraction: float
    drawn: str
    exact: float
    uniques: int
    truth: int
    found: dict[Model, float]
    """Not a number where a model fails."""

    @property
    def learned_from(self) -> bool:
        """Whole establishments are shown, but nothing is learned from them."""
        return self.drawn != "establishments"


def asked(sample: Sample) -> Cell | None:
    """What the models say of a sample; nothing where too few are unique in it to be trusted."""
    from schleier.kernels.population.margins import chances
    from schleier.kernels.population.uniques import estimates, frequencies

    uniques, truth = int((sample.sizes == 1).sum()), int((sample.members == 1).sum())
    if uniques < FEWEST:
        return None
    simple = estimates(*frequencies(sample.sizes), sample.exact, [model for model in MODELS if model != "margins"])
    records = float(sample.sizes.sum())
    found: dict[Model, float] = {model: min(one.share * records, uniques) for model, one in simple.items()}
    found["margins"] = float(chances(sample.codes, sample.sizes, sample.exact).chances.sum())
    kind, drawn, keys = sample.kind, sample.drawn, len(sample.keys)
    return Cell(sample.population, kind, keys, sample.fraction, drawn, sample.exact, uniques, truth, found)


def quantile_fit(x: Floats, y: Floats, weights: Floats, quantile: float) -> Floats:
    """The linear function of x that so large a part of y is not above: quantile regression, by its dual program."""
    from scipy.optimize import linprog

    x, y = x * weights[:, None], y * weights
    found = linprog(-y, A_eq=x.T, b_eq=(1 - quantile) * x.sum(axis=0), bounds=(0, 1), method="highs")
    return np.asarray(-found.eqlin.marginals)


class Errors(NamedTuple):
    """The errors of a model, cell by cell."""

    x: Floats
    y: Floats
    populations: NDArray[np.str_]

    def without(self, population: str) -> Errors:
        return self._picked(self.populations != population)

    def of(self, population: str) -> Errors:
        return self._picked(self.populations == population)

    def _picked(self, mask: NDArray[np.bool_]) -> Errors:
        return Errors(self.x[mask], self.y[mask], self.populations[mask])

    def end(self, side: int) -> Floats:
        """Where the upper (1) or lower (-1) end lies. Of a population with many cells each counts less."""
        _, place, counts = np.unique(self.populations, return_inverse=True, return_counts=True)
        return side * quantile_fit(self.x, side * self.y, counts[place] ** -0.5, QUANTILE)

    def moved_end(self, side: int) -> Floats:
        """The end, moved out so that populations it was not learned from are covered too."""
        needed = []
        for name in np.unique(self.populations):
            own, end = self.of(str(name)), self.without(str(name)).end(side)
            needed.append(np.quantile(side * (own.y - own.x @ end), COVERED))
        end = self.end(side)
        end[0] += side * max(sorted(needed)[-1 - BUT], 0.0)
        return end


def errors(cells: Sequence[Cell], model: Model) -> Errors:
    """Where the model could be fitted. The error of ``margins`` does not depend on the fraction beyond chance."""
    used = [cell for cell in cells if cell.learned_from and np.isfinite(cell.found[model])]
    x = np.array([features(cell.found[model], cell.uniques, cell.exact) for cell in used])
    if model == "margins":
        x = x[:, :2]
    y = [log_odds(cell.truth, cell.uniques) - log_odds(cell.found[model], cell.uniques) for cell in used]
    return Errors(x, np.array(y), np.array([cell.population for cell in used]))


def learn(cells: Sequence[Cell], model: Model) -> Calibration:
    """The ends of a model, and how far it is off beyond chance for each fraction."""
    found = errors(cells, model)
    low, high = (tuple(float(v) for v in np.round(np.pad(found.moved_end(s), (0, 3))[:3], 3)) for s in (-1, 1))
    off = []
    for fraction in FRACTIONS:
        own = [cell for cell in cells if cell.fraction == fraction]
        one = errors(own, model)
        off.append(round(float(np.sqrt(max(float((one.y**2 - one.x[:, 1] ** 2).mean()), 0.0))), 2))
    return Calibration(low, high, tuple(off), FRACTIONS)


class Judged(NamedTuple):
    """A cell with the interval learned without its population, and whether another model was taken."""

    cell: Cell
    low: float
    high: float
    other: bool


def left_out(cells: Sequence[Cell]) -> list[Judged]:
    """Every population judged by what the others taught; where the models disagree, the higher one is taken."""
    found = []
    for name in dict.fromkeys(cell.population for cell in cells):
        rest = [cell for cell in cells if cell.population != name]
        learned = {model: learn(rest, model) for model in MODELS}
        for cell in (cell for cell in cells if cell.population == name):
            told = {model: _told(cell, model, learned[model]) for model in MODELS}
            one = highest(told, "margins")
            found.append(Judged(cell, one.low, one.high, "disagree" in one.doubts))
    return found


def _told(cell: Cell, model: Model, learned: Calibration) -> UniqueCount:
    expected = cell.found[model]
    if not np.isfinite(expected):
        return UniqueCount(model, expected, 0.0, cell.uniques)
    return UniqueCount(model, expected, *learned.interval(expected, cell.uniques, cell.exact))


def summary(judged: Sequence[Judged]) -> dict[str, Any]:
    """How often the truth is not above the upper end (and in the interval), and how far the end is above the truth."""
    ratios = [one.high / one.cell.truth for one in judged if one.cell.truth]
    raw = [one.cell.found["margins"] / one.cell.truth for one in judged if one.cell.truth]
    return {
        "cells": len(judged),
        "covered": round(float(np.mean([one.cell.truth <= one.high for one in judged])), 3),
        "inside": round(float(np.mean([one.low <= one.cell.truth <= one.high for one in judged])), 3),
        "ratio": round(float(np.median(ratios)), 2) if ratios else None,
        "estimate": round(float(np.median(raw)), 2) if raw else None,
        "higher": sum(one.other for one in judged),
    }


def strata(judged: Sequence[Judged]) -> dict[str, dict[str, dict[str, Any]]]:
    """By population, fraction, kind of keys, and what was drawn; whole establishments only in the last."""
    parts: dict[str, Callable[[Cell], str]] = {
        "population": lambda cell: cell.population,
        "fraction": lambda cell: f"{100 * cell.fraction:g} %",
        "keys": lambda cell: cell.kind,
        "drawn": lambda cell: cell.drawn,
    }
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for part, of in parts.items():
        some = [one for one in judged if one.cell.learned_from or part == "drawn"]
        if part != "fraction":
            some = [one for one in some if PROMISED[0] <= one.cell.fraction <= PROMISED[1]]
        ordered = sorted(some, key=lambda one: one.cell.fraction) if part == "fraction" else some
        names = dict.fromkeys(of(one.cell) for one in ordered)
        found[part] = {name: summary([one for one in some if of(one.cell) == name]) for name in names}
    return found


def main(folder: str | None = None) -> int:
    """Draw, learn, leave out, and write."""
    from bench.population_models_text import write_calibration

    cells, sources = list[Cell](), dict[str, dict[str, Any]]()
    for seed, population in enumerate(populations(Path(folder) if folder else None), 1):
        own = [cell for cell in map(asked, samples(population, seed)) if cell is not None]
        sources[population.name] = {"source": population.source, "persons": population.persons}
        cells += own
        sys.stderr.write(f"{population.name}: {len(own)} samples\n")
    if len(sources) < 6:
        sys.stderr.write("fewer than four populations in the folder: nothing is learned from so few\n")
        return 1
    judged = left_out(cells)
    whole = [one for one in judged if one.cell.learned_from]
    promised = [one for one in whole if PROMISED[0] <= one.cell.fraction <= PROMISED[1]]
    stored = {"populations": sources, "all": summary(promised), "every fraction": summary(whole), **strata(judged)}
    STORED.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    learned = {model: learn(cells, model) for model in MODELS}
    constants = {
        "made by": "python -m bench.population_calibration",
        "fractions": list(FRACTIONS),
        "models": {model: {"low": one.low, "high": one.high, "off": one.off} for model, one in learned.items()},
    }
    CONSTANTS.write_text(json.dumps(constants, indent=1) + "\n", encoding="utf-8")
    write_calibration(stored, constants)
    sys.stdout.write(f"{stored['all']}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
