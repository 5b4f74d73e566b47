"""delta-disclosure privacy: every value about as frequent in each class as in the whole table."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from criteria.plain import ILLNESS, Row, agrees, dataset, gaps, people, policies
from schleier.core.errors import SchleierError
from schleier.criteria.delta_disclosure import DeltaDisclosure


@given(rows=people, missing=policies, gap=gaps, delta=st.sampled_from([0.3, 0.8, 2]))
@settings(max_examples=60, deadline=None)
def test_it_is_its_definition(rows: list[Row], missing: str, gap: str, delta: float) -> None:
    for absent in ("fail", "ignore"):

        def level(part: list[Any], everything: list[Any], absent: str = absent) -> float:
            here, overall = Counter(part), Counter(everything)
            if not part:
                return 0.0
            if absent == "fail" and len(here) < len(overall):
                return math.inf
            return max(abs(math.log(n / len(part) / (overall[v] / len(everything)))) for v, n in here.items())

        one = DeltaDisclosure(delta=delta, absent=absent, missing=missing, gaps=gap)
        agrees(one, rows, ILLNESS, level, lambda part, every, level=level: not level(part, every) < delta - 1e-9)


ROWS: list[Row] = [("x", 1, "flu", 1), ("x", 1, "clot", 1), ("y", 1, "flu", 1)]


def test_a_class_that_lacks_a_value_fails_whatever_delta() -> None:
    verdict = DeltaDisclosure(delta=100).check(dataset(ROWS))
    assert not verdict.holds and verdict.level is None and verdict.bad_records == 1
    assert verdict.text.startswith("A class lacks a value of 'illness' altogether")
    ignored = DeltaDisclosure(delta=100, absent="ignore").check(dataset(ROWS))
    assert ignored.holds and ignored.level == pytest.approx(math.log(3 / 2))
    assert ignored.text == (
        "A value of 'illness' is more or less frequent in a class than in the whole table by exp(0.4055); "
        "below exp(100) is required."
    )


def test_promises_and_strictness() -> None:
    assert DeltaDisclosure(delta=1).monotone and not DeltaDisclosure(delta=1, absent="ignore").monotone
    assert not DeltaDisclosure(delta=1).hereditary
    assert not DeltaDisclosure(delta=1).weaker_than(DeltaDisclosure(delta=2))
    with pytest.raises(SchleierError):
        DeltaDisclosure(delta=0)
