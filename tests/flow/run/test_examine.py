"""A finished file, looked at without the original: what a release would not have is refused, all of it at once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from flow.making import RECIPE, written
from schleier.core.errors import DataError
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.recipe.schema_file import schema_from_file
from schleier.flow.release.release import MANIFEST
from schleier.flow.release.seal import seal_of
from schleier.flow.run.examine import digest_of_file, examine, examine_release, report_from_file
from schleier.flow.run.runner import verify
from schleier.testing import example_table

SECRET = "zzz-planted-marker"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a recipe and its release."""
    folder = tmp_path_factory.mktemp("made")
    Recipe.from_file(written(folder)).run(out=folder / "out", key=bytes(32))
    return folder


@pytest.fixture
def recipe(made: Path) -> Recipe:
    return Recipe.from_file(made / "recipe.toml")


@pytest.fixture
def rows(made: Path) -> pa.Table:
    return pq.read_table(made / "out" / "public" / "data.parquet")


def codes(table: pa.Table, recipe: Recipe, tmp_path: Path) -> list[str]:
    """What is wrong with a table; no value is quoted."""
    pq.write_table(table, tmp_path / "file.parquet")
    with pytest.raises(DataError) as error:
        verify(tmp_path / "file.parquet", recipe)
    assert SECRET not in str(error.value)
    return sorted(problem.code for problem in error.value.problems)


def test_the_release_itself_is_met(made: Path, recipe: Recipe) -> None:
    found = examine(made / "out" / "public" / "data.parquet", recipe)
    assert [verdict.holds for verdict in found.verdicts] == [True]
    assert (found.records, found.not_compared, found.not_checked) == (240, ("records", "digest"), ())


def test_names_that_were_added_are_refused(recipe: Recipe, rows: pa.Table, tmp_path: Path) -> None:
    named = rows.append_column("person", pa.array([f"Person {i}" for i in range(240)]))
    assert codes(named, recipe, tmp_path) == ["unreleased-columns"]
    unknown = rows.append_column("id", pa.array(range(240)))
    assert codes(unknown, recipe, tmp_path) == ["unreleased-columns"]


def test_values_a_rule_would_still_change_are_refused(recipe: Recipe, rows: pa.Table, tmp_path: Path) -> None:
    place = rows.column_names.index("income")
    uncapped = rows.set_column(place, "income", pc.multiply(rows["income"], 10.0))
    assert codes(uncapped, recipe, tmp_path) == ["rule-not-applied"]
    ages = example_table()["age"]
    place = rows.column_names.index("age")
    assert "rule-not-applied" in codes(rows.set_column(place, "age", ages), recipe, tmp_path)
    finer = rows.set_column(place, "age", pa.array(["15-16"] * 240))
    assert codes(finer, recipe, tmp_path) == ["rule-not-applied"]


def test_an_empty_file_is_refused(recipe: Recipe, rows: pa.Table, tmp_path: Path) -> None:
    assert codes(rows.slice(0, 0), recipe, tmp_path) == ["no-rows"]


def test_entries_beside_the_table_are_refused(recipe: Recipe, rows: pa.Table, tmp_path: Path) -> None:
    hidden = rows.replace_schema_metadata({"original": SECRET})
    assert codes(hidden, recipe, tmp_path) == ["unreleased-entries"]
    field = rows.schema.field("sex").with_metadata({"original": SECRET})
    columns = rows.schema.set(rows.schema.get_field_index("sex"), field)
    assert codes(rows.cast(columns), recipe, tmp_path) == ["unreleased-entries"]
    feather.write_feather(hidden, tmp_path / "file.feather")
    with pytest.raises(DataError, match="more than its table"):
        verify(tmp_path / "file.feather", recipe)
    feather.write_feather(rows, tmp_path / "file.feather")
    assert verify(tmp_path / "file.feather", recipe)


def test_everything_is_said_at_once(recipe: Recipe, rows: pa.Table, tmp_path: Path) -> None:
    bad = rows.slice(0, 1).append_column("person", pa.array([SECRET])).replace_schema_metadata({"a": SECRET})
    bad = bad.set_column(bad.column_names.index("income"), "income", pa.array([1e6]))
    expected = ["criterion-broken", "rule-not-applied", "unreleased-columns", "unreleased-entries"]
    assert codes(bad, recipe, tmp_path) == expected


def test_rules_that_follow_each_other_are_repeated_together(tmp_path: Path) -> None:
    """Rounding lifts a capped value above the cap: each rule alone would find fault with the other."""
    more = '[[steps]]\nmethod = "round_to"\ncolumn = "income"\nbase = 1500\n[[criteria]]'
    recipe = Recipe.from_file(written(tmp_path, RECIPE.replace("[[criteria]]", more, 1).replace("4000", "3800")))
    recipe.run(out=tmp_path / "out")
    file = tmp_path / "out" / "public" / "data.parquet"
    assert max(value for value in pq.read_table(file)["income"].to_pylist() if value is not None) == 4500
    assert examine(file, recipe).not_checked == ()


