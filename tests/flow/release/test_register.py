"""A register of releases: found by the source, attacked together, undecided when lost, and nothing to read in it."""

from __future__ import annotations

import json
import shutil
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import schleier as sl
from schleier.core.errors import DataError, InfeasibleError
from schleier.flow.release.register import Register

RECIPE = """
[schema]
row_key = "id"
columns = [
  { name = "age", role = "quasi", scale = "discrete" },
  { name = "income", role = "sensitive", scale = "discrete" },
]
[[steps]]
method = "recode"
column = "age"
breaks = [30, 40, 50]
[[criteria]]
criterion = "k_anonymity"
k = 5
[release]
listed_in = "releases.json"
"""
FORTY = pa.table({"id": range(40), "age": range(20, 60), "income": [1000 + 7 * n for n in range(40)]})


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def made(out: str | None, breaks: str = "[30, 40, 50]", rows: Any = FORTY, **how: Any) -> Any:
    return sl.Recipe.from_toml(RECIPE.replace("[30, 40, 50]", breaks)).run(rows, out=out, **how)


def codes(release: Any) -> list[str]:
    return [one.code for one in release.report.cautions if one.code.startswith("released")]


def tried(release: Any) -> list[dict[str, Any]]:
    return [one.detail for one in release.audit.attacks if one.name == "release_difference"]


def entries() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(Path("releases.json").read_text())["releases"]
    return found


def test_a_second_release_with_other_cuts_is_attacked_together_with_the_first() -> None:
    first = made("first")
    assert codes(first) == [] and tried(first) == []
    second = made("second", "[31, 41, 51]")
    assert codes(second) == ["released_before"]
    (found,) = tried(second)
    assert (found["releases"], found["correct"], found["alone_here"]) == (1, 3, 0)  # those who are 30, 40 and 50
    assert [one["folder"] for one in entries()] == [str(Path(name).resolve()) for name in ("first", "second")]
    same = made("third")
    assert (tried(same)[0]["releases"], codes(same)) == (2, ["released_before"])


def test_other_rows_are_another_source_and_the_same_file_is_the_same() -> None:
    made("first")
    assert codes(made("second", rows=FORTY.slice(0, 38))) == []
    pq.write_table(FORTY, "rows.parquet")
    assert codes(made("third", rows="rows.parquet")) == ["released_before"]  # by its rows
    wider = RECIPE.replace("columns = [", 'columns = [{ name = "note", role = "plain", scale = "nominal" },')
    pq.write_table(FORTY.append_column("note", pa.array(["x"] * 40)), "wider.parquet")
    sl.Recipe.from_toml(wider).run("wider.parquet", out="fourth")
    fewer = RECIPE.replace("[schema]", '[schema]\nothers = "drop"')
    assert codes(sl.Recipe.from_toml(fewer).run("wider.parquet", out="fifth"))  # by its file, and by its rows


def test_what_cannot_be_found_any_more_is_undecided() -> None:
    made("first")
    made("second", "[40]")
    shutil.move("first", "elsewhere")
    third = made("third", "[40]")
    assert codes(third) == ["released_lost", "released_before"]
    assert tried(third)[0]["releases"] == 1
    made("second", "[45]", force=True)  # what was handed out is not there any more
    assert codes(made("fourth")) == ["released_lost", "released_before"]


def test_what_comes_to_nothing_is_not_entered() -> None:
    with pytest.raises(InfeasibleError):
        made("first", "[21]")
    assert codes(made(None)) == []  # kept in memory only
    assert not Path("releases.json").exists()
    made("first")
    assert [bool(one["digest"]) for one in entries()] == [True]


def test_entries_of_killed_runs_are_swept_unless_somebody_is_writing() -> None:
    register = Register(Path("releases.json"))
    source = ("a" * 64,)
    assert register.enter(source, Path("killed")) == ()
    assert register.enter(source, Path("other")) == ()
    Path("other.lock").touch()
    (running,) = register.enter(source, Path("third"))
    assert running.folder.endswith("other") and running.digest == ""


def test_nothing_can_be_read_in_it() -> None:
    made("first")
    for name in ("releases.json", "releases.json.key"):
        assert stat.S_IMODE(Path(name).stat().st_mode) == 0o600
    text = Path("releases.json").read_text()
    assert "income" not in text and "age" not in text and "1007" not in text
    assert not Path("releases.json.lock").exists()
    key = Path("releases.json.key").read_text().strip()
    assert key not in text and len(bytes.fromhex(key)) == 32
    public = "".join(path.read_text(errors="ignore") for path in Path("first/public").glob("report.*"))
    assert "releases.json" not in public and key not in public


def test_a_broken_register_stops_the_run() -> None:
    made("first")
    Path("releases.json.key").unlink()
    with pytest.raises(DataError) as lost:
        made("second")
    Path("releases.json").write_text("{}")
    Path("releases.json.key").write_text("00" * 32)
    with pytest.raises(DataError) as broken:
        made("second")
    found = [error.value.problems[0].code for error in (lost, broken)]
    assert found == ["register-no-key", "bad-register"] and not Path("second").exists()


def test_many_at_once_lose_nothing() -> None:
    register = Register(Path("releases.json"))

    def enter(n: int) -> None:
        register.enter((f"{n:064x}",), Path(f"r{n}"))
        register.finish(Path(f"r{n}"), f"{n:064x}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(enter, range(12)))
    assert sorted(one["digest"] for one in entries()) == sorted(f"{n:064x}" for n in range(12))


def test_release_over_time_uses_what_after_names() -> None:
    recipe = RECIPE + '\n[[attacks]]\nattack = "release_over_time"\nsensitive = "income"\ntargets = "all"\n'
    made("first")
    grown = pa.concat_tables([FORTY, pa.table({"id": range(40, 60), "age": [35] * 20, "income": [9] * 20})])
    release = sl.Recipe.from_toml(recipe).run(grown, out="second", after={"first": FORTY})
    (found,) = [one.detail for one in release.audit.attacks if one.name == "release_over_time"]
    assert (found["earlier"], found["targets"], found["claims"], found["correct"]) == (1, 20, 20, 20)
