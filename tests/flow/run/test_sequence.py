"""Releases about the same persons are judged together: what one hides, two may show."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import schleier as sl
from flow.sequels import (
    BY_TENS,
    CAPPED,
    HALVES,
    JUDGED,
    KEY,
    OTHER,
    PERSONS,
    ROW_KEY,
    SCHEMA,
    SHIFTED,
    K,
    codes,
    command,
    people,
    recipe,
    released,
)
from schleier.core.errors import DataError, InfeasibleError, RecipeError


def alone(one: pa.Table, two: pa.Table) -> int:
    """Persons whom somebody finds that holds two released files, and knows age and region of everybody.

    His candidates are the records of both that fit what he knows and agree in job and income, which nobody changed.
    """
    found = 0
    for person in people().to_pylist():
        candidates = [
            Counter((row["job"], row["income"]) for row in table.to_pylist() if _fits(person, row))
            for table in (one, two)
        ]
        found += sum((candidates[0] & candidates[1]).values()) == 1
    return found


def _fits(person: dict[str, Any], row: dict[str, Any]) -> bool:
    low, high = row["age"].removeprefix("<").removeprefix(">=").partition("-")[::2]
    if row["age"].startswith("<"):
        low, high = "0", str(int(low) - 1)
    years = int(low) <= person["age"] <= int(high or 200)
    return bool(years and row["region"] == person["region"])


@pytest.mark.parametrize("keyed", [True, False])
def test_other_limits_in_a_second_release_give_persons_back(tmp_path: Path, keyed: bool) -> None:
    first = released(tmp_path / "first", keyed=keyed)
    second = recipe(SHIFTED, keyed=keyed).run(people(), key=OTHER)
    assert second.report.criteria[0].holds  # by itself it is fine
    assert alone(file_of(first), second.data.to_arrow()) == 8  # together they are not
    assert codes(InfeasibleError, [first], SHIFTED, keyed=keyed, out=tmp_path / "second") == ["after-apart"]
    assert not list(tmp_path.glob("second*"))


@pytest.mark.parametrize("steps", [BY_TENS, HALVES])
def test_the_same_classes_once_more_or_whole_ones_together_are_fine(tmp_path: Path, steps: str) -> None:
    first = released(tmp_path / "first")
    second = recipe(steps).run(people(), out=tmp_path / "second", key=OTHER, after=[first])
    assert alone(file_of(first), file_of(tmp_path / "second")) == 0
    assert second.report.after is not None
    assert (second.report.after.earlier, second.report.after.k, second.report.after.level) == (1, K, 10)
    (found,) = second.audit.after
    assert (found["in_both"], found["came"], found["left"]) == (PERSONS, 0, 0)
    assert found["joined_by"] == ("region", "job", "income") and found["joined"] > 90
    page = (tmp_path / "second" / "public" / "report.html").read_text()
    assert "together with one earlier release" in page and "at least 10 who look alike" in page


def test_who_came_or_went_alone_is_found(tmp_path: Path) -> None:
    first = released(tmp_path / "first")
    more, fewer = people(0, PERSONS + 1), people(1)
    assert codes(InfeasibleError, {first: people()}, BY_TENS, more) == [
        "after-apart",
        "after-difference",
        "after-difference",
    ]
    assert codes(InfeasibleError, {first: people()}, BY_TENS, fewer)[0] == "after-apart"
    changed = pa.concat_tables([people(1), people(PERSONS, PERSONS + 1)])  # as many as before
    assert codes(InfeasibleError, {first: people()}, BY_TENS, changed) == ["after-apart"]


def test_many_who_came_and_went_hide_each_other(tmp_path: Path) -> None:
    first = released(tmp_path / "first", HALVES)
    rows = pa.concat_tables([people(40, 140), people(200, 201)])  # one more than before
    (found,) = recipe(HALVES).run(rows, key=OTHER, after={first: people()}).audit.after
    assert (found["in_both"], found["came"], found["left"], found["level"]) == (60, 41, 40, 20)


def test_a_number_that_changes_by_one_is_somebody(tmp_path: Path) -> None:
    """The same persons, one of whom now earns more than the limit."""
    first, rows = released(tmp_path / "first", BY_TENS + CAPPED), people()
    incomes = rows["income"].to_pylist()
    incomes[next(i for i, income in enumerate(incomes) if income < 2500)] = 2501
    second = rows.set_column(4, "income", pa.array(incomes))
    with pytest.raises(InfeasibleError, match="capped") as caught:
        recipe(BY_TENS + CAPPED).run(second, after={first: rows}, key=OTHER)
    assert [problem.code for problem in caught.value.problems] == ["after-difference"]


def test_each_pair_may_be_fine_and_all_together_not(tmp_path: Path) -> None:
    """Each file tells one of three traits; few have some combinations of all three, many have any of two."""
    traits = [
        (a, b, c) for a in "nm" for b in "nm" for c in "nm" for _ in range(8 if (a + b + c).count("m") % 2 else 1)
    ]
    rows = pa.table({name: [row[i] for row in traits] for i, name in enumerate("abc")})
    columns = ",".join(f'{{ name = "{name}", role = "quasi", scale = "nominal" }}' for name in "abc")

    def telling(name: str) -> sl.Recipe:
        drop = f"[[steps]]\nmethod = 'drop'\ncolumns = {[other for other in 'abc' if other != name]}\n"
        return sl.Recipe.from_toml(f"[schema]\ncolumns = [{columns}]\n" + drop + JUDGED)

    first, second = tmp_path / "first", tmp_path / "second"
    telling("a").run(rows, out=first, key=KEY)
    telling("b").run(rows, out=second, key=KEY, after=[first])
    assert telling("c").run(rows, key=OTHER, after=[first]).audit.after[0]["level"] == 9
    assert telling("c").run(rows, key=OTHER, after=[second]).audit.after[0]["level"] == 9
    with pytest.raises(
        InfeasibleError, match="all earlier ones tells 4 groups of fewer than 5 persons apart, 4 persons"
    ):
        telling("c").run(rows, key=OTHER, after=[first, second])


def test_rows_are_found_again_in_their_file(tmp_path: Path) -> None:
    """January's file stays where it was; February has other persons."""
    pyarrow.csv.write_csv(people(), tmp_path / "january.csv")
    released(tmp_path / "first", rows=str(tmp_path / "january.csv"))
    pyarrow.csv.write_csv(people(0, 2 * PERSONS), tmp_path / "february.csv")
    february = str(tmp_path / "february.csv")
    found = recipe(BY_TENS).run(february, after=[tmp_path / "first"], key=OTHER)
    assert found.audit.after[0]["came"] == PERSONS
    again = sl.replay(tmp_path / "first", february, after=[tmp_path / "first"])
    assert again.report.after == found.report.after
    (tmp_path / "january.csv").write_text((tmp_path / "january.csv").read_text().replace("job 1", "job 2"))
    assert codes(DataError, [tmp_path / "first"], BY_TENS, february) == ["after-no-rows"]
    (tmp_path / "january.csv").unlink()
    assert codes(DataError, [tmp_path / "first"], BY_TENS, february) == ["after-no-rows"]


