"""Check says of how many values a pseudonym stands for one, where they are few, in one sentence."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from schleier.cli import app
from schleier.kernels.pseudonyms.forms import writings
from schleier.methods import _forms

SCHEMA = """
[data]
file = "data.csv"

[schema]
columns = [
    {name = "number", role = "identifier", scale = "nominal"%s},
    {name = "age", role = "quasi", scale = "discrete"},
]

[keys.k]
env = "CANDIDATES_KEY"

[[steps]]
column = "number"
key = "k"
domain = "numbers"
%s
"""


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANDIDATES_KEY", hashlib.sha256(b"a test").hexdigest())


def checked(folder: Path, step: str, labels: str = "", *more: str) -> str:
    (folder / "data.csv").write_text("number,age\n1,2\n", encoding="utf-8")
    (folder / "recipe.toml").write_text(SCHEMA % (labels, step), encoding="utf-8")
    found = CliRunner().invoke(app, ["check", str(folder / "recipe.toml"), *more])
    assert found.exit_code == 0, found.output
    return " ".join(found.stdout.split())


@pytest.mark.parametrize(
    ("step", "labels", "many"),
    [
        ('method = "keep_form"\nkind = "health"', "", 2_600_000_000),
        ('method = "keep_prefix"', "", 1 << 32),
        ('method = "give_token"', ', labels = {a = "A", b = "B"}', 2),
        ('method = "give_token"', "", None),
        ('method = "keep_form"\nkind = "letters"', "", None),
    ],
)
def test_check_counts_what_can_be_tried(tmp_path: Path, step: str, labels: str, many: int | None) -> None:
    told = json.loads(checked(tmp_path, step, labels, "--json"))["candidates"]
    assert told == ({} if many is None else {"number": many})


@pytest.mark.parametrize(
    ("language", "said"), [("en", "about 2,600,000,000 values"), ("de", "etwa 2.600.000.000 Werte")]
)
def test_check_says_it_once(tmp_path: Path, language: str, said: str) -> None:
    shown = checked(tmp_path, 'method = "keep_form"\nkind = "health"', "", "--lang", language)
    assert shown.count(said) == 1


def test_numbers_of_a_kind_are_counted_as_the_attack_and_the_rule_do() -> None:
    (health,) = writings(["health_number"])
    assert health.space.count == _forms.HEALTH
    (pension,) = writings(["pension_number"])
    assert 0.8 < _forms.PENSION / pension.space.count < 1.25
    drawn = np.random.default_rng(7).integers(0, 10, (400_000, 10), np.uint8)
    share = _forms._one_repeats(drawn).mean()
    assert share == pytest.approx(_forms.TAX / 10**10, rel=0.05)
