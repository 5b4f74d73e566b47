"""Who is who by a table: in every format, by row keys or by numbers of rows; what is wrong with it is said at once."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import schleier as sl
from flow.attack.staged import MARK, PERSONS, RECIPE, Staged, person
from flow.attack.test_attack import EXACT, by_hand, counts
from schleier.cli import app


def as_csv(table: pa.Table, place: Path) -> str:
    return _written(place, table.column_names, zip(*(column.to_pylist() for column in table.columns), strict=True))


def _written(place: Path, names: list[str], rows: Iterable[Iterable[Any]]) -> str:
    with place.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *rows])
    return str(place)


@pytest.mark.parametrize("truth", [("truth", True), ("numbers", False), ("tags", False)], ids=lambda one: one[0])
def test_texts_say_the_same_as_parquet(staged: Staged, tmp_path: Path, truth: tuple[str, bool]) -> None:
    known = as_csv(staged.table("known"), tmp_path / "known.csv")
    pairs = as_csv(staged.table(truth[0]), tmp_path / "pairs.csv")
    found = sl.attack(staged.release, known, EXACT, pairs=pairs, original=staged.original if truth[1] else None)
    assert counts(found) == by_hand()


def test_numbers_are_the_same_however_a_format_writes_them(staged: Staged) -> None:
    """A sheet, or pandas with gaps, makes 7.0 of 7."""
    numbers, known = staged.table("numbers"), staged.table("known")
    keys = {entry: i for i, entry in enumerate(known["entry"].to_pylist())}
    entries = [float(keys[one]) for one in numbers["entry"].to_pylist()]
    pairs = pa.table({"record": numbers["record"].cast(pa.float64()), "entry": entries})
    counted = known.set_column(0, "entry", pa.array(keys.values(), pa.int64()))
    assert counts(sl.attack(staged.release, counted, EXACT, pairs=pairs)) == by_hand()
    broken = known.set_column(0, "entry", pa.array([one + 0.5 for one in keys.values()]))
    with pytest.raises(sl.SchleierError, match="known: the row key must hold whole numbers or text"):
        sl.attack(staged.release, broken, EXACT, pairs=pairs)


def test_a_file_with_other_row_keys_is_refused_before_anything_is_tried(staged: Staged) -> None:
    rows = staged.table("original").select(["id", "age", "sex", "town"]).slice(PERSONS - 20)
    others = rows.set_column(0, "id", pa.array([f"{MARK}-{i}" for i in range(20)]))
    with pytest.raises(sl.SchleierError) as raised:
        sl.attack(staged.release, others, original=staged.original)
    assert [(one.code, one.where) for one in raised.value.problems] == [("no-overlap", "known")]


@pytest.fixture(scope="module")
def unkeyed(tmp_path_factory: pytest.TempPathFactory) -> Staged:
    """An original without a row key, as text."""
    folder = tmp_path_factory.mktemp("unkeyed")
    rows = [(f"{MARK}-{i}", *person(i)) for i in range(PERSONS)]
    _written(folder / "original.csv", ["name", "age", "sex", "town"], rows)
    some = (line for line in RECIPE.splitlines() if "row_key" not in line and '"tag"' not in line)
    recipe = "\n".join(line for line in some if '"disease"' not in line).replace("original.parquet", "original.csv")
    (folder / "recipe.toml").write_text(recipe, encoding="utf-8")
    sl.Recipe.from_file(folder / "recipe.toml").run(out=folder / "release", key=bytes(32))
    return Staged(folder)


def test_rows_of_an_original_without_a_key_are_numbered(staged: Staged, unkeyed: Staged, tmp_path: Path) -> None:
    original = unkeyed.folder / "original.csv"
    both = range(PERSONS - 20, PERSONS)
    rows = [(i + 1, f"{MARK}-entry-{i:03}") for i in both]
    given = {"known": staged.known, "techniques": EXACT, "original": original}
    found = sl.attack(unkeyed.release, pairs=_written(tmp_path / "pairs.csv", ["row", "entry"], rows), **given)
    assert found.judged_by == "original" and counts(found) == by_hand()
    with pytest.raises(sl.SchleierError, match="a column 'row'"):  # the way out is named
        sl.attack(unkeyed.release, **given)
    with pytest.raises(sl.SchleierError, match="'row', the number of the row"):
        sl.attack(unkeyed.release, pairs=staged.truth, **given)
    rows = [(i, entry) for i, (_, entry) in enumerate(rows)]
    with pytest.raises(sl.SchleierError, match="first row has the number 1"):
        sl.attack(unkeyed.release, pairs=_written(tmp_path / "zero.csv", ["row", "entry"], rows), **given)


BAD = {
    "none.csv": (None, "no-file"),
    "empty.csv": ("", "empty-file"),
    "broken.parquet": (MARK * 9, "broken-file"),
    "letter.docx": (MARK, "unknown-format"),
    "one.csv": (f"entry\n{MARK}-entry-041\n", "bad-pairs"),
    "three.csv": (f"tag,entry,more\ntag001,{MARK}-entry-041,1\n", "bad-pairs"),
    "strange.csv": (f"a,b\n{MARK},{MARK}\n", "bad-pairs"),
    "nobody.csv": ("tag,entry\n", "no-overlap"),
    "gaps.csv": (f"tag,entry\n,{MARK}-entry-041\n", "no-overlap"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_table_is_refused_with_all_else(staged: Staged, tmp_path: Path, name: str) -> None:
    text, code = BAD[name]
    if text is not None:
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(sl.SchleierError) as raised:
        sl.attack(staged.release, staged.known, EXACT, pairs=tmp_path / name)
    assert (raised.value.exit_code, [one.code for one in raised.value.problems]) == (4, [code])
    assert MARK not in str(raised.value).replace(str(tmp_path), "")
    if code not in ("no-overlap",):  # what is told before a row is read is told with all else
        with pytest.raises(sl.SchleierError) as raised:
            sl.attack(tmp_path, tmp_path / "nix.csv", ["exact_mach"], pairs=tmp_path / name)
        codes = {one.code for one in raised.value.problems}
        assert {"not-a-release", "unknown-attack", "no-file"} <= codes and raised.value.exit_code == 2
        assert code in codes or code == "bad-pairs"  # which columns it must have the release says


def test_a_wrong_table_and_other_codes_are_said_together(staged: Staged, tmp_path: Path) -> None:
    table = staged.table("known")
    known = table.set_column(3, "sex", pa.array(["1", "2"] * 16))
    with pytest.raises(sl.SchleierError) as raised:
        sl.attack(staged.release, known, EXACT, pairs=staged.table("tags").slice(0, 0))
    assert {one.code for one in raised.value.problems} == {"no-overlap", "different-codes"}


def test_every_file_that_is_missing_is_named(staged: Staged, tmp_path: Path) -> None:
    options = [text for one in ("known", "pairs", "original") for text in (f"--{one}", str(tmp_path / f"{one}.csv"))]
    told = CliRunner().invoke(app, ["attack", staged.release, *options])
    assert told.exit_code == 4 and all(f"{one}.csv" in told.stderr for one in ("known", "pairs", "original"))
    shutil.copytree(staged.release, tmp_path / "part", ignore=shutil.ignore_patterns("restricted"))
    again = CliRunner().invoke(app, ["attack", str(tmp_path / "part"), *options])
    assert again.exit_code == 4 and "without its restricted part" in again.stderr


@pytest.mark.parametrize("odd", [1e300, float("inf"), float("nan")])
def test_a_number_that_counts_nothing_names_nobody(staged: Staged, odd: float) -> None:
    numbers = staged.table("numbers")
    keys = [odd, *numbers["record"].cast(pa.float64()).to_pylist()[1:]]
    found = sl.attack(staged.release, staged.known, EXACT, pairs=numbers.set_column(0, "record", pa.array(keys)))
    assert found.unused_pairs
    with pytest.raises(sl.SchleierError, match="who is who"):
        sl.attack(staged.release, staged.known, EXACT, pairs=numbers.slice(0, 1).set_column(0, "record", [[odd]]))


def test_a_word_of_any_length_is_not_said_again_as_a_whole(staged: Staged) -> None:
    with pytest.raises(sl.SchleierError) as caught:
        sl.attack(staged.release, staged.known, ["x" * 5000], pairs=staged.numbers)
    assert "x" * 20 in str(caught.value) and "x" * 100 not in str(caught.value)


def test_a_row_key_that_the_file_lacks_is_told_once(staged: Staged) -> None:
    with pytest.raises(sl.SchleierError) as raised:
        sl.attack(staged.release, staged.known, EXACT, original=staged.original)
    assert [(one.code, one.where) for one in raised.value.problems] == [("bad-pairs", "pairs")]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["person", "entry"], "neither column .* speaks of the original: 'person', 'entry'"),
        (["id", "entry", "more"], "must have two columns, .* it has 'id', 'entry', 'more'"),
    ],
)
def test_a_table_with_other_columns_is_told_by_their_names(staged: Staged, names: list[str], said: str) -> None:
    truth = staged.table("truth")
    columns = [*truth.columns, truth.column(0)][: len(names)]
    with pytest.raises(sl.SchleierError, match=said) as raised:
        sl.attack(staged.release, staged.known, EXACT, original=staged.original, pairs=pa.table(columns, names=names))
    assert len(raised.value.problems) == 1


def test_rows_of_an_original_that_is_not_named_lead_to_it(staged: Staged) -> None:
    table = pa.table({"row": [1], "entry": staged.table("truth")["entry"][:1]})
    with pytest.raises(sl.SchleierError) as raised:
        sl.attack(staged.release, staged.known, EXACT, pairs=table)
    assert [one.code for one in raised.value.problems] == ["bad-pairs"]
    assert "(--original)" in raised.value.problems[0].hint
