"""Techniques on files of which the answer is known beforehand; bench/cases/laboratory.py does so over 20 keys.

In pure noise (other persons under the row keys of those looked for) none finds more than its baseline; in the file
itself exact, near and learnt matches find everybody whose key nobody else has.
"""

from __future__ import annotations

from importlib.util import find_spec

import pyarrow.compute as pc
import pytest
from scipy.stats import binom

from schleier.core import registry
from schleier.core.attack import Attack
from schleier.core.data import Dataset
from schleier.core.measure import Case, Measure
from schleier.core.run import Run
from schleier.core.trust.aim import Technique
from schleier.testing import ROW_KEY, example_schema, example_table

ROWS, KEYS = 80, 2
KNOWN = ("age", "sex", "region", "born")
NEEDS = {"learned_match": "sklearn", "probabilistic_match": "splink"}


def techniques() -> list[str]:
    """Those that follow no trace, and try themselves rather than others."""
    kinds = {word: registry.get("attack", word) for word in registry.names("attack")}
    fit = {word: kind for word, kind in kinds.items() if issubclass(kind, Technique) and not kind.against}
    return [word for word, kind in fit.items() if kind.parts is Measure.parts]


EVERY = techniques()
LEVEL = 0.001 / len(EVERY)


@pytest.mark.parametrize("word", EVERY)
def test_no_better_than_the_baseline_in_pure_noise(word: str) -> None:
    if word in NEEDS and find_spec(NEEDS[word]) is None:
        pytest.skip(f"needs {NEEDS[word]}")
    kind = registry.get("attack", word)
    people, schema = example_table(3 * KEYS * ROWS), example_schema()
    technique = kind(**{**kind.example, "targets": ROWS})
    right, tried, expected = 0, 0, 0.0
    for turn in range(KEYS):
        inside, strangers, outside = (people.slice((3 * turn + part) * ROWS, ROWS) for part in range(3))
        strangers = strangers.set_column(strangers.schema.get_field_index(ROW_KEY), ROW_KEY, inside[ROW_KEY])
        original = Dataset.from_frame(inside, schema)
        alien = Dataset.from_frame(strangers, schema, original.engine)
        others = None if isinstance(technique, Attack) else Dataset.from_frame(outside, schema, original.engine)
        found = technique.measure(Case(original, alien, control=others), Run(key=bytes([turn]) * 32))
        claims, targets = int(found.detail["claims"]), int(found.detail["targets"])
        # What is right is counted among the targets, or among the claims where the baseline guesses for these.
        many = targets if round(found.value * targets) == found.detail["correct"] else claims
        beside = found.detail.get("control_claims") if others is not None else None
        right, tried = right + round(found.value * many), tried + many
        expected += many * max(float(found.detail["baseline"]), float(beside or 0.0))
    assert not tried or binom.sf(right - 1, tried, min(expected / tried, 1.0)) > LEVEL


@pytest.mark.parametrize("word", ["exact_match", "distance_match", "learned_match"])
def test_nearly_everybody_is_found_in_the_file_itself(word: str) -> None:
    if word in NEEDS and find_spec(NEEDS[word]) is None:
        pytest.skip(f"needs {NEEDS[word]}")
    people = example_table(3 * ROWS)
    for name in KNOWN:
        people = people.filter(pc.is_valid(people[name]))
    first = people.group_by(list(KNOWN)).aggregate([(ROW_KEY, "min")])
    people = people.filter(pc.is_in(people[ROW_KEY], first[f"{ROW_KEY}_min"].combine_chunks()))
    data = Dataset.from_frame(people, example_schema())
    found = registry.get("attack", word)(known=KNOWN, targets="all").measure(Case(data, data), Run(key=bytes(32)))
    assert found.value >= 0.99
