"""What several releases tell together of protected values is judged by the criteria each of them had to meet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import schleier as sl
from flow.sequels import KEY, OTHER
from schleier.cli.problems import translated
from schleier.core.errors import InfeasibleError, Problem

SCHEMA = """
[schema]
row_key = "id"
columns = [
  { name = "age", role = "quasi", scale = "discrete" },
  { name = "region", role = "quasi", scale = "nominal" },
  { name = "illness", role = "sensitive", scale = "nominal" },
  { name = "cost", role = "plain", scale = "discrete" },
]
"""
TWO = '[[criteria]]\ncriterion = "k_anonymity"\nk = 2\n'
DIVERSE = '[[criteria]]\ncriterion = "l_diversity"\nl = 2\n'
CLOSE = '[[criteria]]\ncriterion = "t_closeness"\nt = 0.3\n'


def breaks(*limits: int) -> str:
    return f'[[steps]]\nmethod = "recode"\ncolumn = "age"\nbreaks = {list(limits)}\n'


def patients() -> pa.Table:
    """Ages 20 to 59, five persons each; those of 30 to 31 have one illness, all others one of two."""
    ages = [20 + n // 5 for n in range(200)]
    illness = ["flu" if age in (30, 31) or n % 2 else "asthma" for n, age in enumerate(ages)]
    return pa.table({"id": range(200), "age": ages, "region": ["north"] * 200, "illness": illness, "cost": [10] * 200})


def recipe(steps: str, *judged: str) -> sl.Recipe:
    return sl.Recipe.from_toml(SCHEMA + steps + TWO + "".join(judged))


def refused(made: sl.Recipe, after: Any, rows: pa.Table | None = None) -> list[Problem]:
    with pytest.raises(InfeasibleError) as caught:
        made.run(patients() if rows is None else rows, key=OTHER, after=after)
    assert all(translated(problem, "de") for problem in caught.value.problems)
    return list(caught.value.problems)


@pytest.mark.parametrize("judged", [DIVERSE, CLOSE], ids=["diverse", "close"])
def test_an_illness_that_two_files_tell_together_is_found(tmp_path: Path, judged: str) -> None:
    """Who is 30 or 31 is in one class here and in another there, and all who are in both have the flu."""
    first, second = recipe(breaks(30, 45), judged), recipe(breaks(32, 45), judged)
    first.run(patients(), out=tmp_path / "first", key=KEY)
    assert second.run(patients(), key=OTHER).report.criteria[1].holds  # by itself it is fine
    (found,) = refused(second, [tmp_path / "first"])  # though both releases demand it
    assert found.code == "after-told" and "of this release" in found.message and "illness" in found.message


def test_the_promise_of_an_earlier_release_is_kept(tmp_path: Path) -> None:
    recipe(breaks(30, 45), DIVERSE).run(patients(), out=tmp_path / "first", key=KEY)
    (found,) = refused(recipe(breaks(32, 45)), [tmp_path / "first"])
    assert found.code == "after-told" and "the earlier release" in found.message


def test_what_is_judged_with_the_others_is_told(tmp_path: Path) -> None:
    first = recipe(breaks(30, 45), DIVERSE, CLOSE)
    first.run(patients(), out=tmp_path / "first", key=KEY)
    again = first.run(patients(), out=tmp_path / "second", key=OTHER, after=[tmp_path / "first"]).report
    assert again.after is not None and again.after.criteria == (1, 2)
    assert "after_alone" not in [caution.code for caution in again.cautions]
    page = (tmp_path / "second" / "public" / "report.html").read_text()
    assert "These criteria hold for all of them together, too: l-diversity" in page


def test_a_criterion_on_few_keys_looks_at_these(tmp_path: Path) -> None:
    """It must not fail beside itself only because another criterion looks at more keys."""
    narrow = DIVERSE + 'keys = [["region"]]\n'
    rows = patients()
    illness = [
        "flu" if age < 25 else one
        for age, one in zip(rows["age"].to_pylist(), rows["illness"].to_pylist(), strict=True)
    ]
    rows = rows.set_column(3, "illness", pa.array(illness))
    both = recipe(breaks(25, 45), narrow)
    both.run(rows, out=tmp_path / "first", key=KEY)
    assert both.run(rows, key=OTHER, after=[tmp_path / "first"]).report.after is not None


def test_who_left_and_who_stayed_is_seen(tmp_path: Path) -> None:
    """Those who came since all have the flu: whoever holds both files sees who came."""
    came = pa.table(
        {"id": range(200, 205), "age": [22] * 5, "region": ["north"] * 5, "illness": ["flu"] * 5, "cost": [10] * 5}
    )
    both = recipe(breaks(30, 45), DIVERSE)
    both.run(patients(), out=tmp_path / "first", key=KEY)
    found = refused(both, {tmp_path / "first": patients()}, pa.concat_tables([patients(), came]))
    assert [one.code for one in found] == ["after-told"]


def test_chances_are_judged_too(tmp_path: Path) -> None:
    risk = '[[criteria]]\ncriterion = "highest_risk"\nthreshold = 0.05\n'
    recipe(breaks(30, 45), risk).run(patients(), out=tmp_path / "first", key=KEY)
    assert "highest_risk" in refused(recipe(breaks(32, 45), risk), [tmp_path / "first"])[0].message


@pytest.mark.parametrize(
    ("criterion", "parameters"),
    [
        ("km_anonymity", 'k = 2\nm = 1\ncolumn = "illness"\nseparator = ";"\n'),
        ("category_threshold", 'threshold = 5\ncolumns = ["age"]\n'),
    ],
)
def test_what_was_judged_alone_is_told(tmp_path: Path, criterion: str, parameters: str) -> None:
    """Sets of items and single columns are not judged for several files, and it is said, of earlier ones too."""
    lone = recipe(breaks(30, 45), f'[[criteria]]\ncriterion = "{criterion}"\n{parameters}')
    lone.run(patients(), out=tmp_path / "first", key=KEY)
    for made in (lone, recipe(breaks(30, 45))):
        release = made.run(patients(), out=tmp_path / "second", key=OTHER, after=[tmp_path / "first"], force=True)
        (caution,) = [one for one in release.report.cautions if one.code == "after_alone"]
        assert caution.where == criterion
        assert f"not for all of them together: {criterion}." in (tmp_path / "second/public/report.html").read_text()


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_on_spark_it_is_judged_alike(tmp_path: Path) -> None:
    recipe(breaks(30, 45), DIVERSE).run(patients(), out=tmp_path / "first", key=KEY)
    said = [one.message for one in refused(recipe(breaks(32, 45), DIVERSE), [tmp_path / "first"])]
    with pytest.raises(InfeasibleError) as caught:
        recipe(breaks(32, 45), DIVERSE).run(patients(), key=OTHER, after=[tmp_path / "first"], engine="spark")
    assert [one.message for one in caught.value.problems] == said


HOMES = """
[schema]
row_key = "id"
columns = [
  { name = "age", role = "quasi", scale = "discrete" },
  { name = "home", role = "unit", scale = "nominal" },
]
"""
ALIKE = '[[criteria]]\ncriterion = "alike_units"\nk = 2\n'


def test_homes_that_two_files_tell_apart_together_are_found(tmp_path: Path) -> None:
    """Every home is like another one in each file, and no two are alike in both."""
    members = {"a": (33, 50), "b": (33, 33), "c": (25, 50), "d": (25, 33)}
    rows = [(age, home) for home, ages in members.items() for age in ages]
    table = pa.table({"id": range(8), "age": [age for age, _ in rows], "home": [home for _, home in rows]})
    first, second = (sl.Recipe.from_toml(HOMES + breaks(limit) + TWO + ALIKE) for limit in (30, 40))
    first.run(table, out=tmp_path / "first", key=KEY)
    assert second.run(table, key=OTHER).report.criteria[1].holds  # by itself it is fine
    (found,) = refused(second, [tmp_path / "first"], table)
    assert found.code == "after-told" and "composition" in found.message
