"""Every record shows one slice of the columns."""

from __future__ import annotations

import pytest

from methods.small import codes, done, small
from schleier.core.errors import SchleierError
from schleier.methods.slice_columns import SliceColumns

N = 3_000
TABLE = {
    "u": [f"u{i // 2}" for i in range(N)],
    "a": list(range(N)),
    "b": list(range(N)),
    "c": [str(i) for i in range(N)],
    "d": list(range(N)),
}
DATA = small(TABLE, u=("nominal", "unit"), a="discrete", b="discrete", c="nominal", d="discrete")


def test_a_record_shows_its_slice_and_what_is_in_none() -> None:
    found = done(SliceColumns(slices=[["a"], ["b", "c"], ["a", "c"]]), DATA)
    assert found["d"] == TABLE["d"]
    for i, shown in enumerate(found["slice"]):
        assert (found["a"][i] is not None) == (shown in (1, 3)) and found["a"][i] in (i, None)
        assert (found["b"][i] is not None) == (shown == 2)
        assert (found["c"][i] is not None) == (shown in (2, 3)) and found["c"][i] in (str(i), None)
    assert found["slice"][0::2] == found["slice"][1::2]  # units stay together
    for n in (1, 2, 3):  # 1,500 units in three parts: within four standard deviations
        assert abs(found["slice"].count(n) / 2 - 500) < 4 * (1500 * 2 / 9) ** 0.5


def test_slices_are_short_and_names_are_free() -> None:
    assert codes(SliceColumns(slices=[["a"], ["b", "c"]], most=3), DATA.schema) == ["slice-too-wide"]
    assert codes(SliceColumns(slices=[["a"], ["u"]]), DATA.schema) == ["not-sliced"]
    assert codes(SliceColumns(slices=[["a"], ["b"]], into="D"), DATA.schema) == ["name-taken"]
    for parameters in ({"slices": [["a"]]}, {"slices": [["a"], []]}, {"slices": [["a", "a"], ["b"]]}):
        with pytest.raises(SchleierError):
            SliceColumns(**parameters)
