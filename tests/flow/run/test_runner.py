"""From rows to a release: the same for the same key, closed when something fails, silent about persons."""

from __future__ import annotations

import json
import math
import stat
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from flow.making import RECIPE, SCHEMA, STEPS, written
from schleier.core.errors import DataError, InfeasibleError, RecipeError, SchleierError
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.digest import digest_of
from schleier.flow.release.edge import batches
from schleier.flow.release.release import Release
from schleier.flow.run.runner import verify
from schleier.testing import example_table

PLAIN = '[schema]\nrow_key = "id"\ncolumns = [{{ name = "x", scale = "{}"{} }}]\n'


def released(release: Release) -> dict[str, list[Any]]:
    """The rows in the order of the release."""
    assert release.rows is not None
    return release.rows.to_pydict()


def anonymised(text: str, table: pa.Table | None = None, key: bytes = bytes(32)) -> Release:
    return Recipe.from_toml(text).run(example_table() if table is None else table, key=key)


def test_the_same_key_gives_the_same_release_and_another_key_another_order(key: bytes) -> None:
    one, again, other = (anonymised(SCHEMA + STEPS, key=k) for k in (key, key, bytes(32)))
    assert one.report == again.report and released(one) == released(again)
    assert one.audit.digest != other.audit.digest
    assert sorted(map(repr, one.rows.to_pylist())) == sorted(map(repr, other.rows.to_pylist()))  # type: ignore[union-attr]


def test_without_a_key_every_run_draws_its_own() -> None:
    recipe = Recipe.from_toml(SCHEMA + STEPS)
    assert recipe.run(example_table()).audit.run_key != recipe.run(example_table()).audit.run_key


def test_the_order_of_the_original_is_gone(key: bytes) -> None:
    table = pa.table({"id": range(200), "x": range(200)})
    order = released(anonymised(PLAIN.format("discrete", ""), table, key))["x"]
    assert sorted(order) == list(range(200))
    pairs = sum(a < b for i, a in enumerate(order) for b in order[i + 1 :])
    # The number of ordered pairs of a random permutation: mean n(n-1)/4, variance n(n-1)(2n+5)/72; five deviations.
    assert abs(pairs - 200 * 199 / 4) < 5 * math.sqrt(200 * 199 * 405 / 72)


def test_the_order_of_rows_given_does_not_matter(key: bytes) -> None:
    table = example_table()
    shuffled = table.take(pa.array(range(len(table) - 1, -1, -1)))
    assert anonymised(SCHEMA + STEPS, table, key).audit.digest == anonymised(SCHEMA + STEPS, shuffled, key).audit.digest


def test_rows_of_a_household_stay_together(key: bytes) -> None:
    homes = released(anonymised(SCHEMA + STEPS, key=key))["household"]
    runs = [home for i, home in enumerate(homes) if i == 0 or homes[i - 1] != home]
    assert len(runs) == len(set(homes)) == 80
    assert runs != sorted(runs, key=lambda home: int(home[1:]))


def test_declared_precision_is_applied_and_negative_zero_is_none(key: bytes) -> None:
    values = [1.005, 2.675, -0.004, 0.5, None, -1.236, 1e15]
    table = pa.table({"id": range(7), "x": values})
    found = released(anonymised(PLAIN.format("continuous", ", decimals = 2"), table, key))["x"]
    assert sorted(x for x in found if x is not None) == [-1.24, 0.0, 0.5, 1.0, 2.68, 1e15]
    assert all(math.copysign(1, x) == 1 for x in found if x == 0)
    raw = released(anonymised(PLAIN.format("continuous", ""), pa.table({"id": [1], "x": [-0.0]}), key))["x"]
    assert math.copysign(1, raw[0]) == 1


def test_a_file_and_a_frame_give_the_same_release(tmp_path: Path, key: bytes) -> None:
    path = written(tmp_path)
    from_file = Recipe.from_file(path).run(key=key)
    assert from_file.report == anonymised(SCHEMA + STEPS, key=key).report
    elsewhere = tmp_path / "elsewhere.parquet"
    (tmp_path / "people.parquet").rename(elsewhere)
    assert Recipe.from_file(path).run(elsewhere, key=key).report == from_file.report


