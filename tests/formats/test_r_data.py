"""Data frames of R: every kind of column, several frames, and what is none."""

from __future__ import annotations

import bz2
import datetime as dt
import gzip
import lzma
import random
from collections.abc import Callable
from pathlib import Path

import pytest

import schleier as sl
from r_files import LATIN1, NA, data_frame, large, logical, numbers, rda, rds, sequence, several, texts, whole
from schleier.core.errors import DataError, SchleierError
from schleier.flow.run.reader import read_header
from schleier.formats.r_data import RData

SECRET = "SECRETVALUE"
NAN = float("nan")
FRAME = {"class": texts(["data.frame"])}
PEOPLE = {
    "age": whole([30, NA, 41]),
    "pay": numbers([1.5, NAN, 2.0]),
    "children": numbers([1, 0, NAN]),
    "city": texts(["Köln", None, ""], LATIN1),
    "married": logical([1, 0, NA]),
    "job": whole([2, NA, 1], levels=texts(["cook", "smith"]), **{"class": texts(["factor"])}),
    "size": whole([1, 1, 2], levels=texts(["S", "L"]), **{"class": texts(["ordered", "factor"])}),
    "born": numbers([0, NAN, -1.5], **{"class": texts(["Date"])}),
    "seen": numbers([0.5, NAN, 86400], **{"class": texts(["POSIXct", "POSIXt"])}),
    "account": large([2**60, -(2**63), 7]),
    "sex": numbers(
        [1, 2, 9],
        label=texts(["Sex of the person"]),
        labels=numbers([1, 2, NAN], names=texts(["male", "female", "no answer"])),
        **{"class": texts(["haven_labelled", "vctrs_vctr", "double"])},
    ),
    "tags": several([texts(["a", "b"]), texts([]), texts(["c"])]),
}


def rows(path: Path, part: str = "") -> dict[str, list[object]]:
    import pyarrow.parquet as pq

    place = RData().unwrap(path, path.parent, part=part)
    found: dict[str, list[object]] = pq.read_table(place).to_pydict()
    place.unlink()
    return found


def codes(path: Path | str) -> list[str]:
    with pytest.raises(SchleierError) as caught:
        sl.describe(path)
    assert isinstance(caught.value, DataError)
    assert SECRET not in str(caught.value)
    return [problem.code for problem in caught.value.problems]


def test_every_kind_of_column(tmp_path: Path) -> None:
    path = tmp_path / "people.rds"
    path.write_bytes(gzip.compress(rds(data_frame(PEOPLE, 3, names=["Ada", "Bob", "Cleo"]))))
    assert rows(path) == {
        "age": [30, None, 41],
        "pay": [1.5, None, 2.0],
        "children": [1, 0, None],
        "city": ["Köln", None, ""],
        "married": [True, False, None],
        "job": ["smith", None, "cook"],
        "size": ["S", "S", "L"],
        "born": [dt.date(1970, 1, 1), None, dt.date(1969, 12, 30)],
        "seen": [dt.datetime(1970, 1, 1, 0, 0, 0, 500_000), None, dt.datetime(1970, 1, 2)],
        "account": [2**60, None, 7],
        "sex": [1, 2, 9],
        "tags": [None, None, None],
    }
    kinds, entries, _ = read_header(path)
    assert (kinds["children"], kinds["tags"]) == ("integer", "other")
    assert entries["sex"].title == "Sex of the person" and entries["sex"].labels == {"1": "male", "2": "female"}
    assert entries["size"].scale == "ordinal" and "job" not in entries
    assert RData().extras(path) == ("row names",)


