"""Met is not always green: what keeps a release from it is told, and from everybody it is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from schleier.core.errors import InfeasibleError, RecipeError, SchleierError
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.run.runner import verify
from schleier.report.html import Html

SCHEMA = """
[[schema.columns]]
name = "a"
role = "quasi"
scale = "nominal"

[[schema.columns]]
name = "b"
role = "quasi"
scale = "nominal"
"""
WILD = """
[[criteria]]
criterion = "k_anonymity"
k = 5
missing = "wildcard"
"""
LOCAL = """
[[steps]]
method = "suppress_local"
k = 5
missing = "wildcard"
"""
MORE = ["nothing_changed", "one_key"]
"""What else is to be said of the table: there is nothing to blank in it, and only one of its columns was looked at."""
TABLE = pa.table({"a": ["A"] * 10 + ["B"] * 5, "b": ["x"] * 9 + [None] + ["x"] * 5})


def text(*parts: str, access: str = "contract") -> str:
    return "".join((SCHEMA, *parts, f'[release]\naccess = "{access}"\nformat = "csv"\n'))


def test_a_release_that_is_met_by_wildcards_is_amber(tmp_path: Path) -> None:
    release = Recipe.from_toml(text(WILD)).run(TABLE, out=tmp_path / "out", key=bytes(32))
    report = json.loads((tmp_path / "out" / "public" / "report.json").read_text(encoding="utf-8"))
    (verdict,) = report["criteria"]
    assert (verdict["holds"], verdict["level"]) == (True, 5)
    assert (verdict["category_holds"], verdict["category_level"]) == (False, 1)
    assert [(one["code"], one["columns"]) for one in report["cautions"][:1]] == [("wildcard", ["a", "b"])]
    for lang in ("en", "de"):
        page = Html().render(release.report, lang)
        assert 'class="verdict mind"' in page and 'class="verdict good"' not in page
    assert "with reservations" in Html().render(release.report, "en")


RECODE = """
[[steps]]
method = "recode"
column = "b"
map = { y = "x" }
others = "keep"
"""


def test_without_gaps_the_same_criterion_is_green(tmp_path: Path) -> None:
    table = pa.table({"a": ["A"] * 10 + ["B"] * 10, "b": ["x"] * 4 + ["y"] + ["z"] * 5 + ["x"] * 10})
    release = Recipe.from_toml(text(RECODE, WILD, access="public")).run(table, key=bytes(32))
    assert release.report.cautions == () and release.report.criteria[0].safe
    assert 'class="verdict good"' not in Html().render(release.report.model_copy(update={"criteria": ()}))


def refusal(recipe: str) -> SchleierError:
    with pytest.raises(SchleierError) as caught:
        Recipe.from_toml(recipe).run(TABLE, key=bytes(32))
    return caught.value


def test_nothing_met_by_wildcards_is_public(tmp_path: Path) -> None:
    error = refusal(text(WILD, access="public"))
    assert isinstance(error, InfeasibleError) and [p.code for p in error.problems] == ["wildcard-public"]
    file = tmp_path / "file.csv"
    file.write_text("a,b\n" + "A,x\n" * 9 + "A,\n", encoding="utf-8")
    (public,) = verify(file, Recipe.from_toml(text(WILD, access="public")))
    (private,) = verify(file, Recipe.from_toml(text(WILD)))
    assert not public.holds and private.holds and not private.safe


@pytest.mark.parametrize("more", ["", "lend = true\n"])
def test_gaps_as_in_other_programs_are_never_green(more: str) -> None:
    error = refusal(text(LOCAL, more, access="public"))
    assert isinstance(error, RecipeError) and [p.code for p in error.problems] == ["wildcard-public"]
    category = WILD.replace("wildcard", "category").replace("k = 5", 'k = 5\nkeys = [["a"]]')
    report = Recipe.from_toml(text(LOCAL, more, category)).run(TABLE, key=bytes(32)).report
    assert report.criteria[0].safe and [one.code for one in report.cautions] == ["wildcard", *MORE]
    assert 'class="verdict mind"' in Html().render(report)


CLONES = """
[[schema.columns]]
name = "pay"
scale = "discrete"

