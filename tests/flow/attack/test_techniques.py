"""Techniques as they are typed, and as a file names them."""

from __future__ import annotations

from pathlib import Path

import pytest

import schleier as sl
from schleier.core.errors import SchleierError
from schleier.flow.attack.techniques import technique, techniques_from_file, techniques_of


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
