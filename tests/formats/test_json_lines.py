"""JSON lines: flat objects become rows, nested ones are refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import schleier as sl
from schleier.core.errors import DataError, SchleierError
from schleier.formats.json_lines import GLANCE, JsonLines

SECRET = "SECRETVALUE"
NESTED = "line 2 holds lists or objects inside its object: 'a', 'c'"


def problem(path: Path) -> tuple[str, str]:
    with pytest.raises(SchleierError) as caught:
        sl.describe(path)
    assert isinstance(caught.value, DataError)
    assert SECRET not in str(caught.value)
    (found,) = caught.value.problems
    return found.code, found.message


def test_flat_objects(tmp_path: Path) -> None:
    path = tmp_path / "people.ndjson"
    lines = ['{"a": 1, "b": "x, \\"y\\"", "c": true}', "", '{"b": null, "a": 1.50, "d": 12345678901234567890}', "{}"]
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join([*lines, '{"a": NaN, "c": false}']).encode())
    text = JsonLines().unwrap(path, tmp_path).read_text()
    assert text.splitlines() == [
        "a,b,c,d",
        '1,"x, ""y""",true,',
        "1.50,,,12345678901234567890",
        ",,,",
        ",,false,",
    ]


def test_a_name_that_comes_late(tmp_path: Path) -> None:
    path = tmp_path / "people.jsonl"
    path.write_text('{"a": 1}\n' * (GLANCE + 5) + '{"b": 2}\n')
    lines = JsonLines().unwrap(path, tmp_path).read_text().splitlines()
    assert (lines[0], lines[1], lines[-1], len(lines)) == ("a,b", "1,", ",2", GLANCE + 7)


def test_gaps_in_a_single_column(tmp_path: Path) -> None:
    path = tmp_path / "people.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"age": 30}\n{"age": null}\n{"age": 41}\n'))
    data = sl.read(path, sl.Schema(columns=[sl.Column(name="age", scale="discrete")]))
    assert data.to_arrow()["age"].to_pylist() == [30, None, 41]


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (
            b'{"a": 1}\n{"a": {"b": 1}, "c": [1]}\n',
            "nested-values",
            "line 2 holds lists or objects inside its object: 'a', 'c'",
        ),
        (b'[{"a": 1}]\n', "broken-line", "line 1 holds no object"),
        (b'{"a": 1}\n{"a": "SECRETV', "broken-line", "line 2 is no JSON, or was cut off"),
        (b'{"a": 1, "a": 2}\n', "broken-line", "line 1 has a name twice"),
        (b'{"a": "\xff"}\n', "broken-line", "line 1 is not UTF-8 text"),
        (b'{"a": "\\ud800", "b": 1}\n', "broken-line", "line 1 holds half of a character, which is no text"),
        (b'{"\\ud800": 1, "b": 1}\n', "broken-line", "a name holds half of a character, which is no text"),
        (b"[" * 100_000, "broken-line", "line 1 is no JSON, or was cut off"),
        (b"{}\n{}\n", "empty-file", "no object in the file has a value"),
        (b"", "empty-file", "the file is empty"),
        (b"name,age\nAda,30\n", "broken-line", "line 1 is no JSON, or was cut off"),
    ],
)
def test_what_is_no_table(content: bytes, code: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "people.jsonl"
    path.write_bytes(content)
    assert problem(path) == (code, said)


def test_very_many_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHLEIER_MAX_COLUMNS", "20")
    path = tmp_path / "people.jsonl"
    path.write_text("\n".join(f'{{"c{n}": 1}}' for n in range(30)))
    assert problem(path)[0] == "too-much"