def test_columns_of_lists_are_left_out_and_told(tmp_path: Path) -> None:
    path = tmp_path / "people.rds"
    path.write_bytes(rds(data_frame(PEOPLE, 3)))
    draft = sl.describe(path)
    assert draft.left_out == ("tags",) and "tags" not in draft.schema
    assert draft.recipe["release"]["format"] == "parquet"


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_whatever_it_is_packed_with(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "people.RData"
    path.write_bytes(pack(rda({"people": data_frame({"age": whole([1, 2])}, 2)})))
    assert rows(path) == {"age": [1, 2]}


def test_several_frames_are_named(tmp_path: Path) -> None:
    path = tmp_path / "all.rda"
    path.write_bytes(
        rda({"a": data_frame({"x": whole([1])}, 1), "n": whole([3]), "b": data_frame({"y": whole([2])}, 1)})
    )
    assert rows(path, "b") == {"y": [2]}
    assert RData().extras(path, "b") == ("a", "n")
    with pytest.raises(SchleierError) as caught:
        sl.describe(path)
    (problem,) = caught.value.problems
    assert (problem.code, problem.hint) == ("several-parts", "name one, all.rda::a for example; there are: a, b")
    assert codes(f"{path}::n") == ["unknown-part"]


def test_a_matrix_with_names_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "matrix.rda"
    both = several([texts(["r1", "r2"]), texts(["x", "y"])])
    path.write_bytes(rda({"m": numbers([1, 2, 3.5, 4], dim=whole([2, 2]), dimnames=both)}))
    assert rows(path) == {"x": [1, 2], "y": [3.5, 4.0]}


def test_a_short_form_of_numbers(tmp_path: Path) -> None:
    path = tmp_path / "sequence.rds"
    path.write_bytes(rds(data_frame({"id": sequence(4)}, 4)))
    assert rows(path) == {"id": [1, 2, 3, 4]}
    path.write_bytes(rds(data_frame({"id": sequence(10**12)}, 4)))
    assert codes(path) == ["broken-file"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (rds(whole([1, 2])), "no-frame"),
        (rds(several([whole([1])], names=texts(["a"]))), "no-frame"),
        (rds(texts([SECRET])), "no-frame"),
        (rda({"a": whole([1]), "b": texts([SECRET])}), "no-frame"),
        (rds(bytes([0, 0, 0, 21])), "no-frame"),
        (rds(data_frame({"a": whole([1]), "b": whole([1, 2])}, 2)), "broken-file"),
        (rds(data_frame({"a": whole([9], levels=texts(["x"]), **{"class": texts(["factor"])})}, 1)), "broken-file"),
        (rds(data_frame({"a": numbers([1e9], **{"class": texts(["Date"])})}, 1)), "bad-dates"),
        (
            rds(several([whole([1])] * 2, names=texts(["a", "a"]), **{"class": texts(["data.frame"])})),
            "duplicate-columns",
        ),
        (b"A\n3\n262145\n197888\n", "broken-file"),
        (b"RDA3\nA\n3\n", "broken-file"),
        (b"name,age\n" + SECRET.encode(), "broken-file"),
        (b"", "empty-file"),
        (rds(b"\0\0\0\x0d\x7f\xff\xff\xff"), "broken-file"),
        (rds(b"\0\0\0\x10\x7f\xff\xff\xff"), "broken-file"),
        (rds(b"\0\0\0\x13\0\0\0\x01" * 5_000), "broken-file"),
    ],
)
def test_what_is_no_data_frame(content: bytes, code: str, tmp_path: Path) -> None:
    path = tmp_path / "people.rds"
    path.write_bytes(content)
    assert codes(path) == [code]


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHLEIER_MAX_UNPACKED", "1MB")
    path = tmp_path / "bomb.rds"
    path.write_bytes(gzip.compress(rds(bytes(3_000_000))))
    assert codes(path) == ["too-much"]


def test_spoiled_files_are_refused_in_plain_words(tmp_path: Path) -> None:
    whole_file, path, chance = rda({"people": data_frame(PEOPLE, 3)}), tmp_path / "spoiled.rda", random.Random(4)
    for n in range(300):
        spoiled = bytearray(whole_file[: chance.randrange(len(whole_file))] if n % 3 == 0 else whole_file)
        for _ in range(chance.choice([1, 2, 5])):
            spoiled[chance.randrange(len(spoiled))] = chance.choice([0, 1, 127, 255]) if spoiled else 0
        path.write_bytes(spoiled)
        try:
            RData().unwrap(path, tmp_path).unlink()
            RData().dictionary(path)
        except SchleierError as error:
            assert isinstance(error, DataError)
