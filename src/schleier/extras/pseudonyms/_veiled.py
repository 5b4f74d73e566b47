"""Match identities of which only keyed filters are known: field by field, or whole records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from schleier.extras.pseudonyms._filters import COMPARED, field_filters, likeness, packed, record_filter
from schleier.extras.pseudonyms._generated import Errors, World, trial
from schleier.extras.pseudonyms._identity import Identity

if TYPE_CHECKING:
    import numpy as np

STEPS = (0.3, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)
"""Where levels of likeness begin."""
UNSEEN = 1.0
TINY = 0.001
FILE = Path(__file__).with_name("filters.json")


@dataclass(frozen=True)
class Veiled:
    """Bits for each level of each field (none for whole records), and from where on a person is known for certain."""

    weights: tuple[tuple[float, ...], ...]
    certain: float
    apart: float

    def scores(self, held: Sequence[Identity], come: Sequence[Identity], key: bytes) -> np.ndarray:
        """What speaks for each pair: a row for each who comes."""
        return self.of_filters(*(filtered(side, key, fields=bool(self.weights)) for side in (come, held)))

    def of_filters(self, come: Sequence[np.ndarray], held: Sequence[np.ndarray]) -> np.ndarray:
        """The same where the partners sent the filters."""
        import numpy as np

        if not self.weights:
            return np.asarray(np.nan_to_num(likeness(come[0], held[0])))
        total = np.zeros((len(come[0]), len(held[0])), np.float32)
        for one, other, bits in zip(come, held, self.weights, strict=True):
            alike = likeness(one, other)
            total += np.where(np.isnan(alike), 0, np.array(bits, np.float32)[np.digitize(alike, STEPS)])
        return total

    def decided(self, scores: np.ndarray) -> np.ndarray:
        """Who is known for certain, by the place on file; -1 for all others."""
        import numpy as np

        best = scores.argmax(axis=1)
        top = scores[np.arange(len(scores)), best]
        second = np.partition(scores, -2, axis=1)[:, -2]
        return np.asarray(np.where((top >= self.certain) & (top - second >= self.apart), best, -1))


@cache
def fields_model() -> Veiled:
    """The model for filters of fields that comes with the service."""
    return _read("fields")


@cache
def records_model() -> Veiled:
    """The model for filters of whole records that comes with the service."""
    return _read("records")


def _read(which: str) -> Veiled:
    found = json.loads(FILE.read_text(encoding="utf-8"))[which]
    return Veiled(tuple(tuple(row) for row in found["weights"]), found["certain"], found["apart"])


def filtered(side: Sequence[Identity], key: bytes, *, fields: bool) -> list[np.ndarray]:
    """The filters of persons: one array for each field, or one of whole records."""
    if not fields:
        return [packed([record_filter(one, key) for one in side])]
    rows = [field_filters(one, key) for one in side]
    return [packed([row[j] for row in rows]) for j in range(len(COMPARED))]


def fit(seed: int, *, fields: bool, persons: int = 5000, apart: float, allowed: int) -> Veiled:
    """Weights of made-up persons, and the threshold that so many wrong persons of another world would pass."""
    import numpy as np

    key, errors = bytes(32), Errors()
    weights: tuple[tuple[float, ...], ...] = ()
    if fields:
        held, come, place = trial(World(seed), persons, errors)
        same = np.flatnonzero(place >= 0)
        found = []
        for one, other in zip(filtered(come, key, fields=True), filtered(held, key, fields=True), strict=True):
            alike = likeness(one, other)
            own = alike[same, place[same]]
            alike[same, place[same]] = np.nan
            counted = [_levels(values[~np.isnan(values)]) for values in (own, alike)]
            bits = np.log2(counted[0] / counted[1])
            rising = np.minimum.accumulate(bits[::-1])[::-1]  # what is less alike never speaks more for a person
            found.append(tuple(np.round(rising, 2).tolist()))
        weights = tuple(found)
    model = Veiled(weights, 0.0, apart)
    held, come, place = trial(World(seed + 1), persons, errors)
    scores = model.scores(held, come, key)
    same = np.flatnonzero(place >= 0)
    scores[same, place[same]] = -np.inf
    nearest = np.sort(scores.max(axis=1))[::-1]
    return Veiled(weights, round(float(nearest[allowed]) + TINY, 3), apart)


def _levels(values: np.ndarray) -> np.ndarray:
    import numpy as np

    many = np.bincount(np.digitize(values, STEPS), minlength=len(STEPS) + 1) + UNSEEN
    return np.asarray(many / many.sum())