def test_what_a_later_step_blurs_is_not_checked_and_that_is_said(tmp_path: Path) -> None:
    more = '[[steps]]\nmethod = "add_noise"\ncolumns = ["income"]\nkind = "independent"\nd = 0.1\n[[criteria]]'
    recipe = Recipe.from_file(written(tmp_path, RECIPE.replace("[[criteria]]", more, 1)))
    recipe.run(out=tmp_path / "out")
    assert examine(tmp_path / "out" / "public" / "data.parquet", recipe).not_checked == ("top_code:income",)


def test_the_report_must_agree(made: Path, recipe: Recipe, rows: pa.Table, tmp_path: Path) -> None:
    report = report_from_file(made / "out" / "public" / "report.json")
    assert examine(made / "out" / "public" / "data.parquet", recipe, report).not_compared == ()
    for table, code in ((rows.slice(1), "other-records"), (rows.take(list(range(239, -1, -1))), "other-digest")):
        pq.write_table(table, tmp_path / "file.parquet")
        with pytest.raises(DataError) as error:
            examine(tmp_path / "file.parquet", recipe, report)
        assert [problem.code for problem in error.value.problems] == [code]
    (tmp_path / "report.json").write_text(f'{{"digest": "{SECRET}"}}')
    for name in ("report.json", "nowhere.json"):
        with pytest.raises(DataError, match="no report") as error:
            report_from_file(tmp_path / name)
        assert SECRET not in str(error.value)


def test_a_withheld_digest_is_that_of_the_audit(tmp_path: Path) -> None:
    recipe = Recipe.from_file(
        written(tmp_path, RECIPE.replace('keys = [["age"], ["sex"]]', 'keys = [["sex"]]'), rows=24)
    )
    recipe.run(out=tmp_path / "out")
    file = tmp_path / "out" / "public" / "data.parquet"
    report = report_from_file(tmp_path / "out" / "public" / "report.json")
    assert report.digest == ""
    assert examine(file, recipe, report).not_compared == ("digest",)
    assert examine_release(tmp_path / "out").not_compared == ()


def _manifest(change: Callable[[dict[str, object]], object]) -> Callable[[Path], None]:
    def changed(folder: Path) -> None:
        manifest = json.loads((folder / MANIFEST).read_text())
        change(manifest)
        (folder / MANIFEST).write_text(json.dumps(manifest))

    return changed


def test_the_seal_is_that_of_the_run_key(made: Path, tmp_path: Path) -> None:
    assert [verdict.holds for verdict in examine_release(made / "out").verdicts] == [True]
    changes = (
        _manifest(lambda manifest: manifest.pop("seal")),
        _manifest(lambda manifest: manifest.update(format="another")),
        _manifest(lambda manifest: manifest.update(seal=seal_of(manifest, bytes([1] * 32)))),
    )
    for i, change in enumerate(changes):
        folder = shutil.copytree(made / "out", tmp_path / str(i))
        change(folder)
        with pytest.raises(DataError) as error:
            examine_release(folder)
        assert [problem.code for problem in error.value.problems] == ["broken-seal"]


@pytest.mark.parametrize("form", ["parquet", "csv", "feather"])
def test_the_digest_of_a_file_is_that_of_its_report(form: str, tmp_path: Path) -> None:
    recipe = Recipe.from_file(written(tmp_path, RECIPE + f'[release]\nformat = "{form}"\n'))
    release = recipe.run(out=tmp_path / "out")
    found = digest_of_file(tmp_path / "out" / "public" / f"data.{form}", release.schema)
    assert (found.hexdigest(), found.rows) == (release.report.digest, 240)
    assert examine_release(tmp_path / "out").not_compared == ()


@pytest.mark.parametrize("form", ["csv", "spss", "stata"])
def test_codes_and_dates_keep_their_digest_in_every_format(form: str, tmp_path: Path) -> None:
    import datetime

    days = [datetime.date(2024, 1, 1 + i % 28) for i in range(60)]
    table = pa.table({"code": [i % 3 for i in range(60)], "flag": [i % 2 == 0 for i in range(60)], "day": days})
    columns = '{ name = "code", role = "quasi", scale = "nominal" }, { name = "flag", scale = "nominal" }'
    text = f'[schema]\ncolumns = [{columns}, {{ name = "day", scale = "time" }}]\n'
    text += f'[[criteria]]\ncriterion = "k_anonymity"\nk = 2\n[release]\nformat = "{form}"\n'
    Recipe.from_toml(text).run(table, out=tmp_path / "out")
    assert examine_release(tmp_path / "out").not_compared == ()