def test_other_persons_need_a_row_key_in_common(tmp_path: Path) -> None:
    first = released(tmp_path / "first", keyed=False)
    rows = people(0, 2 * PERSONS)
    assert codes(RecipeError, {first: people()}, BY_TENS, rows, keyed=False) == ["after-not-linked"]
    numbers = people().set_column(0, "id", pa.array(range(PERSONS)))
    other = released(tmp_path / "other", rows=numbers)
    assert "after-not-linked" in codes(InfeasibleError, {other: numbers}, BY_TENS, people())


def test_numbers_and_their_text_are_one_key(tmp_path: Path) -> None:
    """A text file has numbers as text where the schema does not say more."""
    numbers = people().set_column(0, "id", pa.array(range(PERSONS)))
    texts = people().set_column(0, "id", pa.array([str(n) for n in range(PERSONS)]))
    first = released(tmp_path / "first", rows=numbers)
    assert recipe(HALVES).run(texts, key=OTHER, after={first: numbers}).report.after.level >= K


def test_keys_that_were_given_anew_are_noticed(tmp_path: Path) -> None:
    """They make everybody look new, and hide the danger."""
    first = released(tmp_path / "first")
    anew = people().set_column(0, "id", pa.array([f"q{n}" for n in range(PERSONS)]))
    assert "after-not-linked" in codes(InfeasibleError, {first: people()}, SHIFTED, anew)
    others = people(PERSONS, 2 * PERSONS)  # other persons are none of its business
    assert recipe(SHIFTED).run(others, key=OTHER, after={first: people()}).report.after is not None


