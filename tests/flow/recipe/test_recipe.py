"""A recipe says everything that is wrong with it, before a row is read; a sound one survives being written."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from flow.making import RECIPE, SCHEMA, STEPS, written
from schleier.core.errors import DataError, RecipeError
from schleier.core.hierarchy import parse
from schleier.flow.recipe.recipe import Recipe

DROP = '[[steps]]\nmethod = "drop"\ncolumns = ["person"]\n'


def problems(text: str) -> list[tuple[str, str]]:
    """What is wrong: place and code."""
    with pytest.raises(RecipeError) as caught:
        Recipe.from_toml(text)
    assert caught.value.exit_code == 2
    return [(problem.where, problem.code) for problem in caught.value.problems]


def step(method: str, **parameters: str) -> str:
    return f'[[steps]]\nmethod = "{method}"\n' + "".join(f"{name} = {value}\n" for name, value in parameters.items())


def test_four_mistakes_are_told_at_once() -> None:
    text = (
        SCHEMA.replace('scale = "text"', 'scale = "txt"')
        + step("top_kode", column='"income"', upper="3")
        + step("top_code", column='"income"', uper="3")
        + '[[criteria]]\ncriterion = "k_anonymity"\nk = 1\n'
        + "[machine]\nthreads = 2\n"
    )
    assert problems(text) == [
        ("machine", "unknown-section"),
        ("schema.columns[0].scale", "bad-parameter"),
        ("steps[0]", "unknown-method"),
        ("steps[1].uper", "unknown-parameter"),
        ("criteria[0].k", "bad-parameter"),
    ]


def test_problems_seen_ahead_are_told_with_the_others_and_at_their_place() -> None:
    text = (
        SCHEMA.replace('hierarchy = "age"', 'hierarchy = "ages"')
        + step("nonsense")
        + DROP
        + step("top_code", column='"incom"', upper="3")
        + '[[criteria]]\ncriterion = "k_anonymity"\nk = 0\n'
        + '[[criteria]]\ncriterion = "k_anonymity"\nk = 2\nkeys = [["person"]]\n'
        + '[[measures]]\nmeasure = "uniqueness"\nkeys = ["person"]\n'
        + '[engine]\nname = "dukdb"\nthreads = 0\n'
        + '[release]\nformat = "xlsx"\n'
    )
    assert set(problems(text)) == {
        ("schema.columns.age", "unknown-hierarchy"),
        ("steps[0]", "unknown-method"),
        ("steps[2]", "unknown-column"),
        ("criteria[0].k", "bad-parameter"),
        ("criteria[1]", "unknown-column"),
        ("measures[0]", "unknown-column"),
        ("engine.threads", "bad-parameter"),
        ("release.format", "unknown-format"),
    }


def test_an_unknown_engine_is_told_before_anything_runs() -> None:
    assert problems(RECIPE + '[engine]\nname = "dukdb"\n') == [("engine.name", "unknown-engine")]


@pytest.mark.parametrize("name", ["income.gross", "in`come"])
def test_names_spark_cannot_take_are_told_before_it_starts(name: str) -> None:
    text = (SCHEMA + DROP).replace('"income"', f'"{name}"')
    assert Recipe.from_toml(text).schema.names[-1] == name
    assert problems(text + '[engine]\nname = "spark"\n') == [("schema", "odd-names")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[schema\n", [("recipe", "bad-toml")]),
        ("x = 1\nx = 2\n", [("recipe", "bad-toml")]),
        ("", [("schema", "no-schema")]),
        ("schema = 3\n", [("schema", "bad-section")]),
        (SCHEMA + DROP + "[criteria]\nk = 3\n", [("criteria", "bad-section")]),
        (SCHEMA + DROP + "[[criteria]]\nk = 3\n", [("criteria[0]", "no-criterion")]),
        (SCHEMA + DROP + '[[criteria]]\ncriterion = "k_anonymity"\n', [("criteria[0].k", "missing-parameter")]),
        ("[schema]\ncolumns = []\n", [("schema.columns", "bad-parameter")]),
        (SCHEMA + DROP + '[engine]\nmemory_limit = "lots"\n', [("engine.memory_limit", "bad-parameter")]),
        (SCHEMA.replace("[15, 45]", "[15, 40]") + DROP, [("hierarchies.age", "hierarchy-not-nested")]),
        (SCHEMA.replace("{ intervals = [15, 45] }", "3") + DROP, [("hierarchies.age", "bad-hierarchy")]),
        (SCHEMA.replace("intervals", "interval") + DROP, [("hierarchies.age", "bad-hierarchy")]),
        (SCHEMA.replace("[15, 45]", '["x", 45]') + DROP, [("hierarchies.age.intervals[0]", "bad-parameter")]),
    ],
)
def test_every_mistake_is_told_once_with_its_place(text: str, expected: list[tuple[str, str]]) -> None:
    assert problems(text) == expected


def test_hints_name_what_was_probably_meant() -> None:
    with pytest.raises(RecipeError) as caught:
        Recipe.from_toml(SCHEMA + DROP + step("top_code", column='"income"', uper="3"))
    assert [problem.hint for problem in caught.value.problems] == ["did you mean 'upper'?"]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (DROP + step("top_code", column='"person"', upper="3"), [("steps[1]", "unknown-column")]),
        (DROP + step("drop", columns='["person"]'), [("steps[1]", "unknown-column"), ("steps[1]", "equal-labels")]),
        (
            DROP + step("recode", column='"age"', level="1") + step("recode", column='"age"', level="2", name='"b"'),
            [("steps[2].level", "no-hierarchy")],
        ),
        (
            DROP + step("recode", column='"age"', level="1") + step("top_code", column='"age"', upper="50"),
            [("steps[2].column", "not-numeric")],
        ),
        (DROP + step("recode", column='"age"', level="4"), [("steps[1].level", "no-such-level")]),
        (DROP + step("recode", column='"sex"', breaks="[1]"), [("steps[1].breaks", "not-numeric")]),
        (DROP + step("top_code", column='"age"', upper="50.5"), [("steps[1].upper", "not-whole")]),
        ("", [("steps", "identifier-released")]),
        (
            step("drop", columns='["person", "household", "age", "sex", "income"]'),
            [("steps", "nothing-released")],
        ),
    ],
)
def test_looking_ahead_through_the_steps(steps: str, expected: list[tuple[str, str]]) -> None:
    assert problems(SCHEMA + steps) == expected


def test_equal_labels_need_names() -> None:
    cap = step("top_code", column='"income"', upper="4000")
    assert problems(SCHEMA + DROP + cap + cap) == [("steps[2]", "equal-labels")]
    assert problems(SCHEMA + DROP + cap + cap.replace("upper", 'name = "drop:person"\nupper')) == [
        ("steps[2]", "equal-labels")
    ]
    named = Recipe.from_toml(SCHEMA + DROP + cap + cap.replace("upper", 'name = "again"\nupper'))
    assert len(named.steps) == 3


def test_a_criterion_without_anything_to_look_at_is_a_problem() -> None:
    text = '[schema]\ncolumns = [{ name = "x", scale = "text" }]\n[[criteria]]\ncriterion = "k_anonymity"\nk = 2\n'
    assert problems(text) == [("criteria[0].keys", "no-keys")]
    assert problems(text + 'count = "weights"\n') == [
        ("criteria[0].keys", "no-keys"),
        ("criteria[0].count", "no-weight"),
    ]


def test_a_recipe_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes("# ä".encode("latin-1"))
    for name, code in (("none.toml", "no-recipe"), (".", "unreadable"), ("latin.toml", "unreadable")):
        with pytest.raises(RecipeError) as caught:
            Recipe.from_file(tmp_path / name)
        assert [problem.code for problem in caught.value.problems] == [code]


def test_the_header_of_the_file_is_looked_at_only_when_asked(tmp_path: Path) -> None:
    path = written(tmp_path, RECIPE.replace('others = "drop"\n', "").replace('"sex"', '"gender"'))
    recipe = Recipe.from_file(path)
    assert recipe.problems(header=False) == []
    assert {problem.code for problem in recipe.problems()} == {"unknown-column", "undescribed-column"}
    with pytest.raises(DataError):
        recipe.run()


FULL = """
[data]
file = "people.parquet"
control = "more.parquet"

