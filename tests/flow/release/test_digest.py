"""The digest hears every change of content and no change of form."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import struct
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.schema import Column, Schema
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.digest import digest_of


def digest(columns: dict[str, Any], cut: int | None = None, **decimals: int) -> str:
    schema = Schema(columns=tuple(Column(name=n, scale="nominal", decimals=decimals.get(n)) for n in columns))
    table = pa.table(columns)
    found = digest_of(table.to_batches(max_chunksize=cut), schema)
    assert found.rows == len(table)
    return found.hexdigest()


CELLS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "integer": (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    "number": (pa.float64(), st.floats(allow_nan=False)),
    "text": (pa.string(), st.text(alphabet="aäß\0€", max_size=4)),
    "date": (pa.date32(), st.dates()),
    "time": (pa.timestamp("us"), st.datetimes()),
    "truth": (pa.bool_(), st.booleans()),
    "items": (pa.list_(pa.string()), st.lists(st.none() | st.text(alphabet="a1:-", max_size=3), max_size=3)),
}
rows = st.lists(st.tuples(*(st.none() | cells for _, cells in CELLS.values())), min_size=1, max_size=12)


def columns_of(people: list[tuple[Any, ...]]) -> dict[str, pa.Array]:
    return {n: pa.array([row[j] for row in people], kind) for j, (n, (kind, _)) in enumerate(CELLS.items())}


@given(rows, st.integers(1, 5))
def test_cutting_rows_into_batches_changes_nothing(people: list[tuple[Any, ...]], cut: int) -> None:
    assert digest(columns_of(people), cut) == digest(columns_of(people))


@given(rows, st.data())
def test_any_changed_cell_changes_it(people: list[tuple[Any, ...]], data: st.DataObject) -> None:
    i = data.draw(st.integers(0, len(people) - 1))
    j = data.draw(st.integers(0, len(CELLS) - 1))
    _, cells = list(CELLS.values())[j]
    other = data.draw((st.none() | cells).filter(lambda value: value != people[i][j]))
    changed = [*people]
    changed[i] = (*people[i][:j], other, *people[i][j + 1 :])
    assert digest(columns_of(changed)) != digest(columns_of(people))


@given(rows)
def test_slices_of_a_larger_table_count_like_tables(people: list[tuple[Any, ...]]) -> None:
    whole = pa.table(columns_of([*people, *people]))
    part = whole.slice(len(people))
    assert digest({n: part[n] for n in part.column_names}) == digest(columns_of(people))


def test_missing_empty_and_zero_differ() -> None:
    gap, text = pa.array([None], pa.string()), pa.array([""])
    assert len({digest({"x": gap}), digest({"x": text}), digest({"x": ["0"]}), digest({"x": [0]})}) == 4
    numbers = [pa.array([None], pa.int64()), pa.array([0]), pa.array([0.0]), pa.array([None], pa.float64())]
    assert len({digest({"x": one}) for one in numbers}) == 4
    assert digest({"x": pa.array([None, 0])}) != digest({"x": pa.array([0, None])})
    assert digest({"x": [False]}) != digest({"x": pa.array([None], pa.bool_())})


def test_the_largest_whole_numbers_are_told_apart() -> None:
    large = [digest({"x": pa.array([number], pa.uint64())}) for number in (2**63 - 1, 2**63, 2**64 - 1)]
    assert len(set(large)) == 3


def test_letters_cannot_wander_between_cells_or_columns() -> None:
    assert digest({"x": ["ab", "c"]}) != digest({"x": ["a", "bc"]})
    assert digest({"x": ["a"], "y": ["b"]}) != digest({"x": ["ab"], "y": [""]})
    assert digest({"x": ["a", None]}) != digest({"x": ["a"]})


def test_lists_are_told_apart_and_their_form_does_not_matter() -> None:
    lists = [[], None, [None], [""], ["a", "b"], ["b", "a"], ["ab"], ["1:a"], [1], [1, 1], [11]]
    assert len({digest({"x": pa.array([one])}) for one in lists if one}) == 9
    texts = pa.array(lists[:8], pa.list_(pa.string()))
    assert digest({"x": texts}) == digest({"x": texts.cast(pa.large_list(pa.large_string()))})
    assert len({digest({"x": texts.slice(i, 1)}) for i in range(8)}) == 8
    numbers = pa.array([[1], [2, None]], pa.list_(pa.int8()))
    assert digest({"x": numbers}) == digest({"x": numbers.cast(pa.list_(pa.int64()))})
    assert digest({"x": numbers}) != digest({"x": pa.array([["1"], ["2", None]])})


def test_names_and_order_of_columns_count() -> None:
    assert digest({"x": [1], "y": [1]}) != digest({"x": [1], "z": [1]})
    assert digest({"x": [1], "y": [2]}) != digest({"y": [2], "x": [1]})
    assert digest({"ab": [1], "c": [1]}) != digest({"a": [1], "bc": [1]})


def test_order_and_number_of_rows_count() -> None:
    assert digest({"x": [1, 2]}) != digest({"x": [2, 1]})
    assert digest({"x": [0]}) != digest({"x": [0, 0]})


def test_negative_zero_is_zero_and_all_not_a_numbers_are_one() -> None:
    assert digest({"x": [-0.0]}) == digest({"x": [0.0]})
    odd = np.array([0x7FF8000000000001], dtype=np.uint64).view(np.float64)
    assert digest({"x": pa.array(odd)}) == digest({"x": pa.array([float("nan")])})
    assert digest({"x": [float("inf")]}) != digest({"x": [-float("inf")]})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pa.array([1, None], pa.int16()), pa.array([1, None], pa.int64())),
        (pa.array([1, None], pa.uint8()), pa.array([1, None], pa.int64())),
        (pa.array([0.5, None], pa.float32()), pa.array([0.5, None], pa.float64())),
        (pa.array(["a", None], pa.string()), pa.array(["a", None], pa.large_string())),
        (pa.array(["a", None]), pa.array(["a", None]).dictionary_encode()),
        (pa.array([dt.date(2020, 1, 2)], pa.date32()), pa.array([dt.date(2020, 1, 2)], pa.date64())),
        (pa.array([1000], pa.timestamp("ms")), pa.array([1_000_000], pa.timestamp("us"))),
    ],
    ids=lambda array: str(array.type),
)
def test_how_a_file_stores_a_value_does_not_count(one: pa.Array, other: pa.Array) -> None:
    assert digest({"x": one}) == digest({"x": other})


def test_declared_decimals_count_as_scaled_whole_numbers() -> None:
    floats = digest({"x": [1.25, None, -0.1]}, x=2)
    decimals = pa.array([Decimal("1.25"), None, Decimal("-0.10")], pa.decimal128(9, 2))
    assert floats == digest({"x": decimals}, x=2)
    assert floats == digest({"x": [1.25, None, 0.2 - 0.3]}, x=2)  # off by one bit, the same cents
    assert floats != digest({"x": [1.26, None, -0.1]}, x=2)
    assert floats != digest({"x": [1.25, None, -0.1]}, x=3)
    assert digest({"x": [1.25, None, 0.2 - 0.3]}) != digest({"x": [1.25, None, -0.1]})
    assert digest({"x": pa.array([3], pa.int64())}, x=2) == digest({"x": [3.0]}, x=2)


def by_the_book(rows: int, columns: list[tuple[str, str, bytes, bytes, bytes]]) -> str:
    """The digest as the format describes it: name, kind, and three streams (tags, values, lengths) per column."""
    whole = hashlib.sha256(b"schleier-digest-1" + struct.pack("<q", rows))
    for name, kind, *streams in columns:
        for word in (name.encode(), kind.encode()):
            whole.update(struct.pack("<i", len(word)) + word)
        for stream in streams:
            whole.update(hashlib.sha256(stream).digest())
    return whole.hexdigest()


def test_a_published_digest_stays_true() -> None:
    """A change of the encoding needs a new version in the digest itself."""
    columns = {
        "n": pa.array([-2, None], pa.int32()),
        "x": pa.array([1.5, None]),
        "d": pa.array([1.25, None]),
        "t": pa.array(["ä", None]),
        "day": pa.array([dt.date(1970, 1, 3), None]),
        "b": pa.array([True, None]),
    }
    tags, none = b"\1\0", b""
    expected = [
        ("n", "integer", tags, struct.pack("<qq", -2, 0), none),
        ("x", "number", tags, struct.pack("<dd", 1.5, 0.0), none),
        ("d", "decimal:2", tags, struct.pack("<qq", 125, 0), none),
        ("t", "text", tags, "ä".encode(), struct.pack("<qq", 2, 0)),
        ("day", "date", tags, struct.pack("<ii", 2, 0), none),
        ("b", "boolean", tags, b"\1\0", none),
    ]
    assert digest(columns, d=2) == by_the_book(2, expected)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("rows", [29, 30])
def test_a_report_of_few_records_does_not_tell_it(rows: int, language: str, tmp_path: Path) -> None:
    """Whoever knows all but one value of a small file could try the rest until the digest fits."""
    recipe = Recipe.from_toml(
        f'[schema]\ncolumns = [{{ name = "x", scale = "discrete" }}]\n[release]\nlanguage = "{language}"\n'
    )
    release = recipe.run(pa.table({"x": range(rows)}), out=tmp_path / "out")
    digest = release.audit.digest
    assert digest_of(release.data.to_arrow().to_batches(), release.schema).hexdigest() == digest
    withheld = {"en": "The digest of the file is not told here.", "de": "Die Prüfsumme der Datei steht hier nicht."}
    page = (tmp_path / "out" / "public" / "report.html").read_text(encoding="utf-8")
    told = json.loads((tmp_path / "out" / "public" / "report.json").read_text(encoding="utf-8"))["digest"]
    assert (told, withheld[language] in page) == (("", True) if rows < 30 else (digest, False))
    for file in (tmp_path / "out" / "public").iterdir():
        assert (digest[:8].encode() in file.read_bytes()) == (rows >= 30 and file.name.startswith("report"))
    assert json.loads((tmp_path / "out" / "restricted" / "audit.json").read_text())["digest"] == digest


@pytest.mark.parametrize(("access", "told"), [("public", True), ("contract", False)])
def test_a_file_whose_rows_stand_in_few_orders_does_not_tell_it(access: str, told: bool) -> None:
    """Three answers among a hundred and fifty are in one of half a million places: all of them can be tried."""
    recipe = Recipe.from_toml(
        f'[schema]\ncolumns = [{{ name = "x", role = "plain", scale = "nominal" }}]\n[release]\naccess = "{access}"\n'
    )
    report = recipe.run(pa.table({"x": ["no"] * 147 + ["yes"] * 3})).report
    assert bool(report.digest) is told
    many = recipe.run(pa.table({"x": ["no"] * 75 + ["yes"] * 75})).report
    assert many.digest


@pytest.mark.filterwarnings("error")
def test_numbers_no_whole_number_can_hold_are_told_apart_in_silence() -> None:
    odd = [float("nan"), float("inf"), float("-inf"), 1e300, 1.7e308, 9.3e16]
    digests = [digest({"x": [1.25, value]}, x=2) for value in odd]
    assert len(set(digests)) == len(odd)
    assert digest({"x": [1.25, -float("nan")]}, x=2) == digests[0]  # one bit pattern for all of them
