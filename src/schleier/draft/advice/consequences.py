"""What each parameter of an advice would cost on the file itself, in three settings."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from schleier.core import registry
from schleier.core.criterion import Criterion
from schleier.core.data import Dataset
from schleier.core.engine import Engine, Resources
from schleier.core.pieces import piece
from schleier.core.record import Frozen
from schleier.core.run import Listener, Run, silence
from schleier.draft.advice.rules import rules
from schleier.draft.profile import Text
from schleier.draft.rules import Proposed
from schleier.draft.suggest import Suggestion, applied
from schleier.flow.recipe.entries import component
from schleier.flow.run.frames import at_hand
from schleier.flow.run.reader import read
from schleier.flow.suggest import Alternative, alternatives

SHOWN = 3


class About(Frozen):
    """What is said of a parameter."""

    settings: tuple[float, ...]
    text: Text
    range: Text
    """Which values are usual, and who says so."""
    source: tuple[str, ...]


@dataclass(frozen=True)
class Setting:
    """One value of a parameter, and what would become of the file."""

    value: float
    advised: bool
    reached: bool = True
    left_out: int = 0
    """Records that would not be released."""
    loss: float | None = None
    """Share of the information in the keys that would be lost; nothing where the parameter does not touch it."""
    highest: float | None = None
    """Largest probability to find a record."""


@dataclass(frozen=True)
class Parameter:
    """A parameter that decides privacy, with its consequences."""

    key: str
    value: float
    about: About
    settings: tuple[Setting, ...]

    @property
    def sources(self) -> tuple[str, ...]:
        """Where the range is from."""
        return tuple(rules().sources[one] for one in self.about.source)


def pairs(k: int, share: float) -> set[tuple[int, float]]:
    """What a suggestion has to try so that its parameters can be shown in three settings."""
    about = _about()
    classes = {(int(n), share) for n in nearest(about["k"].settings, k)}
    return classes | {(k, part) for part in nearest(about["max_suppressed"].settings, share)}


def consequences(file: Any, found: Suggestion, k: int, listener: Listener = silence) -> tuple[Parameter, ...]:
    """The parameters of a suggestion, each in three settings, all others as advised."""
    engine = registry.get("engine", "duckdb")(Resources())
    try:
        with at_hand(file, found.draft.schema) as place:
            run = Run(found.key, (), listener)  # the same draws, so that all settings can be compared
            return tuple(_parameters(_prepared(place, found, engine, run), found, k, listener))
    finally:
        engine.close()


def _prepared(place: str, found: Suggestion, engine: Engine, run: Run) -> Dataset:
    """The rows as the search found them: with new numbers of units, also where these are left out in the end."""
    schema = found.draft.schema
    numbered = [Proposed(piece("number_anew", column=found.unit))] if found.unit and found.last else []
    return applied(read(place, schema, engine).described(schema), [*numbered, *found.steps], run).kept()


def _parameters(data: Dataset, found: Suggestion, k: int, listener: Listener) -> Iterator[Parameter]:
    share = found.chosen.max_suppressed if found.chosen else found.profile.max_suppressed
    known = {(one.k, one.max_suppressed): one for one in found.alternatives}

    def tried(pairs: Sequence[tuple[int, float]], **changed: float) -> list[Alternative]:
        if not changed and all(pair in known for pair in pairs):
            return [known[pair] for pair in pairs]
        return alternatives(data, _demands(found, k, changed), pairs, listener)

    records = found.draft.records - data.rows  # left out by the steps before the search
    yield _parameter("k", k, lambda n: tried([(int(n), share)])[0], records)
    lowest = max((one.entry["l"] for one in found.criteria if "l" in one.entry), default=0)
    if lowest:
        yield _parameter("l", lowest, lambda n: tried([(k, share)], l=n)[0], records)
    yield _parameter("max_suppressed", share, lambda s: tried([(k, s)])[0], records)
    drawn = next((one.entry["fraction"] for one in found.steps if "fraction" in one.entry), None)
    if drawn is not None:
        about = _about()["fraction"]
        rows = found.draft.records
        gone = {part: rows - round(rows * part) for part in nearest(about.settings, drawn)}
        settings = tuple(Setting(part, part == drawn, left_out=left) for part, left in gone.items())
        yield Parameter("fraction", drawn, about, settings)


def _parameter(key: str, value: float, tried: Any, before: int) -> Parameter:
    about, settings = _about()[key], []
    for one in nearest(about.settings, value):
        found: Alternative = tried(one)
        if found.risk is None:
            settings.append(Setting(one, one == value, reached=False))
        else:
            settings.append(Setting(one, one == value, True, found.left_out + before, found.loss, found.risk.highest))
    return Parameter(key, value, about, tuple(settings))


def nearest(settings: Sequence[float], value: float) -> list[float]:
    """Three settings around the one that is advised, which is among them.

    >>> nearest((3, 5, 10, 20), 10), nearest((0.0, 0.02, 0.05), 0.05)
    ([5, 10, 20], [0.0, 0.02, 0.05])
    """
    every = sorted({*settings, value})
    start = min(max(every.index(value) - 1, 0), max(len(every) - SHOWN, 0))
    return every[start : start + SHOWN]


def _demands(found: Suggestion, k: int, changed: Mapping[str, float]) -> list[Criterion]:
    """The demands of a suggestion with one parameter changed, units counted where there are some."""
    entries = [piece("records_alike", k=k), *([piece("records_alike", k=k, count="units")] if found.unit else [])]
    entries += [
        {**one.entry, **{name: value for name, value in changed.items() if name in one.entry}}
        for one in found.criteria
        if "k" not in one.entry
    ]
    return [component("criterion", one, "criteria") for one in entries]


@cache
def _about() -> dict[str, About]:
    table = tomllib.loads(Path(__file__).with_name("parameters.toml").read_text(encoding="utf-8"))
    return {key: About.model_validate(one) for key, one in table.items()}
