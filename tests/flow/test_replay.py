"""What was done once can be done again: to the same rows with the same result, to others by the same rules."""

from __future__ import annotations

import hashlib
import json
import shutil
import stat
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

import schleier as sl
from flow.fitted import COLUMNS, DRAWN, JUDGED, SAYABLE, people, put, recipe_for
from schleier.cli import app
from schleier.core.errors import DataError, InfeasibleError, RecipeError, SchleierError
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.replay import Past, replay

SECRET = "SECRETVALUE"
DROP = '[[steps]]\nmethod = "drop"\ncolumns = ["person"]\n'


SHELF: list[Path] = []
MADE: dict[tuple[str, str, str], Path] = {}
"""Releases that were made, as they were: a test gets a copy, which it may change."""


@pytest.fixture(scope="module", autouse=True)
def _shelf(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Where these releases are kept."""
    SHELF[:] = [tmp_path_factory.mktemp("made")]
    MADE.clear()


def released(folder: Path, name: str = "people.parquet", more: str = "", steps: str = SAYABLE + DRAWN) -> Path:
    """The folder of a release made of the people in ``folder``."""
    asked = name, more, steps
    if asked not in MADE:
        place = MADE[asked] = SHELF[0] / str(len(MADE))
        recipe = recipe_for(put(people(), place / name), steps, more)
        Recipe.from_file(recipe).run(out=place / "release", key=bytes(range(32)))
    shutil.copytree(MADE[asked], folder, dirs_exist_ok=True)
    return folder / "release"


def digest(folder: Path) -> str:
    return str(json.loads((folder / "restricted" / "audit.json").read_text())["digest"])


def refused(kind: type[SchleierError], folder: Path, source: Path) -> list[str]:
    """The codes of a failed replay that leaves nothing behind."""
    out = folder.parent / "again"
    with pytest.raises(kind) as caught:
        replay(folder, source, out=out)
    assert not list(folder.parent.glob("again*"))
    assert SECRET not in str(caught.value)
    return [problem.code for problem in caught.value.problems]


@pytest.mark.parametrize("name", ["people.csv", "people.parquet"])
def test_the_original_gives_the_same_digest(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = released(tmp_path / "in", name)
    (tmp_path / "else").mkdir()
    monkeypatch.chdir(tmp_path / "else")
    shutil.move(folder, tmp_path / "else" / "moved")
    again = replay("moved", f"../in/{name}", out="again")
    assert again.audit.digest == digest(Path("moved")) == digest(Path("again"))
    first = sl.Recipe.from_file("../in/recipe.toml").run(key=bytes(range(32)))
    assert [step.parameters for step in again.report.steps] == [step.parameters for step in first.report.steps]
    same = [step.method for step in again.report.steps if step in first.report.steps]
    assert same == [step.method for step in first.report.steps if step.method != "replace_extremes"]
    assert again.audit.run_key == bytes(range(32)).hex()
    third = replay("again", f"../in/{name}")  # a replay can be replayed
    assert third.audit.digest == again.audit.digest and third.path is None


def test_a_release_without_its_seal_is_not_replayed(tmp_path: Path) -> None:
    """Whoever changes a release can write another manifest, but not its seal."""
    folder = released(tmp_path)
    transformation = folder / "restricted" / "transformation.toml"
    transformation.write_text(transformation.read_text() + "# more\n")
    manifest = json.loads((folder / "release.json").read_text())
    manifest["files"]["restricted/transformation.toml"] = hashlib.sha256(transformation.read_bytes()).hexdigest()
    (folder / "release.json").write_text(json.dumps(manifest))
    assert refused(DataError, folder, tmp_path / "people.parquet") == ["broken-seal"]
    assert CliRunner().invoke(app, ["replay", str(folder), "--sql", "duckdb"]).exit_code == 4


def test_a_frame_can_be_replayed(tmp_path: Path) -> None:
    folder = released(tmp_path)
    assert sl.replay(folder, people()).audit.digest == digest(folder)


def test_other_rows_are_treated_by_what_was_learned(tmp_path: Path) -> None:
    folder = released(tmp_path, steps=SAYABLE)
    before = Past.of(folder).recipe.steps
    fresh = put(people(400, start=1000), tmp_path / "new.parquet")
    again = replay(folder, fresh, out=tmp_path / "again")
    assert 200 < again.report.records_released <= again.report.records_read == 400
    old, new = (pq.read_table(place / "public" / "data.parquet") for place in (folder, tmp_path / "again"))
    assert new.schema == old.schema
    assert set(new["weight"].to_pylist()) <= set(old["weight"].to_pylist())
    mean = next(step.mean_upper for step in before if step.word() == "replace_extremes")  # type: ignore[attr-defined]
    assert mean in new["income"].to_pylist() and max(filter(None, new["income"].to_pylist())) == mean


def test_the_report_counts_the_new_rows(tmp_path: Path) -> None:
    folder = released(tmp_path, steps=SAYABLE)
    again = replay(folder, put(people(400, start=1000), tmp_path / "new.parquet"))
    labels = {step.label: step.method for step in again.report.steps}
    notes = [dict(note) for note in again.audit.notes if note["visibility"] == "public" and note["step"] in labels]
    facts = {word: [n for n in notes if labels[n["step"]] == word] for word in labels.values()}
    incomes = [x for x in people(400, start=1000)["income"].to_pylist() if x is not None]
    assert facts["restrict"][0]["left_out"] == 400 - again.report.records_released > 0
    assert facts["replace_extremes"][-1]["replaced"]["upper"]["units"] >= 3
    assert "the total is not kept" in facts["replace_extremes"][0]["caution"]
    blanks = sum(age is None and region is None for age, region in _pairs(again))
    assert 0 < facts["suppress_rare"][0]["blanked_records"] <= blanks
    assert any(x > 4500 for x in incomes)


def _pairs(release: sl.Release) -> list[tuple[object, object]]:
    assert release.rows is not None
    return list(zip(release.rows["age"].to_pylist(), release.rows["region"].to_pylist(), strict=True))


def test_a_combination_must_be_common_in_the_new_rows_too(tmp_path: Path) -> None:
    """What was common among the old rows may be one person among the new ones."""
    folder = released(tmp_path, steps=SAYABLE)
    pairs = _pairs(replay(folder, put(people(90, start=1000), tmp_path / "new.parquet")))
    assert all(pairs.count(pair) >= 3 for pair in pairs)
    kept = {pair for pair in pairs if pair != (None, None)}
    assert kept and kept <= set(_pairs(replay(folder, tmp_path / "people.parquet")))


@pytest.mark.parametrize("method", ["top_code", "replace_extremes"])
def test_a_tail_too_small_to_hide_in_is_refused_again(method: str, tmp_path: Path) -> None:
    step = DROP + f'[[steps]]\nmethod = "{method}"\ncolumn = "income"\nupper = 4000\n'
    folder = released(tmp_path, steps=step)
    table = people(60)
    incomes = [9000.0 if i == 7 else min(x or 0, 4000.0) for i, x in enumerate(table["income"].to_pylist())]
    lonely = table.set_column(table.column_names.index("income"), "income", pa.array(incomes))
    assert refused(InfeasibleError, folder, put(lonely, tmp_path / "new.parquet")) == ["rows-misfit"]
    for lang, said, count in (
        ("en", "a replay leaves the steps as they are", "beyond the upper limit: 1"),
        ("de", "lässt die Schritte, wie sie sind", "jenseits der Grenze oben: 1"),
    ):
        told = schleier("replay", folder, tmp_path / "new.parquet", "--out", tmp_path / "again", "--lang", lang)
        assert told.exit_code == 3 and said in told.stderr and count in told.stderr
        assert "inwards" not in told.stderr and "weiter innen" not in told.stderr
        assert lang == "en" or "replay more rows" not in told.stderr  # the German way out says it all


def test_a_tail_that_was_empty_is_cut_at_the_limit(tmp_path: Path) -> None:
    step = DROP + '[[steps]]\nmethod = "replace_extremes"\ncolumn = "income"\nupper = 6000\n'
    folder = released(tmp_path, steps=step)
    table = people(60)
    rich = [7000.0 + i if i % 3 == 0 else x for i, x in enumerate(table["income"].to_pylist())]
    again = replay(folder, table.set_column(table.column_names.index("income"), "income", pa.array(rich)))
    assert again.rows is not None and max(filter(None, again.rows["income"].to_pylist())) == 6000


def test_another_layout_is_detected_unless_one_was_declared(tmp_path: Path) -> None:
    table = people().select(["person", "sex", "children"])
    person = '{ name = "person", role = "identifier", scale = "text" }'
    others = '{ name = "sex", scale = "nominal" }, { name = "children", scale = "discrete" }'
    semicolons = put(table, tmp_path / "semicolons.csv", delimiter=";")
    for name, layout in (("detected", ""), ("declared", 'layout = { delimiter = "," }\n')):
        recipe = recipe_for(
            put(table, tmp_path / name / "people.csv"),
            DROP,
            columns=f"[schema]\n{layout}columns = [{person}, {others}]\n",
        )
        Recipe.from_file(recipe).run(out=tmp_path / name / "release", key=bytes(32))
    again = replay(tmp_path / "detected" / "release", semicolons)
    assert again.audit.digest == digest(tmp_path / "detected" / "release")
    with pytest.raises(DataError):
        replay(tmp_path / "declared" / "release", semicolons)


@pytest.mark.parametrize("outside", ["error", "root"])
def test_a_value_outside_the_hierarchy(outside: str, tmp_path: Path) -> None:
    declared = COLUMNS.replace('"*"]] }', f'"*"]], outside = "{outside}" }}')
    assert declared != COLUMNS
    recipe = recipe_for(put(people(), tmp_path / "people.parquet"), SAYABLE, columns=declared)
    Recipe.from_file(recipe).run(out=tmp_path / "release", key=bytes(32))
    table = people()
    words = [SECRET if i in (3, 5) else word for i, word in enumerate(table["schooling"].to_pylist())]
    fresh = put(
        table.set_column(table.column_names.index("schooling"), "schooling", pa.array(words)), tmp_path / "new.parquet"
    )
    if outside == "error":
        assert refused(DataError, tmp_path / "release", fresh) == ["outside-hierarchy"]
    else:
        again = replay(tmp_path / "release", fresh)
        assert again.rows is not None and again.rows["schooling"].to_pylist().count("*") == 2


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    folder = released(tmp_path)
    fresh = put(people().drop_columns(["schooling"]), tmp_path / "new.parquet")
    with pytest.raises(DataError, match="no column 'schooling'"):
        replay(folder, fresh)
    assert refused(DataError, folder, fresh) == ["unknown-column"]
    assert refused(DataError, folder, tmp_path / "none.parquet") == ["no-file"]


def test_a_broken_criterion_writes_nothing(tmp_path: Path) -> None:
    folder = released(tmp_path, steps=SAYABLE)
    table = people(60)
    alone = table.set_column(table.column_names.index("sex"), "sex", pa.array(["f"] + ["m"] * 59))
    assert refused(InfeasibleError, folder, put(alone, tmp_path / "new.parquet")) == ["criterion-broken"]


KNOWING = """
[[attacks]]
attack = "exact_match"
known = ["sex"]
targets = 50
[[attacks]]
attack = "exact_match"
name = "with a file"
known = ["sex"]
targets = "all"
knowledge = "file"
"""


def test_what_was_about_the_old_rows_is_left_out_and_said(tmp_path: Path) -> None:
    steps = '[[steps]]\nmethod = "drop"\ncolumns = ["person", "household", "age", "region"]\n'
    keyed = COLUMNS.replace("[schema]\n", '[schema]\nrow_key = "row"\n')
    table = people().append_column("row", pa.array(range(240)))
    recipe = recipe_for(put(table, tmp_path / "people.parquet"), steps, KNOWING, keyed)
    put(pa.table({"entry": range(9), "sex": ["f", "m", "f"] * 3}), tmp_path / "known.parquet")
    put(pa.table({"row": range(9), "entry": range(9)}), tmp_path / "truth.parquet")
    put(table.slice(0, 50), tmp_path / "control.parquet")
    named = 'file = "people.parquet"\nknown = "known.parquet"\ntruth = "truth.parquet"\ncontrol = "control.parquet"'
    recipe.write_text(recipe.read_text().replace('file = "people.parquet"', named))
    first = Recipe.from_file(recipe).run(out=tmp_path / "release", key=bytes(32))
    assert len(first.report.attacks) == 2 and first.report.control
    for name in ("known", "truth", "control"):
        (tmp_path / f"{name}.parquet").unlink()
    again = replay(tmp_path / "release", tmp_path / "people.parquet", out=tmp_path / "again")
    assert len(again.report.attacks) == 1 and not again.report.control
    left_out = [note["left_out"] for note in again.audit.notes if note["step"] == "replay"]
    assert left_out == ["data.control", "data.known", "data.truth", "attacks[1] (exact_match)"]
    assert again.audit.digest == first.audit.digest
    said = schleier("replay", tmp_path / "release", tmp_path / "people.parquet", "-o", tmp_path / "third")
    assert said.exit_code == 0 and all(what in said.stdout for what in left_out)


def test_a_demand_weakened_on_purpose_stays_in_the_report(tmp_path: Path) -> None:
    (tmp_path / "parent.toml").write_text(
        '[[criteria]]\nname = "k"\ncriterion = "k_anonymity"\nk = 9\nkeys = [["sex"]]\n'
    )
    recipe = recipe_for(put(people(), tmp_path / "people.parquet"), DROP)
    weaker = JUDGED.replace("k = 2", 'name = "k"\noverride = "a court order"\nk = 2')
    recipe.write_text('extends = "parent.toml"\n' + recipe.read_text().replace(JUDGED, weaker))
    first = Recipe.from_file(recipe).run(out=tmp_path / "release", key=bytes(32))
    assert [o.reason for o in first.report.overrides] == ["a court order"]
    assert replay(tmp_path / "release", people()).report.overrides == first.report.overrides


# What is no release.


def test_a_folder_that_is_no_release(tmp_path: Path) -> None:
    source = put(people(), tmp_path / "people.parquet")
    assert refused(DataError, tmp_path / "none", source) == ["not-a-release"]
    assert refused(DataError, source, source) == ["not-a-release"]
    (tmp_path / "empty").mkdir()
    assert refused(DataError, tmp_path / "empty", source) == ["not-a-release"]
    for text in ("", "[]", "{}", '{"files": 3}', "\xff"):
        (tmp_path / "empty" / "release.json").write_text(text, encoding="latin-1")
        assert refused(DataError, tmp_path / "empty", source) == ["not-a-release"]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return released(tmp_path_factory.mktemp("sound"))


@pytest.mark.parametrize("name", ["restricted/transformation.toml", "restricted/audit.json", "public/data.parquet"])
def test_a_tampered_release(name: str, sound: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(sound, tmp_path / "release")
    source = sound.parent / "people.parquet"
    (folder / name).write_bytes((folder / name).read_bytes() + b" " + SECRET.encode())
    assert refused(DataError, folder, source) == ["changed-release"]
    (folder / name).unlink()
    assert refused(DataError, folder, source) == ["incomplete-release"]


def test_the_public_part_alone_is_not_enough(sound: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(sound, tmp_path / "release")
    shutil.rmtree(folder / "restricted")
    with pytest.raises(DataError, match="a replay needs the restricted part"):
        replay(folder, sound.parent / "people.parquet")


def test_files_the_manifest_does_not_vouch_for_are_not_used(sound: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(sound, tmp_path / "release")
    manifest = json.loads((folder / "release.json").read_text())
    del manifest["files"]["restricted/transformation.toml"]
    (folder / "release.json").write_text(json.dumps(manifest))
    assert refused(DataError, folder, sound.parent / "people.parquet") == ["incomplete-release"]


@pytest.mark.parametrize("text", [b"{}", b'{"run_key": "zz"}', SECRET.encode()])
def test_restricted_files_that_make_no_sense(text: bytes, sound: Path, tmp_path: Path) -> None:
    import hashlib

    folder = shutil.copytree(sound, tmp_path / "release")
    manifest = json.loads((folder / "release.json").read_text())
    (folder / "restricted" / "audit.json").write_bytes(text)
    manifest["files"]["restricted/audit.json"] = hashlib.sha256(text).hexdigest()
    (folder / "release.json").write_text(json.dumps(manifest))
    assert refused(RecipeError, folder, sound.parent / "people.parquet") == ["bad-release"]


# The command.


def schleier(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_the_command_replays(sound: Path, tmp_path: Path) -> None:
    source, out = sound.parent / "people.parquet", tmp_path / "out"
    said = schleier("replay", sound, source, "--out", out)
    assert said.exit_code == 0 and digest(out) == digest(sound)
    assert digest(sound) in said.stdout and "met k_anonymity" in said.stdout
    assert stat.S_IMODE((out / "restricted").stat().st_mode) == 0o700
    assert schleier("replay", sound, source, "-o", out).exit_code == 6
    quiet = schleier("replay", sound, source, "-o", out, "--force", "--quiet")
    assert (quiet.exit_code, quiet.stdout, quiet.stderr) == (0, "", "")
    told = json.loads(schleier("replay", sound, source, "-o", out, "--force", "--json").stdout)
    assert told["ok"] and told["digest"] == told["report"]["digest"] == digest(sound) and told["left_out"] == []
    assert told["key_from"] == "release" and "everything was drawn as it was then" in said.stdout
    key = bytes(range(32)).hex()
    assert key not in said.stdout + said.stderr + json.dumps(told)


def test_the_command_says_what_is_wrong(sound: Path, tmp_path: Path) -> None:
    source = sound.parent / "people.parquet"
    for words in ([sound], [sound, source], [sound, "--out", tmp_path / "out"], [sound, source, "--sql", "duckdb"]):
        assert schleier("replay", *words).exit_code == 2
    assert schleier("replay", tmp_path, source, "-o", tmp_path / "out").exit_code == 4
    assert schleier("replay", sound, source, "-o", tmp_path / "out", "--engine", "abacus").exit_code == 2
    few = put(people(6), tmp_path / "few.parquet")
    failed = schleier("replay", sound, few, "-o", tmp_path / "out")
    assert failed.exit_code == 3 and not (tmp_path / "out").exists()
    unknown = schleier("replay", sound, "--sql", "cobol")
    assert unknown.exit_code == 2 and "duckdb, postgres, spark" in unknown.stderr
