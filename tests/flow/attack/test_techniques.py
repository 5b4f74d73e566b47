"""Techniques as they are typed, and as a file names them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import schleier as sl
from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.measure import Case
from schleier.core.schema import Column, Schema
from schleier.flow.attack.techniques import fitted, technique, techniques_from_file, techniques_of


def test_a_short_text_is_an_entry() -> None:
    assert technique("exact_match") == {"attack": "exact_match"}
    assert technique("exact_match:known=age,targets=5") == {"attack": "exact_match", "known": ["age"], "targets": 5}
    assert technique(" singling_out : known = age + sex ")["known"] == ["age", "sex"]
    assert technique("linkability:linked=income,metric=gower,nearest=2")["linked"] == ["income"]
    assert technique("a:b=true,c=0.5,d=x1")["d"] == "x1"


def test_attacks_are_taken_from_a_recipe(tmp_path: Path) -> None:
    (tmp_path / "some.toml").write_text('[[attacks]]\nattack = "exact_match"\n[[attacks]]\nattack = "auto"\n')
    found = techniques_of(techniques_from_file(tmp_path / "some.toml"))
    assert [one.word() for one in found] == ["exact_match", "auto"]
    assert techniques_of(sl.attacks.ExactMatch(targets=3))[0].targets == 3  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", ["", "x = 1", "attacks = 3", "[[[", "[[attacks]]\n"])
def test_a_file_without_techniques_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "some.toml").write_text(text)
    with pytest.raises(SchleierError) as raised:
        techniques_of(techniques_from_file(tmp_path / "some.toml"))
    assert raised.value.exit_code == 2
    with pytest.raises(SchleierError, match="no such file"):
        techniques_from_file(tmp_path / "none.toml")


def test_a_small_file_is_looked_for_as_a_whole_unless_a_number_was_asked_for() -> None:
    """Those chosen automatically come with a number that goes by the original, which may be far larger."""
    schema = Schema(row_key="id", columns=[Column(name="age", role="quasi", scale="discrete")])
    original, known = (
        Dataset.from_frame(pa.table({"id": range(many), "age": [one % 90 for one in range(many)]}), schema)
        for many in (1200, 30)
    )
    case, chosen = Case(original, original, known=known), [sl.attacks.ExactMatch(targets=1000)]
    assert [getattr(one, "targets", 0) for one in fitted(chosen, case, automatic=True)] == ["all"]
    assert [getattr(one, "targets", 0) for one in fitted(chosen, case)] == [1000]


def test_a_recipe_that_tries_all_that_fit_names_them_in_a_word(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text('attacks = "auto"\n', encoding="utf-8")
    (found,) = techniques_of(techniques_from_file(tmp_path / "recipe.toml"))
    assert found.word() == "auto"


def test_a_parameter_that_is_missing_is_told_with_its_technique() -> None:
    with pytest.raises(SchleierError) as raised:
        techniques_of(["exact_match", "linkability", {"attack": "exact_match", "target": 1}])
    assert [one.where for one in raised.value.problems] == [
        "techniques[1] (linkability).linked",
        "techniques[2] (exact_match).target",
    ]
