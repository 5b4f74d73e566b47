"""Reversal by the step of a recipe: logged before it is told, refused where nobody can undo it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pytest

from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.key_files import new_file
from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.core.vault.log import Log
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.reveal import log_of, reveal

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.keys import Key

PLANTED = "Wilhelmine Planted-Identity"


class Backwards(Method):
    """Writes values backwards: a stand-in for steps that encipher."""

    keeps: ClassVar[Keeps] = {}
    column: str
    key: str
    undo: bool = True

    @property
    def reversible(self) -> bool:
        return self.undo

    def apply(self, data: Dataset, run: Run) -> Dataset:
        return data

    def reveal(self, pseudonyms: pa.Array, key: Key) -> pa.Array:
        import pyarrow as pa

        return pa.array([None if one == "?" else one[::-1] for one in pseudonyms.to_pylist()])


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    new_file(tmp_path / "house.key")
    columns = [Column(name=name, role="identifier", scale="nominal") for name in ("patient", "doctor", "ward")]
    steps = (Backwards(column="patient", key="house"), Backwards(column="doctor", key="house", undo=False))
    return Recipe(
        data="people.csv",
        schema=Schema(columns=columns),
        steps=steps,
        keys={"house": {"file": str(tmp_path / "house.key")}},
    )


def codes(recipe: Recipe, *given: str, log: Path) -> list[str]:
    with pytest.raises(SchleierError) as error:
        reveal(recipe, *given, log)
    assert PLANTED not in str(error.value)
    return [problem.code for problem in error.value.problems]


def test_the_log_tells_who_asked_and_never_the_value(recipe: Recipe, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    assert reveal(recipe, "patient", PLANTED[::-1], "request 1", log) == PLANTED
    assert codes(recipe, "patient", "?", "request 2", log=log) == ["no-pseudonym"]
    assert codes(recipe, "patient", PLANTED[::-1], f"for {PLANTED}", log=log) == ["value-in-reason"]
    assert codes(recipe, "patient", PLANTED[::-1], "", log=log) == ["no-reason"]
    assert PLANTED not in log.read_text()
    key = recipe.keys["house"].key()
    book: Log = log_of(log, key)
    assert book.read(None).lines == 3
    assert [entry["outcome"] for entry in book.entries()] == ["revealed", "unknown", "refused"]
    assert all(entry["key"] == key.id for entry in book.entries())
    log.write_text(log.read_text().replace("request 1", "request 9"), newline="")
    assert codes(recipe, "patient", "x", "request 3", log=log) == ["changed-log"]


def test_what_cannot_be_undone_is_refused_before_anything_is_written(recipe: Recipe, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    assert codes(recipe, "doctor", "x", "request 1", log=log) == ["not-reversible"]
    assert codes(recipe, "ward", "x", "request 1", log=log) == ["which-step"]
    assert not log.exists()
    (tmp_path / "release.json").write_text("{}", newline="")
    assert codes(recipe, "patient", "x", "request 1", log=log) == ["vault-in-release"]
