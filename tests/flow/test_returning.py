"""What comes back through released columns is said by default: in a run, in an inspection and in a draft."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest

from schleier.core.caution import Caution
from schleier.core.schema import Column, Role, Scale, Schema
from schleier.draft.describe import describe
from schleier.flow.inspect.inspect import inspect
from schleier.flow.recipe.recipe import Recipe
from schleier.report.html import Html
from schleier.report.inspection.story import tell_inspection
from schleier.report.language import Words

RNG = np.random.default_rng(5)
N = 1200
REGION, SIZE, AGE = RNG.integers(0, 6, N), RNG.integers(1, 5, N), RNG.integers(20, 80, N)
TABLE = pa.table(
    {
        "region": [f"r{one}" for one in REGION],
        "weight": 1000.0 + 170 * REGION + 31 * SIZE,
        "age": AGE,
        "agegr": [f"from {one // 10 * 10}" for one in AGE],
        "sex": [("f", "m")[one] for one in RNG.integers(0, 2, N)],
    }
)
ROLES: dict[str, tuple[Role, Scale]] = {
    "region": ("quasi", "nominal"),
    "weight": ("weight", "continuous"),
    "age": ("quasi", "discrete"),
    "agegr": ("plain", "nominal"),
    "sex": ("quasi", "nominal"),
}
DROP = '[[steps]]\nmethod = "drop"\ncolumns = {}\n'
ASKED = '[[measures]]\nmeasure = "rebuildable"\n'
CRITERION = '[[criteria]]\ncriterion = "k_anonymity"\nk = 2\nkeys = [["sex"{}]]\n'


def schema(**roles: Role) -> str:
    told = {name: (roles.get(name, role), scale) for name, (role, scale) in ROLES.items()}
    return "".join(
        f'[[schema.columns]]\nname = "{name}"\nrole = "{role}"\nscale = "{scale}"\n'
        for name, (role, scale) in told.items()
    )


def report(*parts: str, **roles: Role) -> Any:
    return Recipe.from_toml("".join((schema(**roles), *parts))).run(TABLE, key=bytes(32)).report


def back(*parts: str, **roles: Role) -> dict[str, Caution]:
    return {one.columns[0]: one for one in report(*parts, **roles).cautions if one.code == "comes_back"}


def test_a_run_says_what_comes_back() -> None:
    made = report(DROP.format(["region", "age"]), CRITERION.format(""))
    told = {one.columns[0]: one for one in made.cautions if one.code == "comes_back"}
    assert {name: one.sources for name, one in told.items()} == {"region": ("weight",), "age": ("agegr",)}
    assert told["region"].share == 1.0 and told["region"].command == "schleier methods coarsen_weights"
    assert told["age"].command == "schleier decide schema.toml --role quasi agegr"
    for lang, said in (("en", "can be recovered from"), ("de", "zurück")):
        page = Html().render(made, lang)
        assert 'class="verdict mind"' in page and said in page and "weight" in page


@pytest.mark.parametrize(
    ("gone", "source", "command"),
    [
        ("quasi", "plain", "decide schema.toml --role quasi agegr"),
        ("undecided", "plain", "decide schema.toml --role quasi agegr"),
        ("sensitive", "plain", "decide schema.toml --role sensitive agegr"),
        ("identifier", "plain", "decide schema.toml --role identifier agegr"),
        ("identifier", "undecided", "decide schema.toml --role identifier agegr"),
        ("quasi", "sensitive", "methods drop"),
        ("sensitive", "quasi", "methods drop"),
    ],
)
def test_what_gives_a_column_back_is_what_the_column_is(gone: Role, source: Role, command: str) -> None:
    """And what is protected in another way already is not to lose its role."""
    told = back(DROP.format(["region", "age"]), CRITERION.format(""), age=gone, agegr=source)
    assert told["age"].command == f"schleier {command}"


def test_nothing_comes_back_where_the_sources_are_gone_too() -> None:
    assert back(DROP.format(["region", "age", "agegr", "weight"]), CRITERION.format("")) == {}
    assert back(CRITERION.format("")) == {}, "nothing was changed"


def test_keys_that_judged_keys_give_back_add_nothing_to_their_classes() -> None:
    steps = DROP.format(["region", "age", "weight"])
    assert back(steps, CRITERION.format(', "agegr"'), agegr="quasi") == {}
    assert set(back(steps, CRITERION.format(""), agegr="quasi")) == {"age"}, "nobody judged it"
    assert set(back(steps, CRITERION.format(', "agegr"'), agegr="quasi", age="sensitive")) == {"age"}


def test_what_needs_no_protection_may_come_back() -> None:
    assert back(DROP.format(["age"]), CRITERION.format(""), age="plain") == {}


def test_a_recipe_that_asks_is_answered_once() -> None:
    made = report(DROP.format(["age"]), CRITERION.format(""), ASKED)
    assert [one.name for one in made.findings] == ["rebuildable"]
    assert [one.columns for one in made.cautions if one.code == "comes_back"] == [("age",)]
    assert report(DROP.format(["age"]), CRITERION.format("")).findings == ()


def test_wide_files_are_not_looked_at_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = (DROP.format(["age"]), CRITERION.format(""))
    assert not report(*parts).too_wide
    for module in ("schleier.flow.returning", "schleier.flow.release.publish"):
        monkeypatch.setattr(f"{module}.WIDE", 4)
    made = report(*parts)
    assert made.too_wide and not any(one.code == "comes_back" for one in made.cautions)
    assert "so many columns" in Html().render(made, "en") and "so viele Spalten" in Html().render(made, "de")
    assert any(one.code == "comes_back" for one in report(*parts, ASKED).cautions), "unless a recipe asks"


def test_an_inspection_foresees_it() -> None:
    described = Schema(columns=[Column(name=name, role=role, scale=scale) for name, (role, scale) in ROLES.items()])
    found = inspect(TABLE, described)
    assert {one.column: one.sources for one in found.returning} == {"region": ("weight",), "age": ("agegr",)}
    for lang in ("en", "de"):
        front = tell_inspection(found, Words.of(lang)).front
        said = " ".join(str(one.text) for answer in front.answers for one in answer.said)
        assert "weight" in said and "agegr" in said
    assert inspect(TABLE.select(["region", "age"]), described.without(["weight", "agegr", "sex"])).returning == ()


def test_a_draft_foresees_it(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    pc.write_csv(TABLE, file)
    chosen = [Column(name=name, role=role, scale=scale) for name, (role, scale) in ROLES.items() if name == "agegr"]
    draft = describe(file, decided=chosen)
    assert {one.column: one.sources for one in draft.returning} == {"region": ("weight",), "age": ("agegr",)}
    assert [why.values["column"] for why in draft.guess("weight").why if why.key == "gives_back"] == ["region"]
