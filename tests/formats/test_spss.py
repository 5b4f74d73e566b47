"""SPSS: dictionaries, codes for missing, whole numbers, dates, and what cannot be written."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

from schleier.core.dictionary import Entry
from schleier.core.errors import DataError, WriteError
from schleier.core.schema import Column, Schema
from schleier.formats import _packages as packages
from schleier.formats.spss import Spss

FRAME = pd.DataFrame(
    {
        "geschl": [1.0, 2.0, 9.0, np.nan],
        "größe": [1.75, -3.0, -2.0, 1.6],
        "stufe": [1.0, 3.0, 99.0, 98.0],
        "ort": ["Köln  ", "", "XX", "Gießen"],
        "tag": [dt.date(1582, 10, 15), dt.date(2024, 2, 29), None, dt.date(1969, 12, 31)],
        "zeit": [dt.datetime(2024, 2, 29, 23, 59, 59, 123000), None, dt.datetime(1900, 1, 1), dt.datetime(9999, 1, 1)],
        "dauer": [dt.time(1, 0), None, dt.time(0, 0, 1), dt.time(0)],
    }
)
OPTIONS: dict[str, Any] = {
    "column_labels": {"geschl": "Geschlecht", "größe": "Größe in m"},
    "variable_value_labels": {
        "geschl": {1.0: "weiblich", 2.0: "männlich", 9.0: "weiß nicht"},
        "größe": {-3.0: "verweigert"},
        "ort": {"XX": "unbekannt"},
    },
    "missing_ranges": {
        "geschl": [9.0],
        "größe": [{"lo": -9.0, "hi": -2.0}],
        "stufe": [{"lo": 98.0, "hi": 99.0}, 97.0],
        "ort": ["XX"],
    },
    "variable_measure": {"geschl": "nominal", "stufe": "ordinal", "größe": "scale", "ort": "nominal"},
    "variable_format": {"stufe": "F3.0", "zeit": "DATETIME24.3"},
}
SCALES = {"geschl": "nominal", "größe": "continuous", "stufe": "ordinal", "ort": "place", "tag": "time"}


def schema(**more: dict[str, Any]) -> Schema:
    return Schema(columns=[Column(name=n, scale=s, **more.get(n, {})) for n, s in SCALES.items()], others="drop")


def rows(path: Path, described: Schema | None = None) -> dict[str, list[Any]]:
    return pa.Table.from_batches(Spss().batches(path, described)).to_pydict()


@pytest.fixture(params=["plain.sav", "rows.sav", "whole.zsav"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path: Path = tmp_path / request.param
    packed = {"row_compress": path.stem == "rows", "compress": path.stem == "whole"}
    pyreadstat.write_sav(FRAME, path, **OPTIONS, **packed)
    return path


def test_the_dictionary_is_kept(file: Path) -> None:
    assert Spss().header(file) == {
        "geschl": "integer",
        "größe": "number",
        "stufe": "integer",
        "ort": "text",
        "tag": "date",
        "zeit": "time",
        "dauer": "number",
    }
    found = Spss().dictionary(file)
    assert found["geschl"] == Entry(
        "Geschlecht", {"1": "weiblich", "2": "männlich", "9": "weiß nicht"}, missing=(9,), scale="nominal"
    )
    # Of a range the finite ends and the labelled codes inside.
    assert found["größe"] == Entry("Größe in m", {"-3": "verweigert"}, missing=(-9, -3, -2), scale="continuous")
    assert found["stufe"] == Entry(missing=(98, 99, 97), scale="ordinal")
    assert found["ort"] == Entry("", {"XX": "unbekannt"}, missing=("XX",), scale="nominal")
    assert found["tag"].scale == found["zeit"].scale == "time"


def test_declared_codes_are_gaps_and_types_follow_the_scale(file: Path) -> None:
    table = pa.Table.from_batches(Spss().batches(file, schema()))
    assert [str(kind) for kind in table.schema.types] == ["int64", "double", "int64", "string", "date32[day]"]
    assert table.to_pydict() == {
        "geschl": [1, 2, None, None],
        "größe": [1.75, None, None, 1.6],
        "stufe": [1, 3, None, None],
        "ort": ["Köln", None, None, "Gießen"],
        "tag": FRAME["tag"].tolist(),
    }


def test_reasons_stay_values_and_other_codes_of_the_range_do_not(file: Path) -> None:
    kept = rows(file, schema(geschl={"reasons": (9,)}, stufe={"reasons": ("98",)}, ort={"reasons": ("XX",)}))
    assert kept["geschl"] == [1, 2, 9, None]
    assert kept["stufe"] == [1, 3, None, 98]
    assert kept["ort"] == ["Köln", None, "XX", "Gießen"]


def test_dates_and_times(file: Path) -> None:
    found = rows(file)
    assert found["tag"] == FRAME["tag"].tolist()
    assert found["zeit"] == [None if pd.isna(t) else t.to_pydatetime() for t in FRAME["zeit"]]
    assert found["dauer"] == [3600.0, None, 1.0, 0.0]


def test_open_ranges(tmp_path: Path) -> None:
    path = tmp_path / "open.sav"
    frame = pd.DataFrame({"x": [-5.0, 0.0, 1.0, 7.0], "y": [1.0, 2.0, 3.0, 4.0]})
    largest = 1.7976931348623157e308
    gaps = {"x": [{"lo": -largest, "hi": -1.0}], "y": [{"lo": 3.0, "hi": largest}]}
    pyreadstat.write_sav(frame, path, missing_ranges=gaps)
    assert rows(path) == {"x": [None, 0.0, 1.0, 7.0], "y": [1.0, 2.0, None, None]}
    assert [entry.missing for entry in Spss().dictionary(path).values()] == [(-1,), (3,)]


def test_a_broken_code_is_refused_not_rounded(tmp_path: Path) -> None:
    path = tmp_path / "broken.sav"
    pyreadstat.write_sav(pd.DataFrame({"code": [1.0, 1.5, 2.5], "big": [1.0, 2.0, 2.0**60]}), path)
    described = Schema(columns=[Column(name="code", scale="nominal"), Column(name="big", scale="discrete")])
    with pytest.raises(DataError) as caught:
        rows(path, described)
    assert [(p.code, p.message) for p in caught.value.problems] == [
        ("not-whole", "column 'code' holds codes or whole numbers, but has decimals in 2 rows, the first is row 2"),
        ("not-whole", "column 'big' holds codes or whole numbers, but has decimals in row 3"),
    ]
    assert rows(path, described.changed("code", scale="continuous", missing=(1.5,)).without(["big"])) == {
        "code": [1.0, None, 2.5]
    }
    assert rows(path)["code"] == [1.0, 1.5, 2.5]


def test_parts_of_a_file_have_the_same_types_and_say_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, count = tmp_path / "long.sav", 1000
    frame = pd.DataFrame({"x": np.arange(count, dtype=float), "t": [f"t{i}" for i in range(count)]})
    pyreadstat.write_sav(frame, path, row_compress=True)
    described = Schema(columns=[Column(name="t", scale="text")], row_key="x")
    (whole,) = Spss().batches(path, described)
    monkeypatch.setattr(packages, "CELLS", 20)
    parts = list(Spss().batches(path, described))
    assert [part.num_rows for part in parts] == [63] * 15 + [55]  # never more than 16 parts
    assert pa.Table.from_batches(parts) == pa.Table.from_batches([whole])
    frame.loc[990, "x"] = 0.5
    pyreadstat.write_sav(frame, path)
    with pytest.raises(DataError, match="row 991"):
        list(Spss().batches(path, described))


def test_old_files_in_a_code_page(tmp_path: Path) -> None:
    path = tmp_path / "old.sav"
    pyreadstat.write_sav(pd.DataFrame({"ort": ["K~ln", "Gie^en"]}), path, column_labels={"ort": "Stra^e"})
    content = path.read_bytes().replace(b"~", "ö".encode("latin-1")).replace(b"^", "ß".encode("latin-1"))
    path.write_bytes(content.replace(b"UTF-8", b"CP819"))
    assert rows(path) == {"ort": ["Köln", "Gießen"]}
    assert Spss().dictionary(path)["ort"].title == "Straße"


@pytest.mark.parametrize("code", [2, 1252])
def test_older_files_that_only_number_their_code_page(tmp_path: Path, code: int) -> None:
    path = tmp_path / "older.sav"
    pyreadstat.write_sav(pd.DataFrame({"ort": ["K~ln"]}), path)
    content = path.read_bytes()
    named = content.index(b"UTF-8")
    content = content[: named - 16] + content[named + 5 :]  # the record that names the encoding
    machine = content.index(b"".join(number.to_bytes(4, "little") for number in (7, 3, 4, 8))) + 16 + 28
    content = content[:machine] + code.to_bytes(4, "little") + content[machine + 4 :]
    path.write_bytes(content.replace(b"~", "ö".encode("cp1252")))
    assert rows(path) == {"ort": ["Köln"]}


def test_texts_that_are_not_in_their_encoding(tmp_path: Path) -> None:
    path = tmp_path / "false.sav"
    pyreadstat.write_sav(pd.DataFrame({"ort": ["K~ln", "SECRET"]}), path)
    path.write_bytes(path.read_bytes().replace(b"~", "ö".encode("latin-1")))
    with pytest.raises(DataError) as caught:
        rows(path)
    (problem,) = caught.value.problems
    assert problem.code == "bad-encoding" and "save it again" in problem.hint
    assert caught.value.__context__ is None


def test_files_with_a_password(tmp_path: Path) -> None:
    path = tmp_path / "locked.sav"
    path.write_bytes(b"\x1c\0\0\0\0\0\0\0ENCRYPTEDSAV\x15\0\0\0" + bytes(range(200)))
    with pytest.raises(DataError) as caught:
        Spss().header(path)
    (problem,) = caught.value.problems
    assert (problem.code, problem.hint) == ("encrypted", "open it in SPSS and save it without a password")


# From here on: writing.

TABLE = pa.table(
    {
        "größe": [1.25, None, 3.5],
        "code": pa.array([1, -9, None], pa.int64()),
        "wort": ["Köln", None, "x" * 300],
        "ja": [True, None, False],
        "tag": pa.array([dt.date(1800, 1, 1), None, dt.date(2024, 12, 31)]),
        "zeit": pa.array([dt.datetime(2024, 1, 2, 3, 4, 5, 678000), None, dt.datetime(1600, 1, 1)], pa.timestamp("us")),
    }
)
COLUMNS = (
    Column(name="größe", scale="continuous", title="Größe", decimals=1),
    Column(name="code", scale="nominal", labels={"1": "ja", "-9": "weiß nicht"}, reasons=(-9,)),
    Column(name="wort", scale="text", title="ä" * 200),
    Column(name="ja", scale="nominal", labels={"true": "yes", "false": "no"}),
    Column(name="tag", scale="time"),
    Column(name="zeit", scale="time"),
)


def written(path: Path, table: pa.Table, *columns: Column) -> Any:
    Spss().write(table.to_batches(max_chunksize=2), table.schema, path, None, columns)
    return pyreadstat.read_sav(path, user_missing=True)


@pytest.mark.parametrize("name", ["some.sav", "some.zsav"])
def test_what_is_written_is_read_by_others(tmp_path: Path, name: str) -> None:
    frame, told = written(tmp_path / name, TABLE, *COLUMNS)
    assert frame["code"].tolist()[:2] == [1.0, -9.0] and pd.isna(frame["code"][2])
    assert frame["wort"].tolist() == ["Köln", "", "x" * 300]
    assert [frame["tag"][0], frame["tag"][2]] == [dt.date(1800, 1, 1), dt.date(2024, 12, 31)]
    assert frame["zeit"][0].round("ms").to_pydatetime() == TABLE["zeit"][0].as_py()
    assert told.column_names_to_labels["größe"] == "Größe"
    assert told.column_names_to_labels["wort"] == "ä" * 126 + "…"  # 255 bytes are allowed
    assert told.variable_value_labels == {
        "code": {1.0: "ja", -9.0: "weiß nicht"},
        "ja": {0.0: "no", 1.0: "yes"},
    }
    assert told.missing_ranges == {"code": [{"lo": -9.0, "hi": -9.0}]}
    assert told.original_variable_types == {
        "größe": "F8.1",
        "code": "F8.0",
        "wort": "A300",
        "ja": "F8.0",
        "tag": "DATE11",
        "zeit": "DATETIME24.3",
    }
    assert [told.variable_measure[name] for name in TABLE.column_names] == [
        "scale", "nominal", "nominal", "nominal", "scale", "scale"
    ]  # fmt: skip


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "some.sav"
    written(path, TABLE, *COLUMNS)
    assert rows(path, Schema(columns=COLUMNS)) == TABLE.to_pydict() | {"ja": [1, None, 0]}
    assert path.read_bytes()[72:76] == b"\1\0\0\0"  # compressed


def test_without_columns_and_without_rows(tmp_path: Path) -> None:
    empty = TABLE.slice(0, 0)
    frame, _ = written(tmp_path / "none.sav", empty)
    assert len(frame) == 0
    assert Spss().header(tmp_path / "none.sav")["größe"] == "number"
    (batch,) = Spss().batches(tmp_path / "none.sav", Schema(columns=COLUMNS))
    assert (batch.num_rows, batch.schema.types[0]) == (0, pa.float64())
    gaps = pa.table({"w": pa.array([None, None], pa.string()), "n": pa.array([None, None], pa.int64())})
    written(tmp_path / "gaps.sav", gaps)
    assert rows(tmp_path / "gaps.sav") == gaps.to_pydict()


@pytest.mark.parametrize(
    ("values", "reasons", "expected"),
    [
        ([1, 2], (-1, -2, -3), [-3.0, -2.0, -1.0]),
        ([1, 2], (-1, -2, -3, -9), [(-9.0, -1.0)]),
        ([0, 1], (-9, 97, 98, 99), [-9.0, (97.0, 99.0)]),
        ([0, 98], (-9, -8, -7, 99), [(-9.0, -7.0), 99.0]),
        ([0, 98], (-9, -8, 97, 99), None),
    ],
)
def test_reasons_as_values_and_ranges(
    tmp_path: Path, values: list[int], reasons: tuple[int, ...], expected: list[Any] | None
) -> None:
    table, column = pa.table({"x": [*values, *reasons]}), Column(name="x", scale="nominal", reasons=reasons)
    if expected is None:
        with pytest.raises(WriteError) as caught:
            written(tmp_path / "x.sav", table, column)
        assert caught.value.problems[0].code == "too-many-reasons"
        return
    _, told = written(tmp_path / "x.sav", table, column)
    found = [gap["lo"] if gap["lo"] == gap["hi"] else (gap["lo"], gap["hi"]) for gap in told.missing_ranges["x"]]
    assert sorted(found, key=str) == sorted(expected, key=str)
    assert rows(tmp_path / "x.sav", Schema(columns=[column]))["x"] == [*values, *reasons]


def test_a_labelled_value_lies_in_no_range_of_reasons_even_where_nobody_has_it(tmp_path: Path) -> None:
    column = Column(name="x", scale="nominal", reasons=(-2, -1, 8, 9), labels={"1": "yes"})
    with pytest.raises(WriteError, match="other values between them"):
        written(tmp_path / "x.sav", pa.table({"x": [-1, 9]}), column)


def test_reasons_of_text(tmp_path: Path) -> None:
    table = pa.table({"x": ["a", ".a", "y" * 20]})
    column = Column(name="x", scale="nominal", reasons=(".a",), labels={".a": "refused", "y" * 20: "long"})
    _, told = written(tmp_path / "x.sav", table, column)
    assert told.missing_ranges == {"x": [{"lo": ".a", "hi": ".a"}]}
    assert told.variable_value_labels == {"x": {".a": "refused", "y" * 20: "long"}}
    assert rows(tmp_path / "x.sav", Schema(columns=[column])) == table.to_pydict()
    assert rows(tmp_path / "x.sav") == {"x": ["a", None, "y" * 20]}


def test_everything_wrong_is_told_at_once_before_writing(tmp_path: Path) -> None:
    table = pa.table(
        {
            "with blank": [1],
            "1st": [1],
            "n" * 65: [1],
            "BY": [1],
            "huge": [2**53 + 1],
            "endless": [float("inf")],
            "cut": ["SECRET\0"],
            "long": ["x" * 40_000],
            "list": [[1]],
        }
    )
    with pytest.raises(WriteError) as caught:
        written(tmp_path / "x.sav", table)
    assert not (tmp_path / "x.sav").exists()
    assert [(p.where, p.code) for p in caught.value.problems] == [
        ("huge", "too-large"),
        ("endless", "too-large"),
        ("cut", "null-character"),
        ("list", "unknown-type"),
        ("with blank", "bad-name"),
        ("1st", "bad-name"),
        ("n" * 65, "bad-name"),
        ("BY", "bad-name"),
        ("long", "too-long"),
    ]
    assert "SECRET" not in str(caught.value) and all(p.hint for p in caught.value.problems)


def test_the_largest_whole_number_that_is_certain(tmp_path: Path) -> None:
    table = pa.table({"x": [2**53 - 1, -(2**53 - 1)]})
    written(tmp_path / "x.sav", table)
    assert rows(tmp_path / "x.sav") == table.to_pydict()
