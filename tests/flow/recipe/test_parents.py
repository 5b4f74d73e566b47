"""A child recipe may add and tighten; what it weakens it must say, and the report says it too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flow.making import SCHEMA
from schleier.core.errors import RecipeError
from schleier.flow.recipe.parents import PROFILES
from schleier.flow.recipe.recipe import Recipe
from schleier.testing import example_table

DROP = '[[steps]]\nmethod = "drop"\ncolumns = ["person"]\n'


def classes(k: int, **more: str) -> str:
    """A criterion called "classes", as the profile public_use has one."""
    extra = "".join(f"{name} = {value}\n" for name, value in more.items())
    return f'[[criteria]]\nname = "classes"\ncriterion = "k_anonymity"\nk = {k}\n{extra}'


def problems(text: str, folder: Path) -> dict[str, str]:
    """What is wrong with a recipe: code by place."""
    with pytest.raises(RecipeError) as caught:
        Recipe.from_toml(text, folder)
    return {problem.where: problem.code for problem in caught.value.problems}


def family(folder: Path, **recipes: str) -> None:
    for name, text in recipes.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")


def child(*parts: str, of: str = "profile:public_use") -> str:
    return f'extends = "{of}"\n' + "\n".join((*parts, SCHEMA, DROP))


def test_a_profile_brings_its_demands(tmp_path: Path) -> None:
    recipe = Recipe.from_toml(child(), tmp_path)
    assert [(one.name, one.k) for one in recipe.criteria] == [("classes", 5)]  # type: ignore[attr-defined]
    assert [measure.word() for measure in recipe.measures] == ["uniqueness", "changed_cells"]
    assert recipe.overrides == ()


@pytest.mark.parametrize("profile", [file.stem for file in PROFILES.glob("*.toml")])
def test_every_profile_is_sound(profile: str, tmp_path: Path) -> None:
    assert Recipe.from_toml(child(of=f"profile:{profile}"), tmp_path).criteria


def test_a_parent_is_found_beside_the_recipe_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "office").mkdir()
    family(tmp_path / "office", eldest=classes(7), middle='extends = "eldest.toml"\n[engine]\nthreads = 3\n')
    recipe = Recipe.from_toml(child(of="office/middle.toml"), tmp_path)
    assert recipe.criteria[0].k == 7  # type: ignore[attr-defined]
    assert recipe.engine.threads == 3


@pytest.mark.parametrize(
    ("extends", "code"),
    [
        ("profile:publik_use", "unknown-profile"),
        ("nowhere.toml", "no-parent"),
        (".", "bad-parent"),
        ("broken.toml", "bad-parent"),
        ("latin.toml", "bad-parent"),
        ("circle.toml", "circular-extends"),
    ],
)
def test_a_parent_that_is_none_is_a_problem(extends: str, code: str, tmp_path: Path) -> None:
    family(tmp_path, broken="this is no TOML", circle='extends = "round.toml"', round='extends = "circle.toml"')
    (tmp_path / "latin.toml").write_bytes('[schema]\ntitle = "ä"'.encode("latin-1"))
    assert problems(child(of=extends), tmp_path) == {"extends": code}


def test_extends_names_one_parent(tmp_path: Path) -> None:
    assert problems("extends = ['a.toml']\n" + SCHEMA + DROP, tmp_path) == {"extends": "bad-extends"}


def test_tables_merge_by_key_and_the_child_wins(tmp_path: Path) -> None:
    family(tmp_path, parent='[engine]\nthreads = 3\nmemory_limit = "1GB"\n[release]\nformat = "csv"\n')
    recipe = Recipe.from_toml(child("[engine]\nthreads = 2", of="parent.toml"), tmp_path)
    assert (recipe.engine.threads, recipe.engine.memory_limit) == (2, "1GB")
    assert recipe.release.format == "csv"


def test_entries_of_the_parent_come_first_and_an_equal_name_replaces(tmp_path: Path) -> None:
    cap = '[[steps]]\nmethod = "top_code"\nname = "{}"\ncolumn = "income"\nupper = {}\n'
    family(tmp_path, parent=cap.format("cap", 4000) + cap.format("second", 3500))
    text = 'extends = "parent.toml"\n' + SCHEMA + DROP + cap.format("cap", 3000)
    steps = Recipe.from_toml(text, tmp_path).steps
    assert [(step.label(None), getattr(step, "upper", None)) for step in steps] == [  # type: ignore[arg-type]
        ("cap", 3000),
        ("second", 3500),
        ("drop:person", None),
    ]


def test_tightening_needs_no_word(tmp_path: Path) -> None:
    recipe = Recipe.from_toml(child(classes(9)), tmp_path)
    assert [one.k for one in recipe.criteria] == [9]  # type: ignore[attr-defined]
    assert recipe.overrides == ()


@pytest.mark.parametrize(
    "weaker",
    [
        classes(4),
        classes(5, keys='[["sex"]]'),
        classes(5, count='"weights"'),
        classes(9, missing='"exclude"'),
        classes(4, override='""'),
        classes(4, override='"   "'),
        classes(4, override="true"),
    ],
)
def test_weakening_is_an_error(weaker: str, tmp_path: Path) -> None:
    assert problems(child(weaker), tmp_path)["criteria.classes"] == "weakened"


def test_weakening_a_grandparent_is_an_error_too(tmp_path: Path) -> None:
    family(tmp_path, middle='extends = "profile:public_use"\n')
    assert problems(child(classes(3), of="middle.toml"), tmp_path) == {"criteria.classes": "weakened"}


def test_a_broken_entry_does_not_open_the_door_to_a_weaker_one(tmp_path: Path) -> None:
    broken = '[[criteria]]\nname = "classes"\ncriterion = "nonsense"\n'
    assert problems(child(broken, classes(2)), tmp_path)["criteria.classes"] == "weakened"
    family(tmp_path, parent=broken)
    assert problems(child(classes(2), of="parent.toml"), tmp_path)["criteria.classes"] == "weakened"


def test_a_reason_allows_it_and_is_published(tmp_path: Path) -> None:
    reason = "for <teaching> in class 7"
    recipe = Recipe.from_toml(child(classes(2, override=f'"{reason}"', keys='[["sex"]]')), tmp_path)
    assert [(one.where, one.reason) for one in recipe.overrides] == [("criteria.classes", reason)]
    release = recipe.run(example_table())
    assert [(one.where, one.reason) for one in release.report.overrides] == [("criteria.classes", reason)]
    assert "for &lt;teaching&gt; in class 7" in release.report._repr_html_()


def test_the_reason_of_a_parent_is_published_too(tmp_path: Path) -> None:
    family(tmp_path, middle='extends = "profile:public_use"\n' + classes(4, override='"agreed"'))
    recipe = Recipe.from_toml(child(classes(4), of="middle.toml"), tmp_path)
    assert [one.reason for one in recipe.overrides] == ["agreed"]


def column(name: str, role: str, override: str | None = None) -> str:
    said = f', override = "{override}"' if override else ""
    return f'[schema]\ncolumns = [{{ name = "{name}", role = "{role}", scale = "text"{said} }}]\n'


@pytest.mark.parametrize("before", ["identifier", "quasi", "sensitive", "unit"])
def test_the_role_of_a_column_is_not_weakened_silently(before: str, tmp_path: Path) -> None:
    family(tmp_path, parent=column("x", before))
    text = 'extends = "parent.toml"\n' + column("x", "plain")
    assert problems(text, tmp_path) == {"schema.columns.x": "weakened"}
    allowed = Recipe.from_toml('extends = "parent.toml"\n' + column("x", "plain", "public register"), tmp_path)
    assert [(one.where, one.reason) for one in allowed.overrides] == [("schema.columns.x", "public register")]


@pytest.mark.parametrize(("before", "after"), [("plain", "quasi"), ("quasi", "identifier"), ("unit", "unit")])
def test_the_role_of_a_column_may_be_tightened(before: str, after: str, tmp_path: Path) -> None:
    family(tmp_path, parent=column("x", before))
    gone = '[[steps]]\nmethod = "drop"\ncolumns = ["x"]\n' if after == "identifier" else ""
    mine = column("x", after).replace("[{", '[{ name = "y", scale = "text" }, {')
    text = 'extends = "parent.toml"\n' + mine + gone
    recipe = Recipe.from_toml(text, tmp_path)
    assert recipe.schema["x"].role == after and recipe.overrides == ()


def test_columns_of_parent_and_child_come_together(tmp_path: Path) -> None:
    family(tmp_path, parent=column("x", "quasi"))
    recipe = Recipe.from_toml('extends = "parent.toml"\n' + column("y", "quasi"), tmp_path)
    assert recipe.schema.names == ("x", "y")


def test_files_are_relative_to_the_recipe_that_names_them(tmp_path: Path) -> None:
    home, office = tmp_path / "home", tmp_path / "office"
    home.mkdir()
    office.mkdir()
    (office / "sex.csv").write_text("f;person;*\nm;person;*\n", encoding="utf-8")
    family(
        office,
        parent='[data]\nfile = "people.parquet"\ncontrol = "more.csv"\n[hierarchies]\nsex = { table = "sex.csv" }\n',
    )
    text = 'extends = "../office/parent.toml"\n[data]\nfile = "mine.parquet"\n' + SCHEMA.replace(
        'name = "sex", role', 'name = "sex", hierarchy = "sex", role'
    )
    recipe = Recipe.from_toml(text + DROP, home)
    assert recipe.data.file == str(home / "mine.parquet")
    assert Path(recipe.data.control or "").resolve() == office / "more.csv"
    assert recipe.schema.hierarchy("sex").depth == 2
    assert recipe.schema.hierarchy("age").depth == 3


def test_a_hierarchy_file_that_is_missing_is_named(tmp_path: Path) -> None:
    text = SCHEMA.replace("{ intervals = [15, 45] }", '{ table = "none.csv" }') + DROP
    assert problems(text, tmp_path) == {"hierarchies.age": "hierarchy-file"}


def everything(recipe: Recipe) -> dict[str, Any]:
    return {name: getattr(recipe, name) for name in ("schema", "steps", "criteria", "measures", "release", "engine")}


def test_the_resolved_recipe_stands_alone(tmp_path: Path) -> None:
    recipe = Recipe.from_toml(child(classes(9)), tmp_path)
    alone = recipe.to_toml()
    assert "extends" not in alone
    assert everything(Recipe.from_toml(alone, tmp_path)) == everything(recipe)