[schema]
row_key = "id"
others = "drop"
columns = [
  { name = "age", role = "quasi", scale = "discrete", hierarchy = "age", missing = [99, -1.5, "na"], title = "Alter" },
  { name = "sex", role = "quasi", scale = "nominal", labels = { f = "Frau", m = "Mann" }, hierarchy = "sex" },
  { name = "born", scale = "time", hierarchy = "born" },
  { name = "pay", scale = "continuous", decimals = 2, hierarchy = "pay" },
  { name = "w", role = "weight", scale = "continuous" },
]
layout = { delimiter = ";", decimal = ",", thousands = ".", encoding = "latin-1", date = "%d.%m.%Y" }

[hierarchies]
age = { intervals = [5, 10], origin = 3, outside = "root" }
sex = { rows = [["f", "all", "*"], ["m", "all", "*"]] }
born = { dates = ["month", "year"] }
pay = { balanced = [4, 2] }
unused = { tree = { Nord = ["HH", "SH"], Sued = ["BY"] } }

[[steps]]
method = "recode"
name = "by hand"
column = "age"
breaks = [18, 65.5]
labels = ["young", "middle", "old"]

[[steps]]
method = "recode"
column = "sex"
map = { f = "person", m = "person" }
others = "keep"

[[steps]]
method = "top_code"
column = "pay"
upper = 1e6
lower = 0
min_affected = 7

[[criteria]]
criterion = "k_anonymity"
k = 3
keys = [["age", "sex"], ["age"]]
count = "weights"
missing = "wildcard"

[[measures]]
measure = "changed_cells"
columns = ["age"]

[release]
format = "csv"

[engine]
name = "spark"
memory_limit = "1.5GB"
threads = 2
"""


@pytest.mark.parametrize("text", [RECIPE, FULL, SCHEMA + STEPS], ids=["small", "full", "no file"])
def test_writing_and_reading_gives_the_same_recipe(text: str) -> None:
    recipe = Recipe.from_toml(text)
    assert Recipe.from_toml(recipe.to_toml()) == recipe
    assert Recipe.from_toml(Recipe.from_toml(recipe.to_toml()).to_toml()) == recipe


def test_a_hierarchy_from_a_file_is_written_out(tmp_path: Path) -> None:
    (tmp_path / "age.csv").write_text("1;young;*\n2;old;*\n", encoding="utf-8")
    recipe = Recipe.from_toml(SCHEMA.replace("{ intervals = [15, 45] }", '{ table = "age.csv" }') + DROP, tmp_path)
    (tmp_path / "age.csv").unlink()
    assert tomllib.loads(recipe.to_toml())["hierarchies"]["age"] == {"rows": [["1", "young", "*"], ["2", "old", "*"]]}
    assert Recipe.from_toml(recipe.to_toml()).schema.hierarchy("age") == parse(
        {"rows": [["1", "young", "*"], ["2", "old", "*"]]}
    )


def test_the_schema_of_the_release_is_known_before_it_is_made() -> None:
    after = Recipe.from_toml(RECIPE).after()
    assert after.names == ("household", "age", "sex", "income")
    assert (after["age"].scale, after["age"].hierarchy) == ("ordinal", None)
