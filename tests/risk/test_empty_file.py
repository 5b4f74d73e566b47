"""In a file without records nobody is at risk, whatever is measured."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.registry import every
from schleier.core.run import Run
from schleier.testing import example_populations, example_schema, example_table

RISKS = {word: kind for word, kind in every("measure").items() if kind.kind == "risk"}
RISKS.pop("compatibility")  # a rate of the literature, about the keys and not about the file


@pytest.mark.parametrize("word", RISKS)
def test_nobody_is_at_risk_in_an_empty_file(word: str) -> None:
    kind: Any = RISKS[word]
    data = Dataset.from_frame(example_table().slice(0, 0), example_schema())
    data = replace(data, populations=example_populations(data.engine))
    assert kind(**kind.example).measure(Case(data, data), Run(key=bytes(32))).value == 0