[[steps]]
method = "clone_units"
keys = ["a", "b"]
min_count = 5
clones = 4
spread = 0.2
"""


def test_clones_make_nobody_common(tmp_path: Path) -> None:
    table = pa.table({"a": ["A"] * 9 + ["B"], "b": ["x"] * 10, "pay": list(range(100, 110))})
    strict = WILD.replace("wildcard", "category")
    with pytest.raises(InfeasibleError) as caught:
        Recipe.from_toml(text(CLONES, strict)).run(table, key=bytes(32))
    assert [p.code for p in caught.value.problems] == ["criterion-broken"]
    out = tmp_path / "out"
    release = Recipe.from_toml(text(CLONES, strict.replace("k = 5", 'k = 5\nkeys = [["b"]]'))).run(
        table, out=out, key=bytes(32)
    )
    assert release.report.records_released == 14 and release.report.criteria[0].level == 10
    (file,) = (out / "public").glob("*.csv")
    assert file.read_text(encoding="utf-8").splitlines()[0].replace('"', "") == "a,b,pay"


def weakened(child: dict[str, Any], parent: dict[str, Any], tmp_path: Path) -> list[str]:
    def entry(more: dict[str, Any]) -> str:
        given = {"name": "small", "criterion": "k_anonymity", "k": 5} | more
        return "[[criteria]]\n" + "\n".join(f"{key} = {json.dumps(value)}" for key, value in given.items()) + "\n"

    (tmp_path / "parent.toml").write_text(SCHEMA + entry(parent), encoding="utf-8")
    (tmp_path / "child.toml").write_text('extends = "parent.toml"\n' + entry(child), encoding="utf-8")
    try:
        Recipe.from_file(tmp_path / "child.toml")
    except RecipeError as error:
        return [problem.code for problem in error.problems]
    return []


def test_a_child_may_not_count_what_is_weaker(tmp_path: Path) -> None:
    assert weakened({"count": "records"}, {}, tmp_path) == ["weakened"]
    assert weakened({}, {"count": "records"}, tmp_path) == []
    assert weakened({"missing": "wildcard"}, {}, tmp_path) == ["weakened"]


EXCLUDED = WILD.replace("wildcard", "exclude")


@pytest.mark.parametrize(("gaps", "share"), [(10, None), (11, 0.52), (15, 0.6)])
def test_a_criterion_that_left_out_most_records_is_amber(gaps: int, share: float | None) -> None:
    """Ten records alike, and others that lack a key, of which nothing is known."""
    table = pa.table({"a": ["A"] * (10 + gaps), "b": ["x"] * 10 + [None] * gaps})
    release = Recipe.from_toml(text(EXCLUDED)).run(table, key=bytes(32))
    (verdict,) = release.report.criteria
    assert verdict.holds and (verdict.records, verdict.excluded) == (10, gaps)
    found = [(one.code, one.columns, one.share) for one in release.report.cautions if one.code == "left_out"]
    assert found == ([] if share is None else [("left_out", ("a", "b"), share)])
    assert ("records lack a key and were not judged" in verdict.text) == (share is not None)
    page = Html().render(release.report, "en")
    assert ("A criterion did not look at" in page) == (share is not None)


HOME = """
[[schema.columns]]
name = "home"
role = "unit"
scale = "nominal"
"""
PERSONS = """
[[criteria]]
criterion = "k_anonymity"
k = 2
"""
WHOLE = """
[[criteria]]
criterion = "alike_units"
k = 2
"""
COUPLES = pa.table({"a": ["A", "B"] * 10, "b": ["x"] * 20, "home": [f"h{i // 2}" for i in range(20)]})


def test_units_that_nobody_compared_as_a_whole_are_amber() -> None:
    release = Recipe.from_toml(text(HOME, PERSONS)).run(COUPLES, key=bytes(32))
    (one,) = [one for one in release.report.cautions if one.code == "compositions"]
    assert one.columns == ("home",) and one.command == "schleier criteria alike_units"
    assert "nobody demanded that units are alike as a whole" in Html().render(release.report, "en")
    assert "niemand hat verlangt, dass sich Einheiten als Ganzes gleichen" in Html().render(release.report, "de")


def test_units_that_were_compared_or_have_one_record_each_are_not() -> None:
    for recipe, table in ((text(HOME, PERSONS, WHOLE), COUPLES), (text(HOME, PERSONS), _single())):
        release = Recipe.from_toml(recipe).run(table, key=bytes(32))
        assert "compositions" not in [one.code for one in release.report.cautions]


def _single() -> pa.Table:
    return COUPLES.set_column(2, "home", pa.array([f"h{i}" for i in range(20)]))
