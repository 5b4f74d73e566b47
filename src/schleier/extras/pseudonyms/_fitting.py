"""Fit the weights and thresholds on made-up persons."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import log2
from typing import TYPE_CHECKING

from schleier.extras.pseudonyms._generated import Errors, World, trial
from schleier.extras.pseudonyms._identity import Identity
from schleier.extras.pseudonyms._likeness import levels
from schleier.extras.pseudonyms._model import Model, keys_of

if TYPE_CHECKING:
    import numpy as np

SMALL = 0.5
"""Counted to every level, so that what was never seen is worth something all the same."""
UNSEEN = 1.0
"""The same for strangers, where it is the careful side."""
STRANGERS = 300_000
MARGIN = 2.0
"""Bits between the nearest wrong person of all trials and the threshold."""
LOST = 0.002
"""Share of known persons below the lower threshold."""
NEVER = float("inf")


def weights(
    pairs: Sequence[tuple[Identity, Identity]], strangers: Sequence[tuple[Identity, Identity]]
) -> dict[str, dict[str, float]]:
    """Bits of each level: how much more frequent it is for two writings of a person than for two persons."""
    same, other = _counted(pairs), _counted(strangers)
    found: dict[str, dict[str, float]] = {}
    for field in same:
        seen = sorted(set(same[field]) | set(other[field]))
        small = SMALL / len(seen)
        found[field] = {
            level: round(
                log2((same[field][level] + small) / (len(pairs) + SMALL))
                - log2((other[field][level] + UNSEEN) / (len(strangers) + UNSEEN * len(seen))),
                2,
            )
            for level in seen
            if level.split("-") != ["missing"] * (level.count("-") + 1)
        }
    return found


def _counted(pairs: Sequence[tuple[Identity, Identity]]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for one, other in pairs:
        for field, level in levels(one, other).items():
            found[field][level] += 1
    return found


def fit(key: int, persons: int = 5000, trials: int = 2) -> Model:
    """A model from worlds that follow from a key: one to learn weights, others to set thresholds."""
    errors = Errors()
    world = World(key)
    people = [world.person() for _ in range(persons)]
    again = [(one, world.again(one, errors)) for one in people]
    draws = world.rng.integers(persons, size=(STRANGERS, 2))
    strangers = [(people[i], again[j][1]) for i, j in draws if i != j]
    made = Model(weights(again, strangers), 0.0, 0.0, 0.0, persons // 2)
    wrong, right = [], []
    for number in range(trials):
        held, come, place = trial(World(key + 1 + number), persons, errors)
        for truth, scores in zip(place, scored(made, held, come), strict=True):
            wrong += [score for who, score in scores.items() if who != truth]
            right += [scores.get(int(truth), -NEVER)] if truth >= 0 else []
    right.sort()
    certain = round(max(wrong) + MARGIN, 2)
    new = round(min(max(right[int(LOST * len(right))], log2(persons)), certain), 2)
    return replace(made, certain=certain, new=new, apart=6.0)


def scored(model: Model, held: Sequence[Identity], come: Sequence[Identity]) -> list[dict[int, float]]:
    """For each who comes, the bits of all on file who share a key."""
    index: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for i, one in enumerate(held):
        for key in keys_of(one):
            index[key].append(i)
    return [{i: model.score(held[i], one) for key in keys_of(one) for i in index.get(key, ())} for one in come]


def tally(model: Model, scores: Sequence[Mapping[int, float]], place: np.ndarray, persons: int) -> dict[str, float]:
    """How many of those on file were known for certain, and how many were taken for somebody else."""
    found = Counter(
        "wrong" if decision == "certain" and who != truth else f"{decision}-{'held' if truth >= 0 else 'stranger'}"
        for truth, one in zip(place, scores, strict=True)
        for decision, who in [model.decide(one, persons)]
    )
    held = int((place >= 0).sum())
    return {**found, "certain": found["certain-held"] / held}


Fit = Callable[[int], Model]
