"""Arguments of another kind than a function takes: named in our words, whatever failed over them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import schleier as sl
from schleier.core.arguments import misfits
from schleier.core.errors import SchemaError

ROWS = pa.table({"age": [30, 31]})


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: sl.verify(ROWS, 5), "recipe"),  # type: ignore[arg-type]
        (lambda: sl.verify(ROWS, "recipe.toml"), "recipe"),  # type: ignore[arg-type]
        (lambda: sl.inspect(ROWS, 5), "schema"),  # type: ignore[arg-type]
        (lambda: sl.inspect(ROWS, {"columns": []}), "schema"),  # type: ignore[arg-type]
        (lambda: sl.suggest(ROWS, 5), "profile"),  # type: ignore[arg-type]
        (lambda: sl.suggest(ROWS, "internal", k="five"), "k"),  # type: ignore[arg-type]
        (lambda: sl.suggest(ROWS, "internal", max_suppressed="0.1"), "max_suppressed"),  # type: ignore[arg-type]
    ],
)
def test_the_argument_is_named(call: Callable[[], Any], name: str) -> None:
    with pytest.raises(sl.SchleierError) as caught:
        call()
    assert [one.where for one in caught.value.problems] == [name]
    assert "and this is of type" in str(caught.value) and caught.value.__cause__ is caught.value.__context__ is None


def taking(path: Path | str, many: int = 1, share: float = 0.5, how: Any = None, unknown: Nobody = None) -> None:  # type: ignore[name-defined]  # noqa: F821
    """A function with all kinds of arguments."""


def test_what_fits_is_no_problem() -> None:
    assert list(misfits(taking, [Path("a")], {"many": np.int64(3), "share": 1, "how": 5, "unknown": 7})) == []
    assert list(misfits(taking, ["a", np.int8(3), np.float32(0.5)], {})) == []
    assert list(misfits(taking, [], {})) == []  # Python says what is missing
    assert [one.where for one in misfits(taking, [None], {"many": True, "share": "0"})] == ["path", "many", "share"]


def test_a_failure_of_our_own_is_not_blamed_on_the_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise TypeError("a defect")

    monkeypatch.setattr("schleier.draft.suggest._asked", broken)
    with pytest.raises(TypeError, match="a defect"):
        sl.suggest(ROWS, "internal")


def test_records_from_plain_values_are_refused_in_our_words() -> None:
    with pytest.raises(SchemaError, match="columns: should be a list"):
        sl.Schema.model_validate({"columns": 5})
    assert sl.Schema.model_validate({"columns": [{"name": "age", "scale": "discrete"}]}).names == ("age",)
