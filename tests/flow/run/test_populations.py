"""Population tables: named in a recipe, recoded with the data, looked at by criteria and searches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schleier.core.classes.population import followed
from schleier.core.data import Dataset
from schleier.core.errors import DataError, InfeasibleError, RecipeError, SchleierError
from schleier.core.method import Method
from schleier.core.registry import get
from schleier.core.run import Run
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.replay import replay
from schleier.flow.run.runner import verify
from schleier.testing import example_populations, example_schema, example_table

PLANTED = "Plantedville"
SCHEMA = """
[schema]
others = "drop"
columns = [
  { name = "age", role = "quasi", scale = "discrete", hierarchy = "age" },
  { name = "sex", role = "quasi", scale = "nominal" },
  { name = "region", role = "quasi", scale = "place", hierarchy = "region" },
  { name = "income", role = "sensitive", scale = "continuous", decimals = 2 },
]
[hierarchies]
age = { intervals = [5, 15, 45] }
region = { prefix = [3, 2, 0] }
"""
DATA = '[data]\nfile = "people.csv"\npopulation = "all.csv"\npopulation_count = "persons"\n'
COARSEN = '[[steps]]\nmethod = "coarsen"\n'
K_MAP = '[[criteria]]\ncriterion = "k_map"\nk = 3\n'


def people(count: int) -> list[tuple[str, str, str]]:
    table = example_table(count).select(["age", "sex", "region"]).to_pydict()
    gaps = [["" if v is None else str(v) for v in column] for column in table.values()]
    return list(zip(*gaps, strict=True))


def written(folder: Path, recipe: str = DATA + SCHEMA + COARSEN + K_MAP, **files: str) -> Path:
    """A recipe, 60 persons, and the population they are from: 30 times as many, counted."""
    rows = "".join(f"{','.join(row)},{i}.5\n" for i, row in enumerate(people(60)))
    everybody = "".join(f"{','.join(row)},{1 + i % 2}\n" for i, row in enumerate(people(1200)))
    contents = {"people": f"age,sex,region,income\n{rows}", "all": f"age,sex,region,persons\n{everybody}", **files}
    for name, text in contents.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    path = folder / "recipe.toml"
    path.write_text(recipe, encoding="utf-8")
    return path


def codes(act: Callable[[], Any], kind: type[SchleierError]) -> list[str]:
    with pytest.raises(kind) as error:
        act()
    assert PLANTED not in str(error.value)
    return [problem.code for problem in error.value.problems]


def test_a_search_for_k_map_stays_finer_than_for_k(tmp_path: Path) -> None:
    path = written(tmp_path)
    release = Recipe.from_file(path).run(out=tmp_path / "map", key=bytes(32))
    levels = release.report.steps[0].parameters["levels"]
    (verdict,) = release.report.criteria
    assert verdict.holds and verdict.level is not None and verdict.level >= 3
    path.write_text(path.read_text().replace("k_map", "k_anonymity"))
    harder = Recipe.from_file(path).run(out=tmp_path / "k", key=bytes(32)).report.steps[0].parameters["levels"]
    assert sum(levels.values()) < sum(harder.values()) and all(levels[name] <= harder[name] for name in levels)
    assert oracle(tmp_path, levels) == verdict.level


def oracle(folder: Path, levels: dict[str, int]) -> int:
    """The rarest class, by looking at all pairs of released and possible persons."""
    import csv

    tops = {"age": 4, "sex": 1, "region": 3}

    def coarse(row: dict[str, str]) -> tuple[str, ...]:
        found = []
        for name, level in levels.items():
            value = row[name]
            if level == tops[name]:
                value = "*"
            elif value and name == "age" and level:
                value = str(int(value) // [1, 5, 15, 45][level])
            elif value and name == "region" and level:
                value = value[: [5, 3, 2][level]]
            found.append(value)
        return tuple(found)

    with (folder / "people.csv").open() as file:
        mine = {coarse(row) for row in csv.DictReader(file)}
    with (folder / "all.csv").open() as file:
        all_of_them = [(coarse(row), int(row["persons"])) for row in csv.DictReader(file)]
    return min(sum(n for key, n in all_of_them if key == one) for one in mine)


def test_verify_agrees_with_the_fitted_recipe(tmp_path: Path) -> None:
    path = written(tmp_path)
    release = Recipe.from_file(path).run(out=tmp_path / "out", key=bytes(32))
    fitted = Recipe.from_file(tmp_path / "out" / "restricted" / "transformation.toml")
    file = tmp_path / "out" / "public" / "data.csv"
    assert verify(file, fitted) == release.report.criteria
    with pytest.raises(RecipeError) as error:
        verify(file, Recipe.from_file(path))
    (problem,) = error.value.problems
    assert problem.code == "not-fitted" and "transformation.toml" in problem.hint
    assert replay(tmp_path / "out", tmp_path / "people.csv").report.criteria == release.report.criteria


def test_verify_needs_no_fitted_recipe_where_nothing_is_learned(tmp_path: Path) -> None:
    steps = '[[steps]]\nmethod = "recode"\ncolumn = "age"\nlevel = 3\n'
    steps += '[[steps]]\nmethod = "recode"\ncolumn = "region"\nlevel = 3\n'
    recipe = Recipe.from_file(written(tmp_path, DATA + SCHEMA + steps + K_MAP))
    release = recipe.run(out=tmp_path / "out", key=bytes(32))
    assert verify(tmp_path / "out" / "public" / "data.csv", recipe) == release.report.criteria
    learned = SCHEMA.replace("intervals = [5, 15, 45]", "balanced = [8, 4, 2]")
    recipe = Recipe.from_file(written(tmp_path, DATA + learned + steps + K_MAP))
    recipe.run(out=tmp_path / "other", key=bytes(32))
    file = tmp_path / "other" / "public" / "data.csv"
    assert codes(lambda: verify(file, recipe), RecipeError) == ["not-fitted"]


def test_only_the_needed_columns_must_be_there(tmp_path: Path) -> None:
    """The search recodes three keys at once; the population knows two of them."""
    everybody = "age,region\n" + "".join(f"{age},{region}\n" for age, _, region in people(1200))
    recipe = DATA.replace('population_count = "persons"\n', "") + SCHEMA + COARSEN
    recipe += '[[criteria]]\ncriterion = "k_map"\nk = 3\nkeys = [["age", "region"]]\n'
    release = Recipe.from_file(written(tmp_path, recipe, all=everybody)).run(key=bytes(32))
    assert release.report.criteria[0].holds


def test_a_column_that_is_dropped_is_not_asked_for(tmp_path: Path) -> None:
    everybody = "sex\nf\nf\nf\nm\nm\nm\n"
    recipe = '[data]\nfile = "people.csv"\npopulation = "all.csv"\n' + SCHEMA + '[[steps]]\nmethod = "drop"\n'
    recipe += 'columns = ["age", "region"]\n' + K_MAP
    release = Recipe.from_file(written(tmp_path, recipe, all=everybody)).run(key=bytes(32))
    assert release.report.criteria[0].level == 3


def test_values_outside_the_hierarchy_become_the_root(tmp_path: Path) -> None:
    tree = SCHEMA.replace("{ prefix = [3, 2, 0] }", '{ tree = { north = ["a", "b"], south = ["c"] } }')
    rows = "age,sex,region,income\n" + "1,f,a,1.0\n" * 2 + "1,f,b,1.0\n" * 2
    everybody = f"age,sex,region,persons\n1,f,a,2\n1,f,b,2\n1,f,{PLANTED},50\n"
    steps = '[[steps]]\nmethod = "recode"\ncolumn = "region"\nlevel = 1\n'
    path = written(tmp_path, DATA + tree + steps + K_MAP, people=rows, all=everybody)
    assert Recipe.from_file(path).run(key=bytes(32)).report.criteria[0].level == 4
    path = written(tmp_path, DATA + tree + COARSEN + K_MAP, people=rows, all=everybody)
    release = Recipe.from_file(path).run(key=bytes(32))
    assert release.report.criteria[0].level == 4
    assert release.report.steps[0].parameters["levels"]["region"] == 1


def test_a_file_is_relative_to_its_recipe_and_watched(tmp_path: Path) -> None:
    path = written(tmp_path)
    (tmp_path / "child").mkdir()
    child = tmp_path / "child" / "recipe.toml"
    child.write_text('extends = "../recipe.toml"\n')
    recipe = Recipe.from_file(child)
    assert recipe.data.files.keys() == {"file", "population"} and recipe.problems() == []
    assert Path(recipe.data.files["population"]).resolve() == tmp_path / "all.csv"

    def touch(what: str, done: int, total: int | None) -> None:
        if what == "judging" and done:
            (tmp_path / "all.csv").write_text("age\n")

    assert codes(lambda: recipe.run(listener=touch), DataError) == ["changed-while-reading"]
    assert path.exists()


GAZETTEER = '[data]\nfile = "people.csv"\ngazetteer = "places.csv"\ngazetteer_count = "inhabitants"\n'


def test_regions_are_compared_with_the_gazetteer(tmp_path: Path) -> None:
    regions = sorted({region for _, _, region in people(1200) if region})
    rows = "age,sex,region,income\n" + "".join(f"1,f,{region},1.0\n" for region in regions)
    places = "region,inhabitants\n" + "".join(f"{region},{100 + i}\n" for i, region in enumerate(regions))
    criteria = '[[criteria]]\ncriterion = "region_threshold"\nthreshold = 1000\n'
    steps = '[[steps]]\nmethod = "recode"\ncolumn = "region"\nlevel = 1\n'
    path = written(tmp_path, GAZETTEER + SCHEMA + steps + criteria, people=rows, places=places)
    assert codes(lambda: Recipe.from_file(path).run(), InfeasibleError) == ["criterion-broken"]
    path.write_text(path.read_text().replace("level = 1", "level = 2"))
    sums = sum(100 + i for i in range(len(regions)))
    assert Recipe.from_file(path).run(key=bytes(32)).report.criteria[0].level == sums


# What can be wrong.


def test_a_table_that_is_not_named_is_asked_for(tmp_path: Path) -> None:
    plain = '[data]\nfile = "people.csv"\n' + SCHEMA
    asked = K_MAP + '[[criteria]]\ncriterion = "region_threshold"\nthreshold = 9\n'
    with pytest.raises(RecipeError) as error:
        Recipe.from_toml(plain + asked)
    assert [(p.code, p.where) for p in error.value.problems] == [
        ("no-population", "criteria[0]"),
        ("no-population", "criteria[1]"),
    ]
    assert "population = " in error.value.problems[0].hint and "gazetteer = " in error.value.problems[1].hint
    own = COARSEN + 'criteria = [{ criterion = "k_map", k = 3 }]\n'
    assert codes(lambda: Recipe.from_toml(plain + own), RecipeError) == ["no-population"]
    wrong = plain.replace("[data]\n", '[data]\ngazetteer_count = "n"\n')
    assert codes(lambda: Recipe.from_toml(wrong), RecipeError) == ["bad-parameter"]


HEAD = "age,sex,region,persons\n"
BROKEN = {
    "no key column": ("age,sex,persons\n1,f,2\n", ["population-column"]),
    "no key column and no count": ("age,sex\n1,f\n", ["population-column", "population-column"]),
    "no rows": (HEAD, ["no-rows"]),
    "negative": (f"{HEAD}1,f,{PLANTED},-2\n1,f,{PLANTED},3\n", ["bad-count"]),
    "missing": (f"{HEAD}1,f,{PLANTED},\n1,f,{PLANTED},3\n", ["bad-count"]),
    "endless": (f"{HEAD}1,f,{PLANTED},9e15\n", ["bad-count"]),
    "nobody": (f"{HEAD}1,f,{PLANTED},0\n", ["no-rows"]),
    "no number": (f"{HEAD}1,f,10000,{PLANTED}\n", None),
    "no whole age": (f"{HEAD}{PLANTED},f,10000,1\n", None),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_table_is_refused(name: str, tmp_path: Path) -> None:
    text, wanted = BROKEN[name]
    recipe = Recipe.from_file(written(tmp_path, all=text))
    found = codes(recipe.run, DataError)
    assert found == wanted if wanted else len(found) == 1
    heads = [problem.code for problem in recipe.problems()]
    assert heads == (wanted if name.startswith("no key") else [])


def test_a_table_that_is_not_there_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, (DATA + SCHEMA + COARSEN + K_MAP).replace("all.csv", "none.csv"))
    (problem,) = Recipe.from_file(path).problems()
    assert problem.where == "data.population" and "none.csv" in problem.message
    assert codes(Recipe.from_file(path).run, DataError) == [problem.code]
    assert codes(lambda: Recipe.from_file(path).run(example_table(60)), DataError) == [problem.code]


def test_a_count_that_is_text_in_a_typed_file_is_refused_by_its_head(tmp_path: Path) -> None:
    path = written(tmp_path, (DATA + SCHEMA + COARSEN + K_MAP).replace("all.csv", "all.parquet"))
    table = pa.table({"age": [1], "sex": ["f"], "region": ["10000"], "persons": [PLANTED]})
    pq.write_table(table, tmp_path / "all.parquet")
    (problem,) = Recipe.from_file(path).problems()
    assert (problem.code, problem.where) == ("wrong-type", "data.population") and PLANTED not in problem.message


def test_a_key_cannot_count_persons(tmp_path: Path) -> None:
    path = written(tmp_path, (DATA + SCHEMA + COARSEN + K_MAP).replace('"persons"', '"age"'))
    assert [p.code for p in Recipe.from_file(path).problems()] == ["count-is-key"]


def test_a_combination_that_is_not_in_the_population_breaks_the_criterion(tmp_path: Path) -> None:
    rows = f"age,sex,region,income\n1,f,{PLANTED},1.0\n"
    path = written(tmp_path, DATA + SCHEMA + K_MAP, people=rows)
    with pytest.raises(InfeasibleError) as error:
        Recipe.from_file(path).run()
    assert "1 class matches nobody" in str(error.value) and PLANTED not in str(error.value)


def test_other_searches_say_that_they_do_not_look_at_it(tmp_path: Path) -> None:
    path = written(tmp_path, DATA + SCHEMA + COARSEN.replace("coarsen", "mondrian") + K_MAP)
    assert codes(Recipe.from_file(path).run, RecipeError) == ["population-not-searched"]


# Steps and engines.


def test_a_random_step_leaves_the_population_as_it_is(engine: Any) -> None:
    data = Dataset.from_frame(example_table(), example_schema(), engine)
    data = replace(data, populations=example_populations(engine))
    run = Run(key=bytes(32))
    step: Method = get("method", "sample")(**get("method", "sample").example)
    fitted = step.fit(data, run)
    result = followed(data, fitted, fitted.apply(data, run), run)
    assert result.rows < data.rows
    assert result.populations["population"].to_arrow() == data.populations["population"].to_arrow()


@pytest.fixture
def engine() -> Any:
    found = get("engine", "duckdb")()
    yield found
    found.close()


@pytest.mark.spark
def test_equal_on_spark(tmp_path: Path, spark: Any) -> None:
    recipe = Recipe.from_file(written(tmp_path))
    here, there = (recipe.run(key=bytes(32), engine=name) for name in ("duckdb", "spark"))
    assert here.report.criteria == there.report.criteria and here.audit.digest == there.audit.digest


def test_a_population_is_restricted_like_the_data(engine: Any) -> None:
    """Who can read whom the release is about looks for nobody else."""
    data = Dataset.from_frame(example_table(), example_schema(), engine)
    population = example_populations(engine)["population"]
    data = replace(data, populations={"population": population})
    step = get("method", "restrict")(where=[{"column": "sex", "equals": "f"}]).fit(data, Run(key=bytes(32)))
    after = followed(data, step, step.apply(data, Run(key=bytes(32))), Run(key=bytes(32)))
    assert set(after.populations["population"].to_arrow()["sex"].to_pylist()) == {"f"}
    lacking = replace(data, populations={"population": population.drop("sex")})
    with pytest.raises(DataError, match="does not tell whom a step keeps, it lacks: 'sex'"):
        followed(lacking, step, data, Run(key=bytes(32)))
