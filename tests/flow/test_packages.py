"""A file of a statistical package, through a recipe, into a file of a statistical package."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest

import schleier as sl
from schleier.core import registry
from schleier.core.errors import RecipeError, WriteError

ROWS = 12
FRAME = pd.DataFrame(
    {
        "id": [float(i) for i in range(ROWS)],
        "geschl": [1.0, 2.0, -9.0, -8.0] * 3,
        "größe": [1.5, -7.0, -1.0, 2.25] * 3,
        "alter": [float(20 + i) for i in range(ROWS)],
        "ort": ["Köln", "", "Gießen", "Bonn"] * 3,
        "tag": [dt.date(1950, 2, 28), None, dt.date(2024, 2, 29), dt.date(1899, 12, 31)] * 3,
    }
)
TITLES = {"geschl": "Geschlecht der Person", "größe": "Größe in Metern"}
LABELS: dict[str, Any] = {"geschl": {1: "weiblich", 2: "männlich", -9: "weiß nicht", -8: "verweigert"}}
RECIPE = """
[data]
file = "{file}"
[schema]
row_key = "id"
columns = [
  {{ name = "geschl", scale = "nominal", title = "Geschlecht der Person", reasons = {reasons}, labels = {labels} }},
  {{ name = "größe", scale = "continuous", title = "Größe in Metern", decimals = 2 }},
  {{ name = "alter", scale = "discrete", hierarchy = "alter" }},
  {{ name = "ort", scale = "place" }},
  {{ name = "tag", scale = "time" }},
]
[hierarchies]
alter = {{ intervals = [10] }}
[[steps]]
method = "recode"
column = "alter"
level = 1
[release]
format = "{format}"
"""


def released(folder: Path, file: str, form: str, reasons: list[Any], labels: dict[Any, str]) -> sl.Release:
    words = "{ " + ", ".join(f'"{code}" = "{label}"' for code, label in labels.items()) + " }"
    text = RECIPE.format(file=file, reasons=reasons, labels=words, format=form)
    return sl.Recipe.from_toml(text, folder).run(out=folder / "out", key=bytes(32))


def spss_file(path: Path) -> None:
    gaps = {"geschl": [-9.0, -8.0], "größe": [{"lo": -9.0, "hi": -1.0}]}
    pyreadstat.write_sav(
        FRAME,
        path,
        column_labels=TITLES,
        variable_value_labels={"geschl": {float(code): label for code, label in LABELS["geschl"].items()}},
        missing_ranges=gaps,
        variable_format={"id": "F8.0", "alter": "F3.0"},
        compress=path.suffix == ".zsav",
    )


def in_order(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """Rows in an order of their own: those of a release are shuffled."""
    names = list(columns)
    return sorted((dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)), key=str)


EXPECTED = in_order(
    {
        "geschl": [1, 2, -9, None] * 3,
        "größe": [1.5, None, None, 2.25] * 3,
        "alter": ["20-29"] * 10 + ["30-39"] * 2,
        "ort": ["Köln", None, "Gießen", "Bonn"] * 3,
        "tag": FRAME["tag"].tolist(),
    }
)


@pytest.mark.parametrize("name", ["people.sav", "people.zsav"])
def test_spss_to_spss(tmp_path: Path, name: str) -> None:
    spss_file(tmp_path / name)
    release = released(tmp_path, name, "spss", [-9], LABELS["geschl"])
    path = tmp_path / "out" / "public" / "data.sav"
    values, told = pyreadstat.read_sav(path, output_format="dict", user_missing=True)
    values["ort"] = [value or None for value in values["ort"]]
    assert in_order(values) == EXPECTED
    assert told.column_names_to_labels == TITLES | {"alter": None, "ort": None, "tag": None}
    # -8 became empty, so its label is gone too
    assert told.variable_value_labels == {"geschl": {1: "weiblich", 2: "männlich", -9: "weiß nicht"}}
    assert told.missing_ranges == {"geschl": [{"lo": -9.0, "hi": -9.0}]}
    assert told.original_variable_types["größe"] == "F8.2"
    assert in_order(release.data.to_arrow().to_pydict()) == EXPECTED
    assert release.schema["geschl"].reasons == (-9,)


def test_spss_to_stata(tmp_path: Path) -> None:
    spss_file(tmp_path / "people.sav")
    release = released(tmp_path, "people.sav", "stata", [-9], LABELS["geschl"])
    path = tmp_path / "out" / "public" / "data.dta"
    values, told = pyreadstat.read_dta(path, output_format="dict", user_missing=True)
    assert sorted(map(str, values["geschl"])) == sorted(["1.0", "2.0", "a", "None"] * 3)
    assert told.variable_value_labels["geschl"] == {1: "weiblich", 2: "männlich", "a": "weiß nicht"}
    assert in_order(release.data.to_arrow().to_pydict()) == EXPECTED


def test_stata_to_stata(tmp_path: Path) -> None:
    letters = {-9.0: "a", -8.0: "b"}
    frame = FRAME.assign(geschl=pd.Series([letters.get(code, int(code)) for code in FRAME["geschl"]], dtype=object))
    frame = frame.assign(id=frame["id"].astype("int32"), alter=frame["alter"].astype("int32"))
    labels = {1: "weiblich", 2: "männlich", "a": "weiß nicht", "b": "verweigert"}
    pyreadstat.write_dta(
        frame,
        tmp_path / "people.dta",
        column_labels=TITLES,
        variable_value_labels={"geschl": labels},
        missing_user_values={"geschl": ["a", "b"]},
    )
    words = {"1": "weiblich", "2": "männlich", ".a": "weiß nicht"}
    release = released(tmp_path, "people.dta", "stata", [".a"], words)
    path = tmp_path / "out" / "public" / "data.dta"
    values, told = pyreadstat.read_dta(path, output_format="dict", user_missing=True)
    assert sorted(map(str, values["geschl"])) == sorted(["1.0", "2.0", "a", "None"] * 3)
    assert told.variable_value_labels == {"geschl": {1: "weiblich", 2: "männlich", "a": "weiß nicht"}}
    assert told.column_names_to_labels["größe"] == TITLES["größe"]
    assert sorted(map(str, values["tag"])) == sorted(map(str, FRAME["tag"]))
    kept = release.data.to_arrow().to_pydict()["geschl"]
    assert sorted(map(str, kept)) == sorted(["1", "2", ".a", "None"] * 3)


def test_what_the_header_and_the_dictionary_say(tmp_path: Path) -> None:
    from schleier.flow.run.reader import read_header

    spss_file(tmp_path / "people.sav")
    kinds, entries, layout = read_header(tmp_path / "people.sav")[:3]
    assert kinds == {
        "id": "integer",
        "geschl": "integer",
        "größe": "number",
        "alter": "integer",
        "ort": "text",
        "tag": "date",
    }
    assert entries["geschl"].missing == (-9, -8) and entries["größe"].title == "Größe in Metern"
    assert layout is None


def test_names_spss_cannot_hold_are_told_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("a b;1x\n1;2\n3;4\n", encoding="utf-8")
    recipe = sl.Recipe.from_toml(
        """
        [data]
        file = "people.csv"
        [schema]
        columns = [{ name = "a b", scale = "discrete" }, { name = "1x", scale = "discrete" }]
        [release]
        format = "spss"
        """,
        tmp_path,
    )
    with pytest.raises(WriteError) as caught:
        recipe.run(out=tmp_path / "out")
    assert [(p.code, p.where) for p in caught.value.problems] == [("bad-name", "a b"), ("bad-name", "1x")]
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_a_recipe_does_not_write_sas(tmp_path: Path) -> None:
    text = '[schema]\ncolumns = [{ name = "a", scale = "discrete" }]\n[release]\nformat = "sas"\n'
    with pytest.raises(RecipeError, match="cannot be written as 'sas'"):
        sl.Recipe.from_toml(text, tmp_path)


def test_reasons_of_a_number_are_refused_before_a_row_is_read() -> None:
    text = '[schema]\ncolumns = [{ name = "a", scale = "discrete", reasons = [-9] }]\n'
    with pytest.raises(RecipeError) as caught:
        sl.Recipe.from_toml(text)
    assert [p.code for p in caught.value.problems] == ["reasons-not-coded"]


def test_a_step_that_puts_other_words_takes_labels_and_reasons_away() -> None:
    column = sl.Column(name="a", scale="nominal", reasons=(-9,), labels={"-9": "refused"}, date="%Y")
    schema = sl.Schema(columns=[column])
    for step in ({"method": "recode", "map": {"1": "one"}}, {"method": "renumber"}):
        word = step.pop("method")
        after = registry.get("method", str(word))(column="a", **step).after(schema)["a"]
        assert (after.reasons, after.labels, after.date) == ((), {}, None)
