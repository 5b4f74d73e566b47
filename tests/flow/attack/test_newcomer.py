"""What somebody meets who tries it for the first time: misspelt names, other codings, wrong files, no way out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import schleier as sl
from flow.attack.staged import MARK, Staged
from flow.attack.test_pairs import as_csv
from schleier.cli import app

EXACT = ["exact_match"]


def refused(**given: Any) -> list[tuple[str, str, str]]:
    with pytest.raises(sl.SchleierError) as raised:
        sl.attack(**given, techniques=EXACT)
    assert MARK not in str(raised.value)
    return [(one.code, one.where, one.hint) for one in raised.value.problems]


@pytest.mark.parametrize(
    ("lang", "said"),
    [("en", "similar names: agee (age), Town (town)"), ("de", "ähnlich heißen: agee (age), Town (town)")],
)
def test_columns_that_may_be_misspelt_are_told(staged: Staged, tmp_path: Path, lang: str, said: str) -> None:
    known = staged.table("known").rename_columns(["entry", "holder", "agee", "sex", "Town"])
    place = as_csv(known, tmp_path / "known.csv")
    told = CliRunner().invoke(app, ["attack", staged.release, "--known", place, "-t", "exact_match", "--lang", lang])
    assert told.exit_code == 0 and said in " ".join(told.stdout.split())
    right = sl.attack(staged.release, staged.known, EXACT)
    assert right.alike == {}


def test_columns_that_differ_in_capitals_alone_are_the_way_out(staged: Staged) -> None:
    known = staged.table("known").rename_columns(["entry", "holder", "AGE", "SEX", "TOWN"])
    ((code, where, hint),) = refused(release=staged.release, known=known)
    assert (code, where) == ("no-common-column", "known") and "'AGE' ('age')" in hint


def test_numbers_that_are_none_are_told_with_the_file(staged: Staged, tmp_path: Path) -> None:
    known = staged.table("known")
    for text in ("{} years", "{}-99"):
        worded = known.set_column(2, "age", pa.array([text.format(one) for one in known["age"].to_pylist()]))
        place = as_csv(worded, tmp_path / "known.csv")
        ((code, where, hint),) = refused(release=staged.release, known=place)
        assert (code, where) == ("not-a-number", "known.age") and "leave the column out" in hint
    without = as_csv(known.drop_columns(["age"]), tmp_path / "without.csv")
    assert sl.attack(staged.release, without, EXACT).tried


def test_numbers_as_text_are_numbers(staged: Staged, tmp_path: Path) -> None:
    known = staged.table("known")
    padded = known.set_column(2, "age", pa.array([f"0{one}" for one in known["age"].to_pylist()]))
    counts = [
        sl.attack(staged.release, one, EXACT).tried[0].claims
        for one in (staged.known, as_csv(padded, tmp_path / "known.csv"))
    ]
    assert counts[0] == counts[1]


def test_another_original_is_told_as_such(staged: Staged, tmp_path: Path) -> None:
    original = staged.table("original")
    lacking = refused(release=staged.release, original=original.drop_columns(["disease"]))
    assert [one[1:] for one in lacking] == [("original", "name the file that the release was made from, unchanged")]
    worded = original.set_column(2, "age", pa.array(["old"] * len(original)))
    place = as_csv(worded, tmp_path / "original.csv")
    ((_, where, hint),) = refused(release=staged.release, original=place)
    assert where == "original.age" and "unchanged" in hint


def test_a_key_that_is_not_there_is_told(staged: Staged, tmp_path: Path) -> None:
    command = ["attack", staged.release, "--known", staged.known, "--key-file", str(tmp_path / "none.key")]
    told = CliRunner().invoke(app, command)
    assert told.exit_code == 2 and "there is no such file" in told.stderr


def test_an_empty_file_is_told(staged: Staged, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("", encoding="utf-8")
    (tmp_path / "header.csv").write_text("entry,age,sex,town\n", encoding="utf-8")
    for name, code in (("empty", "empty-file"), ("header", "no-rows")):
        assert [one[0] for one in refused(release=staged.release, known=tmp_path / f"{name}.csv")] == [code]


@pytest.mark.parametrize(
    ("lang", "unread", "counted"),
    [
        ("en", "does not use the file", "32 persons looked for"),
        ("de", "verwendet die Datei nicht", "32 Personen gesucht"),
    ],
)
def test_what_does_not_use_the_file_is_said(staged: Staged, lang: str, unread: str, counted: str) -> None:
    def said(*more: str) -> str:
        command = ["attack", staged.release, "--known", staged.known, "--lang", lang, *more]
        told = CliRunner().invoke(app, command)
        assert told.exit_code == 0
        return " ".join(told.stdout.split())

    both = said("--original", staged.original, "--pairs", staged.truth, "-t", "exact_match", "-t", "membership")
    assert both.count(unread) == 1 and both.index(unread) > both.index("2:")  # of the second, which knows true values
    assert counted in (alone := said("-t", "exact_match")) and unread not in alone
