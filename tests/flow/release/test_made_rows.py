"""Rows that stand for values: how many there are tells of these values, so a report about a closed file does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from schleier.flow.recipe.recipe import Recipe
from schleier.flow.run.examine import examine_by
from schleier.report.html import Html

RECIPE = """
[[schema.columns]]
name = "town"
role = "quasi"
scale = "nominal"

[[schema.columns]]
name = "illness"
role = "sensitive"
scale = "nominal"

[[steps]]
method = "detach_sensitive"
table = "{}"

[[criteria]]
criterion = "k_anonymity"
keys = [["class"]]
k = 2

[[measures]]
measure = "uniqueness"
keys = ["class"]

[release]
access = "{}"
format = "csv"
"""


def people(kinds: int) -> pa.Table:
    """Forty persons in two towns; in the first the last one has an illness of his own, if there are more kinds."""
    here = [f"i{n % 7}" for n in range(19)] + [f"i{kinds - 8}"]
    return pa.table({"town": ["A"] * 20 + ["B"] * 20, "illness": here + [f"j{n % 7}" for n in range(20)]})


def public(kinds: int, access: str, table: str = "values", out: Path | None = None) -> dict[str, Any]:
    release = Recipe.from_toml(RECIPE.format(table, access)).run(people(kinds), out=out, key=bytes(32))
    return json.loads(release.report.model_dump_json())


def test_one_value_more_does_not_change_what_outsiders_read() -> None:
    fewer, more = public(14, "contract"), public(15, "contract")
    assert fewer == more and fewer["records_released"] == 20 and fewer["made_rows"]
    exact = [public(kinds, "public") for kinds in (14, 15)]
    assert [one["records_released"] for one in exact] == [14, 15], "who holds the file counts"


def test_records_are_counted_as_before() -> None:
    told = public(15, "contract", "keys")
    assert told["records_released"] == 40 and not told["made_rows"]


@pytest.mark.parametrize("access", ["contract", "public"])
def test_the_file_still_fits_its_report(access: str, tmp_path: Path) -> None:
    public(15, access, out=tmp_path / "out")
    found, _ = examine_by(tmp_path / "out", None)
    assert found.records == 15
    data = tmp_path / "out" / "public" / "data.csv"
    assert len(data.read_text(encoding="utf-8").splitlines()) == 16


@pytest.mark.parametrize(("lang", "said"), [("en", "at most 20 rows"), ("de", "höchstens 20 Zeilen")])
def test_the_page_does_not_call_them_records(lang: str, said: str) -> None:
    report = Recipe.from_toml(RECIPE.format("values", "contract")).run(people(15), key=bytes(32)).report
    page = Html().render(report, lang)
    assert said in page and "20 of 40" not in page and "20 von 40" not in page
    assert "are not in the file;" not in page and "nicht in der Datei;" not in page