WITH_HOMES = SCHEMA.format(key=ROW_KEY).replace(
    "columns = [", 'columns = [{ name = "home", role = "unit", scale = "discrete" },'
)
NO_REGION = '[[steps]]\nmethod = "drop"\ncolumns = ["region"]\n'


def test_units_found_again_without_their_records_are_noticed(tmp_path: Path) -> None:
    """A panel whose records are numbered anew in every wave."""
    homes = pa.array(range(PERSONS))
    rows = people().drop_columns(["job", "income"]).append_column("home", homes)
    columns = WITH_HOMES.replace('  { name = "job", role = "plain", scale = "nominal" },\n', "")
    columns = columns.replace('  { name = "income", role = "sensitive", scale = "discrete" },\n', "")
    sl.Recipe.from_toml(columns + BY_TENS + JUDGED).run(rows, out=tmp_path / "first", key=KEY)
    anew = rows.set_column(0, "id", pa.array([f"q{n}" for n in range(PERSONS)]))
    with pytest.raises(InfeasibleError) as caught:
        sl.Recipe.from_toml(columns + SHIFTED + JUDGED).run(anew, key=OTHER, after={tmp_path / "first": rows})
    assert "after-not-linked" in [problem.code for problem in caught.value.problems]


def test_what_one_release_promised_to_households_the_next_keeps(tmp_path: Path) -> None:
    rows = people().append_column("home", pa.array([n // 10 for n in range(PERSONS)]))
    two = JUDGED.replace("5", "2")
    sl.Recipe.from_toml(WITH_HOMES + NO_REGION + HALVES + two).run(rows, out=tmp_path / "first", key=KEY)
    # Ages cut so that the five persons of a class are of one household.
    with pytest.raises(InfeasibleError) as caught:
        recipe(NO_REGION + BY_TENS.replace("[30, 40, 50, 60]", "[25]"), judged=two).run(
            rows, key=OTHER, after={tmp_path / "first": rows}
        )
    assert [problem.code for problem in caught.value.problems] == ["after-apart"]


def test_who_knows_a_column_of_one_release_knows_it_of_the_other(tmp_path: Path) -> None:
    known = SCHEMA.format(key=ROW_KEY)
    plain = known.replace('name = "region", role = "quasi"', 'name = "region", role = "plain"')
    rows = people().set_column(2, "region", pa.array(["south"] + ["north"] * (PERSONS - 1)))
    first = sl.Recipe.from_toml(plain + HALVES + JUDGED)
    first.run(rows, out=tmp_path / "first", key=KEY)
    second = sl.Recipe.from_toml(known + NO_REGION + HALVES + JUDGED)
    assert second.run(rows, key=OTHER, after=[tmp_path / "first"]).report.after is not None  # nobody knows regions
    both = sl.Recipe.from_toml(
        known
        + '[[steps]]\nmethod = "recode"\ncolumn = "region"\nmap = { south = "any", north = "any" }\n'
        + HALVES
        + JUDGED
    )
    with pytest.raises(InfeasibleError):
        both.run(rows, key=OTHER, after=[tmp_path / "first"])


def test_units_count_once(tmp_path: Path) -> None:
    """Twelve records of one household and one of another are two units."""
    columns = SCHEMA.format(key=ROW_KEY).replace(
        "columns = [", 'columns = [{ name = "home", role = "unit", scale = "discrete" },'
    )
    rows = people().append_column("home", pa.array([n // 5 for n in range(PERSONS)]))
    drop = '[[steps]]\nmethod = "drop"\ncolumns = ["region"]\n'
    both = sl.Recipe.from_toml(columns + drop + BY_TENS + JUDGED.replace("5", "2"))
    both.run(rows, out=tmp_path / "first", key=KEY)
    found = both.run(rows, key=OTHER, after=[tmp_path / "first"]).report.after
    assert found is not None and found.units and found.level == 4


@pytest.mark.parametrize(
    ("after_k", "judged", "code"),
    [(None, "", "no-after-k"), (1, JUDGED, "bad-after-k"), (0, "", "bad-after-k"), (True, JUDGED, "bad-after-k")],
)
def test_k_must_be_stated(tmp_path: Path, after_k: int | None, judged: str, code: str) -> None:
    first = released(tmp_path / "first")
    assert codes(RecipeError, [first], BY_TENS, judged=judged, after_k=after_k) == [code]


def test_k_alone_says_nothing(tmp_path: Path) -> None:
    assert codes(RecipeError, [], BY_TENS, after_k=3) == ["bad-after-k"]


def test_k_may_be_stated_apart(tmp_path: Path) -> None:
    first = released(tmp_path / "first")
    found = recipe(BY_TENS, judged="").run(people(), after=[first], after_k=10, key=OTHER).report.after
    assert found is not None and found.k == found.level == 10
    assert codes(InfeasibleError, [first], BY_TENS, after_k=11) == ["after-smaller-k"]


def _no_folder(folder: Path) -> None:
    shutil.rmtree(folder)


def _public_only(folder: Path) -> None:
    shutil.rmtree(folder / "restricted")


def _changed(folder: Path) -> None:
    (folder / "public" / "report.html").write_text("another")


def _unsealed(folder: Path) -> None:
    manifest = json.loads((folder / "release.json").read_text())
    manifest["seal"] = "0" * 64
    (folder / "release.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (_no_folder, "not-a-release"),
        (_public_only, "incomplete-release"),
        (_changed, "changed-release"),
        (_unsealed, "broken-seal"),
    ],
)
def test_an_earlier_release_must_be_whole(tmp_path: Path, spoil: Any, code: str) -> None:
    first = released(tmp_path / "first")
    spoil(first)
    assert codes(DataError, [first], BY_TENS) == [code]


def test_on_the_command_line(tmp_path: Path) -> None:
    pq.write_table(people(), tmp_path / "people.parquet")
    for name, steps in (("tens", BY_TENS), ("shifted", SHIFTED)):
        text = '[data]\nfile = "people.parquet"\n' + SCHEMA.format(key="") + steps + JUDGED
        (tmp_path / f"{name}.toml").write_text(text)
    one, two = tmp_path / "one", tmp_path / "two"
    assert command("run", tmp_path / "tens.toml", "--out", one).exit_code == 0
    refused = command("run", tmp_path / "shifted.toml", "--out", two, "--after", one)
    assert refused.exit_code == 3 and not two.exists()
    again = command("replay", one, tmp_path / "people.parquet", "--out", two, "--after", one, "--json")
    assert again.exit_code == 0
    assert json.loads(again.stdout)["report"]["after"] == {
        "earlier": 1,
        "k": K,
        "level": 10,
        "units": False,
        "k_alone": K,
        "criteria": [],
    }
    third = command("run", tmp_path / "tens.toml", "--out", tmp_path / "three", "--after", one, "--after", two)
    assert third.exit_code == 0 and "2 earlier releases" in third.stdout
    assert command("run", tmp_path / "tens.toml", "--out", tmp_path / "four", "--after-k", "3").exit_code == 2
    assert command("replay", one, "--sql", "duckdb", "--after", one).exit_code == 2


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_on_spark_it_is_judged_alike(tmp_path: Path) -> None:
    """Also a release that another engine made."""
    first = released(tmp_path / "first")
    again = recipe(BY_TENS).run(people(), key=OTHER, after=[first], engine="spark")
    assert again.audit.after == recipe(BY_TENS).run(people(), key=OTHER, after=[first]).audit.after
    assert codes(InfeasibleError, [first], SHIFTED, engine="spark") == ["after-apart"]


def file_of(folder: Path) -> pa.Table:
    return pq.read_table(folder / "public" / "data.parquet")