@pytest.mark.parametrize("form", ["parquet", "csv", "feather"])
def test_every_format_holds_the_same_rows(form: str, tmp_path: Path, key: bytes) -> None:
    recipe = Recipe.from_file(written(tmp_path, RECIPE + f'[release]\nformat = "{form}"\n'))
    release = recipe.run(out=tmp_path / "out", key=key)
    assert release.audit.digest == anonymised(SCHEMA + STEPS, key=key).audit.digest
    assert release.report.file == f"data.{form}"
    rows = release.data.to_arrow()
    assert digest_of(rows.to_batches(), release.schema).hexdigest() == release.report.digest
    names = ["public/data." + form, "public/report.html", "public/report.json", "public/schema.toml"]
    names += ["release.json", "restricted/audit.json", "restricted/recipe.toml", "restricted/transformation.toml"]
    found = sorted(str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*") if p.is_file())
    assert found == sorted(names)
    assert stat.S_IMODE((tmp_path / "out" / "restricted").stat().st_mode) == 0o700


def test_a_release_in_memory_leaves_nothing_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    release = anonymised(SCHEMA + STEPS)
    assert list(tmp_path.iterdir()) == []
    assert release.path is None and release.data.rows == 240


def test_staged_rows_lie_inside_the_release_and_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    Recipe.from_file(written(tmp_path / "in")).run(out=tmp_path / "out")
    assert list((tmp_path / "tmp").iterdir()) == []
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["public", "release.json", "restricted"]


def test_the_release_knows_nothing_of_the_row_key(tmp_path: Path) -> None:
    release = Recipe.from_file(written(tmp_path)).run(out=tmp_path / "out")
    public = tmp_path / "out" / "public"
    assert pq.read_schema(public / "data.parquet").names == ["household", "age", "sex", "income"]
    assert release.schema.row_key is None and release.schema.hierarchies == {}
    first = str(example_table()["id"][0])
    assert not [file.name for file in public.iterdir() if first in file.read_text(errors="replace")]


def refused(kind: type[SchleierError], text: str, table: pa.Table | None, tmp_path: Path) -> list[str]:
    """The codes of a failure that leaves nothing behind."""
    with pytest.raises(kind) as caught:
        Recipe.from_toml(text).run(table, out=tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
    return [problem.code for problem in caught.value.problems]


def test_a_broken_criterion_writes_nothing_and_names_every_one(tmp_path: Path) -> None:
    demands = '[[criteria]]\ncriterion = "k_anonymity"\nk = {}\nkeys = [["age"]]\nname = "{}"\n'
    text = SCHEMA + STEPS + demands.format(200, "a") + demands.format(2, "b") + demands.format(300, "c")
    assert refused(InfeasibleError, text, example_table(), tmp_path) == ["criterion-broken"] * 2


def test_a_step_that_cannot_be_done_writes_nothing(tmp_path: Path) -> None:
    second = sorted(filter(None, example_table()["income"].to_pylist()))[-2]
    text = SCHEMA + STEPS.replace("4000", str(second))  # one person lies above
    assert refused(InfeasibleError, text, example_table(), tmp_path) == ["too-few-affected"]


def test_no_rows_and_no_data_are_errors(tmp_path: Path) -> None:
    assert refused(DataError, SCHEMA + STEPS, example_table().slice(0, 0), tmp_path) == ["no-rows"]
    assert refused(RecipeError, SCHEMA + STEPS, None, tmp_path) == ["no-data"]


def test_a_column_that_is_not_there_is_an_error_of_the_data(tmp_path: Path) -> None:
    assert refused(DataError, SCHEMA + STEPS, example_table().drop_columns(["age"]), tmp_path) == ["unknown-column"]


def test_a_recipe_is_checked_again_for_the_engine_it_runs_on(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="there is no engine 'abacus'"):
        Recipe.from_toml(SCHEMA + STEPS).run(example_table(), engine="abacus")


LEARNING = SCHEMA.replace("intervals = [15, 45]", "balanced = [4, 2]")


def test_a_transformation_replays_what_was_learned(tmp_path: Path, key: bytes) -> None:
    path = written(
        tmp_path / "in", '[data]\nfile = "people.parquet"\n' + LEARNING + STEPS.replace("level = 2", "level = 1")
    )
    first = Recipe.from_file(path).run(out=tmp_path / "out", key=key)
    replayed = Recipe.from_file(tmp_path / "out" / "restricted" / "transformation.toml")
    assert replayed.run(key=key).audit.digest == first.audit.digest
    # On fewer rows the recipe would learn other limits; the transformation keeps the ones it learned.
    half = example_table().slice(0, 100)
    ages = {age for age in released(replayed.run(half))["age"] if age is not None}
    assert ages <= set(pq.read_table(tmp_path / "out" / "public" / "data.parquet")["age"].to_pylist())
    again = Recipe.from_file(tmp_path / "out" / "restricted" / "recipe.toml")
    assert again.run(key=key).audit.digest == first.audit.digest
    assert {age for age in released(again.run(half))["age"] if age is not None} != ages


def test_the_audit_keeps_what_the_report_must_not_tell(key: bytes) -> None:
    release = anonymised(LEARNING + STEPS, key=key)
    report, audit = release.report.model_dump_json(), json.loads(release.audit.model_dump_json())
    assert audit["run_key"] == key.hex() and key.hex() not in report
    recoded = next(step for step in audit["steps"] if step["method"] == "recode")
    assert len(recoded["hierarchy"]["breaks"]) == 2
    assert "hierarchy" not in report and "breaks" not in report
    assert audit["digest"] == release.report.digest
    assert audit["source"] == "rows given in Python"


def test_the_report_tells_what_was_done_and_found() -> None:
    report = anonymised(SCHEMA + STEPS).report
    assert (report.records_read, report.records_released) == (240, 240)
    assert report.columns_left_out == ("person",)
    assert [(step.method, step.label) for step in report.steps] == [
        ("drop", "drop:person"),
        ("recode", "recode:age"),
        ("top_code", "top_code:income"),
    ]
    assert [verdict.holds for verdict in report.criteria] == [True]
    assert [finding.name for finding in report.findings] == ["uniqueness"]
    assert not report.control and report.overrides == ()


def test_a_notebook_shows_the_report() -> None:
    release = anonymised(SCHEMA + STEPS)
    page = release.report.to_html()
    assert page.startswith("<!doctype html>")
    for shown in (page, release._repr_html_(), release.report._repr_html_()):
        assert "The release meets every criterion demanded, but with reservations." in shown


def test_a_listener_hears_every_part() -> None:
    heard: list[str] = []

    def listen(what: str, done: int, total: int | None) -> None:
        heard.append(f"{what} {done}")

    Recipe.from_toml(SCHEMA + STEPS).run(example_table(), listener=listen)
    assert [what for what in heard if what.endswith(" 0")] == [
        "reading 0",
        "step 1 of 3: drop:person 0",
        "step 2 of 3: recode:age 0",
        "step 3 of 3: top_code:income 0",
        "judging 0",
        "measuring: uniqueness 0",
        "measuring: rebuildable 0",
        "writing 0",
    ]
    assert len(heard) == 16


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_verifying_a_release_finds_what_the_run_found(form: str, tmp_path: Path) -> None:
    recipe = Recipe.from_file(written(tmp_path, RECIPE + f'[release]\nformat = "{form}"\n'))
    release = recipe.run(out=tmp_path / "out")
    assert verify(tmp_path / "out" / "public" / f"data.{form}", recipe) == release.report.criteria


def test_verifying_tells_a_broken_file(tmp_path: Path) -> None:
    recipe = Recipe.from_file(written(tmp_path))
    rows = recipe.run().rows
    assert rows is not None
    pq.write_table(rows.slice(0, 1), tmp_path / "few.parquet")
    assert [verdict.holds for verdict in verify(tmp_path / "few.parquet", recipe)] == [False]
    with pytest.raises(RecipeError, match=r"no criteria.*schleier digest \S+few.parquet"):
        verify(tmp_path / "few.parquet", Recipe.from_toml(SCHEMA + STEPS.partition("[[criteria]]")[0]))
    with pytest.raises(DataError):
        verify(tmp_path / "people.parquet", Recipe.from_toml((SCHEMA + STEPS).replace('others = "drop"\n', "")))


def test_a_layout_declared_for_text_does_not_hinder_other_formats(tmp_path: Path, key: bytes) -> None:
    text = RECIPE.replace('row_key = "id"', 'row_key = "id"\nlayout = { delimiter = ";", decimal = "," }')
    release = Recipe.from_file(written(tmp_path, text)).run(out=tmp_path / "out", key=key)
    assert release.data.rows == 240
    assert len(list(batches(tmp_path / "out" / "public" / "data.parquet"))) == 1


def test_rows_to_compare_with_are_read_and_reported(tmp_path: Path) -> None:
    path = written(tmp_path, RECIPE.replace("[schema]", 'control = "people.parquet"\n[schema]', 1))
    assert Recipe.from_file(path).run().report.control
