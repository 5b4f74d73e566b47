"""A report says of a step only what it did; where nothing changed, or one column carries all, it is amber."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from schleier.cli import app
from schleier.core.caution import Caution
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.contents import varying
from schleier.flow.release.documents import Report
from schleier.report.front import MOST_CAUTIONS, foremost
from schleier.report.html import Html
from schleier.report.language import plain

SCHEMA = """
[[schema.columns]]
name = "STATE"
role = "quasi"
scale = "nominal"

[[schema.columns]]
name = "sex"
role = "quasi"
scale = "nominal"

[[schema.columns]]
name = "income"
role = "sensitive"
scale = "discrete"
"""
RARE = """
[[steps]]
method = "suppress_rare"
columns = ["STATE", "sex"]
min_count = 3
"""
CAP = """
[[steps]]
method = "top_code"
column = "income"
upper = UPPER
"""
K = """
[[criteria]]
criterion = "k_anonymity"
k = 2
"""
CELLS = '[[measures]]\nmeasure = "changed_cells"\n'


def table(states: list[str] | None = None) -> pa.Table:
    return pa.table(
        {"STATE": states or ["A", "B"] * 20, "sex": ["f", "f", "m", "m"] * 10, "income": list(range(10)) * 4}
    )


def report(*parts: str, rows: pa.Table | None = None) -> Report:
    text = "".join((SCHEMA, *parts))
    return Recipe.from_toml(text).run(table() if rows is None else rows, key=bytes(32)).report


def codes(found: Report) -> list[str]:
    return [one.code for one in found.cautions]


def told(found: Report, lang: str = "en") -> str:
    return " ".join(plain(Html().render(found, lang).partition("</style>")[2]).split())


@pytest.mark.parametrize("measured", [CELLS, ""])
def test_what_no_step_changed_is_not_said_to_be_changed(measured: str) -> None:
    found = report(RARE, CAP.replace("UPPER", "100"), K, measured)
    assert found.unchanged == ("STATE", "sex", "income")
    said = told(found)
    for false in ("Rare values were removed", "Capped: income", "rare values removed"):
        assert false not in said
    assert "Rare values removed: there was nothing to do" in said
    assert "Seltene Werte entfernt: Es gab nichts zu tun" in told(found, "de")


def test_what_a_step_changed_is_said() -> None:
    found = report(RARE, CAP.replace("UPPER", "5"), K, CELLS)
    assert found.unchanged == ("STATE", "sex")
    said = told(found)
    assert "Capped: income" in said and "Rare values were removed" not in said
    assert "Extreme values capped: there was nothing to do" not in said
    blanked = report(RARE, K, rows=table(["A", "B"] * 18 + ["C", "D"] * 2))
    assert "STATE" not in (blanked.unchanged or ()) and "Rare values were removed" in told(blanked)


def test_rounding_to_declared_decimals_is_a_change() -> None:
    text = SCHEMA.replace('scale = "discrete"', 'scale = "continuous"\ndecimals = 0')
    rows = table().set_column(2, "income", pa.array([0.5 + i for i in range(40)]))
    found = Recipe.from_toml(text + K).run(rows, key=bytes(32)).report
    assert found.unchanged == ("STATE", "sex") and "nothing_changed" not in codes(found)


def test_amber_when_nothing_changed() -> None:
    assert codes(report(K)) == ["nothing_changed"]
    found = report(RARE, CAP.replace("UPPER", "100"), K)
    assert codes(found) == ["nothing_changed"]
    assert 'class="verdict mind"' in Html().render(found) and "No value was changed and no record left out" in told(
        found
    )
    assert codes(report(CAP.replace("UPPER", "5"), K)) == []
    gone = '[[steps]]\nmethod = "restrict"\nwhere = [{ column = "income", at_most = 8 }]\n'
    assert codes(report(gone, K)) == []
    assert 'class="verdict good"' in Html().render(report(gone, K))


def test_amber_when_one_column_carries_the_verdict() -> None:
    cap = CAP.replace("UPPER", "5")
    alone = K + 'keys = [["sex"]]\n'
    found = report(cap, alone)
    assert [(one.code, one.columns) for one in found.cautions] == [("keys_apart", ("STATE",)), ("one_key", ("sex",))]
    assert 'class="verdict mind"' in Html().render(found) and "rests on the column sex alone" in told(found)
    constant = report(cap, K, rows=table(["A"] * 40))
    assert [(one.code, one.columns) for one in constant.cautions] == [("one_key", ("sex",))]
    assert codes(report(cap, K)) == []


def test_varying_columns_of_a_file(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    path = tmp_path / "rows.parquet"
    rows = {
        "same": ["a"] * 5,
        "empty": [None] * 5,
        "gap": ["a"] * 4 + [None],
        "lists": [["a"]] * 5,
        "late": [1] * 4 + [2],
    }
    pq.write_table(pa.table(rows), path, row_group_size=2)
    assert varying(path, list(rows)) == ("gap", "lists", "late")
    pq.write_table(pa.table({"same": pa.array([], pa.string())}), path)
    assert varying(path, ["same"]) == () and varying(path, []) == ()


def test_at_most_three_amber_sentences_in_order_each_with_its_command(tmp_path: Path) -> None:
    import pyarrow.csv

    rows = {"sex": ["f"] * 40, "town": ["x", "y"] * 20, "firm": [f"F{i}" for i in range(40)], "wage": list(range(40))}
    pyarrow.csv.write_csv(pa.table(rows), tmp_path / "people.csv")
    roles = {"sex": 'role = "quasi"', "town": 'role = "quasi"\njudged = "guess"', "firm": "", "wage": 'role = "plain"'}
    columns = "".join(
        f'[[schema.columns]]\nname = "{name}"\n{role}\nscale = "{"discrete" if name == "wage" else "nominal"}"\n'
        for name, role in roles.items()
    )
    (tmp_path / "recipe.toml").write_text('[data]\nfile = "people.csv"\n' + columns + K, encoding="utf-8")
    out = tmp_path / "out"
    result: Any = CliRunner().invoke(app, ["run", str(tmp_path / "recipe.toml"), "--out", str(out)])
    assert result.exit_code == 0, result.output
    document = json.loads((out / "public" / "report.json").read_text(encoding="utf-8"))
    assert [one["code"] for one in document["cautions"]] == [
        "undecided",
        "nothing_changed",
        "guessed",
        "one_key",
        "unique_column",
    ]
    commands = [one["command"] for one in document["cautions"]]
    assert commands == [
        "schleier decide recipe.toml --role quasi firm",
        "schleier inspect data.csv --schema schema.toml",
        "schleier decide recipe.toml",
        "schleier decide recipe.toml --role quasi firm wage",
        "schleier decide recipe.toml --role quasi firm wage",
    ]
    page = (out / "public" / "report.html").read_text(encoding="utf-8")
    top = page.partition("What keeps it from being safe?")[2].partition("</dl>")[0].partition("What was released?")[0]
    assert top.count('<li class="mind">') == 3 and "There are 2 more reservations below, in step\u00a04." in top
    places = [top.find(command) for command in commands]
    assert places[3:] == [-1, -1] and 0 < places[0] < places[1] < top.rfind(commands[2])
    below = page.partition("Further reservations")[2].partition("<h3>")[0]
    assert below.count('<li class="mind">') == 2 and all(command in below for command in commands[3:])
    marked = page.count('<li class="mind">') + page.count('<li class="bad">')
    assert f"{marked} points need attention" in page
    assert str(tmp_path) not in page  # where the holder keeps the files is nobody's business
    lines = [line for line in result.stdout.splitlines() if line.startswith("  !")]
    recipe = str(tmp_path / "recipe.toml")
    typed = [commands[0], f"schleier inspect {tmp_path / 'people.csv'} --schema recipe.toml", commands[2]]
    assert len(lines) == 4 and all(typed[i].replace("recipe.toml", recipe) in line for i, line in enumerate(lines[:3]))
    assert lines[3] == "  ! The report has 2 more reservations, in step 4."
    for line in lines[:3]:  # what is printed can be typed
        again: Any = CliRunner().invoke(app, shlex.split(line.partition("What to type: schleier ")[2]))
        assert again.exit_code == 0, again.output


def test_the_command_of_a_report_works_beside_the_released_file(tmp_path: Path, monkeypatch: Any) -> None:
    Recipe.from_toml(SCHEMA + K).run(table(), out=tmp_path / "out", key=bytes(32))
    monkeypatch.chdir(tmp_path / "out" / "public")
    (caution,) = json.loads(Path("report.json").read_text(encoding="utf-8"))["cautions"]
    result: Any = CliRunner().invoke(app, shlex.split(caution["command"])[1:])
    assert result.exit_code == 0, result.output


def test_one_code_is_said_once() -> None:
    many = [Caution(code=code) for code in ("a", "a", "b", "c", "d")]
    assert [one.code for one in foremost(many)] == ["a", "b", "c"] and MOST_CAUTIONS == 3