@pytest.mark.parametrize("form", ["spss", "stata"])
def test_a_file_of_a_package_is_compared_too(form: str, tmp_path: Path) -> None:
    """Not all its values can be told apart: that is no reason to take any file for the release."""
    text = """
[schema]
columns = [
  { name = "age", role = "quasi", scale = "discrete" },
  { name = "income", role = "sensitive", scale = "discrete" },
  { name = "word", role = "plain", scale = "nominal" },
]
[[criteria]]
criterion = "k_anonymity"
k = 2
"""
    table = pa.table({"age": [30, 40] * 30, "income": list(range(60)), "word": ["", None, "a"] * 20})
    recipe = Recipe.from_toml(text + f'[release]\nformat = "{form}"\n')
    recipe.run(table, out=tmp_path / "out")
    tripled = table.set_column(1, "income", pa.array([3 * n for n in range(60)]))
    recipe.run(tripled, out=tmp_path / "tripled")
    report = report_from_file(tmp_path / "out" / "public" / "report.json")
    other = tmp_path / "tripled" / "public" / report.file
    with pytest.raises(DataError) as caught:
        examine(other, recipe, report)
    assert [problem.code for problem in caught.value.problems] == ["other-digest"]
    assert examine_release(tmp_path / "out").verdicts  # of the release itself every byte is known


def test_what_is_finer_than_a_release_is_refused(tmp_path: Path) -> None:
    import datetime

    text = """
[schema]
columns = [
  { name = "pay", role = "quasi", scale = "continuous", decimals = 1 },
  { name = "day", role = "plain", scale = "time" },
]
[[criteria]]
criterion = "k_anonymity"
k = 2
"""
    days = [datetime.date(2024, 1, 1 + i % 28) for i in range(56)]
    recipe = Recipe.from_toml(text)
    recipe.run(pa.table({"pay": [0.1, 0.3] * 28, "day": days}), out=tmp_path / "out")
    rows = pq.read_table(tmp_path / "out" / "public" / "data.parquet")
    report = report_from_file(tmp_path / "out" / "public" / "report.json")
    marked = pa.array([value + 1e-6 * i for i, value in enumerate(rows["pay"].to_pylist())])
    hours = pa.array([datetime.datetime(d.year, d.month, d.day, 7) for d in rows["day"].to_pylist()])
    for number, (place, column) in enumerate([(0, marked), (1, hours)]):
        file = tmp_path / f"{number}.parquet"
        pq.write_table(rows.set_column(place, rows.column_names[place], column), file)
        with pytest.raises(DataError) as caught:
            examine(file, recipe, report)
        assert "finer-values" in [problem.code for problem in caught.value.problems]


def test_files_beside_the_released_ones_are_refused(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made / "out", tmp_path / "out")
    (tmp_path / "out" / "public" / "original.csv").write_text(SECRET)
    with pytest.raises(DataError, match=r"not of the release: .*original\.csv") as caught:
        examine_release(tmp_path / "out")
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(("date", "spelt"), [("%Y-%m-%d", "2022-01-14 03:12:07"), ("%d.%m.%Y", "14.01.2022 03:12:07")])
def test_times_of_day_are_read_as_the_release_writes_them(date: str, spelt: str, tmp_path: Path) -> None:
    rows = "".join(f"{'fm'[i % 2]},14.01.2022 03:12:07\n" for i in range(40))
    (tmp_path / "people.csv").write_text(f"sex,made\n{rows}", encoding="utf-8")
    (tmp_path / "recipe.toml").write_text(
        f"""
[data]
file = "people.csv"
[schema]
layout = {{ date = "{date}" }}
columns = [
  {{ name = "sex", role = "quasi", scale = "nominal" }},
  {{ name = "made", role = "plain", scale = "time", date = "%d.%m.%Y %H:%M:%S" }},
]
[[criteria]]
criterion = "k_anonymity"
k = 5
""",
        encoding="utf-8",
    )
    recipe = Recipe.from_file(tmp_path / "recipe.toml")
    recipe.run(out=tmp_path / "out", key=bytes(32))
    assert spelt in (tmp_path / "out" / "public" / "data.csv").read_text(encoding="utf-8")
    assert all(verdict.holds for verdict in examine_release(tmp_path / "out").verdicts)
    public = tmp_path / "out" / "public"
    described = schema_from_file(public / "schema.toml")
    report = report_from_file(public / "report.json")
    audit = json.loads((tmp_path / "out" / "restricted" / "audit.json").read_text(encoding="utf-8"))
    assert digest_of_file(public / "data.csv", described, report).hexdigest() == audit["digest"]
