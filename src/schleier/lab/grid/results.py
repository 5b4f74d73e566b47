"""What came of a grid: exact for the holder, in coarse steps for everybody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from schleier.core.record import Frozen
from schleier.core.trust.blocks import Outcome, middle_of
from schleier.core.trust.coarse import FEW, OUTCOME
from schleier.core.trust.holding import Held
from schleier.kernels.statistics.trials import Trials, holm, more_often
from schleier.lab.grid.cells import Cell
from schleier.lab.grid.declared import Declaration
from schleier.lab.grid.holding import claims_of, hold

LEVEL = 0.05
"""Chance to call anything security by obscurity where nothing is, over all comparisons of a grid."""
WITHHELD = {"low": None, "high": None, "right": None, "outcome": "withheld"}


class Told(Frozen):
    """One experiment, as everybody may read it."""

    release: str
    technique: str
    threshold: float | None
    keys: str
    knowledge: str
    method: Literal["full", "none"]
    values: bool = False
    """Whether values of persons are claimed: then nobody is found, and only how many claims are right is told."""
    low: float | None = None
    """Between which ends, in steps, lies the share of the targets that is found; nothing where that is not told."""
    high: float | None = None
    right: tuple[float, float] | None = None
    """The same for the share of the claims that is right; nothing for few claims."""
    claimed: float | None = None
    """Of how many targets something is claimed, in steps."""
    outcome: Outcome | None = None
    as_at: int | None = None
    """Place among the cells, from 0, of another experiment whose claims are almost the same: the numbers are those of
    that one, or withheld, for a difference would tell about single persons."""

    @property
    def middle(self) -> float | None:
        """The middle of the interval."""
        return None if self.low is None or self.high is None else (self.low + self.high) / 2


class Slope(Frozen):
    """Whether knowing the method helps (B-029)."""

    release: str
    technique: str
    threshold: float | None
    keys: str
    knowledge: str


class GridReport(Frozen):
    """A whole grid, as everybody may read it."""

    format: Literal["schleier-grid-1"] = "schleier-grid-1"
    schleier: str
    title: str
    releases: tuple[str, ...]
    techniques: tuple[str, ...]
    thresholds: tuple[float, ...]
    keys: dict[str, tuple[str, ...]]
    knowledge: tuple[str, ...]
    method: tuple[Literal["full", "none"], ...]
    runs: int
    cells: tuple[Told, ...]
    compared: int
    """Pairs of experiments that differ only in knowledge of the method."""
    obscurity: tuple[Slope, ...]
    """Where knowing the method finds clearly more: the release is protected by a secret."""


def public_report(
    grid: Declaration,
    cells: Sequence[Cell],
    results: Mapping[str, Any],
    version: str,
    order: Sequence[str] = (),
    published: Sequence[int] = (),
) -> GridReport:
    """The public side of a grid; ``order`` are the cells in the order in which they came into its folder.

    ``published`` is how many of these each publication told: comparisons of an earlier one stay as they are.
    """
    held = hold(cells, results, order)
    rounds = {digest: sum(rank >= end for end in published) for rank, digest in enumerate(order)}
    slopes = slopes_of(_finding(cells, results), _open_trials(cells, results, held), rounds)
    return GridReport(
        schleier=version,
        title=grid.title,
        releases=tuple(one.name for one in grid.releases),
        techniques=tuple(dict.fromkeys(cell.technique for cell in cells)),
        thresholds=tuple(sorted(grid.thresholds)),
        keys=dict(grid.keys),
        knowledge=tuple(one.name for one in grid.knowledge),
        method=grid.method,
        runs=grid.runs,
        cells=tuple(_told(cells, results, held)),
        compared=len(slopes),
        obscurity=tuple(Slope(**where) for where, clear in slopes if clear),
    )


def exact_results(cells: Sequence[Cell], results: Mapping[str, Any]) -> dict[str, Any]:
    """Everything, for the holder: counts, rates, causes; names of columns, no value of any."""
    told = [{"cell": cell.digest, **cell.coordinates, **results[cell.digest]["exact"]} for cell in cells]
    trials = {digest: _trials(result) for digest, result in results.items()}
    obscure = [{**where, "clear": clear} for where, clear in slopes_of(_finding(cells, results), trials)]
    return {"format": "schleier-grid-1", "cells": told, "knowledge_of_the_method": obscure}


def _finding(cells: Sequence[Cell], results: Mapping[str, Any]) -> list[Cell]:
    """Experiments that find persons: of claimed values as many are right by guessing as there are claims."""
    return [cell for cell in cells if not results[cell.digest]["values"]]


def slopes_of(
    cells: Sequence[Cell], trials: Mapping[str, Trials], rounds: Mapping[str, int] | None = None
) -> list[tuple[dict[str, Any], bool]]:
    """For each pair of experiments with and without knowledge of the method whether the first finds clearly more.

    One-sided tests of the first run of each, together at the level (Holm). The persons are the same in both, which the
    test does not use: it calls too little clear rather than too much. Pairs that came in another of the ``rounds`` are
    tested by themselves, so that none is told otherwise because others came later.
    """
    pairs: dict[tuple[Any, ...], dict[str, Cell]] = {}
    for cell in cells:
        place = tuple(value for axis, value in cell.coordinates.items() if axis != "method")
        pairs.setdefault(place, {})[cell.method] = cell
    both = [pair for pair in pairs.values() if len(pair) == 2]
    chances = [more_often(*(trials[pair[method].digest] for method in ("full", "none"))) for pair in both]
    came = [max((rounds or {}).get(cell.digest, 0) for cell in pair.values()) for pair in both]
    clear = dict[int, bool]()
    for one in sorted(set(came)):
        places = [place for place, when in enumerate(came) if when == one]
        clear |= zip(places, holm([chances[place] for place in places], LEVEL), strict=True)
    axes = ("release", "technique", "threshold", "keys", "knowledge")
    return [({axis: getattr(pair["full"], axis) for axis in axes}, clear[i]) for i, pair in enumerate(both)]


def _trials(result: Mapping[str, Any]) -> Trials:
    first = result["exact"]["runs"][0]
    return Trials(int(first.get("correct") or 0), int(first.get("targets") or 0))


def _told(cells: Sequence[Cell], results: Mapping[str, Any], held: Sequence[Held]) -> Iterator[Told]:
    """The experiments with the numbers they are told with."""
    for here, (cell, how) in enumerate(zip(cells, held, strict=True)):
        public = results[cells[how.place].digest]["public"] if how.told else WITHHELD
        public = public if how.guess or public is None else {**public, OUTCOME: "unclear"}
        more = {"values": results[cell.digest]["values"], "as_at": None if how.place == here else how.place}
        yield Told.model_validate({**cell.coordinates, **(public or {}), **more})


def _in_blocks(result: Mapping[str, Any]) -> Trials:
    """What was found, told as the middle of a block of counts: whoever repeats the attack knows his claims."""
    own = _trials(result)
    return Trials(middle_of(own.successes, min(claims_of(result), own.attempts)), own.attempts)


def _open_trials(cells: Sequence[Cell], results: Mapping[str, Any], held: Sequence[Held]) -> dict[str, Trials]:
    """What may be compared in public: of what is not told, whatever makes the method look least like a secret."""
    found = {}
    for cell, how in zip(cells, held, strict=True):
        own, told = _trials(results[cell.digest]), how.told and results[cell.digest]["public"] is not None
        claims = claims_of(results[cell.digest])
        if not told or 0 < claims < FEW:
            found[cell.digest] = Trials(0 if cell.method == "full" else min(claims, own.attempts), own.attempts)
        else:
            found[cell.digest] = _in_blocks(results[cells[how.place].digest])
    return found
