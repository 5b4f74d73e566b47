"""Records put together from segments of several records."""

from __future__ import annotations

import pytest

from methods.small import codes, done, small
from schleier.core.errors import InfeasibleError, SchleierError
from schleier.methods.combine_segments import CombineSegments

N = 50
TABLE = {
    "age": [i // 2 for i in range(N)],
    "sex": ["f" if i % 3 else "m" for i in range(N)],
    "a": list(range(N)),
    "b": [str(i) for i in range(N)],
    "c": [float(i) for i in range(N)],
}
DATA = small(TABLE, age="discrete", sex="nominal", a="discrete", b="nominal")


def test_each_segment_comes_whole_from_another_record() -> None:
    step = CombineSegments(segments=[["a"], ["b", "c"]], by=["age"], strata=["sex"], size=4)
    found = done(step, DATA)
    for i in range(N):
        one, other = found["a"][i], int(found["b"][i])
        assert found["c"][i] == other, "a segment stays together"
        assert len({i, one, other}) == 3, "three records make one"
        assert {TABLE["sex"][one], TABLE["sex"][other]} == {TABLE["sex"][i]}
    assert sorted(found["a"]) == TABLE["a"] and sorted(found["c"]) == TABLE["c"]
    assert found["age"] == TABLE["age"]


def test_small_strata_are_refused() -> None:
    with pytest.raises(InfeasibleError, match="strata hold"):
        done(CombineSegments(segments=[["a"]], by=["c"], strata=["age"]), DATA)


def test_contradictions_are_refused() -> None:
    for parameters in (
        {"segments": [["a"], ["a"]], "by": ["c"]},
        {"segments": [["a"], []], "by": ["c"]},
        {"segments": [["a"], ["b"], ["c"]], "by": ["age"], "size": 3},
    ):
        with pytest.raises(SchleierError):
            CombineSegments(**parameters)
    schema = small({"u": ["x"], "b": [1.0]}, u=("nominal", "unit")).schema
    assert codes(CombineSegments(segments=[["u"]], by=["b"]), schema) == ["fixed-column"]
