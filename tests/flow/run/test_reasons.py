"""Why releases cannot stand side by side: whose fault it is, and what can be done."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import schleier as sl
from flow.sequels import BY_TENS, HALVES, JUDGED, KEY, OTHER, SCHEMA, SHIFTED, command, people, recipe, released
from schleier.cli.problems import translated
from schleier.core.errors import InfeasibleError, Problem

THREE = JUDGED.replace("5", "3")


def refused(made: sl.Recipe, after: list[Path], rows: pa.Table | None = None, **more: int) -> list[Problem]:
    with pytest.raises(InfeasibleError) as caught:
        made.run(people() if rows is None else rows, key=OTHER, after=after, **more)
    for problem in caught.value.problems:
        assert translated(problem, "de") is not None
    return list(caught.value.problems)


def test_earlier_releases_that_are_bad_together_are_not_the_fault_of_the_next(tmp_path: Path) -> None:
    pair = [released(tmp_path / "tens"), released(tmp_path / "shifted", SHIFTED)]
    all_alike = '[[steps]]\nmethod = "drop"\ncolumns = ["age", "region"]\n'
    everybody = recipe(all_alike, judged="")
    assert everybody.run(people(), key=OTHER, after=pair[:1], after_k=5).report.after is not None
    (found,) = refused(everybody, pair, after_k=5)
    assert found.code == "after-already-apart"
    assert "the earlier releases alone" in found.message
    assert "8 groups of fewer than 5 persons apart, 8 persons in all" in found.message
    assert "--after-k" not in found.hint and "leave it out of --after" in found.hint


def test_who_adds_nothing_is_not_blamed(tmp_path: Path) -> None:
    """The new release is the first one again: what it tells together with the second is known already."""
    pair = [released(tmp_path / "tens"), released(tmp_path / "shifted", SHIFTED)]
    assert [one.code for one in refused(recipe(BY_TENS), pair)] == ["after-already-apart"]


def test_both_faults_are_told(tmp_path: Path) -> None:
    pair = [released(tmp_path / "tens"), released(tmp_path / "halves", HALVES.replace("40", "41"))]
    assert {one.code for one in refused(recipe(SHIFTED), pair)} == {"after-apart", "after-already-apart"}


def test_an_earlier_release_with_a_smaller_k_is_told(tmp_path: Path) -> None:
    fine = BY_TENS.replace("[30, 40, 50, 60]", "[23, 30, 40, 50, 60]")
    first = released(tmp_path / "first", fine, judged=THREE)
    (found,) = refused(recipe(BY_TENS), [first])
    assert found.code == "after-smaller-k" and found.where == str(first)
    assert "k = 3" in found.message and "2 groups of fewer than 5 persons" in found.message
    assert "--after-k 3 " in found.hint
    again = recipe(BY_TENS).run(people(), key=OTHER, after=[first], after_k=3)
    assert again.report.after is not None and again.report.after.level == 3


def test_a_release_without_a_k_is_told(tmp_path: Path) -> None:
    first = released(tmp_path / "first", BY_TENS.replace("30,", "21, 30,"), judged="")
    (found,) = refused(recipe(BY_TENS), [first])
    assert found.code == "after-already-apart" and "alone" in found.message
    assert "--after-k" not in found.hint  # one person is alone there


@pytest.mark.parametrize("missing", ["wildcard", "exclude"])
def test_gaps_that_may_be_anything_are_told(tmp_path: Path, missing: str) -> None:
    rows = people()
    gaps = pa.array([None if i in (0, 40) else age for i, age in enumerate(rows["age"].to_pylist())], pa.int64())
    rows = rows.set_column(1, "age", gaps)
    judged = JUDGED + f'missing = "{missing}"\n'
    first = released(tmp_path / "first", rows=rows, judged=judged)
    (found,) = refused(recipe(BY_TENS, judged=judged), [first], rows)
    assert found.code == "after-gaps"
    assert f'missing = "{missing}"' in found.message and "may be known" in found.message
    assert 'missing = "category"' in found.hint


def test_a_smaller_number_for_all_together_is_told_everywhere(tmp_path: Path) -> None:
    pq.write_table(people(), tmp_path / "people.parquet")
    text = '[data]\nfile = "people.parquet"\n' + SCHEMA.format(key="") + BY_TENS + JUDGED
    (tmp_path / "tens.toml").write_text(text)
    one, two = tmp_path / "one", tmp_path / "two"
    assert command("run", tmp_path / "tens.toml", "--out", one).exit_code == 0
    weaker = command("run", tmp_path / "tens.toml", "--out", two, "--after", one, "--after-k", "2", "--lang", "de")
    assert weaker.exit_code == 0
    assert "(verlangt waren 2). In einer der Freigaben allein sind 5 verlangt." in " ".join(weaker.stdout.split())
    assert "! Zusammen mit den früheren Freigaben" in weaker.stdout
    report = json.loads((two / "public" / "report.json").read_text())
    assert (report["after"]["k"], report["after"]["k_alone"]) == (2, 5)
    assert "after_smaller_k" in [caution["code"] for caution in report["cautions"]]
    assert "weniger Personen gleich aussehen" in (two / "public" / "report.html").read_text()
    (found,) = json.loads((two / "restricted" / "audit.json").read_text())["after"]
    assert (found["k"], found["k_alone"]) == (2, 5)
    as_demanded = command("run", tmp_path / "tens.toml", "--out", tmp_path / "three", "--after", one, "--json")
    assert "after_smaller_k" not in as_demanded.stdout and as_demanded.exit_code == 0


def test_a_smaller_number_than_an_earlier_release_promised_is_told(tmp_path: Path) -> None:
    first = released(tmp_path / "first", judged=JUDGED.replace("5", "10"))
    found = recipe(BY_TENS).run(people(), key=OTHER, after=[first]).report
    assert found.after is not None and (found.after.k, found.after.k_alone) == (5, 10)
    assert "after_smaller_k" in [caution.code for caution in found.cautions]
    assert recipe(BY_TENS, judged="").run(people(), key=KEY, after=[first], after_k=10).report.after.k_alone == 10
