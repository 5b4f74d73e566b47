"""Numbers of a hierarchy are numbers: nothing is above, below or equal to "nan"."""

from __future__ import annotations

import math
from typing import Any

import pytest

from schleier.core.errors import SchemaError
from schleier.core.hierarchy import parse
from schleier.core.schema import Column


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("kind", ["intervals", "origin", "balanced", "rows", "tree", "prefix"])
def test_what_is_no_number_is_refused(kind: str, number: float) -> None:
    declared: dict[str, Any] = {
        "intervals": {"intervals": [5, number]},
        "origin": {"intervals": [5], "origin": number},
        "balanced": {"balanced": [number]},
        "rows": {"rows": [["a", number]]},
        "tree": {"tree": {"x": [number]}},
        "prefix": {"prefix": [number]},
    }
    with pytest.raises(SchemaError):
        parse(declared[kind])


def test_a_missing_code_is_a_number_or_a_word() -> None:
    with pytest.raises(SchemaError):
        Column(name="age", scale="discrete", missing=(math.nan,))
